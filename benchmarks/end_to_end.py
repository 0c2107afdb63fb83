"""How long do whole processes take, and how much memory, beside the floor measured in the same run?

For each data set and suppression limit it runs `shoal anonymize` as a process of its own, from the file to
the audited release on disk, and prints wall time and peak memory (medians of repeats), with the ratios to

- the imports: a process that only imports numpy, pyarrow and duckdb,
- DuckDB: a process in which it reads the same file as text, groups it by all columns and writes it again.

Usage: python benchmarks/end_to_end.py [--data adult,ihis] [--k 5] [--suppression 0,0.02] [--repeats 5]

Real data are found through SHOAL_DATA (default ../shared/datasets); what is not there is generated with the
published shape, and the table says so.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from costs import SHOAL, apart, costs

IMPORTS = [sys.executable, "-c", "import numpy, pyarrow, duckdb"]
DUCKDB = [
    sys.executable,
    "-c",
    "import duckdb, sys\n"
    "source = f\"read_csv('{sys.argv[1]}', delim = '{sys.argv[3]}', all_varchar = true)\"\n"
    'groups = duckdb.execute(f"SELECT count(*) FROM (FROM {source} GROUP BY ALL)").fetchone()\n'
    "duckdb.execute(f\"COPY (FROM {source}) TO '{sys.argv[2]}' (delimiter '{sys.argv[3]}')\")",
]


class Prepared(NamedTuple):
    """What a data set's processes are given."""

    description: str
    path: Path
    delimiter: str
    spec: Path


def prepare(name: str, k: int, folder: Path) -> Prepared:
    """Find the data set, or generate it, and write a spec with all columns generalized."""
    from shoal.data import find_benchmark, write_shape

    found = find_benchmark(name)
    if found.file is None:
        path, _, files = write_shape(found.shape, found.rows, folder=folder)
        with path.open(encoding="utf-8") as file:
            columns = file.readline().strip().split(",")
        delimiter, hierarchies = ",", dict(zip(columns, files, strict=True))
    else:
        path, delimiter, hierarchies = found.file, ";", found.hierarchies
    spec = folder / f"{name}.yaml"
    spec.write_text(
        json.dumps(  # which is YAML
            {
                "input": {"delimiter": delimiter},
                "columns": {
                    column: {"role": "quasi-identifier", "hierarchy": {"file": str(file.resolve())}}
                    for column, file in hierarchies.items()
                },
                "privacy": [{"k-anonymity": k}],
                "quality": "discernability-monotone",
            }
        ),
        encoding="utf-8",
    )
    return Prepared(found.description, path, delimiter, spec)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", default="adult,ihis")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppression", default="0,0.02")
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()

    table = Table("process", "wall s", "peak MB", "x imports", "x DuckDB", title="Whole processes")
    for column in table.columns[1:]:
        column.justify = "right"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name in asked.data.split(","):
            data = apart(prepare, name, asked.k, folder)
            output = str(folder / "out.csv")
            limits = asked.suppression.split(",")
            run = [
                *SHOAL,
                "anonymize",
                str(data.path),
                "--spec",
                str(data.spec),
                "--output",
                output,
                "--json",
            ]
            labels = [f"{data.description}, k = {asked.k}, limit {limit}" for limit in limits]
            commands = [[*run, "--suppression", limit] for limit in limits]
            labels += ["imports only", f"DuckDB on {name}"]
            commands += [IMPORTS, [*DUCKDB, str(data.path), output, data.delimiter]]
            taken = costs(commands, asked.repeats)
            *_, imports, duckdb = taken
            for label, (seconds, megabytes) in zip(labels, taken, strict=True):
                table.add_row(
                    label,
                    f"{seconds:.2f}",
                    f"{megabytes:.0f}",
                    f"{seconds / imports.seconds:.1f}",
                    f"{seconds / duckdb.seconds:.1f}",
                )
            table.add_section()
    Console().print(table)


if __name__ == "__main__":
    main()
