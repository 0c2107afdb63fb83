"""How long does an audit of a large release take, and how much memory, beside one GROUP BY in the same run?

It makes up a release of some millions of rows in a Parquet file, with its manifest, and runs as processes of
their own

- the floor: DuckDB groups the file by its quasi-identifiers and finds the smallest class,
- `shoal audit` with the manifest: every claim, SHA-256, rows, class sizes,

first with k-anonymity, then with l-diversity of a sensitive column beside it. It prints wall time and peak
memory (medians of repeats), with the ratio to the floor, which is to be at most 3. Both may use the same
memory; the rest goes to temporary files.

Usage: python benchmarks/audit.py [--rows 10000000] [--repeats 3] [--memory 1GB]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import tempfile
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

from costs import SHOAL, apart, cost
from shoal.audit.manifest_file import portable
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.spec.spec import Spec

FLOOR = [
    sys.executable,
    "-c",
    "import duckdb, sys\n"
    "path, columns, memory = sys.argv[1:]\n"
    "config = {'preserve_insertion_order': False, 'memory_limit': memory}\n"
    "groups = f\"SELECT count(*) AS n FROM read_parquet('{path}') GROUP BY {columns}\"\n"
    "print(duckdb.connect(config=config).execute(f'SELECT min(n) FROM ({groups})').fetchall())",
]
COLUMNS = {
    "age": "'[' || 5 * (h % 16) || ', ' || 5 * (h % 16 + 1) || ')'",
    "sex": "CASE WHEN (h >> 5) % 2 = 0 THEN 'Female' ELSE 'Male' END",
    "zip": "lpad(((h >> 7) % 20)::VARCHAR, 2, '0') || '***'",
    "marital_status": "['Married', 'Never married', 'Divorced', 'Widowed'][((h >> 14) % 4 + 1)::INTEGER]",
    "education": "'level ' || (h >> 17) % 6",
    "birth_year": "(1930 + 10 * ((h >> 21) % 5))::VARCHAR",
    "occupation": "'group ' || (h >> 25) % 2",
}
SENSITIVE = {"disease": "'disease ' || (h >> 30) % 12"}


def make_up(path: Path, rows: int) -> None:
    """Write a release: labels that look like such, evenly spread, and a sensitive column."""
    duckdb.execute("SET enable_progress_bar = false")
    columns = ", ".join(f"{formula} AS {name}" for name, formula in {**COLUMNS, **SENSITIVE}.items())
    duckdb.execute(
        f"COPY (SELECT {columns} FROM (SELECT hash(range) >> 8 AS h FROM range({rows})))\n"
        f"TO '{path}' (FORMAT parquet, COMPRESSION zstd)"
    )


def manifest(path: Path, *models: PrivacyModel) -> Path:
    """Write a manifest with the claims and figures that a query apart from Shoal's finds."""
    spec = Spec(
        quasi_identifiers=dict.fromkeys(COLUMNS, "suppress"), sensitive=list(SENSITIVE), privacy=models
    )
    duckdb.execute("SET enable_progress_bar = false")
    source, labels = f"read_parquet('{path}')", ", ".join(COLUMNS)
    sizes = dict(
        duckdb.sql(
            f"SELECT n, count(*) FROM (SELECT count(*) AS n FROM {source} GROUP BY {labels}) GROUP BY n"
        ).fetchall()
    )
    values = f"SELECT count(DISTINCT disease) AS m FROM {source} GROUP BY {labels}"
    ((fewest,),) = duckdb.sql(f"SELECT min(m) FROM ({values})").fetchall()
    rows = sum(size * count for size, count in sizes.items())
    measured = {"k-anonymity": f"smallest class {min(sizes)}", "l-diversity": f"fewest values {fewest}"}
    told = [(model.describe(), measured[model.name]) for model in models]
    told += [
        ("identifiers removed", "0 of 0"),
        ("columns present", f"{len(COLUMNS) + 1} of {len(COLUMNS) + 1}"),
    ]
    evidence = path.with_name(f"{len(models)}.manifest.json")
    content = {
        "format": "shoal-manifest/2",
        "tool": {"name": "benchmark", "version": "0"},
        "file": {"name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()},
        "claims": [{"claim": claim, "holds": True, "measured": figure} for claim, figure in told],
        "rows": {"in": rows, "suppressed": 0, "out": rows},
        "classes": sum(sizes.values()),
        "class_sizes": {str(size): count for size, count in sizes.items()},
        "recoding": {"kind": "full-domain", "levels": dict.fromkeys(COLUMNS, 0)},
        "suppressed": "remove",
        "null": spec.nulls,
        "spec": portable(spec),
    }
    evidence.write_text(json.dumps(content), encoding="utf-8")
    return evidence


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", default="1GB")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        release = Path(folder, "release.parquet")
        apart(make_up, release, options.rows)
        commands = {"one GROUP BY": [*FLOOR, str(release), ", ".join(COLUMNS), options.memory]}
        for name, models in {
            "audit: k-anonymity": [KAnonymity(1)],
            "audit: k-anonymity and l-diversity": [KAnonymity(1), LDiversity("disease", 1)],
        }.items():
            evidence = apart(manifest, release, *models)
            arguments = ["audit", str(release), "--manifest", str(evidence), "--memory", options.memory]
            commands[name] = [*SHOAL, *arguments]
        # In turns, so that what else the computer does slows all of them down alike.
        rounds = [[cost(command) for command in commands.values()] for _ in range(options.repeats)]
    table = Table("", "seconds", "MB", "times the GROUP BY", box=None, header_style="bold")
    for name, costs in zip(commands, zip(*rounds, strict=True), strict=True):
        seconds, megabytes = (statistics.median(figures) for figures in zip(*costs, strict=True))
        ratio = statistics.median(c.seconds / r[0].seconds for c, r in zip(costs, rounds, strict=True))
        table.add_row(name, f"{seconds:.2f}", f"{megabytes:.0f}", f"{ratio:.2f}")
    print(f"{options.rows:,} rows, {len(COLUMNS)} quasi-identifiers, memory for queries {options.memory}")
    Console().print(table)


if __name__ == "__main__":
    main()
