"""The folder of figures: each as SVG and PNG, its numbers as CSV, and a page that shows all."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from shoal.bench.figure import Figure, Numbers
from shoal.bench.runs import Bench, Run
from shoal.errors import OutputError
from shoal.read.source import check_installed

_STYLE = """
body { font: 16px/1.5 sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
figure { margin: 0 } img { max-width: 100%; height: auto } section { margin-bottom: 3rem }
.wide { overflow-x: auto } .wrong { color: #b00020; font-weight: bold }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .8rem .15rem 0; text-align: right; white-space: nowrap }
th { border-bottom: 1px solid #999 } th:first-child, td:first-child { text-align: left }
"""


@dataclass(frozen=True, slots=True)
class Gallery:
    """Where the page of all figures is, and what in them should not have come out."""

    index: Path
    problems: tuple[str, ...]


def prepare(folder: Path) -> None:
    """Check for the drawing packages and make the folder, so that a run of minutes does not end with a refusal."""
    for package in ("altair", "vl_convert"):
        check_installed(package, "figures", "Drawing figures")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OutputError(
            f"The figures cannot be written to '{folder}'.\n{error.strerror}.\nName another folder."
        ) from None


def draw(bench: Bench, figures: Sequence[Figure], folder: Path) -> Gallery:
    """Run what the figures need, and write them; one is complete before the next begins."""
    prepare(folder)
    index = folder / "index.html"
    index.write_text(_page([]), encoding="utf-8")
    sections: list[str] = []
    problems: list[str] = []
    for figure in figures:
        runs = [bench.run(case, once=figure.once) for case in figure.cases]
        # Who refuses once takes no part at all: a mean of some of the runs says nothing.
        refused = {_who(run): run.refused for run in runs if run.result is None}
        numbers = figure.numbers([run for run in runs if _who(run) not in refused])
        if not numbers.records:
            continue
        chart = figure.chart(numbers.records, figure)
        for kind, scale in (("svg", 1.0), ("png", 2.0)):
            chart.save(folder / f"{figure.name}.{kind}", scale_factor=scale)
        (folder / f"{figure.name}.csv").write_text(_csv(numbers), encoding="utf-8")
        notes = [f"{name} took no part: {' '.join(why.split())}" for name, why in refused.items()]
        sections.append(_section(figure, numbers, notes))
        problems += numbers.problems
        # Each time anew, so that what is there has its page if the rest is interrupted.
        index.write_text(_page(sections), encoding="utf-8")
    return Gallery(index, tuple(problems))


def _who(run: Run) -> str:
    case = run.case
    return (
        case.algorithm.name
        if case.optimizations in ("", "all")
        else f"{case.algorithm.name} ({case.optimizations})"
    )


def _csv(numbers: Numbers) -> str:
    names = list(dict.fromkeys(name for record in numbers.records for name in record if name != "words"))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(numbers.records)
    return text.getvalue()


def _section(figure: Figure, numbers: Numbers, notes: Sequence[str]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in numbers.header)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in numbers.rows
    )
    remarks = "".join(f"<p>{escape(note)}</p>\n" for note in notes)
    wrong = "".join(f'<p class="wrong">{escape(problem)}</p>\n' for problem in numbers.problems)
    return f"""<section id="{escape(figure.name)}">
<figure><img src="{escape(figure.name)}.svg" alt="{escape(figure.title)}"></figure>
<p>{escape(figure.text)}</p>
{wrong}{remarks}<details><summary>Numbers</summary><div class="wide"><table><tr>{head}</tr>
{body}
</table></div></details>
<p>Corresponds to {escape(figure.source)}.
<a href="{escape(figure.name)}.csv">CSV</a> · <a href="{escape(figure.name)}.png">PNG</a></p>
</section>"""


def _page(sections: Sequence[str]) -> str:
    body = "\n".join(sections)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>The search algorithms, compared</title>
<style>{_STYLE}</style>
<h1>The search algorithms, compared</h1>
<p>Drawn by <code>shoal bench search --figures</code> from runs on one computer, one thread each. Published
numbers, where there are any, stand beside; they come from other computers and programs, so compare trends and
ratios.</p>
{body}
</html>
"""
