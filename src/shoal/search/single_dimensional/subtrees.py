"""Blocks that are the subtrees of a hierarchy: cuts through the tree of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.describe.hierarchy import as_text
from shoal.encode.column import CodedColumn, IntArray
from shoal.measure.cells import CellMeasure
from shoal.recode.class_labels import LabelForm
from shoal.search.single_dimensional.block_costs import label_costs
from shoal.search.single_dimensional.partitions import (
    MERGED,
    SPLIT,
    Cheapest,
    Decisions,
    Failing,
    numbered,
    starts,
)
from shoal.search.single_dimensional.tuples import Blocks, Floats, Groups, Judge, Tuples


@dataclass(frozen=True, eq=False)
class Subtrees:
    """The cuts through a column's hierarchy; candidates and choices are its nodes.

    Of labels that cover the same values the lowest is taken. A node that is split is no block, and neither is
    any above it; one that is merged, or a node above it, is a block.

    Attributes
    ----------
    at
        For each level, the node of every value.
    parents
        The node above each; -1 for none. Nodes come after all that are below them.
    costs
        What a cell with the label of each node costs.

    Examples
    --------
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> from shoal.measure.loss import Loss
    >>> import pyarrow as pa
    >>> ages = code_column("age", pa.array([21, 24, 38, 52]).dictionary_encode(), intervals(10, 20))
    >>> cuts = Subtrees.of(ages, range(4), Loss(), "nodes")
    >>> cuts.parents.tolist()
    [4, 4, 5, 6, 5, 6, -1]
    >>> cuts.coarsest(cuts.decide(cuts.begin(), 6, SPLIT)).tolist()
    [0, 0, 0, 1]
    """

    at: tuple[NDArray[np.intp], ...]
    parents: NDArray[np.intp]
    costs: Floats
    whole = True

    @classmethod
    def of(
        cls, column: CodedColumn, levels: Sequence[int], measure: CellMeasure, form: LabelForm
    ) -> Subtrees:
        at: list[NDArray[np.intp]] = []
        parents: list[int] = []
        costs: list[float] = []
        below: dict[tuple[int, int], int] = {}
        for level in levels:
            labels = column.step(column.min_level, level)
            begins = starts(labels)
            spans = list(zip(begins.tolist(), [*begins[1:].tolist(), len(labels)], strict=True))
            prices = label_costs(column, level, measure, form)
            here = {}
            for span, cost in zip(spans, prices, strict=True):
                here[span] = below.get(span, len(costs))
                if here[span] == len(costs):
                    parents.append(-1)
                    costs.append(cost)
            nodes = np.array(list(here.values()), dtype=np.intp)
            at.append(nodes[labels])
            for (begin, _), node in below.items():
                above = int(at[-1][begin])
                if above != node:
                    parents[node] = above
            below = here
        return cls(tuple(at), np.array(parents, dtype=np.intp), np.array(costs))

    @cached_property
    def _leaves(self) -> int:
        return int(self.at[0].max(initial=-1)) + 1

    @cached_property
    def _layers(self) -> list[NDArray[np.intp]]:
        """The nodes in groups, such that each comes after all that are below it."""
        seen = 0
        layers = []
        for nodes in self.at:
            most = int(nodes.max(initial=-1)) + 1
            if most > seen:
                layers.append(np.arange(seen, most))
                seen = most
        return layers

    @cached_property
    def spans(self) -> tuple[IntArray, IntArray]:
        """The first value under each node, and the one after the last."""
        first = np.zeros(len(self.costs), dtype=np.int64)
        after = np.zeros(len(self.costs), dtype=np.int64)
        for nodes in self.at:
            places = np.arange(len(nodes))
            first[nodes[::-1]] = places[::-1]
            after[nodes] = places + 1
        return first, after

    @property
    def monotone(self) -> bool:
        """Whether no label costs less than one below it."""
        inner = np.flatnonzero(self.parents >= 0)
        return bool((self.costs[self.parents[inner]] >= self.costs[inner]).all())

    def begin(self) -> Decisions:
        decisions = np.zeros(len(self.costs), dtype=np.int8)
        decisions[: self._leaves] = MERGED
        return decisions

    def decide(self, decisions: Decisions, choice: int, decision: int) -> Decisions:
        decided = decisions.copy()
        if decision == MERGED:
            first, after = self.spans
            decided[(first >= first[choice]) & (after <= after[choice])] = MERGED
        else:
            while choice >= 0:
                decided[choice] = SPLIT
                choice = int(self.parents[choice])
        return decided

    def finest(self, decisions: Decisions) -> Blocks:
        return self._cut(decisions == MERGED)

    def coarsest(self, decisions: Decisions) -> Blocks:
        return self._cut(decisions != SPLIT)

    def _cut(self, closed: NDArray[np.bool_]) -> Blocks:
        """Return the blocks of the topmost closed nodes."""
        top = self.at[0]
        for nodes in self.at[1:]:
            top = np.where(closed[nodes], nodes, top)
        return numbered(np.diff(top, prepend=-1) != 0)

    def candidates(self, blocks: Blocks) -> NDArray[np.intp]:
        first, after = self.spans
        begins = starts(blocks)
        node = {span: number for number, span in enumerate(zip(first.tolist(), after.tolist(), strict=True))}
        ends = [*begins[1:].tolist(), len(blocks)]
        return np.array([node[span] for span in zip(begins.tolist(), ends, strict=True)], dtype=np.intp)

    def blocks(self, candidates: NDArray[np.intp]) -> Blocks:
        begins = np.zeros(len(self.at[0]), dtype=bool)
        begins[self.spans[0][candidates]] = True
        return numbered(begins)

    def failing(
        self, judge: Judge, tuples: Tuples, values: Blocks, groups: Groups, extra: Floats, blocks: Blocks
    ) -> Failing:
        rows, more = np.zeros(len(self.costs)), np.zeros(len(self.costs))
        group = groups.of_tuple
        if judge.sizes_only:
            tuples = Tuples((), tuples.rows, tuples.of_entry[:0])
        for nodes in self.at:
            node = nodes[values].astype(np.uint32)
            found = Groups.by([group, node], [groups.count, len(self.costs)], len(group))
            failing = judge.failing(tuples, found)
            group_of, node_of = found.any_of(group), found.any_of(node)
            here = np.unique(nodes)
            rows[here] = np.bincount(node_of, failing, len(rows))[here]
            more[here] = np.bincount(node_of, failing * extra[group_of], len(more))[here]
            if judge.sizes_only:
                # The classes of the next level are made of these.
                tuples, group, values = tuples.rolled(found), group_of, found.any_of(values)
        return Failing(rows, more)

    surely_failing = failing

    def cheapest(self, costs: Floats, decisions: Decisions) -> Cheapest:
        costs = np.where(decisions == SPLIT, np.inf, costs)
        under = (self.parents >= 0) & (decisions[self.parents] == MERGED)
        costs[under] = np.inf
        below = np.zeros(len(costs))
        below[: self._leaves] = np.inf
        best = np.empty(len(costs))
        for layer in self._layers:
            best[layer] = np.minimum(costs[layer], below[layer])
            inner = layer[self.parents[layer] >= 0]
            np.add.at(below, self.parents[inner], best[inner])
        return self._outside(costs, best, below)

    def _outside(self, costs: Floats, best: Floats, below: Floats) -> Cheapest:
        """Return the cheapest cut, and the cheapest with each node split or merged."""
        inf = np.isinf(best)
        roots = np.flatnonzero(self.parents < 0)
        finite, infinite = np.zeros(len(costs) + 1), np.zeros(len(costs) + 1, dtype=np.int64)
        np.add.at(finite, self.parents, np.where(inf, 0.0, best))  # the last place is that of no parent
        np.add.at(infinite, self.parents, inf)
        beside = finite[self.parents] - np.where(inf, 0.0, best)
        beside[infinite[self.parents] - inf > 0] = np.inf
        outside, merged = beside.copy(), np.full(len(costs), np.inf)
        taken = np.zeros(len(costs), dtype=bool)
        opened = np.zeros(len(costs), dtype=bool)
        opened[roots] = True
        for layer in reversed(self._layers):
            own = layer[self.parents[layer] >= 0]
            above = self.parents[own]
            outside[own] += outside[above]
            opened[own] = opened[above] & ~taken[above]
            taken[layer] = opened[layer] & (costs[layer] <= below[layer])
            merged[layer] = outside[layer] + costs[layer]
            merged[own] = np.minimum(merged[own], merged[above])
        return Cheapest(float(best[roots].sum()), np.flatnonzero(taken), outside + below, merged)


def has_unique_labels(column: CodedColumn) -> bool:
    """Return whether no text is the label of several nodes that cover different values.

    Where one is, the classes of these nodes are one in a release.
    """
    known: dict[str | None, tuple[int, int]] = {}
    for level in range(column.min_level, column.max_level + 1):
        labels = column.step(column.min_level, level)
        begins = starts(labels)
        spans = zip(begins.tolist(), [*begins[1:].tolist(), len(labels)], strict=True)
        for text, span in zip(as_text(column.labels[level]).to_pylist(), spans, strict=True):
            if known.setdefault(text, span) != span:
                return False
    return True
