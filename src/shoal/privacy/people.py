"""What a class tells where people are counted and have several rows, and so may have several values.

For a class of n people, c is for each value how many of them have it in at least one row, and s = c / n. An
attacker who knows that somebody is in the class is right with the probability s in saying "this person has
that value". The shares s add up to more than 1 where people have several values; p is the same for the whole
table. What models that were defined for one value per person make of it:

- Models that bound the share of each value (alpha-k, beta-likeness, delta-disclosure) bound s.
- Diversity is that of the worst reading (`worst_reading`), where each person is read as having one value.
- Closeness is the usual distance of what is alike in number, and the difference in number
  (`total_distance`).

With one value per person all of them are the classic definitions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def worst_reading(counts: IntArray, people: IntArray) -> IntArray:
    """Read each person of a class as having one value, in the way that is the least diverse.

    The values are sorted by how many people have them, and filled up: r1 = c1, r2 = min(c2, n - r1), and so
    on until all n people have one. No choice of one value per person is more uneven: every other one is
    majorized by it, so whatever falls with unevenness, as each kind of diversity does, is least here.

    Parameters
    ----------
    counts
        By class and value, how many people have the value; a person may count for several.
    people
        By class, how many there are.

    Returns
    -------
    array
        By class, falling, how many are read as having the same value; they add up to the people.

    Examples
    --------
    Six people who all have HIV and another diagnosis each: they may be read as all having the same. Of four
    people three have a cold and three have flu: at worst it is three and one.

    >>> worst_reading(np.array([[1, 1, 2, 2, 6], [3, 3, 0, 0, 0]]), np.array([6, 4])).tolist()
    [[6, 0, 0, 0, 0], [3, 1, 0, 0, 0]]
    """
    falling = np.sort(counts, axis=1)[:, ::-1]
    before = np.cumsum(falling, axis=1) - falling
    return np.asarray(np.clip(people[:, np.newaxis] - before, 0, falling))


def total_distance(
    moved: FloatArray, values: FloatArray, people: IntArray, all_values: float, everybody: int
) -> FloatArray:
    """Return how far classes are from the table: what moves, and what is more in one than in the other.

    With S values per person in a class and P in the table, shares of the values q = s / S and p' = p / P, and
    their earth mover's distance EMD(q, p'):

        D = min(S, P) EMD(q, p') + |S - P|

    What is more in one than in the other must appear or vanish, which costs as much as the largest distance,
    1. So how many values people have counts as something that is learnt. With equal distances, D is at least
    |s - p| for every value.

    Parameters
    ----------
    moved
        By class EMD(q, p') times `values` and `all_values`.
    values, people
        By class the sum of the counts, and how many people there are.
    all_values, everybody
        The same of the table.

    Examples
    --------
    Six people with two values each, in a table of 24 people with 30 values: 2 - 1.25 cannot be moved. If half
    of what they have in common has to move too, that is 1.25 / 2 more.

    >>> total_distance(np.array([0.5 * 12 * 30]), np.array([12.0]), np.array([6]), 30, 24).tolist()
    [1.375]
    """
    here, there = values * everybody, all_values * people
    scale = np.maximum(np.maximum(here, there), 1)
    return np.asarray(moved / scale + np.abs(here - there) / np.maximum(people * everybody, 1))
