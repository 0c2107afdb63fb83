"""What became of a column, and whether a release was made of an original."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import registry
from shoal.utility.matching_rows import require_belonging
from tests.unit.utility.tables import column


def test_the_level_is_found():
    ages = [21, 24, 37, 38]
    for level, labels in enumerate(
        (["21", "24", "37", "38"], ["[20, 30)"] * 2 + ["[30, 40)"] * 2, ["[20, 40)"] * 4, ["*"] * 4)
    ):
        found = column(ages, labels, shoal.intervals(10, 20))
        assert (found.label_of >= 0).all()
        assert len(set(found.label_of.tolist())) == len(set(labels)), level


def test_the_counts_tell_levels_with_the_same_labels_apart():
    exact = column([45, 50, 50, 54], ["50", "50"], shoal.rounding(10))
    assert exact.cover.counts.tolist() == [1]
    rounded = column([45, 50, 50, 54], ["50"] * 4, shoal.rounding(10))
    assert rounded.cover.counts.tolist() == [3]
    told = column([45, 50, 50, 54], ["50", "50"], shoal.rounding(10), level=1)
    assert told.cover.counts.tolist() == [3]


def test_null_goes_with_itself_until_the_top():
    found = column([21, None], ["[20, 30)", None], shoal.intervals(10))
    assert found.label_of.tolist() == [0, 1]
    top = column([21, None], ["*", "*"], shoal.intervals(10))
    assert (top.label_of.tolist(), top.cover.counts.tolist()) == ([0, 0], [2])


def test_labels_of_several_levels_are_local():
    found = column([21, 21, 34, 34], ["[20, 30)", "21", "34", "34"], shoal.intervals(10))
    assert found.label_of is None
    assert found.cover.counts.tolist() == [1, 1, 1]


def test_a_label_that_nothing_is_known_of_is_as_everything():
    found = column(["a", "b"], ["group", "b"])
    assert found.label_of is None
    assert found.cover.counts.tolist() == [2, 1]


def test_breadth_counts_the_whole_hierarchy(tmp_path):
    file = tmp_path / "h.csv"
    file.write_text("a;x;*\nb;x;*\nc;y;*\nd;y;*\ne;y;*\n")
    found = column(["a", "c"], ["x", "y"], shoal.hierarchy_file(file))
    assert found.breadth.tolist() == [1 / 4, 2 / 4]


def test_breadth_of_labels_of_several_levels_counts_the_whole_hierarchy():
    groups = {"x": ["a", "b", "b, or c"], "y": ["d", "e"]}
    labels = ["a", "x", '{a, "b, or c"}', "{d}", "*"]
    found = column(["a", "b, or c", "d", "d", "d"], labels, shoal.taxonomy(groups))
    assert found.labels.to_pylist() == labels
    assert found.breadth.tolist() == [0, 2 / 4, 1 / 4, 0, 1]
    ages = column([21, 24, 38, 52], ["[21, 38]", "24", "*", "*"], shoal.intervals(20))
    assert ages.breadth.tolist() == [2 / 3, 0, 1]


def test_a_label_of_two_levels_has_the_rows_of_both():
    """100 is a value, and what 53 is rounded to; 53 itself is only at the level of values."""
    found = column([53, 53, 53, 100, 180], ["100", "53", "100", "100", "*"], shoal.rounding(10, 100))
    assert (found.cover.counts.tolist(), found.excess, found.label_of) == ([2, 1, 3], 0, None)
    assert found.breadth.tolist() == [1 / 2, 0, 1]
    with_more = column([53, 53, 100, 180], ["100", "53", "100", "100"], shoal.rounding(10, 100))
    assert with_more.excess == 0
    assert column([53, 100, 180], ["100", "53", "100", "100"], shoal.rounding(10, 100)).excess == 1


FORMS = [
    (name, form)
    for name in registry.names("strategies")
    if name not in ("cell-suppression", "microaggregation")
    for form in ("nodes", "ranges", "sets", "fitting")
    if form == "nodes" or "labels" in registry.resolve("strategies", name).parameters
    if (name, form) != ("ordered-set", "fitting")
]


LISTED = "0;low;*\n1;low;*\n3;low;*\n100;high;*\n200;high;*\n"


@pytest.mark.parametrize(
    ("labels", "loss"), [("nodes", 0.25), ("ranges", 0.125), ("sets", 0.125), ("fitting", 0.125)]
)
def test_a_range_and_a_set_cover_what_a_hierarchy_lists_between_their_ends(labels, loss, tmp_path):
    """Three rows keep 0; those with 1 and 3 get a label of two of five leaves, or `low`, of three."""
    (tmp_path / "places.csv").write_text(LISTED, encoding="utf-8")
    spec = shoal.Spec(
        quasi_identifiers={"place": shoal.hierarchy_file(tmp_path / "places.csv")},
        types={"place": "integer"},
        privacy=[shoal.KAnonymity(2)],
        recoding={"mondrian": {"labels": labels}},
    )
    release = shoal.anonymize(pa.table({"place": [0, 0, 0, 1, 3, 3]}), spec)
    assert (release.score, release.utility(models=False).loss) == (loss, loss)


@pytest.mark.parametrize(("name", "labels"), FORMS)
def test_loss_is_the_score_of_the_measure_loss(name, labels, tmp_path):
    random = np.random.default_rng(4)
    file = tmp_path / "ages.csv"
    lines = [f"{age};{age // 10}x;{age // 30}y;*" for age in range(100)]
    file.write_text("\n".join(lines), encoding="utf-8")
    jobs = ["cook", "clerk, night", "clerk, day", "judge", None]
    table = pa.table(
        {
            "age": random.integers(20, 60, 200),
            "job": pa.array([jobs[number] for number in random.integers(0, 5, 200)], pa.string()),
        }
    )
    groups = {"office": ["clerk, night", "clerk, day", "typist"], "other": ["cook", "judge", "pilot"]}
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.hierarchy_file(file), "job": shoal.taxonomy(groups)},
        types={"age": "integer"},
        privacy=[shoal.KAnonymity(3)],
        recoding={name: {"labels": labels}} if labels != "nodes" else name,
    )
    release = shoal.anonymize(table, spec)
    assert release.score > 0
    assert release.utility(models=False).loss == pytest.approx(release.score, abs=1e-12)


def belonging(original: dict, release: dict, quasi_identifiers: list[str]):
    columns = {name: column(original[name], release[name], name=name) for name in release}
    first = next(iter(release))
    return require_belonging(
        [columns[name] for name in quasi_identifiers],
        [found for name, found in columns.items() if name not in quasi_identifiers],
        len(original[first]),
        len(release[first]),
    )


ORIGINAL = {"age": [21, 22, 35, 36, 61], "sex": list("FFMMM"), "ill": list("nynyn")}


def test_what_is_missing_was_suppressed():
    release = {"age": ["[20, 40)"] * 4, "sex": list("MFMF"), "ill": list("nnyy")}
    found = belonging(ORIGINAL, release, ["age", "sex"])
    assert (found.kept.tolist(), found.starred_rows, found.suppressed_rows) == ([True] * 4 + [False], 0, 1)


def test_starred_rows():
    release = {"age": ["[20, 40)"] * 4 + ["*"], "sex": list("MFMF*"), "ill": list("nnyyn")}
    found = belonging(ORIGINAL, release, ["age", "sex"])
    assert (found.kept.tolist(), found.starred_rows, found.suppressed_rows) == ([True] * 4 + [False], 1, 1)


def test_stars_that_are_a_class():
    release = {"age": ["*"] * 5, "sex": ["*"] * 5, "ill": list("nynyn")}
    found = belonging(ORIGINAL, release, ["age", "sex"])
    assert (found.kept.tolist(), found.starred_rows, found.suppressed_rows) == ([True] * 5, 0, 0)


def test_single_cells_with_stars_cannot_be_followed():
    release = {"age": ["[20, 40)"] * 4 + ["*"], "sex": list("MFMFM"), "ill": list("nnyyn")}
    found = belonging(ORIGINAL, release, ["age", "sex"])
    assert (found.kept, found.suppressed_rows) == (None, 0)


@pytest.mark.parametrize(
    ("release", "message"),
    [
        ({"age": ["[20, 30)"] * 3, "sex": list("FFF"), "ill": list("nyn")}, "by column 'age' alone"),
        ({"age": ["[90, 99)"], "sex": ["F"], "ill": ["n"]}, "1 of 1 rows by column 'age' alone"),
        ({"age": ["21"] * 6, "sex": list("FFMMMM"), "ill": list("nynynn")}, "6 rows, the original 5"),
        # Every column alone has these values, but nobody has all of them.
        ({"age": ["21"], "sex": ["F"], "ill": ["y"]}, "1 of 1 rows by all columns together"),
        ({"age": ["21"], "sex": ["M"], "ill": ["n"]}, "1 of 1 rows by all columns together"),
    ],
)
def test_an_original_with_other_rows(release, message):
    with pytest.raises(shoal.InputError, match="was not made of this original") as error:
        belonging(ORIGINAL, release, ["age", "sex"])
    assert message in str(error.value)


@given(st.data())
def test_against_counting_in_plain_python(data):
    """Of a table with intervals and rows dropped, a changed cell is noticed exactly when counts say so."""
    rows = data.draw(st.lists(st.tuples(st.integers(0, 19), st.sampled_from("FM")), min_size=1, max_size=15))
    kept = data.draw(st.lists(st.sampled_from(range(len(rows))), unique=True, min_size=1))
    labels = [(f"[{age // 5 * 5}, {age // 5 * 5 + 5})", sex) for age, sex in rows]
    released = [labels[position] for position in kept]
    ages, sexes = zip(*rows, strict=True)
    if data.draw(st.booleans()):
        released[0] = (released[0][0], data.draw(st.sampled_from(sexes)))
    columns = [
        column(list(ages), [label for label, _ in released], shoal.intervals(5)),
        column(list(sexes), [sex for _, sex in released], name="sex"),
    ]
    if Counter(released) - Counter(labels):
        with pytest.raises(shoal.InputError):
            require_belonging(columns, [], len(rows), len(released))
        return
    found = require_belonging(columns, [], len(rows), len(released))
    assert found.kept.tolist() == [label in set(released) for label in labels]


def test_estimates_spread_labels_evenly():
    found = column([21, 22, 35, 35], ["[20, 30)"] * 2 + ["*"] * 2)
    each = 2 / 4 / 2 + 2 / 4 / 3
    assert found.estimate() == pytest.approx([each, each, 2 / 4 / 3])
    assert column([21, 22], pa.array([], pa.string()).to_pylist()).estimate() == pytest.approx([0.5, 0.5])
    assert np.isclose(found.estimate().sum(), 1)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("suppressed", ["remove", "star"])
@pytest.mark.parametrize("role", ["sensitive", "quasi-identifier"])
def test_zeros_at_the_end_of_numbers_mean_nothing(
    tmp_path: Path, role: str, suppressed: str, engine: str
) -> None:
    """The suppressed row has more decimal places and a fraction of a second, the others have none."""
    rows = ["Ulm,1.50,2026-01-31 12:30:00"] * 4 + ["Ulm,2.25,2026-01-31 12:31:00"] * 4
    rows += ["Bonn,3.12345,2026-01-31 12:31:00.125", "Rome,3,2026-01-31 12:31:00"]
    (tmp_path / "costs.csv").write_text("\n".join(["town,cost,seen", *rows, ""]), encoding="utf-8")
    spec = shoal.Spec.from_mapping(
        {
            "columns": {
                "town": {"role": "quasi-identifier", "max-level": 0},
                "cost": {"role": role, "type": "decimal"},
                "seen": {"role": "sensitive", "type": "timestamp"},
            },
            "privacy": [{"k-anonymity": 2}],
            "suppression": 0.2,
            "suppressed": suppressed,
        }
    )
    release = shoal.anonymize(tmp_path / "costs.csv", spec, engine=engine)
    assert release.suppressed_rows == 2
    path = release.write(tmp_path / "release.csv", report=True)
    found = shoal.assess_utility(tmp_path / "costs.csv", path, spec)
    assert found.suppressed_rows == 2
