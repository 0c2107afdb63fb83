"""Sums of 1 / (x + i), long ones too, and the digamma function that they are differences of."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_LARGE = 10.0  # from here on the asymptotic series is as exact as numbers are


def digamma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the digamma function of positive numbers: the derivative of the gamma function's logarithm.

    Examples
    --------
    At 1 it is minus Euler's constant, and one step on it is 1 more.

    >>> digamma(np.array([1.0, 2.0])).round(12).tolist()
    [-0.577215664902, 0.422784335098]
    """
    x = np.array(x, dtype=np.float64)
    total = np.zeros_like(x)
    while (small := x < _LARGE).any():
        total[small] -= 1 / x[small]
        x[small] += 1
    return np.asarray(total + np.log(x) - _below_log(x))


def sum_of_inverses(x: float, count: int) -> float:
    """Return the sum of 1 / (x + i) over i from 1 to `count`, for x > -1.

    As the difference of two digammas, but exact where x is so large that these are nearly the same.

    Examples
    --------
    >>> round(sum_of_inverses(0, 4), 12) == round(1 + 1 / 2 + 1 / 3 + 1 / 4, 12)
    True
    >>> round(sum_of_inverses(1e12, 3) * 1e12, 12)
    2.999999999994
    """
    total = 0.0
    while x < _LARGE and count > 0:
        x += 1
        count -= 1
        total += 1 / x
    first, last = x + 1, x + count + 1
    below = _below_log(np.array([first, last]))
    return total + math.log1p(count / first) + float(below[0] - below[1])


def _below_log(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much the digamma function is below the logarithm."""
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return np.asarray(0.5 / x + series)
