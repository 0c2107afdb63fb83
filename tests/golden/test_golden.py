"""The optima that ARX 3.9.2 finds, from the command line.

The data are not part of the repository: `SHOAL_DATA` names the folder with `adult.csv`, `cup.csv` and
`hierarchies/`. Without it, `../shared/datasets` beside the repository is looked for.
"""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal.search.result import border

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "shared" / "datasets"))
LATTICE = {"adult": 12_960, "cup": 45_000}

# Data, k, limit, satisfying nodes, best score, its levels in file order, its suppressed rows.
MONOTONE_DISCERNABILITY = [
    ("adult", 2, 0, 133, 19399310, "1,1,1,1,3,2,2,1,1", 0),
    ("adult", 2, 0.02, 5550, 998208, "0,0,1,1,3,2,2,0,1", 451),
    ("adult", 5, 0, 86, 33627534, "1,1,1,2,3,2,2,1,1", 0),
    ("adult", 5, 0.02, 2778, 2300532, "1,0,1,2,3,2,2,0,1", 419),
    ("adult", 5, 0.04, 4387, 1415782, "1,0,1,1,3,2,2,0,1", 906),
    ("cup", 5, 0, 9, 301506905, "4,4,1,1,1,4,4,4", 0),
    # A tie with 3,0,0,2,1,4,3,1: the lower node wins.
    ("cup", 2, 0.04, 14778, 858395, "3,0,0,2,1,3,3,1", 2534),
    pytest.param("cup", 5, 0.02, 7979, 4082301, "3,1,1,1,0,2,3,2", 1248, marks=pytest.mark.slow),
]

# On adult with k = 5 and a limit of 2%: measure, best score, its levels, its suppressed rows.
OTHER_MEASURES = [
    ("height", 9, None, None),
    ("precision", 0.436679584564, "0,4,0,1,1,1,1,2,0", None),
    ("discernability", 7220555, "0,0,1,2,3,2,2,1,1", None),
    ("entropy", 282939.03354608, "0,0,1,1,3,2,2,1,1", None),
    ("loss", 0.358463637, "0,3,0,2,2,1,1,2,0", 554),
]


def columns(data: str) -> list[str]:
    with (DATA / f"{data}.csv").open(encoding="utf-8") as file:
        return file.readline().strip().split(";")


@pytest.fixture
def anonymize(shoal: Any, tmp_path: Path) -> Any:
    """Run `shoal anonymize` on a data set, all columns quasi-identifiers in file order."""

    def run(data: str, k: int, limit: float, quality: str, *options: object) -> dict[str, Any]:
        if not (DATA / f"{data}.csv").is_file():
            pytest.skip(f"{data}.csv is not in {DATA.name!r}: set SHOAL_DATA to the folder of the data sets")
        spec = {
            "input": {"delimiter": ";"},
            "columns": {
                name: {
                    "role": "quasi-identifier",
                    "hierarchy": {"file": str(DATA / "hierarchies" / f"{data}_hierarchy_{name}.csv")},
                }
                for name in columns(data)
            },
            "privacy": [{"k-anonymity": k}],
            "suppression": limit,
            "quality": quality,
        }
        written = tmp_path / "spec.yaml"
        written.write_text(json.dumps(spec), encoding="utf-8")  # JSON is YAML
        ran = shoal(
            "anonymize", DATA / f"{data}.csv", "--spec", written,
            "--output", tmp_path / "release.csv", "--json", *options,
        )  # fmt: skip
        assert ran.code == 0, ran.err
        result: dict[str, Any] = json.loads(ran.out)
        assert result["quality"] == quality
        assert result["optimal"] is True
        return result

    return run


def levels(result: dict[str, Any]) -> str:
    return ",".join(map(str, result["levels"].values()))


@pytest.mark.parametrize(
    ("data", "k", "limit", "nodes", "score", "best", "suppressed"), MONOTONE_DISCERNABILITY
)
def test_monotone_discernability(
    anonymize: Any,
    tmp_path: Path,
    data: str,
    k: int,
    limit: float,
    nodes: int,
    score: float,
    best: str,
    suppressed: int,
) -> None:
    path = tmp_path / "nodes.csv"
    quick = anonymize(data, k, limit, "discernability-monotone")
    result = anonymize(data, k, limit, "discernability-monotone", "--all-nodes", path)
    for found in (quick, result):
        assert (found["score"], levels(found), found["suppressed_rows"]) == (score, best, suppressed)
        assert found["nodes"]["lattice"] == LATTICE[data]
    assert (quick["satisfying_nodes"], result["satisfying_nodes"]) == (None, nodes)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == nodes
    assert min(float(row["score"]) for row in rows) == score
    assert max(int(row["suppressed_rows"]) for row in rows) <= limit * result["rows"]
    satisfying = np.array([[int(row[name]) for name in columns(data)] for row in rows], dtype=np.uint8)
    check_border(satisfying, data)


def check_border(satisfying: np.ndarray[Any, Any], data: str) -> None:
    """The satisfying nodes are all that lie above the border, and no border node lies above another."""
    least = border(satisfying)
    above = (satisfying[:, None, :] >= least[None, :, :]).all(axis=2)
    assert above.any(axis=1).all()
    assert (above[(satisfying[:, None] == least[None]).all(axis=2).any(axis=1)].sum(axis=1) == 1).all()
    top = satisfying.max(axis=0)
    lattice = np.stack(np.meshgrid(*(np.arange(t + 1) for t in top), indexing="ij"), axis=-1).reshape(
        -1, len(top)
    )
    assert len(lattice) == LATTICE[data]  # the top node satisfies
    closure = np.zeros(len(lattice), dtype=bool)
    for node in least:
        closure |= (lattice >= node).all(axis=1)
    assert closure.sum() == len(satisfying)


@pytest.mark.parametrize(("quality", "score", "best", "suppressed"), OTHER_MEASURES)
def test_other_measures(
    anonymize: Any, quality: str, score: float, best: str | None, suppressed: int | None
) -> None:
    result = anonymize("adult", 5, 0.02, quality)
    assert result["score"] == pytest.approx(score, rel=1e-9)
    assert best in (None, levels(result))
    assert suppressed in (None, result["suppressed_rows"])


@pytest.mark.slow
@pytest.mark.parametrize("quality", [quality for quality, *_ in OTHER_MEASURES])
def test_threads_do_not_change_the_answer(anonymize: Any, quality: str) -> None:
    one, two = (anonymize("cup", 5, 0.02, quality, "--threads", threads) for threads in (1, 2))
    assert (one["score"], one["levels"]) == (two["score"], two["levels"])
