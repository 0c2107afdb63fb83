"""What a hierarchy is: for each value of a column its label at each level, from itself up to `*`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import InputError, Problem
from shoal.read.columns import text_of

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
    notes
        What whoever uses it should know; in lower case, the column's name goes before.
    """

    labels: tuple[pa.Array, ...]
    leaves: tuple[IntArray, ...]
    total: int
    notes: tuple[str, ...] = ()

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

    def table(self, rows: int = 20) -> str:
        """Return the labels of the first values as text, a line for each."""
        from shoal.describe import show

        return show.table(self, rows)

    def tree(self, lines: int = 30, *, ascii: bool = False) -> str:
        """Return the labels as a drawn tree, each with the number of values under it."""
        from shoal.describe import show

        return show.tree(self, lines, ascii=ascii)


class Generalizing(Protocol):
    """Whatever can say the labels of values.

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


@runtime_checkable
class Hierarchy(Generalizing, Protocol):
    """A way to generalize the values of a column that can be written into a spec."""

    def to_spec(self) -> object:
        """Return what stands after `hierarchy:` in a spec."""
        ...


class Builder(Hierarchy, Protocol):
    """A hierarchy that can be read from a spec too: what a registered name stands for."""

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        """Build from what stands after the name in a spec: None where the name stands alone."""
        ...

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Build from what stands after `NAME:` on the command line: `''` where there is nothing."""
        ...


B = TypeVar("B", bound=Builder)


class HierarchyDefaults:
    """What registered builders tell about themselves, and how they are read where a name has no short form.

    Attributes
    ----------
    name
        As in a spec.
    summary
        What it does, in one line.
    parameters
        What stands after its name, and what that means.
    examples
        Arguments as in a spec.
    sample
        Values that the examples are for.
    """

    __slots__ = ()

    name: ClassVar[str]
    summary: ClassVar[str]
    parameters: ClassVar[Mapping[str, str]] = {}
    examples: ClassVar[tuple[object, ...]]
    sample: ClassVar[tuple[object, ...]]

    @property
    def steady(self) -> bool:
        """Whether a value has the same labels whatever other values there are, at as many levels."""
        return False

    @classmethod
    def from_text(cls: type[B], text: str) -> B:
        return cls.from_spec(text or None, Path())


@runtime_checkable
class Partial(Protocol):
    """What a hierarchy also is if it has no place for some values: a file may lack them."""

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        """Tell for each value whether `levels` has labels for it."""
        ...


@dataclass(frozen=True, slots=True)
class ColumnData:
    """A column's values and how often they occur, for hierarchies that are made from it.

    Attributes
    ----------
    values
        The distinct values, without NULL.
    counts
        Rows per value.
    target_values, by_target
        Of the column that is to be kept apart, where one is named: its values, NULL among them, and for each
        value of this column how often it occurs with each of them.
    """

    values: pa.Array
    counts: IntArray
    target_values: pa.Array | None = None
    by_target: IntArray | None = None


@runtime_checkable
class FromData(Protocol):
    """What a hierarchy also is if it is made from the column that it is for."""

    @property
    def target(self) -> str | None:
        """The column whose values tell which of its own behave alike, if it looks at one."""
        ...

    def fit(self, column: ColumnData) -> Generalizing:
        """Return the hierarchy for a column.

        Raises
        ------
        HierarchyError
            With everything that keeps it from being made.
        """
        ...


@runtime_checkable
class LevelsFromValues(Protocol):
    """What a hierarchy also is if its levels may depend on which values there are.

    Whoever gets a release must not learn from the number of a level how long a suppressed value was.
    """

    def fixed(self, values: pa.Array, level: int) -> tuple[Hierarchy, int]:
        """Return a hierarchy with the labels of a level, whatever the values are, and its level of them.

        Parameters
        ----------
        values
            Those that the level was chosen for, without NULL.
        """
        ...


@runtime_checkable
class FromFile(Protocol):
    """What a hierarchy also is if it stands in files: a release must not overwrite them."""

    @property
    def files(self) -> tuple[Path, ...]: ...


def known(hierarchy: Generalizing, values: pa.Array) -> pa.BooleanArray:
    """Tell for each value whether a hierarchy has labels for it."""
    if isinstance(hierarchy, Partial):
        return hierarchy.knows(values)
    return pa.repeat(True, len(values))


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
        return text_of(values)
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

    Labels are shown, the values themselves are not: they are people's.

    Examples
    --------
    >>> towns, countries = pa.array(["Ulm", "Bonn", "Rome"]), pa.array(["D", "D", "I"])
    >>> regions = pa.array(["South", "Rhine", "South"])
    >>> for problem in check_nested([towns, countries, regions]):
    ...     print(problem.message)
    levels 1 and 2 are not nested: 1 label of level 1 has more than one parent.
    Found: 'D' under 'South' and 'Rhine'.
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
            found = _parents(labels[level], labels[level + 1], torn) if level else ""
            problems.append(
                Problem(
                    f"levels {level} and {level + 1} are not nested: {have.format(level)} "
                    f"more than one parent.{found}",
                    tuple(as_text(torn).to_pylist()),
                )
            )
    return problems


def _parents(lower: pa.Array, upper: pa.Array, torn: pa.Array, limit: int = 3) -> str:
    """Say under which labels the first of some labels stand."""
    shown = []
    for label in torn[:limit]:
        parents = upper.filter(pc.equal(lower, label)).unique().to_pylist()
        more = f" and {len(parents) - limit:,} more" if len(parents) > limit else ""
        shown.append(f"{label.as_py()!r} under {' and '.join(map(repr, parents[:limit]))}{more}")
    rest = f"; {len(torn) - limit:,} more" if len(torn) > limit else ""
    return f"\nFound: {'; '.join(shown)}{rest}."
