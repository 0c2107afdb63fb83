"""Amnesia's hierarchies: text files, and the same as JSON.

The text begins with `distinct` or `range`, followed by `name X`, `type int|decimal|string|date` and `height
H`, which counts the leaves as a level. After a blank line come blocks from the bottom up, separated by blank
lines; each line is `parent has child child ...`, split at spaces. So labels contain no spaces.

In a `distinct` hierarchy the children without children are the values. In a `range` hierarchy all labels are
ranges `lo,hi` of numbers or dates (`2000`, `3/2000`, `31/12/2000`), and a value belongs to the smallest range
around it. A range includes its ends, except an end at which the next range begins. Labels become intervals,
`[0, 10)` and `[2000-01-01, 2000-12-31]`, with dates in the format of this package.

JSON has the same keys, with `hierType` for the first line, and `level1` .. `level(H-1)` from the top down,
each `{parent: [children]}`; its ranges are `lo-hi`.

`null,null` and `NaN,NaN` among ranges mean missing values and are ignored: NULL keeps its own label below the
top. `NaN` among distinct values is ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from shoal.describe.formats.ranges import NUMBER, Kind, Ranges, ValueRange, joined, last_day
from shoal.describe.formats.text_files import read_json, read_text, shortened
from shoal.describe.hierarchies.listed_values import Listed
from shoal.describe.hierarchies.tree import ROOT, Position, Tree
from shoal.describe.hierarchy import HierarchyError, check_height
from shoal.errors import InputError, Problem

SUMMARY = "Amnesia: text of `parent has child child` lines, or JSON"
SUFFIXES = (".txt", ".json")

_KINDS = ("distinct", "range")
_HEADER = ("name", "type", "height")
_NULL = {"null", "(null)", "null,null", "null-null", "nan,nan", "nan-nan"}
_NUMBERS = re.compile(rf"([+-]?{NUMBER})[,-]([+-]?{NUMBER})")
_DATE = r"(?:(?:([0-9]{1,2})/)?([0-9]{1,2})/)?([0-9]{4})"
_DATES = re.compile(rf"{_DATE}(?:[,-]{_DATE})?")
_SHOWN = 5


class Edge(NamedTuple):
    """A label and a label below it, with the line or level in the file."""

    parent: str
    child: str
    origin: str


def sniff(path: Path, beginning: str) -> bool:
    """Return whether a file is in Amnesia's format."""
    if path.suffix.lower() == ".json":
        try:
            content = read_json(path)
        except InputError:
            return False
        return isinstance(content, Mapping) and "hierType" in content
    first, *others = beginning.split("\n")[:4]
    header = [line.split(" ")[0].lower() for line in others]
    return first.strip().lower() in _KINDS and any(word in _HEADER for word in header)


def read(path: Path, delimiter: str | None = None, column: str | None = None) -> Listed | Ranges:
    """Read a file.

    Raises
    ------
    InputError
        With every problem and its lines.
    """
    where = f"the hierarchy {path.name!r}"
    found = _from_json(path, where) if path.suffix.lower() == ".json" else _from_text(path, where)
    kind, nodes, edges = found
    if not edges:
        raise HierarchyError(f"{where} has no labels.\nGive it lines `parent has child child ...`.")
    tree = _tree(edges, where)
    if kind == "distinct":
        return tree.listed()
    return _ranges(tree, "date" if nodes == "date" else "number", where)


def _from_text(path: Path, where: str) -> tuple[str, str, list[Edge]]:
    lines = [line.strip() for line in read_text(path).split("\n")]
    header: dict[str, tuple[str, int]] = {}
    problems = []
    start = 1
    kind = lines[0].lower()
    if kind not in _KINDS:
        problems.append(_wrong(where, "the first line is neither `distinct` nor `range`"))
    for start, line in enumerate(lines[1:], start=2):
        if not line:
            break
        word, _, value = line.partition(" ")
        if word.lower() in _HEADER:
            header[word.lower()] = (value.strip(), start)
        else:
            problems.append(_wrong(where, f"line {start} is not one of {', '.join(_HEADER)}"))
            break
    edges: list[Edge] = []
    blocks, before, strange = 0, "", []
    for number, line in enumerate(lines[start:], start=start + 1):
        blocks += bool(line and not before)
        before = line
        parent, *rest = [token for token in line.split(" ") if token] or [""]
        if line and (len(rest) < 2 or rest[0] != "has"):
            strange.append(number)
        edges.extend(Edge(parent, child, f"line {number:,}") for child in rest[1:])
    if strange:
        listed = ", ".join(f"line {number:,}" for number in strange[:_SHOWN])
        more = f" and {len(strange) - _SHOWN:,} more" if len(strange) > _SHOWN else ""
        are = "1 line is" if len(strange) == 1 else f"{len(strange):,} lines are"
        problems.append(
            Problem(
                f"in {where}, {are} not `parent has child child ...`.\nFound: {listed}{more}.\n"
                "Labels must not contain spaces."
            )
        )
    height, line_of_height = header.get("height", (None, 0))
    if height is not None and not problems and height != str(blocks + 1):
        problems.append(
            _wrong(
                where,
                f"the height in line {line_of_height} is {height!r}, but there are {blocks + 1} levels: "
                "one of values, and one for each block of lines",
            )
        )
    if problems:
        raise HierarchyError(problems)
    return kind, header.get("type", ("string", 0))[0].lower(), edges


