"""Searches to compare: what is asked, of which algorithm with which optimizations, and what came of it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any, cast

from shoal import registry
from shoal.data import find_benchmark, load_benchmark, shape, shape_names
from shoal.encode.table import CodedTable
from shoal.errors import InputError, ShoalError, nearest
from shoal.measure.measure import Measure
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.node_checker import Framework
from shoal.search.problem import SearchProblem
from shoal.search.result import Counters, SearchAlgorithm, SearchResult

DEFAULT = "box"
"""What the others are compared with."""

OPTIMIZATIONS = {
    "none": Framework.basic(),
    "projection": Framework(rollup=False, history=False),
    "rollup": Framework(history=False),
    "history": Framework(),
}
"""Steps of the Flash paper's Fig. 9, each with those before it; `all` is what an algorithm does by itself."""

_SHORT = 0.1  # seconds in all, until which a short search is repeated: one run of a millisecond says little
_OFTEN = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One question, put to every algorithm: the best k-anonymous node within a suppression limit.

    `columns` are those to take, in the order to take them in; all that there are if none is given.
    """

    data: str
    k: int
    suppression: float
    quality: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question and who is to answer it.

    `optimizations` is what the algorithm was configured for, nothing if it has no choice.
    """

    setting: Setting
    algorithm: SearchAlgorithm
    optimizations: str = ""

    def __str__(self) -> str:
        setting = self.setting
        words = f"{setting.data}, k = {setting.k}, suppression {setting.suppression:.3g}"
        columns = f", {len(setting.columns)} columns" if setting.columns else ""
        optimizations = f" ({self.optimizations})" if self.optimizations not in ("", "all") else ""
        return f"{words}{columns}: {self.algorithm.name}{optimizations}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a case came to. The seconds of the counters are the median of the repeats.

    `refused` says why the algorithm did not do it; then there is nothing else.
    """

    case: Case
    result: SearchResult | None
    repeats: int = 1
    refused: str = ""

    @property
    def counters(self) -> Counters:
        """What a search that was not refused did."""
        if self.result is None:
            raise InputError(f"{self.case.algorithm.name} did not run: {self.refused}")
        return self.result.counters

    @property
    def seconds(self) -> float:
        return self.counters.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """A table to search, and where it comes from."""

    name: str
    real: bool
    table: CodedTable

    @property
    def description(self) -> str:
        return f"{self.name} ({'real' if self.real else 'generated'})"

    @property
    def nodes(self) -> int:
        return math.prod(column.max_level - column.min_level + 1 for column in self.table.columns)

    def ordered(self, columns: Sequence[str]) -> CodedTable:
        """Return the table with these columns, in this order."""
        by_name = {column.name: column for column in self.table.columns}
        return CodedTable(tuple(by_name[name] for name in columns), self.table.rows)


class Bench:
    """Runs cases, each once, on data that are read or generated once.

    Parameters
    ----------
    rows
        Generate the data, with so many rows, instead of reading them.
    repeat
        Time each case at least so often. Short ones are repeated more often.
    listener
        Told of each case before it runs.
    """

    def __init__(
        self,
        *,
        rows: int | None = None,
        repeat: int = 1,
        listener: Callable[[Case], None] | None = None,
    ) -> None:
        self.rows = rows
        self.repeat = repeat
        self.listener = listener
        self._data: dict[str, Data] = {}
        self._runs: dict[Case, Run] = {}

    def find(self, name: str) -> None:
        """Raise if there are no such data, without reading them."""
        if self.rows is None:
            find_benchmark(name)
        elif name not in shape_names():
            raise InputError(
                f"There is no shape '{name}' to generate with a number of rows of its own.\n"
                f"Shapes: {', '.join(shape_names())}.{nearest(name, shape_names())}"
            )

    def data(self, name: str) -> Data:
        """Return the data of a name."""
        if name not in self._data:
            self.find(name)
            if self.rows is None:
                benchmark = find_benchmark(name)
                self._data[name] = Data(name=name, real=benchmark.real, table=load_benchmark(name))
            else:
                self._data[name] = Data(name=name, real=False, table=shape(name, self.rows))
        return self._data[name]

    def known(self, case: Case) -> bool:
        """Return whether a case has been run."""
        return case in self._runs

    def run(self, case: Case, *, once: bool = False) -> Run:
        """Run a case, or return what it came to before.

        Parameters
        ----------
        once
            The time does not matter, the counts are wanted.
        """
        if case not in self._runs:
            if self.listener is not None:
                self.listener(case)
            self._runs[case] = self._run(case, once)
        return self._runs[case]

    def _run(self, case: Case, once: bool) -> Run:
        setting = case.setting
        data = self.data(setting.data)
        table = data.ordered(setting.columns) if setting.columns else data.table
        measure: Measure = registry.resolve("measures", setting.quality).from_spec(None)
        times: list[float] = []
        while True:
            # A problem of its own each time, so that all algorithms group the rows anew.
            problem = SearchProblem(table, (KAnonymity(setting.k),), measure, setting.suppression)
            try:
                result = case.algorithm.search(problem)
            except ShoalError as error:
                return Run(case=case, result=None, refused=error.render())
            times.append(result.counters.seconds)
            if once or (len(times) >= self.repeat and (sum(times) > _SHORT or len(times) >= _OFTEN)):
                break
        # Sets of nodes are of no use here, and large.
        counters = replace(result.counters, seconds=statistics.median(times))
        result = replace(result, counters=counters, satisfying=None, subsets=None)
        return Run(case=case, result=result, repeats=len(times))


class Agreement(Enum):
    """How an answer stands to that of the default."""

    DEFAULT = "default"
    SAME = "same"
    WORSE = "worse"
    DIFFERS = "differs"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """A run beside that of the default, which answered the same question.

    `setting` is what was asked. It may differ from the run's own in the measure, for an algorithm that has
    only one of its own.
    """

    setting: Setting
    run: Run
    default: Run

    @property
    def algorithm(self) -> SearchAlgorithm:
        return self.run.case.algorithm

    @property
    def quality(self) -> str:
        """The measure that was optimized."""
        return self.run.case.setting.quality

    @property
    def ratio(self) -> float | None:
        """The time over the default's."""
        if self.run.result is None or self.default.result is None:
            return None
        return self.run.seconds / self.default.seconds

    @property
    def excess(self) -> float | None:
        """By what share of the default's score this one is higher; smaller is better."""
        found, best = self.run.result, self.default.result
        if found is None or best is None or found.score is None or best.score is None:
            return None
        if found.score == best.score:
            return 0.0
        return found.score / best.score - 1 if best.score else math.inf

    @property
    def verdict(self) -> Agreement:
        """Compare the answers: levels and score.

        An exact algorithm must give the same. A heuristic may do worse, but not better, which would show that
        the default is wrong.
        """
        found, best = self.run.result, self.default.result
        if found is None:
            return Agreement.REFUSED
        if self.run is self.default:
            return Agreement.DEFAULT
        if best is None:
            return Agreement.SAME
        if found.levels == best.levels and _alike(found.score, best.score):
            return Agreement.SAME
        if self.algorithm.exact or not _no_better(found.score, best.score):
            return Agreement.DIFFERS
        return Agreement.WORSE

    def to_mapping(self) -> dict[str, Any]:
        """Return all that is known, by name."""
        result = self.run.result
        return {
            "data": self.setting.data,
            "k": self.setting.k,
            "suppression": self.setting.suppression,
            "algorithm": self.algorithm.name,
            "optimizations": self.run.case.optimizations or None,
            "quality": self.quality,
            "exact": self.algorithm.exact,
            "verdict": self.verdict.value,
            "refused": self.run.refused or None,
            "score": result.score if result else None,
            "levels": list(result.levels) if result and result.levels is not None else None,
            "suppressed_rows": result.suppressed_rows if result else None,
            "excess": self.excess,
            "ratio": self.ratio,
            "repeats": self.run.repeats if result else None,
            **(result.counters.to_mapping() if result else dict.fromkeys(Counters(lattice=0).to_mapping())),
        }


