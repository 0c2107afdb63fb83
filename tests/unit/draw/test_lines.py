"""The line chart: lines where they belong, names at their ends that do not cover each other."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from shoal.draw.lines import Line, lines, spread

SVG = "{http://www.w3.org/2000/svg}"
HEIGHTS = st.lists(st.floats(0, 300), min_size=1, max_size=20)


def drawn(*chart: Line) -> ElementTree.Element:
    return ElementTree.fromstring(lines(chart, title="Loss", x_title="k", y_title="loss").svg())


def line(name: str, *points: tuple[float, float]) -> Line:
    return Line(name, points, tuple(f"{name} k={x:g}" for x, _ in points))


@given(
    st.lists(
        st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=4), min_size=1, max_size=18
    )
)
def test_any_lines_can_be_drawn(losses: list[list[float]]) -> None:
    ks = [2, 5, 10, 1000]
    chart = [line(f"line {i}", *zip(ks, heights, strict=False)) for i, heights in enumerate(losses)]
    root = drawn(line("all", *((k, 0.5) for k in ks)), *chart)
    hints = [group.findtext(f"{SVG}title") for group in root.iter(f"{SVG}g")]
    assert hints[len(ks) :] == [hint for one in chart for hint in one.hints]
    texts = {text.text: text for text in root.iter(f"{SVG}text")}
    heights = sorted(float(texts[one.name].get("y", 0)) for one in chart)
    assert all(lower - upper >= 11 for upper, lower in pairwise(heights))
    assert heights[0] > 0
    assert heights[-1] < float(root.get("height", 0))


def test_a_larger_k_is_to_the_right_and_more_loss_is_up() -> None:
    root = drawn(line("cells", (2, 0.1), (10, 0.3), (50, 0.2)))
    points = [(float(shape.get("cx", 0)), float(shape.get("cy", 0))) for shape in root.iter(f"{SVG}circle")]
    (ax, ay), (bx, by), (cx, cy) = points
    assert ax < bx < cx
    assert by < cy < ay
    # 10 is five times 2, and 50 five times 10.
    assert abs((bx - ax) - (cx - bx)) < 0.2


def test_the_numbers_below_are_those_of_the_points() -> None:
    words = [text.text for text in drawn(line("cells", (2, 0.1), (7, 0.3))).iter(f"{SVG}text")]
    assert {"2", "7", "k (logarithmic)", "cells"} <= set(words)


def test_lines_do_not_differ_by_hue_alone() -> None:
    root = drawn(*(line(f"line {i}", (2, i / 20), (5, i / 10)) for i in range(10)))
    shapes = [
        (shape.tag, len((shape.get("points") or "").split()))
        for group in root.iter(f"{SVG}g")
        for shape in list(group)[1:]
    ]
    dashes = [
        one.get("stroke-dasharray") for one in root.iter(f"{SVG}polyline") if one.get("stroke-width") == "2"
    ]
    assert len(set(shapes[:10])) == 3
    assert dashes[:5] == [None] * 5
    assert dashes[5:] == ["7 4"] * 5


@given(HEIGHTS)
def test_names_are_spread_in_order_and_apart(heights: list[float]) -> None:
    found = spread(heights, 15, 0, 300)
    assert all(-1e-9 <= height <= 300 + 1e-9 for height in found)
    in_order = [found[i] for i in sorted(range(len(heights)), key=heights.__getitem__)]
    assert all(lower - upper >= 15 - 1e-6 for upper, lower in pairwise(in_order))


def test_names_with_room_stay_where_they_are() -> None:
    assert spread([200, 20, 100], 15, 0, 300) == [200, 20, 100]
