"""The drawings of the docs show what the searches do today."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import shoal
from shoal import registry

pytestmark = pytest.mark.xdist_group("drawings")  # drawn once, by one worker

DOCS = Path(__file__).parents[2] / "docs"
DRAWN = sorted(path.name for path in (DOCS / "images").iterdir())


@pytest.fixture(scope="module")
def drawings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Draw everything once more, with this shoal."""
    folder = tmp_path_factory.mktemp("drawings")
    environment = {**os.environ, "PYTHONPATH": str(Path(shoal.__file__).parents[1])}
    subprocess.run([sys.executable, str(DOCS / "draw.py"), str(folder)], check=True, env=environment)
    return folder


def test_nothing_is_missing_or_left_over(drawings: Path) -> None:
    assert sorted(path.name for path in drawings.iterdir()) == DRAWN


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_is_up_to_date(drawings: Path, name: str) -> None:
    drawn = (drawings / name).read_text("utf-8")
    assert drawn == (DOCS / "images" / name).read_text("utf-8"), "run python docs/draw.py"


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_stands_alone(name: str) -> None:
    text = (DOCS / "images" / name).read_text("utf-8")
    root = ElementTree.fromstring(text)
    namespace = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{namespace}svg"
    assert root.findtext(f"{namespace}title")
    tags = {element.tag.removeprefix(namespace) for element in root.iter()}
    assert tags <= {
        "svg", "style", "title", "desc", "g", "rect", "circle", "path", "polygon", "polyline", "text"
    }  # fmt: skip
    assert re.findall(r"https?:[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert len(text) < 30_000


def test_every_algorithm_has_its_section_and_drawing() -> None:
    page = (DOCS / "algorithms.md").read_text("utf-8")
    for name in registry.names("algorithms"):
        assert f"`{name}`" in page
        assert f"(images/{name}.svg)" in page


def test_every_drawing_is_shown() -> None:
    pages = [*(DOCS / f"{name}.md" for name in ("algorithms", "architecture", "partition"))]
    pages.append(DOCS.parent / "README.md")
    text = "".join(page.read_text("utf-8") for page in pages)
    assert set(re.findall(r"\((?:docs/)?images/([^)]*)\)", text)) == set(DRAWN)
