"""Chains of hierarchies: each generalizes the labels of the one before.

In a spec a chain is a list: `hierarchy: [{mask: [3]}, {taxonomy: {North: ["100", "101"], South: ["900"]}}]`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchies.suppress import Suppress
from shoal.describe.hierarchy import (
    ANYTHING,
    ColumnData,
    FromData,
    FromFile,
    Generalizing,
    Hierarchy,
    HierarchyDefaults,
    HierarchyError,
    Levels,
    LevelsFromValues,
    MayBecome,
    codes_of,
    known,
)
from shoal.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class Linked:
    """The levels of the first hierarchy, above them those of the second over its labels, and so on.

    The top `*` of each but the last is dropped. The levels are nested because each hierarchy is.
    """

    links: tuple[Generalizing, ...]

    def levels(self, values: pa.Array) -> Levels:
        levels = self.links[0].levels(values)
        for number, link in enumerate(self.links[1:], start=2):
            levels = _above(_without_top(levels), link, number)
        return levels

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        there = known(self.links[0], values).to_numpy(zero_copy_only=False)
        for number, link in enumerate(self.links[1:], start=1):
            below = Linked(self.links[:number]).levels(values.filter(pa.array(there)))
            labels = _without_top(below).labels[-1]
            distinct = labels.unique()
            fits = pc.is_in(labels, distinct.filter(known(link, distinct)))
            there = there.copy()
            there[there] = fits.to_numpy(zero_copy_only=False)
        return pa.array(there)


@dataclass(frozen=True, slots=True)
class Chain:
    """Hierarchies of which each generalizes the labels of the one before.

    Attributes
    ----------
    parts
        From the bottom up; a chain among them is replaced by its parts.
    """

    parts: tuple[Hierarchy, ...]

    def __post_init__(self) -> None:
        flat: list[Hierarchy] = []
        for part in self.parts:
            flat += part.parts if isinstance(part, Chain) else [part]
        object.__setattr__(self, "parts", tuple(flat))
        problems = [
            f"Part {number} of a chain is not a hierarchy.\nFound: {part!r}."
            for number, part in enumerate(flat, start=1)
            if isinstance(part, type) or not isinstance(part, Hierarchy)
        ]
        if not flat:
            problems.append("A chain needs at least one hierarchy.\nFor example: chain(mask(3), suppress()).")
        targets = {part.target for part in flat if isinstance(part, FromData)} - {None}
        if len(targets) > 1:
            problems.append(
                f"The parts of a chain can have one target column only.\n"
                f"Found: {', '.join(sorted(map(str, targets)))}."
            )
        if problems:
            raise InputError(problems)

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(file for part in self.parts if isinstance(part, FromFile) for file in part.files)

    @property
    def steady(self) -> bool:
        return all(isinstance(part, HierarchyDefaults) and part.steady for part in self.parts)

    def levels(self, values: pa.Array) -> Levels:
        return Linked(self.parts).levels(values)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return Linked(self.parts).knows(values)

    def fixed(self, values: pa.Array, level: int) -> tuple[Hierarchy, int]:
        if level == 0 or not any(isinstance(part, LevelsFromValues) for part in self.parts):
            return self, level
        parts: list[Hierarchy] = []
        below = 0
        for number, part in enumerate(self.parts, start=1):
            levels = part.levels(values)
            own = levels if number == len(self.parts) else _without_top(levels)
            here = min(level, len(own.labels) - 1)
            level -= here
            fixed = part
            if isinstance(part, LevelsFromValues):
                # A part without a level here would have some for longer values.
                fixed, here = part.fixed(values, here) if here else (Suppress(), 0)
            parts.append(fixed)
            below += here
            if not level:
                break
            values = own.labels[-1].unique()
        # The parts above cover only the labels of this part's last level, which may no longer exist.
        return (parts[0] if len(parts) == 1 else Chain(tuple(parts))), below

    def may_become(self, stated: Hierarchy) -> bool:
        parts = stated.parts if isinstance(stated, Chain) else (stated,)
        pairs = zip(self.parts, parts, strict=False)
        return len(parts) <= len(self.parts) and all(
            part == own
            or (isinstance(own, LevelsFromValues) and isinstance(part, Suppress))
            or (isinstance(own, MayBecome) and own.may_become(part))
            for own, part in pairs
        )

    def to_spec(self) -> object:
        return [part.to_spec() for part in self.parts]


@dataclass(frozen=True, slots=True)
class ChainFromData(Chain):
    """A chain with a part that is built from the table, or from the labels of the parts below."""

    @property
    def target(self) -> str | None:
        targets = (part.target for part in self.parts if isinstance(part, FromData))
        return next((target for target in targets if target is not None), None)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        # The parts above a part that is yet to be built cannot be checked yet.
        first = next(index for index, part in enumerate(self.parts) if isinstance(part, FromData))
        return Linked(self.parts[: first + 1]).knows(values)

    def fit(self, column: ColumnData) -> Linked:
        links: list[Generalizing] = []
        for number, part in enumerate(self.parts, start=1):
            if number > 1:
                column = _labels_of(links[-1], column)
            try:
                links.append(part.fit(column) if isinstance(part, FromData) else part)
            except HierarchyError as error:
                raise _of_part(number, error) from None
        return Linked(tuple(links))


def chain(*parts: Hierarchy) -> Chain:
    """Generalize by one hierarchy, then its labels by the next, and so on.

    Parameters
    ----------
    *parts
        From the bottom up. The top `*` of each but the last is dropped.

    Examples
    --------
    >>> from shoal.describe.hierarchies.mask import mask
    >>> from shoal.describe.hierarchies.taxonomy import taxonomy
    >>> regions = chain(mask(2, character=""), taxonomy({"Wisconsin": ["53", "54"], "California": ["90"]}))
    >>> [labels[0].as_py() for labels in regions.levels(pa.array(["53715", "90210"])).labels]
    ['53715', '53', 'Wisconsin', '*']
    """
    from_data = any(isinstance(part, FromData) for part in parts)
    return ChainFromData(parts) if from_data else Chain(parts)


def _without_top(levels: Levels) -> Levels:
    if len(levels.labels) == 1 or not pc.all(pc.equal(levels.labels[-1], ANYTHING), min_count=0).as_py():
        return levels
    return replace(levels, labels=levels.labels[:-1], leaves=levels.leaves[:-1])


def _above(levels: Levels, link: Generalizing, number: int) -> Levels:
    """Put the levels of a hierarchy for the topmost labels above them."""
    codes = codes_of(levels.labels[-1])
    distinct = levels.labels[-1].unique()
    try:
        upper = link.levels(distinct)
    except HierarchyError as error:
        raise _of_part(number, error) from None
    under = np.zeros(len(distinct), dtype=np.int64)
    under[codes] = levels.leaves[-1]
    labels, leaves = list(levels.labels), list(levels.leaves)
    for label, covered in zip(upper.labels[1:], upper.leaves[1:], strict=True):
        groups = codes_of(label)
        sums = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(sums, groups, under)
        # A label that covers the whole upper hierarchy also covers the leaves without a value here.
        leaves.append(np.where(covered == upper.total, levels.total, sums[groups])[codes])
        labels.append(label.take(pa.array(codes)))
    notes = (*levels.notes, *upper.notes)
    return replace(levels, labels=tuple(labels), leaves=tuple(leaves), notes=notes)


def _labels_of(link: Generalizing, column: ColumnData) -> ColumnData:
    """Return the labels of a column under a hierarchy, with the frequency of each."""
    there = known(link, column.values)
    rows = np.flatnonzero(there.to_numpy(zero_copy_only=False))
    labels = _without_top(link.levels(column.values.filter(there))).labels[-1]
    codes = codes_of(labels)
    distinct = labels.unique()
    counts = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(counts, codes, column.counts[rows])
    by_target = None
    if column.by_target is not None:
        by_target = np.zeros((len(distinct), column.by_target.shape[1]), dtype=np.int64)
        np.add.at(by_target, codes, column.by_target[rows])
    return ColumnData(distinct, counts, column.target_values, by_target)


def _of_part(number: int, error: HierarchyError) -> HierarchyError:
    return HierarchyError(
        Problem(f"in part {number} of its chain, {problem.message}", problem.values)
        for problem in error.problems
    )
