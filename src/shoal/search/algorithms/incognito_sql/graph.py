"""The candidates of each size, as relations.

They are nodes(id, dim1, index1, ..., parent1, parent2) and edges(start, end), as in Figure 6 of the paper.
Since `start` and `end` are words of SQL, they are called `start_id` and `end_id`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa

from shoal.search.algorithms.incognito_sql.star_schema import Node
from shoal.search.algorithms.incognito_sql.tables import TemporaryTables


@dataclass(frozen=True, slots=True)
class Graph:
    """Candidate nodes of one size, and which directly generalizes which.

    Attributes
    ----------
    size
        Columns of each node.
    nodes, edges
        The tables.
    """

    tables: TemporaryTables
    size: int
    nodes: str
    edges: str

    @classmethod
    def of_columns(cls, tables: TemporaryTables, levels: Sequence[int]) -> Graph:
        """Return the graph of single columns, with so many levels each."""
        found = [(column, level) for column, count in enumerate(levels) for level in range(count)]
        ids = range(1, len(found) + 1)
        steps = [(start, end) for start, end in pairwise(ids) if found[start - 1][0] == found[end - 1][0]]
        whole = pa.int64()
        nodes = {
            "id": pa.array(ids, whole),
            "dim1": pa.array([column for column, _ in found], whole),
            "index1": pa.array([level for _, level in found], whole),
        }
        edges = {
            "start_id": pa.array([start for start, _ in steps], whole),
            "end_id": pa.array([end for _, end in steps], whole),
        }
        return cls(tables, 1, tables.put(pa.table(nodes), "nodes"), tables.put(pa.table(edges), "edges"))

    def candidates(self) -> dict[int, Node]:
        """Return the nodes by their ids."""
        positions = range(1, self.size + 1)
        columns = ", ".join(f"dim{position}, index{position}" for position in positions)
        found = self.tables.rows(f"SELECT id, {columns} FROM {self.nodes} ORDER BY id")
        return {
            int(row[0]): tuple((int(row[2 * position - 1]), int(row[2 * position])) for position in positions)
            for row in found
        }

    def generalizations(self) -> dict[int, list[int]]:
        """Return by id the direct generalizations of each node that has some."""
        found: dict[int, list[int]] = {}
        for start, end in self.tables.rows(
            f"SELECT start_id, end_id FROM {self.edges} ORDER BY start_id, end_id"
        ):
            found.setdefault(int(start), []).append(int(end))
        return found

    def next(self, satisfying: Sequence[int]) -> Graph:
        """Return the graph of one column more: join phase, prune phase, edges."""
        kept = self.tables.put(pa.table({"id": pa.array(satisfying, pa.int64())}), "kept")
        survivors = self.tables.keep(
            f"SELECT c.* FROM {self.nodes} AS c JOIN {kept} AS k ON k.id = c.id", "survivors"
        )
        nodes = self.tables.keep(self._pruned(survivors), "nodes")
        edges = self.tables.keep(self._edges(nodes), "edges")
        for table in (kept, survivors, self.nodes, self.edges):
            self.tables.drop(table)
        return Graph(self.tables, self.size + 1, nodes, edges)

    def _joined(self, survivors: str) -> str:
        """Return the join phase: two nodes that differ in their last column alone make one."""
        positions = range(1, self.size + 1)
        own = ", ".join(f"p.dim{position}, p.index{position}" for position in positions)
        same = [
            f"p.dim{position} = q.dim{position} AND p.index{position} = q.index{position}"
            for position in positions[:-1]
        ]
        last, new = self.size, self.size + 1
        return (
            f"SELECT row_number() OVER (ORDER BY {own}, q.dim{last}, q.index{last}) AS id,\n"
            f"  {own}, q.dim{last} AS dim{new}, q.index{last} AS index{new},\n"
            "  p.id AS parent1, q.id AS parent2\n"
            f"FROM {survivors} AS p JOIN {survivors} AS q\n"
            f"  ON {' AND '.join([*same, f'p.dim{last} < q.dim{last}'])}"
        )

    def _pruned(self, survivors: str) -> str:
        """Return the prune phase: all other parts of a node must satisfy too. Its parents are two of them."""
        size = self.size + 1
        present = []
        for left_out in range(1, size - 1):
            others = [position for position in range(1, size + 1) if position != left_out]
            same = " AND ".join(
                f"s.dim{at} = c.dim{position} AND s.index{at} = c.index{position}"
                for at, position in enumerate(others, start=1)
            )
            present.append(f"EXISTS (SELECT 1 FROM {survivors} AS s WHERE {same})")
        where = f"\nWHERE {' AND '.join(present)}" if present else ""
        return f"SELECT c.* FROM (\n{self._joined(survivors)}\n) AS c{where}"

    def _edges(self, nodes: str) -> str:
        """Return the edges between nodes, by those of their parents; implied ones are taken out again."""
        candidate = (
            "SELECT p.id AS start_id, q.id AS end_id\n"
            f"  FROM {nodes} AS p\n"
            f"  JOIN {self.edges} AS e ON e.start_id = p.{{parent}}\n"
        )
        both = (
            candidate.format(parent="parent1")
            + f"  JOIN {self.edges} AS f ON f.start_id = p.parent2\n"
            + f"  JOIN {nodes} AS q ON q.parent1 = e.end_id AND q.parent2 = f.end_id"
        )
        first, second = (
            candidate.format(parent=parent)
            + f"  JOIN {nodes} AS q ON q.{parent} = e.end_id AND q.{other} = p.{other}"
            for parent, other in (("parent1", "parent2"), ("parent2", "parent1"))
        )
        return (
            f"WITH candidate_edges AS (\n  {both}\n  UNION ALL\n  {first}\n  UNION ALL\n  {second}\n)\n"
            "SELECT start_id, end_id FROM candidate_edges\n"
            "EXCEPT\n"
            "SELECT d1.start_id, d2.end_id\n"
            "FROM candidate_edges AS d1 JOIN candidate_edges AS d2 ON d1.end_id = d2.start_id"
        )
