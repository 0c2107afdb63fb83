"""A search problem: a coded table, a requirement, a suppression limit and a measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.measure import Costs, Measure, canonical, canonical_all
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import settled
from shoal.recode.full_domain import FullDomain
from shoal.recode.recoding import Recoding
from shoal.recode.released_classes import Verdict
from shoal.search.kernel_inputs import KernelInputs
from shoal.search.lattice import Lattice

T = TypeVar("T")
Rank: TypeAlias = tuple[float, int, float, tuple[int, ...]]


@dataclass(frozen=True)
class SearchProblem:
    """One question to a search algorithm.

    `suppression` is the share of rows that may be suppressed; `limit` the same as a number of rows.
    `merge_levels` takes levels for one that differ on none of the values at hand. With `starred` suppressed
    rows stay in the release with `*` in every quasi-identifier, and are a class that must pass too.
    Algorithms search as if they were removed, which asks for less; `starred.py` goes on from there.
    """

    table: CodedTable
    models: tuple[PrivacyModel, ...]
    measure: Measure
    suppression: float = 0.0
    merge_levels: bool = True
    starred: bool = False

    @property
    def limit(self) -> int:
        if not all(model.suppressible for model in self.models):
            return 0
        return suppressed_rows_allowed(self.suppression, self.table.rows)

    @property
    def k(self) -> int:
        """The class size that every model needs at least."""
        return max((model.minimum_size for model in self.models), default=1)

    @cached_property
    def lattice(self) -> Lattice:
        return Lattice.of(self.table, merge=self.merge_levels)

    @cached_property
    def declared(self) -> SearchProblem:
        """The same problem on the lattice as it was declared, levels that change nothing included."""
        return replace(self, merge_levels=False)

    def verdict(self, levels: Sequence[int]) -> Verdict:
        """Group the rows at a node, and judge its classes by the definitions of the models."""
        return self.verdict_of(FullDomain.at(self.table, levels))

    def verdict_of(self, recoding: Recoding) -> Verdict:
        """Recode the rows and judge their classes by the definitions of the models."""
        return Verdict.of(self.table, recoding, self.models, star=self.limit if self.starred else None)

    def satisfied(self, verdict: Verdict) -> bool:
        """Return whether a release of these classes would be allowed."""
        return verdict.stars_pass and settled(self.models, verdict.classes, verdict.kept, self.limit)

    def score(self, verdict: Verdict) -> float:
        """Return what the measure gives for the labels and classes of any recoding, by its definition."""
        return self.measure.score(verdict.as_node(self.k))

    def rank(self, levels: Sequence[int], score: float) -> Rank:
        """Return what nodes are ordered by: score, lattice level, mean relative level, level vector."""
        relative = 0.0
        for column, level in zip(self.table.columns, levels, strict=True):
            if column.height:
                relative += level / column.height
        return canonical(score), sum(levels), canonical(relative), tuple(levels)

    def order(self, levels: NDArray[np.uint8], scores: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the positions of nodes, one per row of levels, in the order of their ranks."""
        relative = np.zeros(len(levels))
        for column, level in zip(self.table.columns, levels.T, strict=True):
            if column.height:
                relative += level / column.height
        keys = (canonical_all(scores), levels.sum(axis=1), canonical_all(relative), *levels.T)
        return np.lexsort(keys[::-1])

    @property
    def threshold(self) -> int:
        """k as far as it matters here: no class has more rows than the table."""
        return min(self.k, self.table.rows + 1)

    @property
    def too_large(self) -> bool:
        """Whether the lattice is beyond an exact search."""
        nodes = math.prod(map(len, self.lattice.levels))
        return len(self.table.columns) > _kernel.max_columns or nodes > _kernel.max_nodes

    @cached_property
    def ground(self) -> _kernel.CodedTable:
        """The zero-level frequency set F0, with the maps to all levels of the lattice.

        Raises
        ------
        InputError
            The lattice is beyond an exact search.
        """
        if self.too_large:
            raise InputError(
                f"The lattice of {len(self.table.columns)} quasi-identifiers has "
                f"{math.prod(map(len, self.lattice.levels)):,} nodes.\n"
                f"An exact search goes up to {_kernel.max_columns} quasi-identifiers and "
                f"{_kernel.max_nodes:,} nodes.\n"
                "Use best-first, which finds what it can in the time it has, or allow fewer levels "
                "with min-level and max-level."
            )
        return kernel_table(self.kernel_inputs, self.lattice.levels)

    @cached_property
    def kernel_inputs(self) -> KernelInputs:
        """What the models and the measure look at beside the class sizes."""
        return KernelInputs(self.table, self.models, self.measure.attribute or "")

    @cached_property
    def requirement(self) -> _kernel.Requirement:
        """The models and the limit as the kernel takes them."""
        return self.kernel_inputs.requirement(self.threshold, self.limit)

    @cached_property
    def objective(self) -> _kernel.Objective:
        """The measure as the kernel takes it: costs at the levels of the lattice only."""
        return self.objective_at(self.lattice.levels)

    def objective_at(self, chosen: Sequence[Sequence[int]]) -> _kernel.Objective:
        """Return the measure as the kernel takes it for a lattice of chosen levels of each column."""
        costs = self.costs

        def pick(per_column: Sequence[Sequence[T]]) -> list[list[T]]:
            # A measure without a term per column gives none.
            return [
                [column[level] for level in levels]
                for column, levels in zip(per_column, chosen, strict=False)
            ]

        return _kernel.Objective(
            term=costs.term,
            rows=float(self.table.rows),
            divisor=costs.divisor,
            weights=list(costs.weights),
            level_costs=pick(costs.level_costs),
            label_costs=pick(costs.label_costs),
            constant=costs.constant,
            scale=costs.scale,
            attribute=self.kernel_inputs.target_index,
            aggregate=costs.aggregate,
        )

    @cached_property
    def costs(self) -> Costs:
        """The measure as data."""
        costs = self.measure.costs(self.table, self.k)
        if costs is None:
            raise InputError(
                f"The measure '{self.measure.name}' declares nothing but its scores.\n"
                "No search can use it on the way.\n"
                "Search all nodes that satisfy by another measure, and rank them by this one."
            )
        return costs


