"""delta-disclosure privacy: every sensitive value is about as likely in every class as in the whole table."""

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
from shoal.privacy.distribution import Distribution
from shoal.privacy.figures import at_least
from shoal.privacy.levels import LevelDefaults
from shoal.privacy.model import Tables
from shoal.privacy.queries import double, with_shares

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class DeltaDisclosure(LevelDefaults):
    """In every class, each value of `column` has about its share in the whole table, up to a factor.

    For every value of the table, with the share p in the table and q in a class: abs(ln(q / p)) < delta. So
    every class has every value.

    It stops learning anything much about a sensitive value from the class, in both directions: that somebody
    has it, and that somebody does not. So it is one of the strictest models, and few classes pass. It does
    not stop re-identification. With `from_level` it must hold for the labels of that level of the column's
    hierarchy and of every level above it; 0 is the values themselves.

    References
    ----------
    J. Brickell, V. Shmatikov, "The cost of privacy: destruction of data-mining utility in anonymized data
    publishing", KDD 2008.

    Examples
    --------
    Half of the table has flu, p = 1/2. In the first class it is 2 of 3: ln(2/3 : 1/2) = 0.29; for a cold
    it is 1 of 3: ln(1/3 : 1/2) = -0.41. In the second class it is the other way round.

    >>> from shoal.privacy.grouped import group
    >>> classes = group(["20-29"] * 3 + ["30-39"] * 3, disease=["flu", "flu", "cold", "flu", "cold", "cold"])
    >>> DeltaDisclosure("disease", 0.41).holds(classes).tolist()
    [True, True]
    >>> DeltaDisclosure("disease", 0.40).holds(classes).tolist()
    [False, False]
    """

    column: str
    delta: float
    from_level: int | None = None
    distribution: Distribution | None = None
    name: ClassVar[str] = "delta-disclosure"
    summary: ClassVar[str] = "In every class every sensitive value is about as likely as in the table."
    parameters: ClassVar[Mapping[str, str]] = {
        "column": "the sensitive column",
        "delta": "a number above 0",
        "from-level": "judge the labels of this level and above, by the column's hierarchy; 0 is the values",
        "distribution": "what classes are compared with in place of the table: the share of each value",
    }
    examples: ClassVar[tuple[object, ...]] = (
        {"column": "disease", "delta": 1.0},
        {"column": "disease", "delta": 1.0, "from-level": 1},
        {"column": "disease", "delta": 1.0, "distribution": {"flu": 0.7, "cold": 0.3}},
    )
    population: ClassVar[None] = None

    def __post_init__(self) -> None:
        given = Parameters(self)
        given.column()
        given.number("delta", "above 0, at most 700", lambda delta: 0 < delta <= 700)
        given.level("from_level")
        given.distribution()
        given.settle()

    def holds_at(self, classes: Classes, level: int) -> NDArray[np.bool_]:
        lower, upper = self._bounds(self.compared(classes.table, level))
        counts, people = classes.histogram(self.column, level), classes.people[:, np.newaxis]
        passes = ((lower * people <= counts) & (counts <= upper * people)).all(axis=1)
        return np.asarray(passes | (classes.sizes == 0))

    def conditions_at(self, table: CodedTable, level: int) -> tuple[Condition, ...]:
        lower, upper = self._bounds(self.compared(table, level))
        return (
            *at_least(self.column, int(np.count_nonzero(lower))),
            Condition("shares", "attribute", self.column, lower=lower, upper=upper),
        )

    def class_query(self, tables: Tables, level: int) -> str:
        low = f"exp(-{double(self.delta)}) * (1 + {ROUNDING})"
        high = f"exp({double(self.delta)}) * (1 - {ROUNDING})"
        lacking = "count(*) < (SELECT count(*) FROM totals WHERE total > 0)"
        return (
            f"{with_shares(tables, self.column)}\n"
            "SELECT class,\n"
            f"  {lacking}\n"
            f"    OR bool_or(c < p * {low} * n)\n"
            f"    OR bool_or(c > p * {high} * n) AS fails,\n"
            f"  CASE WHEN {lacking} OR min(p) = 0 THEN 'infinity'::DOUBLE\n"
            "    ELSE max(CASE WHEN p > 0 THEN abs(ln(c / n) - ln(p)) END) END AS measured\n"
            "FROM compared GROUP BY class"
        )

    def describe(self) -> str:
        judged = f"{self.column}{self.described_levels}"
        return f"{self.delta:g}-disclosure privacy of {judged}{self.described_distribution}"

    def wording(self, measured: Any) -> str:
        return "no classes" if measured is None else f"largest change {measured:.6g}"

    def to_spec(self) -> dict[str, object]:
        return {self.name: to_mapping(self)}

    @classmethod
    def from_spec(cls, argument: object, folder: Any = ".") -> Self:
        return from_mapping(cls, argument)

    def _bounds(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        # The bounds themselves fail, so what is within rounding of them does too.
        return (
            p * math.exp(-self.delta) * (1 + ROUNDING),
            p * math.exp(self.delta) * (1 - ROUNDING),
        )
