"""Values of every type keep their meaning, and come back as they were, whatever table they are in."""

import datetime
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal

MOMENT = datetime.datetime(2026, 1, 31, 12, 30, 15, 250_000)
COLUMNS = {
    "text": pa.array(["a", "A", "", None]),
    "large text": pa.array(["a", "ä", None], pa.large_string()),
    "text views": pa.array(["a", "ä", None], pa.string_view()),
    "int8": pa.array([1, -2, None], pa.int8()),
    "int64": pa.array([2**60 + 1, 2**60, None]),
    "uint64": pa.array([2**64 - 1, 2**63], pa.uint64()),
    "decimal": pa.array([Decimal("1.10"), Decimal("2.00"), None]),
    "short decimal": pa.array([Decimal("1.10"), None], pa.decimal32(5, 2)),
    "float": pa.array([0.0, 0.1, None]),
    "float32": pa.array([0.1, 1e20, None], pa.float32()),
    "float16": pa.array([np.float16(0.1), np.float16(1.5), None], pa.float16()),
    "boolean": pa.array([True, False]),
    "date": pa.array([datetime.date(2026, 1, 31), datetime.date(1850, 2, 3), None]),
    "timestamp": pa.array([MOMENT, None]),
    "nanoseconds": pa.array([1, 2, None], pa.timestamp("ns")),
    "zoned": pa.array([MOMENT, None], pa.timestamp("us", "Europe/Berlin")),
    "time": pa.array([datetime.time(1, 2, 3), None], pa.time64("us")),
    "duration": pa.array([datetime.timedelta(1, 3), datetime.timedelta(-1), None]),
    "category": pa.array(["S", "L", None]).dictionary_encode(),
}
TABLES = {
    "arrow": lambda table, path: table,
    "parquet": lambda table, path: pq.write_table(table, path) or path,
    "polars": lambda table, path: pl.from_arrow(table),
    "pandas": lambda table, path: table.to_pandas(),
    "pandas on arrow": lambda table, path: table.to_pandas(types_mapper=pd.ArrowDtype),
}


def contents(data):
    """Return the dtypes of a table and its rows, in any order."""
    if isinstance(data, pd.DataFrame):
        rows, kinds = [data[name].to_list() for name in data], list(data.dtypes)
    elif isinstance(data, pl.DataFrame):
        rows, kinds = [data[name].to_list() for name in data.columns], data.dtypes
    else:
        table = data if isinstance(data, pa.Table) else pq.read_table(data)
        rows, kinds = [column.to_pylist() for column in table.columns], table.schema.types
    return [str(kind) for kind in kinds], sorted(map(repr, zip(*rows, strict=True)))


def intact(**roles):
    """Return a spec that keeps column `a` as it is, and compares `s` with the original."""
    kept = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)
    return shoal.Spec(
        quasi_identifiers={"a": kept},
        sensitive=["s"],
        insensitive=["o"],
        privacy=[shoal.KAnonymity(2), shoal.TCloseness("s", t=1)],
        **roles,
    )


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("what", COLUMNS)
def test_values_come_back_as_they_were(what, kind, tmp_path):
    column = pa.concat_arrays([COLUMNS[what]] * 3)
    data = TABLES[kind](pa.table({"a": column, "s": column, "o": column}), tmp_path / "in.parquet")
    release = shoal.anonymize(data, intact())
    assert contents(release.data) == contents(data)


@pytest.mark.parametrize("kind", ["arrow", pytest.param("pandas", marks=pytest.mark.slow)])
@pytest.mark.parametrize("what", COLUMNS)
def test_files_have_the_values_that_the_table_has(what, kind, tmp_path):
    column = pa.concat_arrays([COLUMNS[what]] * 3)
    data = TABLES[kind](pa.table({"a": column, "s": column, "o": column}), None)
    release = shoal.anonymize(data, intact())
    written = release.write(tmp_path / "out.parquet")
    release.write(tmp_path / "out.csv")
    found = [finding.measured for finding in release.audit.findings]
    # The same distances are measured on them.
    audit = shoal.audit_release(written, intact(), original=data)
    assert [finding.measured for finding in audit.findings] == found
    text = shoal.audit_release(tmp_path / "out.csv", intact(), original=data)
    assert [finding.measured for finding in text.findings] == found


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame, pd.DataFrame])
def test_zero_has_no_sign(make):
    # Four classes to whoever looks at bits; two to SQL.
    release = shoal.anonymize(make({"a": [0.0, -0.0, 1.5, 1.5]}), spec_of_one())
    assert release.levels == {"a": 0}
    assert release.class_sizes == {2: 2}


