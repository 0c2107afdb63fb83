"""Column names that look the same: `name`, `Name`, ` na me`.

Beside a removed or generalized column, a column with a lookalike name may be a second copy of its values.
Programs differ in which of the two they read.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from shoal.invisible_letters import INVISIBLE


def folded(name: str) -> str:
    r"""Return a name without case, white space, invisible characters and Unicode's other forms of letters.

    Examples
    --------
    >>> folded(" Na\u200bme\t"), folded("nam\uff45\u3164"), folded("first_name")
    ('name', 'name', 'first_name')
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    plain = INVISIBLE.sub("", plain)
    return "".join(letter for letter in plain if unicodedata.category(letter)[0] not in "CZ")


def alike(names: Iterable[str], others: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Return the pairs of names that look the same: within `names`, and between `names` and `others`.

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
