"""CSV files of every make, and the ways in which they can be wrong."""

import gzip
import io
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import InputError, MissingFileError
from shoal.read.source import InputFormat, open_source


@pytest.fixture
def source(tmp_path):
    def write(content, name="people.csv", **input_format):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return open_source(path, InputFormat(**input_format))

    return write


def rows(source, coded=()):
    table = source.read(source.columns, coded)
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_delimiter_and_line_ends_are_found_out(source, delimiter, line_end):
    records = [["zip", "age"], ["01234", "34"], ["99999", "7"]]
    opened = source("".join(delimiter.join(record) + line_end for record in records))
    assert opened.columns == ("zip", "age")
    assert opened.dialect == InputFormat(delimiter, '"', "utf-8")
    assert rows(opened) == [("01234", "34"), ("99999", "7")]


def test_text_stays_text(source):
    cells = ["007", "NA", "null", "NULL", "NaN", "true", "1e5", " x ", "2020-01-01", "-", "ß€😀"]
    assert rows(source("a,b\n" + "".join(f"{cell},1\n" for cell in cells))) == [(cell, "1") for cell in cells]


@pytest.mark.parametrize("coded", [(), ("a", "b")])
def test_an_empty_cell_is_null_and_a_quoted_one_is_empty_text(source, coded):
    assert rows(source('a,b\n,""\n"",\nx,y\n'), coded) == [(None, ""), ("", None), ("x", "y")]


def test_coded_columns_have_one_clean_dictionary(source):
    values = [f"v{i % 1000}" for i in range(300_000)]
    table = source("a,b\n" + "".join(f"{value},\n" for value in values)).read(["b", "a"], ["a", "b"])
    assert table.column_names == ["b", "a"]
    assert all(column.num_chunks == 1 for column in table.columns)
    assert all(column.type == pa.dictionary(pa.int32(), pa.string()) for column in table.columns)
    assert table["b"].chunk(0).dictionary.to_pylist() == []
    assert sorted(table["a"].chunk(0).dictionary.to_pylist()) == sorted(set(values))
    assert table["a"].to_pylist() == values


def test_the_delimiter_is_the_one_that_splits_header_and_rows(source):
    text = "name;place;note, free\nDoe, John;Ulm;a, b\nRoe, Ann;Bonn;c\n"
    assert source(text).dialect.delimiter == ";"


def test_one_column(source):
    opened = source("city\nParis, France\n\nRome\n")
    assert rows(opened) == [("Paris, France",), (None,), ("Rome",)]


def test_one_row_without_a_last_line_end(source):
    assert rows(source("a,b\n1,2")) == [("1", "2")]


@pytest.mark.parametrize("text", ["a,b", "a,b\n", "a,b\r\n", "a", '"a"\n'])
def test_a_header_alone_is_a_table_without_rows(source, text):
    opened = source(text)
    table = opened.read(opened.columns, ["a"])
    assert table.num_rows == 0
    assert pa.types.is_dictionary(table["a"].type)
    assert table["a"].num_chunks == 1


def test_blank_lines_do_not_matter(source):
    assert rows(source("\n\na,b\n\n1,2\n\n\n3,4\n\n")) == [("1", "2"), ("3", "4")]
    assert rows(source("\r\na\r\n1\r\n", name="one.csv")) == [("1",)]


def test_quoted_cells_hold_delimiters_quotes_and_line_ends(source):
    opened = source('"a\nb",c\n"1,\r\n2","say ""hi"""\n')
    assert opened.columns == ("a\nb", "c")
    assert rows(opened) == [("1,\r\n2", 'say "hi"')]


def test_a_cell_longer_than_a_block(source):
    long = "line\n" * 600_000
    assert rows(source(f'a,b\n1,"{long}"\n2,x\n')) == [("1", long), ("2", "x")]


