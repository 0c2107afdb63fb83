"""mu-Argus' global recodes (`.grc`) and code lists (`.cdl`).

Each line of a recode is `new: codes`. Codes are separated by commas: a single code (`7`), a range with both
ends (`21-30`), all up to a number (`-20`) or all from a number on (`61-`). Optional lines are `<MISSING> 98
99`, the codes for missing values, and `<CODELIST> age.cdl`, a file in the same folder with lines
`code,label`.

A recode is one level: a value, its new code, `*`. With a code list the level has its labels. Codes that are
numbers are compared as numbers, others as text. A code for missing values stays unchanged, or gets its label.
A value that no line lists is unknown; `missing-values: own` keeps it unchanged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

from shoal.describe.formats.ranges import NUMBER, Ranges, ValueRange, number_from
from shoal.describe.formats.text_files import read_text
from shoal.describe.hierarchy import ANYTHING, HierarchyError
from shoal.errors import InputError, Problem
from shoal.read.source import check_file

SUMMARY = "mu-Argus: a recode `new: codes` (.grc), with its code list (.cdl)"
SUFFIXES = (".grc",)

_TAG = re.compile(r"<(\w+)>\s*(.*)")
_RANGE = re.compile(rf"({NUMBER})?\s*-\s*({NUMBER})?")
_SHOWN = 5


class _Recode(NamedTuple):
    """One of the codes before a new one: a range of numbers, or a text."""

    old: ValueRange | str
    new: str
    line: int


@dataclass(slots=True)
class _File:
    """The content of a file, and its problems."""

    path: Path
    recodes: list[_Recode] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def where(self) -> str:
        return f"the hierarchy {self.path.name!r}"

    def refuse(self, what: str) -> None:
        self.problems.append(_wrong(self.where, what))


def sniff(path: Path, beginning: str) -> bool:
    """Return whether a file is a recode, by its name alone."""
    return path.suffix.lower() in SUFFIXES


def read(path: Path, delimiter: str | None = None, column: str | None = None) -> Ranges:
    """Read a recode, and its code list.

    Raises
    ------
    InputError
        With every problem and its lines.
    """
    file = _File(path)
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        text = line.strip()
        if tag := _TAG.fullmatch(text):
            _read_tag(file, tag[1], tag[2], number)
        elif text:
            _read_recode(file, text, number)
    if not file.recodes and not file.problems:
        file.refuse("there is no line `new: code, code, ...`")
    names = _names(file.labels, [recode.new for recode in file.recodes] + file.missing)
    alone: dict[str, tuple[str, ...]] = {}
    numbers = []
    for recode in file.recodes:
        labels = (names[recode.new], ANYTHING)
        if isinstance(recode.old, ValueRange):
            numbers.append((recode.old, labels, recode.line))
        elif alone.setdefault(recode.old, labels) != labels:
            file.refuse(f"line {recode.line:,} repeats a code")
    numbers.sort(key=lambda recoded: (recoded[0].low is not None, recoded[0].low or Decimal(0)))
    for (first, _, number), (second, _, other) in pairwise(numbers):
        if first.high is None or second.low is None or second.low <= first.high:
            lines = f"line {number:,}" if number == other else f"lines {number:,} and {other:,}"
            file.refuse(f"codes of {lines} overlap")
    if more := len(file.problems[_SHOWN:]):
        raise HierarchyError([*file.problems[:_SHOWN], f"and {more:,} more such problems."])
    if file.problems:
        raise HierarchyError(file.problems)
    for code in file.missing:
        alone.setdefault(code, (names[code], ANYTHING))
    return Ranges(
        tuple(old for old, _, _ in numbers),
        tuple(labels for _, labels, _ in numbers),
        "number",
        file.where,
        alone,
    )


def _read_tag(file: _File, tag: str, text: str, line: int) -> None:
    if tag.upper() == "MISSING":
        file.missing += text.replace(",", " ").split()
    elif tag.upper() == "CODELIST":
        file.labels = _code_list(file.path, text, file.problems)
    else:
        file.refuse(f"line {line:,} has the unknown tag <{tag[:20]}>")


def _read_recode(file: _File, text: str, line: int) -> None:
    new, colon, codes = (part.strip() for part in text.partition(":"))
    parts = [part.strip() for part in codes.split(",")]
    if not colon or not new or not all(parts):
        file.refuse(f"line {line:,} is not `new: code, code, ...`")
        return
    for part in parts:
        old = _old(part)
        if old is None:
            file.refuse(f"line {line:,} has a range without ends, or with its end below its start")
        else:
            file.recodes.append(_Recode(old, new, line))


def _old(part: str) -> ValueRange | str | None:
    """Return an old code as a range or text; None for an invalid range.

    Examples
    --------
    >>> _old("21-30").label("number"), _old("-20").label("number"), _old("61-").label("number"), _old("x")
    ('[21, 30]', '<= 20', '>= 61', 'x')
    """
    number = number_from(part) if part[0] not in "+-" else None
    if number is not None:
        return ValueRange(number, number)
    if not (found := _RANGE.fullmatch(part)):
        return part
    low, high = (None if end is None else Decimal(end) for end in found.groups())
    if (low is None and high is None) or (low is not None and high is not None and low > high):
        return None
    return ValueRange(low, high)


def _code_list(recode: Path, name: str, problems: list[Problem]) -> dict[str, str]:
    """Read the `code,label` lines of the file with this name in the folder of the recode."""
    # Recodes made on Windows have paths that do not exist here.
    path = recode.parent / (PureWindowsPath(name.strip().strip('"')).name or ".")
    labels: dict[str, str] = {}
    try:
        check_file(path)
        lines = read_text(path).split("\n")
    except InputError as error:
        problems += error.problems
        return {}
    for number, line in enumerate(lines, start=1):
        code, comma, label = (part.strip() for part in line.partition(","))
        if not line.strip():
            continue
        if not comma or not code:
            problems.append(_wrong(f"the code list {path.name!r}", f"line {number:,} is not `code,label`"))
        elif labels.setdefault(code, label or code) != (label or code):
            problems.append(_wrong(f"the code list {path.name!r}", f"line {number:,} repeats a code"))
    return labels


def _names(labels: dict[str, str], codes: list[str]) -> dict[str, str]:
    """Return the labels of codes; codes with the same label get it with the code."""
    named: dict[str, set[str]] = {}
    for code in codes:
        named.setdefault(labels.get(code, code), set()).add(code)
    return {
        code: label if len(several) == 1 else f"{label} ({code})"
        for label, several in named.items()
        for code in several
    }


def _wrong(where: str, what: str) -> Problem:
    return Problem(f"in {where}, {what}.")
