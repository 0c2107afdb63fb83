"""delta-presence: nobody can tell well who of the population is in the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.privacy.arguments import Parameters, from_mapping, to_mapping
from shoal.privacy.classes import Classes
from shoal.privacy.condition import ROUNDING, Condition
from shoal.privacy.figures import untouched
from shoal.privacy.model import ModelDefaults, Reads, Tables
from shoal.privacy.population import Population
from shoal.privacy.queries import double, populations


@dataclass(frozen=True, init=False)
class DeltaPresence(ModelDefaults):
    """In every class, between `lower` and `upper` of the population's people are in the table.

    With n people of the table and N of the population in a class, lower <= n / N <= upper. With a lower
    bound above 0 this also asks that some of every class of the population are released: a class of which
    nobody is has n / N = 0. Then nothing may be suppressed. A person is in a class if its labels cover all of
    the person's values; labels of two classes may not cover the same person, who would be in the table more
    surely than either share says.

    It stops learning that somebody is in a table, where that alone says something (a register of patients),
    and with a lower bound also that somebody is not. It does not hide who is who within a class, nor
    sensitive values.

    Parameters
    ----------
    population
        The path of a file, or a pandas, polars or Arrow table, with the quasi-identifiers and one row per
        person. It contains the people of the table.
    lower, upper
        Shares, from 0 to 1.

    References
    ----------
    M. Nergiz, M. Atzori, C. Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007.

    Examples
    --------
    One of four in their twenties is in the table, one of two in their thirties, none in their forties.

    >>> from shoal.privacy.grouped import group
    >>> town = Population("town.csv")
    >>> everybody = ["20-29"] * 4 + ["30-39"] * 2 + ["40-49"]
    >>> classes = group(["20-29", "30-39"], populations={town: everybody})
    >>> DeltaPresence(town, lower=0, upper=0.3).holds(classes).tolist()
    [True, False, True]
    >>> DeltaPresence(town, lower=0.1, upper=0.5).holds(classes).tolist()
    [True, True, False]
    """

    population: Population
    lower: float
    upper: float
    name: ClassVar[str] = "delta-presence"
    summary: ClassVar[str] = "In every class the share of the population that is in the table has bounds."
    parameters: ClassVar[Mapping[str, str]] = {
        "population": "a file with the quasi-identifiers of everybody, one row per person",
        "lower": "a number from 0 to 1",
        "upper": "a number above 0, at most 1, not below lower",
    }
    examples: ClassVar[tuple[object, ...]] = ({"population": "census.csv", "lower": 0.05, "upper": 0.15},)
    column: ClassVar[None] = None
    reads: ClassVar[Reads] = Reads(population=True, unit=True, weight=True)

    def __init__(self, population: object, lower: float, upper: float) -> None:
        object.__setattr__(self, "population", population)
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        given = Parameters(self)
        given.population()
        fine = given.number("lower", "from 0 to 1", lambda share: 0 <= share <= 1)
        fine &= given.number("upper", "above 0, at most 1", lambda share: 0 < share <= 1)
        if fine and self.lower > self.upper:
            given.add(
                "delta-presence needs a lower bound that is not above the upper one.\n"
                f"Found: lower {self.lower!r}, upper {self.upper!r}."
            )
        given.settle()

    @property
    def suppressible(self) -> bool:
        return self.lower == 0

    @property
    def hides_removed(self) -> bool:
        return True

    def problems(self, table: CodedTable) -> Iterable[str]:
        classes = untouched(table, self.population.key)
        people = classes.population(self.population.key)
        fewer = int(classes.sizes[people < classes.people].sum())
        if fewer:
            yield (
                f"{self.describe()}: {fewer:,} of {table.rows:,} rows have quasi-identifiers that fewer "
                "people have in the population than in the table.\n"
                "A population contains the people of the table.\n"
                "Check that both tables write values the same way, or give a population that contains them."
            )

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        people = classes.population(self.population.key)
        lower, upper = self._bounds
        # A class that has none of the table's rows is judged too: its absence tells something.
        within = (classes.people >= lower * people) & (classes.people <= upper * people)
        return np.asarray(within & ~classes.shared(self.population.key))

    def conditions(self, table: CodedTable) -> tuple[Condition, ...]:
        lower, upper = self._bounds
        return (
            Condition(
                "population",
                "population",
                self.population.key,
                lower=np.array([lower]),
                upper=np.array([upper]),
            ),
        )

    def sql(self, tables: Tables) -> str:
        shared, matches = "", ""
        if tables.matched is not None:
            # Who may be in two classes is in the table more surely than the share of one of them says.
            shared, matches = "    OR n > 0 AND matches > 1\n", ", matches"
        return (
            "SELECT count(*) FILTER (\n"
            f"    WHERE n < {double(self.lower)} * (1 - {ROUNDING}) * people\n"
            f"    OR n > {double(self.upper)} * (1 + {ROUNDING}) * people\n"
            f"{shared}"
            "  ) AS failing,\n"
            "  {'lowest': min(share), 'highest': max(share)} AS measured\n"
            "FROM (\n"
            "  SELECT n, people, CASE WHEN people > 0 THEN n / people ELSE 'infinity'::DOUBLE END AS share"
            f"{matches}\n"
            f"  FROM {populations(tables, self.population.key)} AS classes\n"
            ") AS shares"
        )

    def describe(self) -> str:
        return f"delta-presence {self.lower:g} to {self.upper:g} in {self.population.name}"

    def wording(self, measured: Any) -> str:
        if measured is None or measured["lowest"] is None:
            return "no classes"
        return f"shares from {measured['lowest']:.6g} to {measured['highest']:.6g}"

    def to_spec(self) -> dict[str, object]:
        return {self.name: to_mapping(self)}

    @classmethod
    def from_spec(cls, argument: object, folder: Any = ".") -> Self:
        return from_mapping(cls, argument, folder)

    @property
    def _bounds(self) -> tuple[float, float]:
        return self.lower * (1 - ROUNDING), self.upper * (1 + ROUNDING)
