"""The classes of a table, grouped once in DuckDB: what all figures of risk are asked of.

The table `classes` has a row per class: its number, its quasi-identifiers as q0, q1, ..., `n` (the rows in
it, or the people where there is a unit) and `rows`. Where there is a unit, the table `memberships` has each
person once with each class that they have rows in. NULL is a value like any other. The table may be larger
than memory, and so may its classes: DuckDB puts what does not fit into a temporary folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.audit.reference import without_units
from shoal.errors import InputError
from shoal.privacy.queries import text
from shoal.read.parquet_file import ParquetFile
from shoal.read.source import InputFormat, Source, check_wanted, open_source
from shoal.read.types import ColumnType
from shoal.risk.class_sizes import ClassSizes
from shoal.sql.relation import Relation, open_relation
from shoal.sql.typed_columns import cast_columns

_ROUNDING = 1e-6  # of a row: 0.29 times 100 is a little less than 29


@dataclass(frozen=True, slots=True)
class GroupedTable:
    """A table that is grouped by its quasi-identifiers.

    Attributes
    ----------
    relation
        The table itself, with values in the types that are given.
    quasi_identifiers
        Their names; in `classes` they are q0, q1, ...
    unit
        The column that says who a row is about, as SQL, if people are counted.
    rows, suppressed_rows
        Rows in classes, and rows that were left out because they are suppressed ones.
    """

    relation: Relation
    quasi_identifiers: tuple[str, ...]
    unit: str | None
    rows: int
    suppressed_rows: int

    @property
    def label_columns(self) -> list[str]:
        """The quasi-identifiers as `classes` calls them."""
        return [f"q{number}" for number in range(len(self.quasi_identifiers))]

    def sizes(self) -> ClassSizes:
        """Return the histogram of class sizes."""
        found = dict(self.relation.rows("SELECT n, count(*) FROM classes GROUP BY n"))
        sizes = ClassSizes.of(found)
        if self.unit is None:
            return sizes
        people = dict(
            self.relation.rows(
                "SELECT n, count(*) FROM (\n"
                "  SELECT person, min(n) AS n FROM memberships JOIN classes USING (class) GROUP BY person\n"
                ") GROUP BY n"
            )
        )
        return replace(sizes, people=np.array([people.get(n, 0) for n in sorted(found)], dtype=np.int64))

    def sizes_in(self, population: str) -> tuple[ClassSizes, int, int]:
        """Return the histogram with the people of a population beside it, how many there are, and uniques.

        Parameters
        ----------
        population
            The name of a relation with the quasi-identifiers in the columns of the table.
        """
        columns = ", ".join(self.relation.columns[name] for name in self.quasi_identifiers)
        named = ", ".join(
            f"{self.relation.columns[name]} AS {label}"
            for name, label in zip(self.quasi_identifiers, self.label_columns, strict=True)
        )
        same = " AND ".join(
            f"classes.{label} IS NOT DISTINCT FROM crowds.{label}" for label in self.label_columns
        )
        self.relation.rows(
            "CREATE OR REPLACE TEMP TABLE crowds AS\n"
            f"SELECT {named}, count(*) AS people FROM {population} GROUP BY {columns}"
        )
        people, alone = self.relation.fetch_row(
            "SELECT coalesce(sum(people), 0), count(*) FILTER (people = 1) FROM crowds"
        )
        seen = f"SELECT class, n, coalesce(people, 0) AS crowd FROM classes LEFT JOIN crowds ON {same}"
        # People count where the fewest others look like them.
        held = "SELECT NULL::BIGINT AS n, NULL::BIGINT AS crowd"
        if self.unit is not None:
            held = (
                f"SELECT n, crowd FROM memberships JOIN ({seen}) USING (class)\n"
                "QUALIFY row_number() OVER (PARTITION BY person ORDER BY crowd, n) = 1"
            )
        found = self.relation.rows(
            f"SELECT n, crowd, classes, coalesce(people, 0)\n"
            f"FROM (SELECT n, crowd, count(*) AS classes FROM ({seen}) GROUP BY ALL)\n"
            f"LEFT JOIN (SELECT n, crowd, count(*) AS people FROM ({held}) GROUP BY ALL) USING (n, crowd)\n"
            "ORDER BY n, crowd"
        )
        size, crowd, classes, held_by = np.array(found, dtype=np.int64).reshape(-1, 4).T
        if fewer := int((size * classes)[crowd < size].sum()):
            raise InputError(
                f"{fewer:,} of {self.rows:,} rows have quasi-identifiers that fewer people have in the "
                "population than in the table.\nA population contains the people of the table.\n"
                "Check that both tables write values the same way, or give a population that contains them."
            )
        by_person = None if self.unit is None else held_by
        return ClassSizes(size, classes, crowd, by_person), int(people), int(alone)

    def codes(self) -> tuple[list[NDArray[np.int32]], NDArray[np.int64]]:
        """Return for each quasi-identifier a number per class, equal where the values are, and the sizes."""
        import duckdb

        joins, codes = [], []
        for label in self.label_columns:
            self.relation.rows(
                f"CREATE OR REPLACE TEMP TABLE values_{label} AS\n"
                "SELECT value, (row_number() OVER () - 1)::INTEGER AS code\n"
                f"FROM (SELECT DISTINCT {label} AS value FROM classes)"
            )
            joins.append(f"JOIN values_{label} ON values_{label}.value IS NOT DISTINCT FROM {label}")
            codes.append(f"values_{label}.code AS c{label}")
        self.relation.rows(
            "CREATE OR REPLACE TEMP TABLE codes AS\n"
            f"SELECT n, {', '.join(codes)} FROM classes\n{' '.join(joins)}"
        )
        try:
            found = self.relation.connection.execute("FROM codes").fetchnumpy()
        except (duckdb.InterruptException, RuntimeError) as error:
            # DuckDB takes Ctrl-C for itself and reports it so.
            if "interrupt" in str(error).lower():
                raise KeyboardInterrupt from None
            raise
        return [np.asarray(found[f"c{label}"]) for label in self.label_columns], np.asarray(found["n"])


@contextmanager
def open_classes(
    data: object,
    quasi_identifiers: Sequence[str],
    others: Sequence[str] = (),
    *,
    unit: str | None = None,
    input_format: InputFormat | None = None,
    types: Mapping[str, ColumnType] | None = None,
    released: bool = False,
    starred: float = 0.0,
    starred_rows: int | None = None,
) -> Iterator[GroupedTable]:
    """Open a table and group it.

    Parameters
    ----------
    data
        The path of a file, a data frame, or a source that is open already.
    others
        Further columns that will be asked for.
    types
        What columns hold, where it is not what they come as.
    released
        Whether the table is a release, written by Shoal or another tool: then quasi-identifiers are labels,
        and stay as they are.
    starred
        The largest share of the rows that can be suppressed ones, left in with `*` in every quasi-identifier.
    starred_rows
        How many were, if that is known.
    """
    wanted = list(dict.fromkeys([*quasi_identifiers, *others, *([unit] if unit else [])]))
    what = "release" if released else "table"
    form = input_format or InputFormat()
    with open_relation(_openable(data, wanted, form), form, what=what) as found:
        asked = {
            column: kind
            for column, kind in (types or {}).items()
            if column in wanted and not (released and column in quasi_identifiers)
        }
        relation, problems = cast_columns(_with_nulls(found, wanted, form, data), asked, released=released)
        if problems:
            raise InputError(problems)
        yield _grouped(relation, tuple(quasi_identifiers), unit, starred, starred_rows)


def check_columns(data: object, wanted: Sequence[str], form: InputFormat, what: str) -> None:
    """Raise with every wanted column that data lacks."""
    if isinstance(data, pa.Table):
        check_wanted(wanted, data.column_names, f"the {what}")
    else:
        source = opened(data, form)
        check_wanted(wanted, source.columns, f"the {what} {source.name!r}", shown=not source.doubtful)


def _grouped(
    relation: Relation,
    quasi_identifiers: tuple[str, ...],
    unit: str | None,
    starred: float,
    starred_rows: int | None,
) -> GroupedTable:
    if unit is not None:
        column = relation.columns[unit]
        (nobody,) = relation.fetch_row(f"SELECT count(*) - count({column}) FROM {relation.source}")
        if nobody:
            raise InputError(without_units(f"the {relation.what}", unit, nobody))
    quoted = [relation.columns[name] for name in quasi_identifiers]
    counted = "count(*)" if unit is None else f"count(DISTINCT {relation.columns[unit]})"
    named = ", ".join(f"{column} AS q{number}" for number, column in enumerate(quoted))
    relation.rows(
        "CREATE OR REPLACE TEMP TABLE classes AS\n"
        "SELECT row_number() OVER () AS class, * FROM (\n"
        f"  SELECT {named}, {counted} AS n, count(*) AS rows\n"
        f"  FROM {relation.source} GROUP BY {', '.join(quoted)}\n)"
    )
    stars = " AND ".join(f"q{number}::VARCHAR = '*'" for number in range(len(quoted)))
    rows, suppressed = relation.fetch_row(
        f"SELECT coalesce(sum(rows), 0), coalesce(sum(rows) FILTER ({stars}), 0) FROM classes"
    )
    if suppressed > starred * rows + _ROUNDING or starred_rows not in (None, suppressed):
        suppressed = 0  # so many cannot be suppressed ones: they are a class
    if suppressed:
        relation.rows(f"DELETE FROM classes WHERE coalesce({stars}, false)")
    by = None if unit is None else relation.columns[unit]
    if by is not None:
        same = " AND ".join(
            f"classes.q{number} IS NOT DISTINCT FROM whole.{column}" for number, column in enumerate(quoted)
        )
        relation.rows(
            "CREATE OR REPLACE TEMP TABLE memberships AS\n"
            f"SELECT DISTINCT classes.class, whole.{by} AS person\n"
            f"FROM {relation.source} AS whole JOIN classes ON {same}"
        )
    return GroupedTable(relation, quasi_identifiers, by, int(rows - suppressed), int(suppressed))


def _openable(data: object, wanted: Sequence[str], form: InputFormat) -> str | Path | pa.Table:
    """Return what DuckDB can open: a file, or the wanted columns of a frame as Arrow."""
    if isinstance(data, str | Path | pa.Table):
        return data
    if isinstance(data, os.PathLike):
        return Path(data)
    return opened(data, form).read(wanted, coded=())


def is_open(data: object) -> bool:
    """Return whether data is a source that was opened before."""
    return hasattr(data, "read") and hasattr(data, "restore")


def opened(data: object, form: InputFormat = InputFormat()) -> Source:  # noqa: B008 (frozen)
    """Return data as a source."""
    return cast("Source", data) if is_open(data) else open_source(data, form)


def _with_nulls(relation: Relation, wanted: Sequence[str], form: InputFormat, data: object) -> Relation:
    """Return a relation whose texts for NULL are NULL: DuckDB leaves those of Parquet files as they are."""
    if not form.null_values or not isinstance(data, str | os.PathLike):
        return relation
    if not isinstance(open_source(data, form), ParquetFile):
        return relation
    nulls = ", ".join(map(text, form.null_values))
    cells = ", ".join(
        f"CASE WHEN {column} IN ({nulls}) THEN NULL ELSE {column} END AS {column}"
        for column in (relation.columns[name] for name in wanted if name in relation.text)
    )
    return (
        replace(relation, source=f"(SELECT * REPLACE ({cells}) FROM {relation.source})")
        if cells
        else relation
    )
