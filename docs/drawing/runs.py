"""Runs of the searches on the six patients, watched while they search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from drawing.hasse import (
    FAILS,
    NOT_LOOKED_AT,
    SATISFIES,
    TAGGED_FAILING,
    TAGGED_SATISFYING,
    Look,
    Node,
)
from shoal.data import patients, write_sample
from shoal.encode.table import code_table
from shoal.measure.height import Height
from shoal.read.source import open_source
from shoal.search.node_checker import Framework
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchAlgorithm, SearchResult
from shoal.spec.spec import Spec

COLUMNS = patients.COLUMNS[:3]
LETTERS, TOPS, K = "BSZ", (1, 1, 2), 2
RECORDING = Framework(record=True)


def patients_problem() -> SearchProblem:
    """Ask for the lowest node of the six patients at which everybody looks like somebody else."""
    with TemporaryDirectory() as folder:
        sample = write_sample("patients", folder=Path(folder))
        spec = Spec.from_yaml(sample.spec)
        table = open_source(sample.data, spec.input).read(COLUMNS, coded=set(COLUMNS))
        return SearchProblem(code_table(table, spec.quasi_identifiers), spec.privacy, Height())


def classes(columns: Sequence[int], levels: Sequence[int] = (0, 0, 0)) -> Counter[tuple[str, ...]]:
    """Count the rows by the labels of some columns, straight from the table and its hierarchies."""
    labels = [
        {path[0]: path[level] for path in patients.TAXONOMIES[name]}
        for name, level in zip(COLUMNS, levels, strict=True)
    ]
    return Counter(tuple(labels[column][row[column]] for column in columns) for row in patients.ROWS)


@dataclass(frozen=True)
class Call:
    """A call of a method that was watched."""

    arguments: tuple[Any, ...]
    result: Any


@contextmanager
def watched(owner: type, method: str) -> Iterator[list[Call]]:
    """Write down the calls of a method while a search runs."""
    calls: list[Call] = []
    original: Callable[..., Any] = getattr(owner, method)

    def watching(self: object, *arguments: Any) -> Any:
        result = original(self, *arguments)
        calls.append(Call(arguments, result))
        return result

    with patch.object(owner, method, watching):
        yield calls


@dataclass(frozen=True)
class Run:
    """A search of the patients' lattice.

    Attributes
    ----------
    looks
        How each node of all columns came to be decided.
    order
        The nodes of all columns that were checked, and which check that was.
    """

    result: SearchResult
    looks: dict[Node, Look]
    order: dict[Node, int]


def run(problem: SearchProblem, algorithm: SearchAlgorithm) -> Run:
    """Search with an algorithm that records its checks."""
    result = algorithm.search(problem, all_nodes=algorithm.complete)
    checks = {check.levels: check.satisfies for check in result.checks}
    satisfying = satisfying_nodes(result) if algorithm.complete else set()
    looks = {}
    for node in problem.lattice:
        if node in checks:
            looks[node] = SATISFIES if checks[node] else FAILS
        elif not algorithm.complete:
            looks[node] = NOT_LOOKED_AT
        else:
            looks[node] = TAGGED_SATISFYING if node in satisfying else TAGGED_FAILING
    order = {
        levels: position
        for position, check in enumerate(result.checks, start=1)
        if (levels := tuple(level for level in check.levels if level is not None)) in looks
    }
    agree(tagged(looks), (result.counters.tagged_satisfying, result.counters.tagged_failing))
    return Run(result, looks, order)


def satisfying_nodes(result: SearchResult) -> set[Node]:
    assert result.satisfying is not None
    return {tuple(node) for node in result.satisfying.tolist()}


def tagged(looks: dict[Node, Look]) -> tuple[int, int]:
    """Count the nodes that are drawn as tagged, satisfying and failing."""
    counted = Counter(looks.values())
    return counted[TAGGED_SATISFYING], counted[TAGGED_FAILING]


def agree(drawn: object, counted: object) -> None:
    """Stop if a drawing would show something else than what the search counted."""
    if drawn != counted:
        raise ValueError(f"A drawing does not agree with the search.\nDrawn: {drawn}.\nCounted: {counted}.")


def node_name(levels: Sequence[int | None]) -> str:
    """Name a node, of some of the columns perhaps.

    Examples
    --------
    >>> node_name((1, None, 2))
    '<B1, Z2>'
    """
    pairs = zip(LETTERS, levels, strict=True)
    return f"<{', '.join(f'{letter}{level}' for letter, level in pairs if level is not None)}>"
