"""Every registered hierarchy keeps what it promises.

Adding a hierarchy to the registry adds its tests, on the examples and the sample that it declares. (What its
labels are is tested in tests/unit/describe/hierarchies.)
"""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import registry
from shoal.describe.hierarchies.function import by_function
from shoal.describe.hierarchy import HierarchyDefaults
from shoal.testing import check_hierarchy

NAMES = registry.names("hierarchies")
PYTHON_ONLY = {"function": [by_function(lambda value: str(value)[:3], lambda value: str(value)[:1])]}
"""What no spec can hold."""

FILES = {
    "job.csv": "cook;kitchen;*\nbaker;kitchen;*\n1;other;*\n",
    "job.txt": "distinct\nname job\ntype string\nheight 3\n\n"
    "kitchen has cook baker\nother has 1\n\n* has kitchen other\n",
}
"""The files that examples name, and values of theirs."""
FILE_SAMPLE = ("cook", "baker", "1")

every_hierarchy = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("hierarchies")
    for name, text in FILES.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


@every_hierarchy
def test_it_has_examples_unless_no_spec_can_hold_it(name: str) -> None:
    kind = registry.resolve("hierarchies", name)
    assert issubclass(kind, HierarchyDefaults)
    assert kind.name == name
    assert bool(kind.examples) != (name in PYTHON_ONLY)


@every_hierarchy
def test_it_keeps_what_it_promises(name: str, folder: Path) -> None:
    kind = registry.resolve("hierarchies", name)
    examples = [kind.from_spec(example, folder) for example in kind.examples]
    for hierarchy in (*PYTHON_ONLY.get(name, []), *examples):
        check_hierarchy(hierarchy, values=kind.sample or FILE_SAMPLE, folder=folder)
