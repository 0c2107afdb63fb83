"""What a release at a node would show: the risk that is left, and how much information is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shoal.measure.loss import Loss
from shoal.recode.released_classes import Verdict


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures that can be compared between specs with different models, measures and weights.

    Attributes
    ----------
    suppressed_rows, classes, smallest_class
        Rows that are suppressed, released classes (starred rows are one), and the rows (or people, where
        these are counted) of the smallest of them; 0 where nothing is released.
    highest_risk
        The chance to re-identify whoever is in the smallest class: 1 / its size. 0 where nothing is released.
    average_risk
        The mean of that chance over all who are released: classes / rows (or people, counted per class).
    loss
        The measure `loss` with all columns of the same weight, from 0 (untouched) to 1.
    """

    suppressed_rows: int
    classes: int
    smallest_class: int
    highest_risk: float
    average_risk: float
    loss: float


def figures(verdict: Verdict) -> Figures:
    """Count the classes that a reader of the release would see.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> from shoal.encode.table import CodedTable
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> from shoal.recode.full_domain import FullDomain
    >>> ages = code_column("age", pa.array([21, 25, 32, 38, 39]).dictionary_encode(), intervals(10, 20))
    >>> recoding = FullDomain({"age": 1})
    >>> found = figures(Verdict.of(CodedTable((ages,), 5), recoding, [KAnonymity(2)]))
    >>> found.highest_risk, found.average_risk
    (0.5, 0.4)
    """
    table = verdict.coded
    people = verdict.seen.people[verdict.seen.sizes > 0]
    alike = replace(table, columns=tuple(replace(column, weight=1.0) for column in table.columns))
    parts = Loss().contributions(alike, verdict.cells, verdict.lost)
    assert parts is not None, "loss is a sum over columns"
    smallest = int(people.min()) if len(people) else 0
    return Figures(
        suppressed_rows=verdict.suppressed_rows,
        classes=len(people),
        smallest_class=smallest,
        highest_risk=1 / smallest if smallest else 0.0,
        average_risk=len(people) / int(people.sum()) if smallest else 0.0,
        loss=float(sum(parts)),
    )
