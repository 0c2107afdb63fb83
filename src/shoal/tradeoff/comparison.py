"""What a comparison found: a point for each spec, in a table, as JSON, as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pyarrow as pa

from shoal.draw.html import framed, heading, page, paragraph, picture, table
from shoal.draw.lines import Line, lines
from shoal.draw.scatter import Dot, scatter
from shoal.spec.spec import Spec
from shoal.tradeoff.candidates import in_one_line

if TYPE_CHECKING:
    from markupsafe import Markup

    from shoal.draw.svg import Canvas

Risk: TypeAlias = Literal["average", "highest"]

_NAMED = 3
"""Points that one remark names."""
_HEADER = ("", "Name", "Highest risk", "Average risk", "Loss", "Suppressed", "Score", "Levels")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One spec and what its best release would be.

    Attributes
    ----------
    name
        The spec and what was changed in it; `spec_name` and `changes` are the two parts.
    k, suppression, quality, recoding
        Of k-anonymity, if that is required; the limit; the names of the measure and of the recoding.
    problem
        Why there is no release: the spec is infeasible, or the search found nothing in its time. Then all
        figures are None.
    levels
        The chosen level of each quasi-identifier; None where the recoding has no levels.
    rows, suppressed_rows
        Rows of the table, and how many of them the release leaves out.
    classes, smallest_class
        Released classes, and the rows (people, where these are counted) of the smallest.
    highest_risk, average_risk, loss
        The same for all specs: see `shoal.tradeoff.figures.Figures`.
    score
        By the spec's own measure and weights.
    optimal, bound
        Whether no choice of levels scores better, proved; otherwise what none scores less than.
    on_front
        No other point has as little risk and as little loss, and less of one of them.
    """

    name: str
    spec_name: str
    changes: tuple[str, ...]
    spec: Spec
    k: int | None
    suppression: float
    quality: str
    recoding: str
    rows: int
    problem: str | None = None
    levels: dict[str, int] | None = None
    suppressed_rows: int | None = None
    classes: int | None = None
    smallest_class: int | None = None
    highest_risk: float | None = None
    average_risk: float | None = None
    loss: float | None = None
    score: float | None = None
    optimal: bool = False
    bound: float | None = None
    on_front: bool = False

    @property
    def feasible(self) -> bool:
        """Whether there is a release."""
        return self.problem is None

    @property
    def gap(self) -> float | None:
        """How much of the score may be too much, as a share of it; None where no bound is known."""
        if self.optimal:
            return 0.0
        if self.bound is None or self.score is None:
            return None
        return (self.score - self.bound) / (abs(self.score) or 1.0)

    def to_mapping(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        plain = {key: value for key, value in _plain(self).items() if key != "spec"}
        return plain | {"changes": list(self.changes), "gap": self.gap}


def _plain(point: Point) -> dict[str, Any]:
    return {name: getattr(point, name) for name in Point.__dataclass_fields__}


@dataclass(frozen=True)
class Comparison:
    """Several specs on one table.

    Attributes
    ----------
    points
        One per spec, in the order in which they were given.
    risk
        The risk that the front is about: `average` or `highest`.
    rows
        Rows of the table.
    notes
        What holds for all points of a spec: that `anonymize` would refuse it for its other columns.
    """

    points: tuple[Point, ...]
    risk: Risk
    rows: int
    notes: tuple[str, ...] = ()

    @property
    def front(self) -> tuple[Point, ...]:
        """The points of the Pareto front, from the least risk to the least loss."""
        return tuple(
            sorted(
                (point for point in self.points if point.on_front),
                key=lambda p: (_risk(p, self.risk), p.loss),
            )
        )

    @cached_property
    def table(self) -> pa.Table:
        """The points as Arrow, one row each; the levels as text."""
        kept = [name for name in Point.__dataclass_fields__ if name not in ("spec", "changes", "levels")]
        columns: dict[str, Any] = {name: [getattr(point, name) for point in self.points] for name in kept}
        columns["levels"] = [_levels(point) or None for point in self.points]
        types = {"problem": pa.string(), "levels": pa.string(), "bound": pa.float64(), "k": pa.int64()}
        for name in ("score", "loss", "highest_risk", "average_risk"):
            types[name] = pa.float64()
        for name in ("suppressed_rows", "classes", "smallest_class"):
            types[name] = pa.int64()
        return pa.table({name: pa.array(values, types.get(name)) for name, values in columns.items()})

    def to_mapping(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "rows": self.rows,
            "risk": self.risk,
            "front": [point.name for point in self.front],
            "points": [point.to_mapping() for point in self.points],
            "notes": list(self.notes),
        }

    def cells(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the header and the rows of a table for people; `*` marks the front."""
        return _HEADER, [_cells(point, brief=bool(self._columns)) for point in self.points]

    def remarks(self) -> list[str]:
        """Return notes on what the table does not show."""
        told = list(self.notes)
        told += [f"Levels of {', '.join(self._columns)}."] if self._columns else []
        told += [f"{_named(names)}: {problem}" for problem, names in self._problems().items()]
        told += [
            f"{point.name}: not proved to be the best; its score is at most {point.gap:.1%} too high."
            for point in self.points
            if point.feasible and not point.optimal and point.gap is not None
        ]
        if unknown := list(dict.fromkeys(p.recoding for p in self.points if p.feasible and p.gap is None)):
            told.append(f"~ Not proved to be the best, and no bound is known: {', '.join(unknown)}.")
        if self.front:
            told.append(
                f"* No other has less {self.risk} risk without more loss, or less loss without more risk."
            )
        return told

    def _problems(self) -> dict[str, list[str]]:
        """Return why there is no release, each reason with the points that have it."""
        found: dict[str, list[str]] = {}
        for point in self.points:
            if point.problem is not None:
                found.setdefault(point.problem, []).append(point.name)
        return found

    @property
    def _columns(self) -> tuple[str, ...]:
        """The quasi-identifiers, if they are the same for all."""
        different = {tuple(point.levels) for point in self.points if point.levels is not None}
        return different.pop() if len(different) == 1 else ()

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """Return the table and the remarks as text."""
        header, rows = self.cells()
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (header, *rows)
        ]
        return "\n".join([*lines, "", *self.remarks()])

    @cached_property
    def canvas(self) -> Canvas:
        """The chart: loss by k for several recodings, otherwise risk and loss with the Pareto front."""
        points = [point for point in self.points if point.feasible]
        recodings = {_recoding(point) for point in points}
        ks = {point.k for point in points}
        return (
            self._by_k(points)
            if len(recodings) > 1 and len(ks) > 1 and None not in ks
            else self._curve(points)
        )

    def _by_k(self, points: Sequence[Point]) -> Canvas:
        """Draw k from left to right, loss upward, and a line for each recoding."""
        together: dict[str, dict[int, Point]] = {}
        for point in points:
            names = [] if len({point.spec_name for point in points}) == 1 else [point.spec_name]
            names += [part for part in self._different(point) if part != f"k={point.k}"]
            together.setdefault(" ".join(names) or _recoding(point), {})[point.k or 1] = point
        drawn = []
        for name, of_k in together.items():
            ordered = sorted(of_k.items())
            places = tuple((float(k), point.loss or 0.0) for k, point in ordered)
            drawn.append(Line(name, places, tuple(self._hint(point) for _, point in ordered)))
        return lines(drawn, title="Loss by k and recoding", x_title="k", y_title="loss of information")

    def _curve(self, points: Sequence[Point]) -> Canvas:
        """Draw risk from left to right, loss upward, and the Pareto front as a line."""
        # The shape says which spec or recoding a point has.
        recodings = {_recoding(point) for point in points}
        dots = [
            Dot(
                x=_risk(point, self.risk),
                y=point.loss or 0.0,
                label=" ".join(self._different(point)) or point.spec_name,
                series=point.spec_name if len(recodings) == 1 else _recoding(point),
                on_front=point.on_front,
                hint=self._hint(point),
            )
            for point in points
        ]
        return scatter(
            dots,
            title=f"{self.risk.capitalize()} risk and loss",
            x_title=f"{self.risk} risk of re-identification",
            y_title="loss of information",
        )

    def _different(self, point: Point) -> list[str]:
        """Return the changes of a point that not all have in common, which need not stand beside each."""
        return [part for part in point.changes if any(part not in other.changes for other in self.points)]

    def _hint(self, point: Point) -> str:
        return (
            f"{point.name}: {self.risk} risk {percent(_risk(point, self.risk))}, "
            f"loss {point.loss or 0.0:.4g}, {point.suppressed_rows or 0:,} rows suppressed"
        )

    def svg(self) -> str:
        """Return the chart, to be put into a page that brings the theme."""
        return self.canvas.svg()

    def html(self) -> str:
        """Return a page with the chart and the table."""
        return page("Comparison of specs", *self._parts())

    def _repr_html_(self) -> str:
        return framed(*self._parts())

    def _parts(self) -> list[Markup]:
        header, rows = self.cells()
        return [
            heading(f"{len(self.points):,} specs on {self.rows:,} rows"),
            picture(self.canvas),
            table(header, rows, numbers=range(2, 7)),
            *(paragraph(remark, note=True) for remark in self.remarks()),
        ]


def percent(share: float) -> str:
    """Write a share in percent, with two digits that count.

    Examples
    --------
    >>> percent(0.5), percent(0.0123), percent(0.00021), percent(0.0)
    ('50%', '1.2%', '0.021%', '0%')
    """
    return f"{float(f'{100 * share:.2g}'):g}%"


def _recoding(point: Point) -> str:
    """Return the recoding with its settings, which may differ while its name is the same."""
    return in_one_line(point.spec.recoding.to_spec())


def _named(names: Sequence[str]) -> str:
    """Name points, the first ones if there are many.

    Examples
    --------
    >>> _named(["k=2", "k=5"]), _named(["k=2", "k=3", "k=5", "k=10", "k=20"])
    ('k=2, k=5', 'k=2, k=3, k=5 and 2 more')
    """
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _risk(point: Point, risk: Risk) -> float:
    return (point.average_risk if risk == "average" else point.highest_risk) or 0.0


def _levels(point: Point, *, brief: bool = False) -> str:
    levels = point.levels or {}
    if brief:
        return ",".join(map(str, levels.values()))
    return " ".join(f"{name}={level}" for name, level in levels.items())


def _cells(point: Point, *, brief: bool) -> tuple[str, ...]:
    if point.highest_risk is None or point.average_risk is None or point.suppressed_rows is None:
        return ("", point.name, "-", "-", "-", "-", "-", "no release")
    share = point.suppressed_rows / point.rows if point.rows else 0.0
    return (
        "*" if point.on_front else "",
        point.name,
        percent(point.highest_risk),
        percent(point.average_risk),
        f"{point.loss:.4g}",
        f"{point.suppressed_rows:,} ({percent(share)})",
        f"{point.score:.6g} {point.quality}" + ("" if point.optimal else " ~"),
        _levels(point, brief=brief),
    )
