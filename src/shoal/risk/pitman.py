"""Pitman's estimate of the uniques of a population.

Pitman's sampling formula gives the probability of class sizes by two parameters, 0 <= a < 1 and t > -a. It is
the same formula for the population and for any random sample of it. So the parameters that make the table the
most likely also tell what to expect of the population. With n rows in u classes, s(j) of them of j rows, the
log-likelihood is, up to a constant,

    L = sum over i < u of ln(t + i a) - sum over i < n of ln(t + i)
          + sum over j of s(j) * sum over i < j of ln(i - a),

all sums from i = 1. Of N people are alone, as an expectation,

    N * G(t+a+N-1) G(t+1) / (G(t+a) G(t+N)), about N^a G(t+1) / G(t+a), with the gamma function G.

If the likelihood falls with a from a = 0 on, the maximum is there: Ewens' formula, N t / (t + N - 1). There
is no maximum where all rows are alone (a goes to 1), nor where all are in one class; then there is no
estimate.

References
----------
N. Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official
Statistics 17(4), 2001.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from shoal.risk.class_sizes import ClassSizes
from shoal.risk.digamma import digamma, sum_of_inverses

_EWENS = 1e-6  # an `a` that is as good as 0
_LARGEST = 1e15  # a `t` beyond which classes of several rows would be a miracle
_EXACT = 1e-13


def pitman_uniques(sizes: ClassSizes, people: int) -> float | None:
    """Return how many of so many people are alone, or None if no parameters fit best.

    Examples
    --------
    >>> sample = ClassSizes.of({1: 400, 2: 120, 3: 50, 5: 24, 9: 10})
    >>> round(pitman_uniques(sample, 20_000))
    983
    >>> pitman_uniques(ClassSizes.of({1: 10}), 100) is None
    True
    """
    fitted = fit(sizes)
    if fitted is None:
        return None
    t, a = fitted
    log = math.lgamma(t + a + people - 1) - math.lgamma(t + people) + math.lgamma(t + 1) - math.lgamma(t + a)
    return min(math.exp(log) * people, float(people))


def fit(sizes: ClassSizes) -> tuple[float, float] | None:
    """Return the parameters t and a under which the class sizes are the most likely; None if none are."""
    u, n = sizes.count, sizes.rows
    if u in (n, 1):
        return None
    # The best t for a given a, and so one equation for a: does the likelihood still rise?
    low, high = _EWENS, 1 - 1e-9
    if _slope(sizes, low) <= 0:
        return _best_t(u, n, low), low
    if _slope(sizes, high) >= 0:
        return None
    a = _root(lambda a: _slope(sizes, a), low, high)
    t = _best_t(u, n, a)
    return (t, a) if t < _LARGEST else None


def _slope(sizes: ClassSizes, a: float) -> float:
    """Return the derivative of L by a, at the best t for that a."""
    u = sizes.count
    t = _best_t(u, sizes.rows, a)
    # The sum of i / (t + i a) is that of (1 - t / (t + i a)) / a.
    rising = (u - 1 - t / a * sum_of_inverses(t / a, u - 1)) / a
    falling = sizes.classes * (
        digamma(np.asarray(sizes.size - a, dtype=np.float64)) - digamma(np.array([1 - a]))
    )
    return rising - float(falling.sum())


def _best_t(u: int, n: int, a: float) -> float:
    """Return the t that makes the table the most likely for a given a: up to it the likelihood rises."""

    def slope(above: float) -> float:
        t = above - a
        return sum_of_inverses(t / a, u - 1) / a - sum_of_inverses(t, n - 1)

    low, high = 0.0, 1.0
    while high < _LARGEST and slope(high) > 0:
        low, high = high, high * 4
    return _root(slope, low, high) - a


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that is above 0 at the low end and below it at the high end crosses it."""
    while high - low > _EXACT * high:
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
