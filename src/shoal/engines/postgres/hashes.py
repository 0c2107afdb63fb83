"""The code of every row without a join: by hashes that tell all values of a column apart.

PostgreSQL takes four times as long to look a value up in a dimension table as to hash it. The values of each
column are known, and so are their hashes; as many bits are taken of these as make them all different. The
table is the same for the whole transaction, so that no other value can come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Numbers = NDArray[np.uint32]
IntArray = NDArray[np.int64]

_WORD = 62
_TABLE_BITS = 22
_UNKNOWN = np.uint32(2**32 - 1)
_AT_ONCE = 1 << 16


def hash_of(value: str) -> str:
    """Return SQL for the hash of a value."""
    return f"hashtextextended({value}::text, 0)"


@dataclass(frozen=True, slots=True, eq=False)
class HashedColumn:
    """A column of the input, and the codes of its values by some bits of their hashes.

    Attributes
    ----------
    value
        Its name in SQL.
    hashes, codes
        The bits of each value's hash, in order, and its code.
    null
        The code of NULL, if there is one.
    """

    value: str
    bits: int
    hashes: IntArray
    codes: Numbers
    null: int | None

    @classmethod
    def of(cls, value: str, hashed: pa.Table, null: int | None) -> HashedColumn | None:
        """Find how many bits are enough; None if two values have the same hash.

        Parameters
        ----------
        hashed
            The hashes of all values, and their codes.
        """
        hashes, codes = (column.to_numpy() for column in hashed.columns)
        for bits in range(max(len(hashes) - 1, 1).bit_length(), _WORD - 1):
            taken = hashes & ((1 << bits) - 1)
            order = np.argsort(taken)
            if (np.diff(taken[order]) > 0).all():
                return cls(value, bits, taken[order], codes[order].astype(np.uint32), null)
        return None

    @property
    def width(self) -> int:
        """How many bits a row takes: NULL has one of its own."""
        return self.bits + (self.null is not None)

    @property
    def sql(self) -> str:
        taken = f"{hash_of(self.value)} & {(1 << self.bits) - 1}"
        return f"({taken})" if self.null is None else f"coalesce({taken}, {1 << self.bits})"

    def decoded(self, words: IntArray, shift: int) -> Numbers:
        """Return the codes of rows whose hashes stand somewhere in a word; `_UNKNOWN` for other hashes."""
        hashes, codes = self.hashes, self.codes
        if self.null is not None:
            hashes, codes = np.append(hashes, 1 << self.bits), np.append(codes, np.uint32(self.null))
        table = np.full(1 << min(self.width, _TABLE_BITS), _UNKNOWN)
        if self.width <= _TABLE_BITS:
            table[hashes] = codes
        found = np.empty(len(words), dtype=np.uint32)
        # A piece at a time, which stays in the processor's own memory.
        for start in range(0, len(words), _AT_ONCE):
            piece = slice(start, start + _AT_ONCE)
            taken = (words[piece] >> shift) & ((1 << self.width) - 1)
            if self.width <= _TABLE_BITS:
                found[piece] = table[taken]
            else:
                position = np.minimum(np.searchsorted(hashes, taken), len(hashes) - 1)
                found[piece] = np.where(hashes[position] == taken, codes[position], _UNKNOWN)
        return found


class Words:
    """Whole numbers of 64 bits that hold the hashes of a row: as few as there is room in."""

    def __init__(self, columns: Sequence[HashedColumn]) -> None:
        self._columns = tuple(columns)
        self._words: list[list[int]] = []
        for position, column in enumerate(columns):
            room = (word for word in self._words if self._width(word) + column.width <= _WORD)
            word = next(room, None)
            if word is None:
                self._words.append(word := [])
            word.append(position)

    def __len__(self) -> int:
        return len(self._words)

    @property
    def sql(self) -> str:
        """What stands after SELECT."""
        return ", ".join(
            " | ".join(
                f"({self._columns[position].sql} << {shift})" for position, shift in self._shifted(word)
            )
            for word in self._words
        )

    def decoded(self, words: Sequence[IntArray]) -> list[Numbers] | None:
        """Return the codes of each column; None if there is a value that was not there before."""
        found: dict[int, Numbers] = {}
        for word, numbers in zip(self._words, words, strict=True):
            for position, shift in self._shifted(word):
                found[position] = self._columns[position].decoded(numbers, shift)
                if (found[position] == _UNKNOWN).any():
                    return None
        return [found[position] for position in range(len(self._columns))]

    def _width(self, word: Sequence[int]) -> int:
        return sum(self._columns[position].width for position in word)

    def _shifted(self, word: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Go through the columns of a word, each with the number of bits below it."""
        for number, position in enumerate(word):
            yield position, self._width(word[:number])
