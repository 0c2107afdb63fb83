"""Discernability: how many rows each row cannot be told from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.encode.table import CodedTable
from shoal.measure.measure import Costs, MeasureDefaults, Node
from shoal.measure.untouched_classes import untouched_classes


@dataclass(frozen=True, slots=True)
class Discernability(MeasureDefaults):
    """The sum of n^2 over kept classes of n rows, plus N for each suppressed row of the N rows.

    From N (all rows distinct) to N^2. Classes of 3, 2 and 1 rows with the last suppressed cost 9 + 4 + 6 =
    19.

    References
    ----------
    R. Bayardo and R. Agrawal, "Data privacy through optimal k-anonymization", ICDE 2005.
    """

    name: ClassVar[str] = "discernability"
    summary: ClassVar[str] = "How many rows each row cannot be distinguished from; N for a suppressed one."
    extent: ClassVar[str] = "N to N^2"
    monotone: ClassVar[bool] = False
    weighted: ClassVar[bool] = False

    def score(self, node: Node) -> float:
        kept = sum(size * size for size, kept in zip(node.sizes, node.kept, strict=True) if kept)
        return float(kept + node.table.rows * node.suppressed_rows)

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return Costs(term="kept-squares")

    def ends(self, table: CodedTable, k: int | None) -> tuple[float, float] | None:
        return _ends(table)


@dataclass(frozen=True, slots=True)
class MonotoneDiscernability(MeasureDefaults):
    """The sum of n^2 over all classes of n rows, kept or not.

    From N (all rows distinct) to N^2. Classes of 3, 2 and 1 rows cost 9 + 4 + 1 = 14, whatever is
    suppressed. Leaving suppression out makes it monotone.
    """

    name: ClassVar[str] = "discernability-monotone"
    summary: ClassVar[str] = "How many rows each row cannot be distinguished from, suppressed or not."
    extent: ClassVar[str] = "N to N^2"
    monotone: ClassVar[bool] = True
    weighted: ClassVar[bool] = False

    def score(self, node: Node) -> float:
        return float(sum(size * size for size in node.sizes))

    def costs(self, table: CodedTable, k: int | None) -> Costs:
        return Costs(term="squares")

    def ends(self, table: CodedTable, k: int | None) -> tuple[float, float] | None:
        return _ends(table)


def _ends(table: CodedTable) -> tuple[float, float] | None:
    if table.bottom is not None:
        return None
    _, sizes = untouched_classes(table)
    counts = sizes.astype(float)  # the squares of billions of rows are beyond whole numbers of 64 bits
    return float(counts @ counts), float(table.rows) ** 2
