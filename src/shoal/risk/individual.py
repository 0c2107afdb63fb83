"""What is expected of 1/F, where f rows of a class are in the table and F people in the population.

If everybody is in the table with the probability p, and nothing is known of F before, then F given f is
negative binomial: P(F = h) = C(h-1, f-1) p^f (1-p)^(h-f) for h >= f. The mean of 1/F under it is the
individual risk of Benedetti and Franconi:

    r(f) = p * integral of y^(f-1) / (p + (1-p) y) over y from 0 to 1,

so that r(1) = p ln(1/p) / (1-p), and r(f+1) = (1/f - r(f)) p / (1-p).

References
----------
R. Benedetti, L. Franconi, "Statistical and technological solutions for controlled data dissemination", New
Techniques and Technologies for Statistics, Sorrento, 1998.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.risk.class_sizes import IntArray

_BY_RECURRENCE = 30  # the series is slow for few rows of a small share; there each step shrinks the error
_NEGLIGIBLE = 1e-17


def expected_inverse(f: IntArray, p: float) -> NDArray[np.float64]:
    """Return what is expected of 1/F for classes of f rows, if a share p of the population is in the table.

    Examples
    --------
    A row that is alone in a table that holds every tenth of the population is one of four, about.

    >>> expected_inverse(np.array([1, 2, 10]), 0.1).round(4).tolist()
    [0.2558, 0.0827, 0.011]
    >>> expected_inverse(np.array([1, 2]), 1.0).tolist()
    [1.0, 0.5]
    """
    found = np.empty(len(f))
    few = (f <= _BY_RECURRENCE) & (p < 0.5)
    if few.any():
        found[few] = _by_recurrence(p)[f[few] - 1]
    found[~few] = p * _by_series(f[~few].astype(np.float64), 1 - p)
    return found


def _by_recurrence(p: float) -> NDArray[np.float64]:
    """Return r(1), r(2), ..."""
    found = [p * -math.log(p) / (1 - p)]
    for f in range(1, _BY_RECURRENCE):
        found.append((1 / f - found[-1]) * p / (1 - p))
    return np.array(found)


def _by_series(f: NDArray[np.float64], q: float) -> NDArray[np.float64]:
    """Return the integral as a series, the sum over m of q^m / f / C(f+m, m)."""
    term = 1 / f
    total = term.copy()
    m = 0
    while (term > _NEGLIGIBLE * total).any():
        m += 1
        term = term * q * m / (f + m)
        total += term
    return total
