"""Models that judge labels of their sensitive column's hierarchy, in place of its values or beside them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.privacy.classes import Classes
from shoal.privacy.condition import ROUNDING, Condition
from shoal.privacy.distribution import Distribution
from shoal.privacy.figures import shares, whole
from shoal.privacy.model import ModelDefaults, Reads, Tables
from shoal.privacy.queries import by_label

_MUCH = 0.1
"""The share of the people that no single value should force into a class."""
_FEW = 20
"""Classes of so few people surprise nobody."""


class LevelDefaults(ModelDefaults):
    """What models have in common that take `from_level`.

    Such a model says what it requires of a class at one level, where level 0 is the values themselves: as
    definition, as conditions, as query. Without `from_level` that is all; with it, it must hold at that level
    and, where `upward`, at every level above it.
    """

    column: str
    from_level: int | None
    distribution: Distribution | None
    upward: ClassVar[bool] = True
    figure: ClassVar[str] = "max(measured)"

    @abstractmethod
    def describe(self) -> str: ...

    @abstractmethod
    def holds_at(self, classes: Classes, level: int) -> NDArray[np.bool_]:
        """For each class, does it pass at this level?"""

    @abstractmethod
    def conditions_at(self, table: CodedTable, level: int) -> tuple[Condition, ...]:
        """Return the same as data; the level is added to them."""

    @abstractmethod
    def class_query(self, tables: Tables, level: int) -> str:
        """Return a query with `class`, `fails` and `measured` for each class.

        At a level above 0 the tables have numbers of labels in place of values, in the order of these.
        """

    def order_query(self) -> str:
        """Return a query on `distinct_values` with `value` and its `place` in their order, from 1."""
        return "SELECT value, row_number() OVER (ORDER BY value IS NULL, value) AS place FROM distinct_values"

    @property
    def described_levels(self) -> str:
        """The judged levels, as the end of a description."""
        if self.from_level is None:
            return ""
        return f" from level {self.from_level} on" if self.upward else f" at level {self.from_level}"

    @property
    def described_distribution(self) -> str:
        """Whether classes are compared with a declared distribution, as the end of a description."""
        return "" if self.distribution is None else ", distribution declared"

    @property
    def reads(self) -> Reads:
        taxonomy = self.from_level is not None
        return Reads(
            column=True, original=self.distribution is None, taxonomy=taxonomy, unit=True, weight=True
        )

    @property
    def needs_hierarchy(self) -> bool:
        return self.from_level is not None

    def compared(self, table: CodedTable, level: int) -> NDArray[np.float64]:
        """Return for each value, or label of a level, the share that those of a class are compared with."""
        if self.distribution is None:
            return shares(table, self.column, level)
        totals = self.distribution.totals(table.attributes[self.column], level)
        return np.asarray(totals / sum(self.distribution.counts))

    def problems(self, table: CodedTable) -> Iterable[str]:
        column = table.attributes[self.column]
        yield from self.level_problems([column.labelled(level)[1] for level in range(column.height + 1)])
        if self.distribution is None:
            return
        if missing := int((self.distribution.lacks(column) & (column.counts > 0)).sum()):
            yield (
                f"{self.describe()}: the distribution lacks values that the table has.\n"
                f"Column {self.column!r} has {int((column.counts > 0).sum()):,} different values, "
                f"{missing:,} are missing.\nAdd them with their shares."
            )

    def level_problems(self, labels: Sequence[int]) -> Iterable[str]:
        """Return why the level cannot be judged, from how many labels each level has."""
        level = self.from_level
        several = [position for position, count in enumerate(labels) if count > 1]
        highest = several[-1] if several else len(labels) - 1
        advice = f"Use from-level {highest if highest == 0 else f'0 to {highest}'}, or another hierarchy."
        if level is not None and level >= len(labels):
            yield (
                f"{self.describe()}: the hierarchy of column {self.column!r} has no level {level}.\n"
                f"Its levels: 0 (the values) to {len(labels) - 1}.\n{advice}"
            )
        elif level is not None and highest < level == len(labels) - 1:
            yield (
                f"{self.describe()}: at level {level} all values of column {self.column!r} have one label.\n"
                f"Any class would pass.\n{advice}"
            )

    def notes(self, table: CodedTable) -> Iterable[str]:
        """Report values or labels so rare that a class with one of them is a large part of the table."""
        column, everybody = table.attributes[self.column], int(whole(table).people[0])
        first = self._levels(column.height)[0]
        if first and column.labelled(first)[1] <= 1:
            yield f"{self.describe()}: this level has one label for all values, so it requires nothing."
        most = max(everybody * _MUCH, _FEW)
        sizes = _forced_sizes(self.conditions_at(table, first))
        forcing = sizes[sizes > most]
        if not len(forcing):
            return
        others = {
            level: max(_forced_sizes(self.conditions_at(table, level)), default=1)
            for level in range(first + 1, column.height + 1)
            if column.label_numbers(level).any()
        }
        people = "rows" if table.units is None else "people"
        what = "values" if first == 0 else f"labels of level {first}"
        are = f"{len(forcing):,} {what} are" if len(forcing) > 1 else f"1 of the {what} is"
        rarest = "" if min(forcing) == max(forcing) else f", with the rarest {max(forcing):,}"
        grouped = column.height > 0 and bool(column.label_numbers(1).any())
        yield (
            f"{self.describe()}: {are} so rare that a class with one of them needs at least "
            f"{min(forcing):,} of the {everybody:,} {people}{rarest}. "
            f"{_advice(others, most, people, grouped=grouped)}"
        )

    def holds(self, classes: Classes) -> NDArray[np.bool_]:
        column = classes.attribute(self.column)
        levels = self._levels(column.height)
        passes = np.all([self.holds_at(classes, level) for level in levels], axis=0)
        if self.distribution is not None:
            # What a value that was not declared should be compared with, nobody knows.
            strange = self.distribution.lacks(column)
            passes &= ~classes.histogram(self.column)[:, strange].any(axis=1)
        return np.asarray(passes)

    def conditions(self, table: CodedTable) -> tuple[Condition, ...]:
        column = table.attributes[self.column]
        found = [
            replace(condition, level=level) if condition.source == "attribute" else condition
            for level in self._levels(column.height)
            for condition in self.conditions_at(table, level)
        ]
        if self.distribution is not None and (strange := self.distribution.lacks(column)).any():
            upper = np.where(strange, 0.0, np.inf)
            found.append(
                Condition("shares", "attribute", self.column, lower=np.zeros(len(upper)), upper=upper)
            )
        return tuple(found)

    def sql(self, tables: Tables) -> str:
        height = tables.taxonomies[self.column][1] - 1 if self.reads.taxonomy else 0
        parts = [self._class_query(tables, level) for level in self._levels(height)]
        query = parts[0]
        if len(parts) > 1:
            every = "\n  UNION ALL\n".join(
                f"SELECT * FROM (\n{part}\n) AS part_{number}" for number, part in enumerate(parts)
            )
            query = (
                "SELECT class, bool_or(fails) AS fails, max(measured) AS measured\n"
                f"FROM (\n{every}\n) AS levels GROUP BY class"
            )
        return (
            f"SELECT count(*) FILTER (WHERE fails) AS failing, {self.figure} AS measured\n"
            f"FROM (\n{query}\n) AS classes"
        )

    def _class_query(self, tables: Tables, level: int) -> str:
        if self.distribution is None:
            return self._level_query(tables, level)
        start, declared = self.distribution.declare(tables, self.column)
        return f"{start}\nSELECT * FROM (\n{self._level_query(declared, level)}\n) AS compared_as_declared"

    def _level_query(self, tables: Tables, level: int) -> str:
        if level == 0:
            return self.class_query(tables, 0)
        start, labelled = by_label(tables, self.column, level, self.order_query())
        return f"{start}\nSELECT * FROM (\n{self.class_query(labelled, level)}\n) AS at_level"

    def _levels(self, height: int) -> Sequence[int]:
        """Return the levels that are judged."""
        first = self.from_level
        if first is None:
            return (0,)
        if first > height:
            # What nobody can judge must not pass.
            raise InputError(list(self.level_problems([2] * (height + 1))))
        return range(first, height + 1) if self.upward else (first,)


def labels_of_taxonomy(levels: Sequence[pa.ChunkedArray]) -> list[int]:
    """Return how many labels each level has, as codes count them: NULL is one below the root."""
    known = [len(level.unique().drop_null()) for level in levels]
    null = 1 if levels[0].null_count else 0
    return [
        count if position and position == len(known) - 1 and count <= 1 else count + null
        for position, count in enumerate(known)
    ]


def _forced_sizes(conditions: Iterable[Condition]) -> NDArray[np.int64]:
    """Return how many people a class must have that has a value, for each value that has a bound."""
    upper = [condition.upper for condition in conditions if condition.kind == "shares"]
    bounds = np.concatenate([np.zeros(0), *upper])
    return np.ceil(1 / (bounds[bounds > 0] * (1 + ROUNDING))).astype(np.int64)


def _advice(others: dict[int, int], most: float, people: str, *, grouped: bool) -> str:
    """Return what judging only the labels of a higher level would force.

    Parameters
    ----------
    grouped
        Whether the column has a hierarchy with several labels above the values.
    """
    if not others and grouped:
        return "No level above has several labels: wider bands or groups would need fewer."
    if not others:
        return "A hierarchy of this column with bands or groups, and from-level: 1, would judge these."
    enough = [level for level, size in others.items() if size <= most]
    level = enough[0] if enough else min(others, key=lambda each: others[each])
    return f"With from-level: {level} it would need {others[level]:,} {people}."
