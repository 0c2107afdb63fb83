"""How good is what best-first finds in the time it is given, on lattices that are beyond exact search?

Tables are put together from columns of the published shapes, the same in every run. For each it prints
datafly's score, and after some seconds the score of best-first, the proved bound and the gap between them, as
a share of the score. Where `box` can still do the whole lattice, the score is also given as a
multiple of the optimum, and its time stands beside.

    python benchmarks/anytime.py --columns 15,25 --seconds 1,5 --rows 50000
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from rich.console import Console
from rich.table import Table

from shoal import registry
from shoal.data import shape
from shoal.encode.table import CodedTable
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.algorithms.best_first import BestFirst
from shoal.search.algorithms.box import Box
from shoal.search.algorithms.datafly import Datafly
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchResult

SHAPES = ("adult", "fars", "atus", "ihis", "cup")
BOX_NODES = 1 << 26


def wide_table(columns: int, rows: int) -> CodedTable:
    """Put tables of several shapes side by side."""
    drawn = [
        replace(column, name=f"{name} {column.name}")
        for name in SHAPES
        for column in shape(name, rows).columns
    ]
    if columns > len(drawn):
        raise SystemExit(f"The shapes have {len(drawn)} columns together.")
    return CodedTable(tuple(drawn[:columns]), rows)


def score(result: SearchResult) -> float:
    assert result.score is not None
    return result.score


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--columns", default="15,20,30,40")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--seconds", default="1,5,20")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppression", type=float, default=0.02)
    parser.add_argument("--quality", default="loss")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()

    measure = registry.resolve("measures", options.quality)()
    table = Table(
        title=f"Best-first, {options.quality}, {options.rows:,} rows, k = {options.k}, "
        f"limit {options.suppression:g}, {options.threads} threads"
    )
    for heading in ("QIs", "nodes", "seconds", "checks", "score", "bound", "gap", "/ datafly", "/ optimum"):
        table.add_column(heading, justify="right")
    for columns in map(int, options.columns.split(",")):
        coded = wide_table(columns, options.rows)
        problem = SearchProblem(coded, (KAnonymity(options.k),), measure, options.suppression)
        greedy = Datafly().search(problem)
        exact = Box().search(problem, threads=options.threads) if problem.lattice.size <= BOX_NODES else None
        for seconds in map(float, options.seconds.split(",")):
            found = BestFirst(seconds=seconds).search(problem, threads=options.threads)
            bound = score(found) if found.bound is None else found.bound
            table.add_row(
                str(columns),
                f"{problem.lattice.size:.1e}",
                f"{found.counters.seconds:.1f}",
                f"{found.counters.checked:,}",
                f"{score(found):.6g}",
                f"{bound:.6g}",
                f"{(score(found) - bound) / score(found):.1%}",
                f"{score(found) / score(greedy):.3f}x",
                f"{score(found) / score(exact):.4f}x" if exact else "",
            )
        table.add_row(
            str(columns), "", f"{greedy.counters.seconds:.1f}", f"{greedy.counters.checked:,}",
            f"{score(greedy):.6g}", "", "", "datafly", "",
        )  # fmt: skip
        if exact:
            table.add_row(
                str(columns), "", f"{exact.counters.seconds:.1f}", f"{exact.counters.checked:,}",
                f"{score(exact):.6g}", f"{score(exact):.6g}", "0.0%", "", "box",
            )  # fmt: skip
        table.add_section()
    Console(width=120 if not sys.stdout.isatty() else None).print(table)


if __name__ == "__main__":
    main()
