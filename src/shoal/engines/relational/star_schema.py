"""The star schema: the input in the middle, one small table per coded column around it.

K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005, section
3: the frequency set at a node is a join with the dimension tables and one GROUP BY. Ibis writes the queries,
so that DuckDB, PostgreSQL and Spark run the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.encode.column import CodedColumn
from shoal.engines.relational.database import Database

if TYPE_CHECKING:
    import ibis
    import ibis.expr.types as ir

_MOST_KEYS = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Dimension:
    """A coded column as a table of the database.

    Attributes
    ----------
    position
        The number of the column in the input.
    table
        Its name in the database: the columns `value` and, for each level, `l0`, `l1`, ... with the number of
        the value's label.
    null
        The number of NULL's label at each level; empty where the column has no NULL.
    labels
        How many labels each level has.
    numbered
        Whether the values are the numbers of labels at level 0 already.
    values, codes
        The values that it has, without NULL, and the code of each.
    """

    position: int
    table: str
    value_type: str
    null: tuple[int, ...]
    labels: tuple[int, ...]
    numbered: bool = False
    values: pa.Array = field(default_factory=lambda: pa.nulls(0), repr=False)
    codes: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32), repr=False)

    @classmethod
    def put(
        cls,
        database: Database,
        position: int,
        column: CodedColumn,
        values: pa.Array,
        codes: NDArray[np.uint32],
    ) -> Dimension:
        """Put a column's values into the database, with the labels that they have at every level."""
        there = values.is_valid().to_numpy(zero_copy_only=False)
        numbers = {
            f"l{level}": column.maps[level][codes[there]].astype(np.int32)
            for level in range(column.height + 1)
        }
        known, missing = values.filter(pa.array(there)), codes[~there]
        null = [int(numbers[missing[0]]) for numbers in column.maps] if len(missing) else []
        return cls(
            position=position,
            table=database.put(pa.table({"value": known, **numbers}), f"dimension_{position}"),
            value_type=type_of(database, position),
            null=tuple(null),
            labels=tuple(len(labels) for labels in column.labels),
            values=known,
            codes=codes[there],
        )


@dataclass(frozen=True, slots=True)
class Star:
    """A table of a database with a row for each of the input, to be joined with dimension tables.

    Attributes
    ----------
    name
        That of the table.
    types
        Those of its columns, which are called c0, c1, ...
    query
        What gives its rows with one more column, `part`; None where they have none.
    """

    name: str
    types: Mapping[str, str]
    query: Any = None

    @classmethod
    def of(cls, database: Database) -> Star:
        """Return the star around the input itself."""
        types = {f"c{position}": type_of(database, position) for position in range(len(database.columns))}
        return cls(database.input, types)

    @property
    def input(self) -> ir.Table:
        import ibis

        return ibis.table(self.types, name=self.name) if self.query is None else self.query

    def dealt_out(self, dimensions: Sequence[Dimension], levels: Sequence[int], parts: int) -> Star:
        """Return the same table with a column `part`: rows with equal labels are dealt out in turn."""
        import ibis

        joined = self.joined(dimensions)
        numbers = [
            joined.number(dimension, level) for dimension, level in zip(dimensions, levels, strict=True)
        ]
        whole = key(numbers, [d.labels[level] for d, level in zip(dimensions, levels, strict=True)])
        columns = {name: joined.input[name] for name in self.types}
        keyed = joined.table.select(**columns, whole=whole)
        # All rows of a window are equal: any order will do, but some databases want one.
        turn = ibis.row_number().over(ibis.window(group_by=keyed.whole, order_by=keyed.whole))
        query = keyed.select(*self.types, part=(turn % parts).cast("int32"))
        return Star(self.name, self.types, query)

    def joined(self, dimensions: Sequence[Dimension], others: Mapping[str, Beside] | None = None) -> Joined:
        """Join the input with these tables, each once."""
        import ibis

        table = self.input
        sides: dict[str, ir.Table] = {}
        joined: Any = table
        for dimension in dimensions:
            schema = {"value": dimension.value_type} | {
                f"l{level}": "int32" for level in range(len(dimension.labels))
            }
            side = ibis.table(schema, name=dimension.table)
            joined = joined.left_join(side, table[f"c{dimension.position}"] == side.value)
            sides[dimension.table] = side
        for name, beside in (others or {}).items():
            # No query looks into a label, so that its type need not be known here.
            side = ibis.table({"value": beside.value_type, "label": "string", "number": "int32"}, name=name)
            joined = joined.left_join(side, table[f"c{beside.position}"] == side.value)
            sides[name] = side
        return Joined(table, joined, sides)


@dataclass(frozen=True, slots=True)
class Beside:
    """A table of the database: its column `value`, and `label` or `number`, what a value becomes."""

    position: int
    value_type: str


