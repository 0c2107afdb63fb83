"""Data frames go in and come back as what they were."""

import datetime

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import InputError
from shoal.read.source import open_source

ROWS = {"zip": ["01234", None, ""], "age": [34, 51, 34], "score": [0.5, None, 2.0]}

FRAMES = {
    "pandas": lambda: pd.DataFrame(ROWS, index=[17, 4, 99]),
    "polars": lambda: pl.DataFrame(ROWS),
    "lazy polars": lambda: pl.LazyFrame(ROWS),
    "arrow": lambda: pa.table(ROWS),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_table_from_every_kind(kind):
    source = open_source(FRAMES[kind]())
    assert source.columns == ("zip", "age", "score")
    table = source.read(["score", "zip", "age"], ["zip", "age"])
    assert table.to_pydict() == {name: ROWS[name] for name in ("score", "zip", "age")}
    assert table["zip"].type == pa.dictionary(pa.int32(), pa.string())
    assert table["age"].chunk(0).dictionary.to_pylist() == [34, 51]
    assert table["score"].type == pa.float64()


@pytest.mark.parametrize("kind", FRAMES)
def test_the_same_kind_comes_back(kind):
    frame = FRAMES[kind]()
    source = open_source(frame)
    back = source.restore(source.read(source.columns, []))
    assert type(back) is type(frame)
    assert open_source(back).read(source.columns, []).to_pydict() == ROWS


def test_pandas_dtypes_come_back_where_columns_were_not_generalized():
    frame = pd.DataFrame(
        {
            "whole": pd.array([2**60 + 1, None, 3], dtype="Int64"),
            "small": pd.Series([1, 2, 3], dtype="int8"),
            "flag": [True, False, True],
            "text": ["a", None, "b"],
            "when": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
            "day": [datetime.date(2020, 1, 1)] * 3,
            "size": pd.Categorical(["S", "L", None], categories=["S", "M", "L"], ordered=True),
            "group": pd.Categorical([10, 20, 10]),
            "age": [34, 51, 34],
        }
    )
    source = open_source(frame)
    table = source.read(frame.columns.to_list(), [])
    table = table.set_column(8, "age", pa.array(["[30, 40)", "[50, 60)", "[30, 40)"]))
    back = source.restore(table)
    kept = frame.columns.difference(["size", "age"])
    pd.testing.assert_frame_equal(back[kept], frame[kept])
    assert back["size"].cat.categories.to_list() == ["S", "L"]
    assert back["size"].cat.ordered
    assert back["age"].to_list() == ["[30, 40)", "[50, 60)", "[30, 40)"]


def test_generalized_categories_become_text():
    source = open_source(pd.DataFrame({"size": pd.Categorical(["S", "L"])}))
    assert source.restore(pa.table({"size": ["any", "L"]}))["size"].to_list() == ["any", "L"]


def test_polars_categories_come_back_without_unused_ones():
    frame = pl.DataFrame(
        {"size": ["S", "L"], "town": ["Ulm", "Bonn"]},
        schema={"size": pl.Enum(["S", "M", "L"]), "town": pl.Categorical},
    )
    source = open_source(frame)
    back = source.restore(source.read(["size", "town"], ["size"]))
    assert back.dtypes == [pl.Enum(["S", "L"]), pl.Categorical]
    assert back["size"].to_list() == ["S", "L"]
    assert source.restore(pa.table({"size": ["*", "*"]})).dtypes == [pl.String]


def test_the_index_is_no_column():
    frame = pd.DataFrame({"a": [1]}, index=pd.Index(["person 7"], name="id"))
    source = open_source(frame)
    assert source.columns == ("a",)
    assert source.restore(source.read(["a"], [])).index.to_list() == [0]


WORDS = pa.array(["kept", "gone"]).dictionary_encode()


@pytest.mark.parametrize(
    "column",
    [
        pa.ListArray.from_arrays([0, 1, 2], WORDS),
        pa.LargeListArray.from_arrays([0, 1, 2], WORDS),
        pa.FixedSizeListArray.from_arrays(WORDS, 1),
        pa.StructArray.from_arrays([pa.ListArray.from_arrays([0, 1, 2], WORDS)], ["inner"]),
        pa.MapArray.from_arrays([0, 1, 2], pa.array(["k", "k"]), WORDS),
        pl.Series([["kept"], ["gone"]], dtype=pl.List(pl.Enum(["kept", "gone"]))).to_arrow(),
    ],
    ids=lambda column: str(column.type),
)
def test_no_dictionary_stays_inside_other_types(column, tmp_path):
    read = open_source(pa.table({"a": column})).read(["a"], [])
    assert read["a"].to_pylist() == column.to_pylist()
    pq.write_table(read.take([0]), tmp_path / "a.parquet")
    assert b"gone" not in (tmp_path / "a.parquet").read_bytes()


def test_a_type_in_which_values_could_hide_is_refused():
    column = pa.RunEndEncodedArray.from_arrays([1, 2], ["kept", "gone"])
    with pytest.raises(InputError, match="Column 'a' has a type that cannot be released"):
        open_source(pa.table({"a": column})).read(["a"], [])


def test_unused_categories_are_no_values():
    frame = pd.DataFrame({"a": pd.Categorical(["x", None], categories=["w", "x"])})
    assert open_source(frame).read(["a"], ["a"])["a"].chunk(0).dictionary.to_pylist() == ["x"]
    assert open_source(frame).read(["a"], [])["a"].type in (pa.string(), pa.large_string())


@pytest.mark.parametrize(
    "frame", [pd.DataFrame([[1, 2]], columns=["a", "a"]), pa.table([[1], [2]], names=["a", "a"])]
)
def test_duplicate_names(frame):
    with pytest.raises(InputError, match=r"repeats column names: 'a' \(2 times\)"):
        open_source(frame)


@pytest.mark.parametrize("frame", [pd.DataFrame([[1, 2]]), pd.DataFrame([[1, 2]], columns=[0, 0])])
def test_names_that_are_not_text(frame):
    with pytest.raises(InputError, match="column names that are not text: 0"):
        open_source(frame)


def test_a_column_of_several_kinds_is_refused_without_showing_cells():
    with pytest.raises(InputError, match="Column 'a' has values of more than one kind") as caught:
        open_source(pd.DataFrame({"a": [1, "secret"]})).read(["a"], ["a"])
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("data", [None, 5, {"a": [1]}, [1], pd.Series([1]), pl.Series([1])])
def test_anything_else_is_refused(data):
    with pytest.raises(InputError, match="Supported: a pandas or polars DataFrame"):
        open_source(data)


def test_a_query_is_read():
    with duckdb.connect() as database:
        source = open_source(database.sql("SELECT 1 AS a, NULL AS b, 'x' AS c"))
        table = source.read(["c", "a"], ["c"])
    assert source.columns == ("a", "b", "c")
    assert table.to_pydict() == {"c": ["x"], "a": [1]}
    assert source.restore(table) is table


def test_a_query_that_fails_is_refused_without_showing_cells():
    with duckdb.connect() as database:
        source = open_source(database.sql("SELECT value::INTEGER AS a FROM (VALUES ('secret')) AS t(value)"))
        with pytest.raises(InputError, match=r"cannot be read\.\nReading it raises Conversion") as caught:
            source.read(["a"], [])
    assert "secret" not in str(caught.value)


def test_a_frame_without_columns():
    with pytest.raises(InputError, match="has no columns"):
        open_source(pl.DataFrame())
