"""The uniques of a population by the shifted negative binomial model (SNB).

The classes of the population have 1 + X people, where X is negative binomial: the number of failures before
the success number a, of probability b. So a class is of one person with the probability b^a, and of K classes
K b^a are. If everybody is sampled with the probability f, then with d = (1-f) (1-b)

    E s(1) = K f (b / (1-d))^a (1 + a d / (1-d)),
    E s(2) = K f^2 a (1-b) b^a (2 - (1-a) d) / (2 (1-d)^(a+2))

classes have one and two rows in the sample. These are set equal to what the table has, and solved for a and
b; K, which includes the classes of which nobody is sampled, is estimated before, by Shlosser's estimator as
modified by Haas and Stokes:

    K = u + s(1) * (sum of j f^2 (1-f^2)^(j-1) s(j)) / (sum of (1-f)^j ((1+f)^j - 1) s(j))
          * ((sum of (1-f)^j s(j)) / (sum of j f (1-f)^(j-1) s(j)))^2.

There may be no a > 0 and 0 < b < 1 that solve both; then there is no estimate.

References
----------
G. Chen, S. Keller-McNulty, "Estimation of identification disclosure risk in microdata", Journal of Official
Statistics 14(1), 1998.
P. Haas, L. Stokes, "Estimating the number of classes in a finite population", Journal of the American
Statistical Association 93, 1998.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.risk.class_sizes import ClassSizes

FloatArray = NDArray[np.float64]

_STARTS = [(a, b) for a in (0.05, 0.3, 1.0, 3.0) for b in (0.02, 0.1, 0.4, 0.8)]
_STEPS = 200
_EXACT = 1e-8
_SMALL = 1e-6


def negative_binomial_uniques(sizes: ClassSizes, sampling_fraction: float) -> float | None:
    """Return how many people are alone in the population, or None if no parameters fit.

    Examples
    --------
    >>> sample = ClassSizes.of({1: 400, 2: 150, 3: 50, 5: 20, 9: 10})
    >>> round(negative_binomial_uniques(sample, 0.4))
    435
    """
    if sizes.uniques == 0 or sampling_fraction >= 1:
        return float(sizes.uniques)
    classes = population_classes(sizes, sampling_fraction)
    fitted = fit(classes, sizes.uniques, sizes.with_rows(2), sampling_fraction)
    return None if fitted is None else classes * fitted[1] ** fitted[0]


def population_classes(sizes: ClassSizes, f: float) -> float:
    """Return how many classes the population has, by the modified Shlosser estimator."""
    j, s = sizes.size.astype(np.float64), sizes.classes.astype(np.float64)
    missed = np.exp(j * np.log1p(-f))
    singled = j * f * np.exp((j - 1) * np.log1p(-f))
    weight = (j * f**2 * np.exp((j - 1) * np.log1p(-(f**2))) * s).sum()
    # (1-f)^j ((1+f)^j - 1), without a difference of large numbers
    by = ((np.exp(j * np.log1p(-(f**2))) - missed) * s).sum()
    ratio = (missed * s).sum() / (singled * s).sum()
    return float(sizes.count + sizes.uniques * weight / by * ratio**2)


def fit(classes: float, ones: int, twos: int, f: float) -> tuple[float, float] | None:
    """Return a and b so that so many classes of one and of two rows are expected; None if none do."""
    if twos == 0:
        return None
    for start in _STARTS:
        found = _newton(classes, ones, twos, f, start)
        if found is not None:
            return found
    return None


def _newton(
    classes: float, ones: int, twos: int, f: float, start: tuple[float, float]
) -> tuple[float, float] | None:
    """Solve by Newton's method for ln a and the logit of b, with steps halved until they help."""
    point = np.array([math.log(start[0]), math.log(start[1] / (1 - start[1]))])
    target = np.log([ones / classes, twos / classes])
    error = _errors(point, f, target)
    for _ in range(_STEPS):
        size = float(np.abs(error).max())
        if size < _EXACT:
            a, b = _parameters(point)
            return a, b
        slopes = np.column_stack(
            [
                (_errors(point + step, f, target) - _errors(point - step, f, target)) / (2 * _SMALL)
                for step in (np.array([_SMALL, 0]), np.array([0, _SMALL]))
            ]
        )
        if not np.isfinite(slopes).all() or abs(np.linalg.det(slopes)) < 1e-14:
            return None
        move = np.clip(np.linalg.solve(slopes, -error), -2, 2)
        for _ in range(30):
            trial = _errors(point + move, f, target)
            if np.isfinite(trial).all() and float(np.abs(trial).max()) < size:
                break
            move = move / 2
        else:
            return None
        point, error = point + move, trial
    return None


def _parameters(point: FloatArray) -> tuple[float, float]:
    return math.exp(min(point[0], 50)), 1 / (1 + math.exp(-min(max(point[1], -50), 50)))


def _errors(point: FloatArray, f: float, target: FloatArray) -> FloatArray:
    """Return by how much the logarithms of the expected shares of classes of one and two rows are off."""
    a, b = _parameters(point)
    d = (1 - f) * (1 - b)
    kept = 1 - d
    one = math.log(f) + a * math.log(b / kept) + math.log1p(a * d / kept)
    two = (
        2 * math.log(f)
        + math.log(a * (1 - b) / 2)
        + a * math.log(b)
        + math.log(2 - (1 - a) * d)
        - (a + 2) * math.log(kept)
    )
    return np.asarray(np.array([one, two]) - target)
