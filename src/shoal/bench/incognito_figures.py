"""The figures of the Incognito paper: nodes and times by the number of columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.bench import published
from shoal.bench.runs import Case, Data, Run, algorithm, cases

if TYPE_CHECKING:
    from shoal.bench.charts import Record

from shoal.bench.figure import (
    Numbers,
    Questions,
    SearchFigure,
    count_or_dash,
    heading,
    recorded,
    registered,
    time_or_dash,
)

PAPER = "LeFevre et al., Incognito, SIGMOD 2005"
MOST_WORK = 4_000_000_000
"""Rows times nodes that bottom-up search is given: at worst it counts every row for every node."""

BY_COLUMNS = (
    "bottom-up-no-rollup",
    "bottom-up",
    "samarati",
    "incognito",
    "incognito-cube",
    "incognito-super-roots",
    "box",
)


def nodes_searched(questions: Questions) -> SearchFigure:
    """Nodes whose frequency set is looked at, by the number of columns."""
    from shoal.bench import charts

    names = registered(("bottom-up", "incognito"))
    columns = _order(questions.data)
    planned = _by_columns(questions, names, columns, sizes=(2,))
    comparable = columns == published.ADULT_ORDER and not questions.resized

    def numbers(runs: Sequence[Run]) -> Numbers:
        records: list[Record] = []
        for run in runs:
            name, count = run.case.algorithm.name, len(run.case.setting.columns)
            records.append(recorded(name, charts.OURS, columns=count, nodes=run.counters.checked))
            known = published.NODES_SEARCHED.get(name, {}).get(count) if comparable else None
            if known is not None:
                records.append(recorded(name, charts.PUBLISHED, columns=count, nodes=known))
        cells = {(r["columns"], r["algorithm"], r["from"]): r["nodes"] for r in records}
        kinds = (charts.OURS, charts.PUBLISHED) if comparable else (charts.OURS,)
        header = ["columns", *(f"{name}, {kind}" for name in names for kind in kinds)]
        rows = [
            [str(count), *(count_or_dash(cells.get((count, name, kind))) for name in names for kind in kinds)]
            for count in sorted({record["columns"] for record in records})
        ]
        return Numbers(records=records, header=header, rows=rows)

    return SearchFigure(
        name=f"{questions.data.name}-nodes-searched",
        title="Nodes searched by number of columns",
        data=questions.describe("k = 2, no suppression"),
        source=f"the table in section 4.2.1 of {PAPER}",
        text="What a few columns rule out, Incognito does not look at for more columns. Bottom-up search "
        "looks at nearly all nodes."
        + (
            " The published hierarchies have the same heights as ours, but not quite the same labels, so the "
            "counts are close and not equal."
            if comparable
            else ""
        ),
        cases=tuple(planned),
        numbers=numbers,
        chart=lambda records, figure: charts.lines(
            records,
            heading(figure),
            x="columns",
            y="nodes",
            x_title="Columns (quasi-identifiers)",
            y_title="Nodes searched (log scale)",
        ),
        once=True,
    )


def times_by_columns(questions: Questions) -> SearchFigure:
    """Times by the number of columns."""
    from shoal.bench import charts

    names = registered(BY_COLUMNS)
    columns = _order(questions.data)
    planned = _by_columns(questions, names, columns, sizes=(2, 10))

    def numbers(runs: Sequence[Run]) -> Numbers:
        records = [
            recorded(
                run.case.algorithm.name,
                charts.OURS,
                k=f"k = {run.case.setting.k}",
                columns=len(run.case.setting.columns),
                milliseconds=run.seconds * 1000,
            )
            for run in runs
        ]
        cells = {(r["k"], r["columns"], r["algorithm"]): r["milliseconds"] / 1000 for r in records}
        keys = dict.fromkeys((record["k"], record["columns"]) for record in records)
        return Numbers(
            records=records,
            header=["k", "columns", *names],
            rows=[
                [
                    k.removeprefix("k = "),
                    str(count),
                    *(time_or_dash(cells.get((k, count, name))) for name in names),
                ]
                for k, count in sorted(keys, key=lambda key: (int(key[0].removeprefix("k = ")), key[1]))
            ],
        )

    return SearchFigure(
        name=f"{questions.data.name}-times-by-columns",
        title="Search times by number of columns",
        data=questions.describe("no suppression"),
        source=f"Fig. 10 of {PAPER}",
        text="The lattice grows with every column, and so does the time. Samarati's binary search finds one "
        "node of least height only; the others find the optimum among all.",
        cases=tuple(planned),
        numbers=numbers,
        chart=lambda records, figure: charts.lines(
            records,
            heading(figure),
            x="columns",
            y="milliseconds",
            x_title="Columns (quasi-identifiers)",
            y_title="Milliseconds (log scale)",
            panels="k",
        ),
    )


def _order(data: Data) -> tuple[str, ...]:
    """Return the columns in the order in which they are added: the paper's for the adult data."""
    own = data.table.names
    return published.ADULT_ORDER if set(own) == set(published.ADULT_ORDER) else own


def _nodes(data: Data, columns: Sequence[str]) -> int:
    return math.prod(c.max_level - c.min_level + 1 for c in data.ordered(columns).columns)


def _by_columns(
    questions: Questions, names: Sequence[str], columns: Sequence[str], sizes: Sequence[int]
) -> list[Case]:
    """Return the cases for three columns, four and so on, as far as bottom-up search can do it."""
    counts = [
        count
        for count in range(min(3, len(columns)), len(columns) + 1)
        if questions.data.table.rows * _nodes(questions.data, columns[:count]) <= MOST_WORK
    ]
    settings = [questions.setting(k, 0.0, columns[:count]) for k in sizes for count in counts]
    return [case for setting in settings for case in cases(setting, map(algorithm, names))]
