"""The folder of figures: each as SVG and PNG, its numbers as CSV, and a page that shows all."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.bench.figure import Figure, Numbers
from shoal.bench.runs import Bench, Run
from shoal.draw.html import readable, templates
from shoal.errors import OutputError
from shoal.read.source import check_installed


@dataclass(frozen=True, slots=True)
class Gallery:
    """Where the page of all figures is, and what in them should not have come out."""

    index: Path
    problems: tuple[str, ...]


def prepare(folder: Path) -> None:
    """Check for the drawing packages and make the folder: a run of minutes must not end with a refusal."""
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
    sections: list[tuple[Figure, Numbers, list[str]]] = []
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
        sections.append((figure, numbers, notes))
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


def _page(sections: Sequence[tuple[Figure, Numbers, list[str]]]) -> str:
    page = templates("shoal.bench", "gallery.css").get_template("gallery.html.jinja")
    return readable(page.render(sections=sections))
