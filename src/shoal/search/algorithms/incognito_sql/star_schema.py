"""The star schema: F0 as the fact table, a dimension table for each hierarchy; frequency sets made of them.

A dimension table has a row for each label of the lowest level: its number there as `level_0`, those of its
generalizations as `level_1`, `level_2`, ... (Figure 4 of the paper).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.encode.table import CodedTable
from shoal.search.algorithms.incognito_sql.tables import TemporaryTables

Node = tuple[tuple[int, int], ...]
"""Columns, each with its level, counted from the lowest that the spec allows."""


@dataclass(frozen=True, slots=True)
class FrequencySet:
    """A frequency set in a table with the columns `label_1`, `label_2`, ... and `n`.

    Attributes
    ----------
    classes
        How many rows the table has.
    failing_rows
        Rows in classes of fewer than k.
    """

    node: Node
    table: str
    classes: int
    failing_rows: int


class StarSchema:
    """A coded table in a database."""

    def __init__(self, tables: TemporaryTables, coded: CodedTable, k: int) -> None:
        self._tables = tables
        self._k = k
        self.entries = coded.entries
        weights = np.ones(coded.entries, dtype=np.int64) if coded.weights is None else coded.weights
        facts, self._dimensions = {}, []
        for position, column in enumerate(coded.columns):
            lowest = column.min_level
            codes = column.codes if lowest == 0 else column.maps[lowest][column.codes]
            facts[f"value_{position}"] = codes.astype(np.int64)
            levels = range(lowest, column.max_level + 1)
            labels = {
                f"level_{level - lowest}": column.step(lowest, level).astype(np.int64) for level in levels
            }
            self._dimensions.append(tables.put(pa.table(labels), f"dimension_{position}"))
        self._facts = tables.put(pa.table({**facts, "n": weights.astype(np.int64)}), "facts")

    def counted(self, node: Node) -> FrequencySet:
        """Count a node from the facts."""
        labels = ", ".join(
            f"d{position}.level_{level} AS label_{position}"
            for position, (_, level) in enumerate(node, start=1)
        )
        joins = "\n".join(
            f"JOIN {self._dimensions[column]} AS d{position} ON d{position}.level_0 = f.value_{column}"
            for position, (column, _) in enumerate(node, start=1)
        )
        groups = ", ".join(f"d{position}.level_{level}" for position, (_, level) in enumerate(node, start=1))
        return self._made(
            node,
            f"SELECT {labels}, CAST(sum(f.n) AS BIGINT) AS n\nFROM {self._facts} AS f\n{joins}\n"
            f"GROUP BY {groups}",
        )

    def rolled_up(self, finer: FrequencySet, node: Node) -> FrequencySet:
        """Make the set of a direct generalization (the rollup property)."""
        ((position, column, below, level),) = (
            (position, column, below, level)
            for position, ((column, below), (_, level)) in enumerate(
                zip(finer.node, node, strict=True), start=1
            )
            if below != level
        )
        labels = [f"s.label_{other}" for other in range(1, len(node) + 1)]
        labels[position - 1] = f"d.level_{level}"
        named = ", ".join(f"{label} AS label_{other}" for other, label in enumerate(labels, start=1))
        return self._made(
            node,
            f"SELECT {named}, CAST(sum(s.n) AS BIGINT) AS n\nFROM {finer.table} AS s\n"
            f"JOIN (SELECT DISTINCT level_{below}, level_{level} FROM {self._dimensions[column]}) AS d\n"
            f"  ON d.level_{below} = s.label_{position}\n"
            f"GROUP BY {', '.join(labels)}",
        )

    def drop(self, sets: Sequence[FrequencySet]) -> None:
        for made in sets:
            self._tables.drop(made.table)

    def _made(self, node: Node, sql: str) -> FrequencySet:
        table = self._tables.keep(sql, "set")
        ((classes, failing),) = self._tables.rows(
            f"SELECT count(*), CAST(coalesce(sum(CASE WHEN n < {self._k} THEN n END), 0) AS BIGINT) "
            f"FROM {table}"
        )
        return FrequencySet(node, table, int(classes), int(failing))
