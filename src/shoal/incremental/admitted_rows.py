"""Which rows an extended release gets: those whose class in the difference satisfies by itself.

Whoever has both releases sees their difference. So somebody who is known to be new hides among the new rows
of a class alone, and somebody who was suppressed before among what is added to it now. What is added to a
class must therefore satisfy the models as a class of its own, or wait. What was published stays.

Rows that were suppressed before come back with the new ones of their class, but only where they were too few
at the time. Where they were enough and their sensitive values were at fault, whoever knows that somebody was
among them would know that these values failed: such rows stay out.

References
----------
J.-W. Byun, Y. Sohn, E. Bertino, N. Li, "Secure anonymization for incremental datasets", SDM 2006: releases
of a growing table, compared class by class, and rows that wait until enough like them have come.
J. Pei, J. Xu, Z. Wang, W. Wang, K. Wang, "Maintaining k-anonymity against incremental updates", SSDBM 2007.
X. Xiao, Y. Tao, "m-invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007:
deletions and updates too, which need more than is done here.
B. Fung, K. Wang, A. Fu, J. Pei, "Anonymity for continuous data publishing", EDBT 2008: what can be told apart
by whoever knows when somebody came.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.describe.hierarchies.suppress import Suppress
from shoal.describe.roles import QuasiIdentifier
from shoal.encode.table import CodedTable, code_table
from shoal.errors import InputError
from shoal.incremental.extended_rows import ExtendedRows, numbered
from shoal.privacy.classes import Classes
from shoal.privacy.passing_classes import passing
from shoal.read.columns import coded
from shoal.search.problem import suppressed_rows_allowed
from shoal.spec.spec import Spec

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ExtensionPlan:
    """What becomes of each row.

    Attributes
    ----------
    rows
        The rows that there are.
    candidates
        Those that may be added: the new ones, and those that were suppressed before and may come back.
    added
        The candidates whose class in the difference satisfies.
    difference
        The classes of the candidates.
    failing
        How many classes of the extended release would not satisfy, though what is added to them does.
    allowed
        How many rows may be suppressed in all.
    """

    rows: ExtendedRows
    candidates: BoolArray
    added: BoolArray
    difference: Classes
    failing: int
    allowed: int

    @property
    def kept(self) -> BoolArray:
        """The rows of the extended release."""
        return self.rows.released | self.added

    @property
    def total(self) -> int:
        """All rows, those that nobody has here included."""
        return int(self.rows.table.num_rows) + self.rows.lost

    @property
    def suppressed(self) -> int:
        """Rows that the extended release does not have."""
        return self.total - int(self.kept.sum())

    @property
    def waiting(self) -> int:
        """New rows that it does not have."""
        return int((self.rows.new & ~self.added).sum())

    @property
    def returned(self) -> int:
        """Rows that were suppressed before and that it has."""
        return int((self.added & ~self.rows.new).sum())

    @property
    def feasible(self) -> bool:
        return bool(self.added.any()) and not self.failing and self.suppressed <= self.allowed

    @property
    def class_sizes(self) -> dict[int, int]:
        """For each size that occurs, the number of classes that get so many rows."""
        positions = numbered(self.rows.table.filter(pa.array(self.added)).select(self._labels))
        sizes, counts = np.unique(np.bincount(positions), return_counts=True)
        return dict(zip(sizes.tolist(), counts.tolist(), strict=True))

    @property
    def _labels(self) -> list[str]:
        return list(self.difference.table.names)


def plan(rows: ExtendedRows, spec: Spec) -> ExtensionPlan:
    """Choose the rows of the extended release.

    Raises
    ------
    InputError
        Somebody whom the earlier release has rows of has new ones, or a model cannot be asked of this table.
    """
    labels = list(spec.quasi_identifiers)
    table = _coded(rows.table, spec)
    of_rows = numbered(rows.table.select(labels))
    candidates = rows.new.copy()
    held = ~rows.released & ~rows.new
    count = int(of_rows.max(initial=-1)) + 1

    def classes(of: BoolArray) -> Classes:
        chosen = np.flatnonzero(of)
        return Classes(table, of_rows[chosen], count, rows=chosen)

    published = _published(table, rows)
    if again := int((published & rows.new).sum()):
        raise InputError(
            f"People of the earlier release have new rows, {again:,} of {int(rows.new.sum()):,}.\n"
            f"Column {spec.unit!r} says so.\n"
            "Whoever knows that somebody is in both the earlier rows and the new ones could find the few of "
            "whom that is true. Leave these rows out."
        )
    if held.any():
        candidates |= held & ~published & ~_at_fault(classes(held), spec)[of_rows]
    difference = classes(candidates)
    added = candidates & passing(spec.privacy, difference)[of_rows]
    union = classes(rows.released | added)
    failing = ~passing(spec.privacy, union) & (union.sizes > 0)
    return ExtensionPlan(
        rows=rows,
        candidates=candidates,
        added=added,
        difference=difference,
        failing=int(failing.sum()),
        allowed=suppressed_rows_allowed(spec.suppression, rows.table.num_rows + rows.lost),
    )


def _coded(table: pa.Table, spec: Spec) -> CodedTable:
    """Code the rows with their labels as values: of them there is nothing to generalize any more."""
    own = QuasiIdentifier(hierarchy=Suppress())
    columns = {
        name: coded(table.column(name), name) if name in spec.quasi_identifiers else table.column(name)
        for name in table.column_names
    }
    looked_at = dict.fromkeys(model.column for model in spec.privacy if model.column is not None)
    return code_table(
        pa.table(columns),
        dict.fromkeys(spec.quasi_identifiers, own),
        sensitive=spec.sensitive,
        attributes=list(looked_at),
        unit=spec.unit,
        models=spec.privacy,
    )


def _published(table: CodedTable, rows: ExtendedRows) -> BoolArray:
    """Find the rows of people whom the earlier release has, where people are told apart."""
    if table.units is None:
        return np.zeros(len(rows.new), dtype=bool)
    return np.asarray(np.isin(table.units, table.units[rows.released]) & ~rows.released)


def _at_fault(held: Classes, spec: Spec) -> BoolArray:
    """For each class of rows that were suppressed: were they enough, so that their values were at fault?

    When each of them came is not known. If some were enough by themselves and failed, all of them are enough.
    """
    if all(model.column is None for model in spec.privacy):
        return np.zeros(held.count, dtype=bool)
    return np.asarray(held.people >= max(model.minimum_size for model in spec.privacy))
