"""`recoding: partition`, judged in plain Python on tables that hypothesis draws."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InputError

BUCKETS = ("value", {"beta-likeness": {"beta": 2}}, {"t-closeness": {"t": 0.3}}, {"incognito": {"beta": 2}})
DIVIDERS = ("cuts", {"cuts": {"cut": "even"}}, "curve", "nearest")
DISEASES = {"heart": ["angina", "stroke"], "lung": ["asthma", "flu"]}
LEAVES = [leaf for leaves in DISEASES.values() for leaf in leaves]


@st.composite
def tables(draw: st.DrawFn, most: int = 60) -> pa.Table:
    rows = draw(st.integers(4, most))
    columns = {
        "age": st.one_of(st.integers(20, 45), st.none()),
        "sex": st.sampled_from("FM"),
        "job": st.sampled_from(["cook", "clerk", "smith", None]),
        "disease": st.sampled_from(LEAVES),
    }
    return pa.table({name: [draw(values) for _ in range(rows)] for name, values in columns.items()})


def spec_of(recoding: Any, *models: Any, **others: Any) -> shoal.Spec:
    return shoal.Spec(
        quasi_identifiers=dict.fromkeys(("age", "sex", "job"), "suppress"),
        sensitive={"disease": shoal.taxonomy(DISEASES)},
        privacy=models,
        recoding=recoding,
        **others,
    )


def classes_of(released: pa.Table) -> dict[tuple[Any, ...], list[str]]:
    found = defaultdict(list)
    for row in released.to_pylist():
        found[row["age"], row["sex"], row["job"]].append(row["disease"])
    return found


def most_allowed(share: float, beta: float) -> float:
    return share * (1 + min(beta, -math.log(share)))


@pytest.mark.parametrize(("buckets", "divide"), list(product(BUCKETS, DIVIDERS)))
@settings(max_examples=6, deadline=None)
@given(table=tables(), beta=st.sampled_from([0.5, 1, 2]), k=st.integers(1, 4))
def test_no_class_misses_its_bound(buckets: Any, divide: Any, table: pa.Table, beta: float, k: int) -> None:
    recoding = {"partition": {"buckets": buckets, "divide": divide}}
    spec = spec_of(recoding, shoal.KAnonymity(k), shoal.BetaLikeness("disease", beta))
    released = shoal.anonymize(table, spec).table
    assert Counter(released.column("disease").to_pylist()) == Counter(table.column("disease").to_pylist())
    whole = Counter(table.column("disease").to_pylist())
    for members in classes_of(released).values():
        assert len(members) >= k
        for disease, count in Counter(members).items():
            share = whole[disease] / table.num_rows
            assert count / len(members) <= most_allowed(share, beta) + 1e-9


def covers(label: Any, value: Any) -> bool:
    """Read a label as a recipient does."""
    text = "NULL" if value is None else str(value)
    if label is None or label == "*":
        return label == "*" or value is None
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return value is not None and int(low) <= value <= int(high)
    return text in label[1:-1].split(", ") if label.startswith("{") else text == label


@given(table=tables(), t=st.sampled_from([0.1, 0.3]))
def test_every_row_is_in_a_class_that_covers_it(table: pa.Table, t: float) -> None:
    spec = spec_of("partition", shoal.TCloseness("disease", t, "equal"))
    released = shoal.anonymize(table, spec, keep_order=True).table
    for before, after in zip(table.to_pylist(), released.to_pylist(), strict=True):
        assert before["disease"] == after["disease"]
        for name in ("age", "sex", "job"):
            assert covers(None if after[name] is None else str(after[name]), before[name])


@given(table=tables(40), copies=st.integers(1, 9), beta=st.sampled_from([0.5, 1]))
def test_engines_make_the_same_classes(table: pa.Table, copies: int, beta: float) -> None:
    """Also of rows that are equal: DuckDB counts them, and deals them out to parts itself."""
    spec = spec_of("partition", shoal.KAnonymity(2), shoal.BetaLikeness("disease", beta))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "many.parquet"
        pyarrow.parquet.write_table(pa.concat_tables([table] * copies), path)
        one, other = (shoal.anonymize(path, spec, engine=engine) for engine in ("memory", "duckdb"))
        rows = [sorted(map(str, release.table.to_pylist())) for release in (one, other)]
    assert one.score == other.score
    assert rows[0] == rows[1]


@settings(max_examples=10, deadline=None)
@given(table=tables(40), copies=st.integers(1, 5), least=st.integers(1, 2))
def test_engines_make_the_same_classes_above_a_least_level(table: pa.Table, copies: int, least: int) -> None:
    """Rows are equal by the lowest labels that may be released, whatever their values."""
    age = shoal.QuasiIdentifier(hierarchy=shoal.intervals(5, 10), min_level=least)
    spec = spec_of("partition", shoal.KAnonymity(2), shoal.BetaLikeness("disease", 1))
    spec = replace(spec, quasi_identifiers={**spec.quasi_identifiers, "age": age})
    with TemporaryDirectory() as folder:
        path = Path(folder) / "many.parquet"
        pyarrow.parquet.write_table(pa.concat_tables([table] * copies), path)
        one, other = (shoal.anonymize(path, spec, engine=engine) for engine in ("memory", "duckdb"))
        rows = [sorted(map(str, release.table.to_pylist())) for release in (one, other)]
    assert one.score == other.score
    assert rows[0] == rows[1]


@given(table=tables(), order=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(table: pa.Table, order: Any) -> None:
    spec = spec_of("partition", shoal.TCloseness("disease", 0.3, "equal"))
    places = list(range(table.num_rows))
    order.shuffle(places)
    released = [shoal.anonymize(rows, spec).table.to_pylist() for rows in (table, table.take(places))]
    assert sorted(map(str, released[0])) == sorted(map(str, released[1]))


@given(table=tables(), beta=st.sampled_from([0.5, 1, 2]))
def test_it_loses_no_more_than_what_looks_at_no_sensitive_value(table: pa.Table, beta: float) -> None:
    def loss(recoding: Any) -> float:
        return shoal.anonymize(table, spec_of(recoding, shoal.BetaLikeness("disease", beta))).score

    others = [{"mondrian": {"labels": "fitting"}}, "full-domain"]
    assert loss("partition") <= min(map(loss, others)) + 1e-12


def test_it_loses_no_more_than_mondrian_where_equal_rows_are_dealt_out() -> None:
    """To cut the parts of equal rows is another division than to cut tuples: it lost 0.486, not 0.479."""
    ages = (
        "31 24 29 28 31 26 24 23 21 30 22 28 30 20 35 24 25 28 21 35 30 34 23 22 35 23 30 34 - 26 20 27 28 28"
    )
    table = pa.table(
        {
            "age": [None if age == "-" else int(age) for age in [*ages.split(), "27", "28", "-"]],
            "sex": list("FMMMMMXMXXMFXMMMXFFMMFFFXFXFFMMXFMFFM"),
            "zone": list("bcaccdbaddbcbbdcdaaaacaacdcdcdcbdabab"),
        }
    )
    spec = shoal.Spec(
        quasi_identifiers={
            "age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(5, 10), weight=3, min_level=1),
            "sex": "suppress",
            "zone": shoal.taxonomy({"p": ["a", "b"], "q": ["c", "d"]}),
        },
        privacy=[shoal.KAnonymity(4)],
    )
    partition, mondrian = (
        shoal.anonymize(table, spec, recoding={name: {"labels": "ranges"}}).score
        for name in ("partition", "mondrian")
    )
    assert partition <= mondrian + 1e-12


def test_classes_of_mondrian_are_compared_too() -> None:
    """They are of quasi-identifiers alone, and nothing else is said of them."""
    table = pa.table(
        {
            "age": [50, 59, 54, 20, 36, 33, 23, 30, 22, 20, 40, 22, 21, 22, 22, 51, 20, 51, 21, 26],
            "sex": list("MMMMMFMMMFMMFMMMMMMF"),
            "job": list("bbcbaabaaabbcbdbccca"),
            "disease": [{"f": "flu", "a": "asthma", "s": "stroke"}[of] for of in "fasafsfffasafaasasaf"],
        }
    )
    models = shoal.KAnonymity(5), shoal.LDiversity("disease", 2)
    one, other = (
        shoal.anonymize(table, spec_of({name: {"labels": "ranges"}}, *models))
        for name in ("partition", "mondrian")
    )
    assert one.score == other.score
    assert classes_of(one.table).keys() == classes_of(other.table).keys()
    assert not any("depend on its disease" in note for note in one.notes)


def test_equal_rows_go_to_several_classes() -> None:
    """Whoever is 40 had a stroke, and every class needs as many of these as of the others."""
    ages = [20] * 6 + [30] * 6 + [40] * 12
    diseases = ["flu"] * 12 + ["stroke"] * 12
    table = pa.table({"age": ages, "sex": ["F"] * 24, "job": ["cook"] * 24, "disease": diseases})
    release = shoal.anonymize(table, spec_of("partition", shoal.TCloseness("disease", 0, "equal")))
    assert release.audit.holds
    found = classes_of(release.table)
    assert {age for age, _, _ in found} == {"[20, 40]", "[30, 40]"}
    assert all(Counter(members) == {"flu": 6, "stroke": 6} for members in found.values())
    assert any("may depend on its disease" in note for note in release.notes)


@settings(max_examples=10, deadline=None)
@given(table=tables(40), people=st.integers(2, 12))
def test_nobodys_rows_are_counted_twice(table: pa.Table, people: int) -> None:
    numbered = table.append_column("who", pa.array([number % people for number in range(table.num_rows)]))
    spec = replace(spec_of("partition", shoal.KAnonymity(2)), unit="who", identifiers=["who"])
    released = shoal.anonymize(numbered, spec, keep_order=True).table
    who = defaultdict(set)
    for row, person in zip(released.to_pylist(), numbered.column("who").to_pylist(), strict=True):
        who[row["age"], row["sex"], row["job"]].add(person)
    assert all(len(found) >= 2 for found in who.values())


def test_any_number_of_threads_makes_the_same_classes() -> None:
    draw = np.random.default_rng(5)
    table = pa.table(
        {
            "age": draw.integers(18, 90, 6000),
            "sex": draw.choice(list("FM"), 6000),
            "job": draw.choice([f"job {n}" for n in range(30)], 6000),
            "disease": draw.choice(LEAVES, 6000, p=[0.6, 0.3, 0.07, 0.03]),
        }
    )
    for cut in ("gain", "even", "median"):
        spec = spec_of({"partition": {"divide": {"cuts": {"cut": cut}}}}, shoal.BetaLikeness("disease", 0.5))
        rows = [
            sorted(map(str, shoal.anonymize(table, spec, threads=threads).table.to_pylist()))
            for threads in (1, 2, 5)
        ]
        assert rows[0] == rows[1] == rows[2]


def test_every_problem_at_once() -> None:
    with pytest.raises(InputError) as error:
        spec_of({"partition": {"buckets": "valu", "divide": {"cuts": {"cut": "odd"}}, "labels": "words"}})
    said = str(error.value)
    assert "Did you mean 'value'?" in said
    assert "cut must be one of best, gain, even, median" in said
    assert "labels must be one of" in said


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (spec_of({"partition": {"column": "job"}}, shoal.KAnonymity(2)), "Such columns: none"),
        (spec_of("partition", shoal.KAnonymity(2), choose_by="quasi-identifiers"), "choose-by"),
        (
            spec_of(
                "partition", shoal.KMap(2, population=pa.table({"age": [1], "sex": ["F"], "job": ["x"]}))
            ),
            "a population lacks",
        ),
    ],
)
def test_what_it_cannot_serve_is_refused(spec: shoal.Spec, words: str) -> None:
    table = pa.table({"age": [1, 2], "sex": ["F", "M"], "job": ["x", "y"], "disease": ["flu", "flu"]})
    with pytest.raises(InputError, match=words):
        shoal.anonymize(table, spec)
