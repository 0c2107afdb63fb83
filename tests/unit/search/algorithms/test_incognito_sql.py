"""Incognito in a database: the paper's relations, the same answer everywhere, and nothing left behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.postgres_server import Server

import shoal
from shoal.data import write_sample
from shoal.describe import intervals, suppress
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.height import Height
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.algorithms.exhaustive import Exhaustive
from shoal.search.algorithms.incognito_sql import IncognitoSql
from shoal.search.algorithms.incognito_sql.graph import Graph
from shoal.search.algorithms.incognito_sql.own_database import OwnDuckDB
from shoal.search.algorithms.incognito_sql.tables import TemporaryTables
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchResult


def drawn(seed: int, *, rows: int = 40, columns: int = 3, k: int = 3) -> SearchProblem:
    random = np.random.default_rng(seed)
    kinds = (intervals(10, 20), suppress(), intervals(5))
    coded = tuple(
        code_column(f"c{place}", pa.array(random.integers(0, 30, rows)).dictionary_encode(), kinds[place])
        for place in range(columns)
    )
    return SearchProblem(CodedTable(coded, rows), (KAnonymity(k),), Height(), 0.05)


def told(result: SearchResult) -> tuple[object, ...]:
    assert result.satisfying is not None
    assert result.subsets is not None
    subsets = {names: nodes.tolist() for names, nodes in result.subsets.items()}
    return result.levels, result.score, result.suppressed_rows, result.satisfying.tolist(), subsets


def test_the_graphs_of_the_paper() -> None:
    """Sex has two levels, Zipcode three: Figure 6 has their nodes and edges."""
    with OwnDuckDB() as database, TemporaryTables(database) as tables:
        graph = Graph.of_columns(tables, [2, 3])
        pairs = graph.next(list(graph.candidates()))
        nodes = {number: tuple(level for _, level in node) for number, node in pairs.candidates().items()}
        assert sorted(nodes.values()) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
        edges = {(nodes[s], nodes[e]) for s, ends in pairs.generalizations().items() for e in ends}
        assert edges == {
            ((0, 0), (1, 0)),
            ((0, 0), (0, 1)),
            ((1, 0), (1, 1)),
            ((0, 1), (1, 1)),
            ((0, 1), (0, 2)),
            ((1, 1), (1, 2)),
            ((0, 2), (1, 2)),
        }


def test_what_pairs_rule_out_is_no_candidate() -> None:
    """The satisfying pairs of the six patients leave the five nodes of Figure 7 (a), and four edges."""
    safe = {
        (0, 1): {(0, 1), (1, 0), (1, 1)},
        (0, 2): {(0, 2), (1, 0), (1, 1), (1, 2)},
        (1, 2): {(0, 2), (1, 0), (1, 1), (1, 2)},
    }
    with OwnDuckDB() as database, TemporaryTables(database) as tables:
        graph = Graph.of_columns(tables, [2, 2, 3])
        pairs = graph.next(list(graph.candidates()))
        kept = [
            number
            for number, node in pairs.candidates().items()
            if tuple(level for _, level in node) in safe[tuple(column for column, _ in node)]
        ]
        whole = pairs.next(kept)
        nodes = {number: tuple(level for _, level in node) for number, node in whole.candidates().items()}
        assert sorted(nodes.values()) == [(0, 1, 2), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)]
        edges = {(nodes[s], nodes[e]) for s, ends in whole.generalizations().items() for e in ends}
        assert edges == {
            ((0, 1, 2), (1, 1, 2)),
            ((1, 0, 2), (1, 1, 2)),
            ((1, 1, 0), (1, 1, 1)),
            ((1, 1, 1), (1, 1, 2)),
        }


def test_the_six_patients(tmp_path: Path) -> None:
    sample = write_sample("patients", folder=tmp_path)
    spec = shoal.Spec.from_yaml(sample.spec).adjust(quality="height")
    ours, theirs = (
        shoal.anonymize(sample.data, spec, algorithm=name, all_nodes=True)
        for name in ("incognito-sql", "incognito")
    )
    assert ours.levels == theirs.levels == {"Birthdate": 1, "Sex": 1, "Zipcode": 0}
    assert ours.subsets == theirs.subsets
    assert (ours.nodes.checked, ours.nodes.scans, ours.nodes.rollups) == (17, 9, 8)


def test_entries_count_as_often_as_their_rows() -> None:
    column = code_column("c", pa.array([1, 2, 3]).dictionary_encode(), intervals(2))
    weights = np.array([4, 1, 2], dtype=np.uint64)
    table = CodedTable((replace(column, counts=weights.astype(np.int64)),), 7, weights=weights)
    problem = SearchProblem(table, (KAnonymity(3),), Height(), 0.2)
    found = IncognitoSql().search(problem, all_nodes=True)
    reference = Exhaustive().search(problem, all_nodes=True)
    assert found.levels == reference.levels
    assert found.suppressed_rows == reference.suppressed_rows


def test_a_large_lattice_is_refused() -> None:
    values = pa.array(range(8)).dictionary_encode()
    columns = tuple(code_column(f"c{place}", values, intervals(2, 4)) for place in range(7))
    problem = SearchProblem(CodedTable(columns, 8), (KAnonymity(2),), Height())
    with pytest.raises(InputError, match=r"goes up to 32,768 nodes.\nFound: 78,124 nodes"):
        IncognitoSql().search(problem)


class Failing(OwnDuckDB):
    """A database that fails at some table."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.left = at

    def keep(self, sql: str, name: str) -> str:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().keep(sql, name)


@pytest.mark.parametrize("at", [0, 1, 4, 9, 15])
def test_temporary_tables_go_whatever_ends_the_search(at: int) -> None:
    with Failing(at) as database:
        with pytest.raises(KeyboardInterrupt):
            IncognitoSql(database).search(drawn(1))
        assert database.rows("SELECT table_name FROM duckdb_tables()") == []


def test_the_same_in_postgres(postgres_server: Server) -> None:
    from shoal.engines.postgres import open_postgres

    with postgres_server.connect() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS no_facts (a integer)")
    database = open_postgres(postgres_server.url(), table="no_facts")
    try:
        before = _temporary(database)
        for seed in range(3):
            problem = drawn(seed)
            found = IncognitoSql(database).search(problem, all_nodes=True)
            assert told(found) == told(IncognitoSql().search(problem, all_nodes=True))
        assert _temporary(database) == before
    finally:
        database.close()


def _temporary(database: Any) -> Any:
    return database.rows("SELECT count(*) FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'")


@pytest.fixture
def spark(spark_session: Any) -> Iterator[Any]:
    from shoal.engines.spark.database import open_spark

    database = open_spark(spark_session.createDataFrame(pa.table({"a": [1]})))
    yield database
    database.close()


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_the_same_in_spark(spark: Any) -> None:
    problem = drawn(2, rows=12, columns=2, k=2)
    found = IncognitoSql(spark).search(problem, all_nodes=True)
    assert told(found) == told(IncognitoSql().search(problem, all_nodes=True))
    assert [table.name for table in spark.session.catalog.listTables() if "incognito" in table.name] == []
