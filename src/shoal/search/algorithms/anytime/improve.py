"""The way of an anytime search to good nodes: dive from the top, then search around the best."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

from shoal.search.algorithms.anytime.exploration import Exploration
from shoal.search.status import Node

_FIRST_NODES = 1 << 10
_MOST_NODES = 1 << 20
_ROUNDS_PER_SIZE = 4


def improve(on: Exploration) -> Iterator[int]:
    """Look for better nodes. It yields how many rounds were in vain since the best was found."""
    best, vain = on.best, 0
    for number in count():
        nodes = min(_FIRST_NODES << number // _ROUNDS_PER_SIZE, _MOST_NODES)
        for _ in search_around(on, Random(number), nodes=nodes, shake=number > 0):
            yield vain
        best, vain = (on.best, 0) if on.best is not best else (best, vain + 1)


def dive(on: Exploration) -> None:
    """Walk down from the top, each time along the column that gives the best score."""
    node = on.top
    able = [column for column, level in enumerate(node) if level > 0]
    while able:
        found: list[tuple[float, int]] = []
        for column in list(able):
            checked = on.check(_lowered(node, column))
            if checked.hopeless:
                able.remove(column)
            elif checked.satisfies:
                found.append((checked.score, column))
        if not found:
            return
        node = _lowered(node, min(found)[1])
        able = [column for column in able if node[column] > 0]


def search_around(on: Exploration, random: Random, *, nodes: int, shake: bool) -> Iterator[None]:
    """Free some columns of a node, hold the others, and search exactly; go on from what is found.

    It begins at the best node, and ends when the last few draws of columns found nothing better.

    Parameters
    ----------
    nodes
        The free columns have no more nodes than that.
    shake
        First put some columns to the top, so that the way need not end where it began.
    """
    columns = range(len(on.top))
    here = on.position(on.best.rank[-1]) if on.best else on.top
    if shake:
        shaken = set(random.sample(columns, min(len(columns), max(3, len(columns) // 4))))
        here = tuple(on.top[column] if column in shaken else level for column, level in enumerate(here))
    rank, failures = None, 0
    while failures <= len(columns) // 2:
        free = _draw(random, on.top, nodes)
        found = on.search(
            tuple(0 if column in free else level for column, level in enumerate(here)),
            tuple(on.top[column] if column in free else level for column, level in enumerate(here)),
        )
        if len(free) == len(columns):
            on.solved = True
        if found is not None and (rank is None or found.rank < rank):
            here, rank, failures = on.position(found.rank[-1]), found.rank, 0
        else:
            failures += 1
        yield


def _draw(random: Random, top: Node, nodes: int) -> set[int]:
    """Draw columns that together have no more nodes than that."""
    free: set[int] = set()
    left = nodes
    for column in random.sample(range(len(top)), len(top)):
        if top[column] < left:
            free.add(column)
            left //= top[column] + 1
    return free


def _lowered(node: Node, column: int) -> Node:
    return (*node[:column], node[column] - 1, *node[column + 1 :])
