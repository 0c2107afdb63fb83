"""anjana's hierarchies: a dict of columns, each a dict of levels, each a list of labels.

`{"age": {0: [21, 24], 1: ["20-29", "20-29"], 2: ["*", "*"]}}`: level 0 are the values, level 1 their labels
in the same order. Lists may be numpy arrays or pandas columns. Entries with a missing value are ignored. In a
JSON file the levels are text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.formats.text_files import read_json
from shoal.describe.hierarchies.listed_values import Listed
from shoal.describe.hierarchy import HierarchyError, Levels, as_text
from shoal.errors import InputError, Problem, nearest

SUMMARY = "anjana: JSON of `{column: {level: [labels]}}`"
SUFFIXES = (".json",)


@dataclass(frozen=True, slots=True)
class FromAnjana:
    """The hierarchy of one column, given in Python."""

    column: str
    listed: Listed

    def levels(self, values: pa.Array) -> Levels:
        return self.listed.levels(values)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return self.listed.knows(values)

    def to_spec(self) -> object:
        # There is no file, so reading this spec asks for the path.
        return {"file": {"format": "anjana", "column": self.column}}


def from_anjana(hierarchies: Mapping[str, Mapping[Any, Any]]) -> dict[str, FromAnjana]:
    """Return hierarchies in anjana's format as Shoal's.

    Parameters
    ----------
    hierarchies
        For each column the levels from 0 up, lists of equal length.

    Returns
    -------
        For each column a hierarchy for `Spec(quasi_identifiers=...)`.

    Examples
    --------
    >>> pets = from_anjana({"pet": {0: ["cat", "eel"], 1: ["furry", "wet"], 2: ["*", "*"]}})
    >>> pets["pet"].levels(pa.array(["eel"])).labels[1].to_pylist()
    ['wet']
    """
    if not isinstance(hierarchies, Mapping):
        raise InputError(
            "anjana's hierarchies must be a dict from columns to dicts of levels.\n"
            f"Found: {type(hierarchies).__name__}."
        )
    problems: list[Problem] = []
    found = {}
    for column, levels in hierarchies.items():
        try:
            found[str(column)] = FromAnjana(str(column), _listed(levels, f"the hierarchy of {str(column)!r}"))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def sniff(path: Path, beginning: str) -> bool:
    """Return whether a file is a JSON file in anjana's format."""
    if path.suffix.lower() not in SUFFIXES:
        return False
    try:
        content = read_json(path)
    except InputError:
        return False
    return (
        isinstance(content, Mapping)
        and bool(content)
        and all(
            isinstance(levels, Mapping)
            and "0" in levels
            and all(level.isdecimal() and isinstance(labels, list) for level, labels in levels.items())
            for levels in content.values()
        )
    )


def read(path: Path, delimiter: str | None = None, column: str | None = None) -> Listed:
    """Read the hierarchy of a column; the column is optional if there is only one.

    Raises
    ------
    InputError
        The column is missing, lists differ in length, or labels have more than one parent.
    """
    where = f"the hierarchy {path.name!r}"
    content = read_json(path)
    if not isinstance(content, Mapping) or not content:
        raise HierarchyError(f"{where} is not a mapping from columns to levels.")
    known = list(content)
    if column is None and len(known) > 1:
        raise HierarchyError(
            f"{where} has hierarchies of {len(known):,} columns: {', '.join(known[:20])}.\n"
            "Choose one: `{file: {path: ..., column: NAME}}`."
        )
    name = known[0] if column is None else column
    if name not in content:
        raise HierarchyError(
            f"{where} has no column {name!r}.\nColumns: {', '.join(known[:20])}.\n"
            f"{nearest(name, known).strip()}".rstrip()
        )
    return _listed(content[name], where)


def _listed(levels: object, where: str) -> Listed:
    if not isinstance(levels, Mapping) or not levels:
        raise HierarchyError(f"{where} is not a mapping from levels to lists of labels.")
    by_number = {str(level): labels for level, labels in levels.items()}
    numbers = sorted(int(level) for level in by_number if level.isascii() and level.isdecimal())
    if numbers != list(range(len(by_number))) or "0" not in by_number:
        found = ", ".join(list(by_number)[:10])
        raise HierarchyError(f"in {where}, the levels are not 0, 1, 2 and so on.\nFound: {found}.")
    labels, problems = [], []
    for number in numbers:
        try:
            labels.append(_texts(by_number[str(number)]))
        except (pa.ArrowException, TypeError, ValueError, OverflowError, HierarchyError):
            problems.append(Problem(f"in {where}, level {number} is not a list of values of one kind."))
    if not problems:
        lengths = [len(level) for level in labels]
        if len(set(lengths)) > 1:
            counts = ", ".join(f"level {number} has {length:,}" for number, length in enumerate(lengths))
            problems.append(Problem(f"in {where}, the levels differ in length.\nFound: {counts}."))
        elif not lengths[0]:
            problems.append(Problem(f"{where} is empty."))
    if problems:
        raise HierarchyError(problems)
    there = labels[0].is_valid()
    kept = [level.filter(there) for level in labels]
    if empty := [str(number) for number, level in enumerate(kept) if level.null_count]:
        raise HierarchyError(f"in {where}, values have no label at level {', '.join(empty)}.")
    listed = Listed.of(kept, where)
    # One entry per row of a table is usual, so repetitions are not worth a note.
    return Listed(listed.labels, where, tuple(note for note in listed.notes if "repetition" not in note))


def _texts(labels: Any) -> pa.Array:
    """Return labels of any kind as text, with NULL for missing values."""
    if isinstance(labels, str | bytes | Mapping):
        raise TypeError
    array = pa.array(labels, from_pandas=True)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    text = as_text(array)
    return pc.if_else(array.is_valid(), text, None).cast(pa.string())
