"""Recoding against plain Python, row by row."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.describe.hierarchies.intervals import intervals
from shoal.describe.hierarchies.suppress import suppress
from shoal.describe.roles import QuasiIdentifier
from shoal.encode.table import CodedTable, code_table
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity
from shoal.recode.full_domain import FullDomain
from shoal.recode.released_classes import Verdict
from shoal.recode.rows import recode


def coded(**columns: tuple[pa.Array, object]) -> CodedTable:
    table = pa.table({name: values.dictionary_encode() for name, (values, _) in columns.items()})
    return code_table(table, {name: QuasiIdentifier(hierarchy=h) for name, (_, h) in columns.items()})


def judged(table: CodedTable, levels: list[int], k: int) -> Verdict:
    return Verdict.of(table, FullDomain.at(table, levels), [KAnonymity(k)])


def numbered(rows: int) -> pa.Table:
    return pa.table({"row": pa.array(range(rows), pa.int64())})


AGES = st.lists(st.one_of(st.none(), st.integers(0, 25)), min_size=1, max_size=30)


@settings(deadline=None)
@given(ages=AGES, data=st.data(), k=st.integers(1, 4), star=st.booleans(), seed=st.integers(0, 9))
def test_agrees_with_plain_python(ages, data, k, star, seed):
    sexes = data.draw(st.lists(st.sampled_from(["F", "M", "", None]), min_size=len(ages), max_size=len(ages)))
    level_age, level_sex = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 1))

    def label(row: int) -> tuple[object, object]:
        age, sex = ages[row], sexes[row]
        low = None if age is None else age // 10 * 10
        age = [age, None if low is None else f"[{low}, {low + 10})", "*"][level_age]
        return age, [sex, "*"][level_sex]

    counts = Counter(map(label, range(len(ages))))
    table = coded(
        age=(pa.array(ages, pa.int64()), intervals(10)), sex=(pa.array(sexes, pa.string()), suppress())
    )
    verdict = Verdict.of(table, FullDomain.at(table, [level_age, level_sex]), [KAnonymity(k)])
    recoded = recode(
        verdict,
        numbered(len(ages)),
        columns=["sex", "row", "age"],
        suppressed="star" if star else "remove",
        key=bytes([seed]),
    )
    expected = {row: label(row) for row in range(len(ages)) if counts[label(row)] >= k}
    lost = len(ages) - len(expected)
    if star:
        text = {row: (None if age is None else str(age), sex) for row, (age, sex) in expected.items()}
        expected = {row: text.get(row, ("*", "*")) for row in range(len(ages))}
    found = {row["row"]: (row["age"], row["sex"]) for row in recoded.table.to_pylist()}
    assert found == expected
    assert recoded.table.column_names == ["sex", "row", "age"]
    assert verdict.suppressed_rows == lost
    assert verdict.class_sizes == Counter(size for size in counts.values() if size >= k)
    assert sum(verdict.class_sizes.values()) == sum(size >= k for size in counts.values())


def test_level_0_keeps_its_type():
    table = coded(
        age=(pa.array([30, 30, None], pa.int16()), intervals(10)), sex=(pa.array(["F", "F", "F"]), suppress())
    )
    recoded = recode(
        Verdict.of(table, FullDomain.at(table, [0, 0]), [KAnonymity(1)]), numbered(3), columns=["age", "sex"]
    )
    assert recoded.table.schema.field("age").type == pa.int16()
    assert recoded.table["age"].to_pylist() == [30, 30, None]


@pytest.mark.parametrize("suppressed", ["remove", "star"])
def test_dictionaries_hold_no_label_of_suppressed_rows(suppressed):
    ages = pa.array([31, 34, 77, None, 35])
    table = coded(
        age=(ages, intervals(10)), town=(pa.array(["Ulm", "Ulm", "Rome", "Bonn", "Ulm"]), suppress())
    )
    verdict = Verdict.of(table, FullDomain.at(table, [1, 0]), [KAnonymity(2)])
    recoded = recode(verdict, numbered(5), columns=["age", "town"], suppressed=suppressed)
    star = ["*"] if suppressed == "star" else []
    age, town = (recoded.table[name].chunk(0).dictionary.to_pylist() for name in ("age", "town"))
    assert (age, town) == ([*star, "[30, 40)"], [*star, "Ulm"])


def test_dictionaries_do_not_tell_the_order_of_the_input():
    towns = ["Ulm", "Bonn", "Rome"]
    for order in permutations(towns):
        table = coded(town=(pa.array(order), suppress()))
        recoded = recode(
            Verdict.of(table, FullDomain.at(table, [0]), [KAnonymity(1)]), numbered(3), columns=["town"]
        )
        assert recoded.table["town"].chunk(0).dictionary.to_pylist() == sorted(towns)


def test_a_star_that_is_already_a_label_is_not_there_twice():
    table = coded(age=(pa.array([31, 34, 77]), intervals(10)), sex=(pa.array(["F", "F", "M"]), suppress()))
    verdict = Verdict.of(table, FullDomain.at(table, [1, 1]), [KAnonymity(2)])
    recoded = recode(verdict, numbered(3), columns=["age", "sex"], suppressed="star")
    assert recoded.table["sex"].chunk(0).dictionary.to_pylist() == ["*"]
    assert recoded.table["age"].to_pylist() == ["[30, 40)", "[30, 40)", "*"]


def test_without_a_generator_the_order_stays():
    table = coded(sex=(pa.array(["F", "F", "M", "F"]), suppress()))
    recoded = recode(
        Verdict.of(table, FullDomain.at(table, [0]), [KAnonymity(2)]), numbered(4), columns=["row"]
    )
    assert recoded.table["row"].to_pylist() == [0, 1, 3]


PERSON = st.tuples(st.integers(0, 25), st.sampled_from(["flu", "gout", None]), st.integers(0, 6))


@settings(deadline=None)
@given(
    people=st.lists(PERSON, min_size=1, max_size=25),
    others=st.lists(st.integers(0, 40), max_size=25),
    k=st.integers(1, 4),
    level=st.integers(0, 2),
    by_unit=st.booleans(),
)
def test_classes_are_judged_by_all_models(people, others, k, level, by_unit):
    ages, diseases, units = zip(*people, strict=True)
    everybody = [*ages, *others]
    population = KMap(k + 1, "town.csv").population
    coded = code_table(
        pa.table(
            {
                "age": pa.array(ages).dictionary_encode(),
                "disease": pa.array(diseases),
                "unit": pa.array(units),
            }
        ),
        {"age": QuasiIdentifier(hierarchy=intervals(10))},
        attributes=["disease"],
        unit="unit" if by_unit else None,
        populations={population.key: pa.table({"age": pa.array(everybody).dictionary_encode()})},
    )
    models = [
        KAnonymity(k),
        LDiversity("disease", 2),
        KMap(k + 1, population),
        DeltaPresence(population, 0.0, 0.8),
    ]
    verdict = Verdict.of(coded, FullDomain.at(coded, [level]), models)
    recoded = recode(verdict, numbered(len(ages)), columns=["age", "row"])

    def label(age: int) -> object:
        low = age // 10 * 10
        return [age, f"[{low}, {low + 10})", "*"][level]

    larger = Counter(map(label, everybody))
    expected = {}
    for name in set(map(label, ages)):
        rows = [row for row in range(len(ages)) if label(ages[row]) == name]
        size = len({units[row] for row in rows}) if by_unit else len(rows)
        who = units if by_unit else range(len(ages))
        having = [len({who[row] for row in rows if diseases[row] == value}) for value in set(diseases)]
        diverse = max(having) < size  # no value is everybody's
        if size >= k and diverse and larger[name] >= k + 1 and size / larger[name] <= 0.8:
            expected |= dict.fromkeys(rows, name)
    found = dict(zip(recoded.table["row"].to_pylist(), recoded.table["age"].to_pylist(), strict=True))
    assert found == expected
    assert recoded.rows.tolist() == recoded.table["row"].to_pylist()
    assert verdict.suppressed_rows == len(ages) - len(expected)
    assert verdict.class_sizes == Counter(Counter(expected.values()).values())
    assert sum(map(int, verdict.lost[0])) == verdict.suppressed_rows
