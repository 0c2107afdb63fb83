"""Problems on one table that differ in models, limit and measure: they share F0.

F0 counts whatever any of them looks at. A search reads of it only what its own models and measure need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from shoal import _kernel
from shoal.search.kernel_inputs import Asked, Counted
from shoal.search.problem import SearchProblem


@dataclass(frozen=True)
class SharedProblem(SearchProblem):
    """One of several problems with the same rows and the same lattice.

    Attributes
    ----------
    counted
        What F0 counts beside the rows, for all of them.
    grounds
        F0, once the first of them has needed it.
    """

    counted: tuple[Counted, ...] = field(kw_only=True)
    grounds: dict[tuple[tuple[int, ...], ...], _kernel.CodedTable] = field(kw_only=True, repr=False)

    @cached_property
    def asked(self) -> Asked:
        return _Together(self.table, self.models, self.measure.attribute or "", for_all=self.counted)

    @cached_property
    def ground(self) -> _kernel.CodedTable:
        # Without merging levels that change nothing, the lattice has others.
        levels = self.lattice.levels
        if levels not in self.grounds:
            self.grounds[levels] = super().ground
        return self.grounds[levels]


@dataclass(frozen=True)
class _Together(Asked):
    for_all: tuple[Counted, ...] = field(kw_only=True)

    @cached_property
    def counted(self) -> list[Counted]:
        return list(self.for_all)


def share(problems: Sequence[SearchProblem]) -> list[SharedProblem]:
    """Return problems that share F0. Their tables may differ in the weights of columns, and in nothing else.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> from shoal.encode.table import CodedTable
    >>> from shoal.measure.loss import Loss
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> ages = code_column("age", pa.array([21, 25, 32, 38]).dictionary_encode(), intervals(10, 20))
    >>> table = CodedTable((ages,), 4)
    >>> two, four = share([SearchProblem(table, (KAnonymity(k),), Loss()) for k in (2, 4)])
    >>> two.ground is four.ground
    True
    """
    counted = tuple(dict.fromkeys(what for problem in problems for what in problem.asked.counted))
    grounds: dict[tuple[tuple[int, ...], ...], _kernel.CodedTable] = {}
    return [
        SharedProblem(
            problem.table,
            problem.models,
            problem.measure,
            problem.suppression,
            problem.merge_levels,
            problem.starred,
            counted=counted,
            grounds=grounds,
        )
        for problem in problems
    ]
