"""Where a search begins: at level 0 if its tuples fit, otherwise above what single columns rule out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.search.counting_plan import Plan, Step, about, at_least, named
from shoal.search.frequency_sets import FrequencySets
from shoal.search.problem import SearchProblem


@dataclass(frozen=True, slots=True)
class Start:
    """How the search begins.

    Attributes
    ----------
    levels
        Where the entries are fetched, if they fit anywhere.
    problem
        The problem without entries, on the levels that single columns leave.
    steps
        What was found out for it.
    estimated
        Whether that took a scan.
    """

    levels: tuple[int, ...] | None
    problem: SearchProblem
    steps: tuple[Step, ...]
    estimated: bool = False

    @classmethod
    def of(
        cls,
        counts: FrequencySets,
        make_problem: Callable[[CodedTable], SearchProblem],
        most_entries: int,
        report: Callable[[str], None] | None = None,
    ) -> Start:
        """Find the lowest node whose entries fit, with one scan at most.

        Raises
        ------
        InputError
            The measure needs the tuples at level 0, and they do not fit.
        """
        domain = counts.domain
        whole = make_problem(domain)
        zero = (0,) * len(domain.columns)
        most = entries_at_most(domain, zero)
        if most <= most_entries:
            return cls(zero, whole, (Step(f"level 0: at most {most:,} tuples, which fit", None, most),))
        bottom = tuple(column.min_level for column in domain.columns)
        raised = raised_by_columns(whole)
        nodes = {zero: "level 0"}
        nodes.setdefault(bottom, "the lowest levels allowed")
        nodes.setdefault(raised, f"raised by single columns to {at_least(domain, raised)}")
        if report is not None:
            report("how many tuples there are")
        steps: list[Step] = []
        for (node, what), estimate in zip(nodes.items(), counts.estimate(list(nodes)), strict=True):
            size = min(estimate, entries_at_most(domain, node))
            fits = size <= most_entries
            room = "which fit" if fits else f"{most_entries:,} fit"
            steps.append(Step(f"{what}: {about(size)} tuples, {room}", named(domain, node), round(size)))
            if fits:
                return cls(node, whole, tuple(steps), estimated=True)
            if whole.measure.needs_tuples:
                raise InputError(
                    f"The measure '{whole.measure.name}' needs all tuples of the table, and they do not fit "
                    f"into memory.\nFound: {about(size)} tuples; {most_entries:,} fit.\n"
                    "Allow more memory, or use another measure, such as loss."
                )
        if raised == bottom:
            steps.append(Step("single columns rule out no level"))
        columns = tuple(
            replace(column, min_level=level) for column, level in zip(domain.columns, raised, strict=True)
        )
        return cls(None, make_problem(replace(domain, columns=columns)), tuple(steps), estimated=True)

    def plan(self, most_entries: int) -> Plan:
        """Return it as the first steps of a plan."""
        counts = {"estimate": int(self.estimated)}
        return Plan(self.problem.table.rows, most_entries, self.steps, counts=counts)


def entries_at_most(table: CodedTable, levels: Sequence[int]) -> int:
    """Return what the entries at a node cannot be more than: its tuples of labels, and the rows."""
    if table.units is not None:
        return table.rows
    tuples = math.prod(len(column.labels[level]) for column, level in zip(table.columns, levels, strict=True))
    return min(table.rows, tuples * math.prod(len(column.counts) for column in table.attributes.values()))


def raised_by_columns(problem: SearchProblem) -> tuple[int, ...]:
    """Return the lowest levels at which no column alone has too many rows under rare labels.

    Rows whose label has less than k rows are in classes of less than k, whatever the other columns do. If
    these are more than may be suppressed, no node with this level satisfies.
    """
    return tuple(_raised(column, problem.threshold, problem.limit) for column in problem.table.columns)


def _raised(column: CodedColumn, k: int, limit: int) -> int:
    for level in range(column.min_level, column.max_level):
        counts = column.label_counts(level)
        if int(counts[counts < k].sum()) <= limit:
            return level
    return column.max_level
