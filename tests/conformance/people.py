"""Small tables about people, with sensitive values, units, a population and a taxonomy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from shoal.describe.hierarchy import Levels
from shoal.privacy.classes import Classes
from shoal.privacy.grouped import group
from shoal.privacy.population import Population

from . import reference_models as reference
from .reference_models import Row

TOWN = "town.csv"

VALUES: Sequence[Sequence[str | None]] = (["a", "b", "4", "30", None], ["4", "30", "-1.5", None], ["a", "b"])

# Labels by level: with a root, with one more level, without a root, without any.
TAXONOMIES: Sequence[Mapping[str, Sequence[str]]] = (
    {"a": ["x", "*"], "b": ["x", "*"], "4": ["y", "*"], "30": ["y", "*"], "-1.5": ["z", "*"]},
    {
        "a": ["x", "p", "*"],
        "b": ["x", "p", "*"],
        "4": ["y", "p", "*"],
        "30": ["z", "q", "*"],
        "-1.5": ["z", "q", "*"],
    },
    {"a": ["x"], "b": ["x"], "4": ["x"], "30": ["y"], "-1.5": ["y"]},
    {"a": [], "b": [], "4": [], "30": [], "-1.5": []},
)


@dataclass(frozen=True)
class Labels:
    """A hierarchy that stands here."""

    labels: Mapping[str, Sequence[str]]

    def levels(self, values: pa.Array) -> Levels:
        height = len(next(iter(self.labels.values())))
        return Levels.of(
            values,
            [
                pa.array([self.labels[value][level] for value in values.to_pylist()], pa.string())
                for level in range(height)
            ],
        )


@dataclass(frozen=True)
class People:
    """Rows of a table and the groups of the population's people."""

    rows: Sequence[Row]
    counts_units: bool
    population: Sequence[str | None]
    taxonomy: Mapping[str, Sequence[str]]

    def classes(self) -> Classes:
        return group(
            [row.group for row in self.rows],
            units=[row.unit for row in self.rows] if self.counts_units else None,
            populations={Population(TOWN): self.population},
            hierarchies={"value": Labels(self.taxonomy)},  # type: ignore[dict-item]
            value=pa.array([row.value for row in self.rows], pa.string()),
        )

    def labels(self) -> list[str | None]:
        """Return the groups in the order of the classes."""
        labels: list[str | None] = self.classes().table.columns[0].labels[0].to_pylist()
        return labels

    def members(self, label: str | None) -> list[Row]:
        return [row for row in self.rows if row.group == label]

    def judge(self, name: str, argument: Any, rows: Sequence[Row] | None = None) -> list[reference.Judged]:
        """Judge the classes of the table, or of some of its rows that are released."""
        given = {"k": argument} if name == "k-anonymity" else argument
        released = self.rows if rows is None else rows
        return [
            reference.judge(
                name,
                given,
                [row for row in released if row.group == label],
                self.rows,
                sum(label == other for other in self.population),
                self.taxonomy,
            )
            for label in self.labels()
        ]


GROUPS = ["p", "q", "r", None]


@st.composite
def peoples(draw: st.DrawFn, max_rows: int = 16) -> People:
    values = draw(st.sampled_from(VALUES))
    # Who may be in several classes, who only in one, few with many values, and everybody with a row of their
    # own.
    counted = draw(st.sampled_from(["spread", "apart", "few", "rows"]))
    rows = []
    for number in draw(st.lists(st.integers(0, 6 * 4 * len(values) - 1), min_size=1, max_size=max_rows)):
        cell, unit = divmod(number, 6)
        label, value = GROUPS[cell % 4], values[cell // 4]
        units = {"spread": unit, "apart": (label, unit), "few": (label, unit % 2), "rows": len(rows)}
        rows.append(Row(label, value, units[counted]))
    population = draw(st.lists(st.sampled_from([*GROUPS, "s"]), max_size=20))
    if draw(st.booleans()):
        population += [row.group for row in rows]
    return People(rows, counted != "rows", population, draw(st.sampled_from(TAXONOMIES)))
