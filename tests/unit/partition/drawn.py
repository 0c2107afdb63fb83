"""Values that hypothesis draws, and what beta-likeness and t-closeness say of them, from the definitions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from shoal.partition.sensitive_values import SensitiveValues

BETAS = st.sampled_from([0.1, 0.5, 1, 2, 3, 10])


def upper(rows: int, of: int, beta: float) -> float:
    """Return the most of all shares that a value may have."""
    p = rows / of
    return p * (1 + min(beta, -math.log(p)))


def distances(values: SensitiveValues, distance: str) -> NDArray[np.float64]:
    """Return how far any two values are apart."""
    places = range(len(values.counts))
    if distance == "equal":
        return np.array([[float(a != b) for b in places] for a in places])
    if distance == "ordered":
        assert values.order is not None
        order = values.order.astype(float)
        return np.abs(order[:, np.newaxis] - order) / max(len(order) - 1, 1)
    levels = [list(places), *(labels.tolist() for labels in values.labels)]
    if len(set(levels[-1])) > 1:
        levels.append([0] * len(places))
    height = len(levels) - 1
    return np.array(
        [
            [next(level for level, of in enumerate(levels) if of[a] == of[b]) / height for b in places]
            for a in places
        ]
    )


def earth_moved(q: Sequence[float], p: Sequence[float], apart: NDArray[np.float64]) -> float:
    """Return the least cost of turning q into p, by a linear program."""
    size = len(p)
    out = np.kron(np.eye(size), np.ones(size))
    into = np.kron(np.ones(size), np.eye(size))
    found = linprog(apart.ravel(), A_eq=np.vstack([out, into])[:-1], b_eq=np.concatenate([q, p])[:-1])
    assert found.success
    return float(found.fun)


def in_runs(items: Sequence[int]) -> Iterator[list[Sequence[int]]]:
    """Yield every division of a sequence into runs of neighbours."""
    for cuts in range(len(items)):
        for at in combinations(range(1, len(items)), cuts):
            ends = (*at, len(items))
            yield [items[start:end] for start, end in zip((0, *at), ends, strict=True)]


def set_partitions(items: Sequence[int]) -> Iterator[list[list[int]]]:
    """Yield every division of a set."""
    if not items:
        yield []
        return
    for rest in set_partitions(items[1:]):
        yield [[items[0]], *rest]
        for place, group in enumerate(rest):
            yield [*rest[:place], [items[0], *group], *rest[place + 1 :]]
