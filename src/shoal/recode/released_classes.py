"""What becomes of the classes of a recoded table: which are released, and what is lost with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal import _kernel
from shoal.describe.hierarchy import ANYTHING, as_text
from shoal.encode.cells import Cells
from shoal.encode.table import CodedTable
from shoal.errors import InfeasibleError
from shoal.exact_counts import count
from shoal.measure.measure import Node
from shoal.privacy.classes import Classes
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import passing
from shoal.read.types import narrowest
from shoal.recode.recoding import LabelsOfReleased, Recoding
from shoal.recode.shared_people import shared_classes
from shoal.recode.starred_class import star_classes

IntArray = NDArray[np.int64]
Numbers = NDArray[np.uint32]
"""A label's number per entry."""


@dataclass(frozen=True)
class Verdict:
    """The classes of a recoded table, judged by the models.

    Attributes
    ----------
    coded
        The table, or the frequency set, whose entries were grouped.
    recoding
        How its values become labels.
    cells
        For each quasi-identifier, the labels, and the number of each entry's label.
    kept
        For each class, whether it is released with its labels.
    starred
        Whether the rows of the other classes are released too, with `*` for every label.
    stars_pass
        Whether these rows, which readers see as a class, pass all models.
    """

    coded: CodedTable
    recoding: Recoding
    cells: tuple[Cells, ...]
    classes: Classes
    kept: NDArray[np.bool_]
    starred: bool = False
    stars_pass: bool = True

    @classmethod
    def of(
        cls,
        coded: CodedTable,
        recoding: Recoding,
        models: Sequence[PrivacyModel],
        *,
        star: int | None = None,
    ) -> Verdict:
        """Recode the entries of a table and group them; a class is kept when all models hold.

        Parameters
        ----------
        star
            The most rows that may be starred; None where suppressed rows are removed. If the starred rows
            fail as a class, more are starred with them (`stars.py`).
        """
        cells = recoding.cells(coded)
        classes = _classes(coded, cells)
        if recoding.levels is None:
            # Where columns have levels, nobody is under the labels of two classes.
            starred = star is not None and all(model.suppressible for model in models)
            classes.find_shared = partial(shared_classes, classes, cells, starred=starred)
        verdict = cls(coded, recoding, cells, classes, passing(models, classes), starred=star is not None)
        if star is None:
            return verdict._showing_released()
        while True:
            kept, passes = verdict._star(models, star)
            verdict = replace(verdict, kept=kept, stars_pass=passes)
            shown = verdict._showing_released()
            # Rows whose labels are no longer all `*` have left the starred ones.
            if (shown._alike == verdict._alike).all():
                return shown
            verdict = shown

    def _showing_released(self) -> Verdict:
        """Return the same classes with labels that show nothing of suppressed rows.

        With a population labels cover the values of all its people, whoever is suppressed, and have to:
        it is compared by them.
        """
        recoding = self.recoding
        if not isinstance(recoding, LabelsOfReleased) or self.coded.populations or self.entries_kept.all():
            return self
        shown = recoding.of_released(self.coded, self.entries_kept)
        return replace(self, recoding=shown, cells=shown.cells(self.coded))

    def stars_pass_by(self, models: Sequence[PrivacyModel], *, limit: int) -> bool:
        """Return whether the rows that are not kept pass as a class, with more of them up to a limit."""
        return self._star(models, limit)[1]

    def require_hidden(self, models: Sequence[PrivacyModel]) -> None:
        """Raise if the removed rows tell who is in the table, where a model is about that.

        Everybody sees how many they are, and which people of a population no released class covers.

        Raises
        ------
        InfeasibleError
            Names the model, with counts.
        """
        for model in models:
            if model.hides_removed and not self.stars_pass_by([model], limit=self.suppressed_rows):
                raise InfeasibleError(
                    f"The removed rows do not satisfy {model.describe()}: everybody sees how many they are, "
                    "and whom of the population no released class covers.\n"
                    f"Found: {self.suppressed_rows:,} removed rows.\n"
                    "Use suppressed: star, which takes that into account, or allow no suppression."
                )

    def _star(self, models: Sequence[PrivacyModel], limit: int) -> tuple[NDArray[np.bool_], bool]:
        return star_classes(
            models, self.classes, self.kept, labels=self._positions, alike=self._alike, limit=limit
        )

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
        sizes = self.seen.sizes
        found, counts = np.unique(sizes[sizes > 0], return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))

    @cached_property
    def seen(self) -> Classes:
        """The classes as readers of the release see them: the starred rows are one of them.

        A class without rows is none that they see.
        """
        kept = np.flatnonzero(self.entries_kept)
        of_rows = self.classes.of_rows.astype(np.int64)
        if not self.starred or len(kept) == len(of_rows):
            return Classes(self.coded, of_rows[kept], self.classes.count, rows=kept)
        starred = ~self.kept | self._alike
        return Classes(
            self.coded, np.where(starred[of_rows], self.classes.count, of_rows), self.classes.count + 1
        )

    @cached_property
    def lost(self) -> tuple[IntArray, ...]:
        """For each quasi-identifier, how many suppressed rows had each of its labels."""
        gone = ~self.entries_kept
        weights = None if self.coded.weights is None else self.coded.weights[gone]
        return tuple(count(cells.numbers[gone], len(cells.labels), weights) for cells in self.cells)

    def as_node(self, k: int | None = None) -> Node:
        """Return the classes for a measure to score; `k` is the class size that every model needs."""
        there = np.flatnonzero(self.classes.sizes)
        numbers = (label[there].tolist() for label in self._labels)
        return Node(
            self.coded,
            self.recoding.node,
            list(zip(*numbers, strict=True)),
            self.classes.sizes[there].tolist(),
            self.kept[there].tolist(),
            k,
            self.cells,
        )

    def released_classes(self) -> tuple[tuple[Numbers, ...], IntArray]:
        """For each quasi-identifier, the number of the label of every released class; and their rows."""
        chosen = np.flatnonzero(self.kept & (self.classes.sizes > 0))
        return tuple(label[chosen] for label in self._labels), self.classes.sizes[chosen]

    def suppressed_classes(self) -> tuple[Numbers, ...]:
        """For each quasi-identifier, the number of the label of every suppressed class."""
        gone = np.flatnonzero(~self.entries_kept)
        # One entry of each class tells its labels.
        _, first = np.unique(self.classes.of_rows[gone], return_index=True)
        return tuple(cells.numbers[gone[first]] for cells in self.cells)

    def released_labels(self, position: int, *, typed: bool) -> pa.Array:
        """Return the labels of a quasi-identifier that released rows have.

        Parameters
        ----------
        position
            The number of the quasi-identifier.
        typed
            Whether its type was found out from the values of all rows. Decimal places and fractions of a
            second are then those that these labels need.
        """
        labels = self.cells[position].labels
        released = labels.take(pa.array(np.flatnonzero(self._used(position))))
        return narrowest(released) if typed else released

    def label_texts(self, position: int, *, typed: bool) -> pa.Array:
        """Return the same as text, which they are where rows are starred, in the positions of all labels.

        Labels that only suppressed rows have are NULL.
        """
        used = self._used(position)
        texts = as_text(self.released_labels(position, typed=typed))
        return texts.take(pa.array(np.cumsum(used) - 1, mask=~used))

    def _used(self, position: int) -> NDArray[np.bool_]:
        """Return for each label of a quasi-identifier whether a released row has it."""
        used = np.zeros(len(self.cells[position].labels), dtype=bool)
        used[self.cells[position].numbers[self.entries_kept]] = True
        return used

    @cached_property
    def _labels(self) -> tuple[Numbers, ...]:
        """For each quasi-identifier, the number of the label of every class that has an entry."""
        if not len(self.classes.of_rows):
            return tuple(np.zeros(len(self.kept), dtype=np.uint32) for _ in self.cells)
        entry = np.zeros(len(self.kept), dtype=np.int64)
        # Of each class the entry that is written last stays: any one tells its labels.
        entry[self.classes.of_rows] = np.arange(len(self.classes.of_rows))
        return tuple(cells.numbers[entry] for cells in self.cells)

    @cached_property
    def _positions(self) -> tuple[Numbers, ...]:
        """For each quasi-identifier, the position of every class's label when all labels are sorted.

        The numbers of labels come from the order of the input's rows, which nothing released may show.
        """
        positions = []
        for cells, label in zip(self.cells, self._labels, strict=True):
            order = pc.array_sort_indices(cells.labels, null_placement="at_end").to_numpy()
            position = np.empty(len(order), dtype=np.uint32)
            position[order] = np.arange(len(order))
            positions.append(position[label])
        return tuple(positions)

    @cached_property
    def _alike(self) -> NDArray[np.bool_]:
        """For each class, whether its labels are all `*`, as those of starred rows are."""
        alike = self.classes.sizes > 0
        for cells, label in zip(self.cells, self._labels, strict=True):
            if not pa.types.is_string(cells.labels.type):
                return np.zeros(len(alike), dtype=bool)
            stars = pc.equal(cells.labels, ANYTHING).fill_null(False)
            alike &= stars.to_numpy(zero_copy_only=False)[label]
        return alike


def _classes(coded: CodedTable, cells: Sequence[Cells]) -> Classes:
    """Group the entries of the table, and the rows of its populations, that have the same labels."""
    numbers = [column.numbers for column in cells]
    if coded.populations:
        numbers = [
            np.concatenate([column.numbers, *(column.of_population[key] for key in coded.populations)])
            for column in cells
        ]
    found = _kernel.index_rows(numbers, [len(column.labels) for column in cells])
    class_of = found.tuple_of_row
    of_population, start = {}, coded.entries
    for key, other in coded.populations.items():
        of_population[key] = class_of[start : start + other.rows]
        start += other.rows
    classes = Classes(coded, class_of[: coded.entries], len(found), of_population)
    if not coded.populations and coded.weights is None:
        # Known already, so that the rows need not be counted again.
        classes.sizes = found.rows_of_tuple.astype(np.int64)
    return classes
