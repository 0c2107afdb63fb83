"""Problems on one table that differ in models, limit and measure: they share F0.

F0 counts whatever any of them looks at. A search reads of it only what its own models and measure need.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from shoal import _kernel
from shoal.encode.table import CodedTable
from shoal.search.kernel_inputs import Counted, KernelInputs
from shoal.search.problem import SearchProblem


class SharedCounts:
    """F0 of a table, grouped once for all problems on it. Their tables may differ in weights and levels.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> from shoal.measure.loss import Loss
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> ages = code_column("age", pa.array([21, 25, 32, 38]).dictionary_encode(), intervals(10, 20))
    >>> table, shared = CodedTable((ages,), 4), SharedCounts()
    >>> two, four = (shared.problem(SearchProblem(table, (KAnonymity(k),), Loss())) for k in (2, 4))
    >>> two.ground is four.ground
    True
    """

    def __init__(self) -> None:
        self.counted: tuple[Counted, ...] = ()
        # The codes stand for the table: as long as F0 is kept, nothing else can have their address.
        self._grounds: dict[object, tuple[CodedTable, _kernel.CodedTable]] = {}

    def problem(self, problem: SearchProblem) -> SharedProblem:
        """Return a problem that shares F0 with those before it and after it."""
        self.counted = tuple(dict.fromkeys((*self.counted, *problem.kernel_inputs.counted)))
        return SharedProblem(
            problem.table,
            problem.models,
            problem.measure,
            problem.suppression,
            problem.merge_levels,
            problem.starred,
            shared=self,
        )

    def forget(self) -> None:
        """Let go of F0."""
        self._grounds.clear()

    def ground(self, problem: SharedProblem) -> _kernel.CodedTable:
        table = problem.table
        # Without merging levels that change nothing, the lattice has others.
        key = (
            problem.lattice.levels,
            problem.kernel_inputs.counted_for_all,
            tuple(id(column.codes) for column in table.columns),
            id(table.weights),
        )
        if key not in self._grounds:
            self._grounds[key] = table, problem.own_ground
        return self._grounds[key][1]


@dataclass(frozen=True)
class SharedProblem(SearchProblem):
    """One of several problems with the same rows and the same lattice."""

    shared: SharedCounts = field(kw_only=True, repr=False)

    @cached_property
    def kernel_inputs(self) -> _Together:
        return _Together(
            self.table, self.models, self.measure.attribute or "", counted_for_all=self.shared.counted
        )

    @cached_property
    def ground(self) -> _kernel.CodedTable:
        return self.shared.ground(self)

    @property
    def own_ground(self) -> _kernel.CodedTable:
        return super().ground


@dataclass(frozen=True)
class _Together(KernelInputs):
    counted_for_all: tuple[Counted, ...] = field(kw_only=True)

    @cached_property
    def counted(self) -> list[Counted]:
        own = [what for what in super().counted if what not in self.counted_for_all]
        return [*self.counted_for_all, *own]
