"""A Parquet file that programs read differently, or whose footer holds more than its columns.

The attacker writes the footer: beside the bytes of a column the path of another one, which Spark goes by and
DuckDB and Arrow do not; another number of rows; a calendar that only Spark knows, in one part of a folder;
intervals and variants, of which DuckDB finds different ones equal. Or texts about people, where a footer has
names. The manifest fits what the audit reads.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.audit import audit_release
from shoal.audit.hidden_content import HIDDEN, hidden_content
from shoal.errors import InputError
from shoal.read.source import InputFormat
from shoal.sql.relation import open_relation
from tests.attacks.evidence import refit
from tests.attacks.parquet_parts import TEXT, Struct, add_metadata, change_footer, columns_of
from tests.unit.tampering import write

SPARK = "org.apache.spark."
FIELDS: list[dict[str, Any]] = [
    {"name": name, "type": "string", "nullable": True, "metadata": {}} for name in ("age", "sex", "disease")
]


def _swap(footer: Struct) -> None:
    one, two = (column[3][1] for column in columns_of(footer)[:2])
    one[3], two[3] = two[3], one[3]


def _same_bytes(footer: Struct) -> None:
    """Let the first column be read from the bytes of the second: its own, with exact values, are nobody's."""
    one, two = (column[3][1] for column in columns_of(footer)[:2])
    for offset in (9, 11):
        one[offset] = two[offset]
    one.pop(12)


def _spark(**more: Any) -> bytes:
    return json.dumps({"type": "struct", "fields": FIELDS, **more}).encode()


def _typed(kind: Any) -> bytes:
    return _spark(fields=[*FIELDS[:2], {**FIELDS[2], "type": kind}])


def _arrow(inner: str = "", after: bytes = b"") -> bytes:
    kinds = [pa.struct([(inner, pa.string())]) if inner else pa.string(), pa.string(), pa.string()]
    schema = pa.schema(list(zip(("age", "sex", "disease"), kinds, strict=True)))
    return base64.b64encode(schema.serialize().to_pybytes() + after)


def _metadata(key: str, value: bytes) -> Callable[[Struct], None]:
    def change(footer: Struct) -> None:
        footer.pop(5, None)
        add_metadata(footer, key, value)

    return change


PLACES = "columns that some programs find in another place, or another number of rows"
ROW = f"{SPARK}sql.parquet.row.metadata"
FOOTERS: dict[str, tuple[str, Callable[[Struct], object]]] = {
    "paths of other columns": (PLACES, _swap),
    "a path of no column": (PLACES, lambda f: columns_of(f)[1][3][1].update({3: (9, (TEXT, [b"Ann"]))})),
    "bytes of another column": (PLACES, _same_bytes),
    "other rows": (PLACES, lambda f: f.update({3: (6, 99)})),
    "the name of the root": ("the schema's name", lambda f: f[2][1][1][0].update({4: (TEXT, b"Ann")})),
    "the writer": ("the writer's name", lambda f: f.update({6: (TEXT, b"x version Ann has gout")})),
    "no writer": ("the writer's name", lambda f: f.pop(6)),
    "a key of Spark": ("metadata", _metadata(f"{SPARK}Ann has gout", b"")),
    "a text beside Spark's fields": (f"metadata '{ROW}'", _metadata(ROW, _spark(who="Ann"))),
    "a class of Spark's": (f"metadata '{ROW}'", _metadata(ROW, _typed({"type": "udt", "class": "Ann"}))),
    "a text in place of a type": (f"metadata '{ROW}'", _metadata(ROW, _typed("Ann has gout"))),
    "a field that is not there": (
        f"metadata '{ROW}'",
        _metadata(ROW, _typed({"type": "struct", "fields": [{**FIELDS[0], "name": "Ann"}]})),
    ),
    "a key of Spark's twice": (f"metadata '{ROW}'", _metadata(ROW, b'{"fields":["Ann"],' + _spark()[1:])),
    "a field of Arrow's": ("metadata 'ARROW:schema'", _metadata("ARROW:schema", _arrow("Ann"))),
    "bytes after Arrow's": ("metadata 'ARROW:schema'", _metadata("ARROW:schema", _arrow(after=b"Ann"))),
}


