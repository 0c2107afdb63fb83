"""Groups of values with similar distributions of another column.

This is the agglomerative information bottleneck (Slonim and Tishby, NIPS 1999): start with each value as a
group, and repeatedly merge the two groups whose merging loses the least of the mutual information
between the column and the target. With n_g rows in group g, of which n_gt have target t, merging a and b
loses

    (h(a) + h(b) - h(a + b)) / n,    h(g) = sum over t of n_gt log n_gt, minus n_g log n_g

which is never negative. Levels are stages of the same process, so they are nested.
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
from shoal.describe.hierarchies.listed_values import Listed
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
"""Losses are compared to this many decimals, so that losses equal in theory are equal here."""

_LONGEST_LABEL = 60
_LONGEST_MEMBER = 20
_EXAMPLE = "For example: {target: income, groups: [8, 4, 2]}."


@dataclass(frozen=True, slots=True)
class Clusters(HierarchyDefaults):
    """Level i has `groups[i - 1]` groups of values with similar distributions of the target.

    The groups reveal something about the target. If the target is sensitive, they are built from the values
    that the release protects: see the page about them.

    Attributes
    ----------
    target
        The column to compare by. Numbers and dates with more than 20 different values are put into ten
        bins of about equal size; of other targets with more than 50 values, the rarer ones count as one.
    groups
        Number of groups of each level, fewer at each. Default: half as many as the level below.
    """

    target: str
    groups: tuple[int, ...] | None = None

    name: ClassVar[str] = "clusters"
    summary: ClassVar[str] = "Groups values of the table that have similar distributions of another column."
    parameters: ClassVar[Mapping[str, str]] = {
        "target": "the column to compare by",
        "groups": "number of groups of each level; default: half as many as the level below",
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
            "clusters are built from a table, and there is none here.\n"
            "Use them with `shoal anonymize`, or write them to a file with `shoal hierarchy build`."
        )

    def fit(self, column: ColumnData) -> Listed:
        text = as_text(column.values)
        if len(text) > MOST_VALUES:
            raise HierarchyError(
                f"clusters support at most {MOST_VALUES:,} values.\nFound: {len(text):,}.\n"
                "Reduce them first: in a spec, `[{mask: [3]}, {clusters: ...}]` clusters the masked values."
            )
        if column.target_values is None or column.by_target is None:
            raise HierarchyError(
                f"clusters need the target column {self.target!r}, which is not available here."
            )
        # Sorted by value, so that neither ties nor rounding depend on the order of the rows.
        indices = pc.sort_indices(text)
        members = text.take(indices).to_pylist()
        counts = _binned(column.by_target, column.target_values)[indices.to_numpy()]
        groups = halves(len(members), least=2) if self.groups is None else self.groups
        levels = [pa.array(members, pa.string())]
        named = _Names(members)
        for stage in stages_of(counts, groups):
            label_of = {
                member: label for group in stage for label in [named.label(tuple(group))] for member in group
            }
            levels.append(pa.array([label_of[member] for member in range(len(members))], pa.string()))
        return Listed(
            (*levels, pa.repeat(ANYTHING, len(members))), f"the hierarchy built from column {self.target!r}"
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
    """Group values with similar distributions of another column.

    Parameters
    ----------
    target
        The column to compare by.
    groups
        Number of groups of each level. Default: half as many as the level below.

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
    """Merge rows of counts down to each number in `groups`, and return the members of the groups each time.

    Of equal losses, the pair with the first group is merged, then the pair with the first partner. The
    position of a group is that of its first member.

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
    """Groups, the loss of merging each pair, and the cheapest later partner of each group."""

    def __init__(self, joint: FloatArray) -> None:
        size = len(joint)
        self.joint = joint
        self.rows = max(joint.sum(), 1.0)
        self.information = _information(joint)
        self.members = [[group] for group in range(size)]
        self.alive = np.ones(size, dtype=bool)
        self.losses = np.full((size, size), np.inf)
        for group in range(size - 1):
            behind = np.arange(group + 1, size)
            self.losses[group, behind] = self._losses_with(group, behind)
        self.partner = np.zeros(size, dtype=np.int64)
        self.cheapest = np.full(size, np.inf)
        for group in range(size):
            self._find_partner(group)

    def together(self) -> list[list[int]]:
        return [sorted(self.members[group]) for group in np.flatnonzero(self.alive)]

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
        for group in np.flatnonzero(lost & self.alive):
            self._find_partner(int(group))

    def _find_partner(self, group: int) -> None:
        self.partner[group] = self.losses[group].argmin()
        self.cheapest[group] = self.losses[group, self.partner[group]]

    def _losses_with(self, group: int, others: IntArray) -> FloatArray:
        merged = _information(self.joint[others] + self.joint[group])
        lost = (self.information[others] + self.information[group] - merged) / self.rows
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
    """Return the counts for fewer targets, in an order that depends on the targets alone."""
    text = as_text(targets)
    numbers = _numbers(targets)
    # NULL is a target of its own.
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
    """Return targets as numbers if all of them are numbers or dates, even as text; else None."""
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
    """Labels for groups of members: different for each group, and different from all values."""

    def __init__(self, members: Sequence[str]) -> None:
        self.members = members
        self.taken: dict[str, tuple[int, ...]] = {member: (index,) for index, member in enumerate(members)}

    def label(self, group: tuple[int, ...]) -> str:
        """Return the label of a group by its members; a single member is its own label.

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
        texts = [self.members[index] for index in group]
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
