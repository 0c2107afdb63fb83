"""A look at a lattice from above: which choices of levels satisfy, which fail, and where the border runs.

Of a small lattice every node is looked at. Of a larger one the border is found: the nodes that satisfy while
none directly below them does. Where even that would take too long, it is the chosen node with those beside
it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.measure.height import Height
from shoal.search.algorithms.box import Box
from shoal.search.judge_nodes import judge
from shoal.search.problem import SearchProblem
from shoal.search.result import border

Shown: TypeAlias = Literal["all", "border", "around"]

MOST_SHOWN = 400
"""Nodes of a lattice of which all are looked at."""

MOST_SEARCHED = 100_000
"""Nodes of a lattice whose border is looked for."""

PER_LAYER = 16
"""Nodes of a border that are shown of one height."""

_MOST_RANKED = 1_000


@dataclass(frozen=True, slots=True)
class SurveyedNode:
    """A node that was looked at.

    `lowest` says that it satisfies while none directly below it does; its score is None where it does not
    satisfy.
    """

    levels: tuple[int, ...]
    satisfies: bool
    lowest: bool
    chosen: bool
    suppressed_rows: int
    score: float | None

    @property
    def height(self) -> int:
        """The sum of its levels."""
        return sum(self.levels)


@dataclass(frozen=True, slots=True)
class Layer:
    """The nodes of one height: how many there are, satisfy, and satisfy while none directly below does."""

    height: int
    nodes: int
    satisfying: int
    lowest: int


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of a lattice.

    Attributes
    ----------
    columns
        The quasi-identifiers, in the order of the levels of nodes.
    measure
        What nodes are scored by; smaller is better.
    size
        Nodes of the whole lattice.
    shown
        Which nodes are listed: `all`, the `border` (the best of each height, where they are many), or the
        chosen one and its neighbours (`around`).
    nodes
        These nodes, by height, the best of each height first.
    layers
        All heights from the lowest, unless `around`.
    """

    columns: tuple[str, ...]
    measure: str
    size: int
    shown: Shown
    nodes: tuple[SurveyedNode, ...]
    layers: tuple[Layer, ...]

    @property
    def chosen(self) -> SurveyedNode | None:
        """The node that was chosen, if one was."""
        return next((node for node in self.nodes if node.chosen), None)

    def describe(self, node: SurveyedNode) -> str:
        """Describe what became of a node."""
        levels = ", ".join(f"{name} {level}" for name, level in zip(self.columns, node.levels, strict=True))
        rows = "1 row" if node.suppressed_rows == 1 else f"{node.suppressed_rows:,} rows"
        if node.score is None:
            return f"{levels}: fails, {rows} would have to be suppressed"
        return f"{levels}: satisfies, {rows} suppressed, {self.measure} {node.score:.6g}"

    def render(self) -> str:
        """Describe what is known."""
        nodes = "node" if self.size == 1 else "nodes"
        words = [f"A lattice of {_many(self.size)} {nodes} over {', '.join(self.columns)}."]
        if self.layers:
            satisfying = sum(layer.satisfying for layer in self.layers)
            lowest = sum(layer.lowest for layer in self.layers)
            words.append(
                f"{satisfying:,} {'satisfies' if satisfying == 1 else 'satisfy'}, of which {lowest:,} with "
                f"none directly below that does; {_fail(self.size - satisfying)}."
            )
        else:
            words.append(
                "There are too many to check them all; the chosen node and its neighbours are shown."
            )
        if self.chosen is not None:
            words.append(f"Chosen: {self.describe(self.chosen)}.")
        return " ".join(words)

    def to_mapping(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "columns": list(self.columns),
            "measure": self.measure,
            "size": self.size,
            "shown": self.shown,
            "nodes": [asdict(node) | {"levels": list(node.levels)} for node in self.nodes],
            "layers": [asdict(layer) for layer in self.layers],
        }


def _fail(nodes: int) -> str:
    return "1 fails" if nodes == 1 else f"{nodes:,} fail"


