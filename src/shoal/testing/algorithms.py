"""A search algorithm gives the answer of the exhaustive reference: optimum, all nodes, border."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from shoal import registry
from shoal.encode.table import CodedTable
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.population import Population
from shoal.search.algorithms.exhaustive import Exhaustive, node_of
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchAlgorithm, SearchResult, border
from shoal.testing.problems import absorbed, measures_named, requirements
from shoal.testing.promises import draw_and_check, promise, require, require_equal
from shoal.testing.tables import described_tables

POPULATION = Population(pa.table({"everybody": [1]}))
SHARES = st.sampled_from([0.0, 0.0, 0.05, 0.2, 0.5, 1.0])
"""How many rows may be suppressed."""


def check_algorithm(
    algorithm: SearchAlgorithm | st.SearchStrategy[SearchAlgorithm],
    *,
    rows: int = 40,
    columns: int = 4,
    most: int = 6,
    examples: int = 100,
) -> None:
    """Raise AssertionError with the first promise that a search algorithm breaks.

    It declares what it can do. On drawn tables, under drawn models and measures of those that it serves, an
    `exact` one finds the node that an exhaustive search finds, a `complete` one also all that satisfy; a
    heuristic finds one that satisfies, if there is any, with its true score. What it counts adds up.

    Parameters
    ----------
    algorithm
        One, or a strategy of hypothesis that draws its switches.
    rows, columns
        How many a drawn table has at most.
    most
        The largest k of drawn models.
    examples
        How many problems are drawn.

    Examples
    --------
    >>> from shoal.search.algorithms.flash import Flash
    >>> check_algorithm(Flash(), rows=10, columns=2, examples=5)
    """
    drawn = algorithm if isinstance(algorithm, st.SearchStrategy) else st.just(algorithm)
    draw_and_check(check_words, drawn, examples=1)
    few = st.builds(KAnonymity, st.integers(1, most + 2)).map(lambda model: (model,))
    draw_and_check(
        _check_problem,
        drawn,
        described_tables(max_rows=rows, max_columns=columns, population=POPULATION),
        st.one_of(few, requirements(population=POPULATION, max_k=most)),
        SHARES,
        st.sampled_from([1, 1, 2, 4]),
        st.data(),
        examples=examples,
    )


def check_words(algorithm: SearchAlgorithm) -> None:
    """Check what an algorithm says about itself."""
    with promise(f"The algorithm {type(algorithm).__name__}", "it has all that a search algorithm has"):
        missing = [
            name for name in dir(SearchAlgorithm) if not name.startswith("_") and not hasattr(algorithm, name)
        ]
        require(isinstance(algorithm, SearchAlgorithm), f"Missing: {', '.join(missing)}.")
    with promise(_whose(algorithm), "it says what it does, in one line that ends with a full stop"):
        require(algorithm.summary.endswith(".") and "\n" not in algorithm.summary, algorithm.summary)
    with promise(_whose(algorithm), "the measures that it serves are registered"):
        require(set(algorithm.measures) <= set(registry.names("measures")), f"Found: {algorithm.measures}.")
    with promise(_whose(algorithm), "it lists all nodes only if it is exact"):
        require(algorithm.exact or not algorithm.complete)


def _check_problem(
    algorithm: SearchAlgorithm,
    table: CodedTable,
    models: tuple[PrivacyModel, ...],
    suppression: float,
    threads: int,
    data: st.DataObject,
) -> None:
    measure = data.draw(
        st.sampled_from(algorithm.measures or registry.names("measures")).flatmap(measures_named)
    )
    if algorithm.sizes_only:
        table = replace(table, units=None, populations={})
        models = tuple(model for model in models if model.name == "k-anonymity") or (KAnonymity(3),)
    if algorithm.absorbing_only:
        table, suppression = absorbed(table, models, suppression)
    problem = SearchProblem(table, models, measure, suppression)
    if algorithm.exact:
        _check_exact(algorithm, problem, threads)
    else:
        _check_heuristic(algorithm, problem)


def _check_exact(algorithm: SearchAlgorithm, problem: SearchProblem, threads: int) -> None:
    reference = Exhaustive().search(problem, all_nodes=True)
    results = []
    with promise(_whose(algorithm), "it searches whatever it does not declare to be beyond it"):
        results.append(algorithm.search(problem, threads=threads))
        if algorithm.complete:
            results.append(algorithm.search(problem, all_nodes=True, threads=threads))
    if algorithm.complete:
        with promise(_whose(algorithm), "it is `complete`: it gives all satisfying nodes, sorted"):
            found, expected = results[-1].satisfying, reference.satisfying
            require(found is not None and expected is not None)
            assert found is not None and expected is not None
            require(np.array_equal(found, expected), f"Found: {len(found)} nodes, not {len(expected)}.")
            minimal = set(map(tuple, border(found).tolist()))
            require_equal(minimal, _brute_border(expected.tolist()), "The border. ")
    for result in results:
        with promise(_whose(algorithm), "it is `exact`: it finds what an exhaustive search finds"):
            require_equal(_answer(result), _answer(reference))
            require(result.optimal, "It does not call its result optimal.")
            if reference.score is not None and result.score is not None:
                require(math.isclose(result.score, reference.score, rel_tol=1e-12, abs_tol=1e-12))
        check_counters(algorithm, result)


def _check_heuristic(algorithm: SearchAlgorithm, problem: SearchProblem) -> None:
    with promise(_whose(algorithm), "it searches whatever it does not declare to be beyond it"):
        found = algorithm.search(problem)
    reference = Exhaustive().search(problem)
    check_counters(algorithm, found)
    with promise(_whose(algorithm), "a heuristic does not call its result optimal"):
        require(not found.optimal)
    with promise(_whose(algorithm), "it finds a node that satisfies, if there is one"):
        require_equal(found.levels is None, reference.levels is None)
    if found.levels is None or found.score is None or reference.score is None:
        return
    node = node_of(problem, found.levels)
    with promise(_whose(algorithm), "it reports the true score and the rows that are suppressed"):
        require_equal(found.suppressed_rows, node.suppressed_rows)
        require(found.suppressed_rows <= problem.limit, "More rows are suppressed than allowed.")
        require(math.isclose(found.score, problem.measure.score(node), rel_tol=1e-12, abs_tol=1e-12))
        require(found.score >= reference.score * (1 - 1e-12))
    with promise(_whose(algorithm), "no node that satisfies scores less than its bound"):
        require(found.bound is not None and found.bound <= reference.score, f"Found: {found.bound}.")


def check_counters(algorithm: SearchAlgorithm, result: SearchResult) -> None:
    """Check that what a search counted of its work adds up."""
    counters = result.counters
    with promise(_whose(algorithm), "what it counts of its work adds up"):
        every = counters.tagged + counters.checked
        require(counters.lattice == every or result.subsets is not None, f"Found: {counters}.")
        require(all(value >= 0 for value in counters.to_mapping().values()), f"Found: {counters}.")
        require(counters.evicted <= counters.snapshots <= counters.checked, f"Found: {counters}.")
        different = len({check.levels for check in result.checks})
        require_equal(different, len(result.checks), "Nodes checked. ")


def _answer(result: SearchResult) -> tuple[object, ...]:
    return result.levels, result.suppressed_rows if result.levels else None, result.classes


def _brute_border(nodes: list[list[int]]) -> set[tuple[int, ...]]:
    def below(a: list[int], b: list[int]) -> bool:
        return a != b and all(x <= y for x, y in zip(a, b, strict=True))

    return {tuple(node) for node in nodes if not any(below(other, node) for other in nodes)}


def _whose(algorithm: SearchAlgorithm) -> str:
    return f"The algorithm {algorithm.name!r}"