def kernel_table(
    kernel_inputs: KernelInputs, levels: Sequence[Sequence[int]], *, absent: bool = False
) -> _kernel.CodedTable:
    """Hand codes and level maps to the kernel, which groups the rows.

    Parameters
    ----------
    kernel_inputs
        The table, and what is counted of it beside the rows.
    levels
        Per column, the levels among which to choose; the rows are grouped at the first of each.
    absent
        Give each column one more level with a single label: there the column takes no part.
    """
    columns = kernel_inputs.table.columns
    bases = [chosen[0] for chosen in levels]
    maps = [
        [column.step(base, level) for level in chosen]
        for column, base, chosen in zip(columns, bases, levels, strict=True)
    ]
    user_levels = [list(chosen) for chosen in levels]
    if absent:
        for column_maps, chosen in zip(maps, user_levels, strict=True):
            column_maps.append(np.zeros_like(column_maps[0]))
            chosen.append(chosen[-1])
    codes = [
        kernel_inputs.rows(position) if base == 0 else column.maps[base][kernel_inputs.rows(position)]
        for position, (column, base) in enumerate(zip(columns, bases, strict=True))
    ]
    try:
        return _kernel.CodedTable(
            codes=codes,
            maps=maps,
            user_levels=user_levels,
            heights=[column.height for column in columns],
            weights=kernel_inputs.weights,
            attributes=kernel_inputs.attributes(),
        )
    except ValueError as error:
        raise InputError(
            f"The table is too wide for a search: {error}.\n"
            "Declare fewer quasi-identifiers, or begin at higher levels with min-level."
        ) from error


def suppressed_rows_allowed(suppression: float, rows: int) -> int:
    """Return the largest number of rows that is at most this share of all.

    Examples
    --------
    >>> suppressed_rows_allowed(0.02, 30162)
    603
    >>> suppressed_rows_allowed(0.29, 100)  # 0.29 * 100 is a little less than 29 in binary
    29
    """
    if not 0 <= suppression <= 1:
        raise InputError(f"Suppression must be a share of the rows, from 0 to 1.\nFound: {suppression}.")
    exact = suppression * rows
    near = round(exact)
    return near if math.isclose(exact, near, rel_tol=1e-12) else math.floor(exact)
