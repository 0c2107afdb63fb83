"""What a score means: between which ends it lies, and which columns it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.encode.cells import Cells
from shoal.encode.table import CodedTable
from shoal.measure.measure import IntArray, Measure, Node


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score with what it is to be read beside.

    Attributes
    ----------
    measure
        The measure with its parameters, in words.
    score
        What the node scores; smaller is better.
    untouched, suppressed
        What the table scores as it is, and where everything is suppressed; None where that is not known.
        A measure that ignores suppression scores every cell as covering everything instead.
    contributions
        What each column adds: they sum up to the score. None for what is no sum over columns.
    """

    measure: str
    score: float
    untouched: float | None
    suppressed: float | None
    contributions: Mapping[str, float] | None

    @property
    def between(self) -> str:
        """The two ends in words, such as `0 untouched, 1 fully suppressed`; nothing where not known."""
        if self.untouched is None or self.suppressed is None:
            return ""
        return f"{_plain(self.untouched)} untouched, {_plain(self.suppressed)} fully suppressed"

    def to_mapping(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "measure": self.measure,
            "score": self.score,
            "untouched": self.untouched,
            "suppressed": self.suppressed,
            "contributions": None if self.contributions is None else dict(self.contributions),
        }


def _plain(score: float) -> str:
    return f"{score:.0f}" if score == round(score) else f"{score:.6g}"


def explain(
    measure: Measure,
    table: CodedTable,
    cells: Sequence[Cells],
    lost: Sequence[IntArray],
    *,
    score: float,
    k: int | None = None,
) -> Explanation:
    """Explain the score of a recoded table, from counts alone.

    Parameters
    ----------
    cells
        The labels of each quasi-identifier.
    lost
        ``lost[column][label]`` counts the suppressed rows that have this label.
    score
        What the node scores, as the search found it.
    k
        The class size that every model needs at least.
    """
    ends = measure.ends(table, k)
    parts = measure.contributions(table, cells, lost)
    return Explanation(
        measure=measure.describe(),
        score=score,
        untouched=None if ends is None else ends[0],
        suppressed=None if ends is None else ends[1],
        contributions=None if parts is None else dict(zip(table.names, parts, strict=True)),
    )


def explain_node(measure: Measure, node: Node) -> Explanation:
    """Explain the score of a node whose classes are at hand."""
    return explain(
        measure, node.table, node.cells, node.suppressed_labels(), score=measure.score(node), k=node.k
    )