def spec_of_one():
    return shoal.Spec(quasi_identifiers={"a": "suppress"}, privacy=[shoal.KAnonymity(2)])


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame])
def test_nan_is_a_value_and_not_null(make):
    nan = float("nan")
    release = shoal.anonymize(make({"a": [nan, -nan, None, None, 1.0, 1.0]}), spec_of_one())
    assert release.class_sizes == {2: 3}


@pytest.mark.parametrize("dtype", ["float64", "Float64", "double[pyarrow]"])
def test_nan_of_pandas_is_null(dtype):
    frame = pd.DataFrame({"a": pd.Series([np.nan, None, 1.0, 1.0], dtype=dtype)})
    release = shoal.anonymize(frame, spec_of_one())
    assert release.class_sizes == {2: 2}
    assert release.table["a"].null_count == 2


def test_instants_in_different_zones_are_equal():
    berlin = pa.table({"a": pa.array([0, 0], pa.timestamp("s", "Europe/Berlin"))})
    tokyo = pa.table({"a": pa.array([0, 0, 0, 3600], pa.timestamp("s", "Asia/Tokyo"))})
    spec = shoal.Spec(quasi_identifiers={"a": "suppress"}, privacy=[shoal.KMap(3, tokyo)])
    assert shoal.anonymize(berlin, spec).levels == {"a": 0}


@pytest.mark.parametrize("ordered", [True, False])
def test_categories_are_their_values(ordered, tmp_path):
    values = pd.Categorical(["S", "L", "S", "L"], categories=["S", "M", "L"], ordered=ordered)
    release = shoal.anonymize(pd.DataFrame({"a": values}), spec_of_one())
    assert release.data["a"].cat.categories.to_list() == ["S", "L"]
    assert release.data["a"].cat.ordered == ordered
    table = pa.table({"a": pa.DictionaryArray.from_arrays([0, 2, 0, 2], ["S", "M", "L"], ordered=ordered)})
    back = shoal.anonymize(table, spec_of_one()).data["a"]
    assert back.type.ordered == ordered
    assert sorted(back.to_pylist()) == ["L", "L", "S", "S"]
    if ordered:
        assert back.combine_chunks().dictionary.to_pylist() == ["S", "L"]


def test_decimals_beyond_what_is_exact():
    wide = pa.table({"a": pa.array([Decimal("1.50")] * 2, pa.decimal256(60, 2))})
    assert shoal.anonymize(wide, spec_of_one()).data["a"].type == pa.decimal256(60, 2)
    long = pa.table({"a": pa.array([Decimal(10**45)] * 2, pa.decimal256(60, 2))})
    with pytest.raises(shoal.InputError, match="Column 'a' has decimals of more than 38 digits"):
        shoal.anonymize(long, spec_of_one())


def test_a_query_of_duckdb():
    with duckdb.connect() as database:
        people = database.sql(
            "SELECT age, sex, pay::DECIMAL(4, 2) AS pay FROM "
            "(VALUES (34, 'F', 1.5), (34, 'F', NULL), (51, 'M', 2), (51, NULL, 2)) AS people(age, sex, pay)"
        )
        spec = shoal.Spec(
            quasi_identifiers={"age": shoal.intervals(10), "sex": "suppress"},
            sensitive=["pay"],
            privacy=[shoal.KAnonymity(2)],
        )
        release = shoal.anonymize(people, spec)
    assert isinstance(release.data, pa.Table)
    assert sorted(release.data["sex"].to_pylist()) == ["*"] * 4
    assert sorted(release.data["age"].to_pylist()) == [34, 34, 51, 51]
    assert release.data["pay"].type == pa.decimal128(4, 2)


def test_a_query_of_duckdb_as_a_population():
    with duckdb.connect() as database:
        census = database.sql("SELECT age FROM (VALUES (34), (34), (51)) AS census(age)")
        spec = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KMap(2, census)])
        assert shoal.anonymize(pa.table({"age": [34]}), spec).levels == {"age": 0}
