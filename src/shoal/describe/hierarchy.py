"""The definition of a hierarchy: the label of each value at each level, from the value itself up to `*`."""

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
    """A hierarchy is invalid or does not fit the values of its column.

    Its messages begin in lower case: callers that know the column prepend its name.
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
        Notes for users, in lower case: callers prepend the column's name.
    listed
        All leaves of the hierarchy as text, if it may have others than the values.
    in_order
        Whether these are listed in the order that is meant.
    """

    labels: tuple[pa.Array, ...]
    leaves: tuple[IntArray, ...]
    total: int
    notes: tuple[str, ...] = ()
    listed: pa.Array | None = None
    in_order: bool = False

    def __post_init__(self) -> None:
        check_height(len(self.labels) - 1)

    @classmethod
    def of(cls, values: pa.Array, labels: Sequence[pa.Array]) -> Self:
        """Build the levels of a hierarchy with the leaves `values` and the `labels` from level 1 up.

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
        """Return the labels of the first values as text, one line for each."""
        from shoal.describe import hierarchy_drawing

        return hierarchy_drawing.table(self, rows)

    def tree(self, lines: int = 30, *, ascii: bool = False) -> str:
        """Return a drawing of the labels as a tree, each with the number of values under it."""
        from shoal.describe import hierarchy_drawing

        return hierarchy_drawing.tree(self, lines, ascii=ascii)


class Generalizing(Protocol):
    """Anything that returns the labels of values.

    Levels are nested: values with the same label at one level share theirs at every level above.
    """

    def levels(self, values: pa.Array) -> Levels:
        """Return the labels of distinct values without NULL, of any Arrow type.

        Raises
        ------
        HierarchyError
            With every problem of these values.
        """
        ...


@runtime_checkable
class Hierarchy(Generalizing, Protocol):
    """A way to generalize the values of a column that a spec can hold."""

    def to_spec(self) -> object:
        """Return the value of `hierarchy:` in a spec."""
        ...


class Builder(Hierarchy, Protocol):
    """A hierarchy with a registered name, which can also be read from a spec."""

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        """Build from the argument after the name in a spec: None without an argument."""
        ...

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Build from the text after `NAME:` on the command line: `''` without one."""
        ...


B = TypeVar("B", bound=Builder)


class HierarchyDefaults:
    """The description of a registered builder, and the default reading of its short form.

    Attributes
    ----------
    name
        Its name in a spec.
    summary
        What it does, in one line.
    parameters
        Its parameters, with their meaning and default.
    examples
        Arguments as in a spec.
    sample
        Values to which the examples apply.
    """

    __slots__ = ()

    name: ClassVar[str]
    summary: ClassVar[str]
    parameters: ClassVar[Mapping[str, str]] = {}
    examples: ClassVar[tuple[object, ...]]
    sample: ClassVar[tuple[object, ...]]

    @property
    def steady(self) -> bool:
        """Whether the labels of a value and the number of levels are independent of the other values."""
        return False

    @classmethod
    def from_text(cls: type[B], text: str) -> B:
        return cls.from_spec(text or None, Path())


@runtime_checkable
class Partial(Protocol):
    """A hierarchy that may not cover some values: a file may lack them."""

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        """Return for each value whether `levels` has labels for it."""
        ...


@dataclass(frozen=True, slots=True)
class ColumnData:
    """A column's values and their frequencies, from which hierarchies are built.

    Attributes
    ----------
    values
        The distinct values, without NULL.
    counts
        Rows per value.
    target_values, by_target
        If a target column is named: its values, including NULL, and for each value of this column how often
        it occurs with each of them.
    """

    values: pa.Array
    counts: IntArray
    target_values: pa.Array | None = None
    by_target: IntArray | None = None


@runtime_checkable
class FromData(Protocol):
    """A hierarchy that is built from its column."""

    @property
    def target(self) -> str | None:
        """The other column by which it compares its values, if it uses one."""
        ...

    def fit(self, column: ColumnData) -> Generalizing:
        """Return the hierarchy for a column.

        Raises
        ------
        HierarchyError
            With every reason why it cannot be built.
        """
        ...


@runtime_checkable
class LevelsFromValues(Protocol):
    """A hierarchy whose levels may depend on the values of the table.

    The number of a level in a release must not reveal the length of a suppressed value.
    """

    def fixed(self, values: pa.Array, level: int) -> tuple[Hierarchy, int]:
        """Return a hierarchy with the labels of a level, independent of the values, and its level number.

        Parameters
        ----------
        values
            The values for which the level was chosen, without NULL.
        """
        ...


@runtime_checkable
class MayBecome(Protocol):
    """A hierarchy that knows what `fixed` can make of it, whatever the values are."""

    def may_become(self, stated: Hierarchy) -> bool:
        """Return whether a hierarchy that somebody else states has the labels of one of its levels."""
        ...


@runtime_checkable
class FromFile(Protocol):
    """A hierarchy that is read from files: a release must not overwrite them."""

    @property
    def files(self) -> tuple[Path, ...]: ...


def known(hierarchy: Generalizing, values: pa.Array) -> pa.BooleanArray:
    """Return for each value whether a hierarchy has labels for it."""
    if isinstance(hierarchy, Partial):
        return hierarchy.knows(values)
    return pa.repeat(True, len(values))


def check_height(height: int) -> None:
    """Raise if a hierarchy has too many levels; call this before building very many."""
    if height > HIGHEST_LEVEL:
        raise HierarchyError(
            f"its hierarchy has too many levels.\n"
            f"Found: {height:,} above the value itself; at most {HIGHEST_LEVEL} are possible.\n"
            "Use fewer levels: `prefix` with a length has that many."
        )


def as_text(values: pa.Array) -> pa.Array:
    """Return values as text, in the form that files and prefixes use.

    Whole numbers are plain (7), other numbers have their shortest form (0.5, and 7 for 7.0), dates are
    2026-01-31, truth values are true and false.
    """
    try:
        return text_of(values)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise HierarchyError(
            f"values of type {values.type} have no text form.\nTurn the column into text."
        ) from None


def codes_of(labels: pa.Array) -> IntArray:
    """Return one number per distinct label, from 0."""
    codes: IntArray = labels.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def check_nested(labels: Sequence[pa.Array]) -> list[Problem]:
    """Return a problem for each level at which some label has more than one parent.

    Messages show labels but not values, which belong to people.

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
    """Return the parents of the first of some labels, in words."""
    shown = []
    for label in torn[:limit]:
        parents = upper.filter(pc.equal(lower, label)).unique().to_pylist()
        more = f" and {len(parents) - limit:,} more" if len(parents) > limit else ""
        shown.append(f"{label.as_py()!r} under {' and '.join(map(repr, parents[:limit]))}{more}")
    rest = f"; {len(torn) - limit:,} more" if len(torn) > limit else ""
    return f"\nFound: {'; '.join(shown)}{rest}."
