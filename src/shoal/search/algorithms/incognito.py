"""Incognito: what a few columns rule out, no larger set of columns has to look at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError
from shoal.search.algorithms.breadth_first import Roots, breadth_first
from shoal.search.build_result import result_of_decided
from shoal.search.capabilities import refuse_large, require_serves
from shoal.search.node_checker import Framework, NodeChecker
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchListener, SearchResult
from shoal.search.status import SATISFIES, Node, Status

MOST_COLUMNS = 16
"""Each further column doubles the sets of columns."""

Columns = tuple[int, ...]
Survivors = Mapping[Columns, NDArray[np.bool_]]
"""Per set of columns, a flag for each node of its lattice: does it satisfy?"""


@dataclass(frozen=True, slots=True)
class Incognito:
    """Search the lattices of all sets of columns, the small ones first.

    If a node of some columns fails, so does every node of more columns with the same levels (the subset
    property). So a node is a candidate only if all its subsets satisfy. The lattice of each set of columns is
    searched breadth-first from its lowest candidates, which are counted from F0; the others are rolled up.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005,
    section 3.1 and Figure 8.
    """

    framework: Framework = field(default_factory=Framework)
    name: ClassVar[str] = "incognito"
    summary: ClassVar[str] = "Search small sets of columns first, and only what they leave of larger ones."
    exact: ClassVar[bool] = True
    complete: ClassVar[bool] = True
    absorbing_only: ClassVar[bool] = True
    sizes_only: ClassVar[bool] = False
    measures: ClassVar[tuple[str, ...]] = ()

    def search(
        self,
        problem: SearchProblem,
        *,
        all_nodes: bool = False,
        threads: int = 1,
        listener: SearchListener | None = None,
    ) -> SearchResult:
        require_serves(self, problem, all_nodes=all_nodes)
        return search_subsets(problem, self.framework, Sources, all_nodes=all_nodes, listener=listener)


class Sources:
    """What the roots of the lattices are rolled up from. Here: each is counted from F0."""

    def __init__(self, checker: NodeChecker) -> None:
        self.checker = checker

    def of(self, columns: Columns, roots: Sequence[Node]) -> Roots:
        """Return the roots of the lattice of some columns, each with its source."""
        return dict.fromkeys(roots)

    def everywhere(self, columns: Columns, node: Node) -> Node:
        """Return a node of some columns as one of all columns, with the others left out."""
        levels = list(self.checker.levels)
        for column, level in zip(columns, node, strict=True):
            levels[column] = level
        return tuple(levels)


def search_subsets(
    problem: SearchProblem,
    framework: Framework,
    sources: type[Sources],
    *,
    all_nodes: bool,
    listener: SearchListener | None,
) -> SearchResult:
    """Search the lattices of all sets of columns, by size."""
    subset_nodes = refuse_large_subsets(problem)
    checker = NodeChecker(problem, framework, listener, absent=True, hand_out=True)
    source = sources(checker)
    survivors: dict[Columns, NDArray[np.bool_]] = {}
    status = Status(checker.levels)
    done = 0
    for columns in subsets(len(checker.levels)):
        left = candidates(survivors, columns, [checker.levels[column] for column in columns])
        status = breadth_first(
            checker, columns, source.of(columns, roots(left)), nodes=subset_nodes, before=done
        )
        survivors[columns] = status.mask(SATISFIES)
        done += status.size
    status.fail_the_rest()
    return result_of_decided(checker, status, all_nodes=all_nodes, subsets=named(problem, survivors))


def refuse_large_subsets(problem: SearchProblem) -> int:
    """Return how many nodes the lattices of all sets of columns have, if those are not too many."""
    columns = problem.table.columns
    nodes = math.prod(column.max_level - column.min_level + 2 for column in columns) - 1
    if len(columns) > MOST_COLUMNS:
        raise InputError(
            f"Incognito searches every set of columns, and goes up to {MOST_COLUMNS} columns.\n"
            f"Found: {len(columns)}, with {2 ** len(columns) - 1:,} sets and {nodes:,} nodes.\n"
            "Declare fewer quasi-identifiers, or use box."
        )
    refuse_large(problem, nodes, "the lattices of all sets of columns")
    return nodes


def named(problem: SearchProblem, survivors: Survivors) -> dict[tuple[str, ...], NDArray[np.uint8]]:
    """Return the satisfying nodes of every set of columns, by the names of the columns."""
    columns = problem.table.columns
    return {
        tuple(columns[position].name for position in chosen): (
            np.argwhere(flags) + [columns[position].min_level for position in chosen]
        ).astype(np.uint8)
        for chosen, flags in survivors.items()
    }


def subsets(columns: int) -> list[Columns]:
    """Return all sets of columns, by size.

    Examples
    --------
    >>> subsets(2)
    [(0,), (1,), (0, 1)]
    """
    return [chosen for size in range(1, columns + 1) for chosen in combinations(range(columns), size)]


def candidates(survivors: Survivors, columns: Columns, levels: Sequence[int]) -> NDArray[np.bool_]:
    """Return the nodes of some columns all of whose subsets satisfy, of one column all.

    Satisfying nodes are closed upwards, so this is what the paper's join and prune phases leave, and the
    direct generalizations among them are the edges of its graph.
    """
    flags = np.ones(levels, dtype=bool)
    if len(columns) > 1:
        for position in range(len(columns)):
            without = columns[:position] + columns[position + 1 :]
            flags &= np.expand_dims(survivors[without], position)
    return flags


def roots(flags: NDArray[np.bool_]) -> list[Node]:
    """Return the flagged nodes with no flagged direct specialization.

    Examples
    --------
    >>> roots(np.array([[False, True], [True, True]]))
    [(0, 1), (1, 0)]
    """
    lowest = flags.copy()
    for axis in range(flags.ndim):
        above = (slice(None),) * axis + (slice(1, None),)
        below = (slice(None),) * axis + (slice(-1),)
        lowest[above] &= ~flags[below]
    return [tuple(node) for node in np.argwhere(lowest).tolist()]
