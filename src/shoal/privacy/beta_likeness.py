"""beta-likeness: no sensitive value is much more likely in a class than in the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.privacy.arguments import Parameters, from_mapping, to_mapping
from shoal.privacy.classes import Classes
from shoal.privacy.condition import ROUNDING, Condition
from shoal.privacy.distribution import Distribution
from shoal.privacy.figures import at_least, fewest_values
from shoal.privacy.levels import LevelDefaults
from shoal.privacy.model import Tables
from shoal.privacy.queries import double, with_shares

Kind = Literal["basic", "enhanced"]


@dataclass(frozen=True)
class BetaLikeness(LevelDefaults):
    """In every class, each value of `column` has at most (1 + `beta`) times its share in the whole table.

    For a value with the share p in the table and q in a class:

    - `basic`: q <= p (1 + beta).
    - `enhanced`: q <= p (1 + min(beta, -ln p)). Frequent values, for which p (1 + beta) may be no bound at
      all, are bounded too: by p (1 - ln p), which is less than 1.

    It stops learning that somebody has a value with far more confidence than the whole table gives, and
    does so for each value alone, however rare: the gain is relative to p. It says nothing about values that
    become less likely, and does not stop re-identification. Nor does it bound groups of near values, unless
    their labels are judged too: with `from_level` it must hold for the labels of that level of the column's
    hierarchy and of every level above it; 0 is the values themselves. q is then the share of the people who
    have any value under a label. What holds for values need not hold for their labels.

    References
    ----------
    J. Cao, P. Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012.

    Examples
    --------
    One of eight in the table has asthma, p = 1/8; in its class it is q = 1/4 = p (1 + 1), a gain of 1. A cold
    has p = 3/8, and q = 3/4 in the second class, which is a gain of 1 too. There -ln p = 0.98, so the
    enhanced kind allows less.

    >>> from shoal.privacy.grouped import group
    >>> disease = ["flu", "flu", "flu", "asthma"] + ["flu", "cold", "cold", "cold"]
    >>> classes = group(["20-29"] * 4 + ["30-39"] * 4, disease=disease)
    >>> BetaLikeness("disease", 1, kind="basic").holds(classes).tolist()
    [True, True]
    >>> BetaLikeness("disease", 1).holds(classes).tolist()
    [True, False]

    Two diseases of the lungs have p = 2/10 each, 4/10 together. In a class they are 1/2 each: a gain of 1.5.
    But everybody has one of them, and 1 > 4/10 (1 - ln 4/10) = 0.77. The others have p = 6/10 together.

    >>> from shoal import taxonomy
    >>> illness = taxonomy({"lungs": ["flu", "asthma"], "other": ["ulcer", "gout", "burn"]})
    >>> disease = ["flu", "flu", "asthma", "asthma"] + ["ulcer", "ulcer", "gout", "gout", "burn", "burn"]
    >>> classes = group(["20-29"] * 4 + ["30-39"] * 6, hierarchies={"disease": illness}, disease=disease)
    >>> BetaLikeness("disease", 2).holds(classes).tolist()
    [True, True]
    >>> BetaLikeness("disease", 2, from_level=1).holds(classes).tolist()
    [False, False]
    """

    column: str
    beta: float
    kind: Kind = "enhanced"
    from_level: int | None = None
    distribution: Distribution | None = None
    name: ClassVar[str] = "beta-likeness"
    summary: ClassVar[str] = "In no class is a sensitive value much more likely than in the table."
    parameters: ClassVar[Mapping[str, str]] = {
        "column": "the sensitive column",
        "beta": "a number above 0",
        "kind": "enhanced (the default) or basic",
        "from-level": "judge the labels of this level and above, by the column's hierarchy; 0 is the values",
        "distribution": "what classes are compared with in place of the table: the share of each value",
    }
    examples: ClassVar[tuple[object, ...]] = (
        {"column": "disease", "beta": 2},
        {"column": "disease", "beta": 2, "kind": "basic"},
        {"column": "disease", "beta": 2, "from-level": 1},
        {"column": "disease", "beta": 2, "distribution": {"flu": 0.7, "cold": 0.3}},
    )
    population: ClassVar[None] = None

    def __post_init__(self) -> None:
        given = Parameters(self)
        given.column()
        given.number("beta", "above 0", lambda beta: beta > 0)
        given.choice("kind", get_args(Kind))
        given.level("from_level")
        given.distribution()
        given.settle()

    def holds_at(self, classes: Classes, level: int) -> NDArray[np.bool_]:
        most = self._upper(self.compared(classes.table, level)) * classes.people[:, np.newaxis]
        return np.asarray((classes.histogram(self.column, level) <= most).all(axis=1))

    def conditions_at(self, table: CodedTable, level: int) -> tuple[Condition, ...]:
        upper = self._upper(self.compared(table, level))
        bounded = Condition("shares", "attribute", self.column, lower=np.zeros(len(upper)), upper=upper)
        # The shares of a class add up to 1, so it takes several values that reach that together.
        return *at_least(self.column, fewest_values(upper, 1)), bounded

    def class_query(self, tables: Tables, level: int) -> str:
        gain = double(self.beta)
        if self.kind == "enhanced":
            gain = f"least({gain}, -ln(p))"
        return (
            f"{with_shares(tables, self.column)}\n"
            "SELECT class,\n"
            f"  bool_or(CASE WHEN p > 0 THEN c > p * (1 + {gain}) * (1 + {ROUNDING}) * n ELSE true END)\n"
            "    AS fails,\n"
            "  max(CASE WHEN p > 0 THEN c / n / p - 1 ELSE 'infinity'::DOUBLE END) AS measured\n"
            "FROM compared GROUP BY class"
        )

    def describe(self) -> str:
        judged = f"{self.column}{self.described_levels}"
        return f"{self.kind} {self.beta:g}-likeness of {judged}{self.described_distribution}"

    def wording(self, measured: Any) -> str:
        return "no classes" if measured is None else f"largest gain {measured:.6g}"

    def to_spec(self) -> dict[str, object]:
        return {self.name: to_mapping(self)}

    @classmethod
    def from_spec(cls, argument: object, folder: Any = ".") -> Self:
        return from_mapping(cls, argument)

    def _upper(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        # A value that no row has gains nothing, whatever its logarithm.
        gain = np.minimum(self.beta, -np.log(np.where(p > 0, p, 1))) if self.kind == "enhanced" else self.beta
        return np.asarray(p * (1 + gain) * (1 + ROUNDING))
