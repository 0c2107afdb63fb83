"""How numbers become charts: the same colours, axes and headings everywhere.

Altair is imported here and nowhere else, and this module only by those who draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

Record = dict[str, Any]
Chart = alt.TopLevelMixin

OURS, PUBLISHED = "our run", "published"

# Of Okabe and Ito, who chose colours that colour-blind people can tell apart; variants are lighter or darker.
_COLOURS = {
    "box": "#333333",
    "flash": "#D55E00",
    "ola": "#0072B2",
    "ola-stable": "#56B4E9",
    "incognito": "#009E73",
    "incognito-cube": "#7BC8A4",
    "incognito-super-roots": "#00553E",
    "bottom-up": "#CC79A7",
    "bottom-up-no-rollup": "#7E3F6B",
    "samarati": "#E69F00",
    "bitmap, all three": "#6A3D9A",
    "bitmap, 1-level": "#1F78B4",
    "bitmap, reusing": "#E31A1C",
    "bitmap, pruning": "#B15928",
    "bitmap, none": "#CAB2D6",
    "group-by, optimized": "#009E73",
    "group-by, basic": "#7BC8A4",
    "value": "#333333",
    "beta-likeness": "#D55E00",
    "t-closeness": "#0072B2",
    "original": "#333333",
    "partition": "#009E73",
    "full-domain": "#D55E00",
}
_OTHERS = "#999999"
_GREY = "#B5B5B5"
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What stands above a chart: what it shows, of which data, and what it corresponds to."""

    title: str
    data: str
    source: str


def lines(
    records: Sequence[Record],
    heading: Heading,
    *,
    x: str,
    y: str,
    x_title: str,
    y_title: str,
    panels: str = "",
    logarithmic_x: bool = False,
) -> Chart:
    """Draw one line per algorithm, on a logarithmic scale; dashed for what is published."""
    names = _names(records)
    xs = sorted({record[x] for record in records})
    kinds = list(dict.fromkeys(record.get("from", OURS) for record in records))
    dash: Any = alt.value([1, 0])
    if len(kinds) > 1:
        dash = alt.StrokeDash("from:N", title=None, scale=alt.Scale(domain=kinds, range=[[1, 0], [5, 4]]))
    scale = alt.Scale(domain=[xs[0] - 0.3, xs[-1] + 0.3], nice=False)
    if logarithmic_x:
        scale = alt.Scale(type="log", domain=[xs[0] / 1.3, xs[-1] * 1.3], nice=False)
    base = alt.Chart().encode(
        x=alt.X(
            f"{x}:Q",
            title=x_title,
            axis=alt.Axis(values=xs, format=",d", grid=False),
            scale=scale,
        ),
        y=alt.Y(f"{y}:Q", title=y_title, **_logarithmic(record[y] for record in records)),
        color=_colour(names),
        detail="from:N" if len(kinds) > 1 else alt.Undefined,
    )
    drawn = alt.layer(
        base.mark_line(strokeWidth=2).encode(strokeDash=dash),
        base.mark_point(filled=True, size=36, opacity=1),
        data=alt.InlineData(values=list(records)),
    )
    count = len({record[panels] for record in records}) if panels else 1
    width = 460 if count == 1 else 330 if count == 2 else 250
    return _framed(drawn.properties(width=width, height=280), heading, records, column=panels)


def ranges(
    records: Sequence[Record],
    heading: Heading,
    *,
    x_title: str,
    panels: str = "",
    reference: float | None = None,
) -> Chart:
    """Draw from the least to the most, with the mean as a dot, one row per algorithm; published in grey."""
    names = _names(records)
    kinds = [kind for kind in (OURS, PUBLISHED) if any(record["from"] == kind for record in records)]
    extent = [value for record in records for value in (record["least"], record["most"])]
    if reference is not None:
        extent.append(reference)
    # Room for the words to the right of the longest bar.
    scaled = _logarithmic(extent, room=6.0)
    base = alt.Chart().encode(
        y=alt.Y("algorithm:N", sort=names, title=None, axis=alt.Axis(grid=False, ticks=False, domain=False)),
        yOffset=alt.YOffset("from:N", sort=kinds, scale=alt.Scale(paddingInner=0.2, paddingOuter=0.4)),
    )
    grey = alt.condition(alt.datum["from"] == PUBLISHED, alt.value(_GREY), _colour(names, legend=False))
    bar = base.mark_rule(strokeWidth=8, strokeCap="round").encode(
        x=alt.X("least:Q", title=x_title, **scaled), x2="most:Q", color=grey
    )
    dot = (
        base.transform_filter("isValid(datum.mean)")
        .mark_point(filled=True, size=42, color="white", opacity=1)
        .encode(x=alt.X("mean:Q"))
    )
    texts = base.encode(x=alt.X("most:Q"), text="words:N")
    placed: dict[str, Any] = {"align": "left", "dx": 10, "fontSize": 11}
    halo = texts.mark_text(**placed, stroke="white", strokeWidth=4, strokeJoin="round")
    words = texts.mark_text(**placed, color="#444")
    layers: list[Any] = [bar, dot, halo, words]
    if reference is not None:
        rule = alt.Chart().mark_rule(strokeDash=[3, 3], color="#666").encode(x=alt.datum(reference))
        layers.insert(0, rule)
    drawn = alt.layer(*layers, data=alt.InlineData(values=list(records)))
    height = alt.Step(16 if len(kinds) > 1 else 24)
    return _framed(drawn.properties(width=560, height=height), heading, records, row=panels)


