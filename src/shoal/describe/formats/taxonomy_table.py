"""Taxonomies in CSV files with a header: a parent for each label, or a column for each level."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchies.listed_values import Listed
from shoal.describe.hierarchies.tree import ROOT, Position, Tree
from shoal.describe.hierarchy import ANYTHING, HierarchyError
from shoal.read.delimited import Delimited, open_delimited
from shoal.read.source import InputFormat, check_names, check_wanted


def read_parents(path: Path, child: str, parent: str, delimiter: str | None = None) -> Listed:
    """Return the hierarchy of a table in which each label has a row with its parent.

    A label with an empty parent, or without a row of its own, is at the top.

    Raises
    ------
    InputError
        With the lines of all problems: labels with two parents, labels above themselves.
    """
    where = f"the taxonomy {path.name!r}"
    file, table = _read(path, [child, parent], delimiter)
    children, parents = (column.to_pylist() for column in table.columns)
    rows: dict[str, dict[str, int]] = {}  # child -> its parents, each with the first row of the pair
    problems, again = [], 0
    tree = Tree(where)
    nameless = [row for row, label in enumerate(children) if not label]
    for row, (label, above) in enumerate(zip(children, parents, strict=True)):
        if label:
            again += above in rows.setdefault(label, {})
            rows[label].setdefault(above, row)
    torn = {label: sorted(found.values()) for label, found in rows.items() if len(found) > 1}
    above_of = {label: next(iter(found)) for label, found in rows.items()}
    cycles = _cycles(above_of)
    if nameless or torn or cycles:
        lines = list(_lines(file))
        if nameless:
            have = "1 row has" if len(nameless) == 1 else f"{len(nameless):,} rows have"
            found_in = [str(lines[row]) for row in nameless]
            problems.append(tree.problem(f"{have} no label in column {child!r}", found_in, "Fill it in."))
        if torn:
            have = "1 label has" if len(torn) == 1 else f"{len(torn):,} labels have"
            found_in = [_together(lines, found) for found in torn.values()]
            problems.append(tree.problem(f"{have} more than one parent", found_in, "Keep one.", torn))
        if cycles:
            form = "some labels form a cycle" if len(cycles) == 1 else f"labels form {len(cycles):,} cycles"
            found_in = [
                _together(lines, sorted(rows[label][above_of[label]] for label in circle))
                for circle in cycles
            ]
            labels = [label for circle in cycles for label in circle]
            advice = "Leave the parent of the topmost label empty."
            problems.append(tree.problem(form, found_in, advice, labels))
        raise HierarchyError(problems)
    if again:
        repeat = (
            f"1 row of {where} is a repetition"
            if again == 1
            else f"{again:,} rows of {where} are repetitions"
        )
        tree.notes = (f"{repeat}.",)
    _add_all(tree, above_of)
    return tree.listed()


def read_columns(path: Path, columns: Sequence[str], delimiter: str | None = None) -> Listed:
    """Return the hierarchy of a table with a column for each level, beginning with the values.

    An empty cell means that a label has no group at that level, and keeps itself as its label.

    Raises
    ------
    InputError
        Rows of the same value differ, labels have more than one parent, or rows have no value.
    """
    where = f"the taxonomy {path.name!r}"
    file, table = _read(path, columns, delimiter)
    levels = [column.combine_chunks() for column in table.columns]
    nameless = pc.equal(levels[0], "")
    if pc.any(nameless).as_py():
        lines = list(_lines(file))
        found_in = [str(lines[row]) for row, empty in enumerate(nameless.to_pylist()) if empty]
        have = "1 row has" if len(found_in) == 1 else f"{len(found_in):,} rows have"
        raise HierarchyError(
            Tree(where).problem(f"{have} no value in column {columns[0]!r}", found_in, "Fill it in.")
        )
    if not len(levels[0]):
        raise HierarchyError(f"{where} has a header but no rows.\nAdd a row for each value.")
    for lower, upper in pairwise(range(len(levels))):
        levels[upper] = pc.if_else(pc.equal(levels[upper], ""), levels[lower], levels[upper])
    if len(levels) == 1 or len(levels[-1].unique()) > 1:
        levels.append(pa.repeat(ANYTHING, len(levels[0])))
    return Listed.of(levels, where, lambda: [position.line for position in _lines(file)])


def _read(path: Path, columns: Sequence[str], delimiter: str | None) -> tuple[Delimited, pa.Table]:
    file = open_delimited(path, InputFormat(delimiter))
    names = check_names(file.first, f"File {path.name!r}")
    check_wanted(columns, names, f"file {path.name!r}")
    types = dict.fromkeys(columns, pa.string())
    return file, file.read(names, types, header=True, null_values=[], empty_lines=True).select(list(columns))


def _lines(file: Delimited) -> Iterator[Position]:
    """Yield the line in which each row begins."""
    encoding = "utf-8-sig" if file.encoding == "utf-8" else file.encoding
    opened = gzip.open if file.path.suffix.lower() == ".gz" else open
    with opened(file.path, "rt", encoding=encoding, newline="") as text:
        reader = csv.reader(text, delimiter=file.delimiter, quotechar=file.quote)
        line, header = 1, True
        for record in reader:
            # An empty line is a cell in a file of one column, and nothing in others.
            if not header and (record or len(file.first) == 1):
                yield Position(line)
            header = header and not record
            line = reader.line_num + 1


def _cycles(above: dict[str, str]) -> list[list[str]]:
    """Return the cycles of labels that are above themselves."""
    done: set[str] = set()
    circles = []
    for start in above:
        path: dict[str, None] = {}
        label = start
        while label in above and label not in done and label not in path:
            path[label] = None
            label = above[label]
        if label in path:
            walked = list(path)
            circles.append(walked[walked.index(label) :])
        done.update(path)
    return circles


def _add_all(tree: Tree, above: dict[str, str]) -> None:
    """Add each label after its parent."""
    numbers: dict[str, int] = {"": ROOT}
    for start in above:
        path = [start]
        while path[-1] not in numbers:
            path.append(above.get(path[-1], ""))
        for label in reversed(path[:-1]):
            numbers[label] = tree.add(label, numbers[above.get(label, "")])


def _together(lines: Sequence[Position], rows: Sequence[int]) -> str:
    shown = " and ".join(str(lines[row]) for row in rows[:3])
    return f"{shown} and {len(rows) - 3:,} more" if len(rows) > 3 else shown
