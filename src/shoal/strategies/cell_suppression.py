"""Cell suppression: every cell is kept, or suppressed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from shoal.recode.by_classes import ByClasses
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.classes import choose_best, require_cell_costs
from shoal.strategies.stars import Stars
from shoal.strategies.strategy import Chosen, Question, StrategyDefaults


@dataclass(frozen=True, slots=True)
class CellSuppression(StrategyDefaults):
    """Keep every cell as it is, or suppress it: the cheapest class first.

    A suppressed cell has the label at the highest level that the spec allows, usually `*`.

    References
    ----------
    A. Meyerson and R. Williams, "On the complexity of optimal k-anonymity", PODS 2004: the fewest cells are
    hard to find. The model is also in section 5.2 of K. LeFevre, D. DeWitt and R. Ramakrishnan, "Incognito:
    efficient full-domain k-anonymity", SIGMOD 2005.

    Examples
    --------
    >>> CellSuppression().to_spec()
    'cell-suppression'
    """

    name: ClassVar[str] = "cell-suppression"
    summary: ClassVar[str] = "Every cell is kept as it is, or suppressed."
    needs: ClassVar[frozenset[Ability]] = frozenset({Ability.COUNT_TUPLES, Ability.RECODE_BY_CLASSES})

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        require_cell_costs(self.name, spec.quality, "nodes")

    def choose(self, question: Question) -> Chosen:
        stars = Stars(self.name, question.problem(), question.threads)
        return choose_best(stars.problem, self._recodings(stars))

    def _recodings(self, stars: Stars) -> Iterator[ByClasses]:
        yield stars.cheapest(stars.lowest).recoding
        yield from stars.whole_columns()