@pytest.mark.parametrize("what", FOOTERS)
def test_in_a_footer(tmp_path: Path, what: str) -> None:
    release = write(tmp_path, name="release.parquet")
    said, change = FOOTERS[what]
    change_footer(release, change)
    refit(release)
    assert pq.read_table(release).num_rows == 12
    (finding,) = (finding for finding in audit_release(release).findings if finding.claim == HIDDEN)
    assert not finding.holds
    assert said in finding.measured


@pytest.mark.parametrize(
    "key, value", [(ROW, _spark()), ("ARROW:schema", _arrow()), (f"{SPARK}version", b"4.0.1")]
)
def test_what_writers_write_is_no_text(tmp_path: Path, key: str, value: bytes) -> None:
    release = write(tmp_path, name="release.parquet")
    change_footer(release, _metadata(key, value))
    refit(release)
    assert audit_release(release).holds


def test_honest_files_without_rows_and_of_polars(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2], "b": ["x", None], "c": pa.nulls(2)})
    path = tmp_path / "file.parquet"
    for rows in (table, table.slice(0, 0)):
        pq.write_table(rows, path)
        assert list(hidden_content(path, written_by_shoal=True)) == []
        pl.from_arrow(rows.drop_columns(["c"])).write_parquet(path)
        assert list(hidden_content(path, written_by_shoal=False)) == []


def test_lists_and_structs_of_honest_files(tmp_path: Path) -> None:
    inner = pa.struct([("a b", pa.list_(pa.int64())), ("c.d", pa.map_(pa.string(), pa.float64()))])
    table = pa.table({"x": pa.array([{"a b": [1], "c.d": [("k", 2.5)]}], inner), "y": pa.array([[["z"]]])})
    pq.write_table(table, tmp_path / "arrow.parquet")
    assert list(hidden_content(tmp_path / "arrow.parquet", written_by_shoal=True)) == []


@pytest.mark.parametrize("kind", ["uuid", "json"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_types_that_parquet_has_itself(tmp_path: Path, engine: str, kind: str) -> None:
    """Arrow calls them extensions, so that a release with visits by number failed its recipients' audit."""
    value = {"uuid": "uuid()", "json": "'{}'::JSON"}[kind]
    people, release = tmp_path / "people.parquet", tmp_path / "release.parquet"
    duckdb.sql(f"COPY (SELECT 20 + i % 2 AS age, {value} AS visit FROM range(8) AS t (i)) TO '{people}'")
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        insensitive=["visit"],
        accept={"visit": "linkable"},
        privacy=[shoal.KAnonymity(4)],
    )
    shoal.anonymize(people, spec, engine=engine, output=release)
    assert audit_release(release).holds


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("INTERVAL '1 month'", "INTERVAL '30 days'"),
        ("1::VARIANT", "1.0::VARIANT"),
        ("[INTERVAL '1 month']", "[INTERVAL '720 hours']"),
    ],
)
def test_values_that_are_one_for_duckdb(tmp_path: Path, first: str, second: str) -> None:
    """One class of four for the audit; Arrow and Spark show two of two."""
    people = pa.table({"age": [5] * 4, "disease": ["flu", "cold"] * 2})
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"}, sensitive=["disease"], privacy=[shoal.KAnonymity(4)]
    )
    release = shoal.anonymize(people, spec.adjust(levels={"age": 0})).write(tmp_path / "release.parquet")
    rows = ", ".join(f"({age}, '{ill}')" for age in (first, second) for ill in ("flu", "cold"))
    try:
        duckdb.sql(f"COPY (SELECT * FROM (VALUES {rows}) AS t (age, disease)) TO '{release}'")
    except duckdb.Error:
        pytest.skip("this version of DuckDB does not write such a column")
    change_footer(release, lambda footer: footer.pop(5, None))
    assert duckdb.sql(f"SELECT count(DISTINCT age) FROM '{release}'").fetchall() == [(1,)]
    refit(release)
    with pytest.raises(InputError, match="values that cannot be compared"):
        audit_release(release)


