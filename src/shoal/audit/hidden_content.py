"""What a file holds beside its rows, which people do not see and programs do: nothing, in a release.

CSV: bytes and lines that readers treat differently, and what gzip keeps beside the text. Parquet: metadata
beside the schema, values in dictionaries that no row has, and what is in `merged_values.py` and
`parquet_footer.py`. Excel: see
`hidden_excel.py`.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit.csv_lines import is_regular
from shoal.audit.finding import Finding
from shoal.audit.merged_values import merged_values
from shoal.audit.parquet_footer import has_gaps, misplaced, wrong_statistics
from shoal.errors import InputError
from shoal.files.folder import data_files, has_folders, left_out
from shoal.read.delimited import open_delimited
from shoal.read.parquet_size import check_groups, check_texts, inner_values, without_dictionaries
from shoal.read.source import FileKind, InputFormat, file_kind

HIDDEN = "nothing hidden in the file"

_LOOKED_INTO: tuple[FileKind, ...] = ("text", "parquet", "excel")
_BLOCK = 1 << 20
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_WRITER = re.compile(r"[\w.-]+( \([a-z]{1,20}\))? version [\w. ():+-]{1,80}")
_OWN_WRITER = re.compile(
    r"parquet-cpp-arrow version [0-9][0-9a-zA-Z.-]{0,30}"
    r"|(DuckDB|parquet-mr) version v?[0-9][0-9a-zA-Z.-]{0,30}( \(build [0-9a-f]{1,40}\))?"
)
_OFFSET = re.compile(r"[+-][0-9]{2}:[0-9]{2}")
_SPARK = "org.apache.spark."
_SPARK_ROW = "org.apache.spark.sql.parquet.row.metadata"
_SPARK_KEYS = tuple(_SPARK + key for key in ("version", "timeZone", "legacyDateTime", "legacyINT96"))
_SPARK_TYPE = {"type", "fields", "elementType", "containsNull", "keyType", "valueType", "valueContainsNull"}
_SPARK_FIELD = {"name", "type", "nullable", "metadata"}
_SPARK_NAME = re.compile(r"[a-z_]{1,30}( [a-z ]{1,30})?(\([0-9a-z, ]{1,20}\))?")
_ROOTS = ("schema", "duckdb_schema", "spark_schema")
"""What writers of releases call the root of a schema in Parquet, which tools show."""
_PARQUET_TYPES = ("arrow.uuid", "arrow.json")
"""Arrow's extension types for types that Parquet has itself: they hold no text of their own."""
_ARROW_NAMES = ("item", "element", "list", "entries", "key", "value", "key_value", "array")
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


def hidden_finding(
    release: Path,
    *,
    written_by_shoal: bool,
    dialect: InputFormat = InputFormat(),  # noqa: B008 (frozen)
) -> Finding:
    """Find whether a file, or the files in a folder, hold nothing but their rows.

    Parameters
    ----------
    written_by_shoal
        Whether a manifest says so. Shoal writes no byte order mark and no name into gzip; other tools do,
        and that is harmless.
    dialect
        How a CSV file is said to be written.
    """
    parts = data_files(release)[1] if release.is_dir() else [release]
    if unseen := [part.suffix for part in parts if file_kind(part) not in _LOOKED_INTO]:
        lacks = f"Shoal does not look into {unseen[0]!r} files"
        if written_by_shoal:
            lacks += ", and writes none"
        return Finding(HIDDEN, False, lacks, "", checkable=written_by_shoal)
    found = dict.fromkeys(what for part in parts for what in hidden_content(part, written_by_shoal))
    if release.is_dir() and left_out(release):
        found["files that programs leave out, for their names"] = None
    if release.is_dir() and has_folders(release):
        found["folders with further files, which some programs read"] = None
    if not all(_is_regular(part, dialect, written_by_shoal) for part in parts):
        found["lines that programs read differently"] = None
    return Finding(HIDDEN, not found, "; ".join(found) or "nothing", "", figure=len(found))


def hidden_content(path: Path, written_by_shoal: bool) -> Iterator[str]:
    """Name what a file of text, Parquet or Excel holds beside its rows, without showing any of it."""
    kind = file_kind(path)
    if kind == "parquet":
        try:
            yield from _in_parquet(path, written_by_shoal)
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            yield "parts that cannot be read"
    elif kind == "excel":
        from shoal.audit.hidden_excel import in_workbook

        yield from in_workbook(path, written_by_shoal)
    elif _is_gzip(path):
        yield from _in_gzip(path, written_by_shoal)
    else:
        with path.open("rb") as file:
            yield from _in_text(iter(lambda: file.read(_BLOCK), b""), written_by_shoal)


