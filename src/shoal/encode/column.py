"""One column as numbers: a code per row, and a map from codes to labels per level.

Codes are in leaf order, a depth-first walk of the hierarchy: at every level the codes under one label are
neighbours, so generalizing is merging neighbours. The kernel depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchy import ANYTHING, Generalizing, HierarchyError, Levels, as_text
from shoal.errors import Problem
from shoal.exact_counts import count
from shoal.read.columns import incomparable

_NUMBER = r"^-?(0|[1-9][0-9]{0,14})([.][0-9]{1,15})?$"
"""Numbers as they are usually written; codes such as 01234 are none."""

UIntArray = NDArray[np.uint32]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, repr=False)  # notebooks and logs would show values
class CodedColumn:
    """A coded column: a quasi-identifier, or another column that models and measures use.

    Attributes
    ----------
    codes
        One code per entry of the table: per row, or per tuple if rows were counted before.
    counts
        Rows per code. Every code occurs, but possibly only in a population; then its count is 0.
    maps
        ``maps[level][code]`` is the label's number at a level; level 0 is the code itself.
    labels
        ``labels[level]`` are the labels, by number; those of level 0 keep the column's type.
    leaves
        ``leaves[level][label]`` is the number of leaves of the whole hierarchy that the label covers.
    total_leaves
        Leaves of the whole hierarchy, used or not.
    notes
        Notes on its hierarchy, in lower case.
    places
        For each value its place among all leaves that its hierarchy lists, in the order of numbers or dates,
        NULL last; None if it lists none, or not such values.
    """

    name: str
    codes: UIntArray
    counts: IntArray
    maps: tuple[UIntArray, ...]
    labels: tuple[pa.Array, ...]
    leaves: tuple[IntArray, ...]
    total_leaves: int
    weight: float = 1.0
    min_level: int = 0
    max_level: int = 0
    notes: tuple[str, ...] = ()
    places: IntArray | None = None

    @property
    def height(self) -> int:
        """The top level of the hierarchy, whether or not the spec allows it."""
        return len(self.maps) - 1

    @property
    def allowed_levels(self) -> range:
        """The levels that the spec allows."""
        return range(self.min_level, self.max_level + 1)

    def step(self, start: int, level: int) -> UIntArray:
        """Map the label numbers of one level to those of a level at or above it."""
        if start == 0:
            return self.maps[level]
        _, first = np.unique(self.maps[start], return_index=True)
        return self.maps[level][first]

    def label_numbers(self, level: int) -> UIntArray:
        """Return the number of each value's label at a level of a taxonomy, where a root joins NULL too.

        The root is the top level, if all values that occur have one label there.
        """
        if level and level == self.height:
            known = ~self.labels[0].is_null().to_numpy(zero_copy_only=False)
            if len(np.unique(self.maps[level][known])) <= 1:
                return np.zeros(len(self.counts), dtype=np.uint32)
        return self.maps[level]

    def labelled(self, level: int) -> tuple[UIntArray, int]:
        """Return the number of the label of each entry of the table, and how many labels there are."""
        if level == 0:
            return self.codes, len(self.counts)
        labels = self.label_numbers(level)
        return labels[self.codes], int(labels[-1]) + 1 if len(labels) else 0

    def first_codes(self, level: int) -> UIntArray:
        """Return for each label of a level the first code under it, which can represent all of them."""
        starts = np.flatnonzero(np.diff(self.maps[level].astype(np.int64), prepend=-1))
        return starts.astype(np.uint32)

    def label_counts(self, level: int) -> IntArray:
        """Rows per label of a level."""
        counts = np.zeros(len(self.labels[level]), dtype=np.int64)
        np.add.at(counts, self.maps[level], self.counts)
        return counts


def code_column(
    name: str,
    values: pa.DictionaryArray,
    hierarchy: Generalizing,
    *,
    weight: float = 1.0,
    min_level: int = 0,
    max_level: int | None = None,
    rows: IntArray | None = None,
) -> CodedColumn:
    """Code one column; a single `HierarchyError` reports all of its problems."""
    column, _ = code_together(
        name, values, hierarchy, (), weight=weight, min_level=min_level, max_level=max_level, rows=rows
    )
    return column


def code_together(
    name: str,
    values: pa.DictionaryArray,
    hierarchy: Generalizing,
    others: Sequence[pa.DictionaryArray],
    *,
    weight: float = 1.0,
    min_level: int = 0,
    max_level: int | None = None,
    rows: IntArray | None = None,
) -> tuple[CodedColumn, tuple[UIntArray, ...]]:
    """Code one column, and the same column of other tables with the same codes.

    Their values have the same type. A value that only they have gets a code with a count of 0. `rows` is the
    number of rows of each value, if it is not one.
    """
    domain = values.dictionary
    for other in others:
        new = pc.index_in(other.dictionary, domain).is_null()
        domain = pa.concat_arrays([domain, other.dictionary.filter(new)])
    indices = _indices(values, domain)
    counts = count(indices, len(domain) + 1, rows)
    beside = [_indices(other, domain) for other in others]
    # A dictionary may have values that no row has; the hierarchy need not cover them.
    occurs = counts > 0
    for of_other in beside:
        occurs |= np.bincount(of_other, minlength=len(domain) + 1) > 0
    used = np.flatnonzero(occurs[:-1])
    # Neighbours under a label are then neighbours by value too: ranges of codes are ranges of values.
    try:
        used = used[pc.array_sort_indices(comparable(domain.take(pa.array(used)))).to_numpy()]
    except pa.ArrowNotImplementedError:
        raise incomparable(name, domain.type) from None
    levels = hierarchy.levels(domain.take(pa.array(used)))
    stated = _stated_order(levels)
    if stated is not None:
        used, levels = used[stated], _taken(levels, stated)
    places = _places(levels)
    if occurs[-1]:
        places = None if places is None else np.append(places, levels.total)
        levels = _with_null(levels)
        used = np.append(used, len(domain))
    height = len(levels.labels) - 1
    if min_level > height or (max_level is not None and max_level > height):
        raise HierarchyError(
            Problem(f"its hierarchy has levels 0 to {height}, but the spec sets {min_level} to {max_level}.")
        )

    numbers = [label.dictionary_encode(null_encoding="encode").indices.to_numpy() for label in levels.labels]
    order = np.lexsort(numbers)
    recode = np.zeros(len(counts), dtype=np.uint32)
    recode[used[order]] = np.arange(len(order), dtype=np.uint32)
    maps, labels, leaves = [], [], []
    for number, label, leaf in zip(numbers, levels.labels, levels.leaves, strict=True):
        ordered = number[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        maps.append(np.repeat(np.arange(len(starts), dtype=np.uint32), np.diff(starts, append=len(ordered))))
        labels.append(label.take(pa.array(order[starts])))
        leaves.append(leaf[order[starts]])
    column = CodedColumn(
        name=name,
        codes=recode[indices],
        counts=counts[used[order]],
        maps=tuple(maps),
        labels=tuple(labels),
        leaves=tuple(leaves),
        total_leaves=levels.total,
        weight=weight,
        min_level=min_level,
        max_level=height if max_level is None else max_level,
        notes=levels.notes,
        places=None if places is None else places[order],
    )
    return column, tuple(recode[of_other] for of_other in beside)


def comparable(values: pa.Array) -> pa.Array:
    """Return values in the form in which they sort: texts that are all numbers become numbers.

    Examples
    --------
    >>> comparable(pa.array(["9", "10", None])).to_pylist(), comparable(pa.array(["09", "10"])).to_pylist()
    ([9.0, 10.0, None], ['09', '10'])
    """
    known = values.drop_null()
    if not pa.types.is_string(values.type) or not len(known):
        return values
    numbers = pc.all(pc.match_substring_regex(known, _NUMBER)).as_py()
    return values.cast(pa.float64()) if numbers else values


def used_values(values: pa.DictionaryArray) -> pa.Array:
    """Return the occurring values, without NULL."""
    return values.dictionary.take(values.indices.drop_null().unique())


def _indices(values: pa.DictionaryArray, domain: pa.Array) -> NDArray[np.int32]:
    """Return for each row the index of its value in the domain; for NULL its length."""
    indices = values.indices
    if domain is not values.dictionary:
        # This changes nothing if the domain begins with the column's own dictionary.
        indices = pc.index_in(values.dictionary, domain).take(indices)
    filled: NDArray[np.int32] = indices.fill_null(len(domain)).to_numpy(zero_copy_only=False)
    return filled


def is_ordered(kind: pa.DataType) -> bool:
    """Return whether values of a type have ranges: numbers, dates and times."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)) or bool(
        pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    )


