"""Which people the labels of classes cover: those whose values are all under the labels of a class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.describe.label_cover import Cover, IntArray

_MOST_PEOPLE = 1 << 16
"""People who are compared at once."""


def covered_people(
    values: Sequence[IntArray], covers: Sequence[Cover], classes: Sequence[IntArray]
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield pairs of a person and a class whose labels cover the person.

    Parameters
    ----------
    values
        For each column the position of every person's value.
    covers
        For each column the positions that each label covers.
    classes
        For each column the label of every class. No two classes have the same labels in all columns.

    Examples
    --------
    Two people, of 25 and 31. One class has the label 25, and one a label that covers both.

    >>> cover = Cover.of(np.array([0, 1, 1]), np.array([0, 0, 1]), labels=2)
    >>> [(person, of)] = covered_people([np.array([0, 1])], [cover], [np.array([0, 1])])
    >>> person.tolist(), of.tolist()
    ([0, 0, 1], [0, 1, 1])
    """
    if not len(classes[0]):
        return
    # The labels of classes column by column, as a tree: a node has the same labels in the columns so far.
    prefixes = np.zeros(len(classes[0]), dtype=np.int64)
    steps = []
    for cover, labels in zip(covers, classes, strict=True):
        nodes, prefixes = np.unique(prefixes * len(cover.counts) + labels, return_inverse=True)
        order = np.argsort(cover.positions, kind="stable")
        steps.append((nodes, len(cover.counts), cover.positions[order], cover.owners[order]))
    class_of = np.empty(len(prefixes), dtype=np.int64)
    class_of[prefixes] = np.arange(len(prefixes))
    for start in range(0, len(values[0]), _MOST_PEOPLE):
        people = np.arange(start, min(start + _MOST_PEOPLE, len(values[0])))
        at = np.zeros(len(people), dtype=np.int64)
        for of_column, (nodes, count, positions, owners) in zip(values, steps, strict=True):
            first = np.searchsorted(positions, of_column[people])
            found = np.searchsorted(positions, of_column[people], side="right") - first
            again = np.repeat(np.arange(len(people)), found)
            within = np.arange(len(again)) - np.repeat(np.cumsum(found) - found, found)
            keys = at[again] * count + owners[first[again] + within]
            place = np.minimum(np.searchsorted(nodes, keys), len(nodes) - 1)
            there = nodes[place] == keys
            people, at = people[again[there]], place[there]
        yield people, class_of[at]
