"""What every quality measure declares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.encode.cells import Cells, cells_at
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.settings import NamedSettings

IntArray: TypeAlias = NDArray[np.int64]
Aggregate: TypeAlias = Literal["mean", "max", "ranked"]
"""How columns come together in one score: see `CellMeasure`."""


@dataclass(frozen=True, slots=True)
class Costs:
    """A measure as data, which is all that the kernel needs of it.

    The score of a node is the weighted sum over columns of ``level_costs[column][level]``, or a term of
    the classes, or for `logs` both. Where ``label_costs[column][level][label]`` is given, it is the cost of
    one cell with that label, already part of the level's cost, and a cell of a suppressed row costs 1
    instead.

    Attributes
    ----------
    term
        `none`: the columns alone.
        `squares`, `kept-squares`: the sum of n^2 over all classes of n rows; over the kept ones, plus rows
        for each suppressed row.
        `mean-size`: rows / classes / `divisor`.
        `logs`: `constant` + `scale` times the sum of n ln n over all classes + the columns.
        `minority`: rows of kept classes that lack the most frequent value of `attribute` in their class, plus
        suppressed rows, / `divisor`.
    aggregate
        How the weighted costs of columns come together, with term `none`: `mean` is their sum, `max` the
        largest, `ranked` the sum of the largest times 1/2, the next times 1/4 and so on, divided by the sum
        of these factors.
    """

    term: Literal["none", "squares", "kept-squares", "mean-size", "logs", "minority"] = "none"
    divisor: float = 1.0
    weights: tuple[float, ...] = ()
    level_costs: tuple[tuple[float, ...], ...] = ()
    label_costs: tuple[tuple[tuple[float, ...], ...], ...] = ()
    constant: float = 0.0
    scale: float = 1.0
    attribute: str = ""
    aggregate: Aggregate = "mean"


@dataclass(frozen=True, slots=True)
class Node:
    """A recoded table with its classes, for scoring it by the definition. Most are nodes of the lattice.

    Attributes
    ----------
    table
        The whole table, coded: `table.columns` are the quasi-identifiers, `table.attributes` the other
        columns that models and measures look at.
    levels
        The level of each quasi-identifier; None for a recoding that is no node of the lattice.
    labels
        ``labels[i]`` are the label numbers of class i; `cells[c].labels` has the texts of column c.
    sizes
        ``sizes[i]`` is the number of its rows.
    kept
        ``kept[i]`` says whether it is released or suppressed.
    k
        The least rows that a class needs to be released, where the requirement says so.
    """

    table: CodedTable
    levels: tuple[int, ...] | None
    labels: Sequence[tuple[int, ...]]
    sizes: Sequence[int]
    kept: Sequence[bool]
    k: int | None = None
    known_cells: tuple[Cells, ...] | None = None

    @property
    def cells(self) -> tuple[Cells, ...]:
        """For each quasi-identifier its labels, and which one each entry of the table has."""
        if self.known_cells is not None:
            return self.known_cells
        assert self.levels is not None, "what is no node comes with its cells"
        return cells_at(self.table, self.levels)

    @property
    def suppressed_rows(self) -> int:
        return sum(size for size, kept in zip(self.sizes, self.kept, strict=True) if not kept)

    def suppressed_labels(self) -> tuple[IntArray, ...]:
        """Return per quasi-identifier how many suppressed rows have each of its labels."""
        labels = self._label_numbers()
        lost = np.where(self.kept, 0, self.sizes)
        counts = []
        for position, cells in enumerate(self.cells):
            per_label = np.zeros(len(cells.labels), dtype=np.int64)
            np.add.at(per_label, labels[:, position], lost)
            counts.append(per_label)
        return tuple(counts)

    def class_of_rows(self) -> IntArray:
        """Return for each entry of the table the number of its class."""
        rows = self.table.entries
        labels = self._label_numbers()
        groups = number_groups(
            np.concatenate([cells.numbers, labels[:, position]]) for position, cells in enumerate(self.cells)
        )
        numbers = np.empty(len(self.sizes), dtype=np.int64)
        numbers[groups[rows:]] = np.arange(len(self.sizes))
        return numbers[groups[:rows]]

    def _label_numbers(self) -> IntArray:
        return np.array(self.labels, dtype=np.int64).reshape(len(self.sizes), len(self.table.columns))


@runtime_checkable
class Measure(Protocol):
    """A quality measure; smaller is better.

    Attributes
    ----------
    name, summary
        Its name in specs, and what it is, in one line.
    extent
        The values that it can take, in words.
    parameters
        What it takes, by name, in words.
    monotone
        Generalizing never lowers the score.
    weighted
        It averages over columns, so that column weights count.
    attribute
        The column that it looks at beside the quasi-identifiers, if any.
    needs_tuples
        It looks at the values below the levels that are searched, and not column by column: where tuples are
        counted at higher levels only, it cannot be told.
    """

    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def extent(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, str]: ...
    @property
    def monotone(self) -> bool: ...
    @property
    def weighted(self) -> bool: ...
    @property
    def attribute(self) -> str | None: ...
    @property
    def needs_tuples(self) -> bool: ...

    def score(self, node: Node) -> float:
        """Score a recoded table by the definition: the reference for the kernel.

        Raises
        ------
        InputError
            It is not defined for the labels of this recoding.
        """
        ...

    def costs(self, table: CodedTable, k: int | None) -> Costs | None:
        """Return the same as data for the kernel; None where only `score` can tell."""
        ...

    def ends(self, table: CodedTable, k: int | None) -> tuple[float, float] | None:
        """Return what the untouched and the fully suppressed table score; None where that is not known.

        It is not known of a table that was counted at higher levels, where single columns do not tell it.

        Where a measure ignores suppression, every cell of the latter is a label that covers everything.
        """
        ...

    def contributions(
        self, table: CodedTable, cells: Sequence[Cells], lost: Sequence[IntArray]
    ) -> tuple[float, ...] | None:
        """Return what each column adds to the score; None for what is no sum over columns.

        ``lost[column][label]`` counts the suppressed rows with that label.
        """
        ...

    def describe(self) -> str:
        """Name it with its parameters, such as `loss (max over columns)`."""
        ...

    def to_spec(self) -> object:
        """Return what stands after `quality:` in a spec."""
        ...


class MeasureDefaults(NamedSettings):
    """What most measures have in common, for dataclasses whose fields are the parameters."""

    __slots__ = ()

    @property
    def attribute(self) -> str | None:
        return None

    @property
    def needs_tuples(self) -> bool:
        return False

    def contributions(
        self, table: CodedTable, cells: Sequence[Cells], lost: Sequence[IntArray]
    ) -> tuple[float, ...] | None:
        return None

    def describe(self) -> str:
        return self.name


def not_levels(measure: str) -> InputError:
    """Return the refusal of a measure that is about levels, for labels that have none."""
    return InputError(
        f"The measure '{measure}' needs levels of hierarchies.\n"
        "Found: a recoding whose labels have no level.\nUse a measure of cells or classes, such as loss."
    )


def shares(table: CodedTable) -> tuple[float, ...]:
    """Column weights as shares that sum to 1."""
    total = sum(column.weight for column in table.columns)
    return tuple(column.weight / total for column in table.columns)


def number_groups(columns: Iterable[NDArray[Any]]) -> IntArray:
    """Number the rows so that those which are equal in all columns have one number, from 0 without gaps.

    Examples
    --------
    >>> number_groups([np.array([5, 3, 5]), np.array([0, 0, 0])]).tolist()
    [1, 0, 1]
    """
    groups: IntArray | None = None
    for cells in columns:
        step = int(cells.max(initial=0)) + 1
        # After each column the numbers are few again, so that no number of columns is too many.
        mixed = cells if groups is None else groups * step + cells
        groups = np.unique(mixed, return_inverse=True)[1].reshape(-1)
    assert groups is not None
    return groups


def canonical(score: float) -> float:
    """Round a score to 40 bits (12 digits) for comparing, so that scores which differ by rounding alone tie.

    Whole numbers stay as they are.

    Examples
    --------
    >>> canonical(0.1 + 0.2) == canonical(0.3)
    True
    >>> canonical(7220555.0)
    7220555.0
    """
    if score == 0 or not math.isfinite(score) or score == round(score):
        return score
    mantissa, exponent = math.frexp(score)
    return math.ldexp(round(math.ldexp(mantissa, 40)), exponent - 40)


def canonical_all(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round many scores as `canonical` rounds one."""
    mantissas, exponents = np.frexp(scores)
    rounded = np.ldexp(np.rint(np.ldexp(mantissas, 40)), exponents - 40)
    return np.where(np.isfinite(scores) & (scores != np.rint(scores)), rounded, scores)
