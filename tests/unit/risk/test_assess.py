"""The whole assessment: what is counted, what is left out, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError
from shoal.events import Event, StepStarted
from shoal.read.source import InputFormat, open_source
from shoal.risk import RiskComparison, assess_risk, compare_risk
from shoal.risk.grouped_table import open_classes
from shoal.sql.local_queries import LocalDuckDB

PEOPLE = {
    "age": ["34", "34", "34", "51", "51", "51", "51", "67", "67", "80"],
    "sex": ["F", "F", "M", "M", "M", "M", "M", "F", None, "F"],
    "ill": ["flu", "cold", "flu", "flu", "flu", "cold", "flu", "cold", "flu", "flu"],
}


@pytest.fixture
def people() -> pa.Table:
    return pa.table(PEOPLE)


def test_ten_rows_by_hand(people: pa.Table) -> None:
    # Classes: 34 F (2), 34 M (1), 51 M (4), 67 F (1), 67 NULL (1), 80 F (1).
    risk = assess_risk(people, ["age", "sex"], sensitive=["ill"], threshold=0.3)
    assert (risk.rows, risk.classes, risk.class_sizes) == (10, 6, {1: 4, 2: 1, 4: 1})
    assert (risk.sample_uniques, risk.unique_share) == (4, 0.4)
    assert risk.prosecutor.highest == 1
    assert risk.prosecutor.average == pytest.approx(6 / 10)
    assert risk.prosecutor.share_above == pytest.approx(6 / 10)
    assert risk.special is not None
    assert risk.special.rows_by_smallest == {1: 2, 2: 2}  # NULL and 80 alone; 34 M and 67 F by both
    assert risk.attributes["ill"].certain == pytest.approx(4 / 10)


@given(st.lists(st.tuples(st.sampled_from(["a", "*", None]), st.sampled_from([1, 2, None])), max_size=20))
def test_classes_are_those_of_a_counter(rows: list[tuple[str | None, int | None]]) -> None:
    table = pa.table(
        {"x": pa.array([x for x, _ in rows], pa.string()), "y": pa.array([y for _, y in rows], pa.int64())}
    )
    risk = assess_risk(table, ["x", "y"])
    assert risk.class_sizes == Counter(Counter(rows).values())
    assert risk.rows == len(rows)


def test_frames_files_and_open_sources_give_the_same(people: pa.Table, tmp_path: Path) -> None:
    expected = assess_risk(people, ["age", "sex"], sensitive=["ill"])
    people.to_pandas().to_csv(tmp_path / "people.csv", index=False)
    pyarrow.parquet.write_table(people, tmp_path / "people.parquet")
    frames = [
        pd.DataFrame(PEOPLE),
        pl.DataFrame(PEOPLE),
        tmp_path / "people.csv",
        str(tmp_path / "people.parquet"),
    ]
    for data in [*frames, open_source(tmp_path / "people.csv")]:
        assert assess_risk(data, ["age", "sex"], sensitive=["ill"]) == expected


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_an_original_is_read_as_its_spec_says(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"people{suffix}"
    table = pa.table(
        {"born": ["01.02.1990", "1.2.1990", "NA", "-"], "size": ["1.000,5", "1000,5", "2", "2,0"]}
    )
    if suffix == ".csv":
        lines = [";".join(row) for row in zip(*table.to_pydict().values(), strict=True)]
        path.write_text("\n".join(["born;size", *lines]) + "\n", encoding="utf-8", newline="\n")
    else:
        pyarrow.parquet.write_table(table, path)
    spec = shoal.Spec(
        quasi_identifiers={"born": "suppress", "size": "suppress"},
        types={"born": {"date": "%d.%m.%Y"}, "size": {"decimal": ","}},
        privacy=[shoal.KAnonymity(2)],
        input=InputFormat(null_values=("NA", "-"), delimiter=";"),
    )
    # As text all four would differ: the first two are the same, and so are the last two.
    assert assess_risk(path, spec=spec).class_sizes == {2: 2}


def test_what_is_not_of_its_type_is_refused(people: pa.Table) -> None:
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress", "sex": "suppress"},
        sensitive=["ill"],
        types={"sex": "integer", "ill": "date"},
        privacy=[shoal.KAnonymity(2)],
    )
    with pytest.raises(InputError) as refused:
        assess_risk(people, spec=spec)
    assert len(refused.value.problems) == 2
    assert "flu" not in str(refused.value)


def test_a_population(people: pa.Table) -> None:
    population = pa.table(
        {"age": PEOPLE["age"] + ["80"] * 3 + ["34"], "sex": PEOPLE["sex"] + ["F"] * 3 + ["X"]}
    )
    risk = assess_risk(people, ["age", "sex"], population=population)
    assert risk.journalist.highest == 1
    assert risk.journalist.average == pytest.approx((5 + 1 / 4) / 10)
    assert risk.population_uniques is not None
    assert (risk.population_uniques.dankar, risk.population_uniques.model) == (4, "counted")
    assert risk.population_uniques.population == 14


def test_a_population_in_another_form(people: pa.Table, tmp_path: Path) -> None:
    population = pa.table({"sex": PEOPLE["sex"] * 2, "age": [int(age) for age in PEOPLE["age"] * 2]})
    pyarrow.parquet.write_table(population, tmp_path / "all.parquet")
    risk = assess_risk(people, ["age", "sex"], population=tmp_path / "all.parquet")
    assert risk.journalist.highest == 0.5
    assert risk.prosecutor.highest == 1


def test_a_population_without_the_people_is_refused(people: pa.Table) -> None:
    with pytest.raises(InputError, match="7 of 10 rows have quasi-identifiers that fewer people have"):
        assess_risk(people, ["age", "sex"], population=people.slice(0, 6))


def test_nobody_in_a_population() -> None:
    nobody = pa.table({"age": pa.array([], pa.int64())})
    risk = assess_risk(nobody, ["age"], population=pa.table({"age": [31, 52]}))
    assert (risk.rows, risk.journalist.highest) == (0, 0)
    assert risk.population_uniques is not None
    assert (risk.population_uniques.population, risk.population_uniques.dankar) == (2, 2)


def test_a_population_by_hierarchies_that_are_made_of_the_original() -> None:
    people = pa.table({"age": [20, 21, 22, 30, 31, 32, 40, 41]})
    spec = shoal.Spec(quasi_identifiers={"age": shoal.quantiles(2)}, privacy=[shoal.KAnonymity(4)])
    release = release_of(people, spec)
    twice = pa.concat_tables([people, people])
    both = compare_risk(people, release.table, spec=spec, population=twice, levels=release.levels)
    assert both.after.journalist.highest == 1 / 8


def test_a_sampling_fraction(people: pa.Table) -> None:
    risk = assess_risk(people, ["age", "sex"], sampling_fraction=0.5)
    # p ln(1/p) / (1-p) for a class of one.
    assert risk.journalist.highest == pytest.approx(0.6931471805599453)
    assert risk.population_uniques is not None
    assert risk.population_uniques.population == 20
    same = assess_risk(people, ["age", "sex"], population_size=20)
    assert same.population_uniques == risk.population_uniques


def release_of(table: pa.Table, spec: shoal.Spec) -> shoal.Release:
    return shoal.anonymize(table, spec, seed=1)


@pytest.fixture
def spec() -> shoal.Spec:
    return shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(20), "sex": "suppress"},
        sensitive=["ill"],
        types={"age": "integer"},
        privacy=[shoal.KAnonymity(2)],
        suppression=0.3,
        suppressed="star",
    )


def test_before_and_after(people: pa.Table, spec: shoal.Spec) -> None:
    release = release_of(people, spec)
    both = compare_risk(people, release.table, spec=spec, sampling_fraction=0.5, levels=release.levels)
    assert both.after.class_sizes == release.class_sizes
    assert release.suppressed_rows > 0
    assert (both.after.suppressed_rows, both.after.rows) == (0, 10)  # starred rows are a class
    assert both.before.population_uniques is not None
    assert both.after.population_uniques is not None
    assert both.before.population_uniques.population == both.after.population_uniques.population == 20
    assert both.before.attributes["ill"].prior == both.after.attributes["ill"].prior == 0.7


def test_a_population_is_generalized_as_the_release_is(people: pa.Table, spec: shoal.Spec) -> None:
    release = release_of(people, spec)
    twice = pa.concat_tables([people, people]).select(["age", "sex"])
    both = compare_risk(people, release.table, spec=spec, population=twice, levels=release.levels)
    assert both.before.journalist.highest == 0.5
    assert both.after.journalist.highest == pytest.approx(1 / (2 * min(release.class_sizes)))
    with pytest.raises(InputError, match="its levels are not known"):
        compare_risk(people, release.table, spec=spec, population=twice)
    with pytest.raises(InputError, match="by the hierarchies of a spec"):
        compare_risk(people, release.table, ["age", "sex"], population=twice)


def test_starred_rows_are_a_class_unless_they_are_left_out(spec: shoal.Spec) -> None:
    table = pa.table({"age": ["*"] * 3 + ["[20, 40)"] * 7, "sex": ["*"] * 3 + ["F"] * 7, "ill": ["flu"] * 10})
    assert assess_risk(table, ["age", "sex"]).class_sizes == {3: 1, 7: 1}
    assert assess_risk(table, ["age", "sex"], starred=1).class_sizes == {7: 1}
    assert assess_risk(table, ["age", "sex"], starred=0.2).class_sizes == {3: 1, 7: 1}
    assert assess_risk(table, ["age", "sex"], starred=1, starred_rows=2).class_sizes == {3: 1, 7: 1}
    found = assess_risk(table, spec=spec, released=True)
    assert (found.class_sizes, found.suppressed_rows, found.rows) == ({3: 1, 7: 1}, 0, 10)
    assert found.attributes["ill"].certain == 1


def test_everything_suppressed() -> None:
    table = pa.table({"qi": ["*", "*"], "s": ["x", "y"]})
    risk = assess_risk(table, ["qi"], sensitive=["s"], starred=1, sampling_fraction=0.5)
    assert (risk.rows, risk.suppressed_rows, risk.prosecutor.highest, risk.attributes) == (0, 2, 0, {})
    assert "Classes" in risk.render()


def test_people_are_counted_where_there_is_a_unit() -> None:
    visits = pa.table({"who": [1, 1, 1, 2, 3], "zip": ["a", "a", "a", "b", "b"], "ill": list("xyzxy")})
    risk = assess_risk(visits, ["zip"], unit="who", sensitive=["ill"])
    assert (risk.rows, risk.counted, risk.class_sizes) == (5, 3, {1: 1, 2: 1})
    assert risk.prosecutor.average == pytest.approx(2 / 3)
    assert risk.special is None
    with pytest.raises(InputError, match="'who', the unit, is NULL in 1 rows"):
        assess_risk(pa.table({"who": [1, None], "zip": ["a", "a"]}), ["zip"], unit="who")


VISITS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=15
)


@given(rows=VISITS, crowds=st.tuples(*[st.integers(6, 9)] * 3))
def test_everybody_counts_once(rows: list[tuple[int, str, str]], crowds: tuple[int, int, int]) -> None:
    """Figures of risk by loops over people: each by the class in which they are found most easily."""
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(("who", "zip", "ill"))})
    town = [label for label, crowd in zip("abc", crowds, strict=True) for _ in range(crowd)]
    risk = assess_risk(table, ["zip"], unit="who", sensitive=["ill"], threshold=0.4)
    known = assess_risk(table, ["zip"], unit="who", threshold=0.15, population=pa.table({"zip": town}))
    people = {who for who, _, _ in rows}
    members = {label: {who for who, of, _ in rows if of == label} for label in "abc"}
    chance = {who: max(1 / len(members[label]) for w, label, _ in rows if w == who) for who in people}
    assert (risk.people, risk.counted) == (len(people), len(people))
    assert risk.sample_uniques == sum(each == 1 for each in chance.values())
    assert risk.unique_share == risk.sample_uniques / len(people)
    assert risk.prosecutor.highest == known.prosecutor.highest == max(chance.values())
    assert risk.prosecutor.average == pytest.approx(sum(chance.values()) / len(people))
    assert risk.prosecutor.share_above == sum(each > 0.4 for each in chance.values()) / len(people)
    in_town = {who: max(1 / town.count(label) for w, label, _ in rows if w == who) for who in people}
    assert known.journalist.highest == max(in_town.values())
    assert known.marketer.average == pytest.approx(sum(in_town.values()) / len(people))
    assert known.marketer.share_above == sum(each > 0.15 for each in in_town.values()) / len(people)
    sure = {
        label
        for label, inside in members.items()
        if inside and any(inside == {w for w, of, v in rows if (of, v) == (label, value)} for value in "xyz")
    }
    certain = {who for who, label, _ in rows if label in sure}
    assert risk.attributes["ill"].certain == len(certain) / len(people)


def test_uniques_of_a_population_are_not_estimated_of_people_in_several_classes() -> None:
    visits = pa.table({"who": [1, 1, 2, 3], "zip": ["a", "b", "b", "b"]})
    risk = assess_risk(visits, ["zip"], unit="who", sampling_fraction=0.5)
    assert (risk.population_uniques, risk.journalist.basis) == (None, "sampling fraction")
    assert "rows in several classes" in risk.notes[0]
    with pytest.raises(InputError, match="People: 2; people of the table: 3"):
        assess_risk(visits, ["zip"], unit="who", population_size=2)
    assert assess_risk(visits, ["zip"], unit="who", population_size=3).people == 3


def test_who_a_row_is_about_may_be_given_beside_a_release() -> None:
    spec = shoal.Spec(quasi_identifiers={"unit": "suppress"}, unit="who", privacy=[shoal.KAnonymity(1)])
    release = pa.table({"unit": ["a", "a", "a"]})
    risk = assess_risk(release, spec=spec, released=True, units=pa.array([1, 1, 2]))
    assert (risk.class_sizes, risk.unit, risk.notes[:-1]) == ({2: 1}, "who", ())
    with pytest.raises(InputError, match="Found: 1 units for 3 rows"):
        assess_risk(release, spec=spec, released=True, units=pa.array([1]))


def test_what_is_not_measured_is_not_said_to_be_0() -> None:
    """Everybody is alone before; by which columns is only computed where rows are counted."""
    ages = list(range(20, 40))
    people = pa.table({"age": ages * 2, "person": list(range(20)) * 2})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)}, unit="person", privacy=[shoal.KAnonymity(5)]
    )
    both = compare_risk(people, shoal.anonymize(people, spec).table, spec=spec)
    assert both.header == ("", "Before", "After, by rows")
    before = {name: figure for name, figure, _ in both.facts()}
    assert before["People alone in their class"] == "20 (100.00%)"
    assert before["Rows singled out by 1 column, no fewer"] == "-"


def test_a_release_without_its_unit_is_counted_in_rows() -> None:
    spec = shoal.Spec(quasi_identifiers={"zip": "suppress"}, unit="who", privacy=[shoal.KAnonymity(1)])
    release = pa.table({"zip": ["a", "a"]})
    risk = assess_risk(release, spec=spec, released=True)
    assert (risk.class_sizes, risk.unit) == ({2: 1}, None)
    assert "Rows of the release are counted" in risk.notes[0]
    told = assess_risk(release.append_column("who", pa.array([1, 1])), spec=spec, released=True)
    assert (told.class_sizes, told.unit) == ({1: 1}, "who")


def test_all_missing_columns_at_once(people: pa.Table, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        assess_risk(people, ["age", "agee", "sexx"], sensitive=["il"])
    assert [p.message.splitlines()[0] for p in refused.value.problems] == [
        f"Column {name!r} is not in the table." for name in ("agee", "sexx", "il")
    ]
    assert "Did you mean 'ill'?" in str(refused.value)


def test_what_is_wrong_of_all_tables_at_once(people: pa.Table, spec: shoal.Spec) -> None:
    with pytest.raises(InputError) as refused:
        compare_risk(
            people.drop_columns(["ill"]),
            people.drop_columns(["sex"]),
            spec=spec,
            population=people.drop_columns(["age"]),
            threshold=2,
        )
    assert [p.message.splitlines()[0] for p in refused.value.problems] == [
        "The threshold must be a probability: above 0, at most 1.",
        "Column 'ill' is not in the table.",
        "Column 'sex' is not in the release.",
        "A population is generalized as the release is, and its levels are not known.",
        "Column 'age' is not in the population 'pyarrow Table'.",
    ]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"threshold": 0.0}, "The threshold must be a probability"),
        ({"sampling_fraction": 1.5}, "sampling fraction must be the share"),
        ({"sampling_fraction": 0.0}, "sampling fraction must be the share"),
        ({"population_size": 5}, "smaller than the table"),
        ({"population_size": 50, "sampling_fraction": 0.5}, "Give one of these alone"),
        ({"population": pa.table(PEOPLE), "sampling_fraction": 0.5}, "Give one of these alone"),
        ({"largest_subset": 0}, "at least 1 column"),
        ({"sensitive": ["age"]}, "age"),
    ],
)
def test_wrong_parameters(people: pa.Table, wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        assess_risk(people, ["age", "sex"], **wrong)  # type: ignore[arg-type]


def test_columns_are_said_once(people: pa.Table, spec: shoal.Spec) -> None:
    for columns in ((), "age", None):
        with pytest.raises(InputError, match="No quasi-identifiers given"):
            assess_risk(people, columns)
    with pytest.raises(InputError, match="more than once: age"):
        assess_risk(people, ["age", "age"])
    with pytest.raises(InputError, match="a spec, and columns beside it"):
        assess_risk(people, ["age"], spec=spec)


def test_ctrl_c_while_classes_are_numbered(people: pa.Table) -> None:
    with pytest.raises(KeyboardInterrupt), open_classes(people, ["age", "sex"]) as classes:

        class Interrupted:
            """A connection as DuckDB leaves it when Ctrl-C comes while it hands over rows."""

            def execute(self, sql: str) -> Interrupted:
                return self

            def fetchall(self) -> list[object]:
                return []

            def fetchnumpy(self) -> None:
                raise RuntimeError("Query interrupted")

        runner = LocalDuckDB(Interrupted(), "people", "table")  # type: ignore[arg-type]
        relation = replace(classes.relation, runner=runner)
        replace(classes, relation=relation).codes()


def test_a_listener_hears_of_the_steps(people: pa.Table) -> None:
    heard: list[Event] = []
    assess_risk(people, ["age", "sex"], listener=heard.append)
    assert [event.step for event in heard if isinstance(event, StepStarted)] == [
        "classes",
        "1 of 2 columns",
        "2 of 2 columns",
        "values",
    ]


def test_plain_values_and_text(people: pa.Table, spec: shoal.Spec) -> None:
    both = compare_risk(people, release_of(people, spec).table, spec=spec)
    assert isinstance(both, RiskComparison)
    plain = json.loads(json.dumps(both.to_mapping(), allow_nan=False))
    assert plain["before"]["class_sizes"] == {"1": 4, "2": 1, "4": 1}
    assert plain["after"]["prosecutor"]["highest"] == both.after.prosecutor.highest
    text = both.render()
    assert "Before" in text
    assert "Prosecutor risk, highest" in text
    for value in ("67", "80"):  # ages of single people
        assert f" {value} " not in text
