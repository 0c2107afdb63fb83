"""The scatter: points where they belong, labels that do not cover each other, a front as stairs."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.draw.scatter import Dot, scatter

SVG = "{http://www.w3.org/2000/svg}"
SHARES = st.floats(0, 1, allow_subnormal=False)


def drawn(dots: list[Dot]) -> ElementTree.Element:
    return ElementTree.fromstring(scatter(dots, title="Risk", x_title="risk", y_title="loss").svg())


@given(
    places=st.lists(st.tuples(SHARES, SHARES), max_size=25),
    series=st.integers(1, 7),
)
def test_any_points_can_be_drawn(places: list[tuple[float, float]], series: int) -> None:
    dots = [
        Dot(x, y, f"k={i}", f"spec {i % series}", i % 2 == 0, f"hint {i}") for i, (x, y) in enumerate(places)
    ]
    root = drawn(dots)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    hints = [group.findtext(f"{SVG}title") for group in root.iter(f"{SVG}g")]
    assert hints == [dot.hint for dot in dots]
    for shape in root.iter(f"{SVG}circle"):
        assert 0 <= float(shape.get("cx", -1)) <= width
        assert 0 <= float(shape.get("cy", -1)) <= height


def test_more_risk_is_to_the_right_and_more_loss_is_up() -> None:
    root = drawn([Dot(0.1, 0.2, "a", "s", True, "a"), Dot(0.4, 0.1, "b", "s", True, "b")])
    (ax, ay), (bx, by) = (
        (float(shape.get("cx", 0)), float(shape.get("cy", 0))) for shape in root.iter(f"{SVG}circle")
    )
    assert ax < bx
    assert ay < by  # further down in a picture


@pytest.mark.parametrize(("most", "logarithmic"), [(0.19, False), (0.2, True)])
def test_risks_that_are_far_apart_stand_on_a_logarithmic_axis(most: float, logarithmic: bool) -> None:
    root = drawn([Dot(0.01, 0.2, "a", "s", True, "a"), Dot(most, 0.1, "b", "s", True, "b")])
    words = {text.text for text in root.iter(f"{SVG}text")}
    assert ("risk (logarithmic)" in words) == logarithmic


def test_points_in_one_place_share_a_label() -> None:
    root = drawn([Dot(0.1, 0.2, f"k={k}", "s", True, "") for k in (3, 4, 5)])
    assert "k=3, k=4, k=5" in {text.text for text in root.iter(f"{SVG}text")}


def test_labels_that_find_no_place_are_left_out() -> None:
    dots = [Dot(0.3 + i / 10_000, 0.5 + i / 10_000, f"label {i}", "s", i == 7, "") for i in range(60)]
    words = [text.text or "" for text in drawn(dots).iter(f"{SVG}text")]
    labels = [text for text in words if text.startswith("label")]
    assert 1 <= len(labels) < 60
    assert any("label 7" in text for text in labels)


def test_the_front_goes_through_its_points_in_steps() -> None:
    dots = [
        Dot(0.1, 0.3, "a", "s", True, ""),
        Dot(0.2, 0.1, "b", "s", True, ""),
        Dot(0.3, 0.4, "c", "s", False, ""),
    ]
    root = drawn(dots)
    (line,) = [line for line in root.iter(f"{SVG}polyline") if line.get("stroke-dasharray")]
    corners = [tuple(map(float, corner.split(","))) for corner in line.get("points", "").split()]
    places = [(float(shape.get("cx", 0)), float(shape.get("cy", 0))) for shape in root.iter(f"{SVG}circle")]
    assert places[0] in corners
    assert places[1] in corners
    assert places[2] not in corners
    for (ax, ay), (bx, by) in pairwise(corners):
        assert ax == bx or ay == by


def test_without_points_it_says_so() -> None:
    assert "There is nothing to draw." in {text.text for text in drawn([]).iter(f"{SVG}text")}
