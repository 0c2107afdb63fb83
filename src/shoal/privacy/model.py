"""What every privacy model declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class PrivacyModel(Protocol):
    """A requirement on the classes of a release.

    `absorbing` says that a passing class still passes after merging with any other class. Then
    generalizing never adds to the suppressed rows, and a search may tag whole parts of the lattice
    from one check.
    """

    name: ClassVar[str]
    absorbing: ClassVar[bool]

    @property
    def minimum_size(self) -> int:
        """The least rows that a class needs to pass; 1 where size does not matter."""
        ...

    def holds(self, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For each class, does it pass? `sizes` are the row counts of the classes."""
        ...

    def sql(self, relation: str, columns: Sequence[str]) -> str:
        """Return a query for the audit: one row, `failing` (classes) and `measured` (the figure reached).

        `relation` and `columns` stand in the query as they are: the caller has quoted them.
        """
        ...

    def describe(self) -> str:
        """Name the claim, such as `k-anonymity 5`."""
        ...

    def wording(self, measured: object) -> str:
        """Say the measured figure in words, such as `smallest class 5`."""
        ...

    def to_spec(self) -> dict[str, object]: ...

    @classmethod
    def from_spec(cls, argument: object) -> Self: ...
