"""Values that behave alike with respect to another column, grouped.

This is the agglomerative information bottleneck (Slonim and Tishby, NIPS 1999): begin with each value by
itself, and merge again and again the two groups whose merging loses the least of the mutual information
between the column and the target. With n_g rows in group g, of which n_gt have target t, merging a and b
loses

    (h(a) + h(b) - h(a + b)) / n,    h(g) = sum over t of n_gt log n_gt, minus n_g log n_g

which is never negative. Levels are stages of the same merging, so they are nested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchies.arguments import falling_problems, halves, keyed, several
from shoal.describe.hierarchies.listed import Listed
from shoal.describe.hierarchy import (
    ANYTHING,
    ColumnData,
    HierarchyDefaults,
    HierarchyError,
    IntArray,
    Levels,
    as_text,
)
from shoal.errors import InputError

FloatArray = NDArray[np.float64]

MOST_VALUES = 3000
"""Time and memory grow with the square of the number of values."""

_MANY_NUMBERS = 20
_MOST_TARGETS = 50
_BINS = 10
_SAME = 12
"""Losses are compared to that many decimal places: what is equal in theory is equal here."""

_LONGEST_LABEL = 60
_LONGEST_MEMBER = 20
_EXAMPLE = "For example: {target: income, groups: [8, 4, 2]}."


@dataclass(frozen=True, slots=True)
class Clusters(HierarchyDefaults):
    """Level i has `groups[i - 1]` groups of values that are alike in how the target is distributed.

    The groups tell something about the target. Where that is sensitive, they are made from what is to be
    hidden: see the page about them.

    Attributes
    ----------
    target
        The column at which to look. Numbers and dates of more than 20 different values are put into ten
        bins with about as many rows each; of other targets with more than 50 values, the rarer ones count
        as one.
    groups
        How many groups each level has, fewer at each; half as many at each level if not given.
    """

    target: str
    groups: tuple[int, ...] | None = None

    name: ClassVar[str] = "clusters"
    summary: ClassVar[str] = "Groups values of the table by how another column behaves for them."
    parameters: ClassVar[Mapping[str, str]] = {
        "target": "the column at which to look",
        "groups": "how many groups each level has: half as many as the one below",
    }
    examples: ClassVar[tuple[object, ...]] = (
        {"target": "income"},
        {"target": "income", "groups": [4, 2]},
    )
    sample: ClassVar[tuple[object, ...]] = ("clerk", "cook", "farmer", "judge", "nurse", "pilot", "1")

    def __post_init__(self) -> None:
        problems = []
        if not isinstance(self.target, str) or not self.target:
            found = f"Found: {self.target!r}.\n" if self.target else ""
            problems.append(f"clusters needs the name of a target column.\n{found}{_EXAMPLE}")
        if self.groups is not None:
            object.__setattr__(self, "groups", several(self.groups))
            problems += falling_problems("clusters", "The groups", self.groups, _EXAMPLE, least=2)
        if problems:
            raise InputError(problems)

    def levels(self, values: pa.Array) -> Levels:
        raise HierarchyError(
            "clusters are made from the table, and there is none here.\n"
            "Anonymize with them, or make a file of them with `shoal hierarchy build`."
        )

    def fit(self, column: ColumnData) -> Listed:
        text = as_text(column.values)
        if len(text) > MOST_VALUES:
            raise HierarchyError(
                f"clusters are made of at most {MOST_VALUES:,} values.\nFound: {len(text):,}.\n"
                "Make fewer first: in a spec, `[{mask: [3]}, {clusters: ...}]` clusters what mask leaves."
            )
        if column.target_values is None or column.by_target is None:
            raise HierarchyError(f"clusters look at column {self.target!r}, and nothing is known of it here.")
        # By value, so that neither ties nor rounding depend on the order of the rows.
        places = pc.sort_indices(text)
        members = text.take(places).to_pylist()
        counts = _binned(column.by_target, column.target_values)[places.to_numpy()]
        groups = halves(len(members), least=2) if self.groups is None else self.groups
        levels = [pa.array(members, pa.string())]
        named = _Names(members)
        for stage in stages_of(counts, groups):
            label_of = {
                place: label for group in stage for label in [named.label(tuple(group))] for place in group
            }
            levels.append(pa.array([label_of[place] for place in range(len(members))], pa.string()))
        return Listed(
            (*levels, pa.repeat(ANYTHING, len(members))), f"the hierarchy made from column {self.target!r}"
        )

    def to_spec(self) -> object:
        groups = {} if self.groups is None else {"groups": list(self.groups)}
        return {"clusters": {"target": self.target, **groups}}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        if isinstance(argument, Mapping):
            return cls(**{"target": None, **keyed("clusters", argument, list(cls.parameters))})
        return cls(argument)  # type: ignore[arg-type]  # the constructor checks it


def clusters(target: str, groups: Sequence[int] | None = None) -> Clusters:
    """Group values by how another column behaves for them.

    Parameters
    ----------
    target
        The column at which to look.
    groups
        How many groups each level has; half as many at each level if not given.

    Examples
    --------
    >>> by_income = ColumnData(
    ...     values=pa.array(["clerk", "cook", "judge", "pilot"]),
    ...     counts=np.array([10, 10, 10, 10]),
    ...     target_values=pa.array(["high", "low"]),
    ...     by_target=np.array([[2, 8], [1, 9], [9, 1], [8, 2]]),
    ... )
    >>> made = clusters("income", groups=[2]).fit(by_income)
    >>> made.levels(pa.array(["cook", "judge"])).labels[1].to_pylist()
    ['{clerk, cook}', '{judge, pilot}']
    """
    return Clusters(target, groups)  # type: ignore[arg-type]  # the constructor makes a tuple of it


def stages_of(counts: IntArray, groups: Sequence[int]) -> list[list[list[int]]]:
    """Merge rows of counts until as many are left as each of `groups` says, and return who is together then.

    Of equal losses, the one of the first group counts, then that of the first other; a group is where its
    first member is.

    Examples
    --------
    >>> stages_of(np.array([[2, 8], [1, 9], [9, 1], [8, 2]]), [3, 2])
    [[[0, 1], [2], [3]], [[0, 1], [2, 3]]]
    """
    size = len(counts)
    merging = _Merging(counts.astype(np.float64))
    stages = []
    for wanted in groups:
        while size > wanted:
            merging.merge()
            size -= 1
        stages.append(merging.together())
    return stages


class _Merging:
    """Groups, what merging each pair of them would lose, and for each its cheapest partner behind it."""

    def __init__(self, joint: FloatArray) -> None:
        size = len(joint)
        self.joint = joint
        self.rows = max(joint.sum(), 1.0)
        self.information = _information(joint)
        self.members = [[place] for place in range(size)]
        self.alive = np.ones(size, dtype=bool)
        self.losses = np.full((size, size), np.inf)
        for place in range(size - 1):
            behind = np.arange(place + 1, size)
            self.losses[place, behind] = self._losses_with(place, behind)
        self.partner = np.zeros(size, dtype=np.int64)
        self.cheapest = np.full(size, np.inf)
        for place in range(size):
            self._look_again(place)

    def together(self) -> list[list[int]]:
        return [sorted(self.members[place]) for place in np.flatnonzero(self.alive)]

    def merge(self) -> None:
        """Merge the pair that loses the least."""
        first = int(self.cheapest.argmin())
        second = int(self.partner[first])
        self.members[first] += self.members[second]
        self.joint[first] += self.joint[second]
        self.information[first] = _information(self.joint[first : first + 1])[0]
        self.alive[second] = False
        self.losses[second, :] = np.inf
        self.losses[:, second] = np.inf
        self.cheapest[second] = np.inf
        others = np.flatnonzero(self.alive)
        before, behind = others[others < first], others[others > first]
        self.losses[first, behind] = self._losses_with(first, behind)
        self.losses[before, first] = new = self._losses_with(first, before)
        better = (new < self.cheapest[before]) | (
            (new == self.cheapest[before]) & (first <= self.partner[before])
        )
        self.partner[before[better]] = first
        self.cheapest[before[better]] = new[better]
        lost = (self.partner == first) | (self.partner == second)
        lost[before[better]] = False
        lost[first] = True
        for place in np.flatnonzero(lost & self.alive):
            self._look_again(int(place))

    def _look_again(self, place: int) -> None:
        self.partner[place] = self.losses[place].argmin()
        self.cheapest[place] = self.losses[place, self.partner[place]]

    def _losses_with(self, place: int, others: IntArray) -> FloatArray:
        merged = _information(self.joint[others] + self.joint[place])
        lost = (self.information[others] + self.information[place] - merged) / self.rows
        rounded: FloatArray = np.round(lost, _SAME)
        return rounded


def _information(joint: FloatArray) -> FloatArray:
    """Return h of each group, as in the formula above."""
    totals = joint.sum(axis=1)
    found: FloatArray = (joint * np.log(np.maximum(joint, 1))).sum(axis=1) - totals * np.log(
        np.maximum(totals, 1)
    )
    return found


def _binned(by_target: IntArray, targets: pa.Array) -> IntArray:
    """Return the counts for fewer targets, in an order that is theirs alone."""
    text = as_text(targets)
    numbers = _numbers(targets)
    # NULL is a target like any other, and stays apart.
    if numbers is not None and len(targets) - targets.null_count > _MANY_NUMBERS:
        order = pc.sort_indices(
            pa.table({"number": numbers, "text": text}),
            sort_keys=[("number", "ascending"), ("text", "ascending")],
        ).to_numpy()
        rows = by_target.sum(axis=0)[order]
        nulls = targets.is_null().to_numpy(zero_copy_only=False)[order]
        rows[nulls] = 0
        middles = 2 * np.cumsum(rows) - rows
        bins = middles * _BINS // max(2 * int(rows.sum()), 1)
        bins[nulls] = _BINS
        bin_of = np.empty(len(order), dtype=np.int64)
        bin_of[order] = bins
        return _summed(by_target, bin_of, _BINS + 1)
    order = pc.sort_indices(text).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    by_count = order[np.argsort(-by_target.sum(axis=0)[order], kind="stable")]
    rank[by_count] = np.arange(len(order))
    return _summed(by_target, np.minimum(rank, _MOST_TARGETS), min(len(order), _MOST_TARGETS + 1))


def _summed(by_target: IntArray, bin_of: IntArray, bins: int) -> IntArray:
    counts = np.zeros((bins, len(by_target)), dtype=np.int64)
    np.add.at(counts, bin_of, by_target.T)
    return counts.T


def _numbers(targets: pa.Array) -> pa.Array | None:
    """Return targets as numbers if all of them are some, or dates; also where they are text."""
    kind = targets.type
    try:
        if pa.types.is_temporal(kind):
            return targets.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
        if pa.types.is_boolean(kind):
            return None
        return targets.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


class _Names:
    """Labels for groups of members: no two groups have the same, and no group has that of a value."""

    def __init__(self, members: Sequence[str]) -> None:
        self.members = members
        self.taken: dict[str, tuple[int, ...]] = {member: (place,) for place, member in enumerate(members)}

    def label(self, group: tuple[int, ...]) -> str:
        """Return the label of a group by its members, which for a single one is its own.

        Examples
        --------
        >>> names = _Names(["a", "b", "{a, b}"])
        >>> names.label((0, 1)), names.label((2,))
        ('{a, b} (2)', '{a, b}')
        """
        if len(group) == 1:
            return self.members[group[0]]
        written = self._written(group)
        label, number = written, 1
        while self.taken.setdefault(label, group) != group:
            number += 1
            label = f"{written} ({number})"
        return label

    def _written(self, group: tuple[int, ...]) -> str:
        texts = [self.members[place] for place in group]
        whole = f"{{{', '.join(texts)}}}"
        if len(whole) <= _LONGEST_LABEL:
            return whole
        shown: list[str] = []
        for text in texts:
            short = text if len(text) <= _LONGEST_MEMBER else f"{text[: _LONGEST_MEMBER - 3]}..."
            if shown and len(", ".join([*shown, short])) > _LONGEST_LABEL - 20:
                break
            shown.append(short)
        more = len(texts) - len(shown)
        return f"{{{', '.join(shown)}{f' and {more:,} more' if more else ''}}}"
