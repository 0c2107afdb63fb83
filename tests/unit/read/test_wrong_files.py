"""Files that are not what their names say, and lines without an end: refused at once, with a message."""

import gzip
import io
import os
import sqlite3
import subprocess
import sys
import zipfile

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from shoal.errors import InputError
from shoal.read.source import open_source


def refusal(call):
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


def zipped() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("people.csv", "a,b\n1,2\n")
    return content.getvalue()


def parquet() -> bytes:
    content = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2]}), content)
    return content.getvalue()


def arrow() -> bytes:
    content = io.BytesIO()
    pyarrow.feather.write_feather(pa.table({"a": [1]}), content)
    return content.getvalue()


def gzipped() -> bytes:
    return gzip.compress(b"a,b\n1,2\n")


def protected() -> bytes:
    return bytes.fromhex("d0cf11e0a1b11ae1") + bytes(512)


def database() -> bytes:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE people (a)")
        return connection.serialize()


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        (
            "people.csv",
            zipped,
            "a zip archive, such as an Excel workbook.\nUnpack it, or end its name in .xlsx.",
        ),
        ("people.txt", parquet, "a Parquet file.\nEnd its name in .parquet."),
        ("people.csv", gzipped, "compressed by gzip.\nEnd its name in .csv.gz."),
        ("people.csv", arrow, "an Arrow file"),
        ("people.csv", database, "an SQLite database"),
        ("people.csv", protected, "an old or protected Office file"),
        ("people.parquet", zipped, "a zip archive"),
        ("people.xlsx", parquet, "a Parquet file"),
        ("people.dta", zipped, "a zip archive"),
        ("people.csv.gz", zipped, "a zip archive"),
    ],
)
def test_content_of_another_kind(name, content, found, tmp_path):
    (tmp_path / name).write_bytes(content())
    message = refusal(lambda: open_source(tmp_path / name))
    assert f"File {name!r} does not match its suffix.\nIts content is {found}" in message


@pytest.mark.parametrize("header", ["PAR1,b", "PK,b", "BZh,b", "ARROW1"])
def test_columns_may_be_called_anything(header, tmp_path):
    (tmp_path / "people.csv").write_text(f"{header}\n1,2\n", encoding="utf-8")
    assert open_source(tmp_path / "people.csv").columns == tuple(header.split(","))


def test_text_named_as_parquet(tmp_path):
    (tmp_path / "people.parquet").write_text("a,b\n1,2\n", encoding="utf-8")
    message = refusal(lambda: open_source(tmp_path / "people.parquet"))
    assert "'people.parquet' is not a Parquet file.\nIt looks like text.\n" in message
    assert "ends in .csv" in message


def test_a_truncated_parquet_file(tmp_path):
    (tmp_path / "people.parquet").write_bytes(parquet()[:100])
    message = refusal(lambda: open_source(tmp_path / "people.parquet"))
    assert "is not a complete Parquet file" in message


@pytest.mark.parametrize(
    "name", ["people.csv", "people.csv.gz", "people.parquet", "people.xlsx", "people.sav"]
)
def test_an_empty_file(name, tmp_path):
    (tmp_path / name).touch()
    assert refusal(lambda: open_source(tmp_path / name)) == f"File {name!r} is empty."


_REFUSE = """\
import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from shoal.errors import InputError
from shoal.read.source import open_source


def read_bytes():
    counters = Path("/proc/self/io")  # on Linux
    return int(counters.read_text().split()[1]) if counters.exists() else 0


open_source(sys.argv[2]).read(["a", "b"], ["a"])  # what reading takes anyway
memory, bytes = getrusage(RUSAGE_SELF).ru_maxrss, read_bytes()
try:
    source = open_source(sys.argv[1])
    source.read(source.columns, [])
except InputError as error:
    print(error)
print(getrusage(RUSAGE_SELF).ru_maxrss - memory, read_bytes() - bytes)
"""


@pytest.mark.skipif(os.name == "nt", reason="files have no holes")
@pytest.mark.parametrize(
    ("beginning", "message"),
    [
        (b"a,b\n" + b"1,2\n" * 50_000, "has a line that does not end within 64 MB."),
        (b"x" * 5_000_000, "has a first line that does not end within 4,325,375 characters."),
        (b'"' + b"x," * 3_000_000, "has a first line that does not end within"),
    ],
    ids=["behind other lines", "as the first", "in quotes"],
)
def test_a_line_of_ten_gigabytes(beginning, message, tmp_path):
    """It has a hole where the rest would be: read as zeros, it takes no room."""
    path = tmp_path / "people.csv"
    with path.open("wb") as file:
        file.write(beginning)
        file.seek(10 * 1000**3)
        file.write(b"\n")
    (tmp_path / "small.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", _REFUSE, path, tmp_path / "small.csv"],
        capture_output=True,
        text=True,
        check=True,
    )
    *said, used = done.stdout.splitlines()
    assert message in said[0]
    assert "A table has one line for each row" in said[1]
    kilobytes, read = map(int, used.split())
    assert kilobytes < 200_000
    assert read < 100_000_000


def test_a_header_of_many_names(tmp_path):
    names = [f"a name of column number {number}" for number in range(20_000)]
    path = tmp_path / "wide.csv"
    path.write_text(",".join(names) + "\n" + ",".join(["1"] * len(names)) + "\n", encoding="utf-8")
    assert open_source(path).columns == tuple(names)


def test_a_name_that_is_too_long(tmp_path):
    (tmp_path / "people.csv").write_text("x" * 200_000 + "\n1\n", encoding="utf-8")
    message = refusal(lambda: open_source(tmp_path / "people.csv"))
    assert "has a first line that does not end within 131,071 characters." in message
