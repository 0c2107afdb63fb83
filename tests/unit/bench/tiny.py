"""A benchmark of 200 rows, four columns and 36 nodes, and an algorithm that is wrong."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import ClassVar

from shoal.search.algorithms.box import Box

HIERARCHIES = {
    "age": [(str(age), f"{age // 10}x", "*") for age in range(20, 60)],
    "sex": [("F", "*"), ("M", "*")],
    "zip": [(str(code), f"{str(code)[:1]}*", "*") for code in range(10, 40)],
    "job": [(job, "*") for job in ("a", "b", "c")],
}


def write_tiny(folder):
    """Write the table and its hierarchies as `SHOAL_DATA` has them."""
    drawn = random.Random(1)
    (folder / "hierarchies").mkdir()
    for column, lines in HIERARCHIES.items():
        text = "".join(";".join(line) + "\n" for line in lines)
        (folder / "hierarchies" / f"tiny_hierarchy_{column}.csv").write_text(text)
    rows = [[drawn.choice(lines)[0] for lines in HIERARCHIES.values()] for _ in range(200)]
    (folder / "tiny.csv").write_text("\n".join(map(";".join, [list(HIERARCHIES), *rows])) + "\n")
    return folder


@dataclass(frozen=True)
class Liar:
    """Box, but with another score and another node."""

    add: float = 1.0
    name: ClassVar[str] = "liar"
    summary: ClassVar[str] = "Claims to be exact, and is not."
    exact: ClassVar[bool] = True
    complete: ClassVar[bool] = False
    absorbing_only: ClassVar[bool] = True
    measures: ClassVar[tuple[str, ...]] = ()

    def search(self, problem, *, all_nodes=False, threads=1, listener=None):
        found = Box().search(problem)
        return replace(found, score=found.score + self.add, levels=(2, 1, 2, 1))


@dataclass(frozen=True)
class Guess(Liar):
    """The same, but it does not claim to be exact."""

    name: ClassVar[str] = "guess"
    exact: ClassVar[bool] = False
