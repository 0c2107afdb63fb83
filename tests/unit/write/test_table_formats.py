"""CSV and Parquet as written, read again by Python's csv module and by others."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.read.source import InputFormat, open_source
from shoal.write.table_formats import ROWS_AT_ONCE, suffix_of, write_table

CELLS = (
    st.none()
    | st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6)
    | st.sampled_from(
        ["", "*", "a;b", 'say "hi"', "two\nlines", "=1+1", "@x", "-3", "+4", "NULL", " x ", "'", "\r\n", "né"]
    )
)


def rows_of(path: Path, delimiter: str = ",", quote: str = '"') -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter, quotechar=quote))


def test_quotes_only_where_needed(tmp_path: Path) -> None:
    table = pa.table({"a": ["plain", None, "", "x,y", 'q"q', "l\nl", "=1+1", "ü"], "b": range(8)})
    write_table(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes().decode() == (
        'a,b\nplain,0\n,1\n"",2\n"x,y",3\n"q""q",4\n"l\nl",5\n=1+1,6\nü,7\n'
    )


def test_header_is_quoted_like_any_cell(tmp_path: Path) -> None:
    names = ['say "hi"', "a,b", "größe", "x'; DROP TABLE t; --", "two\nlines"]
    write_table(pa.table([["v"]] * 5, names=names), tmp_path / "t.csv")
    assert rows_of(tmp_path / "t.csv")[0] == names


@pytest.mark.parametrize(
    ("delimiter", "quote"), [(";", '"'), ("\t", '"'), ("|", "'"), (",", "'"), ("^", '"')]
)
def test_dialect(tmp_path: Path, delimiter: str, quote: str) -> None:
    cells = ["a;b", "a,b", "a\tb", "a|b", "it's", 'say "hi"', "a^b", "]", "\\"]
    write_table(pa.table({"c": cells, "d": cells}), tmp_path / "t.csv", InputFormat(delimiter, quote))
    assert rows_of(tmp_path / "t.csv", delimiter, quote)[1:] == [[cell, cell] for cell in cells]


def test_dictionary_columns_with_several_chunks_and_nulls(tmp_path: Path) -> None:
    values = [["b", None, "a,a"], ["c", "", "b"], []]
    column = pa.chunked_array([pa.array(chunk, pa.string()).dictionary_encode() for chunk in values])
    write_table(pa.table({"x": column, "y": range(6)}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8") == 'x,y\nb,0\n,1\n"a,a",2\nc,3\n"",4\nb,5\n'


def test_types_other_than_text(tmp_path: Path) -> None:
    table = pa.table(
        {"i": [1, None], "f": [1.5, 2.25], "b": [True, False], "d": pa.array([0, 1], pa.date32())}
    )
    write_table(table, tmp_path / "t.csv")
    assert rows_of(tmp_path / "t.csv")[1:] == [
        ["1", "1.5", "true", "1970-01-01"],
        ["", "2.25", "false", "1970-01-02"],
    ]


def test_a_type_that_csv_cannot_hold_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Column 'tags'"):
        write_table(pa.table({"tags": [{"a": 1}]}), tmp_path / "t.csv")


def test_zero_bytes_are_not_written_as_csv(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="It has cells with zero bytes"):
        write_table(pa.table({"a": ["x", "y\0z"]}), tmp_path / "t.csv")


def test_a_type_that_parquet_cannot_hold_is_named(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([pa.MonthDayNano([1, 2, 3])])})
    with pytest.raises(InputError, match="month_day_nano"):
        write_table(table, tmp_path / "t.parquet")


def test_more_rows_than_one_chunk(tmp_path: Path) -> None:
    size = 2 * ROWS_AT_ONCE + 3
    write_table(pa.table({"n": range(size)}), tmp_path / "t.csv")
    assert [row[0] for row in rows_of(tmp_path / "t.csv")[1:]] == [str(n) for n in range(size)]


def test_no_rows(tmp_path: Path) -> None:
    write_table(pa.table({"a": pa.array([], pa.string()).dictionary_encode()}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == b"a\n"


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
@settings(deadline=None)
@given(cells=st.lists(CELLS, min_size=1, max_size=8))
def test_a_single_column_survives_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, name: str, cells: list[str | None]
) -> None:
    path = tmp_path_factory.mktemp("single") / name
    dialect = InputFormat(";", '"', "utf-8")
    write_table(pa.table({"only": pa.array(cells, pa.string())}), path, dialect)
    assert open_source(path, dialect).read(["only"], coded=[])["only"].to_pylist() == cells


@settings(deadline=None)
@given(rows=st.lists(st.tuples(CELLS, CELLS), max_size=8))
def test_duckdb_reads_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str | None, str | None]]
) -> None:
    path = tmp_path_factory.mktemp("pairs") / "t.csv"
    columns = [pa.array([row[i] for row in rows], pa.string()).dictionary_encode() for i in (0, 1)]
    write_table(pa.table(columns, names=["a", "b"]), path)
    with duckdb.connect() as connection:
        found = connection.execute(
            "SELECT * FROM read_csv(?, header = true, delim = ',', quote = '\"', escape = '\"', "
            "new_line = '\\n', nullstr = '', allow_quoted_nulls = false, auto_detect = false, "
            "columns = {'a': 'VARCHAR', 'b': 'VARCHAR'})",
            [str(path)],
        ).fetchall()
    assert found == rows


def test_gzip_is_reproducible(tmp_path: Path) -> None:
    table = pa.table({"a": ["x", None, ""]})
    write_table(table, tmp_path / "one.csv.gz")
    write_table(table, tmp_path / "two.csv.gz")
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "two.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()) == b'a\nx\n\n""\n'


def test_parquet_has_labels_and_no_metadata(tmp_path: Path) -> None:
    column = pa.array(["a", None, "b"]).dictionary_encode()
    table = pa.table({"c": column}).replace_schema_metadata({"pandas": "{}"})
    write_table(table, tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet")["c"].to_pylist() == ["a", None, "b"]
    assert b"pandas" not in (pq.read_schema(tmp_path / "t.parquet").metadata or {})


@pytest.mark.parametrize("name", ["release.ods", "release", "release.gz", "csv"])
def test_an_unknown_suffix_names_the_known_ones(name: str) -> None:
    with pytest.raises(InputError, match=r"\.csv, \.csv\.gz, \.parquet"):
        suffix_of(Path(name))
