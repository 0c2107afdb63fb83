"""k-map: every person hides among at least k of the population."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.privacy.arguments import Parameters, from_mapping, to_mapping
from shoal.privacy.classes import Classes
from shoal.privacy.condition import Condition
from shoal.privacy.figures import untouched
from shoal.privacy.model import ModelDefaults, Reads, Tables
from shoal.privacy.population import Population
from shoal.privacy.queries import populations


@dataclass(frozen=True, init=False)
class KMap(ModelDefaults):
    """Every released class has at least `k` people in the population.

    With N people of the population in a class, N >= k. The released rows may be fewer: a class of one row
    passes if k people of the population look like that. A person is in a class if its labels cover all of the
    person's values.

    It stops re-identification by somebody who does not know who is in the table: whoever is looked for
    matches k people. It does not stop somebody who does know that, say a colleague of a patient, nor learning
    a sensitive value that all rows of a class share.

    Parameters
    ----------
    k
        How many people.
    population
        The path of a file, or a pandas, polars or Arrow table, with the quasi-identifiers and one row per
        person. It contains the people of the table.

    References
    ----------
    L. Sweeney, "Computational disclosure control: a primer on data privacy protection", PhD thesis, MIT,
    2001.

    Examples
    --------
    One released row in each class. The town has three people in their twenties and one in their thirties.

    >>> from shoal.privacy.grouped import group
    >>> town = Population("town.csv")
    >>> classes = group(["20-29", "30-39"], populations={town: ["20-29"] * 3 + ["30-39"]})
    >>> KMap(3, town).holds(classes).tolist()
    [True, False]
    """

    k: int
    population: Population
    name: ClassVar[str] = "k-map"
    summary: ClassVar[str] = "Every released class has at least k people in the population."
    parameters: ClassVar[Mapping[str, str]] = {
        "k": "a whole number of at least 1",
        "population": "a file with the quasi-identifiers of everybody, one row per person",
    }
    examples: ClassVar[tuple[object, ...]] = ({"k": 5, "population": "census.csv"},)
    column: ClassVar[None] = None
    reads: ClassVar[Reads] = Reads(population=True, weight=True)

    def __init__(self, k: int, population: object) -> None:
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "population", population)
        given = Parameters(self)
        given.whole("k")
        given.population()
        given.settle()

    @property
    def absorbing(self) -> bool:
        return True

    @property
    def absorbing_people(self) -> bool:
        return True

    def problems(self, table: CodedTable) -> Iterable[str]:
        classes = untouched(table, self.population.key)
        strangers = int(classes.sizes[classes.population(self.population.key) == 0].sum())
        if strangers:
            yield (
                f"{self.describe()}: {strangers:,} of {table.rows:,} rows have quasi-identifiers that nobody "
                "in the population has.\nA population contains the people of the table.\n"
                "Check that both tables write values the same way, or give a population that contains them."
            )
        members = table.populations[self.population.key].rows
        if members < self.k:
            yield (
                f"{self.describe()}: no class can have that many people.\nThe population has {members:,}.\n"
                "Use a smaller k, or a larger population."
            )

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        return np.asarray((classes.population(self.population.key) >= self.k) | (classes.sizes == 0))

    def conditions(self, table: CodedTable) -> tuple[Condition, ...]:
        return (
            Condition(
                "population",
                "population",
                self.population.key,
                least=self.k,
                lower=np.zeros(1),
                upper=np.full(1, np.finfo(np.float64).max),
                absorbing=True,
            ),
        )

    def sql(self, tables: Tables) -> str:
        return (
            f"SELECT count(*) FILTER (WHERE people < {self.k}) AS failing, min(people) AS measured\n"
            # Who is released matters, not how often: so the units need not be known.
            f"FROM {populations(replace(tables, unit=None), self.population.key)} AS classes\n"
            "WHERE n > 0"
        )

    def describe(self) -> str:
        return f"k-map {self.k} in {self.population.name}"

    def wording(self, measured: Any) -> str:
        return "no classes" if measured is None else f"fewest people of the population in a class {measured}"

    def to_spec(self) -> dict[str, object]:
        return {self.name: to_mapping(self)}

    @classmethod
    def from_spec(cls, argument: object, folder: Any = ".") -> Self:
        return from_mapping(cls, argument, folder)
