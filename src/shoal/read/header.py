"""Detection of headers: whether the first row of a file has column names or is a person's row.

A file without a header would lose its first person, whose values would be released as column names. So each
cell of the first row is compared with the column below it:

- A value that recurs below is a value. One such cell is enough: the first row is data.
- A cell of the column's type or form (a number above numbers, `P0012` above `P0013`) indicates data.
- A cell that does not fit (`age` above numbers, `sex` above ten times `F` and `M`) indicates a header.

The row counts as data if at least as many cells indicate data as a header. Names like `2019`, `2020`, `2021`
above numbers are no evidence: they count up from column to column, and the rows below do not. If no cell
indicates either, as in small tables of text, the row counts as a header, but messages do not show it.

DuckDB's sniffer (https://duckdb.org/docs/stable/data/csv/auto_detection) and Python's
`csv.Sniffer.has_header` find headers by type inconsistency; both miss tables of text, and neither uses
recurrence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from shoal.errors import InputError
from shoal.read.source import check_names

_NUMBER = re.compile(
    r"[$€£¥]?\s?[+-]?(?:\d+(?:[.,'\u00a0\u202f ]\d+)*[.,]?|[.,]\d+)(?:[eE][+-]?\d+)?\s?[%$€£¥]?"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s?(?:[ap]m)?(?:z|[+-]\d{2}:?\d{2})?"
_KINDS = (
    re.compile(  # dates and timestamps, before numbers: 1.2.2020 is not a number
        r"(?i)(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{4}[-/]\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{2,4}"
        rf"|\d{{1,2}}\.?[- ]?{_MONTH}\.?[-, ]*\d{{2,4}}|{_MONTH}\.?[- ]\d{{1,2}},? \d{{4}})"
        rf"(?:[t ]\s?{_TIME})?"
    ),
    re.compile(rf"(?i){_TIME}"),
    _NUMBER,
    re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    re.compile(r"(?i)\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?"),
    re.compile(r"(?i)(?:https?|ftp)://\S+"),
)
_MISSING = frozenset(
    ("", "na", "n/a", "n.a.", "nan", "null", "none", "nil", ".", "?", "-", "--", "*", "unknown", "missing")
)
_MOSTLY = 0.5
_NEARLY_ALL = 0.9
_ENOUGH_ROWS = 20
_SELDOM = 0.05
_YEARS = range(1900, 2101)
_SHORTEST_RUN = 3


@dataclass(frozen=True, slots=True)
class FirstRow:
    """What the cells of a first row indicate, by the numbers of their columns, from 1.

    Attributes
    ----------
    recurring
        Cells whose value recurs in their column.
    alike
        Other cells of the type or form of their column.
    unlike
        Cells that do not fit their column.
    """

    recurring: tuple[int, ...]
    alike: tuple[int, ...]
    unlike: tuple[int, ...]

    @property
    def is_data(self) -> bool:
        """Whether it is probably a person's row."""
        return bool(self.recurring) or len(self.alike) >= max(1, len(self.unlike))

    @property
    def is_names(self) -> bool:
        """Whether cells indicate a header, so that its names may be shown."""
        return not self.is_data and bool(self.unlike)


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a file's columns.

    Attributes
    ----------
    doubtful
        Whether they may still be a person's values: then no message shows them.
    """

    columns: tuple[str, ...]
    doubtful: bool


def names_of(
    first: Sequence[str], below: Sequence[Sequence[str]], *, header: bool | None, source: str
) -> Names:
    """Return the column names from the first row, or generated names.

    Parameters
    ----------
    first
        The cells of the first row.
    below
        The cells of some rows after it.
    header
        Whether the first row is a header, if given.
    source
        The name of the first row in messages.

    Raises
    ------
    InputError
        The first row is probably data and `header` is not given, or names are missing or repeated.

    Examples
    --------
    >>> names_of(["age", "sex"], [["34", "F"]], header=None, source="The first row")
    Names(columns=('age', 'sex'), doubtful=False)
    >>> names_of(["34", "F"], [["51", "F"]], header=False, source="The first row").columns
    ('column_1', 'column_2')
    """
    if header is False:
        return Names(tuple(f"column_{number}" for number in range(1, len(first) + 1)), doubtful=False)
    found = first_row(first, below)
    if header is None and found.is_data:
        raise InputError(_refusal(found, len(first), source))
    doubtful = header is None and not found.is_names
    return Names(check_names(first, source, shown=not doubtful), doubtful)


def first_row(first: Sequence[str], below: Sequence[Sequence[str]]) -> FirstRow:
    """Compare the first row of a file with rows below it.

    Examples
    --------
    >>> first_row(["Ann", "34", "F"], [["Bob", "51", "M"], ["Cy", "29", "F"]])
    FirstRow(recurring=(3,), alike=(2,), unlike=())
    >>> first_row(["name", "age", "sex"], [["Bob", "51", "M"], ["Cy", "29", "F"]])
    FirstRow(recurring=(), alike=(), unlike=(2,))
    """
    recurring: list[int] = []
    alike: list[int] = []
    unlike: list[int] = []
    for index, cell in enumerate(map(str.strip, first)):
        if not cell:
            continue
        column = Counter(text for row in below if index < len(row) and (text := row[index].strip()))
        if cell in column:
            recurring.append(index)
        elif (fits := _fits(cell, column)) is not None:
            (alike if fits else unlike).append(index)
    counting = _counting_on(first, below, alike)
    groups = (recurring, [index for index in alike if index not in counting], unlike)
    return FirstRow(*(tuple(index + 1 for index in found) for found in groups))


def _fits(cell: str, column: Counter[str]) -> bool | None:
    """Return whether a cell has the type or form of its column; None if that settles nothing."""
    known = Counter({text: count for text, count in column.items() if text.lower() not in _MISSING})
    if cell.lower() in _MISSING:
        return None
    for judge in (_by_type, _by_form, _by_novelty):
        if (fits := judge(cell, known)) is not None:
            return fits
    return None


def _by_type(cell: str, known: Counter[str]) -> bool | None:
    """Compare the types of a cell and its column: numbers, dates, times, addresses."""
    kind = next((kind for kind in _KINDS if kind.fullmatch(cell)), None)
    if not known:
        return None if kind is None else True
    for typed in _KINDS:
        of_type = sum(count for text, count in known.items() if typed.fullmatch(text))
        share = of_type / known.total()
        if typed is kind and share >= _MOSTLY:
            return True
        if share >= _NEARLY_ALL:
            return False
    # Mixed columns contain dates and addresses, column names hardly ever do; numbers sometimes are names.
    return True if kind not in (None, _NUMBER) else None


def _by_form(cell: str, known: Counter[str]) -> bool | None:
    """Compare a cell with codes, such as `E11.9` or `P0012`."""
    for form in (_shape, _template):
        forms: Counter[str] = Counter()
        for text, times in known.items():
            forms[form(text)] += times
        common, count = forms.most_common(1)[0] if known else ("", 0)
        if "9" not in common or count < _MOSTLY * known.total():
            continue
        if form(cell) == common:
            return True
        if count >= _NEARLY_ALL * known.total() and not any(map(str.isdigit, cell)):
            return False
    return None


def _by_novelty(cell: str, known: Counter[str]) -> bool | None:
    """Return False for a cell that does not recur in a column in which nearly all values do.

    The share of values that occur once estimates how often the next value is new (Good, Biometrika 40, 1953).
    """
    once = sum(count == 1 for count in known.values())
    return False if known.total() >= _ENOUGH_ROWS and once <= _SELDOM * known.total() else None


def _shape(text: str) -> str:
    """Return a text with every digit and letter replaced by its kind.

    Examples
    --------
    >>> _shape("E11.9"), _shape("ab")
    ('A99.9', 'aa')
    """
    return re.sub(r"[^\W\d_]", lambda found: "A" if found[0].isupper() else "a", re.sub(r"\d", "9", text))


def _template(text: str) -> str:
    """Return a text with every number replaced by `9`, whatever its length.

    Examples
    --------
    >>> _template("Ward 12")
    'Ward 9'
    """
    return re.sub(r"\d+", "9", text)


def _counting_on(first: Sequence[str], below: Sequence[Sequence[str]], alike: Sequence[int]) -> set[int]:
    """Return the columns among `alike` whose names count up, such as years, while the rows below do not.

    Examples
    --------
    >>> sorted(_counting_on(["country", "2019", "2020"], [["Chad", "12", "7"]], [1, 2]))
    [1, 2]
    """
    found: set[int] = set()
    whole = [index for index in alike if re.fullmatch(r"\d{1,6}", first[index].strip())]
    runs: list[list[int]] = []
    for index in whole:
        last = runs[-1][-1] if runs else None
        if last is not None and index == last + 1 and int(first[index]) == int(first[last]) + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    for run in runs:
        years = len(run) > 1 and all(int(first[index]) in _YEARS for index in run)
        if (years or len(run) >= _SHORTEST_RUN) and not any(_counts_on(row, run) for row in below):
            found.update(run)
    return found


def _counts_on(row: Sequence[str], indices: Sequence[int]) -> bool:
    cells = [row[index].strip() for index in indices if index < len(row)]
    if len(cells) < len(indices) or not all(re.fullmatch(r"\d{1,6}", cell) for cell in cells):
        return False
    return all(int(after) == int(before) + 1 for before, after in pairwise(cells))


def _refusal(found: FirstRow, columns: int, source: str) -> str:
    """Return why a first row is not a header, in words, without its values."""
    reasons = []
    if found.recurring:
        count = len(found.recurring)
        reasons.append(
            f"{'1 value' if count == 1 else f'{count:,} values'} "
            f"recur{'s' if count == 1 else ''} below (column {_listed(found.recurring)})"
        )
    if found.alike:
        count = len(found.alike)
        reasons.append(
            f"{'1 value is' if count == 1 else f'{count:,} values are'} of the type or form of the rows "
            f"below (column {_listed(found.alike)})"
        )
    return (
        f"{source} looks like data, not like a header.\n"
        f"Found, of {columns:,} columns: {'; '.join(reasons)}.\n"
        "If there is no header, use --no-header: the columns are then column_1, column_2 and so on. If this "
        "is the header, use --header. In a spec these are `header: false` and `header: true` under `input:`, "
        "in Python InputFormat(header=...). If the file repeats its header, remove the repetition."
    )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:10])) + (" ..." if len(numbers) > 10 else "")
