"""What privacy models cost beside plain k-anonymity: per check of a node, and per search. Ratios, in one run.

1. Checking nodes, in one sweep over the lattice, each rolled up from the nearest on the way: k-anonymity with
   a model of one sensitive column, and with the same model on five, against k-anonymity alone on the same
   nodes. Once over every node with the suppression limit in force, as a search checks them: a check ends
   where the limit is passed. And once over the nodes that satisfy k-anonymity, with every class tested to the
   end. Wanted of the first: at most 4 for one column, at most 10 for five.
2. Whole searches for the optimum, F0 at hand: k-anonymity with each model against k-anonymity alone.

What is compared runs in turn, and the best of the turns counts.

Usage: python benchmarks/models.py [--data adult] [--sensitive occupation] [--k 5] [--suppression 0.02]
       [--repeat 5]

Real data are found through SHOAL_DATA (default ../shared/datasets); what is not there is generated.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from rich.console import Console
from rich.table import Table

from shoal import registry
from shoal.data import find_benchmark, load_benchmark
from shoal.encode.table import CodedTable
from shoal.privacy.alpha_k import AlphaK
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.delta_disclosure import DeltaDisclosure
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.t_closeness import TCloseness
from shoal.search.algorithms.box import Box
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchResult

WANTED_OF_ONE = 4
WANTED_OF_FIVE = 10

MODELS: list[Callable[[str], PrivacyModel]] = [
    lambda column: AlphaK(column, 0.5, 5),
    lambda column: LDiversity(column, 3),
    lambda column: LDiversity(column, 3, "entropy"),
    lambda column: LDiversity(column, 3, "recursive", 4),
    lambda column: TCloseness(column, 0.2),
    lambda column: TCloseness(column, 0.2, "ordered"),
    lambda column: TCloseness(column, 0.2, "hierarchical"),
    lambda column: BetaLikeness(column, 2),
    lambda column: BetaLikeness(column, 2, "basic"),
    lambda column: DeltaDisclosure(column, 1.0),
]
Levels = Sequence[tuple[int, ...]]


def main() -> None:
    asked = arguments()
    console = Console(width=120)
    table = described(asked.data, asked.sensitive)
    plain = (KAnonymity(asked.k),)
    measure = registry.resolve("measures", "discernability-monotone")()

    def problem(*models: PrivacyModel) -> SearchProblem:
        return SearchProblem(table, (*plain, *models), measure, asked.suppression, merge_levels=False)

    every = list(product(*(range(column.height + 1) for column in table.columns)))
    found = Box().search(problem(), all_nodes=True).satisfying
    assert found is not None
    satisfying = [tuple(node) for node in found.tolist()]
    console.print(
        f"{find_benchmark(asked.data).description}; {asked.sensitive} is sensitive, k = {asked.k}, "
        f"limit {asked.suppression:g}: {len(every):,} nodes, {len(satisfying):,} satisfy k-anonymity"
    )
    checks = Table("Check of a node", "every node", "five columns", "satisfying, to the end", "five columns")
    limit = problem().limit
    of_all = check_time(problem(), every, limit, asked.repeat)
    of_satisfying = check_time(problem(), satisfying, table.rows, asked.repeat)
    checks.add_row(plain[0].describe(), f"{of_all * 1e6:.1f} us", "", f"{of_satisfying * 1e6:.1f} us", "")
    worst_of_one = worst_of_five = 0.0
    for model in MODELS:
        one, five = problem(model(asked.sensitive)), problem(*map(model, table.attributes))
        ratios = [
            check_time(one, every, limit, asked.repeat) / of_all,
            check_time(five, every, limit, asked.repeat) / of_all,
            check_time(one, satisfying, table.rows, asked.repeat) / of_satisfying,
            check_time(five, satisfying, table.rows, asked.repeat) / of_satisfying,
        ]
        worst_of_one, worst_of_five = max(worst_of_one, ratios[0]), max(worst_of_five, ratios[1])
        checks.add_row(model(asked.sensitive).describe(), *(f"{ratio:.2f}x" for ratio in ratios))
    console.print(checks)
    console.print(
        f"one column: {worst_of_one:.2f}x at most, wanted {WANTED_OF_ONE}x; "
        f"five: {worst_of_five:.2f}x at most, wanted {WANTED_OF_FIVE}x"
    )

    searches = Table("Search for the optimum", "time", "ratio", "checked", "levels", "suppressed rows")
    base = 0.0
    for models in [(), *((model(asked.sensitive),) for model in MODELS)]:
        seconds, result = search_time(problem(*models), asked.repeat)
        base = base or seconds
        searches.add_row(
            models[0].describe() if models else plain[0].describe(),
            f"{seconds * 1e3:.1f} ms",
            f"{seconds / base:.1f}x",
            f"{result.counters.checked:,}",
            ",".join(map(str, result.levels)) if result.levels else "none satisfies",
            f"{result.suppressed_rows:,}",
        )
    console.print(searches)


def described(data: str, sensitive: str) -> CodedTable:
    """Return a benchmark with one column sensitive, and four more that are shuffles of it."""
    table = load_benchmark(data)
    column = table.columns[table.names.index(sensitive)]
    others = {
        f"{sensitive} {i}": replace(column, codes=np.random.default_rng(i).permutation(column.codes))
        for i in range(2, 6)
    }
    return replace(
        table,
        columns=tuple(qi for qi in table.columns if qi is not column),
        attributes={sensitive: column, **others},
    )


def check_time(problem: SearchProblem, nodes: Levels, limit: int, repeat: int) -> float:
    """Seconds per node, of the processor: other programs cannot be seen in it, but for the caches."""
    requirement = problem.kernel_inputs.requirement(problem.threshold, limit)
    ground, objective = problem.ground, problem.objective
    times = []
    for _ in range(repeat):
        start = time.process_time()
        ground.evaluate(nodes, requirement, objective)
        times.append(time.process_time() - start)
    return min(times) / len(nodes)


def search_time(problem: SearchProblem, repeat: int) -> tuple[float, SearchResult]:
    problem = replace(problem, merge_levels=True)
    _ = problem.ground, problem.requirement, problem.objective
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        result = Box().search(problem)
        times.append(time.perf_counter() - start)
    return min(times), result


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="adult")
    parser.add_argument("--sensitive", default="occupation")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--suppression", type=float, default=0.02)
    parser.add_argument("--repeat", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
