"""How a table was, or would be, counted for a search, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from shoal.encode.table import CodedTable


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is counted, or what follows from it.

    Attributes
    ----------
    what
        In words.
    levels
        By column, the node it is about, if it is about one.
    entries
        How many tuples there are, or about how many where it was not counted.
    """

    what: str
    levels: dict[str, int] | None = None
    entries: int | None = None

    def to_mapping(self) -> dict[str, object]:
        fields: dict[str, object] = {"step": self.what}
        if self.levels is not None:
            fields["levels"] = self.levels
        if self.entries is not None:
            fields["entries"] = self.entries
        return fields


@dataclass(frozen=True, slots=True)
class Plan:
    """What is counted where the rows are, step by step.

    Attributes
    ----------
    rows, most_entries
        Rows of the table, and how many tuples fit into memory.
    notes
        What a reader of the release should know of it, such as what was not settled.
    counts
        How often the table was counted, by kind: estimates, entries fetched (at), classes only (below).

    Examples
    --------
    >>> print(Plan(1000, 50, (Step("at level 0: 40 tuples"),), engine="duckdb").render())
    engine: duckdb
    rows: 1,000
    tuples that fit into memory: 50
    1. at level 0: 40 tuples
    """

    rows: int
    most_entries: int
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()
    engine: str = ""
    counts: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """Return it as lines of text."""
        lines = [f"engine: {self.engine}"] if self.engine else []
        lines += [f"rows: {self.rows:,}", f"tuples that fit into memory: {fitting(self.most_entries)}"]
        lines += [f"{number}. {step.what}" for number, step in enumerate(self.steps, start=1)]
        return "\n".join([*lines, *self.notes])

    def to_mapping(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            **({"engine": self.engine} if self.engine else {}),
            "rows": self.rows,
            "fit": self.most_entries,
            "steps": [step.to_mapping() for step in self.steps],
            "counted": dict(self.counts),
            "notes": list(self.notes),
        }


def fitting(entries: int) -> str:
    """Describe how many entries fit.

    Examples
    --------
    >>> fitting(1_500_000), fitting(1 << 62)
    ('1,500,000', 'all')
    """
    return "all" if entries >= 1 << 60 else f"{entries:,}"


def about(entries: float) -> str:
    """Round an estimate to two digits.

    Examples
    --------
    >>> about(96_871_345.2), about(7.4)
    ('about 97,000,000', 'about 7')
    """
    return f"about {int(float(f'{entries:.2g}')):,}"


def named(table: CodedTable, levels: Sequence[int]) -> dict[str, int]:
    """Return the level of each column by its name."""
    return dict(zip(table.names, levels, strict=True))


def at_least(table: CodedTable, levels: Sequence[int]) -> str:
    """Describe where a node is above the lowest levels that the spec allows.

    A column that has a single label at its level takes no part.
    """
    fields = [
        f"without {column.name}" if len(column.labels[level]) == 1 else f"{column.name} >= {level}"
        for column, level in zip(table.columns, levels, strict=True)
        if level > column.min_level and len(column.labels[level]) < len(column.labels[column.min_level])
    ]
    return ", ".join(fields) or "the lowest levels"
