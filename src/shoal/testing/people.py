"""Small tables about people, with sensitive values, units, a population and a taxonomy."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from shoal.describe.hierarchy import Levels
from shoal.privacy.classes import Classes
from shoal.privacy.distribution import Distribution
from shoal.privacy.grouped import group
from shoal.privacy.population import Population

TOWN = Population("town.csv")
"""The population of models that compare with none."""

GROUPS = ["p", "q", "r", None]
"""What the quasi-identifiers of a row may be."""

VALUES: Sequence[Sequence[str | None]] = (["a", "b", "4", "30", None], ["4", "30", "-1.5", None], ["a", "b"])

Taxonomy = Mapping[Any, Sequence[str]]
"""The labels of each value, by level."""

# With a root, with one more level, without a root, without any.
TAXONOMIES: Sequence[Taxonomy] = (
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
class PersonRow:
    """A row of a table: its class, its sensitive value, and who it is about."""

    group: Hashable
    value: Any
    unit: Hashable


@dataclass(frozen=True)
class Labels:
    """A hierarchy that is given as labels."""

    labels: Taxonomy

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
class ExamplePeople:
    """Rows of a table and the groups of the population's people.

    Attributes
    ----------
    counts_units
        Whether people are counted, not rows.
    """

    rows: Sequence[PersonRow]
    counts_units: bool
    population: Sequence[Hashable]
    taxonomy: Taxonomy

    @property
    def values(self) -> pa.Array:
        """The sensitive value of each row."""
        return self.array_of([row.value for row in self.rows])

    def array_of(self, values: Sequence[Any]) -> pa.Array:
        """Return sensitive values of some rows, in the type of the column."""
        return pa.array(values, pa.array(list(self.taxonomy)).type)

    def classes(
        self, column: str = "value", population: Population = TOWN, declared: Distribution | None = None
    ) -> Classes:
        """Group the rows; the sensitive column and the population have these names."""
        return group(
            [row.group for row in self.rows],
            units=[row.unit for row in self.rows] if self.counts_units else None,
            populations={population: self.population},
            hierarchies={column: Labels(self.taxonomy)},  # type: ignore[dict-item]
            distributions={} if declared is None else {column: declared},
            **{column: self.values},
        )

    def labels(self) -> list[str | None]:
        """Return the groups in the order of the classes."""
        labels: list[str | None] = self.classes().table.columns[0].labels[0].to_pylist()
        return labels


def released(classes: Classes, kept: Sequence[bool]) -> Classes:
    """Return the classes of some rows; all others are suppressed, and still in the whole table."""
    rows = np.flatnonzero(kept)
    return Classes(classes.table, classes.of_rows[rows], classes.count, classes.of_population, rows=rows)


@st.composite
def peoples(
    draw: st.DrawFn, max_rows: int = 16, values: Sequence[Any] | None = None, height: int = 0
) -> ExamplePeople:
    """Draw a table; its sensitive column has the given values, or some that are text, numbers or NULL.

    Its taxonomy has at least the given height.
    """
    taxonomies = _at_least(height, TAXONOMIES if values is None else _taxonomies(values))
    values = draw(st.sampled_from(VALUES)) if values is None else values
    # Who may be in several classes, who only in one, few with many values, and everybody with a row of their
    # own.
    counted = draw(st.sampled_from(["spread", "apart", "few", "rows", "rows"]))
    # Few classes have many rows each, and merge into nearly all of the table.
    labels = draw(st.sampled_from([GROUPS, GROUPS[:2], GROUPS[2:]]))
    cells = len(labels) * len(values)
    rows: list[PersonRow] = []
    for number in draw(st.lists(st.integers(0, 6 * cells - 1), min_size=1, max_size=max_rows)):
        cell, unit = divmod(number, 6)
        label, value = labels[cell % len(labels)], values[cell // len(labels)]
        units = {"spread": unit, "apart": (label, unit), "few": (label, unit % 2), "rows": len(rows)}
        rows.append(PersonRow(label, value, units[counted]))
    population: list[Hashable] = draw(st.lists(st.sampled_from([*GROUPS, "s"]), max_size=20))
    if draw(st.booleans()):
        population += [row.group for row in rows]
    return ExamplePeople(rows, counted != "rows", population, draw(st.sampled_from(taxonomies)))


def _at_least(height: int, taxonomies: Sequence[Taxonomy]) -> Sequence[Taxonomy]:
    """Return the taxonomies that are so high; if none is, the first with its top repeated."""
    found = [taxonomy for taxonomy in taxonomies if len(next(iter(taxonomy.values()))) >= height]
    return found or [
        {value: [*labels, *[labels[-1]] * (height - len(labels))] for value, labels in taxonomies[0].items()}
    ]


def _taxonomies(values: Sequence[Any]) -> Sequence[Taxonomy]:
    known = [value for value in values if value is not None]
    half = len(known) // 2
    return (
        {value: ["low" if position < half else "high", "*"] for position, value in enumerate(known)},
        {value: [] for value in known},
    )