def survey(problem: SearchProblem, chosen: Sequence[int] | None = None) -> Survey:
    """Look at a lattice, as closely as its size allows.

    Parameters
    ----------
    problem
        What the search was asked.
    chosen
        The levels of the node that was chosen, if one was.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> from shoal.encode.table import CodedTable
    >>> from shoal.measure.loss import Loss
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> ages = code_column("age", pa.array([21, 25, 32, 38]).dictionary_encode(), intervals(10, 20))
    >>> found = survey(SearchProblem(CodedTable((ages,), 4), (KAnonymity(2),), Loss()), [1])
    >>> [(node.levels, node.satisfies) for node in found.nodes]
    [((0,), False), ((1,), True), ((2,), True), ((3,), True)]
    """
    picked = None if chosen is None else tuple(chosen)
    size = problem.lattice.size
    if size <= MOST_SHOWN:
        nodes = _looked_at(problem, list(problem.lattice), picked)
        satisfying = _as_levels(problem, [node.levels for node in nodes if node.satisfies])
        lowest = set(map(tuple, border(satisfying).tolist()))
        nodes = [replace(node, lowest=node.levels in lowest) for node in nodes]
        return _survey(problem, "all", nodes, _layers(problem, satisfying))
    # Whether starred rows pass, every node must be asked by itself.
    if size <= MOST_SEARCHED and not problem.starred:
        return _border(problem, picked)
    beside = [] if picked is None else [picked, *_beside(problem, picked)]
    return _survey(problem, "around", _looked_at(problem, beside, picked), ())


def _survey(
    problem: SearchProblem, shown: Shown, nodes: Sequence[SurveyedNode], layers: tuple[Layer, ...]
) -> Survey:
    return Survey(
        columns=problem.table.names,
        measure=problem.measure.name,
        size=problem.lattice.size,
        shown=shown,
        nodes=tuple(nodes),
        layers=layers,
    )


def _looked_at(
    problem: SearchProblem, nodes: Sequence[tuple[int, ...]], chosen: tuple[int, ...] | None
) -> list[SurveyedNode]:
    judged = judge(problem, nodes)
    found = [
        SurveyedNode(
            levels=tuple(levels),
            satisfies=satisfies,
            lowest=False,
            chosen=tuple(levels) == chosen,
            suppressed_rows=suppressed,
            score=score if satisfies else None,
        )
        for levels, satisfies, suppressed, score in zip(
            nodes,
            judged.satisfies.tolist(),
            judged.suppressed_rows.tolist(),
            judged.scores.tolist(),
            strict=True,
        )
    ]
    return sorted(found, key=lambda node: (node.height, tuple(-level for level in node.levels)))


def _beside(problem: SearchProblem, chosen: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the nodes that the spec allows one level of one column away."""
    return [
        (*chosen[:position], level, *chosen[position + 1 :])
        for position, column in enumerate(problem.table.columns)
        for level in (chosen[position] - 1, chosen[position] + 1)
        if column.min_level <= level <= column.max_level
    ]


def _border(problem: SearchProblem, chosen: tuple[int, ...] | None) -> Survey:
    # Which nodes satisfy does not depend on the measure, and this one is quick.
    by_height = replace(problem, measure=Height())
    satisfying = Box().search(by_height, all_nodes=True, threads=os.cpu_count() or 1).satisfying
    assert satisfying is not None, "all nodes were requested"
    every = border(satisfying)
    lowest = every[np.argsort(every.sum(axis=1), kind="stable")[:_MOST_RANKED]]
    ranked = lowest[problem.order(lowest, judge(problem, lowest.tolist()).scores)]
    positions: Counter[int] = Counter()
    listed = [] if chosen is None else [chosen]
    for levels in map(tuple, ranked.tolist()):
        positions[sum(levels)] += 1
        if positions[sum(levels)] <= PER_LAYER and levels != chosen:
            listed.append(levels)
    known = set(map(tuple, every.tolist()))
    nodes = [replace(node, lowest=node.levels in known) for node in _looked_at(problem, listed, chosen)]
    nodes.sort(key=lambda node: (node.height, problem.rank(node.levels, _score(node))))
    return _survey(problem, "border", nodes, _layers(problem, satisfying))


def _score(node: SurveyedNode) -> float:
    return float("inf") if node.score is None else node.score


def _as_levels(problem: SearchProblem, nodes: Sequence[tuple[int, ...]]) -> NDArray[np.uint8]:
    return np.array(nodes, dtype=np.uint8).reshape(-1, len(problem.table.columns))


def _layers(problem: SearchProblem, satisfying: NDArray[np.uint8]) -> tuple[Layer, ...]:
    """Count the nodes of every height."""
    bottom = sum(column.min_level for column in problem.table.columns)
    every = np.ones(1, dtype=np.int64)
    for column in problem.table.columns:
        every = np.convolve(every, np.ones(column.max_level - column.min_level + 1, dtype=np.int64))

    def counted(nodes: NDArray[np.uint8]) -> list[int]:
        heights = nodes.sum(axis=1, dtype=np.int64) - bottom
        return [int(count) for count in np.bincount(heights, minlength=len(every))]

    return tuple(
        Layer(bottom + position, int(nodes), those, lowest)
        for position, (nodes, those, lowest) in enumerate(
            zip(every, counted(satisfying), counted(border(satisfying)), strict=True)
        )
    )


def _many(count: int) -> str:
    return f"{count:,}" if count < 10**9 else f"{count:.3g}"
