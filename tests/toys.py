"""The plug-ins of docs/own-recodings.md, for tests that need one which is not Shoal's own."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

_PAGE = Path(__file__).parents[1] / "docs" / "own-recodings.md"


@cache
def toy(name: str) -> ModuleType:
    """Return a module as the page shows it."""
    block = re.search(rf"^```python\n# {name}\.py\n(.*?)^```$", _PAGE.read_text("utf-8"), re.M | re.S)
    assert block is not None, f"{_PAGE.name} has no {name}.py"
    module = sys.modules[name] = ModuleType(name)  # dataclasses look their module up
    exec(compile(block[1], f"{name}.py", "exec"), module.__dict__)
    return module
