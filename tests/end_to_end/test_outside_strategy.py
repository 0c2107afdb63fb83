"""A recoding and a strategy outside the tree, those of docs/own-recodings.md: from a table to its report."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "own-recodings.md"
_BLOCK = re.compile(r"^```(?:python|toml)\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Install the package of the page: its module, with the entry points beside it."""
    site = tmp_path / "site"
    about = site / "frequent_values-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: frequent-values\nVersion: 1.0\n")
    blocks = dict(_BLOCK.findall(PAGE.read_text("utf-8")))
    (site / "frequent_values.py").write_text(blocks["frequent_values.py"], encoding="utf-8")
    ((group, points),) = tomllib.loads(blocks["pyproject.toml"])["project"]["entry-points"].items()
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (about / "entry_points.txt").write_text("\n".join(lines))
    return site


def run(code: str, site: Path) -> list[str]:
    """Run a program in which the package is installed."""
    paths = [str(site), *(path for path in sys.path if path)]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=site.parent,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


START = """
import subprocess, sys
import pyarrow as pa, shoal
from pyarrow import csv
people = pa.table({
    "age": [31, 31, 31, 52, 52, 58, 59, 77],
    "sex": list("FFFMMMMF"),
    "disease": ["flu", "cold", "gout", "flu"] * 2,
})
csv.write_csv(people, "people.csv")
spec = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
    sensitive=["disease"],
    privacy=[shoal.KAnonymity(2)],
    suppression=0.2,
)
"""


@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_from_a_table_to_its_report(site: Path, name: str) -> None:
    code = f"""{START}
release = shoal.anonymize("people.csv", spec, recoding="frequent-values")
print(release.recoding)
path = release.write({name!r}, report=True)
audit = shoal.audit_release(path)
print(audit.fails, [finding.claim for finding in audit.findings if not finding.holds])
checker = [sys.executable, "-I", f"{{path}}.checker.py", path, f"{{path}}.manifest.json"]
print(subprocess.run(checker, stdout=subprocess.DEVNULL).returncode if path.suffix == ".csv" else 0)
from pathlib import Path
internal = Path(f"{{path}}.internal.html").read_text("utf-8")
public = Path(f"{{path}}.report.html").read_text("utf-8")
print("Neighbours" in internal, "frequent-values" in internal, "frequent-values" in public)
"""
    assert run(code, site) == [
        "FrequentValues(least=2)",
        "False []",
        "0",
        "False True False",
    ]


def test_what_it_cannot_serve_is_refused_before_any_work(site: Path) -> None:
    code = f"""{START}
from dataclasses import replace
asked = dict(recoding="frequent-values")
for more in (
    dict(spec=spec, all_nodes=True),
    dict(spec=spec, algorithm="flash"),
    dict(spec=spec, recoding="frequent-value"),
):
    try:
        shoal.anonymize("people.csv", **asked | more)
    except shoal.InputError as error:
        print(" | ".join(str(error).splitlines()))
"""
    assert run(code, site) == [
        "The recoding 'frequent-values' is no node of a lattice, so there is no list of all nodes "
        "that satisfy. | Recodings with such a list: full-domain.",
        "The recoding 'frequent-values' has no search algorithms to choose from. | Found: an algorithm. | "
        "Leave it out.",
        "Unknown recoding 'frequent-value'. | Known: attribute-suppression, cell-suppression, cells, "
        "frequent-values, full-domain, microaggregation, mondrian, ordered-set, partition, starred, "
        "subtree. | "
        "Did you mean 'frequent-values'?",
    ]


def test_a_population_is_compared_by_its_labels(site: Path) -> None:
    code = f"""{START}
from dataclasses import replace
at_population = replace(spec, privacy=[shoal.KMap(2, people)])
release = shoal.anonymize("people.csv", at_population, recoding="frequent-values")
print(release.audit.findings[0].render())
"""
    assert run(code, site) == [
        "k-map 2 in a table given in Python: holds, fewest people of the population in a class 2"
    ]


def test_it_keeps_what_it_promises(site: Path) -> None:
    code = """
from frequent_values import FrequentValues, KeepFrequent
from shoal.testing import check_recoding, check_strategy
check_recoding(lambda table: FrequentValues(2), examples=20)
check_strategy(KeepFrequent(), examples=10)
print("checked")
"""
    assert run(code, site) == ["checked"]