def _is_regular(path: Path, dialect: InputFormat, written_by_shoal: bool) -> bool:
    """Return whether a file is no CSV, or one whose rows every program finds alike."""
    if file_kind(path) != "text":
        return True
    try:
        form = open_delimited(path, dialect)
        return is_regular(
            form.blocks(), form.delimiter, form.quote, len(form.first), written_by_shoal=written_by_shoal
        )
    except InputError:
        return False  # whoever reads the rows reports why


def _is_gzip(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _in_text(blocks: Iterator[bytes], strict: bool) -> Iterator[str]:
    """Look for bytes at which some readers end, or begin a name; Shoal writes none of them."""
    if not strict:
        for _ in blocks:  # whatever is behind them is still to be looked at
            pass
        return
    first, zero = next(blocks, b""), False
    if first.startswith(_MARKS):
        yield "a byte order mark"
    for block in chain([first], blocks):
        zero = zero or b"\0" in block
    if zero:
        yield "zero bytes"


def _in_gzip(path: Path, strict: bool) -> Iterator[str]:
    """Look at a gzip file: RFC 1952 lets it hold a name, a comment, further fields and further members."""
    with path.open("rb") as file:
        start = file.read(10)
        if len(start) == 10 and start[3] & 0b11110:
            own = path.name[: -len(".gz")].encode("latin-1", "replace")
            rest = file.read(len(own) + 1)
            if strict or start[3] & 0b11110 != 0b1000 or rest != own + b"\0":
                yield "a name, comment or further fields in the header of gzip"
        file.seek(0)
        member = zlib.decompressobj(31)
        yield from _in_text(_inflated(file, member), strict)
        if member.unused_data or file.read(1):
            yield "bytes after the end of the compressed text"


def _inflated(file: Any, member: Any) -> Iterator[bytes]:
    while not member.eof and (block := file.read(_BLOCK)):
        try:
            while block:
                yield member.decompress(block, _BLOCK)
                block = member.unconsumed_tail
        except zlib.error:
            return  # whoever reads the rows reports that


def _in_parquet(path: Path, written_by_shoal: bool) -> Iterator[str]:
    from pyarrow import parquet

    check_groups(path)
    check_texts(path)
    with parquet.ParquetFile(path) as file:
        about, schema = file.metadata, file.schema_arrow
    paths = [about.schema.column(position).path for position in range(about.num_columns)]
    for key, value in (about.metadata or {}).items():
        if not _is_schema(key.decode("utf-8", "replace"), value, schema, paths):
            yield f"metadata {key.decode('utf-8', 'replace')!r}"
    known = _OWN_WRITER if written_by_shoal else _WRITER
    if not known.fullmatch(about.created_by or ("" if written_by_shoal else "x version x")):
        yield "a text in place of the writer's name"
    if written_by_shoal and not _has_known_root(about.schema):
        yield "a text in place of the schema's name"
    if misplaced(about):
        yield "columns that some programs find in another place, or another number of rows"
    if _with_metadata(schema):
        yield "metadata of columns"
    if noted := _noted_columns(about):
        yield f"metadata of the columns {', '.join(map(repr, noted))}"
    if unused := _unused_values(path):
        yield f"values that no row has, in {', '.join(map(repr, unused))}"
    if merged := merged_values(path, written_by_shoal=written_by_shoal):
        yield f"values that programs tell apart and the audit does not, in {', '.join(map(repr, merged))}"
    if wrong := wrong_statistics(path):
        yield f"statistics that the rows do not have, in {', '.join(map(repr, wrong))}"
    if has_gaps(path, written_by_shoal=written_by_shoal):
        yield "bytes that belong to no column"


def _noted_columns(about: Any) -> Sequence[str]:
    """Return the columns that have keys and values of their own in some row group, which no writer needs.

    Arrow shows them from version 18 on.
    """
    groups = map(about.row_group, range(about.num_row_groups))
    chunks = (group.column(position) for group in groups for position in range(about.num_columns))
    noted = (chunk.path_in_schema for chunk in chunks if getattr(chunk, "metadata", None))
    return list(dict.fromkeys(noted))


def _is_schema(key: str, value: bytes, schema: pa.Schema, paths: Sequence[str]) -> bool:
    """Return whether metadata says what the columns are, as the writers of releases do, and no more.

    Parameters
    ----------
    paths
        The paths of the columns in the file, which have the names of fields inside columns too.
    """
    if key == "ARROW:schema":
        try:
            reader = pa.BufferReader(base64.b64decode(value, validate=True))
            own = pa.ipc.read_schema(reader)
            if reader.read().removeprefix(_END_OF_STREAM):
                return False
        except (ValueError, pa.ArrowException):
            return False
        return own.names == schema.names and not _with_metadata(own) and _are_known(own, paths)
    if key == _SPARK_ROW:
        try:
            return _is_spark_schema(json.loads(value, object_pairs_hook=_unrepeated), schema.names, paths)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return False
    return key in _SPARK_KEYS and re.fullmatch(rb"[0-9A-Za-z.:+/_-]{0,40}", value) is not None


def _are_known(schema: pa.Schema, paths: Sequence[str]) -> bool:
    """Return whether all fields inside columns are called as in the file, or as Arrow calls them itself."""

    def inside(kind: pa.DataType) -> Iterator[str]:
        for position in range(kind.num_fields):
            yield kind.field(position).name
            yield from inside(kind.field(position).type)

    names = {name for kind in schema.types for name in inside(kind)}
    return all(name in _ARROW_NAMES or _is_within(name, paths) for name in names)


def _is_within(name: str, paths: Sequence[str]) -> bool:
    """Return whether a column, or a field inside one, has a name."""
    return any(f".{name}." in f".{path}." for path in paths)


def _is_spark_schema(said: Any, names: Sequence[str], paths: Sequence[str]) -> bool:
    """Return whether Spark's description of a table is of these columns, and holds no other text."""

    def is_type(kind: Any) -> bool:
        if isinstance(kind, str | bool):
            return isinstance(kind, bool) or _SPARK_NAME.fullmatch(kind) is not None
        return _has_keys(kind, _SPARK_TYPE) and all(
            all(map(is_field, part)) if key == "fields" else is_type(part) for key, part in kind.items()
        )

    def is_field(field: Any) -> bool:
        known = _has_keys(field, _SPARK_FIELD) and isinstance(field.get("nullable"), bool)
        return (
            known
            and not field.get("metadata")
            and _is_within(field["name"], paths)
            and is_type(field["type"])
        )

    return is_type(said) and [field["name"] for field in said["fields"]] == [*names]


def _has_keys(said: Any, known: set[str]) -> bool:
    return isinstance(said, dict) and said.keys() <= known


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _has_known_root(schema: Any) -> bool:
    """Return whether the root of a schema in Parquet is called as writers of releases call it."""
    _, group, *_ = str(schema).splitlines()
    return any(group.endswith(f" {name} {{") for name in _ROOTS)


def _with_metadata(schema: pa.Schema) -> bool:
    """Return whether a schema holds texts beside names and types; numbers of columns do not count."""

    def has(field: pa.Field) -> bool:
        own: Mapping[bytes, bytes] = field.metadata or {}
        if any(key != b"PARQUET:field_id" or not value.isdigit() for key, value in own.items()):
            return True
        kind = field.type
        if isinstance(kind, pa.BaseExtensionType) and kind.extension_name not in _PARQUET_TYPES:
            return True
        if not _is_zone(getattr(kind, "tz", None) or "UTC"):
            return True
        return any(has(kind.field(position)) for position in range(kind.num_fields))

    given = {key for key in schema.metadata or {} if not _known(key)}
    return bool(given) or any(map(has, schema))


def _is_zone(name: str) -> bool:
    """Return whether a time zone is one, since Arrow takes any text for the name of one."""
    if _OFFSET.fullmatch(name):
        return True
    try:
        return bool(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False


def _known(key: bytes) -> bool:
    """Return whether metadata of a schema is that of its file, which is checked there."""
    return key == b"ARROW:schema" or key.startswith(_SPARK.encode())


def _unused_values(path: Path) -> Sequence[str]:
    """Return the columns whose dictionaries have texts or bytes that no row of the group has.

    Columns are read by their position: names with dots in them also mean fields inside a column.
    """
    from pyarrow import parquet

    about = parquet.read_metadata(path).schema
    plain = without_dictionaries(path)
    positions = [
        position
        for position in range(len(about))
        if about.column(position).physical_type == "BYTE_ARRAY" and position not in plain
    ]
    paths = {position: about.column(position).path for position in positions}
    found: dict[str, None] = {}
    with parquet.ParquetFile(path, read_dictionary=[*paths.values()]) as file:
        for group in range(file.metadata.num_row_groups):
            for position, name in paths.items():
                column = inner_values(file.reader.read_row_group(group, column_indices=[position]).column(0))
                if not pa.types.is_dictionary(column.type) or name in found:
                    continue
                for chunk in column.chunks:
                    used = pc.count_distinct(chunk.indices.drop_null()).as_py()
                    if used < len(chunk.dictionary):
                        found[name] = None
    return list(found)
