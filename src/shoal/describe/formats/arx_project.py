"""ARX projects (`.deid`): a ZIP file with the table, its hierarchies, and the requirements.

`metadata.xml` has the version, `project.xml` the delimiter (`separator`), `quote` and `escape` of the CSV
files, `data/input.csv` the table with a header. `input/definition.xml` has an element `assigment` (sic)
for each column, with its `name`, `type` (such as `QUASI_IDENTIFYING_ATTRIBUTE`), `datatype`, `format`, the
`ref` to its hierarchy in the same folder, and the `min` and `max` level or `All`. `input/config.xml` has
`relativeMaxOutliers`, the suppression limit, `metric` and each `criterion` as ARX's display text, and the
weights of columns.

Members that end in `.dat` are Java objects and cannot be read, so their content is lost: research subsets,
populations, parameters of measures. Everything that is not imported is listed, with the reason.

A project may come from anybody: XML with a DTD is refused, and so are names that lead out of the folder and
members that grow out of proportion.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from shoal.describe.formats import arx_criteria
from shoal.errors import InputError
from shoal.read.source import check_file

TABLE = "data/input.csv"

_BLOCK = 1 << 20
_MOST_XML = 1 << 24
_MOST_HIERARCHY = 1 << 28
_MOST_TOTAL = 1 << 36
_GROWTH = 500
"""Largest growth of a member when unpacked; CSV files grow about twentyfold."""

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    LookupError,
)
"""Exceptions of Python's ZIP reader on damaged files."""

_ROLES = (
    ("quasi", "quasi-identifier"),
    ("identifying", "identifier"),
    ("sensitive", "sensitive"),
    ("insensitive", "insensitive"),
)
_TYPES = {"integer": "integer", "decimal": "float"}
_DATE_PARTS = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}


@dataclass(frozen=True, slots=True)
class Project:
    """The usable content of a project file.

    Attributes
    ----------
    name
        Name of the file.
    spec
        Content for the YAML file of a spec, without the hierarchies: the writer of the hierarchy files adds
        their paths.
    hierarchies
        For each column the content of its file.
    delimiter
        Delimiter of the table and the hierarchies.
    has_data
        Whether there is a table.
    read, unread
        Imported settings; settings not imported, with the reason.
    """

    name: str
    spec: Mapping[str, Any]
    hierarchies: Mapping[str, bytes]
    delimiter: str
    has_data: bool
    read: tuple[str, ...]
    unread: tuple[str, ...]


def read_project(path: Path) -> Project:
    """Read a project file, apart from its table.

    Raises
    ------
    InputError
        It is not an ARX project, or is not safe to read.
    """
    check_file(path)
    with _open_archive(path) as archive:
        return _Reader(path.name, archive).project()


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Turn the exceptions of a damaged ZIP file into an `InputError`."""
    try:
        yield
    except _BROKEN:
        raise InputError(
            f"File {name!r} is not a complete ZIP file, as ARX projects are.\nSave it again from ARX."
        ) from None


@contextmanager
def _open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a ZIP file for a `with` block, if it is safe to read."""
    with _reading(path.name):
        archive = zipfile.ZipFile(path)
    with archive:
        _check_members(path.name, archive)
        yield archive


def read_table(path: Path) -> Iterator[bytes]:
    """Yield the table of a project in blocks."""
    with _open_archive(path) as archive:
        with _reading(path.name):
            file = archive.open(TABLE)
        with file:
            block = b"-"
            while block:
                with _reading(path.name):
                    block = file.read(_BLOCK)
                yield block


