"""What is found about the utility of a release: figures about columns, and no values of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from shoal.utility.associations import Association
from shoal.utility.columns import ColumnUtility
from shoal.utility.learning import Learning
from shoal.utility.queries import QueryErrors

_PAIRS_SHOWN = 12


class Section(NamedTuple):
    """A part of an assessment, as a table for people."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class UtilityAssessment:
    """What a release can still be used for.

    Attributes
    ----------
    rows, released_rows
        Of the original and of the release.
    suppressed_rows
        Rows of the original that were removed, or that are in the release with `*` in every quasi-identifier.
    quasi_identifiers
        The columns that may have been generalized.
    columns
        Figures of each column, the quasi-identifiers first.
    associations
        Figures of each pair of columns of which one is a quasi-identifier.
    queries
        The errors of count queries.
    learning
        The scores of each model for each target.
    notes
        What else a reader should know.
    """

    rows: int
    released_rows: int
    suppressed_rows: int
    quasi_identifiers: tuple[str, ...]
    columns: Mapping[str, ColumnUtility]
    associations: tuple[Association, ...]
    queries: QueryErrors
    learning: tuple[Learning, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from shoal.notebook import utility_html

        return utility_html(self)

    @property
    def loss(self) -> float:
        """The mean loss of the quasi-identifiers: the measure `loss` without weights."""
        losses = [self.columns[name].loss for name in self.quasi_identifiers]
        return sum(losses) / len(losses)

    def sections(self) -> list[Section]:
        """Return the figures as tables for people; of many pairs those that change most."""
        found = [
            Section(
                "Columns",
                ("Column", "Loss", "Entropy kept", "Distinct", "Total variation"),
                [(name, *_column_cells(column)) for name, column in self.columns.items()],
            )
        ]
        if self.associations:
            ranked = sorted(self.associations, key=lambda pair: -abs(pair.change))[:_PAIRS_SHOWN]
            more = len(self.associations) - len(ranked)
            found.append(
                Section(
                    f"Pairs of columns{f', {more:,} that change less left out' if more else ''}",
                    ("Pair", "Cramer's V", "in the release", "Total variation"),
                    [
                        (" x ".join(pair.columns), *map(_decimal, figures))
                        for pair in ranked
                        if (figures := (pair.before, pair.after, pair.total_variation))
                    ],
                )
            )
        if self.queries.count:
            found.append(Section(f"{self.queries.count:,} count queries", (), _query_rows(self.queries)))
        for target in dict.fromkeys(one.target for one in self.learning):
            models = [one for one in self.learning if one.target == target]
            found.append(_learning_section(target, models))
        return found

    def render(self) -> str:
        """Return all of it as text."""
        parts = [self.summary()]
        for section in self.sections():
            rows = [section.header, *section.rows] if section.header else section.rows
            parts.append(f"{section.title}\n{_aligned(rows)}")
        if self.notes:
            parts.append("\n".join(f"Note: {note}" for note in self.notes))
        return "\n\n".join(parts)

    def summary(self) -> str:
        """Return how much of the table there is, in a line."""
        return (
            f"{self.rows:,} rows, {self.released_rows:,} released, {self.suppressed_rows:,} suppressed; "
            f"mean loss of the quasi-identifiers {_decimal(self.loss)}"
        )

    def to_mapping(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "rows": self.rows,
            "released_rows": self.released_rows,
            "suppressed_rows": self.suppressed_rows,
            "quasi_identifiers": list(self.quasi_identifiers),
            "loss": self.loss,
            "columns": {name: column.to_mapping() for name, column in self.columns.items()},
            "associations": [pair.to_mapping() for pair in self.associations],
            "queries": self.queries.to_mapping(),
            "learning": [one.to_mapping() for one in self.learning],
            "notes": list(self.notes),
        }


def _column_cells(column: ColumnUtility) -> tuple[str, ...]:
    return (
        _decimal(column.loss),
        f"{column.entropy_kept:.0%} of {column.entropy_before:.2f} bits",
        f"{column.distinct_before:,} -> {column.distinct_after:,}",
        _decimal(column.total_variation),
    )


def _query_rows(queries: QueryErrors) -> list[tuple[str, ...]]:
    by_size = ", ".join(
        f"{error:.1%} over {size} {'column' if size == 1 else 'columns'}"
        for size, error in queries.by_columns.items()
    )
    return [
        ("Median error", f"{queries.median:.1%}  ({by_size})"),
        ("Mean error", f"{queries.mean:.1%}"),
        ("9 of 10 below", f"{queries.quantile_90:.1%}"),
        ("All suppressed", f"{queries.suppressed_median:.1%} median error"),
    ]


def _learning_section(target: str, models: Sequence[Learning]) -> Section:
    rows = []
    for one in models:
        figures = [_decimal(score) for score in (one.original, one.release, one.raw, one.suppressed)]
        if one.errors is not None:
            errors = (one.errors.original, one.errors.release, one.errors.raw, one.errors.suppressed)
            figures = [f"{score} ({_plain(error)})" for score, error in zip(figures, errors, strict=True)]
        rows.append((one.model, *figures, "-" if one.kept is None else f"{one.kept:.0%}"))
    measure = "accuracy" if models[0].errors is None else "R2 (mean absolute error)"
    return Section(
        f"Predicting {target} from the quasi-identifiers: {measure}",
        ("Model", "Original", "Release", "on raw rows", "All suppressed", "Kept"),
        rows,
    )


def _decimal(figure: float) -> str:
    """Write a figure in three places, without a minus before 0."""
    return f"{round(figure, 3) + 0.0:.3f}"


def _plain(figure: float) -> str:
    """Write a figure of any size without an exponent."""
    return f"{figure:,.0f}" if figure >= 1000 else f"{figure:.4g}"


def _aligned(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