def _from_json(path: Path, where: str) -> tuple[str, str, list[Edge]]:
    content = read_json(path)
    if not isinstance(content, Mapping):
        raise HierarchyError(
            f"{where} is not a mapping.\nAmnesia's format has the keys hierType, level1, level2 ..."
        )
    kind = str(content.get("hierType")).lower()
    problems = []
    if kind not in _KINDS:
        problems.append(_wrong(where, "`hierType` is neither `distinct` nor `range`"))
    numbers = sorted(int(key[5:]) for key in content if re.fullmatch(r"level[1-9][0-9]{0,3}", key))
    if numbers != list(range(1, len(numbers) + 1)):
        problems.append(_wrong(where, f"the levels are not 1 to {len(numbers)}"))
    height = content.get("height")
    if height is not None and height != str(len(numbers) + 1):
        problems.append(_wrong(where, f"the height is {height!r}, but there are {len(numbers) + 1} levels"))
    edges: list[Edge] = []
    for number in reversed(numbers):
        level = content[f"level{number}"]
        groups = level.items() if isinstance(level, Mapping) else [("", None)]
        for parent, children in groups:
            if not isinstance(children, list) or not all(isinstance(child, str) for child in children):
                problems.append(
                    _wrong(where, f"`level{number}` is not a mapping from labels to lists of labels")
                )
                break
            edges.extend(Edge(parent, child, f"level{number}") for child in children)
    if problems:
        raise HierarchyError(problems)
    return kind, str(content.get("type", "string")).lower(), edges


def _tree(edges: list[Edge], where: str) -> Tree:
    """Build the tree of edges, or raise with labels that have several parents or are their own ancestors."""
    parents: dict[str, list[Edge]] = {}
    children: dict[str, list[Edge]] = {}
    for edge in edges:
        parents.setdefault(edge.child, []).append(edge)
        children.setdefault(edge.parent, []).append(edge)
    problems = []
    if torn := [several for several in parents.values() if len(several) > 1]:
        are = "1 label is" if len(torn) == 1 else f"{len(torn):,} labels are"
        lines = (" and ".join(dict.fromkeys(edge.origin for edge in several[:_SHOWN])) for several in torn)
        problems.append(
            Problem(
                f"in {where}, {are} under more than one label, or listed more than once.\n"
                f"Found: {_listed(lines, len(torn))}.\nList each label once.",
                tuple(several[0].child for several in torn),
            )
        )
    tree = Tree(where)
    roots = [parent for parent in children if parent not in parents]
    waiting = [(root, ROOT, children[root][0].origin) for root in reversed(roots)]
    reached = 0
    while waiting and not problems:
        label, above, origin = waiting.pop()
        reached += above != ROOT
        number = tree.add(label, above, _position(origin))
        waiting += ((edge.child, number, edge.origin) for edge in reversed(children.get(label, ())))
    if not problems and reached < len(edges):
        known = set(tree.labels)
        lost = list(dict.fromkeys(edge.origin for edge in edges if edge.parent not in known))
        problems.append(
            Problem(
                f"in {where}, some labels are below themselves.\nFound: {_listed(lost, len(lost))}.\n"
                "Remove the cycle."
            )
        )
    if problems:
        raise HierarchyError(problems)
    return tree


