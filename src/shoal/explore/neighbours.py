"""The nodes beside a chosen one, a level up or down in one column, and why each of them lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import InputError
from shoal.measure.measure import canonical
from shoal.search.judge_nodes import judge
from shoal.search.problem import SearchProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A node that differs from the chosen one by one level of one column.

    Attributes
    ----------
    levels
        Its level of every quasi-identifier.
    column, step
        Which column differs, and by what: +1 is a level up, -1 a level down.
    satisfies
        Whether its release would keep all that was asked for.
    within_spec
        Whether the spec allows this level at all.
    suppressed_rows, allowed_rows
        Rows in classes that may not be released, and how many of them may be suppressed.
    score
        By the quality measure, smaller is better; None where the node does not satisfy.
    reason
        Why it was not chosen, in words.
    """

    levels: dict[str, int]
    column: str
    step: int
    satisfies: bool
    within_spec: bool
    suppressed_rows: int
    allowed_rows: int
    score: float | None
    reason: str

    @property
    def level(self) -> int:
        """Its level of the column that differs."""
        return self.levels[self.column]

    def to_mapping(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "levels": dict(self.levels),
            "column": self.column,
            "step": self.step,
            "satisfies": self.satisfies,
            "within_spec": self.within_spec,
            "suppressed_rows": self.suppressed_rows,
            "allowed_rows": self.allowed_rows,
            "score": self.score,
            "reason": self.reason,
        }

    def render(self) -> str:
        """Return it as a line of text.

        Examples
        --------
        >>> Neighbour(
        ...     levels={"age": 2, "zip": 1}, column="age", step=1, satisfies=True, within_spec=True,
        ...     suppressed_rows=0, allowed_rows=0, score=0.5, reason="Scores 0.5 by loss, worse by 0.2.",
        ... ).render()
        'age up to level 2: scores 0.5 by loss, worse by 0.2.'
        """
        way = "up" if self.step > 0 else "down"
        return f"{self.column} {way} to level {self.level}: {self.reason[:1].lower()}{self.reason[1:]}"


def neighbours(problem: SearchProblem, levels: Sequence[int]) -> tuple[Neighbour, ...]:
    """Look at all nodes that are one level of one column away from a node, and tell why each lost.

    Parameters
    ----------
    problem
        What the search was asked. Its lattice may be of any size.
    levels
        The chosen level of each quasi-identifier.

    Returns
    -------
    tuple of Neighbour
        By column, first the level below and then the one above, as far as the hierarchies have them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.describe import intervals
    >>> from shoal.encode.column import code_column
    >>> from shoal.encode.table import CodedTable
    >>> from shoal.measure.loss import Loss
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> ages = code_column("age", pa.array([21, 25, 32, 38]).dictionary_encode(), intervals(10, 20))
    >>> problem = SearchProblem(CodedTable((ages,), 4), (KAnonymity(2),), Loss())
    >>> for neighbour in neighbours(problem, [1]):
    ...     print(neighbour.render())
    age down to level 0: 4 rows would have to be suppressed, and none may be.
    age up to level 2: scores 1 by loss, worse by 0.67.
    """
    chosen = tuple(levels)
    beside = list(_beside(problem, chosen))
    try:
        return _described(problem, chosen, beside)
    except InputError:
        # Below the lowest allowed level a table may be too wide to group.
        return _described(problem, chosen, [move for move in beside if _allowed(problem, *move)])


def _beside(problem: SearchProblem, chosen: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Give the position of a column and the level that it would have instead."""
    for position, (column, level) in enumerate(zip(problem.table.columns, chosen, strict=True)):
        if level > 0:
            yield position, level - 1
        if level < column.height:
            yield position, level + 1


def _allowed(problem: SearchProblem, position: int, level: int) -> bool:
    column = problem.table.columns[position]
    return column.min_level <= level <= column.max_level


def _described(
    problem: SearchProblem, chosen: tuple[int, ...], beside: Sequence[tuple[int, int]]
) -> tuple[Neighbour, ...]:
    nodes = [chosen, *((*chosen[:position], level, *chosen[position + 1 :]) for position, level in beside)]
    judged = judge(problem, nodes)
    first, *scores = [
        score if satisfies else None
        for score, satisfies in zip(judged.scores.tolist(), judged.satisfies.tolist(), strict=True)
    ]
    found = []
    for (position, level), node, score, suppressed in zip(
        beside, nodes[1:], scores, judged.suppressed_rows[1:].tolist(), strict=True
    ):
        within = _allowed(problem, position, level)
        reason = (
            _failing(problem, suppressed)
            if score is None
            else _outscored(problem, chosen, first, node, score)
        )
        if not within:
            reason = f"{_excluded(problem, position, level)} {_otherwise(reason)}"
        found.append(
            Neighbour(
                levels=dict(zip(problem.table.names, node, strict=True)),
                column=problem.table.names[position],
                step=level - chosen[position],
                satisfies=score is not None,
                within_spec=within,
                suppressed_rows=suppressed,
                allowed_rows=problem.limit,
                score=score,
                reason=reason,
            )
        )
    return tuple(found)


def _failing(problem: SearchProblem, suppressed: int) -> str:
    """Describe why a node does not satisfy."""
    if not suppressed:
        # Then it is a class that only a population has.
        return "A class that nobody in the table is in fails, and suppression cannot change that."
    if problem.starred and suppressed <= problem.limit:
        return (
            f"Stars {_rows(suppressed)}, which fail as a class; starring more until they pass takes more "
            f"than {problem.limit:,}, which are allowed."
        )
    if not problem.limit:
        return f"{_rows(suppressed)} would have to be suppressed, and none may be."
    return f"Suppresses {_rows(suppressed)}, {problem.limit:,} allowed."


def _outscored(
    problem: SearchProblem, chosen: tuple[int, ...], best: float | None, node: tuple[int, ...], score: float
) -> str:
    """Describe why a node that satisfies was not chosen."""
    scored = f"Scores {score:.6g} by {problem.measure.name}"
    if best is None:
        return f"{scored}, and satisfies, which the chosen node does not."
    mine, other = problem.rank(chosen, best), problem.rank(node, score)
    if canonical(score) != canonical(best):
        apart = f"{abs(score - best):.2g}"
        if other < mine:
            return f"{scored}, better by {apart}: what was chosen is not the best of all."
        return f"{scored}, worse by {apart}."
    rules = (
        "the lower node",
        "the smaller mean relative level",
        "the smaller levels, columns in their order",
    )
    position = next(position for position in range(1, 4) if mine[position] != other[position])
    if other < mine:
        return f"{scored}, a tie, which {rules[position - 1]} would have won."
    return f"{scored}, a tie, which goes to {rules[position - 1]}."


def _excluded(problem: SearchProblem, position: int, level: int) -> str:
    column = problem.table.columns[position]
    if level < column.min_level:
        return f"The spec allows no level below {column.min_level}."
    return f"The spec allows no level above {column.max_level}."


def _otherwise(reason: str) -> str:
    return f"Otherwise: {reason[:1].lower()}{reason[1:]}"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
