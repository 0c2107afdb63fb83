"""Ordered sets: the values of each column are cut into intervals, wherever that is best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from shoal.describe.hierarchies.suppress import Suppress
from shoal.encode.column import CodedColumn, IntArray, UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError, nearest
from shoal.measure.cells import CellMeasure
from shoal.recode.class_labels import LabelForm
from shoal.search.problem import SearchProblem
from shoal.search.single_dimensional.block_costs import has_ranges
from shoal.search.single_dimensional.intervals import Intervals
from shoal.search.single_dimensional.partitions import starts
from shoal.search.single_dimensional.space import Choice
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
    full_domain,
    require_seconds,
    search_blocks,
)
from shoal.strategies.strategy import Chosen, Question, StrategyDefaults
from shoal.strategies.subtree import subtrees

IntervalLabels = Literal["ranges", "sets"]

_MOST_PLACES = 257
_SUBTREE_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class OrderedSet(StrategyDefaults):
    """Cut the ordered values of each column into intervals.

    Numbers and dates are in their own order, categories in that of `order`, or else of their hierarchy's
    leaves: neighbours are under one label. It contains `subtree`, from which the search begins, so it never
    loses more by the leaves that labels cover. Small tables are solved exactly; on others the answer says how
    much less could be lost at best.

    Parameters
    ----------
    labels
        How labels are written: `ranges` of numbers and dates, and `sets` of categories; or all as `sets`.
    seconds
        When the search stops if it has not proved its answer. Then it may be other in another run.

    References
    ----------
    R. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005: a set-enumeration
    search with bounds on what suppression costs. Here each column's cheapest intervals bound what it loses.

    Examples
    --------
    >>> OrderedSet(labels="sets").to_spec()
    {'ordered-set': {'labels': 'sets'}}
    """

    labels: IntervalLabels = "ranges"
    seconds: float = 10.0

    name: ClassVar[str] = "ordered-set"
    summary: ClassVar[str] = "The ordered values of each column cut into intervals."
    parameters: ClassVar[dict[str, str]] = {
        "labels": "how labels are written: ranges of numbers and dates, such as [21, 34], and sets of other "
        "values, such as {clerk, cook} (the default); or sets of all values",
        "seconds": SECONDS_PARAMETER,
    }
    examples: ClassVar[tuple[object, ...]] = (None, {"labels": "sets"}, {"seconds": 60})
    needs: ClassVar[frozenset[Ability]] = NEEDS

    def __post_init__(self) -> None:
        known = get_args(IntervalLabels)
        if self.labels not in known:
            raise InputError(
                f"{self.name}: labels must be one of {', '.join(known)}.\n"
                f"Found: {self.labels!r}.{nearest(str(self.labels), known)}"
            )
        require_seconds(self.name, self.seconds)

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        require_cell_costs(self.name, spec.quality, "nodes")
        if isinstance(spec.quality, CellMeasure) and spec.quality.needs_nodes:
            raise InputError(
                f"The measure {spec.quality.describe()} is about levels of hierarchies.\n"
                f"The intervals of {self.name} have none.\nUse the measure loss, or recoding: subtree."
            )

    def choose(self, question: Question) -> Chosen:
        problem, timer = question.problem(), Timer(self.seconds)
        _require_order(question.spec, problem.table)
        cuts = subtrees(problem, self.name, "nodes")
        rigid = [coarsest(cuts.partitions), *full_domain(question, problem)]
        seed = search_blocks(problem, cuts, rigid, Timer(_SUBTREE_SHARE * self.seconds)).choice
        blocks = self._blocks(problem, seed)
        seeds = [coarsest(blocks.partitions), *([] if seed is None else [seed])]
        return chosen_or_raise(search_blocks(problem, blocks, seeds, timer), problem)

    def _blocks(self, problem: SearchProblem, seed: Choice | None) -> Blocks:
        measure = cell_measure(problem)
        partitions, forms = [], []
        for position, column in enumerate(problem.table.columns):
            form: LabelForm = "ranges" if self.labels == "ranges" and has_ranges(column) else "sets"
            places = _places(column, None if seed is None else seed[position])
            partitions.append(Intervals.of(column, measure, form, places))
            forms.append(form)
        return Blocks(self.name, {"seconds": self.seconds}, self.labels, partitions, tuple(forms))


def _require_order(spec: Spec, table: CodedTable) -> None:
    """Raise if the values of a column have no order."""
    names = [
        column.name
        for column in table.columns
        if isinstance(spec.quasi_identifiers[column.name].hierarchy, Suppress)
        # Of two values, and where levels are fixed, no order matters.
        and len(column.labels[column.min_level]) > 2
        and column.min_level < column.max_level
        and not has_ranges(column)
    ]
    if names:
        raise InputError(
            "ordered-set needs an order of the values of each column.\n"
            f"Found: {', '.join(names)}, with neither numbers nor dates, nor a hierarchy of the values.\n"
            "Give a hierarchy, such as order: [low, mid, high], or use recoding: subtree."
        )


def _places(column: CodedColumn, seed: UIntArray | None) -> IntArray:
    """Return where blocks may begin and end: everywhere, or where labels do if there are too many values."""
    values = len(column.labels[column.min_level])
    if values < _MOST_PLACES:
        return np.arange(values + 1)
    chosen = set() if seed is None else set(starts(seed).tolist())
    for level in reversed(column.allowed_levels):
        more = chosen | set(starts(column.step(column.min_level, level)).tolist())
        if len(more) >= _MOST_PLACES:
            break
        chosen = more
    free = max(_MOST_PLACES - 1 - len(chosen), 0)
    rows = np.cumsum(column.label_counts(column.min_level))
    quantiles = np.searchsorted(rows, rows[-1] * np.arange(1, free + 1) / (free + 1))
    return np.array(sorted({0, values, *chosen, *quantiles.tolist()}), dtype=np.int64)
