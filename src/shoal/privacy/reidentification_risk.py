"""Re-identification risk: how likely a guess at who a row is about can be right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.privacy.arguments import Parameters, from_mapping, to_mapping
from shoal.privacy.classes import Classes
from shoal.privacy.condition import ROUNDING, Condition
from shoal.privacy.figures import least_size
from shoal.privacy.model import ModelDefaults, Reads, Tables
from shoal.privacy.queries import counted, double


@dataclass(frozen=True)
class Risk(ModelDefaults):
    """The risk of re-identification is at most `maximal` for everybody, and at most `average` on the whole.

    Somebody in a class of n is found with the probability 1 / n. So `maximal` asks that 1 / n is at most that
    in every class, and `average` that classes / rows, the mean of 1 / n over all released rows, is. Where the
    spec names a unit, people are counted instead of rows. To reach an average, the smallest classes are
    suppressed, all of one size together.

    It stops re-identification by joining on the quasi-identifiers, `maximal` exactly as k-anonymity does with
    k = 1 / maximal. An average alone protects nobody in particular: single rows may stand out in it. It
    does not stop learning a sensitive value that all rows of a class share.

    References
    ----------
    K. El Emam, "Guide to the de-identification of personal health information", CRC Press, 2013.

    Examples
    --------
    Classes of 4 and of 1. The risks are 1/4 and 1; on average it is 2 classes / 5 rows = 0.4.

    >>> from shoal.privacy.grouped import group
    >>> Risk(maximal=0.25).holds(group(["20-29"] * 4 + ["30-39"])).tolist()
    [True, False]
    >>> Risk(average=0.4).describe()
    'average risk 0.4'
    """

    maximal: float | None = None
    average: float | None = None
    name: ClassVar[str] = "risk"
    summary: ClassVar[str] = "The risk of re-identification is bounded, for everybody or on average."
    parameters: ClassVar[Mapping[str, str]] = {
        "maximal": "the most for anybody: a number above 0, at most 1",
        "average": "the most on average: a number above 0, at most 1",
    }
    examples: ClassVar[tuple[object, ...]] = ({"maximal": 0.2}, {"maximal": 0.2, "average": 0.05})
    column: ClassVar[None] = None
    population: ClassVar[None] = None
    reads: ClassVar[Reads] = Reads(unit=True, weight=True)

    def __post_init__(self) -> None:
        given = Parameters(self)
        for bound in ("maximal", "average"):
            if getattr(self, bound) is not None:
                given.number(bound, "above 0, at most 1", lambda risk: 0 < risk <= 1)
        if self.maximal is None and self.average is None:
            given.add("risk needs a bound.\nFound: none.\nGive maximal, average or both.")
        given.settle()

    @property
    def absorbing(self) -> bool:
        # Classes that merge with a suppressed one are fewer, larger and more at once.
        return self.average is None

    @property
    def absorbing_people(self) -> bool:
        return self.absorbing

    @property
    def minimum_size(self) -> int:
        return 1 if self.maximal is None else least_size(self.maximal)

    @property
    def average_risk(self) -> float:
        return math.inf if self.average is None else float(self.average)

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        return np.asarray((classes.people >= self.minimum_size) | (classes.sizes == 0))

    def conditions(self, table: CodedTable) -> tuple[Condition, ...]:
        if table.units is None:
            return ()
        return (Condition("distinct", "units", least=self.minimum_size, absorbing=True),)

    def sql(self, tables: Tables) -> str:
        columns = ", ".join(tables.quasi_identifiers)
        failing = f"count(*) FILTER (WHERE n < {self.minimum_size})"
        if self.average is not None:
            failing = (
                f"CASE WHEN count(*) > {double(self.average)} * (1 + {ROUNDING}) * sum(n) THEN count(*)\n"
                f"  ELSE {failing} END"
            )
        return (
            f"SELECT {failing} AS failing,\n"
            "  {'maximal': 1 / min(n), 'average': count(*) / sum(n)} AS measured\n"
            f"FROM (SELECT {counted(tables)} AS n FROM {tables.kept} GROUP BY {columns}) AS classes"
        )

    def describe(self) -> str:
        bounds = {"maximal": self.maximal, "average": self.average}
        return ", ".join(f"{which} risk {bound:g}" for which, bound in bounds.items() if bound is not None)

    def wording(self, measured: Any) -> str:
        if measured is None or measured["maximal"] is None:
            return "no classes"
        return f"highest {measured['maximal']:.6g}, on average {measured['average']:.6g}"

    def to_spec(self) -> dict[str, object]:
        return {self.name: to_mapping(self)}

    @classmethod
    def from_spec(cls, argument: object, folder: Any = ".") -> Self:
        return from_mapping(cls, argument)
