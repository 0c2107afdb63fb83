"""Which people the labels of classes cover: those whose values are all under the labels of a class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.describe.label_cover import Cover, IntArray

_MOST_PEOPLE = 1 << 13
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
        steps.append(_Step(nodes, cover))
    class_of = np.empty(len(prefixes), dtype=np.int64)
    class_of[prefixes] = np.arange(len(prefixes))
    for start in range(0, len(values[0]), _MOST_PEOPLE):
        people = np.arange(start, min(start + _MOST_PEOPLE, len(values[0])))
        at = np.zeros(len(people), dtype=np.int64)
        for of_column, step in zip(values, steps, strict=True):
            again, at = step.down(at, of_column[people])
            people = people[again]
        yield people, class_of[at]


class _Step:
    """From the nodes of a tree to those below them whose label covers a value.

    Parameters
    ----------
    nodes
        For each node below, the number of the one above times the number of labels, plus its label; sorted.
    """

    def __init__(self, nodes: IntArray, cover: Cover) -> None:
        self.nodes = nodes
        self.labels = len(cover.counts)
        order = np.argsort(cover.positions, kind="stable")
        self.positions, self.owners = cover.positions[order], cover.owners[order]
        self.size = int(cover.positions.max(initial=0)) + 1
        self.covered = np.sort(cover.owners * self.size + cover.positions)

    def down(self, at: IntArray, values: IntArray) -> tuple[IntArray, IntArray]:
        """Return which of the pairs of a node and a value go on, and the nodes below."""
        first = np.searchsorted(self.positions, values)
        labels = np.searchsorted(self.positions, values, side="right") - first
        child = np.searchsorted(self.nodes, at * self.labels)
        children = np.searchsorted(self.nodes, (at + 1) * self.labels) - child
        # A value may have many labels, and a node many below it: whichever are fewer are tried.
        if labels.sum() <= children.sum():
            again, places = _spread(first, labels)
            keys = at[again] * self.labels + self.owners[places]
            there, found = _found(self.nodes, keys)
            return again[there], found[there]
        again, places = _spread(child, children)
        label = self.nodes[places] - at[again] * self.labels
        there = (values[again] < self.size) & _found(self.covered, label * self.size + values[again])[0]
        return again[there], places[there]


def _spread(first: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the numbers of ranges, each as often as it is long, and the places in them."""
    again = np.repeat(np.arange(len(counts)), counts)
    return again, np.arange(len(again)) + np.repeat(first - np.cumsum(counts) + counts, counts)


def _found(keys: IntArray, wanted: IntArray) -> tuple[NDArray[np.bool_], IntArray]:
    """Return which keys are among sorted ones, and the place of each there."""
    if not len(keys):
        return np.zeros(len(wanted), dtype=bool), np.zeros(len(wanted), dtype=np.int64)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return keys[places] == wanted, places
