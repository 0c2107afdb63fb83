"""What does a stream lose and suppress, for how long rows may wait, beside one release of the same rows?

Adult in random order: the first 6,000 rows are the reference, the next come in twelve batches. Occupation is
sensitive: k = 5 and enhanced 2-likeness, compared with the reference in all cases.

- steady: as they come.
- drift: from the seventh batch on, a fifth of the rows are drawn from those with one rare occupation.
- region: from the seventh batch on, half of those of people under thirty are.

For each case and delay: the emissions, how many rows were suppressed, the mean loss of released rows, the
same with 1 for each suppressed row, the emissions with an alarm, and the CPU seconds. The last line of a case
is one release of all its rows: its loss, or that none satisfies.

Usage: python benchmarks/stream.py [--rows 1000]

Real data are found through SHOAL_DATA (default ../shared/datasets); without them it says so and ends.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import shoal
from shoal.data.benchmark import data_folder
from shoal.privacy.distribution import Distribution

CONSOLE = Console(width=100)
COLUMNS = ("sex", "age", "race", "marital-status", "education", "workclass", "occupation")
DELAYS = (0, 1, 2, 3, 5, 11)
BATCHES = 12
REFERENCE = 6000
RARE = "Tech-support"


def adult() -> pa.Table:
    options = pyarrow.csv.ParseOptions(delimiter=";")
    table = pyarrow.csv.read_csv(data_folder() / "adult.csv", parse_options=options).select(COLUMNS)
    return table.take(pa.array(np.random.default_rng(1).permutation(table.num_rows)))


def spec_of(reference: pa.Table) -> shoal.Spec:
    declared = Distribution.of(reference.column("occupation"), 5)
    return shoal.Spec(
        quasi_identifiers=dict.fromkeys(COLUMNS[:-1], "suppress"),
        sensitive=["occupation"],
        privacy=[shoal.KAnonymity(5), shoal.BetaLikeness("occupation", 2, distribution=declared)],
        recoding="partition",
        suppression=0.02,
    )


def drifted(batch: pa.Table, among: NDArray[np.bool_], share: float) -> pa.Table:
    """Return a batch in which a share of some rows is replaced by those of them with the rare occupation."""
    draw = np.random.default_rng(2)
    chosen = np.arange(batch.num_rows)
    rare = np.array(batch.column("occupation").to_pylist()) == RARE
    moved = np.flatnonzero(among & (draw.random(batch.num_rows) < share))
    chosen[moved] = draw.choice(np.flatnonzero(rare & among), len(moved))
    return batch.take(pa.array(chosen))


def cases(table: pa.Table, rows: int) -> dict[str, list[pa.Table]]:
    steady = [table.slice(number * rows, rows) for number in range(BATCHES)]
    half = BATCHES // 2
    later = steady[half:]
    return {
        "steady": steady,
        "drift": steady[:half] + [drifted(batch, np.ones(rows, dtype=bool), 0.2) for batch in later],
        "region": steady[:half]
        + [drifted(batch, batch.column("age").to_numpy() < 30, 0.5) for batch in later],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1000, help="rows of a batch")
    rows = parser.parse_args().rows
    if not (data_folder() / "adult.csv").exists():
        CONSOLE.print("There is no adult.csv; SHOAL_DATA names its folder.")
        return
    table = adult()
    spec = spec_of(table.slice(0, REFERENCE))
    shown = Table("case", "delay", "emissions", "suppressed", "loss", "loss of all", "alarms", "seconds")
    for name, batches in cases(table.slice(REFERENCE), rows).items():
        for delay in DELAYS:
            shown.add_row(name, str(delay), *streamed(spec, batches, delay))
        shown.add_row(name, "one release", *at_once(spec, pa.concat_tables(batches)))
        shown.add_section()
    CONSOLE.print(shown)


def streamed(spec: shoal.Spec, batches: list[pa.Table], delay: int) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        (output := Path(folder) / "released").mkdir()
        start = time.process_time()
        stream = shoal.Stream(spec, state=Path(folder) / "state", output=output, delay=delay)
        found = [stream.add(batch, number) for number, batch in enumerate(batches)]
        found.append(stream.finish())
        seconds = time.process_time() - start
    released = sum(outcome.released for outcome in found)
    suppressed = sum(outcome.suppressed for outcome in found)
    lost = sum((outcome.score or 0) * outcome.released for outcome in found)
    return (
        str(sum(outcome.emission is not None for outcome in found)),
        f"{suppressed / (released + suppressed):.1%}",
        f"{lost / max(released, 1):.3f}",
        f"{(lost + suppressed) / (released + suppressed):.3f}",
        str(sum(outcome.alarm is not None for outcome in found)),
        f"{seconds:.1f}",
    )


def at_once(spec: shoal.Spec, table: pa.Table) -> tuple[str, ...]:
    start = time.process_time()
    try:
        loss = f"{shoal.anonymize(table, spec).score:.3f}"
    except shoal.InfeasibleError:
        loss = "none satisfies"
    return "1", "0.0%", loss, loss, "", f"{time.process_time() - start:.1f}"


if __name__ == "__main__":
    main()
