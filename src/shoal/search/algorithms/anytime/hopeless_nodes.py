"""Which nodes have no satisfying specialization, remembered so that fewer nodes are checked.

All nodes below a hopeless one are hopeless, and none above one that is not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.search.status import Node

_WORD = 64
_MASK = (1 << _WORD) - 1


class Hopeless:
    """The nodes that were found out last, of either kind.

    A node is written as bits, for each column as many ones as its level is high. Then one node is below
    another where no bit is set in it that is not set in the other, and one operation compares 64 bits with
    those of a remembered node.

    Parameters
    ----------
    levels
        How many levels each column has.
    most
        How many nodes of either kind are remembered.

    Examples
    --------
    >>> known = Hopeless([3, 3])
    >>> known.add((1, 1), hopeless=True)
    >>> known.get((0, 1)), known.get((2, 1))
    (True, None)
    >>> known.add((2, 0), hopeless=False)
    >>> known.get((2, 1))
    False
    """

    def __init__(self, levels: Sequence[int], most: int = 1 << 13) -> None:
        self._bits: list[list[int]] = []
        width = 0
        for count in levels:
            self._bits.append([((1 << level) - 1) << width for level in range(count)])
            width += count - 1
        self._all = (1 << width) - 1
        words = max(1, -(-width // _WORD))
        self._above = _Recent(words, most)  # of hopeless nodes, the bits that they lack
        self._below = _Recent(words, most)  # of others, the bits that they have

    def get(self, node: Node) -> bool | None:
        """Return whether a node is hopeless; None if that does not follow from what is remembered."""
        bits = self._code(node)
        if self._above.has_apart(bits):
            return True
        return False if self._below.has_apart(self._all ^ bits) else None

    def add(self, node: Node, *, hopeless: bool) -> None:
        bits = self._code(node)
        if hopeless:
            self._above.add(self._all ^ bits)
        else:
            self._below.add(bits)

    def _code(self, node: Node) -> int:
        bits = 0
        for column, level in zip(self._bits, node, strict=True):
            bits |= column[level]
        return bits


class _Recent:
    """Sets of bits, the oldest of which make room for new ones."""

    def __init__(self, words: int, most: int) -> None:
        self._sets = np.zeros((words, most), dtype=np.uint64)
        self._count = 0
        self._next = 0

    def add(self, bits: int) -> None:
        for word in self._sets:
            word[self._next] = bits & _MASK
            bits >>= _WORD
        self._count = max(self._count, self._next + 1)
        self._next = (self._next + 1) % self._sets.shape[1]

    def has_apart(self, bits: int) -> bool:
        """Return whether a set has no bit in common with this one."""
        if not self._count:
            return False
        common: NDArray[np.uint64] = self._sets[0, : self._count] & np.uint64(bits & _MASK)
        for word in self._sets[1:]:
            bits >>= _WORD
            common |= word[: self._count] & np.uint64(bits & _MASK)
        return not common.all()
