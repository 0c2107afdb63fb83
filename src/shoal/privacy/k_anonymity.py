"""k-anonymity: every person hides among at least k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InputError


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every class has at least `k` rows.

    It stops re-identification by joining on the quasi-identifiers: whoever is looked for matches k rows
    or none. It does not stop learning a sensitive value that all rows of a class share.

    References
    ----------
    L. Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> KAnonymity(2).holds(np.array([1, 2, 3])).tolist()
    [False, True, True]
    """

    k: int
    name: ClassVar[str] = "k-anonymity"
    absorbing: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int | np.integer) or self.k < 1:
            raise InputError(f"k-anonymity needs a whole number k of at least 1.\nFound: {self.k!r}.")
        object.__setattr__(self, "k", int(self.k))

    @property
    def minimum_size(self) -> int:
        return self.k

    def holds(self, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
        return sizes >= self.k

    def sql(self, relation: str, columns: Sequence[str]) -> str:
        return (
            f"SELECT count(*) FILTER (n < {self.k}) AS failing, min(n) AS measured\n"
            f"FROM (SELECT count(*) AS n FROM {relation} GROUP BY {', '.join(columns)})"
        )

    def describe(self) -> str:
        return f"k-anonymity {self.k}"

    def wording(self, measured: object) -> str:
        return "no classes" if measured is None else f"smallest class {measured}"

    def to_spec(self) -> dict[str, object]:
        return {self.name: self.k}

    @classmethod
    def from_spec(cls, argument: object) -> Self:
        if not isinstance(argument, int):
            raise InputError(f"k-anonymity needs a whole number k of at least 1.\nFound: {argument!r}.")
        return cls(argument)
