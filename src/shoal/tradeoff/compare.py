"""Several specs on one table: each is searched, and what comes of it is measured in the same way."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, get_args

from shoal.encode.table import CodedTable
from shoal.engines.memory import Memory
from shoal.errors import InfeasibleError, InputError, Problem
from shoal.events import Listener, SearchAdvanced, Steps
from shoal.read.source import InputFormat
from shoal.search.algorithms.best_first import BestFirst
from shoal.search.frequency_sets import InMemory
from shoal.search.problem import SearchProblem
from shoal.session import judged
from shoal.spec.spec import SpecForm
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.resolve import require_spec
from shoal.strategies.strategy import Question, Strategy
from shoal.tradeoff.candidates import Candidate, candidates
from shoal.tradeoff.comparison import Comparison, Point, Risk
from shoal.tradeoff.figures import figures
from shoal.tradeoff.front import on_front
from shoal.tradeoff.linkable import linkable_notes
from shoal.tradeoff.tables import grouped, settled

if TYPE_CHECKING:
    from shoal.measure.measure import Measure, Node


def compare(
    data: object,
    specs: SpecForm | Sequence[SpecForm] | Mapping[str, SpecForm],
    *,
    ks: Sequence[int] = (),
    suppressions: Sequence[float] = (),
    recodings: str | Sequence[str | Mapping[str, object] | Strategy] = (),
    quality: Measure | str | Mapping[str, object] | Callable[[Node], float] | None = None,
    unit: str | None = None,
    keep_undeclared: bool = False,
    risk: Risk = "average",
    seconds: float | None = None,
    threads: int | None = None,
    input_format: InputFormat | None = None,
    listener: Listener | None = None,
) -> Comparison:
    """Find for each spec what its best release would be, and compare their risk and their loss.

    Nothing is released. The table is read and coded once for all specs whose quasi-identifiers have the same
    hierarchies, and its rows are grouped once for them.

    Parameters
    ----------
    data
        What `anonymize` takes.
    specs
        One or several specs, as `anonymize` takes them; as a mapping, specs by what they are called.
    ks
        Try each spec with each of these k. They take the place of its k-anonymity, or come beside its other
        models.
    suppressions
        Try each spec with each of these shares of rows that may be suppressed, in place of its own.
    recodings
        Try each spec with each of these recodings, in place of its own; `"all"` tries all that there are.
    quality
        What to optimize, in place of the specs' measures.
    unit
        The column that identifies the person, in place of the specs'; `none` if each row is a person.
    keep_undeclared
        Columns that a spec does not name are released unchanged, and so may single people out; otherwise they
        are dropped.
    risk
        The risk that the Pareto front is about: `average` or `highest`.
    seconds
        How long to search for each that would not end by itself: where the lattice is too large for an exact
        search, and for recodings whose search has a time. Otherwise their own time, or 10.
    threads
        How many a search may use; all processors if not given.
    input_format
        How the file of `data` is written, where that is not as the specs say.
    listener
        Called with what happens: see `shoal.events`.

    Returns
    -------
    Comparison
        A point for each spec. One that is infeasible has a point that says so.

    Raises
    ------
    InputError
        With everything that is wrong about the specs, the numbers or the table.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import shoal
    >>> people = pa.table({"age": [21, 25, 32, 38, 41, 49], "sex": ["F", "F", "M", "M", "F", "M"]})
    >>> spec = shoal.Spec(
    ...     quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
    ...     privacy=[shoal.KAnonymity(2)],
    ... )
    >>> found = shoal.compare(people, {"people": spec}, ks=[1, 2, 6])
    >>> for point in found.front:
    ...     print(point.name, point.levels, f"{point.average_risk:.3f}", f"{point.loss:.3f}")
    people k=6 {'age': 3, 'sex': 1} 0.167 1.000
    people k=2 {'age': 3, 'sex': 0} 0.333 0.500
    people k=1 {'age': 0, 'sex': 0} 1.000 0.000
    """
    problems = _argument_problems(risk, threads)
    if seconds is not None:
        try:
            BestFirst(seconds=seconds)
        except InputError as error:
            problems += error.problems
    chosen = candidates(
        specs,
        ks=ks,
        suppressions=suppressions,
        recodings=recodings,
        quality=quality,
        unit=unit,
        problems=problems,
    )
    if input_format is not None:
        chosen = [
            replace(one, spec=replace(one.spec, input=input_format.over(one.spec.input))) for one in chosen
        ]
    chosen = settled(data, chosen, problems, keep_undeclared=keep_undeclared)
    if problems:
        raise InputError(problems)

    steps = Steps(listener)
    processors = os.cpu_count() or 1
    search = _Search(seconds, min(threads or processors, processors), steps, listener is not None)
    points: dict[int, Point] = {}
    rows = 0
    for group in grouped(chosen):
        with group.open(data, listener) as session:
            problems_of_group = group.problems(session)
            for position, candidate, (problem, table) in zip(
                group.positions, group.candidates, problems_of_group, strict=True
            ):
                points[position] = search.point(candidate, problem, table)
                rows = problem.table.rows
    with steps("audit"):
        notes = tuple(linkable_notes(data, chosen))
    return Comparison(_marked([points[position] for position in sorted(points)], risk), risk, rows, notes)


class _Search:
    """How the best node of a problem is found, the same for all."""

    def __init__(self, seconds: float | None, threads: int, steps: Steps, heard: bool) -> None:
        self._seconds = seconds
        self._threads = threads
        self._steps = steps
        self._listener = self._advance if heard else None

    def _advance(self, nodes: int, decided: int, best: float | None) -> None:
        self._steps.report(SearchAdvanced(nodes, decided, best))

    def point(self, candidate: Candidate, problem: SearchProblem, table: CodedTable) -> Point:
        """Search, and measure what was found, judged on a table with the columns of all models."""
        point = Point(
            name=candidate.name,
            spec_name=candidate.spec_name,
            changes=candidate.changes,
            spec=candidate.spec,
            k=candidate.k,
            suppression=candidate.spec.suppression,
            quality=candidate.spec.quality.name,
            recoding=candidate.spec.recoding.name,
            rows=problem.table.rows,
        )
        strategy = candidate.spec.recoding
        if self._seconds is not None:
            strategy = _in_time(strategy, problem, self._seconds)
        with self._steps("search"):
            try:
                require_spec(strategy, candidate.spec)
                chosen = strategy.choose(
                    Question(
                        spec=candidate.spec,
                        counts=InMemory(problem.table),
                        make_problem=lambda counted: _about(problem, counted),
                        most_entries=Memory.most_entries,
                        threads=self._threads,
                        listener=self._listener,
                    )
                )
                verdict = judged(candidate.spec, table, chosen.recoding)
            except (InputError, InfeasibleError) as error:
                # Such as a budget that was too small: the others may do better.
                return replace(point, problem=_in_one_line(error.render()))
        levels = chosen.recoding.levels
        return replace(
            point,
            levels=None if levels is None else dict(levels),
            score=chosen.score,
            optimal=chosen.optimal,
            bound=None if chosen.optimal else chosen.bound,
            **asdict(figures(verdict)),
        )


def _in_time(strategy: Strategy, problem: SearchProblem, seconds: float) -> Strategy:
    """Return a strategy that stops after so many seconds, if its search would otherwise have its own time."""
    if isinstance(strategy, FullDomainSearch):
        return replace(strategy, algorithm=BestFirst(seconds=seconds)) if problem.too_large else strategy
    if "seconds" in getattr(strategy, "parameters", ()):
        timed: Any = strategy
        limited: Strategy = replace(timed, seconds=seconds)
        return limited
    return strategy


def _about(problem: SearchProblem, table: CodedTable) -> SearchProblem:
    """Return a problem of another table of the same columns; for its own table the one that shares F0."""
    return problem if table is problem.table else replace(problem, table=table)


def _marked(points: Sequence[Point], risk: Risk) -> tuple[Point, ...]:
    """Mark each point that is on the front."""
    there = [point for point in points if point.feasible]
    front = on_front(
        [
            ((point.average_risk if risk == "average" else point.highest_risk) or 0.0, point.loss or 0.0)
            for point in there
        ]
    )
    marks = {id(point): mark for point, mark in zip(there, front, strict=True)}
    return tuple(replace(point, on_front=marks.get(id(point), False)) for point in points)


def _argument_problems(risk: object, threads: int | None) -> list[Problem]:
    problems = []
    if risk not in get_args(Risk):
        problems.append(Problem(f"The risk is 'average' or 'highest'.\nFound: {risk!r}."))
    if threads is not None and threads < 1:
        problems.append(Problem(f"The number of threads must be at least 1.\nFound: {threads}."))
    return problems


def _in_one_line(words: str) -> str:
    return " ".join(words.split())
