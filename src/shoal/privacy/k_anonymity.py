"""k-anonymity: every person hides among at least k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.privacy.classes import Classes
from shoal.privacy.condition import Condition
from shoal.privacy.model import ModelDefaults, Reads, Tables
from shoal.privacy.queries import counted


@dataclass(frozen=True)
class KAnonymity(ModelDefaults):
    """Every class has at least `k` rows, or people where the spec names a unit.

    For a class of n rows: n >= k. It stops re-identification by joining on the quasi-identifiers: whoever is
    looked for matches k rows or none. It does not stop learning a sensitive value that all rows of a class
    share; l-diversity and t-closeness do.

    References
    ----------
    L. Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.

    Examples
    --------
    Two rows in the first class, one in the second. By people, Ann with her two visits is alone in the first.

    >>> from shoal.privacy.grouped import group
    >>> KAnonymity(2).holds(group(["20-29", "20-29", "30-39"])).tolist()
    [True, False]
    >>> KAnonymity(2).holds(group(["20-29", "20-29", "30-39"], units=["Ann", "Ann", "Bob"])).tolist()
    [False, False]
    """

    k: int
    name: ClassVar[str] = "k-anonymity"
    summary: ClassVar[str] = "Every class has at least k rows."
    parameters: ClassVar[Mapping[str, str]] = {"k": "a whole number of at least 1"}
    examples: ClassVar[tuple[object, ...]] = (5,)
    column: ClassVar[None] = None
    population: ClassVar[None] = None
    reads: ClassVar[Reads] = Reads(unit=True, weight=True)

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int | np.integer) or self.k < 1:
            raise InputError(f"k-anonymity needs a whole number k of at least 1.\nFound: {self.k!r}.")
        object.__setattr__(self, "k", int(self.k))

    @property
    def absorbing(self) -> bool:
        return True

    @property
    def absorbing_people(self) -> bool:
        return True

    @property
    def minimum_size(self) -> int:
        return self.k

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        # A class that only a population has is not released.
        return np.asarray((classes.people >= self.k) | (classes.sizes == 0))

    def conditions(self, table: CodedTable) -> tuple[Condition, ...]:
        if table.units is None:
            return ()
        return (Condition("distinct", "units", least=self.k, absorbing=True),)

    def sql(self, tables: Tables) -> str:
        columns = ", ".join(tables.quasi_identifiers)
        return (
            f"SELECT count(*) FILTER (WHERE n < {self.k}) AS failing, min(n) AS measured\n"
            f"FROM (SELECT {counted(tables)} AS n FROM {tables.kept} GROUP BY {columns}) AS classes"
        )

    def describe(self) -> str:
        return f"k-anonymity {self.k}"

    def wording(self, measured: Any) -> str:
        return "no classes" if measured is None else f"smallest class {measured}"

    def to_spec(self) -> dict[str, object]:
        return {self.name: self.k}

    @classmethod
    def from_spec(cls, argument: object, folder: Any = ".") -> Self:
        if not isinstance(argument, int):
            raise InputError(f"k-anonymity needs a whole number k of at least 1.\nFound: {argument!r}.")
        return cls(argument)
