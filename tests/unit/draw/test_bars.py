"""Bars, histograms and ladders: what they show is true, and stays inside the picture."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.draw.bars import WIDTH, Bar, BarGroup, bars, fitted, one_each
from shoal.draw.histogram import binned, histogram
from shoal.draw.ladder import drawn_rungs, ladder
from shoal.draw.svg import Canvas

SVG = "{http://www.w3.org/2000/svg}"
SIZES = st.dictionaries(st.integers(1, 3000), st.integers(1, 5), max_size=6)


def drawn(canvas: Canvas, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(canvas.svg()).iter(f"{SVG}{tag}"))


def number(element: ElementTree.Element, name: str) -> float:
    return float(element.attrib[name])


def inside(canvas: Canvas) -> None:
    """Check that everything is in the picture, texts as wide as wide fonts write them."""
    for rect in drawn(canvas, "rect"):
        assert number(rect, "x") >= 0 and number(rect, "x") + number(rect, "width") <= canvas.width
        assert number(rect, "y") >= 0 and number(rect, "y") + number(rect, "height") <= canvas.height
    for text in drawn(canvas, "text"):
        words = text.text or ""
        assert 0 < number(text, "y") <= canvas.height
        bold = text.attrib.get("font-weight") == "600"
        wide = len(words.strip("\u2068\u2069")) * number(text, "font-size") * (0.69 if bold else 0.62)
        start = {"start": 0.0, "end": wide, "middle": wide / 2}[text.attrib["text-anchor"]]
        assert number(text, "x") - start >= -1, words
        assert number(text, "x") - start + wide <= canvas.width + 12, words


def test_bars_are_as_long_as_their_figures() -> None:
    pair = (Bar("before", "before", 1.0, "100%"), Bar("after", "after", 0.25, "25%"))
    canvas = bars([BarGroup("Highest", pair)], "Risk")
    before, after = drawn(canvas, "rect")
    assert number(before, "width") == pytest.approx(4 * number(after, "width"), abs=0.2)
    assert [text.text for text in drawn(canvas, "text")] == ["Highest", "before", "100%", "after", "25%"]
    inside(canvas)


@pytest.mark.parametrize("length", [None, float("nan"), 0.0, -3.0])
def test_what_has_no_length_has_no_bar(length: float | None) -> None:
    canvas = bars([BarGroup("", (Bar("after", "R2", length, "-3"),))], "Learning")
    assert drawn(canvas, "rect") == []


def test_what_is_nearly_nothing_can_be_seen() -> None:
    canvas = bars([BarGroup("", (Bar("after", "risk", 1e-9, "below 0.01%"),))], "Risk")
    (bar,) = drawn(canvas, "rect")
    assert number(bar, "width") >= 1


def test_series_differ_without_colours() -> None:
    names = ("before", "after", "baseline")
    three = tuple(Bar(series, series, 1.0, "1") for series in names)  # type: ignore[arg-type]
    before, after, baseline = drawn(bars([BarGroup("", three)], "All"), "rect")
    assert before.attrib["fill"] != before.attrib["stroke"]
    assert after.attrib["fill"] == after.attrib["stroke"]
    assert "stroke-dasharray" in baseline.attrib


@given(
    st.lists(st.tuples(st.text("abcW_北", min_size=1, max_size=80), st.floats(0, 9)), min_size=1, max_size=6)
)
def test_bars_stay_inside(figures: list[tuple[str, float]]) -> None:
    words = [(name, length, f"{length:.1%}") for name, length in figures]
    inside(bars(one_each("before", words), "Bars", most=max(length for _, length in figures) or 1))


@given(st.text("ab北京", max_size=40), st.integers(2, 30))
def test_fitted_words_fit(words: str, longest: int) -> None:
    found = fitted(words, longest)
    assert sum(2 if sign in "北京" else 1 for sign in found) <= longest
    assert found == words or words.startswith(found[:-1])


@given(SIZES, SIZES, st.integers(1, 40))
def test_bins_hold_all_rows(before: dict[int, int], after: dict[int, int], limit: int) -> None:
    bins = binned(before, after, limit)
    for sizes, shares in ((before, [b.before for b in bins]), (after, [b.after for b in bins])):
        assert sum(shares) == pytest.approx(1.0 if sizes else 0.0)
        rows = sum(sizes.values())
        for each, share in zip(bins, shares, strict=True):
            inner = sum(count for size, count in sizes.items() if each.least <= size <= each.most)
            assert share == pytest.approx(inner / rows if rows else 0.0)
    # Nothing below the limit is in one bin with what is not.
    assert all(each.most < limit or each.least >= limit for each in bins)
    words = [("12.3%", "below 0.01%")] * len(bins)
    inside(histogram(bins, words, "Sizes", limit=limit))


def test_the_limit_is_drawn_where_it_is() -> None:
    bins = binned({1: 10, 7: 2}, {5: 3, 20: 1}, 5)
    canvas = histogram(bins, [("1%", "2%")] * len(bins), "Sizes", limit=5)
    texts = {text.text: number(text, "y") for text in drawn(canvas, "text")}
    assert texts["3 to 4"] < texts["required: at least 5"] < texts["5 to 9"]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_ladder_marks_the_level_that_was_released(level: int) -> None:
    shown = {rung: (f"label-of-{rung}",) for rung in range(level, 3)}
    canvas = ladder("age", level, [40, 8, 1], shown)
    texts = [text.text or "" for text in drawn(canvas, "text")]
    assert [text for text in texts if "released" in text] == [f"Level {level}, released"]
    assert [text for text in texts if text.startswith("Level")] == [
        f"Level {rung}" + (", released" if rung == level else "") for rung in (2, 1, 0)
    ]
    assert "40 values" in texts and "8 labels" in texts and "1 label" in texts
    assert all(f"label-of-{rung}" not in " ".join(texts) for rung in range(level))
    inside(canvas)


@given(st.integers(0, 255), st.data())
def test_a_long_ladder_shows_its_ends_and_the_level(height: int, data: st.DataObject) -> None:
    level = data.draw(st.integers(0, height))
    rungs = drawn_rungs(height, level)
    assert {0, level, height} <= set(rungs) <= set(range(height + 1))
    assert rungs == sorted(rungs, reverse=True) and len(rungs) <= 12


def test_labels_of_any_length_stay_inside() -> None:
    labels = ("a label of some length", "another one that is longer than the picture is wide", "b" * 200)
    canvas = ladder("x" * 300, 0, [1_234_567, 2, 1], {0: labels, 1: labels[2:], 2: ("*",)})
    inside(canvas)
    assert canvas.width == WIDTH