@pytest.mark.parametrize(
    ("keys", "alike"),
    [
        ({"version": b"4.0.1", "legacyDateTime": b""}, False),
        ({"version": b"2.4.8"}, False),
        ({"version": b"3.0.3"}, False),
        ({"version": b"3.5.0"}, True),
        ({"version": b"10.0.0"}, True),
    ],
)
def test_a_calendar_in_one_part_of_a_folder(tmp_path: Path, keys: dict[str, bytes], alike: bool) -> None:
    """For Spark somebody born in 1300 was born in 1299, and for DuckDB all were born on one day."""
    folder = tmp_path / "folder.parquet"
    folder.mkdir()
    for name in ("one.parquet", "two.parquet"):
        pq.write_table(pa.table({"birth": [date(1300, 1, 1)] * 2}), folder / name, store_schema=False)
    for key, value in keys.items():
        change_footer(folder / "two.parquet", lambda f, k=key, v=value: add_metadata(f, SPARK + k, v))
    if not alike:
        with pytest.raises(InputError, match="not parts of one table"), open_relation(folder, InputFormat()):
            pass
        return
    with open_relation(folder, InputFormat()) as relation:
        assert relation.fetch_row(f"SELECT count(*), count(DISTINCT birth) FROM {relation.source}") == (4, 1)


ENCODINGS = ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_texts_as_differences_of_honest_files(tmp_path: Path, encoding: str, version: str) -> None:
    """Arrow does not read them as dictionaries, so that such files of other tools failed."""
    table = pa.table({"age": ["20-29", None] * 3, "note": [f"n{number}" for number in range(6)]})
    path = tmp_path / "other.parquet"
    columns = dict.fromkeys(table.column_names, encoding)
    pq.write_table(table, path, use_dictionary=False, column_encoding=columns, data_page_version=version)
    assert list(hidden_content(path, written_by_shoal=False)) == []


def test_texts_as_differences_that_fill_the_memory(tmp_path: Path) -> None:
    """A kilobyte: each of 1,100 texts is the megabyte before it, and one more sign."""
    path = tmp_path / "bomb.parquet"
    kinds = pa.schema({"note": pa.string()})
    options = {"use_dictionary": False, "column_encoding": {"note": "DELTA_BYTE_ARRAY"}}
    with pq.ParquetWriter(path, kinds, compression="zstd", write_statistics=False, **options) as writer:
        for _ in range(11):
            writer.write_table(pa.table({"note": ["x" * 1_000_000] * 100}))
    assert path.stat().st_size < 20_000
    with pytest.raises(InputError, match=r"Column 'note' .* unpacks to more than 200 times"):
        list(hidden_content(path, written_by_shoal=False))


def test_a_dictionary_that_the_footer_denies(tmp_path: Path) -> None:
    """By the footer the texts are differences, and the page before them is one of rows."""
    values = pa.DictionaryArray.from_arrays([0, 0, 1, 1], ["flu", "cold", "Eve has HIV"])
    path = tmp_path / "release.parquet"
    pq.write_table(pa.table({"disease": values}), path, write_statistics=False, store_schema=False)

    def deny(footer: Struct) -> None:
        (column,) = columns_of(footer)
        about = column[3][1]
        about[2] = (9, (5, [7]))
        about[9] = about.pop(11)

    change_footer(path, deny)
    assert pq.read_metadata(path).row_group(0).column(0).encodings == ("DELTA_BYTE_ARRAY",)
    assert list(hidden_content(path, written_by_shoal=False)) == ["values that no row has, in 'disease'"]
