"""The breadth-first search that bottom-up and Incognito share: by height, upwards, past what is known."""

from __future__ import annotations

from collections.abc import Sequence

from shoal import _kernel
from shoal.search.node_checker import NodeChecker
from shoal.search.status import SATISFIES, Node, Status

Roots = dict[Node, _kernel.Checked | None]
"""Nodes to begin with, each with what to roll it up from; from F0 where that is None."""


def breadth_first(
    checker: NodeChecker, columns: Sequence[int], roots: Roots, *, nodes: int, before: int = 0
) -> Status:
    """Find the satisfying nodes of some columns among the roots and all nodes above them.

    Parameters
    ----------
    columns
        The columns that take part; the others are left out of the frequency sets.
    nodes, before
        For the progress: nodes of the whole search, and those that were decided before.
    """
    levels = [checker.levels[column] for column in columns]
    status = Status(levels)
    waiting: list[Roots] = [{} for _ in range(sum(levels) - len(levels) + 1)]
    for root, source in roots.items():
        waiting[sum(root)][root] = source
    checker.progress = lambda: (nodes, before + status.decided)
    everywhere = list(checker.levels)  # one above the top: left out
    known, strides = status.known, status.strides
    for here in waiting:
        for node, source in here.items():
            index = status.index(node)
            if known[index]:
                continue
            for column, level in zip(columns, node, strict=True):
                everywhere[column] = level
            checked = checker.check(tuple(everywhere), source)
            status.tag(node, satisfies=checked.satisfies)
            if checked.satisfies:
                continue
            for axis, level in enumerate(node):
                if level + 1 < levels[axis] and known[index + strides[axis]] != SATISFIES:
                    above = (*node[:axis], level + 1, *node[axis + 1 :])
                    _offer(waiting[sum(above)], above, checked)
        here.clear()
    return status


def _offer(waiting: Roots, node: Node, source: _kernel.Checked) -> None:
    """Have a node wait with the smallest set that it can be rolled up from."""
    had = waiting.get(node)
    if had is None or source.classes < had.classes:
        waiting[node] = source
