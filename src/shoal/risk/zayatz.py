"""Zayatz' estimate of the uniques of a population.

It takes the distribution of class sizes in the table for that in the population. A class of j people has one
of them in a random sample of n out of N with the hypergeometric probability

    h(j) = j n/N * product over i from 0 to j-2 of (N-n-i) / (N-1-i).

So if s(j) classes of the table have j rows, a row that is alone in it comes from a class of one with the
probability s(1) h(1) / sum of s(j) h(j). With s(1) such rows there are s(1) times that among the n sampled,
and N/n times as many in the population.

References
----------
L. Zayatz, "Estimation of the percent of unique population elements on a microdata file using the sample",
Statistical Research Division report 91/08, U.S. Bureau of the Census, 1991.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.risk.class_sizes import ClassSizes

_ZERO = -745.0  # the logarithm of what is too small for a number


def zayatz_uniques(sizes: ClassSizes, people: int) -> float:
    """Return how many of so many people are alone, if the table is a random sample of them.

    Examples
    --------
    Two rows alone and one pair, from a population of 8: h(1) = 4/8 and h(2) = 2 * 4/8 * 4/7. So a row that
    is alone is so in the population with the probability 2 * 1/2 / (2 * 1/2 + 4/7) = 7/11, and there are
    8/4 * 2 * 7/11 such people.

    >>> round(zayatz_uniques(ClassSizes.of({1: 2, 2: 1}), 8), 6)
    2.545455
    """
    n = sizes.rows
    alone = sizes.uniques
    if alone == 0 or people <= n:
        return float(alone)
    # After so many steps nothing is left of a product whose factors are at most 1 - n/N.
    steps = min(sizes.largest - 1, math.ceil(_ZERO / math.log1p(-n / people)), people - n)
    i = np.arange(steps, dtype=np.float64)
    products = np.concatenate([[0.0], np.cumsum(np.log(people - n - i) - np.log(people - 1 - i))])
    known = sizes.size <= steps + 1
    j = sizes.size[known]
    chances = j * np.exp(products[j - 1])  # h(j) N/n
    return float(alone * people / n * alone / (sizes.classes[known] * chances).sum())
