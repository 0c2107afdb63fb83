"""Subtree: levels may differ between the subtrees of one hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.encode.column import CodedColumn
from shoal.recode.class_labels import LabelForm
from shoal.search.problem import SearchProblem
from shoal.search.single_dimensional.subtrees import Subtrees, has_unique_labels
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.classes import require_cell_costs
from shoal.strategies.label_settings import LABEL_FORMS, LABELS_PARAMETER, require_form
from shoal.strategies.single_dimensional import (
    NEEDS,
    SECONDS_PARAMETER,
    Blocks,
    Timer,
    cell_measure,
    chosen_or_raise,
    coarsest,
    full_domain,
    require_seconds,
    search_blocks,
)
from shoal.strategies.strategy import Chosen, Question, StrategyDefaults


@dataclass(frozen=True, slots=True)
class Subtree(StrategyDefaults):
    """Cut through the tree of each column: all values under a node of the cut get its label.

    Any value has one label, so labels do not overlap; but some are of other levels than others. It is never
    worse than the best choice of one level per column, from which the search begins.

    Parameters
    ----------
    labels
        How labels are written: `nodes` of hierarchies, `ranges` or `sets`.
    seconds
        When the search stops if it has not proved its answer. Then it may be other in another run.

    References
    ----------
    V. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002. K. LeFevre, D. DeWitt and
    R. Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005, section 5.1.1, call it
    single-dimension full-subtree recoding. The search, by branch and bound with the cheapest cut of each
    column as bound, is ours.

    Examples
    --------
    >>> Subtree(seconds=60).to_spec()
    {'subtree': {'seconds': 60}}
    """

    labels: LabelForm = "nodes"
    seconds: float = 10.0

    name: ClassVar[str] = "subtree"
    summary: ClassVar[str] = "Levels that differ between the subtrees of a hierarchy: a cut through each."
    parameters: ClassVar[dict[str, str]] = {"labels": LABELS_PARAMETER, "seconds": SECONDS_PARAMETER}
    examples: ClassVar[tuple[object, ...]] = (None, {"labels": "ranges"}, {"seconds": 60})
    needs: ClassVar[frozenset[Ability]] = NEEDS

    def __post_init__(self) -> None:
        require_form(self.name, self.labels, tuple(LABEL_FORMS))
        require_seconds(self.name, self.seconds)

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        require_cell_costs(self.name, spec.quality, self.labels)

    def choose(self, question: Question) -> Chosen:
        problem, timer = question.problem(), Timer(self.seconds)
        blocks = subtrees(problem, self.name, self.labels, seconds=self.seconds)
        seeds = [coarsest(blocks.partitions), *full_domain(question, problem)]
        return chosen_or_raise(search_blocks(problem, blocks, seeds, timer), problem)


def subtrees(problem: SearchProblem, kind: str, labels: LabelForm, **settings: Any) -> Blocks:
    """Return the cuts through the hierarchies of all columns."""
    measure = cell_measure(problem)

    def cuts(column: CodedColumn) -> Subtrees:
        return Subtrees.of(column, column.allowed_levels, measure, labels)

    exact = all(has_unique_labels(column) for column in problem.table.columns)
    return Blocks(kind, settings, labels, [cuts(column) for column in problem.table.columns], exact=exact)