def test_single_quotes_are_found_out(source):
    opened = source("a;b\n'1;2';'it''s'\n'x';y\n")
    assert opened.dialect.quote == "'"
    assert rows(opened) == [("1;2", "it's"), ("x", "y")]


@pytest.mark.parametrize("cell", ["'tis", "dogs'", "O'Brien", "rock 'n' roll", "5' 11"])
def test_apostrophes_are_not_quotes(source, cell):
    assert rows(source(f"a,b\n{cell},1\n")) == [(cell, "1")]


def test_a_quote_within_a_cell_is_a_character(source):
    assert rows(source('a,b\n5" pipe,1\n6" pipe,2\n7" pipe,3\n')) == [
        ('5" pipe', "1"),
        ('6" pipe', "2"),
        ('7" pipe', "3"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_encodings_with_a_byte_order_mark_are_found_out(source, encoding):
    opened = source("näme,b\nÅsa,1\n".encode(encoding))
    assert opened.columns == ("näme", "b")
    assert rows(opened) == [("Åsa", "1")]


def test_what_is_given_is_taken(source):
    opened = source("a,b|c\n'x|y',é|1\n".encode("latin-1"), delimiter="|", quote="'", encoding="latin-1")
    assert opened.columns == ("a,b", "c")
    assert opened.dialect.encoding == "iso8859-1"
    assert rows(source("a,b\né,1\n".encode("cp1252"), encoding="cp1252")) == [("é", "1")]


def test_gzip(source):
    assert rows(source(gzip.compress(b"a;b\n1;2\n"), name="people.csv.gz")) == [("1", "2")]


def test_odd_column_names(source):
    names = ('he said "hi"', "naïve ☃", "x; DROP TABLE t --", "it's", "a,b", "select")
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    opened = source(f"{quoted}\n1,2,3,4,5,6\n")
    assert opened.columns == names
    assert opened.read([names[2]], [names[2]])[names[2]].to_pylist() == ["3"]


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(st.none() | CELLS, min_size=n, max_size=n))))
def test_every_table_comes_back(tmp_path, table):
    width = len(table[0]) if table else 2
    text = io.StringIO()
    text.write(",".join(f"column {i}" for i in range(width)) + "\n")
    for row in table:
        cells = ("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in row)
        text.write(",".join(cells) + "\n")
    path = tmp_path / "any.csv"
    path.write_bytes(text.getvalue().encode())
    opened = open_source(path, InputFormat(delimiter=",", quote='"'))
    assert rows(opened) == [tuple(row) for row in table]
    assert rows(opened, coded=opened.columns) == [tuple(row) for row in table]


def test_ragged_rows_are_all_counted_and_no_cell_is_shown(source):
    text = "a,b,c\n1,2,3\nsecret,2\n1,2,3\n1,2,3\n1,2,3,secret\n1,2,3\n"
    message = refusal(lambda: rows(source(text)))
    assert "'people.csv' has 2 rows with another number of cells than the first row, which has 3." in message
    assert "line 3 has 2 cells, line 6 has 4 cells." in message
    assert "secret" not in message


def test_lines_of_ragged_rows_count_line_ends_in_cells(source):
    assert "line 4 has 1 cell." in refusal(lambda: rows(source('a,b\n"1\n2",3\nx\n')))


def test_an_open_quote_does_not_swallow_the_rest(source):
    message = refusal(lambda: rows(source('a,b\n1,2\n3,"4\n5,6\n7,8\n')))
    assert "a quoted cell without an end.\nFound: in the row that starts in line 3." in message
    long = "".join(f"{i},x\n" for i in range(100_000))
    assert "that starts in line 3" in refusal(lambda: rows(source('a,b\n1,2\n3,"4\n' + long)))


@pytest.mark.parametrize("lines_before", [2, 50_000])
def test_undecodable_bytes_are_located(source, lines_before):
    text = b"a,b\n" + b"x,1\n" * (lines_before - 1) + b"secr\xe9t,1\n"
    message = refusal(lambda: rows(source(text)))
    assert (
        f"is not utf-8 text.\nFound: the first invalid byte in line {lines_before + 1:,}, character 5."
        in message
    )
    assert "`--encoding cp1252`" in message
    assert "`encoding: cp1252` under `input:`" in message
    assert "secr" not in message


def test_undecodable_bytes_of_a_given_encoding(source):
    assert "not ascii text.\nFound: the first invalid byte in line 2" in refusal(
        lambda: rows(source("a\né\n", encoding="ascii"))
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_no_byte_order_mark_where_there_must_be_one(source, encoding):
    assert f"not {encoding} text.\nFound: the first invalid byte in line 1" in refusal(
        lambda: source("a,b\n1,2\n", encoding=encoding)
    )


def test_zero_bytes(source):
    message = refusal(lambda: source("a,b\n1,2\n".encode("utf-16-le")))
    assert "zero bytes" in message


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file(source, content):
    assert "File 'people.csv' is empty." in refusal(lambda: source(content))


def test_all_wrong_names_at_once(source):
    message = refusal(lambda: source("a,,b,a,\n1,2,3,4,5\n"))
    assert "columns without a name: number 2, 5." in message
    assert "repeats column names: 'a' (2 times)." in message


def test_all_wrong_settings_at_once(source):
    message = refusal(lambda: source("a\n", delimiter=";;", quote="§", encoding="utf9"))
    assert "delimiter must be one ASCII character" in message
    assert "quote must be one ASCII character" in message
    assert "Unknown encoding 'utf9'." in message
    assert "must differ" in refusal(lambda: source("a\n", delimiter="'", quote="'"))


@pytest.mark.parametrize(
    "content",
    [b"no gzip", gzip.compress(b"a,b\n" + os.urandom(5000).hex().encode())[:-900]],
    ids=["no gzip", "cut off"],
)
def test_damaged_gzip(source, content):
    message = refusal(lambda: rows(source(content, name="people.csv.gz")))
    assert "is not a complete gzip file" in message


def test_a_wanted_column_that_is_not_there(source):
    message = refusal(lambda: source("zip,age\n1,2\n").read(["zipp"], []))
    assert message == "Column 'zipp' is not in file 'people.csv'.\nColumns: zip, age.\nDid you mean 'zip'?"


def test_missing_file(tmp_path):
    (tmp_path / "people.csv").write_text("a\n")
    with pytest.raises(MissingFileError, match=r"does not exist[^?]*Did you mean 'people.csv'\?"):
        open_source(tmp_path / "peple.csv")
    with pytest.raises(MissingFileError, match="Its folder does not exist either"):
        open_source(str(tmp_path / "no" / "people.csv"))
    with pytest.raises(FileNotFoundError, match="is a folder"):
        open_source(tmp_path)


def test_a_path_that_the_system_refuses():
    with pytest.raises(MissingFileError, match=r"cannot be accessed\.\nSystem error: "):
        open_source("x" * 5000 + ".csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind")
def test_no_permission(source, tmp_path):
    (tmp_path / "people.csv").write_text("a\n")
    (tmp_path / "people.csv").chmod(0)
    with pytest.raises(MissingFileError, match="is not readable"):
        open_source(tmp_path / "people.csv")


def test_files_are_read_without_libraries_for_frames(source):
    code = (
        "import sys; from shoal.read.source import open_source; "
        "open_source(sys.argv[1]).read(['a', 'b'], ['a']); "
        "print({'narwhals', 'pandas', 'polars', 'pyarrow.parquet'} & sys.modules.keys() or 'none')"
    )
    path = source("a,b\n1,2\n")._file.path
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "none"


def test_another_kind_of_file(source):
    assert "Supported: .csv" in refusal(lambda: source(b"PK", name="people.ods"))


def test_a_parquet_file_under_a_wrong_name_is_refused(source, tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "x.csv")
    assert refusal(lambda: open_source(tmp_path / "x.csv"))
