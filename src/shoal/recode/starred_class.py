"""Starred rows: a class that anybody can see, so it must pass every model, as any other class must.

Suppressed rows that stay in the release have `*` in every quasi-identifier. A reader sees them as one class,
together with rows whose labels are all `*` anyway. If that class fails, more classes are starred with it, the
smallest first, until it passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.classes import Classes
from shoal.privacy.condition import ROUNDING
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import holding

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

_MOST_CELLS = 1 << 22
"""Entries of starred classes that are judged at once: each number of classes has its own copy of them."""


def star_classes(
    models: Sequence[PrivacyModel],
    classes: Classes,
    kept: BoolArray,
    *,
    labels: Sequence[NDArray[np.uint32]],
    alike: BoolArray,
    limit: int,
) -> tuple[BoolArray, bool]:
    """Star the classes that fail, and as many of the smallest others as it takes for them to pass as one.

    For a model that compares with a population, the people behind the starred rows are those who are in no
    other released class.

    Parameters
    ----------
    kept
        For each class, whether it passes by itself.
    labels
        For each quasi-identifier, the position of the label of every class among all labels; it settles which
        of two classes of one size comes first.
    alike
        For each class, whether its labels are all `*`, so that readers cannot tell it from starred rows.
    limit
        The most rows that may be starred.

    Returns
    -------
    tuple
        For each class whether it stays as it is, and whether the starred rows pass. Where they never do, the
        first is `kept`.

    Examples
    --------
    Three rows are alone, two of them in one class. With k = 3 they pass together; with k = 4 the smallest
    other class is starred with them, which takes a limit of 7 rows.

    >>> from shoal.privacy.grouped import group
    >>> from shoal.privacy.passing_classes import passing
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> classes = group(["a"] * 2 + ["b"] + ["c"] * 5 + ["d"] * 4)
    >>> for k, limit in (3, 3), (4, 7), (4, 6):
    ...     kept, passes = star_classes(
    ...         [KAnonymity(k)], classes, passing([KAnonymity(k)], classes),
    ...         labels=[np.arange(4, dtype=np.uint32)], alike=np.zeros(4, dtype=bool), limit=limit,
    ...     )
    ...     print(kept.tolist(), passes)
    [False, False, True, True] True
    [False, False, True, False] True
    [False, False, True, True] False
    """
    there = classes.sizes > 0
    gone = there & ~kept
    if not gone.any():
        return kept, True
    others = np.flatnonzero(there & kept & ~alike)
    keys = [label[others].astype(np.int64) for label in reversed(labels)]
    order = others[np.lexsort([*keys, classes.sizes[others]])]
    suppressed = int(classes.sizes[gone].sum()) + np.cumsum(classes.sizes[order])
    most = int(np.count_nonzero(suppressed <= limit))
    # The number of classes that must be starred before a class is; one of a population alone is in no other.
    rank = np.zeros(classes.count, dtype=np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    average = min((model.average_risk for model in models), default=np.inf)
    people = classes.people[order]
    for first, starred in _prefixes(classes, rank, most):
        passes = holding(models, starred)
        if average < np.inf:
            number = first + np.arange(starred.count)
            all_people = int(people.sum()) - np.append(0, np.cumsum(people))[number] + starred.people
            passes &= len(order) - number + 1 <= average * all_people * (1 + ROUNDING)
        if passes.any():
            return kept & ~(there & ~alike & (rank <= first + int(np.argmax(passes)))), True
    return kept, False


def _prefixes(classes: Classes, rank: IntArray, most: int) -> Iterator[tuple[int, Classes]]:
    """Yield the starred rows with 0, 1, 2, ... further classes, as classes of their own, in growing batches.

    The number of the first of each batch comes with it.
    """
    of_entries = rank[classes.of_rows]
    entries = np.argsort(of_entries, kind="stable")
    entries = entries[: np.searchsorted(of_entries[entries], most, side="right")]
    ends = np.searchsorted(of_entries[entries], np.arange(most + 1), side="right")
    people = {key: np.sort(rank[positions]) for key, positions in classes.of_population.items()}
    first, count = 0, 1
    while first <= most:
        count = max(min(count, most + 1 - first, _MOST_CELLS // max(int(ends[first]), 1)), 1)
        numbers = np.arange(first, first + count)
        rows = np.concatenate([entries[:end] for end in ends[numbers]])
        of_population = {
            key: np.repeat(np.arange(count), np.searchsorted(ranks, numbers, side="right"))
            for key, ranks in people.items()
        }
        yield (
            first,
            Classes(
                classes.table, np.repeat(np.arange(count), ends[numbers]), count, of_population, rows=rows
            ),
        )
        first, count = first + count, 2 * count
