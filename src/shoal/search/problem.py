"""What a search is asked: a coded table, a requirement, a suppression limit and a measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from shoal import _kernel
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.measure import Measure
from shoal.privacy.model import PrivacyModel
from shoal.search.lattice import Lattice

T = TypeVar("T")


@dataclass(frozen=True)
class SearchProblem:
    """One question to a search algorithm.

    `suppression` is the share of rows that may be suppressed; `limit` the same as a number of rows.
    `merge_levels` takes levels for one that differ on none of the values at hand.
    """

    table: CodedTable
    models: tuple[PrivacyModel, ...]
    measure: Measure
    suppression: float = 0.0
    merge_levels: bool = True

    @property
    def limit(self) -> int:
        return suppressed_rows_allowed(self.suppression, self.table.rows)

    @property
    def k(self) -> int:
        """The class size that every model needs at least."""
        return max((model.minimum_size for model in self.models), default=1)

    @cached_property
    def lattice(self) -> Lattice:
        return Lattice.of(self.table, merge=self.merge_levels)

    @property
    def threshold(self) -> int:
        """k as far as it matters here: no class has more rows than the table."""
        return min(self.k, self.table.rows + 1)

    @cached_property
    def ground(self) -> _kernel.CodedTable:
        """The zero-level frequency set F0, with the maps to all levels of the lattice.

        Raises
        ------
        InputError
            The lattice is beyond an exact search.
        """
        columns = self.table.columns
        nodes = math.prod(map(len, self.lattice.levels))
        if len(columns) > _kernel.max_columns or nodes > _kernel.max_nodes:
            raise InputError(
                f"The lattice of {len(columns)} quasi-identifiers has {nodes:,} nodes.\n"
                f"An exact search goes up to {_kernel.max_columns} quasi-identifiers and "
                f"{_kernel.max_nodes:,} nodes.\n"
                "Declare fewer quasi-identifiers, or allow fewer levels with min-level and max-level."
            )
        bases = [levels[0] for levels in self.lattice.levels]
        return _kernel.CodedTable(
            codes=[
                column.codes if base == 0 else column.maps[base][column.codes]
                for column, base in zip(columns, bases, strict=True)
            ],
            maps=[
                [column.step(base, level) for level in levels]
                for column, base, levels in zip(columns, bases, self.lattice.levels, strict=True)
            ],
            user_levels=[list(levels) for levels in self.lattice.levels],
            heights=[column.height for column in columns],
        )

    @cached_property
    def objective(self) -> _kernel.Objective:
        """The measure as the kernel takes it: costs at the levels of the lattice only."""
        costs = self.measure.costs(self.table, self.k)

        def pick(per_column: Sequence[Sequence[T]]) -> list[list[T]]:
            # A measure without a term per column gives none.
            return [
                [column[level] for level in levels]
                for column, levels in zip(per_column, self.lattice.levels, strict=False)
            ]

        return _kernel.Objective(
            term=costs.term,
            rows=float(self.table.rows),
            divisor=costs.divisor,
            weights=list(costs.weights),
            level_costs=pick(costs.level_costs),
            label_costs=pick(costs.label_costs),
        )


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
        raise InputError(f"Suppression is a share of the rows, from 0 to 1.\nFound: {suppression}.")
    exact = suppression * rows
    near = round(exact)
    return near if math.isclose(exact, near, rel_tol=1e-12) else math.floor(exact)
