"""What a figure is: the runs that it needs, its numbers and its chart."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal import registry
from shoal.bench import published
from shoal.bench.runs import Case, Data, Run, Setting, algorithm, cases
from shoal.bench.table import duration, share

if TYPE_CHECKING:
    from shoal.bench.charts import Chart, Heading, Record

PAPER_K = range(2, 11)
"""The values of k in the Flash and the bitmap paper."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a paper says of its figure, and whether our numbers agree.

    Attributes
    ----------
    words
        The paper's statement.
    holds
        Whether it is true of our numbers.
    found
        These numbers, in words.
    """

    words: str
    holds: bool
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What a figure shows: records to draw, the same as a table of words, and what should not have come.

    `statements` are the paper's; that one of them fails is a result, and no problem. `notes` are ours.
    """

    records: Sequence[Record]
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    problems: Sequence[str] = ()
    statements: Sequence[Statement] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure to be, and how its chart comes from its numbers.

    Attributes
    ----------
    name
        Of its files.
    data
        Which data, and which questions.
    source
        The figure that it corresponds to.
    text
        What it shows, for the page of all figures.
    """

    name: str
    title: str
    data: str
    source: str
    text: str
    chart: Callable[[Sequence[Record], Figure], Chart]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFigure(Figure):
    """A figure of searches: what has to be run for it, and how its numbers come from the runs.

    Attributes
    ----------
    once
        The counts are wanted, not the times.
    """

    cases: tuple[Case, ...]
    numbers: Callable[[Sequence[Run]], Numbers]
    once: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What was asked of one data set, and the data.

    `resized` data have another number of rows than the published, so no published number stands beside.
    """

    data: Data
    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    quality: str
    resized: bool = False

    def setting(self, k: int, suppression: float, columns: Iterable[str] = ()) -> Setting:
        return Setting(
            data=self.data.name, k=k, suppression=suppression, quality=self.quality, columns=tuple(columns)
        )

    def beside(self, numbers: Mapping[Any, published.Range], *key: float | str) -> published.Range | None:
        """Return what is published of these data."""
        return None if self.resized else numbers.get((self.data.name, *key))

    def describe(self, settings: str) -> str:
        return f"{self.data.description}, {self.data.table.rows:,} rows, {settings}"

    @property
    def sweep(self) -> list[Setting]:
        """All k of the papers with all suppression limits that were asked for."""
        return [self.setting(k, suppression) for suppression in self.shares for k in PAPER_K]


def heading(figure: Figure) -> Heading:
    """Return what stands above the chart."""
    from shoal.bench.charts import Heading

    return Heading(title=figure.title, data=figure.data, source=figure.source)


def registered(names: Sequence[str]) -> tuple[str, ...]:
    """Return those that are registered."""
    there = registry.names("algorithms")
    return tuple(name for name in names if name in there)


def sweep(questions: Questions, names: Sequence[str]) -> tuple[Case, ...]:
    """Return the cases of some algorithms for all k of the papers."""
    return tuple(case for setting in questions.sweep for case in cases(setting, map(algorithm, names)))


def recorded(name: str, kind: str, **numbers: Any) -> Record:
    """Return a record of one algorithm, from our run or published."""
    return {"algorithm": name, "from": kind, **numbers}


def spread(
    name: str, kind: str, values: Sequence[float], words: str, *, mean: bool = True, **more: Any
) -> Record:
    """Return a record of a range, with its geometric mean if all the values are there."""
    middle = statistics.geometric_mean(values) if mean else None
    return recorded(name, kind, **more, least=min(values), mean=middle, most=max(values), words=words)


def spreads(records: Sequence[Record], panels: str = "") -> Numbers:
    """Return records of ranges with their table."""
    rows = [
        [
            *([record[panels].removeprefix(f"{panels} ")] if panels else []),
            record["algorithm"],
            record["from"],
            record["words"],
        ]
        for record in records
    ]
    header = [*([panels] if panels else []), "algorithm", "from", "range"]
    return Numbers(records=records, header=header, rows=rows)


def grouped(runs: Iterable[Run], key: Callable[[Run], Any]) -> Mapping[Any, list[Run]]:
    """Return the runs by a key, in the order in which the keys come."""
    found: dict[Any, list[Run]] = {}
    for run in runs:
        found.setdefault(key(run), []).append(run)
    return found


def panel_of(run: Run) -> str:
    """Return the title of the panel that a run belongs to, where there is one for each suppression limit."""
    return f"suppression {share(run.case.setting.suppression)}"


def span(values: Sequence[float], written: Callable[[float], str]) -> str:
    """Return from the least to the most in words, the unit once where it is the same.

    Examples
    --------
    >>> span([0.02, 0.01], duration), span([0.5, 2], duration)
    ('10.0 to 20.0 ms', '500 ms to 2.00 s')
    """
    least, most = written(min(values)), written(max(values))
    if least == most:
        return least
    number, _, unit = least.partition(" ")
    return f"{number if unit and most.endswith(f' {unit}') else least} to {most}"


def time_or_dash(seconds: float | None) -> str:
    return "-" if seconds is None else duration(seconds)


def count_or_dash(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
