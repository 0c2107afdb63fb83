"""l-diversity: every class has several sensitive values, well represented."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.privacy.arguments import Parameters, from_mapping, to_mapping
from shoal.privacy.classes import Classes
from shoal.privacy.condition import ROUNDING, Condition
from shoal.privacy.figures import at_least, least_whole
from shoal.privacy.model import ModelDefaults, Reads, Tables
from shoal.privacy.people import worst_reading
from shoal.privacy.queries import double, readings

Kind = Literal["distinct", "entropy", "recursive"]


@dataclass(frozen=True)
class LDiversity(ModelDefaults):
    """Every class has at least `l` values of `column`, well represented.

    For a class of n rows whose m values have the counts r1 >= r2 >= ... >= rm:

    - `distinct`: m >= l.
    - `entropy`: - sum of r/n ln(r/n) >= ln l. The class is as uncertain as l values of the same frequency.
      Here l may have a fraction.
    - `recursive`: r1 < c (rl + ... + rm). Even after somebody has ruled out l - 2 values, the most frequent
      one is less than c times the others together.

    Where the spec names a unit, n counts people, and somebody may have several values. Then r1, r2, ... is
    the worst reading of the class: each person is read as having one value, as few different ones as can be
    (`shoal.privacy.people`). So `distinct` asks that no l - 1 values account for everybody, and a class in
    which all people have one value in common passes for no l above 1, whatever else they have.

    It stops learning a sensitive value because all of a class share it, and makes ruling out values by
    background knowledge hard. It does not know what values mean or how common they are: a class with three
    kinds of cancer is 3-diverse, and so is one where a rare illness is as frequent as a cold.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity: privacy beyond
    k-anonymity", TKDD 1(1), 2007.

    Examples
    --------
    Two values in both classes, 2 and 2 in the first, 3 and 1 in the second. The second has the entropy of
    exp(0.75 ln(4/3) + 0.25 ln 4) = 1.75 equally frequent values, and 3 < 4 * 1.

    >>> from shoal.privacy.grouped import group
    >>> disease = ["flu", "flu", "cold", "cold"] + ["flu", "flu", "flu", "cold"]
    >>> classes = group(["20-29"] * 4 + ["30-39"] * 4, disease=disease)
    >>> LDiversity("disease", 2).holds(classes).tolist()
    [True, True]
    >>> LDiversity("disease", 2, kind="entropy").holds(classes).tolist()
    [True, False]
    >>> LDiversity("disease", 1.7, kind="entropy").holds(classes).tolist()
    [True, True]
    >>> LDiversity("disease", 2, kind="recursive", c=4).holds(classes).tolist()
    [True, True]

    Three people with two rows each, who all have HIV:

    >>> disease = ["HIV", "flu", "HIV", "cold", "HIV", "asthma"]
    >>> of_people = group(["20-29"] * 6, units=[1, 1, 2, 2, 3, 3], disease=disease)
    >>> LDiversity("disease", 2).holds(of_people).tolist()
    [False]
    """

    column: str
    l: float  # noqa: E741 (its name in the field)
    kind: Kind = "distinct"
    c: float | None = None
    name: ClassVar[str] = "l-diversity"
    summary: ClassVar[str] = "Every class has at least l sensitive values, well represented."
    parameters: ClassVar[Mapping[str, str]] = {
        "column": "the sensitive column",
        "l": "a whole number of at least 1; for entropy any number of at least 1",
        "kind": "distinct (the default), entropy or recursive",
        "c": "for recursive: a number above 0",
    }
    examples: ClassVar[tuple[object, ...]] = (
        {"column": "disease", "l": 3},
        {"column": "disease", "l": 3, "kind": "entropy"},
        {"column": "disease", "l": 3, "kind": "recursive", "c": 4},
    )
    population: ClassVar[None] = None
    reads: ClassVar[Reads] = Reads(column=True, unit=True, weight=True)

    def __post_init__(self) -> None:
        given = Parameters(self)
        given.column()
        given.choice("kind", get_args(Kind))
        if self.kind == "entropy":
            given.number("l", "of at least 1", lambda l: l >= 1)  # noqa: E741
        else:
            given.whole("l")
        if self.kind == "recursive":
            given.number("c", "above 0", lambda c: c > 0)
        elif self.kind in get_args(Kind):
            given.refuse_idle("c", "kind recursive")
        given.settle()

    @property
    def absorbing(self) -> bool:
        # Not so where people are counted: one who comes with two values may make these account for all.
        return self.kind == "distinct"

    @property
    def minimum_size(self) -> int:
        return least_whole(self.l)

    @property
    def minimum_values(self) -> int:
        # n values have at most the entropy of n equally frequent ones, and leave nothing behind the n-th.
        return self.minimum_size

    def problems(self, table: CodedTable) -> Iterable[str]:
        values = len(table.attributes[self.column].counts)
        if values < self.minimum_size:
            yield (
                f"{self.describe()}: l is above the number of different values.\n"
                f"Column {self.column!r} has {values:,}, so no class can have more.\n"
                f"Use an l of at most {values:,}."
            )

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        counts = classes.histogram(self.column)
        if classes.table.units is not None:
            counts = worst_reading(counts, classes.people)
        if self.kind == "distinct":
            passes = np.count_nonzero(counts, axis=1) >= self.l
        elif self.kind == "entropy":
            n = counts.sum(axis=1)
            passes = _n_log_n(n) - _n_log_n(counts).sum(axis=1) >= n * (math.log(self.l) - ROUNDING)
        else:
            assert self.c is not None
            falling = np.sort(counts, axis=1)[:, ::-1]
            tail = falling[:, int(self.l) - 1 :].sum(axis=1)
            passes = falling.max(axis=1, initial=0) < self.c * tail * (1 - ROUNDING)
        return np.asarray(passes | (classes.sizes == 0))

    def conditions(self, table: CodedTable) -> tuple[Condition, ...]:
        # In all kinds a class needs l values, and l people, and that it keeps when it merges.
        several = at_least(self.column, self.minimum_size)
        if table.units is not None:
            people = Condition("distinct", "units", least=self.minimum_size, absorbing=True)
            several = (people, *several)
        if self.kind == "entropy":
            return *several, Condition("entropy", "attribute", self.column, bound=math.log(self.l))
        if self.kind == "recursive":
            assert self.c is not None
            return *several, Condition(
                "recursive", "attribute", self.column, least=int(self.l), bound=float(self.c)
            )
        if table.units is not None:
            return *several, Condition("cover", "attribute", self.column, least=int(self.l))
        return several

    def sql(self, tables: Tables) -> str:
        start, counts = readings(tables, self.column)
        if self.kind == "distinct":
            return (
                f"SELECT count(*) FILTER (WHERE found < {self.l}) AS failing, min(found) AS measured\n"
                f"FROM (\n{start}\nSELECT class, count(*) AS found FROM {counts} GROUP BY class\n) AS classes"
            )
        if self.kind == "entropy":
            return (
                f"SELECT count(*) FILTER (WHERE entropy < ln({double(self.l)}) - {ROUNDING}) AS failing,\n"
                "  exp(min(entropy)) AS measured\n"
                "FROM (\n"
                f"{start}\n"
                "SELECT class, ln(sum(c)::DOUBLE) - sum(c * ln(c)) / sum(c) AS entropy\n"
                f"FROM {counts} GROUP BY class\n"
                ") AS classes"
            )
        assert self.c is not None
        return (
            "SELECT count(*) FILTER (\n"
            f"    WHERE NOT most < {double(self.c)} * tail * (1 - {ROUNDING})\n"
            "  ) AS failing,\n"
            "  max(CASE WHEN tail > 0 THEN most / tail ELSE 'infinity'::DOUBLE END) AS measured\n"
            "FROM (\n"
            f"{start}\n"
            "SELECT class, max(c) AS most,\n"
            f"  coalesce(sum(c) FILTER (WHERE place >= {self.l}), 0)::DOUBLE AS tail\n"
            "FROM (\n"
            "  SELECT class, c, row_number() OVER (PARTITION BY class ORDER BY c DESC) AS place\n"
            f"  FROM {counts}\n"
            ") AS ranked\n"
            "GROUP BY class\n"
            ") AS classes"
        )

    def describe(self) -> str:
        if self.kind == "recursive":
            return f"recursive ({self.c:g}, {self.l:g})-diversity of {self.column}"
        return f"{self.kind} {self.l:g}-diversity of {self.column}"

    def wording(self, measured: Any) -> str:
        if measured is None:
            return "no classes"
        if self.kind == "distinct":
            return f"fewest values {measured}"
        if self.kind == "entropy":
            return f"smallest diversity {measured:.6g}"
        return f"largest ratio {measured:.6g}"

    def to_spec(self) -> dict[str, object]:
        return {self.name: to_mapping(self)}

    @classmethod
    def from_spec(cls, argument: object, folder: Any = ".") -> Self:
        return from_mapping(cls, argument)


def _n_log_n(n: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(n * np.log(np.maximum(n, 1)))
