"""Whether all programs read the same rows in a CSV file.

DuckDB takes `x,` for one cell where a table has one, and a quote inside a cell for a letter; others find
another cell there, or join lines. So a file that has classes of five for the one can have people who stand
alone for the other. What Shoal writes leaves no choice: a quoted cell begins and ends with its quotes, and is
one that needs them, lines end with a line feed, and each has as many cells as the header.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

_LINE_FEED, _RETURN = 10, 13
_HASH = ord("#")  # some programs take it for the start of a comment, so DuckDB and Spark quote it


def is_regular(
    blocks: Iterable[bytes], delimiter: str, quote: str, columns: int, *, written_by_shoal: bool = True
) -> bool:
    r"""Return whether every reader finds the same cells in a CSV file.

    Parameters
    ----------
    blocks
        The bytes of the file, in UTF-8.
    columns
        How many cells its header has.
    written_by_shoal
        Other tools may begin with a byte order mark, end lines in other ways, leave lines empty and put
        quotes around all cells: programs agree on these.

    Examples
    --------
    >>> is_regular([b'age,town\n"[0, 5)",Bath\n'], ",", '"', 2)
    True
    >>> is_regular([b"age,town\n3,Bath,\n"], ",", '"', 2), is_regular([b'a\nb"c\n'], ",", '"', 1)
    (False, False)
    >>> is_regular([b'town\n"Bath"\nBath\n'], ",", '"', 1)
    False
    """
    rest = b""
    for block in chain(blocks, [None]):
        if block is None and not rest:
            break
        data = rest + (b"\n" if block is None else block)  # the last line may end without
        cells = np.frombuffer(data, np.uint8)
        quotes = cells == ord(quote)
        inside = np.cumsum(quotes, dtype=np.uint8) & 1 == 1  # opening quotes too
        if not written_by_shoal:
            cells = np.where((cells == _RETURN) & ~inside, _LINE_FEED, cells)
        ends = np.flatnonzero((cells == _LINE_FEED) & ~inside)
        stop = int(ends[-1]) + 1 if ends.size else 0
        rest = data[stop:]
        if not _are_regular(
            cells[:stop], quotes[:stop], inside[:stop], ord(delimiter), columns, strict=written_by_shoal
        ):
            return False
    return not rest


def _are_regular(
    cells: NDArray[np.uint8],
    quotes: NDArray[np.bool_],
    inside: NDArray[np.bool_],
    delimiter: int,
    columns: int,
    *,
    strict: bool,
) -> bool:
    """Return the same for whole lines. A quote beside a quote is one that stands in the cell."""
    ends = (cells == delimiter) | (cells == _LINE_FEED)
    beside = ends | quotes
    opening, closing = np.flatnonzero(quotes & inside), np.flatnonzero(quotes & ~inside)
    if not (beside[opening[opening > 0] - 1].all() and beside[closing + 1].all()):
        return False
    returns = cells == _RETURN
    if (returns & ~inside).any():
        return False
    starts, stops = opening[~quotes[opening - 1] | (opening == 0)], closing[~quotes[closing + 1]]
    special = np.cumsum(quotes | returns | (cells == delimiter) | (cells == _LINE_FEED) | (cells == _HASH))
    if strict and ((special[stops - 1] == special[starts]) & (stops - starts > 1)).any():
        return False  # it would be the same without its quotes, for most programs
    outside = np.flatnonzero(ends & ~inside)
    between = cells[outside] == _LINE_FEED
    if not strict:
        after_end = np.concatenate([[True], between[:-1]])
        between = between[~(between & after_end & (np.diff(outside, prepend=-1) == 1))]  # no empty lines
    if between.size % columns:
        return False
    by_line = between.reshape(-1, columns)
    return bool(by_line[:, -1].all() and not by_line[:, :-1].any())
