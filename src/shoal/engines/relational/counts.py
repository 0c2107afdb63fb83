"""Frequency sets that a database counts: entries with the rows that they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedPopulation, CodedTable
from shoal.engines.relational.database import Database
from shoal.engines.relational.star_schema import Dimension, Joined, Keys, Star, key, sql
from shoal.errors import InputError, Problem
from shoal.privacy.model import PrivacyModel
from shoal.search.frequency_sets import TooManyEntries
from shoal.search.parts import LabelBoxes, Part


@dataclass(frozen=True)
class DatabaseCounts:
    """The frequency sets of a table in a database.

    Attributes
    ----------
    star
        The table that has its rows.
    domain
        Its columns with their level maps and counts; it has no entries.
    dimensions
        Those of the quasi-identifiers, in order.
    attributes
        Those of other columns that models and the measure look at, by name.
    unit
        A table of the database that numbers the units, and the number of their column, where units count.
    models
        Asked what keeps them from being applied.
    part
        The rows that are counted, if not all.
    """

    database: Database
    star: Star
    domain: CodedTable
    dimensions: tuple[Dimension, ...]
    attributes: Mapping[str, Dimension]
    unit: Dimension | None
    models: tuple[PrivacyModel, ...]
    part: Part | None = None

    def without_attributes(self) -> DatabaseCounts:
        models = tuple(model for model in self.models if model.column is None)
        return replace(self, domain=replace(self.domain, attributes={}), attributes={}, models=models)

    def for_many(self) -> DatabaseCounts:
        """Keep the rows as numbers in the database: to join with numbers takes less than with text."""
        units = [] if self.unit is None else [self.unit]
        dimensions = [*self.dimensions, *self.attributes.values(), *units]
        joined = self._joined((dimension, 0) for dimension in dimensions)
        types = {
            f"c{position}": _type_for(dimension.labels[0]) for position, dimension in enumerate(dimensions)
        }
        numbers = {
            name: joined.number(dimension, 0).cast(kind)
            for (name, kind), dimension in zip(types.items(), dimensions, strict=True)
        }
        kept = self.database.keep(sql(self.database, joined.table.select(**numbers)), "codes")
        columns = [*self.domain.columns, *self.domain.attributes.values(), *(None for _ in units)]
        made = [
            self._numbered(position, column, types[f"c{position}"]) for position, column in enumerate(columns)
        ]
        return replace(
            self,
            star=Star(kept, types),
            dimensions=tuple(made[: len(self.dimensions)]),
            attributes=dict(zip(self.attributes, made[len(self.dimensions) :], strict=False)),
            unit=None if self.unit is None else replace(made[-1], labels=self.unit.labels),
        )

    def _numbered(self, position: int, column: CodedColumn | None, kind: str) -> Dimension:
        """Return the dimension of a column that has numbers for values; that of units has one level."""
        maps = [] if column is None else column.maps
        numbers = {f"l{level}": numbers.astype(np.int32) for level, numbers in enumerate(maps)}
        table = f"numbers_{position}"
        if len(maps) > 1:
            values = pa.array(np.arange(len(maps[0]))).cast(getattr(pa, kind)())
            table = self.database.put(pa.table({"value": values, **numbers}), table)
        labels = () if column is None else tuple(map(len, column.labels))
        return Dimension(position, table, kind, (), labels, numbered=True)

    def at(
        self, levels: Sequence[int], columns: Sequence[int] | None = None, *, most: int | None = None
    ) -> CodedTable:
        """Count the tuples of labels at a node: one GROUP BY."""
        chosen = range(len(self.dimensions)) if columns is None else columns
        picked = [
            (self.domain.columns[i], self.dimensions[i], level)
            for i, level in zip(chosen, levels, strict=True)
        ]
        # A column with one label tells nothing apart.
        varied = [(dimension, level) for _, dimension, level in picked if dimension.labels[level] > 1]
        others = [d for d in self.attributes.values() if d.labels[0] > 1]
        units = [] if self.unit is None else [self.unit]
        grouped = [*varied, *((dimension, 0) for dimension in (*others, *units))]
        found, weights = self._tuples(grouped, most)
        number_of = {dimension.table: number for (dimension, _), number in zip(grouped, found, strict=True)}

        def codes(dimension: Dimension) -> np.ndarray[Any, np.dtype[np.uint32]]:
            known = number_of.get(dimension.table)
            return np.zeros(len(weights), dtype=np.uint32) if known is None else known

        coded = tuple(_at_level(column, codes(dimension), level) for column, dimension, level in picked)
        table = replace(
            self.domain,
            columns=coded,
            attributes={
                name: replace(self.domain.attributes[name], codes=codes(dimension))
                for name, dimension in self.attributes.items()
            },
            units=None if self.unit is None else codes(self.unit),
            populations={
                key: CodedPopulation(tuple(population.codes[i] for i in chosen), population.rows)
                for key, population in self.domain.populations.items()
            },
            weights=weights,
            bottom=tuple(levels) if any(levels) else None,
        )
        if columns is None and self.part is None:
            # Above level 0 it cannot be told any more who is in a population.
            able = [model for model in self.models if model.population is None or not any(levels)]
            problems = [Problem(text) for model in able for text in model.problems(table)]
            if problems:
                raise InputError(problems)
        return table

    def _tuples(
        self, grouped: Sequence[tuple[Dimension, int]], most: int | None
    ) -> tuple[Sequence[NDArray[np.uint32]], NDArray[np.uint64]]:
        """Return the numbers of labels that tuples have at levels, and how many rows have each tuple."""
        import ibis

        dimensions = [dimension for dimension, _ in grouped]
        if (
            self.part is None
            and self.star.name == self.database.input
            and not any(level for _, level in grouped)
            and (most is None or self.domain.rows <= most)
        ):
            codes = self.database.row_codes(dimensions, self.domain.rows)
            if codes is not None:
                self._check(len(codes[0]))
                return codes, np.ones(len(codes[0]), dtype=np.uint64)
        keys = Keys([dimension.labels[level] for dimension, level in grouped])
        joined = self._joined(grouped)
        numbers = [joined.number(dimension, level) for dimension, level in grouped]
        coded_rows = self._rows(joined, keys.values(numbers))
        tuples = coded_rows.group_by(keys.names).aggregate(n=ibis._.count())
        if most is not None:
            tuples = tuples.limit(most + 1)
        found = self.database.fetch(sql(self.database, tuples))
        if most is not None and found.num_rows > most:
            raise TooManyEntries(most)
        weights = _numbers(found, "n").astype(np.uint64)
        self._check(int(weights.sum()), strange=any(column.null_count for column in found.columns))
        return keys.numbers([_numbers(found, name) for name in keys.names]), weights

    def estimate(self, nodes: Sequence[Sequence[int]]) -> list[float]:
        """Estimate how many entries nodes have, by HyperLogLog: one scan for all of them."""
        others = [*self.attributes.values(), *([] if self.unit is None else [self.unit])]
        tops = map(max, zip(*nodes, strict=True))
        joined = self._joined([*zip(self.dimensions, tops, strict=True), *((other, 0) for other in others)])
        beside = [joined.number(dimension, 0) for dimension in others]
        found = {}
        for position, levels in enumerate(nodes):
            numbers, labels = self._varied(joined, levels)
            found[f"n{position}"] = key(
                [*numbers, *beside], [*labels, *(dimension.labels[0] for dimension in others)]
            )
        keys = self._rows(joined, found)
        counts = keys.aggregate(**{name: keys[name].approx_nunique() for name in found})
        (row,) = self.database.rows(sql(self.database, counts))
        return [max(float(number), 1.0) for number in row]

    def below(self, levels: Sequence[int], k: int, columns: Sequence[int] | None = None) -> tuple[int, int]:
        """Count the rows in classes smaller than k, and the classes, without fetching any."""
        import ibis

        chosen = range(len(self.dimensions)) if columns is None else columns
        joined = self._joined(
            (self.dimensions[i], level)
            for i, level in zip(chosen, levels, strict=True)
            if self.dimensions[i].labels[level] > 1
        )
        numbers, labels = self._varied(joined, levels, chosen)
        keys = Keys(labels)
        coded = self._rows(joined, keys.values(numbers))
        grouped = coded.group_by(keys.names).aggregate(n=ibis._.count())
        figures = grouped.aggregate(rows=grouped.n.sum(where=grouped.n < k), classes=grouped.count())
        ((rows, classes),) = self.database.rows(sql(self.database, figures))
        return int(rows or 0), int(classes)

    def within(self, part: Part) -> DatabaseCounts:
        return replace(self, part=part)

    def boxes(self, column: int, levels: Sequence[int]) -> LabelBoxes:
        """Count the rows by one column, and find the ends of the others: one GROUP BY."""
        import ibis

        picked = list(zip(self.dimensions, levels, strict=True))
        joined = self._joined(picked)
        numbers = {f"l{i}": joined.number(*chosen) for i, chosen in enumerate(picked)}
        rows = self._rows(joined, numbers)
        ends = {
            f"{end}{i}": getattr(rows[f"l{i}"], end)() for end in ("min", "max") for i in range(len(picked))
        }
        grouped = rows.group_by(label=rows[f"l{column}"]).aggregate(n=ibis._.count(), **ends)
        found = self.database.fetch(sql(self.database, grouped)).sort_by("label")
        counts = _numbers(found, "n").astype(np.int64)
        self._check(int(counts.sum()), strange=found.column("label").null_count > 0)
        low, high = (
            np.stack([_numbers(found, f"{end}{i}").astype(np.int64) for i in range(len(picked))], axis=1)
            for end in ("min", "max")
        )
        return LabelBoxes(_numbers(found, "label").astype(np.int64), counts, low, high)

    def _rows(self, joined: Joined, columns: Mapping[str, Any]) -> Any:
        """Return columns of the rows that are counted."""
        if self.part is None:
            return joined.table.select(**columns)
        marked = joined.table.select(**columns, counted=self._counted(joined, self.part))
        return marked.filter(marked.counted).drop("counted")

    def _counted(self, joined: Joined, part: Part) -> Any:
        """Return whether a row belongs to a part."""
        import ibis

        found: Any = ibis.literal(True)
        for dimension, level, labels in self._restricted(part):
            number: Any = joined.number(dimension, level)
            edges = np.flatnonzero(np.diff(labels.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
            found &= ibis.or_(*(number.between(first, end - 1) for first, end in edges.tolist()))
        return found

    def _restricted(self, part: Part) -> list[tuple[Dimension, int, NDArray[np.bool_]]]:
        """Return the columns of which a part has not all labels."""
        chosen = zip(self.dimensions, part.levels, part.labels, strict=True)
        return [(dimension, level, labels) for dimension, level, labels in chosen if not labels.all()]

    def _joined(self, picked: Iterable[tuple[Dimension, int]]) -> Joined:
        """Join with the dimension tables that it takes to tell labels at levels, and parts."""
        if self.part is not None:
            picked = [*picked, *((dimension, level) for dimension, level, _ in self._restricted(self.part))]
        needed = dict.fromkeys(dimension for dimension, level in picked if level or not dimension.numbered)
        return self.star.joined(list(needed))

    def _varied(
        self, joined: Joined, levels: Sequence[int], columns: Sequence[int] | None = None
    ) -> tuple[list[Any], list[int]]:
        """Return the numbers of labels at a node, and how many there are, of columns with more than one."""
        chosen = range(len(self.dimensions)) if columns is None else columns
        varied = [
            (self.dimensions[i], level)
            for i, level in zip(chosen, levels, strict=True)
            if self.dimensions[i].labels[level] > 1
        ]
        return [joined.number(d, level) for d, level in varied], [d.labels[level] for d, level in varied]

    def _check(self, rows: int, *, strange: bool = False) -> None:
        """Raise if the table is not the one any more whose values were counted."""
        before = self.domain.rows if self.part is None else self.part.rows
        if strange or rows != before:
            raise InputError(
                f"{self.database.title!r} changed while it was read.\n"
                f"Rows before: {before:,}; rows now: {rows:,}.\n"
                "Run again while nobody writes to it."
            )


def _type_for(labels: int) -> str:
    """Return the smallest type that has room for the numbers of labels."""
    return "int8" if labels <= 1 << 7 else "int16" if labels <= 1 << 15 else "int32"


def _numbers(table: pa.Table, name: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    numbers: np.ndarray[Any, np.dtype[np.int64]] = table.column(name).fill_null(0).to_numpy()
    return numbers


def _at_level(column: CodedColumn, numbers: np.ndarray[Any, np.dtype[np.uint32]], level: int) -> CodedColumn:
    """Return a column whose entries have these labels at a level: each by the first code under its label."""
    codes = numbers if level == 0 else column.first_codes(level)[numbers]
    return replace(column, codes=codes, min_level=max(column.min_level, level))