def _places(levels: Levels) -> IntArray | None:
    """Return the place of each value among all that a hierarchy lists, if these have an order."""
    listed = levels.listed
    if listed is None or not len(listed) or not is_ordered(comparable(listed).type):
        return None
    ranks = np.empty(len(listed), dtype=np.int64)
    ranks[pc.array_sort_indices(comparable(listed)).to_numpy()] = np.arange(len(listed))
    found: IntArray = ranks[pc.index_in(as_text(levels.labels[0]), listed).to_numpy(zero_copy_only=False)]
    return found


def _stated_order(levels: Levels) -> IntArray | None:
    """Return the positions of values in the order that a hierarchy states, others last.

    None if it states none, or if they are numbers or dates, which have an order of their own.
    """
    if levels.listed is None or not levels.in_order or is_ordered(comparable(levels.labels[0]).type):
        return None
    places = pc.index_in(as_text(levels.labels[0]), levels.listed).fill_null(len(levels.listed))
    order: IntArray = np.argsort(places.to_numpy(), kind="stable")
    return order


def _taken(levels: Levels, order: IntArray) -> Levels:
    """Return the same levels for values in another order."""
    return replace(
        levels,
        labels=tuple(label.take(pa.array(order)) for label in levels.labels),
        leaves=tuple(leaf[order] for leaf in levels.leaves),
    )


def _with_null(levels: Levels) -> Levels:
    """Add NULL as a last value: a category that keeps its own label below the top."""
    total = levels.total + 1
    labels = [pa.concat_arrays([label, pa.nulls(1, label.type)]) for label in levels.labels]
    leaves = [np.append(leaf, 1) for leaf in levels.leaves]
    top = levels.leaves[-1]
    # Only a label that covers the whole hierarchy, used or not, covers NULL too.
    if len(labels) > 1 and (top == levels.total).all():
        root = levels.labels[-1][:1] if len(top) else pa.array([ANYTHING])
        labels[-1] = pa.concat_arrays([levels.labels[-1], root])
        leaves[-1] = np.full(len(top) + 1, total, dtype=np.int64)
    return replace(levels, labels=tuple(labels), leaves=tuple(leaves), total=total)
