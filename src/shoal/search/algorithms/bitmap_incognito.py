"""Incognito on bitmaps: one bit per row, classes by AND, generalizations by OR, sizes by counting bits.

H.-H. Kang, J.-M. Kim, G.-J. Na, S.-W. Lee, "Implementation of Bitmap Based Incognito and Performance
Evaluation", DASFAA 2007: section 3 for the search, section 4 for the switches.
The search itself is that of K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: Efficient Full-Domain
K-Anonymity", SIGMOD 2005, section 3: a node can satisfy only if it does so for every smaller set of columns.

Bitmaps pay off for nodes of few classes. With thousands of them, rolling up frequency sets is quicker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal import _kernel
from shoal.errors import InputError
from shoal.search.algorithms.incognito import Columns, candidates, named, refuse_large_subsets, subsets
from shoal.search.build_result import minimal, score
from shoal.search.capabilities import require_serves, served_by
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import Check, Counters, SearchListener, SearchResult
from shoal.search.status import SATISFIES, Node, Status

NODES_PER_CALL = 16
"""After so many nodes the listener hears of the progress."""

BLOCK_BYTES = _kernel.bitmap_block_rows // 8


@dataclass(frozen=True, slots=True)
class BitmapIncognito:
    """Incognito with bitmaps in place of group-by.

    Attributes
    ----------
    one_level
        Hold only the bitmaps of the labels of single columns, and make every node from them. Otherwise the
        bitmaps of the classes of whole nodes are held as well: those that satisfy, of this size of column
        sets and of the one before, and a node is made from one of them and one more column.
    reusing
        Use again what was just made. With `one_level`: the rows that share the labels of the first columns,
        so that a class costs one AND and not one for each column. Otherwise: the classes of a node, to make
        its generalizations by OR.
    pruning
        Stop counting a node as soon as it is sure to fail. The node then has no classes to reuse.
    budget
        Bytes that the bitmaps may take; what might need more is refused.
    record
        Also return the nodes in the order in which they were judged.
    """

    one_level: bool = True
    reusing: bool = True
    pruning: bool = True
    budget: int = 1 << 30
    record: bool = False
    name: ClassVar[str] = "bitmap-incognito"
    summary: ClassVar[str] = "Incognito that counts the bits of bitmaps; for nodes of few classes."
    exact: ClassVar[bool] = True
    complete: ClassVar[bool] = True
    absorbing_only: ClassVar[bool] = True
    sizes_only: ClassVar[bool] = True
    measures: ClassVar[tuple[str, ...]] = ()

    def search(
        self,
        problem: SearchProblem,
        *,
        all_nodes: bool = False,
        threads: int = 1,
        listener: SearchListener | None = None,
    ) -> SearchResult:
        start = perf_counter()
        require_serves(self, problem, all_nodes=all_nodes)
        subset_nodes = refuse_large_subsets(problem)
        self._refuse_beyond_budget(problem, all_nodes)
        columns = problem.table.columns
        judge: _Judge = _OneLevel(problem, self) if self.one_level else _Held(problem, self)
        survivors: dict[Columns, NDArray[np.bool_]] = {}
        checks: list[Check] = []
        checked = decided = 0
        for chosen in subsets(len(columns)):
            levels = [columns[c].max_level - columns[c].min_level + 1 for c in chosen]
            status = Status(levels)
            satisfying_here = checked_here = 0
            for node in by_height(candidates(survivors, chosen, levels)):
                if status.known[status.index(node)]:
                    continue
                satisfies = judge.satisfies(chosen, node)
                status.tag(node, satisfies=satisfies)
                checked_here += 1
                satisfying_here += satisfies
                if self.record:
                    checks.append(Check(_levels_of_all(problem, chosen, node), satisfies))
                if listener is not None and (checked + checked_here) % NODES_PER_CALL == 0:
                    listener(subset_nodes, decided + status.decided, None)
            checked += checked_here
            decided += status.size
            survivors[chosen] = status.mask(SATISFIES)
            judge.finish_subset(chosen, survivors[chosen])
        satisfying = status.satisfying()
        checker = NodeChecker(problem, Framework.basic())
        score(checker, minimal(satisfying) if problem.measure.monotone else satisfying)
        best = checker.best
        return SearchResult(
            levels=best.rank[-1] if best else None,
            score=best.score if best else None,
            suppressed_rows=best.suppressed_rows if best else 0,
            classes=best.classes if best else 0,
            counters=Counters(
                lattice=status.size,
                checked=checked,
                tagged_satisfying=len(satisfying) - satisfying_here,
                tagged_failing=status.size - len(satisfying) - (checked_here - satisfying_here),
                rollups=judge.rollups,
                scans=judge.scans,
                touched=judge.touched,
                peak_bytes=judge.peak_bytes,
                seconds=perf_counter() - start,
            ),
            satisfying=(satisfying + checker.lowest).astype(np.uint8) if all_nodes else None,
            subsets=named(problem, survivors),
            checks=tuple(checks),
        )

    def _refuse_beyond_budget(self, problem: SearchProblem, all_nodes: bool) -> None:
        needed = bytes_needed(problem, one_level=self.one_level)
        if needed <= self.budget:
            return
        fits = not self.one_level and bytes_needed(problem, one_level=True) <= self.budget
        others = served_by(problem.models, problem.measure, problem.suppression, all_nodes=all_nodes)
        raise InputError(
            f"The bitmaps of this table would take {_size(needed)}.\n"
            f"The budget is {_size(self.budget)}.\n"
            f"Raise the budget{', hold the bitmaps of single columns only (one_level)' if fits else ''}, or "
            f"use one of: {', '.join(name for name in others if name != self.name)}."
        )


def by_height(flags: NDArray[np.bool_]) -> Iterator[Node]:
    """Return the flagged nodes by height, those of a height by their levels.

    Examples
    --------
    >>> list(by_height(np.array([[False, True], [True, True]])))
    [(0, 1), (1, 0), (1, 1)]
    """
    nodes = np.argwhere(flags)
    return map(tuple, nodes[np.argsort(nodes.sum(axis=1), kind="stable")].tolist())


def bytes_needed(problem: SearchProblem, *, one_level: bool) -> int:
    """Return the most that the bitmaps of a search can take.

    Without `one_level` the classes of all nodes of two sizes of column sets may be held. A node has at most
    as many classes as rows or as combinations of labels, and a set of rows no more blocks than rows.
    """
    columns = problem.table.columns
    rows = problem.table.rows
    blocks = -(-rows // _kernel.bitmap_block_rows)
    labels = [
        [len(column.labels[level]) for level in range(column.min_level, column.max_level + 1)]
        for column in columns
    ]
    work_space = (len(columns) + 1) * blocks * (BLOCK_BYTES + 4)
    single = sum(map(sum, labels)) * blocks * BLOCK_BYTES + 4 * rows * len(columns) + work_space
    if one_level:
        return single
    nodes = _elementary([len(column) for column in labels])
    combinations = _elementary([sum(column) for column in labels])
    held = [8 + blocks * (BLOCK_BYTES + 4)]  # of no columns: all rows
    for size in range(1, len(columns) + 1):
        classes = min(nodes[size] * rows, combinations[size])
        of_classes = min(nodes[size] * rows, combinations[size] * blocks)
        held.append(classes * (8 + 4 * size) + of_classes * (BLOCK_BYTES + 4))
    return single + max(map(sum, pairwise(held)))


def _elementary(values: Sequence[int]) -> list[int]:
    """For every size, the sum over all choices of so many values of their product."""
    sums = [1]
    for value in values:
        sums = [a + value * b for a, b in zip([*sums, 0], [0, *sums], strict=True)]
    return sums


def _size(number: float) -> str:
    """Write bytes for people.

    Examples
    --------
    >>> _size(1 << 30), _size(1500)
    ('1.0 GB', '1.5 KB')
    """
    for unit in ("bytes", "KB", "MB", "GB"):
        if number < 1024:
            return f"{number:.1f} {unit}" if unit != "bytes" else f"{number:.0f} bytes"
        number /= 1024
    return f"{number:,.1f} TB"


class _Judge(Protocol):
    """Where the bitmaps of nodes come from."""

    scans: int
    rollups: int
    touched: int
    peak_bytes: int

    def satisfies(self, columns: Columns, node: Node) -> bool: ...
    def finish_subset(self, columns: Columns, survivors: NDArray[np.bool_]) -> None: ...


def _bitmap_table(problem: SearchProblem) -> _kernel.BitmapTable:
    columns, weights = problem.table.columns, problem.table.weights
    # A bitmap has a bit per row, so what was counted before becomes rows again.
    of_rows = slice(None) if weights is None else np.repeat(np.arange(len(weights)), weights.astype(np.int64))
    return _kernel.BitmapTable(
        codes=[
            c.codes[of_rows] if c.min_level == 0 else c.maps[c.min_level][c.codes[of_rows]] for c in columns
        ],
        maps=[[c.step(c.min_level, level) for level in range(c.min_level, c.max_level + 1)] for c in columns],
    )


class _OneLevel:
    """Every node from the bitmaps of single columns; nothing of it is kept."""

    def __init__(self, problem: SearchProblem, algorithm: BitmapIncognito) -> None:
        self._table = _bitmap_table(problem)
        self._k, self._limit = problem.threshold, problem.limit
        self._algorithm = algorithm
        self.scans = self.rollups = self.touched = 0
        self.peak_bytes = self._table.bytes

    def satisfies(self, columns: Columns, node: Node) -> bool:
        tally = self._table.count(
            columns,
            node,
            self._k,
            self._limit,
            reusing=self._algorithm.reusing,
            pruning=self._algorithm.pruning,
        )
        self.scans += 1
        self.touched += tally.words
        return tally.failing_rows <= self._limit

    def finish_subset(self, columns: Columns, survivors: NDArray[np.bool_]) -> None:
        """There is nothing to drop."""


class _Held:
    """Nodes from the classes of others, which are held."""

    def __init__(self, problem: SearchProblem, algorithm: BitmapIncognito) -> None:
        self._table = _bitmap_table(problem)
        self._k, self._limit = problem.threshold, problem.limit
        self._width = len(problem.table.columns)
        self._algorithm = algorithm
        self._held: dict[Columns, dict[Node, _kernel.ClassBitmaps]] = {(): {(): self._table.everything()}}
        self.scans = self.rollups = self.touched = 0
        self._bytes = self.peak_bytes = self._table.bytes + self._held[()][()].bytes

    def satisfies(self, columns: Columns, node: Node) -> bool:
        made = self._make(columns, node, pruning=self._algorithm.pruning)
        satisfies = made.tally.failing_rows <= self._limit
        wanted = len(columns) < self._width if satisfies else self._algorithm.reusing and not made.tally.cut
        if wanted:
            self._hold(columns, node, made.classes)
        return satisfies

    def finish_subset(self, columns: Columns, survivors: NDArray[np.bool_]) -> None:
        """Drop the classes of what fails, which is in no larger node, and those that served their purpose."""
        held = self._held.get(columns, {})
        for node in [node for node in held if not survivors[node]]:
            self._bytes -= held.pop(node).bytes
        if columns == tuple(range(self._width - len(columns), self._width)):  # the last set of its size
            for smaller in [smaller for smaller in self._held if len(smaller) < len(columns)]:
                self._bytes -= sum(classes.bytes for classes in self._held.pop(smaller).values())

    def _hold(self, columns: Columns, node: Node, classes: _kernel.ClassBitmaps) -> None:
        self._held.setdefault(columns, {})[node] = classes
        self._bytes += classes.bytes
        self.peak_bytes = max(self.peak_bytes, self._bytes)

    def _make(self, columns: Columns, node: Node, *, pruning: bool) -> _kernel.CountedClasses:
        finer = self._specialization(columns, node) if self._algorithm.reusing else None
        if finer is not None:
            return self._generalize(finer, node, pruning=pruning)
        source, position = self._smaller(columns, node)
        self.scans += 1
        made = self._table.extend(
            source, columns[position], node[position], self._k, self._limit, pruning=pruning
        )
        self.touched += made.tally.words
        return made

    def _generalize(
        self, finer: _kernel.ClassBitmaps, node: Node, *, pruning: bool
    ) -> _kernel.CountedClasses:
        self.rollups += 1
        made = self._table.generalize(finer, node, self._k, self._limit, pruning=pruning)
        self.touched += made.tally.words
        return made

    def _specialization(self, columns: Columns, node: Node) -> _kernel.ClassBitmaps | None:
        """Find the fewest held classes that a node is a direct generalization of."""
        held = self._held.get(columns)
        if not held:
            return None
        below = ((*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level)
        return min((held[finer] for finer in below if finer in held), key=len, default=None)

    def _smaller(self, columns: Columns, node: Node) -> tuple[_kernel.ClassBitmaps, int]:
        """Find the classes of a node with one column less, and the position of the column it lacks.

        The more classes, the smaller the sets that are split by the column. A node that satisfies since
        another does was never judged, so its classes may have to be made now.
        """
        choices = []
        for position in range(len(columns)):
            smaller = columns[:position] + columns[position + 1 :]
            classes = self._held.get(smaller, {}).get(node[:position] + node[position + 1 :])
            if classes is not None:
                choices.append((len(classes), position, classes))
        if choices:
            _, position, classes = max(choices, key=lambda choice: choice[:2])
            return classes, position
        last = len(columns) - 1
        classes = self._make_again(columns[:last], node[:last])
        self._hold(columns[:last], node[:last], classes)
        return classes, last

    def _make_again(self, columns: Columns, node: Node) -> _kernel.ClassBitmaps:
        if self._algorithm.reusing:
            # It satisfies because one of these does.
            below = [
                classes
                for levels, classes in self._held[columns].items()
                if all(a <= b for a, b in zip(levels, node, strict=True))
            ]
            return self._generalize(min(below, key=len), node, pruning=False).classes
        classes = self._table.everything()
        for column, level in zip(columns, node, strict=True):
            made = self._table.extend(classes, column, level, self._k, self._limit, pruning=False)
            self.touched += made.tally.words
            classes = made.classes
        self.scans += 1
        return classes


def _levels_of_all(problem: SearchProblem, columns: Columns, node: Node) -> tuple[int | None, ...]:
    levels: list[int | None] = [None] * len(problem.table.columns)
    for column, level in zip(columns, node, strict=True):
        levels[column] = level + problem.table.columns[column].min_level
    return tuple(levels)
