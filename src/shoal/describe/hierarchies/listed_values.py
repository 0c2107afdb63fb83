"""Hierarchies that list their values: from files, taxonomies, orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchy import (
    HierarchyError,
    IntArray,
    Levels,
    as_text,
    check_height,
    check_nested,
    codes_of,
)
from shoal.errors import Problem

_SHOWN = 5
"""Number of lines that a message names."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Each value with its label at every level; values of a table are looked up by their text.

    Attributes
    ----------
    labels
        `labels[0]` are the values, all different, as text; `labels[l]` their labels at level l.
    where
        Its name in messages, such as `the hierarchy 'job.csv'`.
    notes
        Oddities found while reading that are not errors.
    """

    labels: tuple[pa.Array, ...]
    where: str
    notes: tuple[str, ...] = ()
    _leaves: tuple[IntArray, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_height(len(self.labels) - 1)
        object.__setattr__(self, "_leaves", Levels.of(self.labels[0], self.labels[1:]).leaves)

    @classmethod
    def of(
        cls, labels: Sequence[pa.Array], where: str, lines: Callable[[], Sequence[int]] | None = None
    ) -> Self:
        """Build from rows, of which several may be equal.

        Parameters
        ----------
        lines
            Returns the line of each row in its file; called only if something is wrong.

        Raises
        ------
        HierarchyError
            Rows of the same value differ, or labels have more than one parent.

        Examples
        --------
        >>> Listed.of([pa.array(["a", "b", "a"]), pa.array(["x", "x", "x"])], "the hierarchy").notes
        ('1 row of the hierarchy is a repetition.',)
        """
        codes = [codes_of(level) for level in labels]
        first = np.unique(codes[0], return_index=True)[1]
        first.sort()
        first_row = np.zeros(len(first), dtype=np.int64)
        first_row[codes[0][first]] = first
        differs = np.zeros(len(codes[0]), dtype=bool)
        for level in codes:
            differs |= level != level[first_row[codes[0]]]
        problems = []
        if torn := labels[0].filter(pa.array(differs)).unique().to_pylist():
            have = "1 value has" if len(torn) == 1 else f"{len(torn):,} values have"
            pairs = [(first_row[codes[0][row]], row) for row in np.flatnonzero(differs)[:_SHOWN]]
            found = _pairs_of_lines(pairs, lines, int(differs.sum()))
            problems.append(
                Problem(f"{have} several rows with different labels.{found}\nKeep one of them.", tuple(torn))
            )
        kept = [level.take(pa.array(first)) for level in labels]
        problems.extend(check_nested(kept))
        if problems:
            raise HierarchyError(
                Problem(f"in {where}, {problem.message}", problem.values) for problem in problems
            )
        notes = []
        if again := len(codes[0]) - len(first):
            repeat = (
                f"1 row of {where} is a repetition"
                if again == 1
                else f"{again:,} rows of {where} are repetitions"
            )
            notes.append(f"{repeat}.")
        if len(kept) == 1:
            notes.append(f"{where} has no level above the values themselves.")
        elif (tops := len(kept[-1].unique())) > 1:
            notes.append(f"{where} has {tops:,} labels at its top, so none covers everything.")
        return cls(tuple(kept), where, tuple(notes))

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return pc.is_in(as_text(values), self.labels[0])

    def whole(self) -> Levels:
        """Return the labels of all listed values."""
        return self.levels(self.labels[0])

    def levels(self, values: pa.Array) -> Levels:
        text = as_text(values)
        rows = pc.index_in(text, self.labels[0])
        if rows.null_count:
            count = "1 value" if rows.null_count == 1 else f"{rows.null_count:,} values"
            raise HierarchyError(
                Problem(
                    f"{self.where} lacks {count} that the table has.\nAdd the missing values.",
                    tuple(text.filter(rows.is_null()).to_pylist()),
                )
            )
        indices = rows.to_numpy()
        return Levels(
            labels=(values, *(level.take(rows) for level in self.labels[1:])),
            leaves=tuple(counts[indices] for counts in self._leaves),
            total=len(self.labels[0]),
            notes=self.notes,
            listed=self.labels[0],
        )


def _pairs_of_lines(
    pairs: Sequence[tuple[int, int]], lines: Callable[[], Sequence[int]] | None, count: int
) -> str:
    """Return the lines of rows that contradict each other, in words, as far as known."""
    known = lines() if lines is not None else ()
    if not known or max(row for _, row in pairs) >= len(known):
        return ""
    listed = ", ".join(f"lines {known[first]:,} and {known[again]:,}" for first, again in pairs)
    more = f" and {count - len(pairs):,} more" if count > len(pairs) else ""
    return f"\nFound: {listed}{more}."
