"""Drawing many values at once, by weights that may differ from group to group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


def pick(weights: ArrayLike, quantiles: Floats, group: Codes | None = None) -> Codes:
    """Return the value at each quantile, by the row of `weights` that its group names.

    Parameters
    ----------
    weights
        Not negative: one per value, or one row of them per group. They need not sum to 1.
    quantiles
        Numbers in [0, 1), one per person.
    group
        For each person the row of `weights`.

    Examples
    --------
    >>> pick([1, 1, 2], np.array([0.0, 0.3, 0.6, 0.9])).tolist()
    [0, 1, 2, 2]
    >>> pick([[1, 0], [0, 1]], np.array([0.5, 0.5]), np.array([0, 1], np.int32)).tolist()
    [0, 1]
    """
    table = np.atleast_2d(np.asarray(weights, float))
    groups, values = table.shape
    upper = np.cumsum(table, axis=1)
    upper /= upper[:, -1:]
    if group is None:
        return np.searchsorted(upper[0, :-1], quantiles, side="right").astype(np.int32)
    # The groups' cumulative shares, one after the other, are one rising line: one search serves all.
    line = (upper + np.arange(groups)[:, None]).ravel()
    found: Codes = (np.searchsorted(line, group + quantiles, side="right") - group * values).astype(np.int32)
    return np.minimum(found, np.int32(values - 1))


def skewed(values: int, exponent: float) -> Floats:
    """Return Zipf's weights: the value of rank r has weight 1 / r^exponent.

    Examples
    --------
    >>> skewed(3, 1).round(2).tolist()
    [1.0, 0.5, 0.33]
    """
    return np.arange(1, values + 1, dtype=float) ** -exponent


Weights: TypeAlias = Callable[[int], Floats]
"""The weights of so many values."""


def zipf(exponent: float) -> Weights:
    """Weigh the values by Zipf's law, falling; an exponent of 0 makes them equal."""
    return lambda values: skewed(values, exponent)


def fading(half: float) -> Weights:
    """Weigh the values so that each is half as frequent as the one `half` positions before it.

    Examples
    --------
    >>> fading(2)(5).round(2).tolist()
    [1.0, 0.71, 0.5, 0.35, 0.25]
    """
    return lambda values: 0.5 ** (np.arange(values) / half)


def scattered(weights: Weights) -> Weights:
    """Mix frequent and rare values, in an order drawn once for all."""
    return lambda values: np.random.default_rng(values).permutation(weights(values))


def shares(*percent: float, tail: float = 1.0) -> Weights:
    """Give the first values these percentages; the others share the rest by Zipf's law.

    Examples
    --------
    >>> shares(70, 10, tail=0)(4).tolist()
    [70.0, 10.0, 10.0, 10.0]
    """

    def weigh(values: int) -> Floats:
        others = skewed(values - len(percent), tail)
        return np.concatenate([percent, others * ((100 - sum(percent)) / others.sum())])

    return weigh


def curve(*heights: float) -> Weights:
    """Weigh values by straight lines between heights that are evenly spaced over the values.

    Examples
    --------
    >>> curve(0, 4, 2)(5).tolist()
    [0.0, 2.0, 4.0, 3.0, 2.0]
    """
    at = np.linspace(0, 1, len(heights))
    return lambda values: np.interp(np.linspace(0, 1, values), at, heights)


def coded(codes: Codes, labels: Sequence[str]) -> pa.DictionaryArray:
    """Return the column with these codes and labels."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(labels, pa.string()))
