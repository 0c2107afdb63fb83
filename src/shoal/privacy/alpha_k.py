"""(alpha, k)-anonymity: every person hides among k, and no sensitive value dominates a class."""

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
from shoal.privacy.figures import at_least, least_size
from shoal.privacy.model import ModelDefaults, Reads, Tables
from shoal.privacy.queries import double, histograms


@dataclass(frozen=True)
class AlphaK(ModelDefaults):
    """Every class has at least `k` rows, and no value of `column` has a share above `alpha` in it.

    For a class of n rows with counts c of the sensitive values: n >= k, and c <= alpha n for every value.
    Where the spec names a unit, n and c count people; somebody with several values counts for each.

    It stops re-identification as k-anonymity does, and it bounds how sure anybody who finds a person's class
    can be of a sensitive value: at most alpha. It does not look at how common a value is: where 1 in 1000 has
    an illness, a class in which every second one has it still passes with alpha = 0.5.

    References
    ----------
    R. Wong, J. Li, A. Fu, K. Wang, "(alpha, k)-anonymity: an enhanced k-anonymity model for privacy
    preserving data publishing", KDD 2006.

    Examples
    --------
    The first class has 4 rows, half of them with flu. In the second 3 of 4 have a cold, and 3 / 4 > 0.5.

    >>> from shoal.privacy.grouped import group
    >>> disease = ["flu", "flu", "cold", "asthma"] + ["cold", "cold", "cold", "flu"]
    >>> classes = group(["20-29"] * 4 + ["30-39"] * 4, disease=disease)
    >>> AlphaK("disease", alpha=0.5, k=4).holds(classes).tolist()
    [True, False]
    """

    column: str
    alpha: float
    k: int
    name: ClassVar[str] = "alpha-k"
    summary: ClassVar[str] = "Every class has at least k rows, and no sensitive value a share above alpha."
    parameters: ClassVar[Mapping[str, str]] = {
        "column": "the sensitive column",
        "alpha": "a number above 0, at most 1",
        "k": "a whole number of at least 1",
    }
    examples: ClassVar[tuple[object, ...]] = ({"column": "disease", "alpha": 0.5, "k": 5},)
    population: ClassVar[None] = None
    reads: ClassVar[Reads] = Reads(column=True, unit=True, weight=True)

    def __post_init__(self) -> None:
        given = Parameters(self)
        given.column()
        given.number("alpha", "above 0, at most 1", lambda alpha: 0 < alpha <= 1)
        given.whole("k")
        given.settle()

    @property
    def minimum_size(self) -> int:
        # One row is already a share of 1 / n.
        return max(self.k, least_size(self.alpha))

    @property
    def minimum_values(self) -> int:
        # Everybody has one of n values, so one of these has a share of at least 1 / n.
        return least_size(self.alpha)

    def problems(self, table: CodedTable) -> Iterable[str]:
        values = len(table.attributes[self.column].counts)
        if values < least_size(self.alpha):
            yield (
                f"{self.describe()}: alpha is below what any class can reach.\n"
                f"Column {self.column!r} has {values:,} different values, so one of them has a share of at "
                f"least 1/{values:,} in any class.\nUse a larger alpha."
            )

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        most = classes.histogram(self.column).max(axis=1, initial=0)
        passes = (classes.people >= self.k) & (most <= self._upper * classes.people)
        return np.asarray(passes | (classes.sizes == 0))

    def conditions(self, table: CodedTable) -> tuple[Condition, ...]:
        values = len(table.attributes[self.column].counts)
        shares = Condition(
            "shares",
            "attribute",
            self.column,
            lower=np.zeros(values),
            upper=np.full(values, self._upper),
        )
        tests = (*at_least(self.column, least_size(self.alpha)), shares)
        if table.units is None:
            return tests
        return Condition("distinct", "units", least=self.minimum_size, absorbing=True), *tests

    def sql(self, tables: Tables) -> str:
        return (
            "SELECT count(*) FILTER (\n"
            f"    WHERE n < {self.k} OR most > {double(self.alpha)} * (1 + {ROUNDING}) * n\n"
            "  ) AS failing,\n"
            "  {'size': min(n), 'share': max(most / n)} AS measured\n"
            "FROM (\n"
            f"{histograms(tables, self.column)}\n"
            "SELECT class, n, max(c) AS most FROM sizes JOIN counts USING (class) GROUP BY class, n\n"
            ") AS classes"
        )

    def describe(self) -> str:
        return f"({self.alpha:g}, {self.k})-anonymity of {self.column}"

    def wording(self, measured: Any) -> str:
        if measured is None or measured["size"] is None:
            return "no classes"
        return f"smallest class {measured['size']}, largest share {measured['share']:.6g}"

    def to_spec(self) -> dict[str, object]:
        return {self.name: to_mapping(self)}

    @classmethod
    def from_spec(cls, argument: object, folder: Any = ".") -> Self:
        return from_mapping(cls, argument)

    @property
    def _upper(self) -> float:
        return self.alpha * (1 + ROUNDING)
