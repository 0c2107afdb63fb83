"""What every privacy model declares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.privacy.classes import Classes
from shoal.privacy.condition import Condition
from shoal.privacy.population import Population

if TYPE_CHECKING:
    from shoal.privacy.distribution import Distribution


@dataclass(frozen=True, slots=True)
class Tables:
    """The names that an audit query may use; all stand in it as they are, quoted by the caller.

    Attributes
    ----------
    kept
        The released rows.
    quasi_identifiers
        Its quasi-identifiers.
    columns
        Its other columns, by name.
    original
        The rows of the original table: its sensitive columns, under the same names.
    original_weight
        The column of `original` that says how many people each of its rows stands for; None where each is
        one.
    populations
        By key the population, generalized as the release is: its quasi-identifiers, under the same names.
    matched
        Where labels may overlap, two columns of the populations: how many people a row stands for, and in how
        many classes one of them is. There is then a row for each class that covers anybody, and one for
        everybody who is in none.
    taxonomies
        By column, where it has a hierarchy, a relation with the columns level_0, level_1, ... of its values.
    unit
        The column of `kept` and `original` that says who a row is about, where people are counted, not rows.
    weight
        The column of `kept` that says how many rows each of its rows stands for; None where each is one. A
        query that does not name it is put to the rows themselves.
    number
        The column of `kept` that has the number of the class, never NULL, where classes have numbers.
    starred
        Whether rows with `*` in every quasi-identifier may be anybody's who is in no other class.
    """

    kept: str
    quasi_identifiers: Sequence[str]
    columns: Mapping[str, str] = field(default_factory=dict)
    original: str = "original"
    original_weight: str | None = None
    populations: Mapping[str, str] = field(default_factory=dict)
    matched: tuple[str, str] | None = None
    taxonomies: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    unit: str | None = None
    weight: str | None = None
    number: str | None = None
    starred: bool = False


@dataclass(frozen=True, slots=True)
class Reads:
    """What a model's query reads beside the quasi-identifiers of the released rows.

    An audit opens what is declared here and no more, and says by it which claims can be checked where. So it
    must be exactly what the query names: `shoal.testing.check_model` compares them.

    Attributes
    ----------
    column
        The model's column, in the release.
    original
        The original table.
    population
        The model's population.
    taxonomy
        The labels of its column's values.
    unit
        Who a row is about, where the spec names a unit.
    weight
        `Tables.weight`, where no unit is counted. Then the query reads no column but the model's own.
    """

    column: bool = False
    original: bool = False
    population: bool = False
    taxonomy: bool = False
    unit: bool = False
    weight: bool = False

    def where(self, *, people: bool) -> Reads:
        """Return what is read where people are counted, or rows.

        Examples
        --------
        >>> reads = Reads(unit=True, weight=True)
        >>> reads.where(people=True) == Reads(unit=True), reads.where(people=False) == Reads(weight=True)
        (True, True)
        """
        unit = self.unit and people
        return replace(self, unit=unit, weight=self.weight and not unit)

    def limit(self, tables: Tables) -> Tables:
        """Return the tables without those that are not declared: a query that names these fails."""
        return replace(
            tables,
            columns=tables.columns if self.column else {},
            original=tables.original if self.original else "",
            populations=tables.populations if self.population else {},
            taxonomies=tables.taxonomies if self.taxonomy else {},
        )


@runtime_checkable
class PrivacyModel(Protocol):
    """A requirement on the classes of a release.

    Attributes
    ----------
    name, summary
        Its name in specs, and what it asks for, in one line.
    parameters
        What it takes, by name, in words.
    examples
        What may stand after its name in a spec, to show it: each kind once.
    absorbing
        A passing class still passes after merging with any other class. Then generalizing never adds to the
        suppressed rows, and a search may tag whole parts of the lattice from one check. Without suppression
        every model allows that where rows are counted: classes that pass still pass after merging with each
        other.
    absorbing_people
        The same where people are counted (a unit). Somebody who is in both classes counts once after they
        merge, and may have several values; so fewer models are, and others allow nothing of the kind, even
        without suppression.
    suppressible
        Suppressing a failing class settles it. (Not so where the absence of a class tells something.)
    hides_removed
        It must hold for the removed rows together too: it is about who is in the table, and everybody sees
        how many rows were removed and whom no released class covers.
    column
        The sensitive column that it is about, if any.
    population
        The larger table that it compares with, if any.
    distribution
        The distribution of its column that it compares with in place of the table's, if one is declared.
    reads
        What its query reads beside the quasi-identifiers.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    parameters: ClassVar[Mapping[str, str]]
    examples: ClassVar[tuple[object, ...]]

    @property
    def absorbing(self) -> bool: ...
    @property
    def absorbing_people(self) -> bool: ...
    @property
    def suppressible(self) -> bool: ...
    @property
    def hides_removed(self) -> bool: ...
    @property
    def column(self) -> str | None: ...
    @property
    def population(self) -> Population | None: ...
    @property
    def distribution(self) -> Distribution | None: ...
    @property
    def reads(self) -> Reads: ...

    @property
    def minimum_size(self) -> int:
        """The least rows that a class needs to pass; 1 where size does not matter."""
        ...

    @property
    def minimum_values(self) -> int:
        """The least different values that a class needs to pass, whoever has them; 1 where any may do."""
        ...

    @property
    def needs_hierarchy(self) -> bool:
        """Whether its column needs a hierarchy, which says how near values are to each other."""
        ...

    def problems(self, table: CodedTable) -> Iterable[str]:
        """Return why the model cannot be applied to this table, such as an l that no class can reach."""
        ...

    def notes(self, table: CodedTable) -> Iterable[str]:
        """Return what a reader of the release should know about its use on this table."""
        ...

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        """For each class, does it pass? By the definition: the reference for the kernel."""
        ...

    def conditions(self, table: CodedTable) -> tuple[Condition, ...]:
        """Return the same as data, for the kernel: a class passes if it meets all of them and the size."""
        ...

    @property
    def average_risk(self) -> float:
        """The most that classes per released row may be; infinite where it does not matter."""
        ...

    def sql(self, tables: Tables) -> str:
        """Return a query for the audit: one row, `failing` (classes) and `measured` (the figure reached)."""
        ...

    def describe(self) -> str:
        """Name the claim, such as `k-anonymity 5`."""
        ...

    def wording(self, measured: Any) -> str:
        """Return the measured figure in words, such as `smallest class 5`."""
        ...

    def to_spec(self) -> dict[str, object]: ...

    @classmethod
    def from_spec(cls, argument: object, folder: Any = ".") -> Self:
        """Build it from what stands after its name in a spec; files are relative to the folder."""
        ...


class ModelDefaults:
    """What most models have in common; a model says otherwise where it differs."""

    @property
    def reads(self: PrivacyModel) -> Reads:
        # Without weights every row is read, which is right for any query.
        return Reads(
            column=self.column is not None, population=self.population is not None, unit=True, weight=False
        )

    @property
    def absorbing(self) -> bool:
        return False

    @property
    def absorbing_people(self) -> bool:
        return False

    @property
    def suppressible(self) -> bool:
        return True

    @property
    def hides_removed(self) -> bool:
        return False

    @property
    def distribution(self) -> Distribution | None:
        return None

    @property
    def minimum_size(self) -> int:
        return 1

    @property
    def minimum_values(self) -> int:
        return 1

    @property
    def average_risk(self) -> float:
        return math.inf

    @property
    def needs_hierarchy(self) -> bool:
        return False

    def problems(self, table: CodedTable) -> Iterable[str]:
        return ()

    def notes(self, table: CodedTable) -> Iterable[str]:
        return ()

    def conditions(self, table: CodedTable) -> tuple[Condition, ...]:
        return ()