def _check_members(name: str, archive: zipfile.ZipFile) -> None:
    total = packed = 0
    for member in archive.infolist():
        parts = PurePosixPath(member.filename.replace("\\", "/")).parts
        if ".." in parts or member.filename.startswith(("/", "\\")) or ":" in (parts[0] if parts else ""):
            raise InputError(
                f"File {name!r} has a member whose name leads out of its folder.\n"
                "ARX writes no such files, so it is refused."
            )
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise InputError(f"File {name!r} is packed in a way that ARX does not use.\nIt is refused.")
        total += member.file_size
        packed += member.compress_size
    if total > _MOST_TOTAL or total > max(_GROWTH * packed, _MOST_XML):
        raise InputError(
            f"File {name!r} would grow to {total >> 20:,} MB from {packed >> 20:,} MB.\n"
            "Tables do not grow so much, so it is refused."
        )


class _Reader:
    """Reads a project, and notes what is imported and what is not."""

    def __init__(self, name: str, archive: zipfile.ZipFile) -> None:
        self.name = name
        self.archive = archive
        self.members = {name for name in archive.namelist() if name and not name.endswith("/")}
        self.used: set[str] = set()
        self.read: list[str] = []
        self.unread: list[str] = []

    def project(self) -> Project:
        syntax = _texts(self._xml("project.xml"))
        delimiter, written = self._input(syntax)
        definition = self._xml("input/definition.xml")
        if definition is None:
            raise InputError(
                f"File {self.name!r} has no 'input/definition.xml', which describes the columns.\n"
                "Check that this is an ARX project."
            )
        columns, hierarchies = self._columns(definition)
        config = self._xml("input/config.xml")
        spec: dict[str, Any] = {"input": written, "columns": columns}
        spec |= self._privacy(config, columns)
        self._weights(config, columns)
        has_data = TABLE in self.members
        if has_data:
            self.used.add(TABLE)
            self.read.append("the table")
        else:
            self.unread.append("the table: the project has none")
        self._others()
        return Project(
            self.name, spec, hierarchies, delimiter, has_data, tuple(self.read), tuple(self.unread)
        )

    def _input(self, syntax: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
        delimiter = syntax.get("separator", ";")
        if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '\r\n\0"':
            self.unread.append(f"the delimiter {delimiter!r}: it is not one character; `;` is used instead")
            delimiter = ";"
        quote, escape = syntax.get("quote", '"'), syntax.get("escape", '"')
        if escape not in ('"', quote):
            self.unread.append(f"the escape character {escape!r}: quotes inside cells must be doubled")
        written: dict[str, Any] = {"delimiter": delimiter, "quote": '"'}
        if len(quote) == 1 and quote.isascii() and quote not in delimiter + "\r\n\0":
            written["quote"] = quote
        self.read.append(f"the format of its files: delimiter {delimiter!r}, quote {written['quote']}")
        return delimiter, written | {"encoding": "utf-8", "null-values": ["NULL", "null"]}

    def _columns(self, definition: Element) -> tuple[dict[str, dict[str, Any]], dict[str, bytes]]:
        columns: dict[str, dict[str, Any]] = {}
        hierarchies = {}
        for assignment in definition.iter("assigment"):
            facts = _texts(assignment)
            name = facts.get("name", "")
            kind = facts.get("type", "").lower()
            role = next((role for begins, role in _ROLES if kind.startswith(begins)), None)
            if not name or name in columns or role is None:
                what = repr(name) if name else "without a name"
                reason = "it is listed twice" if name in columns else "its name or type is unknown"
                self.unread.append(f"the column {what}: {reason}")
                continue
            columns[name] = {"role": role}
            if ref := facts.get("ref"):
                content = self._bytes(f"input/{ref}", _MOST_HIERARCHY)
                if content is None:
                    self.unread.append(f"the hierarchy of {name!r}: the project lacks its file")
                elif role in ("quasi-identifier", "sensitive"):
                    hierarchies[name] = content
            if role == "quasi-identifier":
                columns[name] |= self._levels(name, facts)
            elif role == "sensitive" and name not in hierarchies:
                columns[name] |= self._type(name, facts)
            if function := facts.get("microAggregationFunction"):
                self.unread.append(f"the microaggregation of {name!r} by {function!r}: not supported")
        if not columns:
            raise InputError(f"File {self.name!r} has no columns in 'input/definition.xml'.")
        self.read.append(f"the roles of {len(columns):,} columns")
        if hierarchies:
            self.read.append(f"the hierarchies of {', '.join(map(repr, hierarchies))}")
        return columns, hierarchies

    def _levels(self, name: str, facts: Mapping[str, str]) -> dict[str, Any]:
        bounds = {}
        for key, written in (("min", "min-level"), ("max", "max-level")):
            text = facts.get(key, "All")
            if re.fullmatch(r"[0-9]{1,3}", text):
                bounds[written] = int(text)
            elif text.lower() != "all":
                self.unread.append(f"the {key} level of {name!r}: it is neither a number nor `All`")
        return {key: value for key, value in bounds.items() if (key, value) != ("min-level", 0)}

    def _type(self, name: str, facts: Mapping[str, str]) -> dict[str, Any]:
        """Return the type of a column whose values a model may need to sort."""
        kind, form = facts.get("datatype", "").lower(), facts.get("format")
        if kind in _TYPES and not form:
            return {"type": _TYPES[kind]}
        if kind == "date" and (pattern := _date_format(form or "")):
            return {"type": {"date": pattern}}
        if kind not in ("", "string"):
            shown = f"{kind} in the format {form!r}" if form else kind
            self.unread.append(f"the type of {name!r}, {shown}: its values are read as text")
        return {}

    def _privacy(self, config: Element | None, columns: Mapping[str, Any]) -> dict[str, Any]:
        facts = _texts(config)
        spec: dict[str, Any] = {"privacy": []}
        for element in () if config is None else config.iter("criterion"):
            text = (element.text or "").strip()
            written = arx_criteria.criterion(text)
            if not isinstance(written, str):
                argument = next(iter(written.values()))
                column = argument.get("column") if isinstance(argument, Mapping) else None
                if column is not None and columns.get(column, {}).get("role") != "sensitive":
                    written = f"column {column!r} is not sensitive"
            if isinstance(written, str):
                self.unread.append(f"the criterion {text!r}: {written}")
            elif written not in spec["privacy"]:
                spec["privacy"].append(written)
                self.read.append(f"the criterion {text!r}")
        if not spec["privacy"]:
            self.unread.append("the privacy models of the release: write them under `privacy:`")
        spec["suppression"] = self._suppression(facts.get("relativeMaxOutliers"))
        if metric := facts.get("metric"):
            name, notes = arx_criteria.measure(metric)
            spec["quality"] = name or "loss"
            if name:
                self.read.append(f"the measure {metric!r}")
            self.unread.extend(f"the measure {metric!r}: {note}" for note in notes)
        spec["suppressed"] = "star"
        types = [element.text or "" for element in _below(config, "suppressedAttributeTypes", "type")]
        if others := [text for text in types if not text.lower().startswith("quasi")]:
            listed = ", ".join(others)
            self.unread.append(f"the suppression of {listed}: Shoal stars only quasi-identifiers")
        return spec

    def _suppression(self, text: str | None) -> float:
        try:
            limit = float(text or "0")
        except ValueError:
            limit = -1.0
        if not 0 <= limit <= 1:
            self.unread.append(f"the suppression limit {text!r}: it is not a share; 0 is used instead")
            return 0.0
        self.read.append(f"the suppression limit {limit:g}")
        return limit

    def _weights(self, config: Element | None, columns: Mapping[str, dict[str, Any]]) -> None:
        found = 0
        for element in _below(config, "attributeWeights", "attributeWeight"):
            facts = _texts(element)
            name, text = facts.get("attribute", ""), facts.get("weight", "")
            if columns.get(name, {}).get("role") != "quasi-identifier":
                continue
            try:
                weight = float(text)
            except ValueError:
                weight = -1.0
            if not 0 < weight <= 1e6:
                self.unread.append(f"the weight {text!r} of {name!r}: it is not a positive number")
            else:
                columns[name]["weight"] = weight
                found += 1
        if found:
            self.read.append(f"the weights of {found:,} columns")

    def _others(self) -> None:
        left = sorted(self.members - self.used - {"metadata.xml"})
        objects = [name for name in left if name.endswith(".dat")]
        results = [name for name in left if name not in objects]
        if objects:
            self.unread.append(f"{', '.join(objects)}: only Java can read them")
        if results:
            shown = ", ".join(results[:10]) + (f" and {len(results) - 10:,} more" if results[10:] else "")
            self.unread.append(f"{shown}: results and views of ARX")

    def _bytes(self, member: str, most: int) -> bytes | None:
        if member not in self.members:
            return None
        self.used.add(member)
        if self.archive.getinfo(member).file_size > most:
            raise InputError(f"Member {member!r} of file {self.name!r} is too large: over {most >> 20:,} MB.")
        with _reading(self.name):
            return self.archive.read(member)

    def _xml(self, member: str) -> Element | None:
        content = self._bytes(member, _MOST_XML)
        return None if content is None else parse_xml(content, f"Member {member!r} of file {self.name!r}")


@dataclass(slots=True)
class _Depth:
    """Builds elements, and refuses those nested deeper than in ARX files."""

    builder: TreeBuilder = field(default_factory=TreeBuilder)
    depth: int = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > 20:
            raise _UnsafeError
        self.builder.start(tag, attributes)

    def end(self, tag: str) -> None:
        self.depth -= 1
        self.builder.end(tag)


class _UnsafeError(Exception):
    """XML that ARX does not write."""


def parse_xml(content: bytes, where: str) -> Element:
    """Return the root of an XML text without a DTD, and so without entities of its own.

    Raises
    ------
    InputError
        It is not valid XML, has a DTD, or is nested too deep.

    Examples
    --------
    >>> parse_xml(b"<config><metric>Height</metric></config>", "The text")[0].text
    'Height'
    """
    elements = _Depth()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = elements.start
    parser.EndElementHandler = elements.end
    parser.CharacterDataHandler = elements.builder.data

    def refuse(*_: object) -> None:
        raise _UnsafeError

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse  # type: ignore[assignment]
    try:
        parser.Parse(content, True)
    except _UnsafeError:
        raise InputError(
            f"{where} has a DTD or is nested too deep.\nARX writes no such files, so it is refused."
        ) from None
    except expat.ExpatError as error:
        raise InputError(
            f"{where} is not valid XML in line {error.lineno:,}: {expat.ErrorString(error.code)}."
        ) from None
    except (ValueError, LookupError):  # an unknown encoding
        raise InputError(f"{where} is not valid XML.\nCheck its encoding.") from None
    return elements.builder.close()


def _texts(element: Element | None) -> dict[str, str]:
    """Return the text of each direct child of an element, by its name."""
    if element is None:
        return {}
    texts = ((child.tag, child.text or "") for child in element)
    return {tag: text if tag in ("separator", "quote", "escape") else text.strip() for tag, text in texts}


def _below(element: Element | None, outer: str, inner: str) -> list[Element]:
    return [] if element is None else [found for part in element.iter(outer) for found in part.iter(inner)]


def _date_format(java: str) -> str | None:
    """Return a purely numeric date format of Java in Python's form, else None.

    Examples
    --------
    >>> _date_format("dd.MM.yyyy"), _date_format("d MMM yy")
    ('%d.%m.%Y', None)
    """
    parts = re.findall(r"[A-Za-z]+|[^A-Za-z]+", java)
    if not java or any(part[0].isalpha() and part not in _DATE_PARTS for part in parts) or "%" in java:
        return None
    return "".join(_DATE_PARTS.get(part, part) for part in parts)
