"""What a hierarchy is: for each value of a column its label at each level, from itself up to `*`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import InputError, Problem

ANYTHING = "*"
HIGHEST_LEVEL = 255
"""Levels are counted in one byte, here and in the kernel."""

IntArray: TypeAlias = NDArray[np.int64]


class HierarchyError(InputError):
    """A hierarchy does not fit the values it is for, or is none.

    Its messages begin in lower case: whoever knows the column puts its name before them.
    """


@dataclass(frozen=True, slots=True)
class Levels:
    """The labels of some values at every level.

    Attributes
    ----------
    labels
        `labels[l][i]` is the label of value i at level l. Level 0 is the values themselves, in their own
        type; the levels above are text.
    leaves
        `leaves[l][i]` counts the leaves under that label in the whole hierarchy, used or not.
    total
        Leaves of the whole hierarchy.
    """

    labels: tuple[pa.Array, ...]
    leaves: tuple[IntArray, ...]
    total: int

    def __post_init__(self) -> None:
        check_height(len(self.labels) - 1)

    @classmethod
    def of(cls, values: pa.Array, labels: Sequence[pa.Array]) -> Self:
        """Build the levels of a hierarchy whose leaves are `values`; `labels` are those from level 1 up.

        Examples
        --------
        >>> levels = Levels.of(pa.array([21, 24, 37]), [pa.array(["20-29", "20-29", "30-39"])])
        >>> [leaves.tolist() for leaves in levels.leaves], levels.total
        ([[1, 1, 1], [2, 2, 1]], 3)
        """
        counts = [np.ones(len(values), dtype=np.int64)]
        for level in labels:
            codes = codes_of(level)
            counts.append(np.bincount(codes).astype(np.int64)[codes])
        return cls((values, *labels), tuple(counts), len(values))


@runtime_checkable
class Hierarchy(Protocol):
    """A way to generalize the values of a column.

    Levels are nested: values with the same label at one level share theirs at every level above.
    """

    def levels(self, values: pa.Array) -> Levels:
        """Return the labels of distinct values without NULL, of any Arrow type.

        Raises
        ------
        HierarchyError
            With everything that is wrong about these values.
        """
        ...

    def to_spec(self) -> object:
        """Return what stands after `hierarchy:` in a spec."""
        ...

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        """Build from what stands after the name in a spec: None where the name stands alone."""
        ...

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Build from what stands after `NAME:` on the command line: `''` where there is nothing."""
        ...


@runtime_checkable
class FromFile(Protocol):
    """What a hierarchy also is if it stands in a file: that file must not be overwritten by a release."""

    @property
    def file(self) -> Path: ...


def check_height(height: int) -> None:
    """Raise if a hierarchy has more levels than can be counted; call this before building very many."""
    if height > HIGHEST_LEVEL:
        raise HierarchyError(
            f"its hierarchy has {height:,} levels above the value itself, "
            f"at most {HIGHEST_LEVEL} can be used.\n"
            "Use fewer: `prefix` with a length has that many."
        )


def as_text(values: pa.Array) -> pa.Array:
    """Return values as the text by which files and prefixes know them.

    Whole numbers are written plainly (7), other numbers in their shortest form (0.5, and 7 for 7.0), dates
    as 2026-01-31, truth values as true and false.
    """
    try:
        return values.cast(pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise HierarchyError(
            f"values of type {values.type} have no text form.\nTurn the column into text."
        ) from None


def codes_of(labels: pa.Array) -> IntArray:
    """Return one number per distinct label, counted from 0."""
    codes: IntArray = labels.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def check_nested(labels: Sequence[pa.Array]) -> list[Problem]:
    """Return a problem for each level at which some label has more than one parent.

    Examples
    --------
    >>> towns, countries = pa.array(["Ulm", "Bonn", "Rome"]), pa.array(["D", "D", "I"])
    >>> regions = pa.array(["South", "Rhine", "South"])
    >>> [problem.message for problem in check_nested([towns, countries, regions])]
    ['levels 1 and 2 are not nested: 1 label of level 1 has more than one parent.']
    """
    problems = []
    codes = [codes_of(level) for level in labels]
    for level in range(len(labels) - 1):
        lower, upper = codes[level], codes[level + 1]
        parent = np.empty(lower.max(initial=-1) + 1, dtype=np.int64)
        parent[lower] = upper
        torn = labels[level].take(pa.array(np.flatnonzero(parent[lower] != upper))).unique()
        if len(torn):
            have = "1 label of level {} has" if len(torn) == 1 else f"{len(torn):,} labels of level {{}} have"
            problems.append(
                Problem(
                    f"levels {level} and {level + 1} are not nested: {have.format(level)} "
                    "more than one parent.",
                    tuple(as_text(torn).to_pylist()),
                )
            )
    return problems