@dataclass(frozen=True, slots=True)
class Joined:
    """The input with its dimension tables."""

    input: ir.Table
    table: Any
    sides: Mapping[str, ir.Table]

    def number(self, dimension: Dimension, level: int) -> ir.Value:
        """Return the number of the label that a row has at a level."""
        if dimension.table not in self.sides:
            return self.input[f"c{dimension.position}"]
        return with_null(self, dimension, level, self.sides[dimension.table][f"l{level}"])


def with_null(joined: Joined, dimension: Dimension, level: int, number: ir.Value) -> ir.Value:
    """Return a label's number, and for NULL, which no dimension table has, that of its label."""
    import ibis

    if not dimension.null:
        return number
    missing = joined.input[f"c{dimension.position}"].isnull()
    return ibis.ifelse(missing, ibis.literal(dimension.null[level], "int32"), number)


class Keys:
    """Whole numbers of 64 bits that stand for tuples of labels: as few as there is room in.

    Grouping by one number takes half the time of grouping by several, and to fetch it even less.

    Parameters
    ----------
    labels
        How many labels each column has.

    Examples
    --------
    >>> keys = Keys([2, 3])
    >>> keys.names, [number.tolist() for number in keys.numbers([np.array([5, 1])])]
    (['k0'], [[1, 0], [2, 1]])
    >>> Keys([1 << 40, 1 << 40, 4]).names
    ['k0', 'k1']
    """

    def __init__(self, labels: Sequence[int]) -> None:
        self._parts: list[list[int]] = [[]]
        for count in labels:
            if math.prod(self._parts[-1]) * count >= _MOST_KEYS:
                self._parts.append([])
            self._parts[-1].append(count)

    @property
    def names(self) -> list[str]:
        return [f"k{number}" for number in range(len(self._parts))]

    def values(self, numbers: Sequence[ir.Value]) -> dict[str, ir.Value]:
        """Return the keys of rows, given the numbers of their labels."""
        left = list(numbers)
        return {
            name: key([left.pop(0) for _ in part], part)
            for name, part in zip(self.names, self._parts, strict=True)
        }

    def numbers(self, keys: Sequence[NDArray[np.int64]]) -> list[NDArray[np.uint32]]:
        """Return the numbers of the labels that keys stand for."""
        found: list[NDArray[np.uint32]] = []
        for part, whole in zip(self._parts, keys, strict=True):
            mine = []
            rest = whole
            for count in reversed(part):
                rest, number = np.divmod(rest, count)
                mine.append(number.astype(np.uint32))
            found += reversed(mine)
        return found


def key(numbers: Sequence[ir.Value], labels: Sequence[int]) -> ir.Value:
    """Return one value that is the same for rows that have the same labels, and no others."""
    import ibis

    if _fits(labels):
        whole: Any = ibis.literal(0, "int64")
        for number, count in zip(numbers, labels, strict=True):
            whole = whole * ibis.literal(count, "int64") + number.cast("int64")
        return whole
    text: Any = ibis.literal("")
    for number in numbers:
        text = text + number.cast("string") + ","
    return text


def packed(numbers: Sequence[NDArray[np.uint32]], labels: Sequence[int], size: int) -> pa.Array:
    """Return the same keys for labels that are here.

    Examples
    --------
    >>> packed([np.array([1, 0], np.uint32), np.array([2, 1], np.uint32)], [2, 3], 2).to_pylist()
    [5, 1]
    >>> packed([np.array([7], np.uint32)] * 2, [1 << 40] * 2, 1).to_pylist()
    ['7,7,']
    """
    if _fits(labels):
        whole = np.zeros(size, dtype=np.int64)
        for number, count in zip(numbers, labels, strict=True):
            whole = whole * count + number
        return pa.array(whole)
    texts = [number.astype(str) for number in numbers]
    return pa.array(["".join(f"{text}," for text in row) for row in zip(*texts, strict=True)], pa.string())


def _fits(labels: Sequence[int]) -> bool:
    """Return whether a key fits into a whole number of 64 bits."""
    return math.prod(labels) < _MOST_KEYS


def type_of(database: Database, position: int) -> str:
    """Return the type of a column of the input, as Ibis is to take it.

    Ibis takes NaN in Spark's floats for NULL, which is another value. No query calculates with them, so they
    may pass for whole numbers there.
    """
    kind = database.schema[f"c{position}"]
    return "int64" if database.dialect == "pyspark" and kind.startswith("float") else kind


def sql(database: Database, expression: ibis.Expr) -> str:
    """Return the text of a query in the database's own words."""
    import ibis

    return str(ibis.to_sql(expression, dialect=database.dialect))
