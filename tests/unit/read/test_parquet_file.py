"""Parquet files keep their types and lose their dictionaries' oddities."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import InputError
from shoal.read.source import open_source


@pytest.fixture
def source(tmp_path):
    def write(table):
        path = tmp_path / "people.parquet"
        pq.write_table(table, path, row_group_size=2)
        return open_source(path)

    return write


def test_types_are_kept(source):
    table = pa.table(
        {
            "age": pa.array([34, None, 51], pa.int16()),
            "born": pa.array([datetime.date(1990, 1, 1), None, datetime.date(1970, 1, 1)]),
            "a.b": ["01234", "", None],
            "c": pa.array(["x", "y", "x"]).dictionary_encode(),
        }
    )
    read = source(table).read(table.column_names, [])
    assert read.schema.types == [pa.int16(), pa.date32(), pa.string(), pa.string()]
    assert read.to_pydict() == table.to_pydict()
    assert all(column.num_chunks == 1 for column in read.columns)
    assert read.schema.metadata is None


def test_coded_columns_have_one_clean_dictionary(source):
    table = pa.table(
        {
            "n": pa.array([5, None, 5, 7], pa.int64()),
            "s": pa.array(["x", None, "", "x"], pa.large_string()),
            "d": pa.DictionaryArray.from_arrays(pa.array([0, 2, 0, None]), pa.array(["p", "unused", "q"])),
            "nothing": pa.nulls(4),
        }
    )
    read = source(table).read(["d", "s", "n", "nothing"], ["n", "s", "d", "nothing"])
    assert read.to_pydict() == table.select(["d", "s", "n", "nothing"]).to_pydict()
    dictionaries = [column.chunk(0).dictionary for column in read.columns]
    assert [dictionary.to_pylist() for dictionary in dictionaries] == [["p", "q"], ["x", ""], [5, 7], []]
    assert [dictionary.type for dictionary in dictionaries] == [
        pa.string(),
        pa.string(),
        pa.int64(),
        pa.string(),
    ]
    assert all(column.type.index_type == pa.int32() for column in read.columns)


def test_lists_cannot_be_compared(source):
    with pytest.raises(InputError, match="Column 'tags' has values that cannot be compared"):
        source(pa.table({"tags": [["a"], ["b"]]})).read(["tags"], ["tags"])


def test_not_a_parquet_file(tmp_path):
    (tmp_path / "people.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"'people\.parquet' is not a Parquet file"):
        open_source(tmp_path / "people.parquet")
