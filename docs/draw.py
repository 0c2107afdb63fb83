"""Draw the examples of docs/algorithms.md from real runs on the six patients of the papers, the house, what
recodings lose, and what the classes of partition tell.

    python docs/draw.py [folder]    # docs/images if not given

What is drawn was seen: the checks in their order come from the searches themselves, and so do paths, cuts and
what was rolled up from what. Run it after a change to a search; a test compares the files with what it draws.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from drawing import architecture, gains, lattices, recodings, relations, subsets
from drawing.runs import patients_problem

from shoal.search.problem import SearchProblem


class Drawing(Protocol):
    """What can be written to a file."""

    def write(self, path: Path) -> None: ...


DRAWINGS: dict[str, Callable[[SearchProblem], Drawing]] = {
    "patients": subsets.table_and_hierarchies,
    "exhaustive": lattices.exhaustive,
    "bottom-up": lattices.bottom_up,
    "bottom-up-no-rollup": lattices.bottom_up_no_rollup,
    "samarati": lattices.samarati,
    "incognito": subsets.incognito,
    "incognito-super-roots": subsets.super_roots,
    "incognito-cube": subsets.cube,
    "incognito-sql": relations.incognito_sql,
    "bitmap-incognito": subsets.bitmap,
    "ola": lattices.natural_ola,
    "ola-stable": lattices.stable_ola,
    "flash": lattices.flash_search,
    "datafly": lattices.datafly,
    "box": lattices.box,
    "best-first": lattices.best_first,
    "flow": architecture.flow,
    "imports": architecture.imports,
    "recodings": recodings.losses,
    "partition-gains": gains.by_level,
}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    problem = patients_problem()
    for name, draw in DRAWINGS.items():
        draw(problem).write(folder / f"{name}.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images")