def bars(records: Sequence[Record], heading: Heading, *, steps: Sequence[str], y_title: str) -> Chart:
    """Draw bars in groups, with their number above each."""
    names = _names(records)
    base = alt.Chart(alt.InlineData(values=list(records))).encode(
        x=alt.X("step:N", sort=list(steps), title=None, axis=alt.Axis(labelAngle=0, labelFontSize=12)),
        xOffset=alt.XOffset("algorithm:N", sort=names),
        y=alt.Y("percent:Q", title=y_title, axis=alt.Axis(format="d")),
    )
    drawn = alt.layer(
        base.mark_bar().encode(color=_colour(names)),
        base.mark_text(dy=-7, fontSize=11, color="#444").encode(text="words:N"),
    )
    return _framed(drawn.properties(width=620, height=280), heading)


def strips(records: Sequence[Record], heading: Heading, *, x_title: str) -> Chart:
    """Draw a tick for each count, one row per algorithm, with how far they are apart in words."""
    names = _names(records)
    labels = list(dict.fromkeys(record["words"] for record in records))
    counts = [record["checks"] for record in records]
    margin = max((max(counts) - min(counts)) * 0.08, 1)
    domain = [min(counts) - margin, max(counts) + margin]
    drawn = (
        alt.Chart(alt.InlineData(values=list(records)))
        .mark_tick(thickness=2, height=22, opacity=0.6)
        .encode(
            x=alt.X(
                "checks:Q",
                title=x_title,
                axis=alt.Axis(format=",d", tickMinStep=1),
                scale=alt.Scale(domain=domain, nice=False),
            ),
            y=alt.Y("words:N", sort=labels, title=None, axis=alt.Axis(grid=False, ticks=False, domain=False)),
            color=_colour(names, legend=False),
        )
    )
    return _framed(drawn.properties(width=560, height=alt.Step(44)), heading)


def _framed(
    drawn: Any, heading: Heading, records: Sequence[Record] = (), *, row: str = "", column: str = ""
) -> Chart:
    """Put the heading above a chart, and the chart into panels."""
    framed = drawn
    name = row or column
    if name:
        order = list(dict.fromkeys(record[name] for record in records))
        header = alt.Header(
            labelFontSize=12,
            labelFontWeight="bold",
            labelAngle=0,
            labelAnchor="start",
            labelOrient="top",
            labelPadding=0,
        )
        panels: dict[str, Any] = {
            "row" if row else "column": alt.Facet(f"{name}:N", title=None, sort=order, header=header)
        }
        framed = drawn.facet(**panels, spacing=18)
    title = alt.TitleParams(
        heading.title,
        subtitle=[heading.data, f"Corresponds to {heading.source}"],
        anchor="start",
        fontSize=15,
        subtitleFontSize=12,
        subtitleColor="#555",
        offset=14,
    )
    chart: Chart = (
        framed.properties(title=title, padding=14, background="white")
        .configure(font=_FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=11, titleFontSize=12, titleFontWeight="normal", gridColor="#E8E8E8", titlePadding=8
        )
        .configure_legend(labelFontSize=11, titleFontSize=12, symbolStrokeWidth=2)
    )
    return chart


def _names(records: Iterable[Record]) -> list[str]:
    return list(dict.fromkeys(record["algorithm"] for record in records))


def _colour(names: Sequence[str], *, legend: bool = True) -> Any:
    scale = alt.Scale(domain=list(names), range=[_COLOURS.get(name, _OTHERS) for name in names])
    if legend:
        return alt.Color("algorithm:N", title=None, scale=scale)
    return alt.Color("algorithm:N", scale=scale, legend=None)


def _logarithmic(values: Iterable[float], *, room: float = 1.0) -> dict[str, Any]:
    """Return scale and axis for values, with ticks that are few and round."""
    positive = [value for value in values if value > 0]
    least, most = min(positive, default=1.0), max(positive, default=1.0)
    marks = ticks(least, most)
    low, high = (
        max(m for m in _round(least, most) if m <= least),
        min(m for m in _round(least, most) if m >= most),
    )
    return {
        "scale": alt.Scale(type="log", domain=[low, max(high, low * 2) * room], nice=False, clamp=True),
        "axis": alt.Axis(values=marks, format=",~r"),
    }


def ticks(least: float, most: float) -> list[float]:
    """Return round numbers to mark on a logarithmic axis: 1, 2 and 5 of each decade if there are few.

    Examples
    --------
    >>> ticks(3, 70), ticks(0.4, 20_000)
    ([2.0, 5.0, 10.0, 20.0, 50.0, 100.0], [1.0, 10.0, 100.0, 1000.0, 10000.0])
    """
    marks = _round(least, most)
    low, high = max(m for m in marks if m <= least), min(m for m in marks if m >= most)
    few = most / least < 500
    return [m for m in marks if low <= m <= max(high, low * 2) and (few or math.log10(m).is_integer())]


def _round(least: float, most: float) -> list[float]:
    """Return 1, 2 and 5 of all decades from below the least value to above the most."""
    decades = range(math.floor(math.log10(least)) - 1, math.ceil(math.log10(most)) + 2)
    return [float(f"{step}e{decade}") for decade in decades for step in (1, 2, 5)]
