"""The page on attacks: a reader knows what it says, and wants to see the tests behind it.

The reader looks for an attack on the page that no test makes, and for a test that the page does not name.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = TESTS.parents[1] / "docs" / "attacks.md"


def test_the_page_names_every_attack_and_no_other():
    named = set(re.findall(r"`(test_\w+\.py)`", PAGE.read_text("utf-8")))
    assert named == {file.name for file in TESTS.glob("test_*.py")} - {Path(__file__).name}


def test_every_attack_says_what_the_attacker_knows():
    for file in TESTS.glob("test_*.py"):
        told = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
        assert re.search("attacker|[Ww]hoever|reader", told), file.name
