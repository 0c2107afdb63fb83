"""Labels for classes that have no common levels: nodes of hierarchies, ranges or sets of values, averages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal import _kernel
from shoal.describe.hierarchy import as_text
from shoal.describe.label_forms import written_set
from shoal.encode.cells import HierarchyNodes
from shoal.encode.column import CodedColumn, IntArray, UIntArray, comparable, is_ordered
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.read.types import narrowest
from shoal.recode.class_averages import Average, Numbers, modes

if TYPE_CHECKING:
    from typing_extensions import TypeIs

LabelForm: TypeAlias = Literal["nodes", "ranges", "sets", "fitting"]
"""How the label of a class is written: the lowest label of the hierarchy that covers its values; the range of
its numbers or dates, `[21, 34]`; the set of its values, `{clerk, cook}`; or what fits the column."""

Labels: TypeAlias = LabelForm | Average | Mapping[str, LabelForm | Average]
"""What is released of classes: all columns in one form, or each in its own. An average is no label that
covers the values of its class."""

NO_CLASS = np.uint32(_kernel.no_class)


def form_of(labels: Labels, column: str) -> LabelForm | Average:
    """Return the form of a column's labels."""
    return labels if isinstance(labels, str) else labels[column]


def is_average(form: object) -> TypeIs[Average]:
    """Return whether a form is an average."""
    return form in get_args(Average)


def averages_of(labels: Labels, columns: Iterable[str]) -> dict[str, Average]:
    """Return those columns of which averages are released, and which.

    Examples
    --------
    >>> averages_of({"age": "mean", "sex": "nodes"}, ["age", "sex"]), averages_of("mode", ["sex"])
    ({'age': 'mean'}, {'sex': 'mode'})
    """
    forms = ((column, form_of(labels, column)) for column in columns)
    return {column: form for column, form in forms if is_average(form)}


