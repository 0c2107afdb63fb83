"""What every recoding offers: it says which label each cell of a table gets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.encode.cells import Cells
from shoal.encode.column import UIntArray
from shoal.encode.table import CodedTable
from shoal.recode.class_averages import Average
from shoal.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen for each quasi-identifier, in a few words.

    Attributes
    ----------
    title
        What these words are about, such as `Level`.
    of_columns
        The words by column, such as `1 of 3`.
    """

    title: str
    of_columns: Mapping[str, str]


@runtime_checkable
class LabelsOfReleased(Protocol):
    """A recoding whose labels are made of the values that they cover, such as ranges and sets."""

    def of_released(self, table: CodedTable, released: NDArray[np.bool_]) -> Recoding:
        """Return the same recoding with labels made of the values of released entries alone.

        Entries with different labels keep different labels, and no cell costs more or less.
        """
        ...


@runtime_checkable
class TuplesInParts(Protocol):
    """A recoding of more tuples than fit into memory: its table has the entries of its classes.

    Attributes
    ----------
    class_of
        The class of every entry.
    """

    @property
    def class_of(self) -> UIntArray: ...
    def tuples(self) -> Iterator[tuple[CodedTable, UIntArray]]:
        """Yield the tuples of one part of the table after the other, and the class of each."""
        ...


@runtime_checkable
class LooksBeside(Protocol):
    """A recoding in which the class of a row depends on more than its quasi-identifiers.

    Attributes
    ----------
    columns_beside
        The names of the other coded columns.
    """

    @property
    def columns_beside(self) -> tuple[str, ...]: ...

    def cells(self, table: CodedTable) -> tuple[Cells, ...]: ...

    def parts(self, table: CodedTable) -> UIntArray:
        """Return the part of every entry: those that are equal in all coded columns are dealt out in turn."""
        ...


@runtime_checkable
class Averaging(Protocol):
    """A recoding, or a strategy, that may release an average of each class in place of labels.

    It is not known from an average which values the rows of the class have.
    """

    def averages(self, columns: Iterable[str]) -> Mapping[str, Average]:
        """Return those of the quasi-identifiers of which averages are released, and which."""
        ...


@runtime_checkable
class AveragingClasses(Averaging, Protocol):
    """A recoding that may release averages, and knows which values are in which class."""

    def average_errors(self, table: CodedTable) -> dict[str, float]:
        """Return how far the averages of each such column are from its values.

        Of means and medians that is the squared error as a share of the variance, without NULL; of modes the
        share of the rows that have another value.
        """
        ...


def averages_in(recoding: object, columns: Iterable[str]) -> Mapping[str, Average]:
    """Return those of the quasi-identifiers of which a recoding, or a strategy, releases averages."""
    return recoding.averages(columns) if isinstance(recoding, Averaging) else {}


@runtime_checkable
class Recoding(Protocol):
    """How values become labels; implementations are frozen dataclasses.

    A recoding is a function of a row's quasi-identifiers, unless it is known to look beside them
    (`LooksBeside`): rows that have the same values get the same labels. Rows that have the same labels in all
    quasi-identifiers are one class, whatever the recoding had in mind.

    What only some recodings have is None in the others: whoever needs an ability looks for it, and never at
    the kind. `levels`, `node` and `rungs` are such abilities.

    Attributes
    ----------
    kind
        Its name in manifests.
    levels
        Where every column has one level, and every cell its label there: the level by quasi-identifier, in
        the order of the spec.
    node
        Where it is one node of the lattice of levels, which has neighbours: the level of each column.
    rungs
        Where each column can be drawn on the ladder of its hierarchy: the level to mark, by quasi-identifier.
    """

    @property
    def kind(self) -> str: ...
    @property
    def levels(self) -> Mapping[str, int] | None: ...
    @property
    def node(self) -> tuple[int, ...] | None: ...
    @property
    def rungs(self) -> Mapping[str, int] | None: ...

    def cells(self, table: CodedTable) -> tuple[Cells, ...]:
        """Return the labels of every quasi-identifier, for all entries of a table and of its populations."""
        ...

    def choices(self, table: CodedTable) -> Choices:
        """Say what was chosen, for summaries and reports."""
        ...

    def for_recipients(self, spec: Spec, table: CodedTable) -> tuple[Spec, Recoding]:
        """Return the spec and the recoding without anything that only suppressed rows tell."""
        ...

    def to_manifest(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON: its `kind`, and what else recipients may know."""
        ...

    @classmethod
    def from_manifest(cls, said: Mapping[str, Any]) -> Self:
        """Return the recoding that `to_manifest` wrote.

        Raises
        ------
        InputError
            It is not one of this kind.
        """
        ...
