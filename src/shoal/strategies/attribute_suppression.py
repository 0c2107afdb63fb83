"""Attribute suppression: every column is kept as it is, or suppressed whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.encode.column import CodedColumn
from shoal.search.single_dimensional.subtrees import Subtrees
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.classes import require_cell_costs
from shoal.strategies.single_dimensional import (
    NEEDS,
    SECONDS_PARAMETER,
    Blocks,
    Timer,
    cell_measure,
    chosen_or_raise,
    coarsest,
    require_seconds,
    search_blocks,
)
from shoal.strategies.strategy import Chosen, Question, StrategyDefaults


@dataclass(frozen=True, slots=True)
class AttributeSuppression(StrategyDefaults):
    """Keep every column as it is, or suppress it whole.

    A column is suppressed by the lowest label that covers all its values, usually `*`. It is kept where no
    label that the spec allows does.

    Parameters
    ----------
    seconds
        When the search stops if it has not proved its answer.

    References
    ----------
    A. Meyerson and R. Williams, "On the complexity of optimal k-anonymity", PODS 2004. The model is also in
    section 5.1.1 of K. LeFevre, D. DeWitt and R. Ramakrishnan, "Incognito: efficient full-domain
    k-anonymity", SIGMOD 2005.

    Examples
    --------
    >>> AttributeSuppression().to_spec()
    'attribute-suppression'
    """

    seconds: float = 10.0

    name: ClassVar[str] = "attribute-suppression"
    summary: ClassVar[str] = "Every column is kept as it is, or suppressed whole."
    parameters: ClassVar[dict[str, str]] = {"seconds": SECONDS_PARAMETER}
    examples: ClassVar[tuple[object, ...]] = (None, {"seconds": 60})
    needs: ClassVar[frozenset[Ability]] = NEEDS

    def __post_init__(self) -> None:
        require_seconds(self.name, self.seconds)

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        require_cell_costs(self.name, spec.quality, "nodes")

    def choose(self, question: Question) -> Chosen:
        problem, timer = question.problem(), Timer(self.seconds)
        measure = cell_measure(problem)
        partitions = [
            Subtrees.of(column, _levels(column), measure, "nodes") for column in problem.table.columns
        ]
        blocks = Blocks(self.name, {"seconds": self.seconds}, "nodes", partitions)
        return chosen_or_raise(search_blocks(problem, blocks, [coarsest(partitions)], timer), problem)


def _levels(column: CodedColumn) -> list[int]:
    """Return the lowest level, and the lowest that has one label for all values."""
    single = [level for level in column.allowed_levels if len(column.labels[level]) == 1]
    return sorted({column.min_level, *single[:1]})
