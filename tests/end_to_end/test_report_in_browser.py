"""The report in a real browser, at the width of a phone and of a desk.

Needs Chromium or Chrome on the path; without one these tests are skipped.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import shoal
from shoal.data import write_sample
from shoal.report import internal_html

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, _NAMES)), None)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on the path (apt install chromium)")

# A window has a least width, a frame has none. The page itself allows no scripts, the frame around it does.
_FRAME = """<!doctype html><html><body style="margin: 0">
<iframe style="border: 0; width: {width}px; height: 900px" srcdoc="{page}"></iframe>
<script>
onload = () => {{
  const page = document.querySelector("iframe").contentDocument.documentElement
  page.querySelectorAll("details").forEach(each => each.open = true)
  const outside = [...page.querySelectorAll("svg text")].filter(text => {{
    const box = text.getBoundingClientRect(), around = text.ownerSVGElement.getBoundingClientRect()
    return box.width && (box.left < around.left - 1 || box.right > around.right + 1)
  }})
  const pictures = page.querySelectorAll("svg").length
  document.body.dataset.found = `${{page.scrollWidth}} ${{outside.length}} ${{pictures}}`
}}
</script></body></html>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    sample = write_sample("census", 400, folder=tmp_path_factory.mktemp("census"))
    # Of so few people the incomes are unique, which the sample's own spec does not accept.
    spec = replace(shoal.Spec.from_yaml(sample.spec), accept={"income": "linkable"})
    release = shoal.anonymize(sample.data, spec)
    return internal_html(release, name="release.csv", models=False)


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_page(page: str, width: int, tmp_path: Path) -> None:
    frame = tmp_path / "frame.html"
    frame.write_text(_FRAME.format(width=width, page=html.escape(page)), encoding="utf-8")
    assert BROWSER is not None
    drawn = subprocess.run(
        [
            BROWSER, "--headless", "--disable-gpu", "--dump-dom", f"--user-data-dir={tmp_path / 'profile'}",
            *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []), frame.as_uri(),
        ],
        check=True, capture_output=True, text=True, encoding="utf-8",
    ).stdout  # fmt: skip
    found = re.search(r'data-found="(\d+) (\d+) (\d+)"', drawn)
    assert found is not None, drawn[-500:]
    scrolled, outside, pictures = map(int, found.groups())
    assert scrolled <= width
    assert outside == 0, "words in a picture are cut off"
    assert pictures > 5
