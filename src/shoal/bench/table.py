"""A comparison for people, and as JSON or CSV for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from shoal.bench.runs import Agreement, ComparedRun, Data, Run

if TYPE_CHECKING:
    from rich.console import RenderableType

    from shoal.bench.figure import Figure, Numbers

_STYLES = {
    Agreement.DEFAULT: "bold",
    Agreement.SAME: "green",
    Agreement.WORSE: "yellow",
    Agreement.DIFFERS: "bold white on red",
    Agreement.REFUSED: "dim",
}


def comparison(data: Data, rows: Sequence[ComparedRun], *, optimizations: bool = False) -> RenderableType:
    """Return the rows of one question as a table, the default first.

    Parameters
    ----------
    optimizations
        Show them, since there are rows that differ in nothing else.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("algorithm", no_wrap=True)
    if optimizations:
        table.add_column("optimized", no_wrap=True)
    for heading in ("checks", "tagged", "roll-ups", "scans", "touched", "time", "memory", "ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("optimum", no_wrap=True)
    for row in rows:
        options = [row.run.case.optimizations or "-"] if optimizations else []
        table.add_row(
            Text(row.algorithm.name, "bold" if row.verdict is Agreement.DEFAULT else ""),
            *options,
            *_figures(row),
            Text(_optimum(row), _STYLES[row.verdict]),
        )
    return Group(Text(_title(data, rows[0]), "bold"), Text(_question(data, rows[0])), table, *_notes(rows))


def _title(data: Data, first: ComparedRun) -> str:
    setting = first.setting
    return f"{data.description}, k = {setting.k}, suppression {share(setting.suppression)}"


def _question(data: Data, first: ComparedRun) -> str:
    table = data.table
    facts = f"{table.rows:,} rows, {len(table.columns)} columns, {data.nodes:,} nodes"
    return f"{facts}; optimum by {first.quality}: {answer(first.run)}"


def _figures(row: ComparedRun) -> list[str]:
    if row.run.result is None:
        return ["-"] * 8
    counters = row.run.counters
    return [
        f"{counters.checked:,}",
        f"{counters.tagged:,}",
        f"{counters.rollups:,}",
        f"{counters.scans:,}",
        amount(counters.touched),
        duration(counters.seconds),
        size(counters.peak_bytes) if counters.peak_bytes else "-",
        times(row.ratio) if row.ratio is not None else "-",
    ]


def _optimum(row: ComparedRun) -> str:
    own = "*" if row.quality != row.setting.quality else ""
    match row.verdict:
        case Agreement.DEFAULT:
            words = "default"
        case Agreement.WORSE:
            words = f"{row.excess:.0%} worse" if row.excess is not None else "none found"
        case Agreement.DIFFERS:
            words = f"DIFFERS: {answer(row.run)}"
        case Agreement.REFUSED:
            words = "not run"
        case Agreement.SAME:
            words = "same"
    return words + own


def _notes(rows: Iterable[ComparedRun]) -> Iterable[RenderableType]:
    from rich.text import Text

    for row in rows:
        name = row.algorithm.name
        if row.verdict is Agreement.REFUSED:
            step = f" ({row.run.case.optimizations})" if row.run.case.optimizations else ""
            yield Text(f"{name}{step} was not run. {' '.join(row.run.refused.split())}", "dim")
        elif row.verdict is Agreement.WORSE:
            yield Text(f"{name} is a heuristic: it does not look for the optimum.", "dim")
        elif row.quality != row.setting.quality:
            yield Text(
                f"* {name} optimizes {row.quality} only, so it is compared with the default under that: "
                f"{answer(row.default)} in {duration(row.default.seconds)}.",
                "dim",
            )


def figure_table(figure: Figure, numbers: Numbers) -> RenderableType:
    """Return the numbers of a figure, and what its paper says of them."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    for name in numbers.header:
        table.add_column(name, justify="right", no_wrap=True)
    for row in numbers.rows:
        table.add_row(*row)
    said = [
        Text.assemble(
            ("holds" if each.holds else "does not hold", "green" if each.holds else "yellow"),
            f": {each.words} {each.found}",
        )
        for each in numbers.statements
    ]
    notes = (Text(note, "dim") for note in numbers.notes)
    source = Text(f"{figure.source}:")
    return Group(Text(figure.title, "bold"), Text(figure.data), table, source, *said, *notes, "")


def answer(run: Run) -> str:
    """Return the best node and its score in words."""
    if run.result is None:
        return "not run"
    if run.result.levels is None or run.result.score is None:
        return "no node satisfies"
    score = run.result.score
    words = f"{score:,.0f}" if score.is_integer() else f"{score:,.6g}"
    return f"{words} at {','.join(map(str, run.result.levels))}"


def disagreements(rows: Iterable[ComparedRun]) -> list[str]:
    """Return what must not be: answers of exact algorithms that differ from the default's."""
    return [
        f"{row.run.case}: {answer(row.run)}.\n{row.default.case.algorithm.name} says {answer(row.default)}."
        for row in rows
        if row.verdict is Agreement.DIFFERS
    ]


def as_json(data: Iterable[Data], rows: Sequence[ComparedRun]) -> str:
    """Return everything as one JSON object."""
    return json.dumps(
        {
            "data": {
                one.name: {
                    "real": one.real,
                    "rows": one.table.rows,
                    "columns": list(one.table.names),
                    "nodes": one.nodes,
                }
                for one in data
            },
            "agreed": not disagreements(rows),
            "runs": [row.to_mapping() for row in rows],
        },
        indent=2,
    )


def as_csv(rows: Iterable[ComparedRun]) -> str:
    """Return one line per run, levels separated by blanks."""
    text = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        record = row.to_mapping()
        record["levels"] = " ".join(map(str, record["levels"])) if record["levels"] is not None else None
        if writer is None:
            writer = csv.DictWriter(text, list(record), lineterminator="\n")
            writer.writeheader()
        writer.writerow(record)
    return text.getvalue()


def share(part: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> share(0.02), share(0)
    ('2%', '0%')
    """
    return f"{part * 100:.4g}%"


def amount(number: float) -> str:
    """Return a large number, short.

    Examples
    --------
    >>> amount(950), amount(16_235_171), amount(2_854_400_913)
    ('950', '16.2 M', '2.85 G')
    """
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= factor * 0.9995:
            return f"{number / factor:#.3g}".rstrip(".") + f" {letter}"
    return f"{number:.0f}"


def size(number: float) -> str:
    """Return bytes, short.

    Examples
    --------
    >>> size(2_523_136)
    '2.52 MB'
    """
    return f"{amount(number)}B" if number >= 999.5 else f"{number:.0f} B"


def duration(seconds: float) -> str:
    """Return a time, short.

    Examples
    --------
    >>> duration(0.0000624), duration(0.00312), duration(2.7402), duration(181)
    ('62.4 µs', '3.12 ms', '2.74 s', '181 s')
    """
    value, unit = seconds, "s"
    for smaller in ("ms", "µs"):
        if value < 0.9995:
            value, unit = value * 1000, smaller
    return f"{value:#.3g}".rstrip(".") + f" {unit}" if value < 999.5 else f"{value:,.0f} {unit}"


def times(ratio: float) -> str:
    """Return a ratio, short.

    Examples
    --------
    >>> times(0.512), times(1), times(21.57), times(1234.5), times(12345)
    ('0.51x', '1.00x', '21.6x', '1.2kx', '12kx')
    """
    if ratio < 1:
        return f"{ratio:.2g}x"
    if ratio >= 999.5:
        return f"{ratio / 1000:.2g}kx" if ratio < 9950 else f"{ratio / 1000:,.0f}kx"
    return f"{ratio:#.3g}".rstrip(".") + "x" if ratio < 99.95 else f"{ratio:.0f}x"
