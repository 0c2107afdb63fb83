"""The folder of figures: each as SVG and PNG, its numbers as CSV, and a page that shows all."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from shoal.bench.figure import Figure, Numbers, SearchFigure
from shoal.bench.runs import Bench, Run
from shoal.draw.html import readable, templates
from shoal.errors import OutputError
from shoal.read.source import check_installed


@dataclass(slots=True)
class Gallery:
    """The page of all figures, complete after each of them.

    Attributes
    ----------
    folder
        Where it goes, with the figures.
    title, lead
        What stands above the first figure.
    problems
        What in the figures should not have come out.
    """

    folder: Path
    title: str
    lead: str
    problems: list[str] = field(default_factory=list)
    _sections: list[tuple[Figure, Numbers]] = field(default_factory=list)

    def __post_init__(self) -> None:
        prepare(self.folder)
        self._write()

    @property
    def index(self) -> Path:
        return self.folder / "index.html"

    def add(self, figure: Figure, numbers: Numbers) -> None:
        """Write a figure, and the page with it: what is there has its page if the rest is interrupted."""
        chart = figure.chart(numbers.records, figure)
        for kind, scale in (("svg", 1.0), ("png", 2.0)):
            chart.save(self.folder / f"{figure.name}.{kind}", scale_factor=scale)
        (self.folder / f"{figure.name}.csv").write_text(_csv(numbers), encoding="utf-8")
        self._sections.append((figure, numbers))
        self.problems += numbers.problems
        self._write()

    def _write(self) -> None:
        template = templates("shoal.bench", "gallery.css").get_template("gallery.html.jinja")
        page = template.render(title=self.title, lead=self.lead, sections=self._sections)
        self.index.write_text(readable(page), encoding="utf-8")


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


def draw(bench: Bench, figures: Sequence[SearchFigure], folder: Path) -> Gallery:
    """Run what the figures need, and write them; one is complete before the next begins."""
    gallery = Gallery(folder, "The search algorithms, compared", _LEAD)
    for figure in figures:
        runs = [bench.run(case, once=figure.once) for case in figure.cases]
        # Who refuses once takes no part at all: a mean of some of the runs says nothing.
        refused = {_who(run): run.refused for run in runs if run.result is None}
        numbers = figure.numbers([run for run in runs if _who(run) not in refused])
        if numbers.records:
            notes = [f"{name} took no part: {' '.join(why.split())}" for name, why in refused.items()]
            gallery.add(figure, replace(numbers, notes=notes))
    return gallery


_LEAD = (
    "Drawn by shoal bench search --figures from runs on one computer, one thread each. Published numbers, "
    "where there are any, stand beside; they come from other computers and programs, so compare trends and "
    "ratios."
)


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
