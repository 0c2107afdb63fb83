"""Tables with what models look at beside the quasi-identifiers, and everything that is wrong with them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe import HierarchyFile, QuasiIdentifier, Sensitive, intervals, prefix, suppress
from shoal.encode.table import CodedTable, code_table
from shoal.errors import InputError
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity


def table_of(**columns: Any) -> pa.Table:
    """Return a table whose columns are dictionary arrays but for `disease` and `patient`."""
    plain = ("disease", "patient")
    return pa.table(
        {
            name: values if name in plain else pa.array(values).dictionary_encode()
            for name, values in columns.items()
        }
    )


def qi(hierarchy: Any, **settings: Any) -> QuasiIdentifier:
    return QuasiIdentifier(hierarchy=hierarchy, **settings)


def problems(*arguments: Any, **settings: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        code_table(*arguments, **settings)
    return [problem.message for problem in caught.value.problems]


VALUES = st.lists(st.none() | st.integers(0, 30), min_size=1, max_size=20)


@given(mine=VALUES, others=st.lists(VALUES, max_size=2), as_text=st.booleans())
def test_a_population_has_the_codes_of_the_table(
    mine: list[int | None], others: list[list[int | None]], as_text: bool
) -> None:
    kind = pa.string() if as_text else pa.int64()
    populations = {
        str(i): pa.table({"age": pa.array(other, pa.int64()).cast(kind).dictionary_encode()})
        for i, other in enumerate(others)
    }
    table = pa.table({"age": pa.array(mine, pa.int64()).dictionary_encode()})
    coded = code_table(table, {"age": qi(intervals(10))}, populations=populations)
    (column,) = coded.columns
    values = column.labels[0].to_pylist()
    assert [values[code] for code in column.codes] == mine
    for i, other in enumerate(others):
        population = coded.populations[str(i)]
        assert [values[code] for code in population.codes[0]] == other
        assert population.rows == len(other)
    assert set(values) == {value for some in (mine, *others) for value in some}
    counts = Counter(mine)
    assert column.counts.tolist() == [counts[value] for value in values]
    # The labels are those that the values have when they are coded alone, as one table.
    together = [value for some in (mine, *others) for value in some]
    whole = code_table(
        pa.table({"age": pa.array(together, pa.int64()).dictionary_encode()}), {"age": qi(intervals(10))}
    ).columns[0]
    for level in range(column.height + 1):
        labels = whole.labels[level].take(pa.array(whole.maps[level])).to_pylist()
        alone = dict(zip(whole.labels[0].to_pylist(), labels, strict=True))
        found = column.labels[level].take(pa.array(column.maps[level])).to_pylist()
        assert found == [alone[value] for value in values]


def test_a_dictionary_may_hold_values_that_no_row_has() -> None:
    odd = pa.DictionaryArray.from_arrays([0, 0, None], ["Ulm", "Bonn"])
    other = pa.DictionaryArray.from_arrays([1, 1], ["Kiel", "Rome"])
    coded = code_table(
        pa.table({"town": odd}), {"town": qi(suppress())}, populations={"p": pa.table({"town": other})}
    )
    assert set(coded.columns[0].labels[0].to_pylist()) == {"Ulm", "Rome", None}


def test_types_that_differ_are_reconciled() -> None:
    table = table_of(zip=["01234", "53715"], age=[34, 51], born=pa.array([1, 2], pa.date32()))
    population = pa.table(
        {
            "zip": pa.array(["53715", "01234"], pa.large_string()).cast(pa.string()).dictionary_encode(),
            "age": pa.array(["51", "034"]).dictionary_encode(),
            "born": pa.array(["1970-01-03", "1970-01-02"]).dictionary_encode(),
        }
    )
    names = dict.fromkeys(["zip", "age", "born"], qi(suppress()))
    coded = code_table(table, names, populations={"p": population})
    for column, codes in zip(coded.columns, coded.populations["p"].codes, strict=True):
        assert codes.tolist() == column.codes[::-1].tolist()


def test_everything_wrong_comes_at_once(tmp_path: Path) -> None:
    (tmp_path / "town.csv").write_text("Ulm;*\nBonn;*\n", encoding="utf-8")
    (tmp_path / "disease.csv").write_text("flu;*\n", encoding="utf-8")
    table = table_of(
        age=[31, 35, 47, None],
        town=["Ulm", "Ulm", "Bonn", "Bonn"],
        zip=["1", "2", "3", "4"],
        disease=["flu", "gout", "secret", None],
        patient=["a", None, "b", None],
    ).append_column("pay", [["1", None, "3", "4"]])
    population = table_of(age=["31", "elderly", "x"], town=["Ulm", "Ulm", "Kiel"], zip=["1", None, None])
    census = KMap(3, tmp_path / "census.csv")
    found = problems(
        table,
        {
            "age": qi(intervals(10), null="forbid"),
            "town": qi(HierarchyFile(tmp_path / "town.csv")),
            "zip": qi(prefix(), null="forbid"),
        },
        sensitive={
            "disease": Sensitive(hierarchy=HierarchyFile(tmp_path / "disease.csv")),
            "pay": Sensitive(null="forbid"),
        },
        attributes=["disease"],
        unit="patient",
        populations={census.population.key: population},
        models=[LDiversity("disease", 9), census],
    )
    assert [message.partition("\n")[0] for message in found] == [
        "Column 'age': NULL in 1 of 4 rows, but the spec says `null: forbid`.",
        "Column 'age' of the population 'census.csv': 2 values are not of the table's type, int64.",
        "Column 'town' of the population 'census.csv': the hierarchy 'town.csv' lacks 1 value "
        "that the table has.",
        "Column 'zip' of the population 'census.csv': NULL in 2 of 3 rows, but the spec says `null: forbid`.",
        "Column 'disease': the hierarchy 'disease.csv' lacks 2 values that the table has.",
        "Column 'pay': NULL in 1 of 4 rows, but the spec says `null: forbid`.",
        "Column 'patient', the unit, is NULL in 2 of 4 rows.",
    ]
    for secret in ("elderly", "Kiel", "secret"):
        assert secret not in "\n".join(found)


def test_values_that_both_tables_lack_are_told_of_each(tmp_path: Path) -> None:
    (tmp_path / "town.csv").write_text("Ulm;*\n", encoding="utf-8")
    found = problems(
        table_of(town=["Ulm", "Bonn"]),
        {"town": qi(HierarchyFile(tmp_path / "town.csv"))},
        populations={"p": table_of(town=["Kiel", "Rome"])},
    )
    assert [message.partition(":")[0] for message in found] == [
        "Column 'town'",
        "Column 'town' of the population 'p'",
    ]


def test_models_are_asked_for_all_that_could_be_coded() -> None:
    census = KMap(9, "census.csv")
    found = problems(
        table_of(age=[1, 2], disease=["flu", None]),
        {"age": qi(suppress())},
        sensitive={"disease": Sensitive()},
        attributes=["disease"],
        populations={census.population.key: table_of(age=[1, 1])},
        models=[census, LDiversity("disease", 3), LDiversity("disease", 2)],
    )
    assert len(found) == 3
    assert "1 of 2 rows have quasi-identifiers that nobody in the population has" in found[0]
    assert "no class can have that many people" in found[1]
    assert "'disease' has 2, so no class can have more" in found[2]


def test_attributes_and_units() -> None:
    table = table_of(
        age=[31, 35, 47, 31], disease=["flu", None, "gout", "flu"], patient=pa.array(["x", "y", "x", "z"])
    )
    coded = code_table(
        table,
        {"age": qi(suppress())},
        sensitive={"disease": Sensitive(hierarchy=prefix(1))},
        attributes=["disease", "patient"],
        unit="patient",
    )
    disease = coded.attributes["disease"]
    values = disease.labels[0].to_pylist()
    assert [values[code] for code in disease.codes] == ["flu", None, "gout", "flu"]
    assert dict(zip(values, disease.counts.tolist(), strict=True)) == {"flu": 2, "gout": 1, None: 1}
    assert disease.height == 1
    assert coded.units is not None
    assert coded.units.dtype == np.uint32
    assert coded.units.tolist() == [0, 1, 0, 2]
    assert len(coded.attributes["patient"].counts) == 3


def test_a_unit_that_is_a_quasi_identifier() -> None:
    coded = code_table(table_of(age=[7, 8, 7]), {"age": qi(suppress())}, unit="age")
    assert isinstance(coded, CodedTable)
    assert coded.units is not None
    assert coded.units.tolist() == [0, 1, 0]


def test_a_column_that_cannot_be_compared() -> None:
    found = problems(
        table_of(age=[1], disease=pa.array([["a"]])),
        {"age": qi(suppress())},
        sensitive={"disease": Sensitive()},
        attributes=["disease"],
        models=[LDiversity("disease", 1)],
    )
    assert found == [
        "Column 'disease' has values that cannot be compared.\nFound: list<item: string>.\n"
        "Turn it into text, numbers or dates, or use it neither as a quasi-identifier nor in a model."
    ]
