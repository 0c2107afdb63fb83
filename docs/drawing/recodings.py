"""Loss by k for several recodings, as `shoal compare --recoding` draws it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from shoal.data import write_sample
from shoal.search.problem import SearchProblem
from shoal.tradeoff.compare import compare

ROWS, SEED = 5_000, 1
KS = (2, 3, 5, 10, 20, 50)
RECODINGS = ("attribute-suppression", "full-domain", "starred", "mondrian", "cells")
"""Those that find the same on every machine: no search here stops at its time."""


@dataclass(frozen=True)
class Chart:
    """A chart with its theme, light and dark."""

    svg: str

    def write(self, path: Path) -> None:
        path.write_text(self.svg, encoding="utf-8", newline="\n")


def losses(_: SearchProblem) -> Chart:
    """Compare recodings of the census sample."""
    with TemporaryDirectory() as folder:
        sample = write_sample("census", ROWS, SEED, Path(folder))
        found = compare(sample.data, sample.spec, ks=KS, recodings=RECODINGS)
    return Chart(found.canvas.standalone())
