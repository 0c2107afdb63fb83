"""What is too large is refused before it starts, with the figure and with what can be done."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from shoal import registry
from shoal.data import shape
from shoal.describe import suppress
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.problem import SearchProblem

INCOGNITO = ("incognito", "incognito-super-roots", "incognito-cube", "incognito-sql", "bitmap-incognito")


def problem_of(columns: int, *, levels: int = 2, measure: str = "height") -> SearchProblem:
    values = pa.array([str(i // 2) for i in range(8)]).dictionary_encode()
    return SearchProblem(
        CodedTable(
            tuple(code_column(f"c{i}", values, suppress(), max_level=levels - 1) for i in range(columns)), 8
        ),
        (KAnonymity(2),),
        registry.resolve("measures", measure)(),
    )


@pytest.mark.parametrize(
    "name", [n for n in registry.names("algorithms") if n not in ("best-first", "box", "datafly")]
)
def test_a_lattice_that_is_too_large_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"Found: .*1,073,741,824 nodes|goes up to 16 columns"):
        registry.resolve("algorithms", name)().search(problem_of(30))


@pytest.mark.parametrize("name", [n for n in registry.names("algorithms") if n != "exhaustive"])
def test_too_many_columns_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"quasi-identifiers|goes up to 16 columns"):
        registry.resolve("algorithms", name)().search(problem_of(70, levels=1))


@pytest.mark.parametrize("name", INCOGNITO)
def test_too_many_sets_of_columns_are_refused_even_with_one_node_each(name: str) -> None:
    with pytest.raises(InputError, match="131,071 sets"):
        registry.resolve("algorithms", name)().search(problem_of(17, levels=1))


def test_all_nodes_of_a_large_lattice_are_refused_and_the_best_is_found() -> None:
    problem = problem_of(25)
    box = registry.resolve("algorithms", "box")()
    with pytest.raises(InputError, match="33,554,432 nodes"):
        box.search(problem, all_nodes=True)
    assert box.search(problem).levels == (0,) * 25


@pytest.mark.parametrize("measure", [name for name in registry.names("measures") if name != "classification"])
def test_datafly_needs_no_lattice(measure: str) -> None:
    result = registry.resolve("algorithms", "datafly")().search(problem_of(60, measure=measure))
    assert result.levels == (0,) * 60
    assert result.bound is not None
    assert result.score is not None
    assert result.bound <= result.score


@pytest.mark.parametrize("name", [n for n in registry.names("algorithms") if n != "datafly"])
def test_progress_goes_forward_and_not_beyond_the_end(name: str) -> None:
    measure = (registry.resolve("algorithms", name).measures or ("loss",))[0]
    table = shape("adult", rows=400)
    if name == "incognito-sql":  # it is refused as it is
        table = replace(table, columns=table.columns[:4])
    problem = SearchProblem(table, (KAnonymity(3),), registry.resolve("measures", measure)(), 0.02)
    heard: list[tuple[int, int]] = []
    registry.resolve("algorithms", name)().search(
        problem, listener=lambda nodes, decided, best: heard.append((nodes, decided))
    )
    assert len({nodes for nodes, _ in heard}) <= 1
    assert all(0 <= decided <= nodes for nodes, decided in heard)
    if name != "samarati":  # it narrows down heights, of which some come back
        assert heard == sorted(heard)
