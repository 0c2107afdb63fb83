"""What incognito-sql keeps in the database: nodes and edges as relations, a frequency set as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drawing.hasse import GREY, INK, RED, Canvas, Point
from drawing.runs import COLUMNS, RECORDING, K, agree, node_name, run
from shoal.search.algorithms.incognito import Incognito
from shoal.search.algorithms.incognito_sql import IncognitoSql
from shoal.search.algorithms.incognito_sql.graph import Graph
from shoal.search.algorithms.incognito_sql.own_database import OwnDuckDB
from shoal.search.algorithms.incognito_sql.star_schema import StarSchema
from shoal.search.algorithms.incognito_sql.tables import TemporaryTables
from shoal.search.problem import SearchProblem

Row = tuple[Any, ...]
_LINE = 18


def incognito_sql(problem: SearchProblem) -> Canvas:
    """Draw the tables of the last step, made again from what the search found to satisfy."""
    found = run(problem, IncognitoSql(record=True)).result
    agree(set(found.checks), set(run(problem, Incognito(RECORDING)).result.checks))
    assert found.subsets is not None
    safe = {names: set(map(tuple, nodes.tolist())) for names, nodes in found.subsets.items()}
    levels = [column.max_level + 1 for column in problem.table.columns]
    with OwnDuckDB() as database, TemporaryTables(database) as tables:
        graph = Graph.of_columns(tables, levels)
        for _ in range(len(levels) - 1):
            pairs = _rows(tables, graph.nodes)
            satisfying = [
                number
                for number, node in graph.candidates().items()
                if tuple(level for _, level in node) in safe[tuple(COLUMNS[column] for column, _ in node)]
            ]
            graph = graph.next(satisfying)
        nodes, edges = _rows(tables, graph.nodes), _rows(tables, graph.edges)
        star = StarSchema(tables, problem.table, K)
        finer = star.counted(((1, 0), (2, 0)))
        coarser = star.rolled_up(finer, ((1, 1), (2, 0)))
        counts = [[row[-1] for row in _rows(tables, made.table)] for made in (finer, coarser)]
    survivors = [row[:5] for row in pairs if row[0] in satisfying]
    names = {row[0]: node_name([row[2], row[4], row[6]]) for row in nodes}
    said = ", ".join(f"{names[start]} below {names[end]}" for start, end in edges)
    canvas = Canvas(1000, 520, "incognito-sql on the six patients", f"Edges of three columns: {said}.")
    canvas.heading("incognito-sql", "the tables of the last step: pairs that satisfy, joined to candidates")
    canvas.panel((24, 52), 270, 284, f"pairs that satisfy: {len(survivors)}")
    _table(canvas, (38, 92), ("id", "dim1", "index1", "dim2", "index2"), [_named(row) for row in survivors])
    canvas.panel((310, 52), 520, 284, f"candidates of three columns: {len(nodes)} of 12")
    header = ("id", "dim1", "index1", "dim2", "index2", "dim3", "index3", "parent1", "parent2")
    _table(canvas, (324, 92), header, [_named(row, 7) for row in nodes])
    for position, words in enumerate(
        (
            "parent1 and parent2: the two pairs, alike but for their last column,",
            "that the join put together. The pair that is left, dim2 and dim3,",
            "must satisfy too: otherwise the row was pruned.",
        )
    ):
        canvas.text((324, 232 + _LINE * position), words, 13, "start", fill=GREY)
    canvas.panel((846, 52), 130, 284, f"edges: {len(edges)}")
    _table(canvas, (860, 92), ("start", "end"), edges)
    canvas.panel(
        (24, 352), 952, 144, "a frequency set is a table, and is rolled up by a join with a dimension table"
    )
    for position, words in enumerate(
        (
            "SELECT d.level_1 AS label_1, s.label_2, sum(s.n) AS n",
            "FROM set AS s JOIN (SELECT DISTINCT level_0, level_1 FROM sex) AS d ON d.level_0 = s.label_1",
            "GROUP BY d.level_1, s.label_2",
        )
    ):
        canvas.text((38, 398 + _LINE * position), words, 13, "start", font_family="monospace")
    for position, (node, found_counts) in enumerate(zip(("<S0, Z0>", "<S1, Z0>"), counts, strict=True)):
        y = 462 + _LINE * position
        canvas.text((38, y), f"{node}: {len(found_counts)} classes of", 13, "start")
        for number, count in enumerate(sorted(found_counts)):
            look = {"fill": RED, "font_weight": "bold"} if count < K else {"fill": INK}
            canvas.text((190 + 22 * number, y), str(count), 13, "start", **look)
    return canvas


def _rows(tables: TemporaryTables, table: str) -> list[Row]:
    return sorted(tables.rows(f"SELECT * FROM {table}"))


def _named(row: Row, last: int = 5) -> Row:
    """Return a row with the names of columns in place of their numbers."""
    return tuple(
        COLUMNS[cell] if position % 2 == 1 and position < last else cell for position, cell in enumerate(row)
    )


def _table(canvas: Canvas, corner: Point, header: Sequence[str], rows: Sequence[Row]) -> None:
    left, top = corner
    widths = [68 if name.startswith("dim") else 22 if name == "id" else 56 for name in header]
    lefts = [left + sum(widths[:position]) for position in range(len(widths))]
    for x, name in zip(lefts, header, strict=True):
        canvas.text((x, top), name, 11, "start", fill=GREY)
    for line, row in enumerate(rows, start=1):
        for x, cell in zip(lefts, row, strict=True):
            canvas.text((x, top + 6 + _LINE * line), str(cell), 12, "start")
