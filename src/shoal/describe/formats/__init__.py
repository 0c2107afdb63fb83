"""Hierarchies in the files of other tools: one module per format.

A format is a module with `SUMMARY`, `SUFFIXES`, `sniff` and `read`; its docstring describes the format.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Protocol, TypeAlias, cast

import pyarrow as pa

from shoal.describe.formats.ranges import Ranges
from shoal.describe.hierarchies.listed_values import Listed
from shoal.describe.hierarchy import HierarchyError, Levels
from shoal.errors import InputError, nearest
from shoal.read.source import check_file

Read: TypeAlias = Listed | Ranges
"""The content of a file: listed values, or ranges of numbers or dates."""

# In the order in which `sniff` is called; the last format accepts any file.
_MODULES = {
    "argus": "shoal.describe.formats.argus",
    "amnesia": "shoal.describe.formats.amnesia",
    "anjana": "shoal.describe.formats.anjana",
    "nested": "shoal.describe.formats.nested",
    "arx": "shoal.describe.formats.arx",
}

NESTED_SUFFIXES = (".yaml", ".yml", ".json")

_JAVA_OBJECT = b"\xac\xed\x00\x05"
_BEGINNING_BYTES = 4096


class Format(Protocol):
    """The interface of a module that reads a format."""

    @property
    def SUMMARY(self) -> str:  # noqa: N802 (a constant of a module)
        """The format in one line."""
        ...

    @property
    def SUFFIXES(self) -> tuple[str, ...]:  # noqa: N802
        """The usual suffixes of its files."""
        ...

    def sniff(self, path: Path, beginning: str) -> bool:
        """Return whether a file seems to be in this format, by its name and its beginning."""
        ...

    def read(self, path: Path, delimiter: str | None = None, column: str | None = None) -> Read:
        """Read a file; some formats have a delimiter, or the hierarchies of several columns."""
        ...


def names() -> tuple[str, ...]:
    """Return the known formats, sorted.

    Examples
    --------
    >>> names()
    ('amnesia', 'anjana', 'argus', 'arx', 'nested')
    """
    return tuple(sorted(_MODULES))


def find(name: str) -> Format:
    """Return the module that reads a format.

    Examples
    --------
    >>> find("amnesa")
    Traceback (most recent call last):
    shoal.errors.InputError: Unknown format 'amnesa' of a hierarchy.
    Known: amnesia, anjana, argus, arx, nested.
    Did you mean 'amnesia'?
    """
    if name not in _MODULES:
        listed = ", ".join(names())
        near = nearest(name, names()).strip()
        raise InputError(f"Unknown format {name!r} of a hierarchy.\nKnown: {listed}.\n{near}".rstrip())
    return cast(Format, import_module(_MODULES[name]))


def format_of(path: Path) -> str:
    """Return the format of a file, by its name and its beginning."""
    check_file(path)
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING_BYTES)
    _check_readable(path, beginning)
    text = beginning.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return next(name for name in _MODULES if find(name).sniff(path, text))


def read_file(
    path: Path, format: str | None = None, delimiter: str | None = None, column: str | None = None
) -> Read:
    """Read the hierarchy in a file.

    Parameters
    ----------
    format
        Format of the file (detected by default).
    delimiter
        Delimiter of a CSV file (detected by default).
    column
        Column to read, if a file has the hierarchies of several.

    Raises
    ------
    HierarchyError
        With every problem of the file.
    """
    try:
        found = format_of(path) if format is None else format
        if format is not None:
            check_file(path)
            with path.open("rb") as file:
                _check_readable(path, file.read(_BEGINNING_BYTES))
        return find(found).read(path, delimiter, column)
    except HierarchyError:
        raise
    except InputError as error:
        raise HierarchyError(error.problems) from None


def write_file(levels: Levels, path: Path) -> None:
    """Write labels in depth-first order: a CSV file for ARX, or a nested taxonomy, by the suffix.

    The order of the table would reveal something about the table.
    """
    from shoal.describe.formats import arx, nested_writer
    from shoal.describe.hierarchy_drawing import in_order

    order = pa.array(in_order(levels))
    labels = [each.take(order) for each in levels.labels]
    write = nested_writer.write if path.suffix.lower() in NESTED_SUFFIXES else arx.write
    write(Levels.of(labels[0], labels[1:]), path)


def _check_readable(path: Path, beginning: bytes) -> None:
    suffix = path.suffix.lower()
    if beginning.startswith(_JAVA_OBJECT) or suffix == ".ahs":
        raise HierarchyError(
            f"the hierarchy {path.name!r} is in ARX's binary format (.ahs).\n"
            "Open it in ARX and export it as CSV."
        )
    if suffix == ".deid":
        raise HierarchyError(
            f"{path.name!r} is an ARX project, with hierarchies of several columns.\n"
            f"Import it first: shoal import {path.name} --output FOLDER."
        )
    if suffix == ".cdl":
        raise HierarchyError(
            f"{path.name!r} is a code list of mu-Argus, which has labels but no levels.\n"
            "Use the recode file that refers to it (.grc)."
        )
