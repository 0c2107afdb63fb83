"""A column before and after: which label of the release each value of the original became.

A release that generalizes whole columns gives every value one label. It is found from the hierarchy, as the
level whose labels the release has in numbers that fit, or from the form of the labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchy import ANYTHING
from shoal.describe.label_cover import (
    Cover,
    Domain,
    FloatArray,
    IntArray,
    cover_of,
    nearest_cover,
    numbers_among,
)
from shoal.describe.roles import QuasiIdentifier
from shoal.encode.column import CodedColumn, code_column
from shoal.encode.readable_values import values_and_levels
from shoal.errors import InputError
from shoal.read.spelling import in_one_spelling
from shoal.recode.class_averages import Average
from shoal.recode.class_labels import range_widths


@dataclass(frozen=True, slots=True, eq=False)
class RecodedColumn:
    """One column of the original and of the release.

    Attributes
    ----------
    domain
        The values of the original.
    before, counts
        For each row of the original the position of its value, and the rows per position.
    labels
        The labels of the release as text; NULL, which has the last number, is NULL.
    after, rows
        For each row of the release the number of its label, and the rows per label.
    cover
        What each label stands for.
    label_of
        Per position, the number of the label that its value has in the release, -1 where the release lacks
        it; None where values have several labels.
    breadth
        For each label how much of the column it covers, from 0 (one value) to 1 (all).
    average
        What labels are, if they are averages of classes. They cover the nearest values, and their breadth is
        how far they are from the values of their rows: of means and medians the squared error as a share of
        the variance, of modes the share of the rows that have another value.
    """

    name: str
    domain: Domain
    before: IntArray
    counts: IntArray
    labels: pa.Array
    after: IntArray
    rows: IntArray
    cover: Cover
    label_of: IntArray | None
    breadth: FloatArray
    average: Average | None = None

    @property
    def star(self) -> int:
        """The number of the label `*`, -1 where the release has none, or where it is a value of its own."""
        found = int(pc.index(self.labels, ANYTHING).as_py())
        return found if found >= 0 and self.breadth[found] == 1 else -1

    @property
    def untouched(self) -> bool:
        """Whether every label is a value that stands for itself."""
        return self.average is None and bool((self.cover.counts[self.rows > 0] == 1).all())

    @property
    def excess(self) -> int:
        """Rows of the release that no row of the original can have become, by this column alone."""
        if self.average is not None:
            return 0
        there = self.cover.sums(self.counts).astype(np.int64)
        return int(np.maximum(self.rows - there, 0).sum())

    def estimate(self) -> FloatArray:
        """Return the share of each value, as the release tells it: each label spread evenly over its values.

        A release without rows tells nothing, and all values are alike.
        """
        if not len(self.after):
            return np.full(self.domain.size, 1 / max(self.domain.size, 1))
        each = self.rows / np.maximum(self.cover.counts, 1)
        found = np.bincount(self.cover.positions, weights=each[self.cover.owners], minlength=self.domain.size)
        shares: FloatArray = found / len(self.after)
        return shares


def recode_column(
    name: str,
    original: pa.DictionaryArray,
    release: pa.DictionaryArray,
    hierarchy: QuasiIdentifier | None = None,
    *,
    level: int | None = None,
    text: bool = False,
    average: Average | None = None,
    average_error: float | None = None,
) -> RecodedColumn:
    """Find what became of a column.

    Parameters
    ----------
    original, release
        The column in both, as dictionary arrays.
    hierarchy
        How it may have been generalized; otherwise the form of labels tells.
    level
        The level of the release, where it is known.
    text
        Whether its values are categories although they look like numbers.
    average
        What of classes its labels are, if they are averages; they are of no level.
    average_error
        How far these are from the values, where it is known: it is not seen in the release alone.

    Examples
    --------
    >>> ages = pa.array([21, 25, 34, 38]).dictionary_encode()
    >>> found = recode_column("age", ages, pa.array(["[20, 30)"] * 2 + ["*"] * 2).dictionary_encode())
    >>> found.cover.counts.tolist(), found.label_of.tolist()
    ([2, 4], [0, 0, -1, -1])
    """
    kind = original.dictionary.type
    labels, after = _labels(release, kind)
    if release.null_count:
        labels = pa.concat_arrays([labels, pa.nulls(1, labels.type)])
    rows = np.bincount(after, minlength=len(labels)).astype(np.int64)
    if hierarchy is not None and average is None:
        return _by_hierarchy(
            code_column(name, original, hierarchy), labels, after, rows, level=level, text=text
        )
    domain = Domain.of(in_one_spelling(original.dictionary, kind), null=original.null_count > 0, text=text)
    before = _positions(original)
    counts = np.bincount(before, minlength=domain.size).astype(np.int64)
    unchanged = None if average is not None else _unchanged(labels, domain, rows, counts)
    if unchanged is not None:
        cover, breadth = unchanged, np.zeros(len(labels))
    else:
        cover = cover_of(labels, domain) if average is None else nearest_cover(labels, domain)
        breadth = _breadth(cover.counts, domain.size, labels)
    if average is not None:
        if average_error is None:
            average_error = (
                _moved(counts, cover, rows)
                if average == "mode"
                else _lost_variance(domain, counts, labels, rows, average)
            )
        breadth = np.where(breadth < 1, average_error, breadth)
    return RecodedColumn(
        name=name,
        domain=domain,
        before=before,
        counts=counts,
        labels=labels,
        after=after,
        rows=rows,
        cover=cover,
        label_of=_label_of(cover, labels, domain.size) if average is None else None,
        breadth=breadth,
        average=average,
    )


def _by_hierarchy(
    coded: CodedColumn,
    labels: pa.Array,
    after: IntArray,
    rows: IntArray,
    *,
    level: int | None,
    text: bool,
) -> RecodedColumn:
    order, domain, levels = values_and_levels(coded, text=text)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    counts = coded.counts[order]
    if level is not None and not 0 <= level < len(levels):
        raise InputError(f"there is no level {level}, only 0 to {len(levels) - 1}.")
    found = _level(levels, counts, labels, rows) if level is None else level
    chosen = range(len(levels)) if found is None else [found]
    unchanged = _unchanged(labels, domain, rows, counts) if found == 0 else None
    cover = unchanged or cover_of(labels, domain, [levels[position] for position in chosen])
    leaves = _leaves(coded, order, levels, labels, cover)
    label_of = _label_of(cover, labels, domain.size)
    if found is not None:
        positions = pc.index_in(levels[found], labels).fill_null(-1).to_numpy(zero_copy_only=False)
        label_of = positions.astype(np.int64)
        there = label_of >= 0
        leaves = np.zeros(len(labels), dtype=np.int64)
        leaves[label_of[there]] = coded.leaves[found][coded.maps[found][order]][there]
    return RecodedColumn(
        name=coded.name,
        domain=domain,
        before=number[coded.codes],
        counts=counts,
        labels=labels,
        after=after,
        rows=rows,
        cover=cover,
        label_of=label_of,
        breadth=_breadth(leaves, coded.total_leaves, labels) if unchanged is None else np.zeros(len(labels)),
    )


def _unchanged(labels: pa.Array, domain: Domain, rows: IntArray, counts: IntArray) -> Cover | None:
    """Return that labels are the values themselves, if all are, and none has more rows than the value.

    Then `*` is a value like any other, such as one that was censored before.
    """
    values = pa.concat_arrays([domain.texts, pa.nulls(domain.null, domain.texts.type)])
    position = pc.index_in(labels, values)
    if position.null_count or (rows > counts[position.to_numpy()]).any():
        return None
    return Cover.of(np.arange(len(labels)), position.to_numpy().astype(np.int64), len(labels))


def _leaves(
    coded: CodedColumn, order: IntArray, levels: list[pa.Array], labels: pa.Array, cover: Cover
) -> IntArray:
    """Return how many leaves of the whole hierarchy each label covers, used or not.

    That is what the measure `loss` counts: labels of the hierarchy by all their leaves, sets by those of
    their members, ranges by those between their ends. A text that names several labels is the widest.
    """
    widths = range_widths(coded)[order][cover.positions]
    low = np.full(len(labels), np.iinfo(np.int64).max)
    high = np.zeros(len(labels), dtype=np.int64)
    np.minimum.at(low, cover.owners, widths)
    np.maximum.at(high, cover.owners, widths)
    ranges = pc.starts_with(labels, "[").fill_null(False).to_numpy(zero_copy_only=False)
    members = cover.sums(coded.leaves[0][order]).astype(np.int64)
    found = np.where(ranges & (low <= high), high - low + 1, members)
    of_nodes = np.zeros(len(labels), dtype=np.int64)
    for level, texts in enumerate(levels):
        named = pc.index_in(texts, labels).fill_null(-1).to_numpy(zero_copy_only=False)
        there = named >= 0
        np.maximum.at(of_nodes, named[there], coded.leaves[level][coded.maps[level][order]][there])
    found = np.where(of_nodes > 0, of_nodes, found)
    found[cover.unknown] = coded.total_leaves
    return found


def _level(levels: list[pa.Array], counts: IntArray, labels: pa.Array, rows: IntArray) -> int | None:
    """Return the level that all labels are from, of several the one that the numbers of rows fit best.

    `*` may stand in a suppressed row, at any level. There is none if a label has more rows than its values:
    it is then also that of another level, as the 100 that 53 is rounded to beside the value 100.
    """
    common = pc.fill_null(pc.not_equal(labels, ANYTHING), True).to_numpy(zero_copy_only=False)
    best: tuple[int, int] | None = None
    for level, texts in enumerate(levels):
        positions = pc.index_in(texts, labels).fill_null(-1).to_numpy(zero_copy_only=False)
        known = positions >= 0
        there = np.bincount(positions[known], weights=counts[known], minlength=len(labels)).astype(np.int64)
        if (there[common] == 0).any():
            continue
        if not common.any() and not (there > 0).any():
            continue  # nothing but stars, and this level has none
        if (rows > there)[common].any():
            continue
        unequal = int((rows != there)[common].sum()) + int((~known).any())
        best = min(best or (unequal, level), (unequal, level))
    return None if best is None else best[1]


def _label_of(cover: Cover, labels: pa.Array, size: int) -> IntArray | None:
    """Return the one label of each value, -1 for none; None where some have several.

    What covers everything is left aside if there are other labels: it stands in suppressed rows. Of a label
    that nothing is known of nobody can tell which values have it.
    """
    if cover.unknown.any():
        return None
    wide = cover.counts == size
    named = np.zeros(len(labels), dtype=np.bool_)
    star = pc.index(labels, ANYTHING).as_py()
    if star >= 0:
        named[star] = True
    aside = wide & named
    if aside.all() and len(labels) == 1:
        aside[:] = False
    kept = ~aside[cover.owners]
    if np.bincount(cover.positions[kept], minlength=size).max(initial=0) > 1:
        return None
    found = np.full(size, -1, dtype=np.int64)
    found[cover.positions[kept]] = cover.owners[kept]
    return found


def _breadth(counts: IntArray, total: int, labels: pa.Array) -> FloatArray:
    found: FloatArray = np.maximum(counts - 1, 0) / max(total - 1, 1)
    if (star := pc.index(labels, ANYTHING).as_py()) >= 0:
        found[star] = 1.0  # also in a column of one value: a suppressed cell tells nothing
    return found


def _lost_variance(
    domain: Domain, counts: IntArray, labels: pa.Array, rows: IntArray, average: Average
) -> float:
    """Return what is seen of the squared error of averages, as a share of the variance of the column.

    Means lack as much of the variance. Medians may have as much as the values, or more, however far they are
    from them: their squared error is no less than the distance to the values in the same order.
    """
    if not len(domain.texts):
        return 0.0  # NULL alone, which stays what it is
    written, numbers = numbers_among(labels)
    if domain.numbers is None or numbers is None:
        return 1.0
    values = counts[: len(domain.numbers)]
    before = _variance(domain.numbers, values)
    if not before or not rows[written].any():
        return 0.0
    if average == "median":
        return _squared_distance(domain.numbers, values, numbers, rows[written]) / before
    return min(max(1 - _variance(numbers, rows[written]) / before, 0.0), 1.0)


def _moved(counts: IntArray, cover: Cover, rows: IntArray) -> float:
    """Return the least share of rows that have another value than before, as the shares of values differ."""
    one = cover.counts[cover.owners] == 1
    after = np.zeros(len(counts))
    np.add.at(after, cover.positions[one], rows[cover.owners[one]])
    if not after.any():
        return 0.0
    return float(np.abs(counts / counts.sum() - after / after.sum()).sum() / 2)


def _squared_distance(before: FloatArray, counts: IntArray, after: FloatArray, rows: IntArray) -> float:
    """Return the mean squared distance of two distributions, their numbers taken in order.

    Examples
    --------
    >>> _squared_distance(np.array([3.0, 1.0]), np.array([1, 1]), np.array([1.0]), np.array([2]))
    2.0
    """
    first, second = np.argsort(before, kind="stable"), np.argsort(after, kind="stable")
    ends = [np.cumsum(counts[first]) / counts.sum(), np.cumsum(rows[second]) / rows.sum()]
    steps = np.unique(np.concatenate(ends))
    parts = np.diff(steps, prepend=0.0)
    middles = steps - parts / 2
    places = [np.minimum(np.searchsorted(each, middles), len(each) - 1) for each in ends]
    return float(parts @ (before[first][places[0]] - after[second][places[1]]) ** 2)


def _variance(numbers: FloatArray, rows: IntArray) -> float:
    mean = float(numbers @ rows) / max(int(rows.sum()), 1)
    return float(rows @ (numbers - mean) ** 2) / max(int(rows.sum()), 1)


def _labels(release: pa.DictionaryArray, kind: pa.DataType) -> tuple[pa.Array, IntArray]:
    """Return the labels of a release, each once, and for each row the position of its label."""
    distinct = in_one_spelling(release.dictionary, kind).dictionary_encode()
    positions = np.append(_positions(distinct), len(distinct.dictionary))  # NULL stays at the end
    return distinct.dictionary, positions[_positions(release)]


def _positions(values: pa.DictionaryArray) -> IntArray:
    """Return for each row the position of its value, which for NULL is the end."""
    positions: IntArray = values.indices.fill_null(len(values.dictionary)).to_numpy(zero_copy_only=False)
    return positions.astype(np.int64)