def _ranges(tree: Tree, kind: Kind, where: str) -> Ranges:
    """Return the labels of a tree as ranges."""
    found: dict[int, ValueRange] = {}
    problems = []
    for number, label in enumerate(tree.labels):
        each = _range(label, kind)
        if each is not None:
            found[number] = each
        elif label.lower() not in _NULL:
            example = "1/1/2000,31/12/2009" if kind == "date" else "0,9.5"
            problems.append(
                _wrong(where, f"{_named(tree, number)} is not a range of {kind}s such as {example}")
            )
    for number, each in found.items():
        above = found.get(tree.parents[number])
        if above and not (_ends(each)[0] >= _ends(above)[0] and _ends(each)[1] <= _ends(above)[1]):
            parent = shortened(tree.labels[tree.parents[number]])
            problems.append(_wrong(where, f"{_named(tree, number)} is not within {parent!r}"))
    inner = set(tree.parents)
    leaves = sorted((number for number in found if number not in inner), key=lambda leaf: _ends(found[leaf]))
    disjoint = []
    for index, each in enumerate(joined([found[leaf] for leaf in leaves])):
        if each is None:
            names = f"{_named(tree, leaves[index])} and {_named(tree, leaves[index + 1])}"
            problems.append(_wrong(where, f"{names} overlap"))
        else:
            disjoint.append(each)
    if not leaves and not problems:
        problems.append(_wrong(where, "there is no range"))
    if problems:
        raise HierarchyError(_first(problems))
    labels = _range_labels(tree, found, leaves, {each.high for each in disjoint if each.half_open}, kind)
    notes: tuple[str, ...] = ()
    if (tops := len({path[-1] for path in labels})) > 1:
        notes = (f"{where} has {tops:,} labels at its top, so none covers everything.",)
    return Ranges(tuple(disjoint), labels, kind, where, notes=notes)


def _range_labels(
    tree: Tree,
    found: Mapping[int, ValueRange],
    leaves: Iterable[int],
    open_ends: Collection[Decimal | None],
    kind: Kind,
) -> tuple[tuple[str, ...], ...]:
    """Return the labels of each range; a label is half-open if the last of its ranges is."""
    paths = []
    for leaf in leaves:
        path, number = [], leaf
        while number in found:
            low, high = _ends(found[number])
            path.append(ValueRange(low, high, half_open=high in open_ends).label(kind))
            number = tree.parents[number]
        paths.append(tuple(path))
    # Less deep ranges stay unchanged up to the level of the others.
    height = max(map(len, paths))
    check_height(height)
    return tuple((path[0],) * (height - len(path)) + path for path in paths)


def _range(label: str, kind: Kind) -> ValueRange | None:
    """Return the range in a label, if it is one.

    Examples
    --------
    >>> _range("-5,10.5", "number").label("number"), _range("2/2000", "date").label("date")
    ('[-5, 10.5]', '[2000-02-01, 2000-02-29]')
    """
    if kind == "number":
        if not (found := _NUMBERS.fullmatch(label)):
            return None
        low, high = Decimal(found[1]), Decimal(found[2])
    else:
        if not (found := _DATES.fullmatch(label)):
            return None
        try:
            low = _day(found.group(1, 2, 3), last=False)
            high = _day(found.group(4, 5, 6) if found[6] else found.group(1, 2, 3), last=True)
        except ValueError:
            return None
    return ValueRange(low, high) if low <= high else None


def _day(parts: tuple[Any, ...], *, last: bool) -> Decimal:
    """Return the first or last day of `(day, month, year)`, in which day and month may be None."""
    year = int(parts[2])
    month = int(parts[1]) if parts[1] else (12 if last else 1)
    if not 1 <= month <= 12 or year < 1:
        raise ValueError
    day = int(parts[0]) if parts[0] else (last_day(year, month) if last else 1)
    return Decimal(date(year, month, day).toordinal())


def _ends(each: ValueRange) -> tuple[Decimal, Decimal]:
    assert each.low is not None and each.high is not None
    return each.low, each.high


def _position(text: str) -> Position | None:
    return Position(int(text[5:].replace(",", ""))) if text.startswith("line ") else None


def _named(tree: Tree, number: int) -> str:
    position = tree.positions[number]
    return f"{shortened(tree.labels[number])!r}{f' in {position}' if position else ''}"


def _wrong(where: str, what: str) -> Problem:
    return Problem(f"in {where}, {what}.")


def _listed(lines: Iterable[str], count: int) -> str:
    more = f" and {count - _SHOWN:,} more" if count > _SHOWN else ""
    return f"{'; '.join(islice(lines, _SHOWN))}{more}"


def _first(problems: list[Problem]) -> Iterator[Problem]:
    """Yield the first problems, and the number of others."""
    yield from problems[:_SHOWN]
    if len(problems) > _SHOWN:
        yield Problem(f"and {len(problems) - _SHOWN:,} more such problems.")