@dataclass(frozen=True, slots=True)
class ClassLabels:
    """The labels of one column, and which of them each class has.

    Attributes
    ----------
    labels, leaves, nodes, mean_leaves
        As in `shoal.encode.cells.Cells`.
    of_class
        For each class, the number of its label.
    """

    labels: pa.Array
    leaves: IntArray
    nodes: HierarchyNodes | None
    of_class: UIntArray
    mean_leaves: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class ClassValues:
    """The values that the tuples of each class have in one column.

    Attributes
    ----------
    column
        The column, with its hierarchy.
    levels
        The levels that labels may have, upwards: values are the labels of the first.
    values
        For each tuple the number of its label at that level.
    class_of
        For each tuple the number of its class. Every class has a tuple.
    released
        For each value of the column whether a released row has it; None where all are released.
    rows
        For each tuple how many rows have it, which averages depend on.
    """

    column: CodedColumn
    levels: Sequence[int]
    values: UIntArray
    class_of: UIntArray
    released: NDArray[np.bool_] | None = None
    rows: IntArray | None = None

    @property
    def base(self) -> int:
        return self.levels[0]

    def labels(self, form: LabelForm | Average) -> ClassLabels:
        """Return the labels of the classes in a form, or their averages.

        An average depends on the rows of its class alone, which are all released or all suppressed. It is
        charged what its class would cost with fitting labels: a number the range, say.

        Where it is known which values released rows have, the texts are those of these values alone: nothing
        that is read shows a suppressed row. What a label costs stays that of all values of its class.

        Examples
        --------
        >>> from shoal.describe import intervals
        >>> from shoal.encode.column import code_column
        >>> ages = code_column("age", pa.array([21, 24, 38, 52]).dictionary_encode(), intervals(10, 20))
        >>> classes = ClassValues(ages, range(4), ages.codes, np.array([0, 0, 1, 1], np.uint32))
        >>> [classes.labels(form).labels.to_pylist() for form in ("nodes", "ranges", "sets")]
        [['[20, 30)', '*'], ['[21, 24]', '[38, 52]'], ['{21, 24}', '{38, 52}']]
        """
        if is_average(form):
            return self._averages(form)
        if self.released is None:
            return self._labels(form)
        whole = replace(self, released=None).labels(form)
        alone = np.bincount(whole.of_class)[whole.of_class] == 1
        seen = self._of_released(alone)._labels(form)
        costs = np.zeros(len(seen.labels), dtype=np.int64)
        np.maximum.at(costs, seen.of_class, whole.leaves[whole.of_class])
        nodes = None
        if whole.nodes is not None:
            widest = np.zeros(len(seen.labels), dtype=np.int64)
            order = np.argsort(whole.leaves[whole.of_class], kind="stable")
            widest[seen.of_class[order]] = whole.of_class[order]
            nodes = HierarchyNodes(whole.nodes.levels[widest], whole.nodes.numbers[widest])
        return ClassLabels(seen.labels, costs, nodes, seen.of_class)

    def needed(self, form: LabelForm | Average) -> ClassValues:
        """Return the same classes with those values alone that their labels in a form are made of.

        Examples
        --------
        >>> from shoal.describe import intervals
        >>> from shoal.encode.column import code_column
        >>> ages = code_column("age", pa.array([21, 24, 38, 52]).dictionary_encode(), intervals(10, 20))
        >>> classes = ClassValues(ages, range(4), ages.codes, np.array([0, 0, 0, 1], np.uint32))
        >>> classes.needed("nodes").values.tolist(), classes.needed("sets").values.tolist()
        ([0, 2, 3], [0, 1, 2, 3])
        """
        if form == "fitting":
            form = fitting_form(self.column)
        values, class_of = self.values, self.class_of
        if form != "sets" and not is_average(form):
            ends = [*self._ends(values.astype(np.int64))]
            if form == "ranges":
                order = self._sorted(self.column.labels[self.base])
                rank = np.empty(len(order), dtype=np.int64)
                rank[order] = np.arange(len(order))
                ends += [order[places] for places in self._ends(rank[values])]
            by_class, starts = self._ordered
            values = np.concatenate(ends).astype(np.uint32)
            class_of = np.tile(class_of[by_class][starts], len(ends))
        pairs, pair_of = np.unique(class_of.astype(np.uint64) << np.uint64(32) | values, return_inverse=True)
        rows = None
        if is_average(form):
            assert self.rows is not None, "averages depend on rows"
            rows = np.zeros(len(pairs), dtype=np.int64)
            np.add.at(rows, pair_of, self.rows)
        return replace(
            self,
            values=pairs.astype(np.uint32),
            class_of=(pairs >> np.uint64(32)).astype(np.uint32),
            rows=rows,
        )

    def _averages(self, average: Average) -> ClassLabels:
        assert self.rows is not None, "averages depend on rows"
        assert not self.base, "labels of levels have no averages"
        values = self.column.labels[0]
        if average == "mode":
            found = modes(values, self.values, self.rows, self.class_of)
        else:
            numbers = Numbers.of(values)
            if numbers is None:
                raise InputError(
                    f"Column {self.column.name!r} has no {average}.\n"
                    "Found: values that are neither numbers nor dates.\nChoose another form of labels."
                )
            found = numbers.averages(self.values, self.rows, self.class_of, average)
        encoded = found.dictionary_encode(null_encoding="encode")
        of_class = encoded.indices.to_numpy().astype(np.uint32)
        covered = self._covered(self.class_of)[self.class_of]
        # Several classes may have the same average.
        labels = of_class[self.class_of]
        sums = np.bincount(labels, weights=self.rows * covered)
        return ClassLabels(
            labels=encoded.dictionary,
            leaves=self._covered(labels),
            nodes=None,
            of_class=of_class,
            mean_leaves=sums / np.bincount(labels, weights=self.rows),
        )

    def _covered(self, class_of: UIntArray) -> IntArray:
        """Return how many leaves a fitting label of each class covers; of numbers NULL is one more."""
        if not is_ordered(comparable(self.column.labels[0]).type):
            fitting = replace(self, class_of=class_of, released=None)._labels("fitting")
            return fitting.leaves[fitting.of_class]
        classes = int(class_of.max(initial=0)) + 1
        known = self.column.labels[0].is_valid().to_numpy(zero_copy_only=False)[self.values]
        position = range_widths(self.column)[self.values]
        low, high = np.full(classes, np.iinfo(np.int64).max), np.full(classes, np.iinfo(np.int64).min)
        np.minimum.at(low, class_of[known], position[known])
        np.maximum.at(high, class_of[known], position[known])
        null = np.zeros(classes, dtype=np.int64)
        null[class_of[~known]] = 1
        covered = np.where(low <= high, high - np.minimum(low, high) + 1, 0) + null
        return np.minimum(covered, self.column.total_leaves)

    def _of_released(self, alone: NDArray[np.bool_]) -> ClassValues:
        """Leave out the tuples with values that no released row has, in classes that have others.

        Classes that are not alone with their label keep it, since they are one class in the release.
        """
        kept = self._known[self.values]
        others = np.zeros(int(self.class_of.max(initial=0)) + 1, dtype=bool)
        others[self.class_of[kept]] = True
        chosen = kept | ~(others & alone)[self.class_of]
        return replace(self, values=self.values[chosen], class_of=self.class_of[chosen])

    @property
    def _known(self) -> NDArray[np.bool_]:
        """For each label of the lowest level, whether a released row may have it."""
        known = np.full(len(self.column.labels[self.base]), self.released is None)
        if self.released is not None:
            known[self.column.maps[self.base][self.released]] = True
        return known

    def _sorted(self, values: pa.Array) -> IntArray:
        """Return the positions of labels of the lowest level as released ones sort; the others are last.

        Texts sort as numbers if all are numbers, and nothing must tell that a suppressed one is none.
        """
        known = self._known
        here = np.flatnonzero(known)
        return np.concatenate([here[_in_order(values.filter(pa.array(known)))], np.flatnonzero(~known)])

    def _texts(self, level: int) -> list[str | None]:
        """Return the labels of a level as text; numbers and times with the places that released ones need."""
        labels = self.column.labels[level]
        if level or self.released is None:
            return as_text(labels).to_pylist()  # type: ignore[no-any-return]
        texts: list[str | None] = as_text(labels).to_pylist()
        released = as_text(narrowest(labels.filter(pa.array(self.released)))).to_pylist()
        for position, text in zip(np.flatnonzero(self.released).tolist(), released, strict=True):
            texts[position] = text
        return texts

    def _labels(self, form: LabelForm) -> ClassLabels:
        if form == "fitting":
            form = fitting_form(self.column)
        levels, numbers = self._nodes()
        if form == "nodes":
            return self._as_nodes(levels, numbers)
        texts, leaves = self._as_nodes_texts(levels, numbers)
        narrower = self._ranges() if form == "ranges" else self._sets()
        for number, (text, covered) in narrower.items():
            # Where a hierarchy is not in the order of numbers, a range may cover more than its node.
            if covered <= leaves[number]:
                texts[number], leaves[number] = text, covered
        return _by_text(texts, leaves)

    @property
    def _ordered(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The tuples sorted by class, and where each class begins."""
        order = np.argsort(self.class_of, kind="stable")
        starts = np.flatnonzero(np.diff(self.class_of[order].astype(np.int64), prepend=-1))
        return order, starts

    def _ends(self, values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the least and the greatest of some numbers of tuples, by class."""
        order, starts = self._ordered
        if not len(order):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return np.minimum.reduceat(values[order], starts), np.maximum.reduceat(values[order], starts)

    def _nodes(self) -> tuple[IntArray, IntArray]:
        """Return the level and the number of the lowest label that covers each class."""
        low, high = self._ends(self.values.astype(np.int64))
        levels = np.full(len(low), -1, dtype=np.int64)
        numbers = np.zeros(len(low), dtype=np.int64)
        for level in self.levels:
            step = self.column.step(self.base, level)
            # Labels are neighbours in the order of values, so the two ends speak for all between them.
            found = (levels < 0) & (step[low] == step[high])
            levels[found], numbers[found] = level, step[low[found]]
        assert (levels >= 0).all(), "a class has a label that covers it"
        return levels, numbers

    def _as_nodes(self, levels: IntArray, numbers: IntArray) -> ClassLabels:
        column = self.column
        pairs, of_class = _distinct(levels, numbers)
        if not pairs[0].any():
            labels = column.labels[0].take(pa.array(pairs[1]))
            return ClassLabels(
                labels, column.leaves[0][pairs[1]], HierarchyNodes(*pairs), of_class.astype(np.uint32)
            )
        texts = self._texts_of(pairs)
        leaves = np.array([column.leaves[level][node] for level, node in pairs.T.tolist()], dtype=np.int64)
        found = _by_text(texts, leaves)
        if len(found.labels) == len(texts):
            nodes = HierarchyNodes(*pairs[:, np.argsort(found.of_class)])
            return ClassLabels(found.labels, found.leaves, nodes, found.of_class[of_class])
        # The same text names several nodes, so a reader cannot say which of them a label is.
        return ClassLabels(found.labels, found.leaves, None, found.of_class[of_class])

    def _as_nodes_texts(self, levels: IntArray, numbers: IntArray) -> tuple[list[str | None], IntArray]:
        column = self.column
        pairs, of_class = _distinct(levels, numbers)
        texts = self._texts_of(pairs)
        leaves = np.array([column.leaves[level][node] for level, node in pairs.T.tolist()], dtype=np.int64)
        return [texts[number] for number in of_class.tolist()], leaves[of_class]

    def _texts_of(self, pairs: IntArray) -> list[str | None]:
        texts = {level: self._texts(level) for level in np.unique(pairs[0]).tolist()}
        return [texts[level][number] for level, number in pairs.T.tolist()]

    def _ranges(self) -> dict[int, tuple[str, int]]:
        """Return the range of each class of several numbers or dates, and the leaves that it covers."""
        column, values = self.column, self.column.labels[0]
        if self.base:
            return {}
        known = values.filter(pa.array(self._known))
        if not is_ordered(comparable(known).type):
            return {}
        rank = np.empty(len(values), dtype=np.int64)
        order = self._sorted(values)
        rank[order] = np.arange(len(order))
        low, high = self._ends(rank[self.values])
        null = len(known) - not_ordered(known)
        several = np.flatnonzero((low < high) & (high < null)).tolist()
        texts = self._texts(0)
        widths = range_widths(column)
        return {
            number: (
                f"[{texts[order[low[number]]]}, {texts[order[high[number]]]}]",
                int(widths[order[high[number]]] - widths[order[low[number]]]) + 1,
            )
            for number in several
        }

    def _sets(self) -> dict[int, tuple[str, int]]:
        """Return the set of each class of several values, and the leaves that it covers."""
        column = self.column
        values = column.labels[self.base]
        rank = np.empty(len(values), dtype=np.int64)
        by_value = self._sorted(values)
        rank[by_value] = np.arange(len(by_value))
        members = np.unique(np.stack([self.class_of.astype(np.int64), rank[self.values]]), axis=1)
        starts = np.flatnonzero(np.diff(members[0], prepend=-1))
        ends = np.append(starts[1:], members.shape[1])
        texts = self._texts(self.base)
        leaves = column.leaves[self.base]
        return {
            number: (
                written_set([texts[value] for value in by_value[members[1, start:end]].tolist()]),
                int(leaves[by_value[members[1, start:end]]].sum()),
            )
            for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
            if end - start > 1
        }


def fitting_form(column: CodedColumn) -> LabelForm:
    """Return ranges for numbers and dates, nodes for what has a hierarchy, and sets for other columns."""
    if not column.min_level and is_ordered(comparable(column.labels[0]).type):
        return "ranges"
    return "nodes" if column.height > 1 else "sets"


Released: TypeAlias = tuple[NDArray[np.bool_], ...]
"""For each column, which of its values released rows have."""


def released_values(table: CodedTable, released: NDArray[np.bool_]) -> Released:
    """Return which values of each column the released entries of a table have."""
    found: list[NDArray[np.bool_]] = []
    for column in table.columns:
        seen = np.zeros(len(column.counts), dtype=bool)
        # Of a frequency set at raised levels, an entry stands for all values under its labels.
        level = 0 if table.bottom is None else table.bottom[len(found)]
        seen[column.codes[released]] = True
        labels = np.zeros(len(column.labels[level]), dtype=bool)
        labels[column.maps[level][seen]] = True
        found.append(seen if level == 0 else labels[column.maps[level]])
    return tuple(found)


def not_ordered(values: pa.Array) -> int:
    """Return how many values are in no range: NULL, and what is no number."""
    none = int(values.null_count)
    if pa.types.is_floating(values.type):
        none += int(pc.sum(pc.is_nan(values).fill_null(False)).as_py() or 0)
    return none


def range_widths(column: CodedColumn) -> IntArray:
    """Return a number for each value such that ranges cover as many leaves as these differ by, plus 1.

    A hierarchy may list values that the table has not, or be over all whole numbers of a range. NULL is one
    more leaf, in no range.
    """
    if column.places is not None:
        return column.places
    values = column.labels[0]
    known = values.drop_null()
    leaves = column.total_leaves - values.null_count
    if (
        pa.types.is_integer(values.type)
        and len(known)
        and leaves >= int(pc.max(known).as_py()) - int(pc.min(known).as_py()) + 1
    ):
        filled: IntArray = values.fill_null(0).cast(pa.int64(), safe=False).to_numpy(zero_copy_only=False)
        return filled
    rank = np.empty(len(values), dtype=np.int64)
    order = _in_order(values)
    rank[order] = np.arange(len(order))
    return rank


def _in_order(values: pa.Array) -> IntArray:
    """Return the positions of values in the order in which they sort, NULL last."""
    order: IntArray = pc.array_sort_indices(comparable(values), null_placement="at_end").to_numpy()
    return order.astype(np.int64)


def _by_text(texts: Sequence[str | None], leaves: IntArray) -> ClassLabels:
    """Give equal texts one label, which covers as much as the widest of them."""
    encoded = pa.array(texts, pa.string()).dictionary_encode(null_encoding="encode")
    numbers = encoded.indices.to_numpy().astype(np.uint32)
    widest = np.zeros(len(encoded.dictionary), dtype=np.int64)
    np.maximum.at(widest, numbers, leaves)
    return ClassLabels(encoded.dictionary, widest, None, numbers)


def _distinct(levels: IntArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return the different pairs of a level and a number, sorted, and which of them each class has."""
    most = int(numbers.max(initial=0)) + 1
    keys, of_class = np.unique(levels * most + numbers, return_inverse=True)
    return np.stack(np.divmod(keys, most)), of_class
