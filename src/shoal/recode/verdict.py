"""What becomes of the classes of a node: which are released, and what is lost with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.column import CodedColumn, count
from shoal.encode.table import CodedTable
from shoal.privacy.classes import Classes
from shoal.privacy.judge import passing
from shoal.privacy.model import PrivacyModel

IntArray = NDArray[np.int64]
Numbers = NDArray[np.uint32]
"""A label's number per entry."""


@dataclass(frozen=True)
class Verdict:
    """The classes of a node, judged by the models.

    Attributes
    ----------
    coded
        The table, or the frequency set, whose entries were grouped.
    levels
        The node.
    numbers
        For each quasi-identifier, the number of each entry's label at its level.
    kept
        For each class, whether it is released.
    """

    coded: CodedTable
    levels: tuple[int, ...]
    numbers: tuple[Numbers, ...]
    classes: Classes
    kept: NDArray[np.bool_]

    @classmethod
    def of(cls, coded: CodedTable, levels: Sequence[int], models: Sequence[PrivacyModel]) -> Verdict:
        """Group the entries of a table at a node; a class is kept when all models hold."""
        chosen = list(zip(coded.columns, levels, strict=True))
        numbers = tuple(_numbers(column, level, column.codes) for column, level in chosen)
        classes = _classes(coded, chosen, numbers)
        return cls(coded, tuple(levels), numbers, classes, passing(models, classes))

    @cached_property
    def entries_kept(self) -> NDArray[np.bool_]:
        """For each entry, whether it is released."""
        return self.kept[self.classes.of_rows]

    @property
    def suppressed_rows(self) -> int:
        return int(self.classes.sizes[~self.kept].sum())

    @property
    def class_sizes(self) -> dict[int, int]:
        """For each size that occurs, the number of released classes of that many rows."""
        sizes = self.classes.sizes
        found, counts = np.unique(sizes[self.kept & (sizes > 0)], return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))

    @cached_property
    def lost(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, how many suppressed rows had each label of its level."""
        gone = ~self.entries_kept
        weights = None if self.coded.weights is None else self.coded.weights[gone]
        return tuple(
            count(number[gone], len(column.labels[level]), weights)
            for column, level, number in zip(self.coded.columns, self.levels, self.numbers, strict=True)
        )

    def released_classes(self) -> tuple[tuple[Numbers, ...], IntArray]:
        """For each quasi-identifier, the number of the label of every released class; and their rows."""
        entry = np.zeros(len(self.kept), dtype=np.int64)
        # Of each class the entry that is written last stays: any one tells its labels.
        entry[self.classes.of_rows] = np.arange(len(self.classes.of_rows))
        chosen = np.flatnonzero(self.kept & (self.classes.sizes > 0))
        return tuple(number[entry[chosen]] for number in self.numbers), self.classes.sizes[chosen]

    def suppressed_classes(self) -> tuple[Numbers, ...]:
        """For each quasi-identifier, the number of the label of every suppressed class."""
        gone = np.flatnonzero(~self.entries_kept)
        # One entry of each class tells its labels.
        _, first = np.unique(self.classes.of_rows[gone], return_index=True)
        return tuple(number[gone[first]] for number in self.numbers)


def _numbers(column: CodedColumn, level: int, codes: Numbers) -> Numbers:
    return codes if level == 0 else column.maps[level][codes]


def _classes(
    coded: CodedTable, chosen: Sequence[tuple[CodedColumn, int]], numbers: Sequence[Numbers]
) -> Classes:
    """Group the entries of the table, and the rows of its populations, that have the same labels."""
    if coded.populations:
        numbers = [
            np.concatenate(
                [number, *(_numbers(column, level, other.codes[i]) for other in coded.populations.values())]
            )
            for i, ((column, level), number) in enumerate(zip(chosen, numbers, strict=True))
        ]
    class_of, sizes = _kernel.index_rows(numbers, [len(column.labels[level]) for column, level in chosen])
    of_population, start = {}, coded.entries
    for key, other in coded.populations.items():
        of_population[key] = class_of[start : start + other.rows]
        start += other.rows
    classes = Classes(coded, class_of[: coded.entries], len(sizes), of_population)
    if not coded.populations and coded.weights is None:
        classes.sizes = sizes.astype(np.int64)  # known already, so that the rows need not be counted again
    return classes
