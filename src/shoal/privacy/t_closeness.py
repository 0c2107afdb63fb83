"""t-closeness: in every class the sensitive values are distributed about as in the whole table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchy import HierarchyError, as_text
from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.privacy import closeness_queries as closeness
from shoal.privacy import earth_mover
from shoal.privacy.arguments import Parameters, from_mapping, to_mapping
from shoal.privacy.classes import Classes
from shoal.privacy.condition import ROUNDING, Condition
from shoal.privacy.distribution import Distribution
from shoal.privacy.figures import at_least, fewest_values, whole
from shoal.privacy.levels import LevelDefaults
from shoal.privacy.model import Reads, Tables
from shoal.privacy.people import total_distance
from shoal.privacy.queries import double

Distance = Literal["equal", "ordered", "hierarchical"]
UIntArray = NDArray[np.uint32]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_NUMBER = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?"


@dataclass(frozen=True)
class TCloseness(LevelDefaults):
    """In every class, `column` is distributed as in the whole table, up to an earth mover's distance of `t`.

    For a class with the shares q and a table with the shares p of m values, the distance is the least cost
    of turning q into p, where moving a share from one value to another costs that share times how far the
    values are apart:

    - `equal`: 1 between any two. The distance is the sum of max(0, q - p).
    - `ordered`: the steps between them in order, over m - 1. The distance is the sum over the first m - 1
      positions of the difference of the cumulated shares, over m - 1. Numbers, dates and truth values are in
      their own order, and so is text that is all numbers; other text is in alphabetical order, unless `order`
      says otherwise. NULL comes last.
    - `hierarchical`: the level at which their labels in the column's hierarchy meet, over its height.

    With `from_level` the labels of that level of the column's hierarchy take the place of the values. They
    are in the order of the first value under each, and a tree begins with them.

    Where the spec names a unit, somebody may have several values. With S values per person in the class and P
    in the table, q and p are the shares of the values in each other, and the distance is min(S, P) times the
    one above, plus abs(S - P): how many values people have counts as something that is learnt
    (`shoal.privacy.people`). With one value per person it is the one above.

    It stops learning more about somebody's class than is known of everybody: neither a frequent value
    (skewness) nor a group of near values (similarity; with `ordered` and `hierarchical`) stands out. It does
    not stop re-identification; combine it with k-anonymity. It bounds sums, not each value: a rare value may
    become many times as likely within a small t, which beta-likeness bounds.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007.

    Examples
    --------
    Each of four salaries stands once in the table, and a class has the lower two: two quarters must move.
    With equal distances that costs 2 * 1/4. In order each moves two of three steps: 2 * 1/4 * 2/3.

    >>> from shoal.privacy.grouped import group
    >>> classes = group(["20-29", "20-29", "30-39", "30-39"], salary=[3, 4, 5, 6])
    >>> TCloseness("salary", 0.5).holds(classes).tolist()
    [True, True]
    >>> TCloseness("salary", 0.34, distance="ordered").holds(classes).tolist()
    [True, True]
    >>> TCloseness("salary", 0.33, distance="ordered").holds(classes).tolist()
    [False, False]

    In bands, [0, 5) and [5, 10), the first class has 2/2 of the lower one and the table 2/4: half must move.

    >>> from shoal import intervals
    >>> bands = {"salary": intervals(5)}
    >>> decades = ["20-29", "20-29", "30-39", "30-39"]
    >>> classes = group(decades, hierarchies=bands, salary=[3, 4, 5, 6])
    >>> TCloseness("salary", 0.5, distance="ordered", from_level=1).holds(classes).tolist()
    [True, True]
    >>> TCloseness("salary", 0.49, distance="ordered", from_level=1).holds(classes).tolist()
    [False, False]
    """

    column: str
    t: float
    distance: Distance = "equal"
    order: Sequence[Any] | None = None
    from_level: int | None = None
    distribution: Distribution | None = None
    upward: ClassVar[bool] = False
    name: ClassVar[str] = "t-closeness"
    summary: ClassVar[str] = "In every class the sensitive values are distributed about as in the table."
    parameters: ClassVar[Mapping[str, str]] = {
        "column": "the sensitive column",
        "t": "a number from 0 to 1",
        "distance": "equal (the default), ordered or hierarchical",
        "order": "for ordered: the values from first to last, where their own order is not meant",
        "from-level": "compare the labels of this level of the column's hierarchy; 0 is the values",
        "distribution": "what classes are compared with in place of the table: the share of each value",
    }
    examples: ClassVar[tuple[object, ...]] = (
        {"column": "disease", "t": 0.2},
        {"column": "salary", "t": 0.2, "distance": "ordered"},
        {"column": "disease", "t": 0.2, "distance": "hierarchical"},
        {"column": "salary", "t": 0.1, "distance": "ordered", "from-level": 1},
        {"column": "disease", "t": 0.2, "distribution": {"flu": 0.7, "cold": 0.3}},
    )
    population: ClassVar[None] = None

    def __post_init__(self) -> None:
        given = Parameters(self)
        given.column()
        given.number("t", "from 0 to 1", lambda t: 0 <= t <= 1)
        given.choice("distance", get_args(Distance))
        if self.distance == "ordered":
            self._settle_order(given)
        elif self.distance in get_args(Distance):
            given.refuse_idle("order", "distance ordered")
        given.level("from_level")
        given.distribution()
        given.settle()

    def _settle_order(self, given: Parameters) -> None:
        if self.order is None:
            return
        if isinstance(self.order, str) or not isinstance(self.order, Sequence) or not self.order:
            given.add(f"t-closeness needs an order that is a list of values.\nFound: {self.order!r}.")
            return
        try:
            order = tuple(
                value if isinstance(value, str | None) else as_text(pa.array([value]))[0].as_py()
                for value in self.order
            )
        except (pa.ArrowException, HierarchyError):
            given.add("t-closeness needs an order of plain values.\nFound: others.\nWrite them as text.")
            return
        if twice := len(order) - len(set(order)):
            given.add(
                "t-closeness needs an order that has each value once.\n"
                f"Found: {len(order):,} values, of which {twice:,} are repeated.\nKeep one of each."
            )
        object.__setattr__(self, "order", order)

    @property
    def needs_hierarchy(self) -> bool:
        return self.distance == "hierarchical" or self.from_level is not None

    @property
    def reads(self) -> Reads:
        # The values themselves need none, whatever their hierarchy is.
        described = self.distance == "hierarchical" or bool(self.from_level)
        return replace(super().reads, taxonomy=described)

    def problems(self, table: CodedTable) -> Iterable[str]:
        yield from super().problems(table)
        if self.order is None:
            return
        values = as_text(table.attributes[self.column].labels[0])
        missing = sum(value is not None and value not in self.order for value in values.to_pylist())
        if missing:
            yield (
                f"{self.describe()}: the order lacks values that the table has.\n"
                f"Column {self.column!r} has {len(values):,} different values, {missing:,} are missing.\n"
                "Add them where they belong."
            )

    def notes(self, table: CodedTable) -> Iterable[str]:
        yield from super().notes(table)
        if self.distance != "ordered" or self.order is not None:
            return
        values = table.attributes[self.column].labels[0]
        if _is_text(values) and not _are_numbers(values):
            yield (
                f"{self.describe()}: the values of column {self.column!r} are ordered alphabetically; set "
                "`order` for another order."
            )

    def holds_at(self, classes: Classes, level: int) -> NDArray[np.bool_]:
        counts = classes.histogram(self.column, level).astype(np.float64)
        n = counts.sum(axis=1)
        totals, everybody = self._whole(classes.table, level)
        table = totals.astype(np.float64)
        # In whole numbers, so that a class that is like the table is at distance 0.
        extra = counts * table.sum() - n[:, np.newaxis] * table
        moved = self._moved(extra, classes.attribute(self.column), level)
        if classes.table.units is None:
            near = moved <= self.t * n * table.sum() * (1 + ROUNDING)
        else:
            far = total_distance(moved, n, classes.people, table.sum(), everybody)
            near = far <= self.t * (1 + ROUNDING)
        return np.asarray(near | (classes.sizes == 0))

    def _moved(self, extra: FloatArray, column: CodedColumn, level: int) -> FloatArray:
        """Return the cost of moving what is too much to where it is missing."""
        if self.distance == "equal":
            return earth_mover.equal(extra)
        if self.distance == "ordered":
            return earth_mover.ordered(extra, self._places(column, level))
        return earth_mover.hierarchical(extra, taxonomy_levels(column, level))

    def conditions_at(self, table: CodedTable, level: int) -> tuple[Condition, ...]:
        column = table.attributes[self.column]
        order: UIntArray = np.zeros(0, dtype=np.uint32)
        tree: tuple[UIntArray, ...] = ()
        nearest = 1.0
        if self.distance == "ordered":
            order = self._places(column, level)
            nearest = 1 / max(len(order) - 1, 1)
        elif self.distance == "hierarchical":
            tree = taxonomy_levels(column, level)
            nearest = 1 / max(len(tree), 1)
        kinds: dict[Distance, Literal["equal", "ordered", "tree"]]
        kinds = {"equal": "equal", "ordered": "ordered", "hierarchical": "tree"}
        totals, _ = self._whole(table, level)
        close = Condition(
            kinds[self.distance],
            "attribute",
            self.column,
            bound=float(self.t),
            totals=np.zeros(0, dtype=np.int64) if self.distribution is None else totals,
            order=order,
            tree=tree,
        )
        # All of what a class lacks must be moved there, at least as far as the nearest values are apart.
        # Where people have several values, the distance is larger still.
        least = fewest_values(totals / max(totals.sum(), 1), 1 - self.t / nearest)
        return *at_least(self.column, least), close

    def _whole(self, table: CodedTable, level: int) -> tuple[IntArray, int]:
        """Return how many have each value, or label of a level, of all that a class is compared with."""
        if self.distribution is not None:
            counts = self.distribution.totals(table.attributes[self.column], level)
            return counts, sum(self.distribution.counts)
        everybody = whole(table)
        return everybody.totals(self.column, level), int(everybody.people[0])

    def _places(self, column: CodedColumn, level: int) -> UIntArray:
        """Return the position of each value, or label of a level, in the order of the values."""
        places = positions(column.labels[0], self.order)
        if level == 0:
            return places
        labels = column.label_numbers(level)
        first = np.full(column.labelled(level)[1], len(places), dtype=np.uint32)
        np.minimum.at(first, labels, places)
        return np.argsort(np.argsort(first)).astype(np.uint32)

    def order_query(self) -> str:
        if self.distance != "ordered":
            return super().order_query()
        return closeness.places("distinct_values", _NUMBER, self.order)

    def class_query(self, tables: Tables, level: int) -> str:
        if self.distance == "equal":
            query = closeness.equal(tables)
        elif self.distance == "ordered":
            query = closeness.ordered(tables, _NUMBER, self.order if level == 0 else None)
        else:
            query = closeness.hierarchical(tables, *tables.taxonomies[self.column])
        most = f"{double(self.t)} * (1 + {ROUNDING})"
        near, measured = f"moved <= {most} * n * everybody", "moved / n / everybody"
        if tables.unit is not None:
            measured = "moved / n / everybody * alike + apart"
            near = f"{measured} <= {most}"
        return (
            # What cannot be computed does not hold.
            f"SELECT class, NOT coalesce(\n    {near}, false) AS fails,\n"
            f"  {measured} AS measured\n"
            f"FROM (\n{closeness.start(tables, self.column)}{query}\n) AS distances"
        )

    def describe(self) -> str:
        judged = f"{self.column}{self.described_levels}, {self.distance}"
        return f"{self.t:g}-closeness of {judged}{self.described_distribution}"

    def wording(self, measured: Any) -> str:
        return "no classes" if measured is None else f"largest distance {measured:.6g}"

    def to_spec(self) -> dict[str, object]:
        return {self.name: to_mapping(self)}

    @classmethod
    def from_spec(cls, argument: object, folder: Any = ".") -> Self:
        return from_mapping(cls, argument)


def _is_text(values: pa.Array) -> bool:
    kind = values.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _are_numbers(values: pa.Array) -> bool:
    return all(re.fullmatch(_NUMBER, value) for value in values.to_pylist() if value is not None)


def positions(values: pa.Array, order: Sequence[str | None] | None) -> UIntArray:
    """Return the position of each value in the order: a given one, or their own; NULL comes last."""
    if order is not None:
        given = {value: position for position, value in enumerate(order)}
        keys = [given.get(value, len(given)) for value in as_text(values).to_pylist()]
        in_order = np.argsort(np.array(keys, dtype=np.int64), kind="stable")
    elif pa.types.is_null(values.type):
        in_order = np.arange(len(values))
    elif _is_text(values) and _are_numbers(values):
        texts = values.to_pylist()
        in_order = np.array(sorted(range(len(texts)), key=lambda i: _as_number(texts[i])), dtype=np.int64)
    else:
        in_order = pc.array_sort_indices(values).to_numpy().astype(np.int64)
    found = np.empty(len(values), dtype=np.uint32)
    found[in_order] = np.arange(len(values), dtype=np.uint32)
    return found


def _as_number(value: str | None) -> tuple[bool, float, str]:
    return (True, 0.0, "") if value is None else (False, float(value), value)


def taxonomy_levels(column: CodedColumn, leaves: int = 0) -> tuple[UIntArray, ...]:
    """Return the labels of each label of a level, from the next level up to a single one.

    Where the hierarchy does not end in one label it gets one above. At the top NULL is under it too.
    """
    first = _starts(column.label_numbers(leaves))
    if len(first) <= 1:
        return ()
    levels = [column.label_numbers(level)[first] for level in range(leaves + 1, column.height + 1)]
    if levels and not levels[-1].any():
        levels.pop()
    return (*levels, np.zeros(len(first), dtype=np.uint32))


def _starts(labels: UIntArray) -> NDArray[np.intp]:
    """Return where each label begins: values under one label are neighbours."""
    return np.flatnonzero(np.diff(labels.astype(np.int64), prepend=-1))