def _alike(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def _no_better(found: float | None, best: float | None) -> bool:
    if found is None:
        return True
    return best is not None and (found > best or _alike(found, best))


def algorithm(name: str) -> SearchAlgorithm:
    """Return the algorithm of a name, as it stands.

    Raises
    ------
    InputError
        There is none; with the names that there are.
    """
    return cast(SearchAlgorithm, registry.resolve("algorithms", name)())


def configured(algorithm: SearchAlgorithm, optimizations: str) -> SearchAlgorithm | None:
    """Return an algorithm with some of its optimizations on, or None if it has no such choice.

    An algorithm of the framework has all the steps; one with switches of its own has them all on or all off.

    Examples
    --------
    >>> configured(algorithm("flash"), "projection").framework.rollup
    False
    >>> configured(algorithm("box"), "none") is None
    True
    """
    changeable = cast(Any, algorithm)
    switches = switches_of(algorithm)
    framework = getattr(changeable, "framework", None)
    if not isinstance(framework, Framework) and not switches:
        return None
    if optimizations == "all":
        return algorithm
    if isinstance(framework, Framework):
        step = OPTIMIZATIONS[optimizations]
        chosen = replace(framework, projection=step.projection, rollup=step.rollup, history=step.history)
        return cast(SearchAlgorithm, replace(changeable, framework=chosen))
    if optimizations == "none":
        return cast(SearchAlgorithm, replace(changeable, **dict.fromkeys(switches, False)))
    return None


def switches_of(algorithm: SearchAlgorithm) -> list[str]:
    """Return the names of the fields that are on and could be off.

    Examples
    --------
    >>> switches_of(algorithm("flash"))
    []
    """
    if not is_dataclass(algorithm):
        return []
    return [field.name for field in fields(algorithm) if field.default is True]


def cases(
    setting: Setting, algorithms: Iterable[SearchAlgorithm], optimizations: Sequence[str] = ("all",)
) -> list[Case]:
    """Return what to run for one question: each algorithm with each of its optimizations, no two alike.

    An algorithm that cannot serve the measure is asked for its own.
    """
    found = []
    for one in algorithms:
        own = not one.measures or setting.quality in one.measures
        served = setting if own else replace(setting, quality=one.measures[0])
        variants: list[SearchAlgorithm] = []
        for step in optimizations:
            variant = configured(one, step)
            if variant is not None and variant not in variants:
                variants.append(variant)
                found.append(Case(setting=served, algorithm=variant, optimizations=step))
        if not variants:
            found.append(Case(setting=served, algorithm=one))
    return found


def default_case(setting: Setting) -> Case:
    """Return the default's case for a question."""
    return Case(setting=setting, algorithm=algorithm(DEFAULT))


def compare(bench: Bench, setting: Setting, planned: Iterable[Case]) -> Iterable[ComparedRun]:
    """Run the cases of one question, the default first, and give a row for each as soon as it is there."""
    default = bench.run(default_case(setting))
    yield ComparedRun(setting=setting, run=default, default=default)
    for case in planned:
        if case != default.case:
            beside = bench.run(default_case(case.setting))
            yield ComparedRun(setting=setting, run=bench.run(case), default=beside)
