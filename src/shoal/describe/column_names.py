"""Column names that readers take for the same: `name`, `Name`, ` na me`.

Beside a column that a release must not have, or beside one that it has generalized, such a column is a
second copy under another spelling. Programs differ in which of the two they read.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def folded(name: str) -> str:
    r"""Return a name without case, white space, invisible characters and Unicode's other forms of letters.

    Examples
    --------
    >>> folded(" Na\u200bme\t"), folded("nam\uff45"), folded("first_name")
    ('name', 'name', 'first_name')
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(letter for letter in plain if unicodedata.category(letter)[0] not in "CZ")


def alike(names: Iterable[str], others: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Return pairs of names that readers take for the same: within `names`, and of them with `others`.

    Examples
    --------
    >>> alike(["age", "Age", "sex"], ["name", "SEX"])
    [('Age', 'age'), ('sex', 'SEX')]
    """
    seen: dict[str, str] = {}
    pairs = []
    for name in names:
        first = seen.setdefault(folded(name), name)
        if first != name:
            pairs.append((name, first))
    pairs += [(seen[folded(other)], other) for other in others if folded(other) in seen]
    return pairs
