"""What a label stands for: which values of its column it may have been.

The hierarchy says it where there is one, otherwise the form of the label (`label_forms.py`). `*` may have
been anything, NULL too. So may a label of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchies.dates import Dates
from shoal.describe.hierarchy import HierarchyError
from shoal.describe.label_forms import (
    NULL_IN_SETS,
    Range,
    is_everything,
    is_mask,
    read_dates,
    read_mask,
    read_range,
    read_set,
)
from shoal.read.columns import text_of
from shoal.read.date_format import DateFormat

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
_CODE = r"^[+-]?0[0-9]"  # 01234 is no number
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_DAY = 86_400
_UNITS = (("day", "month", "quarter", "year", "decade"), ("week",))


@dataclass(frozen=True, slots=True)
class Domain:
    """The values of a column. A position is the number of a value; NULL, where it occurs, has the last.

    Attributes
    ----------
    texts
        The distinct values, without NULL, as a release would write them.
    numbers
        The same as numbers, dates and times as days since 1970; None unless all of them are.
    dated
        Whether they are dates or times.
    null
        Whether NULL occurs.
    """

    texts: pa.Array
    numbers: FloatArray | None
    null: bool
    dated: bool = False

    @classmethod
    def of(cls, values: pa.Array, *, null: bool = False, text: bool = False) -> Self:
        """Build it from distinct values without NULL; with `text` they are no numbers.

        Examples
        --------
        >>> Domain.of(pa.array(["34", "51"]), null=True).size
        3
        """
        texts = text_of(values)
        if text or not len(texts):
            return cls(texts, None, null)
        numbers = _numbers(texts)
        days = _days(texts) if numbers is None else None
        return cls(texts, numbers if days is None else days, null, days is not None)

    @property
    def size(self) -> int:
        """How many values there are, NULL among them."""
        return len(self.texts) + self.null


@dataclass(frozen=True, slots=True)
class Cover:
    """For some labels the positions of the values that each may have been, as pairs.

    Attributes
    ----------
    owners, positions
        Pair by pair, the number of a label and the position of a value that it covers.
    counts
        How many values each label covers.
    unknown
        Labels that nothing is known of: they cover everything.
    """

    owners: IntArray
    positions: IntArray
    counts: IntArray
    unknown: BoolArray

    @classmethod
    def of(cls, owners: IntArray, positions: IntArray, labels: int, unknown: BoolArray | None = None) -> Self:
        counts = np.bincount(owners, minlength=labels).astype(np.int64)
        return cls(owners, positions, counts, np.zeros(labels, np.bool_) if unknown is None else unknown)

    @classmethod
    def identity(cls, size: int) -> Self:
        """Return that of values which stand for themselves."""
        return cls.of(np.arange(size), np.arange(size), size)

    def sums(self, weights: NDArray[Any]) -> FloatArray:
        """Return for each label the sum of the weights of what it covers."""
        each = weights[self.positions].astype(np.float64)
        return np.bincount(self.owners, weights=each, minlength=len(self.counts)).astype(np.float64)

    def shares(self, groups: IntArray, count: int) -> FloatArray:
        """Return how each label is spread over groups of values, if evenly over the values that it covers.

        Parameters
        ----------
        groups
            For each position the number of its group, of which there are `count`.

        Examples
        --------
        >>> cover = Cover.of(np.array([0, 0, 1]), np.array([0, 1, 1]), labels=2)
        >>> cover.shares(np.array([0, 1]), 2).tolist()
        [[0.5, 0.5], [0.0, 1.0]]
        """
        cells = np.bincount(
            self.owners * count + groups[self.positions], minlength=len(self.counts) * count
        ).reshape(len(self.counts), count)
        found: FloatArray = cells / np.maximum(self.counts, 1)[:, None]
        return found

    def only(self, chosen: IntArray) -> Self:
        """Return that of some labels, numbered in the order in which they are chosen."""
        number = np.full(len(self.counts), -1, dtype=np.int64)
        number[chosen] = np.arange(len(chosen))
        kept = number[self.owners] >= 0
        return type(self).of(
            number[self.owners[kept]], self.positions[kept], len(chosen), self.unknown[chosen]
        )


def cover_of(
    labels: pa.Array, domain: Domain, levels: Sequence[pa.Array] = (), *, values_first: bool = False
) -> Cover:
    """Find what labels stand for.

    Parameters
    ----------
    labels
        Distinct labels as text, NULL as NULL.
    domain
        The values that they may stand for.
    levels
        From a hierarchy: the labels of the values of the domain, NULL's last where it occurs, at the levels
        that come into question. What is none of these labels is looked at as a value, and by its form.
    values_first
        Whether a text that is both a value and a label, such as the 50 that 45 is rounded to, is the value.

    Examples
    --------
    >>> ages = Domain.of(pa.array([19, 22, 25, 31]))
    >>> found = cover_of(pa.array(["[20, 30)", "31", "*", "old"]), ages)
    >>> found.counts.tolist(), found.unknown.tolist()
    ([2, 1, 4, 4], [False, False, False, True])
    """
    pairs = _CoverSoFar(labels, domain)
    texts = labels.to_pylist()
    pairs.add_everything(np.array([is_everything(text) for text in texts], dtype=np.bool_))
    if values_first:
        pairs.add_values()
    for level in levels:
        pairs.add_level(level)
    pairs.settle()
    pairs.add_values()
    left = pairs.open()
    known = _with_commas(domain) if len(left) else frozenset()
    for number in left:
        found = None if texts[number] is None else _by_form(texts[number], domain, known)
        if found is not None:
            pairs.add(number, found)
    if domain.dated and len(pairs.open()):
        for level in _calendar(domain.texts):
            pairs.add_level(level)
        pairs.settle()
    return pairs.cover()


def nearest_cover(labels: pa.Array, domain: Domain) -> Cover:
    """Let each number cover the values of the domain that are nearest to it; all else covers what it says.

    Such numbers are means of values, which need not be values themselves.

    Examples
    --------
    >>> ages = Domain.of(pa.array([20, 22, 30]))
    >>> found = nearest_cover(pa.array(["22.4", "21", "*"]), ages)
    >>> found.counts.tolist(), found.sums(ages.numbers).tolist()
    ([1, 2, 3], [22.0, 42.0, 72.0])
    """
    known = cover_of(labels, domain)
    written, numbers = numbers_among(labels)
    if numbers is None or domain.numbers is None:
        return known
    order = np.argsort(domain.numbers, kind="stable")
    ordered = domain.numbers[order]
    above = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    below = np.maximum(above - 1, 0)
    ends = np.stack([ordered[below], ordered[above]])
    distances = np.abs(ends - numbers)
    chosen = distances == distances.min(axis=0)
    chosen[1] &= ~(chosen[0] & (ends[0] == ends[1]))
    first, last = np.searchsorted(ordered, ends[chosen]), np.searchsorted(ordered, ends[chosen], side="right")
    sizes = last - first
    places = np.repeat(first - np.append(0, np.cumsum(sizes)[:-1]), sizes) + np.arange(sizes.sum())
    others = ~written[known.owners]
    return Cover.of(
        np.append(np.repeat(np.flatnonzero(written)[np.nonzero(chosen)[1]], sizes), known.owners[others]),
        np.append(order[places], known.positions[others]),
        len(labels),
        known.unknown & ~written,
    )


def numbers_among(labels: pa.Array) -> tuple[BoolArray, FloatArray | None]:
    """Return which labels are neither NULL nor `*`, and these as numbers or days, if that is what they are.

    Examples
    --------
    >>> written, numbers = numbers_among(pa.array(["*", "22.5", None]))
    >>> written.tolist(), numbers.tolist()
    ([False, True, False], [22.5])
    """
    written: BoolArray = pc.fill_null(pc.not_equal(labels, "*"), False).to_numpy(zero_copy_only=False)
    return written, Domain.of(labels.filter(pa.array(written))).numbers


class _CoverSoFar:
    """Labels and what was found about them so far."""

    def __init__(self, labels: pa.Array, domain: Domain) -> None:
        self.labels = labels
        self.domain = domain
        self.owners: list[IntArray] = []
        self.positions: list[IntArray] = []
        self.found = np.zeros(len(labels), dtype=np.bool_)
        self.pending = self.found.copy()

    def open(self) -> IntArray:
        return np.flatnonzero(~self.found)

    def add(self, number: int, positions: NDArray[np.intp]) -> None:
        self.owners.append(np.full(len(positions), number, dtype=np.int64))
        self.positions.append(positions.astype(np.int64))
        self.found[number] = True

    def add_everything(self, chosen: BoolArray) -> None:
        for number in np.flatnonzero(chosen & ~self.found).tolist():
            self.add(number, np.arange(self.domain.size))

    def add_level(self, level: pa.Array) -> None:
        """Add what has a label at a level; labels stay open until `settle`, for other levels."""
        self._add_matches(pc.index_in(level, self.labels))

    def settle(self) -> None:
        self.found |= self.pending

    def add_values(self) -> None:
        """Add the values themselves, by their text, else as numbers: 34 and 34.0 are one."""
        texts = self.domain.texts
        if self.domain.null:
            texts = pa.concat_arrays([texts, pa.nulls(1, texts.type)])
        self.add_level(texts)
        self.settle()
        if self.labels.null_count and not self.domain.null:
            self.found |= self.labels.is_null().to_numpy(zero_copy_only=False)
        chosen = self.open()
        if self.domain.numbers is None or self.domain.dated or not len(chosen):
            return
        rest = self.labels.take(pa.array(chosen))
        written = pc.match_substring_regex(rest, _NUMBER).to_numpy(zero_copy_only=False).astype(np.bool_)
        chosen = chosen[written]
        values = pa.array(_as_floats(rest.filter(pa.array(written))))
        positions = pc.index_in(values, pa.array(self.domain.numbers))
        for number, position in zip(chosen.tolist(), positions.to_pylist(), strict=True):
            if position is not None:
                self.add(number, np.array([position]))

    def cover(self) -> Cover:
        unknown = ~self.found
        self.add_everything(unknown)
        none = np.zeros(0, dtype=np.int64)
        owners, positions = np.concatenate([none, *self.owners]), np.concatenate([none, *self.positions])
        # A value may have a label at several levels.
        keys = np.unique(owners * max(self.domain.size, 1) + positions)
        owners, positions = np.divmod(keys, max(self.domain.size, 1))
        return Cover.of(owners, positions, len(self.labels), unknown)

    def _add_matches(self, numbers: pa.Array) -> None:
        if not len(self.labels):
            return
        owners = numbers.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        known = (owners >= 0) & ~self.found[owners]
        self.owners.append(owners[known])
        self.positions.append(np.flatnonzero(known).astype(np.int64))
        self.pending[owners[known]] = True


def range_of(label: str, *, dated: bool) -> Range | None:
    """Return the numbers, or the days since 1970, from and to which a label covers, if it has such a form.

    Examples
    --------
    >>> range_of("[21, 34]", dated=False).middle, range_of("[1970-01-02, 1970-01-04]", dated=True).middle
    (27.5, 2.0)
    """
    if not dated:
        return read_range(label)
    ends = read_dates(label)
    days = None if ends is None else _days(pa.array(ends))
    return None if days is None else Range(*days.tolist())


def _with_commas(domain: Domain) -> frozenset[str]:
    """Return all values as sets list them, if sets cannot be split at commas; otherwise none."""
    if not pc.any(pc.match_substring(domain.texts, ",")).as_py():
        return frozenset()
    return frozenset((*domain.texts.to_pylist(), *([NULL_IN_SETS] if domain.null else [])))


def _by_form(label: str, domain: Domain, known: frozenset[str]) -> NDArray[np.intp] | None:
    """Return the positions that a label covers by its form, if it has one that fits the domain.

    Parameters
    ----------
    known
        What sets may list, where that has commas.
    """
    if domain.numbers is not None and (span := range_of(label, dated=domain.dated)) is not None:
        # The last day of a range of days belongs to it, at whatever time.
        whole_days = domain.dated and ":" not in label
        return span.positions(np.floor(domain.numbers) if whole_days else domain.numbers)
    members = read_set(label, known)
    if members is not None:
        return _of_members(pa.array(members, pa.string()), domain)
    return read_mask(label, domain.texts) if is_mask(label) else None


def _of_members(members: pa.Array, domain: Domain) -> NDArray[np.intp] | None:
    """Return the positions of the members of a set, if all are known."""
    positions = pc.index_in(members, domain.texts)
    null = pc.and_(pc.equal(members, NULL_IN_SETS), positions.is_null())
    positions = positions.filter(pc.invert(null))
    if positions.null_count:
        return None
    found: NDArray[np.intp] = np.unique(positions.to_numpy(zero_copy_only=False))
    return np.append(found, domain.size - 1) if domain.null and pc.any(null).as_py() else found


def _calendar(texts: pa.Array) -> list[pa.Array]:
    """Return the labels of dates by day, month, quarter, year, decade and week; none of times with a zone."""
    labels: list[pa.Array] = []
    with suppress(HierarchyError):  # their days depend on a zone that is not known
        for units in _UNITS:
            labels += Dates(units).levels(texts).labels[1:-1]
    return labels


def _numbers(texts: pa.Array) -> FloatArray | None:
    """Return texts as numbers; None unless all are, and none is too large for one."""
    written = pc.all(pc.match_substring_regex(texts, _NUMBER)).as_py()
    if not written or pc.any(pc.match_substring_regex(texts, _CODE)).as_py():
        return None
    numbers = _as_floats(texts)
    return numbers if np.isfinite(numbers).all() else None


def _days(texts: pa.Array) -> FloatArray | None:
    """Return texts as days since 1970, times as parts of days; None unless all are dates or times."""
    if not pc.all(pc.match_substring_regex(texts, _DATE)).as_py():
        return None
    found = DateFormat(None).read(pc.utf8_trim_whitespace(texts))
    if not found.known.all() or found.zoned.any() != found.zoned.all():
        return None
    days: FloatArray = (found.seconds - found.offset + found.nanoseconds / 1e9) / _DAY
    return days


def _as_floats(texts: pa.Array) -> FloatArray:
    found: FloatArray = (
        pc.replace_substring_regex(texts, r"^\+", "").cast(pa.float64()).to_numpy(zero_copy_only=False)
    )
    return found
