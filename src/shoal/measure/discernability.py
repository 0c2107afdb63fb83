"""Discernability: how many rows each row cannot be told from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.encode.table import CodedTable
from shoal.measure.measure import Costs, Node


@dataclass(frozen=True, slots=True)
class Discernability:
    """The sum of n^2 over kept classes of n rows, plus N for each suppressed row of the N rows.

    From N (all rows distinct) to N^2. Classes of 3, 2 and 1 rows with the last suppressed cost 9 + 4 + 6 =
    19.

    References
    ----------
    R. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
    """

    name: ClassVar[str] = "discernability"
    monotone: ClassVar[bool] = False
    weighted: ClassVar[bool] = False

    def score(self, node: Node) -> float:
        kept = sum(size * size for size, kept in zip(node.sizes, node.kept, strict=True) if kept)
        return float(kept + node.table.rows * node.suppressed_rows)

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return Costs(term="kept-squares")


@dataclass(frozen=True, slots=True)
class MonotoneDiscernability:
    """The sum of n^2 over all classes of n rows, kept or not.

    From N (all rows distinct) to N^2. Classes of 3, 2 and 1 rows cost 9 + 4 + 1 = 14, whatever is
    suppressed. Leaving suppression out makes it monotone.
    """

    name: ClassVar[str] = "discernability-monotone"
    monotone: ClassVar[bool] = True
    weighted: ClassVar[bool] = False

    def score(self, node: Node) -> float:
        return float(sum(size * size for size in node.sizes))

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return Costs(term="squares")
