"""Microaggregation from a table to its release: audited, refused, steered, and nothing but its rows."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError, InputError


def people(rows: int = 250) -> pa.Table:
    draw = random.Random(4)
    return pa.table(
        {
            "age": [draw.randrange(18, 80) for _ in range(rows)],
            "income": [round(draw.lognormvariate(7, 1), 2) for _ in range(rows)],
            "height": [draw.choice([None, *range(150, 200)]) for _ in range(rows)],
            "disease": [draw.choice(["flu", "cold", "gout", "HIV"]) for _ in range(rows)],
            "patient": [f"p{draw.randrange(rows // 2)}" for _ in range(rows)],
        }
    )


QI = {"age": shoal.intervals(5, 10, 20), "income": "suppress", "height": "suppress"}


def spec(**settings: Any) -> shoal.Spec:
    given: dict[str, Any] = {
        "quasi_identifiers": QI,
        "sensitive": ["disease"],
        "identifiers": ["patient"],
        "privacy": [shoal.KAnonymity(5)],
        "recoding": "microaggregation",
    }
    return shoal.Spec(**{**given, **settings})


@pytest.mark.parametrize("value", ["mean", "median"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"privacy": [shoal.KAnonymity(5), shoal.TCloseness("disease", 0.2)]},
        {"privacy": [shoal.KAnonymity(3), shoal.LDiversity("disease", 3, "entropy")]},
        {"privacy": [shoal.Risk(maximal=0.2, average=0.1)]},
        {"suppression": 0.1, "suppressed": "star"},
        {"unit": "patient"},
        {"choose_by": "quasi-identifiers", "privacy": [shoal.KAnonymity(8), shoal.LDiversity("disease", 2)]},
    ],
    ids=str,
)
def test_releases_hold_in_an_audit_of_the_released_values(settings: Any, value: str) -> None:
    release = shoal.anonymize(people(), spec(**settings), recoding={"microaggregation": {"labels": value}})
    assert release.audit.holds, release.audit.render()
    assert release.suppressed_rows == 0
    assert release.classes > 1


def test_without_other_models_classes_have_k_to_2k_rows_and_their_own_means() -> None:
    table = people().append_column("row", pa.array(range(250)))
    settings = {"insensitive": ["row"], "accept": {"row": "linkable"}}
    release = shoal.anonymize(table, spec(**settings), keep_order=True)
    assert set(release.class_sizes) <= set(range(5, 10))
    released = release.table
    assert released.schema.types[:3] == table.schema.types[:3]
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, row in enumerate(zip(*(released[name].to_pylist() for name in QI), strict=True)):
        groups.setdefault(row, []).append(number)
    for (age, income, _), numbers in groups.items():
        rows = table.take(pa.array(numbers))
        assert age == round(float(np.mean(rows["age"])))
        assert income == pytest.approx(float(np.mean(rows["income"])), abs=0.0051)


def errors(release: shoal.Release) -> dict[str, float]:
    """The squared errors of the columns, as shares of their variance."""
    words = {name: re.search(r"([\d.]+)% of the variance", chosen) for name, chosen, _ in release.choices()}
    return {name: float(found[1]) / 100 if found else 0.0 for name, found in words.items()}


def test_weights_steer() -> None:
    def error(weight: float) -> float:
        found = shoal.anonymize(people(), spec().adjust(weights={"age": weight}))
        return errors(found)["age"]

    assert error(20.0) < error(1.0) < error(0.05)


def test_methods_are_the_same_for_few_tuples() -> None:
    found = [
        shoal.anonymize(people(), spec(recoding={"microaggregation": {"method": method}}), keep_order=True)
        for method in ("fast", "mdav")
    ]
    assert found[0].table.equals(found[1].table)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.one_of(st.none(), st.integers(-3, 3)), st.sampled_from("abc")),
        min_size=4,
        max_size=40,
    ),
    st.sampled_from(["mean", "median"]),
    st.sampled_from(
        [
            [shoal.KAnonymity(2)],
            [shoal.KAnonymity(3), shoal.LDiversity("s", 2)],
            [shoal.KAnonymity(2), shoal.TCloseness("s", 0.3)],
            [shoal.KAnonymity(2), shoal.AlphaK("s", 0.6, 2)],
            [shoal.LDiversity("s", 2, "recursive", c=2.0)],
        ]
    ),
)
def test_models_hold_whatever_the_rows(rows: list[Any], value: str, models: Any) -> None:
    x, y, s = zip(*rows, strict=True)
    assume(len(set(s)) > 1)  # models refuse a column with one value
    table = pa.table({"x": x, "y": pa.array(y, pa.int64()), "s": s})
    asked = shoal.Spec(
        quasi_identifiers={"x": "suppress", "y": "suppress"},
        sensitive=["s"],
        privacy=models,
        recoding={"microaggregation": {"labels": value}},
    )
    try:
        release = shoal.anonymize(table, asked)
    except InfeasibleError:
        return
    assert release.audit.holds
    assert release.table.num_rows == len(rows)


def test_text_that_is_numbers_is_averaged_as_text(tmp_path: Path) -> None:
    table = pa.table({"age": ["31", "33", "52", "58"], "paid": ["1.50", "2", "10", "11"]})
    pyarrow.csv.write_csv(table, tmp_path / "people.csv")
    asked = shoal.Spec(
        quasi_identifiers={"age": "suppress", "paid": "suppress"}, privacy=[shoal.KAnonymity(2)]
    )
    release = shoal.anonymize(tmp_path / "people.csv", asked, recoding="microaggregation", keep_order=True)
    assert release.table.to_pydict() == {"age": ["32", "32", "55", "55"], "paid": ["1.8", "1.8", "10", "10"]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"quality": "precision"}, "no levels"),
        ({"quality": "discernability"}, "Use the measure loss or certainty-penalty"),
        (
            {"quasi_identifiers": {"age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(5), max_level=0)}},
            "levels that are set for age",
        ),
        ({"recoding": {"microaggregation": {"labels": "sets"}}}, "labels must be one of mean, median, mode"),
        ({"recoding": {"microaggregation": {"method": "mdva"}}}, "Did you mean 'mdav'"),
    ],
)
def test_what_it_cannot_serve_is_refused_before_any_work(changes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        shoal.anonymize("nowhere.csv", spec(**changes))


def test_columns_that_are_no_numbers_are_named() -> None:
    with pytest.raises(InputError, match="Found: disease, patient, with other values") as error:
        shoal.anonymize(
            people(),
            shoal.Spec(
                quasi_identifiers={"age": "suppress", "disease": "suppress", "patient": "suppress"},
                privacy=[shoal.KAnonymity(2)],
                recoding="microaggregation",
            ),
            drop_undeclared=True,
        )
    assert "HIV" not in str(error.value)


def test_too_few_rows_are_infeasible() -> None:
    with pytest.raises(InfeasibleError, match="k = 4"):
        shoal.anonymize(people(4), spec())


def test_null_among_numbers_is_told() -> None:
    assert any("NULL in height becomes the mean" in note for note in shoal.anonymize(people(), spec()).notes)


def test_utility_reads_averages_as_numbers() -> None:
    release = shoal.anonymize(
        people(), spec(quasi_identifiers={"age": "suppress", "income": "suppress"}), drop_undeclared=True
    )
    found = release.utility(models=False)
    assert found.suppressed_rows == 0
    for name, share in errors(release).items():
        # What means lack of the variance is their squared error, but for rounding.
        assert found.columns[name].loss == pytest.approx(share, abs=0.01)
        assert 0 < found.columns[name].entropy_kept < 1
    assert found.queries.count > 0
    assert any("Means of classes: age, income" in note for note in found.notes)


def test_reports_speak_of_averages(tmp_path: Path) -> None:
    release = shoal.anonymize(people(), spec())
    release.write(tmp_path / "release.csv", report=True)
    public = (tmp_path / "release.csv.report.html").read_text()
    assert "Each row has the mean of its class." in public
    assert "overlap" not in public
    internal = (tmp_path / "release.csv.internal.html").read_text()
    assert "Squared error" in internal
    assert not shoal.audit_release(tmp_path / "release.csv").fails


def test_a_label_encoder_keeps_numbers() -> None:
    release = shoal.anonymize(people(), spec(quasi_identifiers={"income": "suppress"}), drop_undeclared=True)
    encoder = shoal.LabelEncoder(release.spec).fit(people().select(["income"]))
    table = release.table.select(["income"])
    assert encoder.transform(table)[:, 0].tolist() == table["income"].to_pylist()
