"""The rows that an extended release is chosen from, generalized as the earlier release is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.describe.hierarchy import FromData, HierarchyDefaults
from shoal.encode.table import code_table
from shoal.errors import InputError, Problem
from shoal.incremental.earlier_release import Earlier
from shoal.prepare.columns import settle_columns
from shoal.prepare.fit import fitted
from shoal.prepare.read_rows import read_rows
from shoal.read.columns import coded, is_text, plain, text_of
from shoal.read.source import Source, open_source
from shoal.read.spelling import in_one_spelling
from shoal.read.typed_tables import typed
from shoal.spec.spec import Spec

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ExtendedRows:
    """All rows that there are, generalized, in the form in which the earlier release has them.

    Attributes
    ----------
    table
        The columns of the earlier release. First its own rows and, where the original table is given, those
        that it suppressed; then the new ones.
    released, new
        Which rows the earlier release has, and which are new. The others were suppressed before.
    lost
        Rows that were suppressed before and are not here, since the original table is not given.
    originals
        The same rows as they were, for models that compare with all of them; None without the original table.
    notes
        What a reader of the release should know.
    files
        Those that the rows were read from.
    """

    table: pa.Table
    released: BoolArray
    new: BoolArray
    lost: int
    originals: pa.Table | None
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


def gather(
    earlier: Earlier, new_rows: object, originals: Sequence[object], *, drop_undeclared: bool = False
) -> ExtendedRows:
    """Read the new rows, and the tables that the earlier release was made of if these are given.

    Raises
    ------
    InputError
        With what is wrong about them. Values that a hierarchy has no place for are among that.
    """
    spec = earlier.spec
    sources = [open_source(data, earlier.input) for data in (*originals, new_rows)]
    files = tuple(file for source in sources for file in source.files)
    notes: dict[str, None] = {}
    for source in sources:
        notes.update(dict.fromkeys(settle_columns(spec, source, False, drop_undeclared)[1]))
    tables = _read(sources, spec)
    if tables[-1].num_rows == 0:
        raise InputError(f"{sources[-1].name!r} has no rows.\nThere is nothing to add.")
    names = earlier.table.column_names
    if not originals:
        check_steady(spec, "Give it: --original FILE (in Python original=...).")
        recoded = _generalized(tables[-1], earlier)
        table = pa.concat_tables([earlier.table, recoded])
        new = np.arange(table.num_rows) >= earlier.table.num_rows
        lost = earlier.evidence.manifest.rows.suppressed
        return ExtendedRows(table, ~new, new, lost, None, tuple(notes), files)
    rows = sum(table.num_rows for table in tables[:-1])
    if rows != earlier.rows:
        raise InputError(
            f"The earlier release was not made of {_files(sources[:-1])}.\n"
            f"Rows: {rows:,}; rows that went into the release: {earlier.rows:,}.\n"
            "Give the table that it was made of; where it was extended itself, all tables in their order."
        )
    # What is made from the data was made from the first table, whatever was added later.
    earlier = _fitted(earlier, tables[0], names)
    joined = _joined(tables, names)
    new = np.arange(joined.num_rows) >= rows
    table = _generalized(joined, earlier)
    released = _among(table.slice(0, rows), earlier.table)
    if released is None:
        raise _not_found(earlier, joined.slice(0, rows), sources[:-1])
    released = np.concatenate([released, np.zeros(joined.num_rows - rows, dtype=bool)])
    return ExtendedRows(table, released, new, 0, joined, tuple(notes), files)


def numbered(table: pa.Table) -> IntArray:
    """Number the rows from 0 without gaps, equal ones alike. NULL is a value.

    Examples
    --------
    >>> numbered(pa.table({"age": [3, None, 3, None], "sex": ["F", "F", "F", "M"]})).tolist()
    [0, 1, 0, 2]
    """
    numbers = np.zeros(table.num_rows, dtype=np.int64)
    for name in table.column_names:
        values = coded(table.column(name), name)
        width = len(values.dictionary) + 1
        positions = values.indices.fill_null(width - 1).to_numpy(zero_copy_only=False).astype(np.int64)
        _, numbers = np.unique(numbers * width + positions, return_inverse=True)
    return numbers.astype(np.int64)


def _read(sources: Sequence[Source], spec: Spec) -> list[pa.Table]:
    """Read what is released of each table, in the types of the spec."""
    titles = [*(f" of {source.name!r}" for source in sources[:-1]), " of the new rows"]
    read = [read_rows(source, spec) for source in sources]
    tables, problems = typed(list(zip(titles, read, strict=True)), spec.types)
    if problems:
        raise InputError(problems)
    return tables


def check_steady(spec: Spec, advice: str) -> None:
    """Raise if labels depend on values that only the original table has."""
    unsteady = [
        name
        for name, qi in spec.quasi_identifiers.items()
        if qi.missing_values != "error"
        or isinstance(qi.hierarchy, FromData)
        or not (isinstance(qi.hierarchy, HierarchyDefaults) and qi.hierarchy.steady)
    ]
    if unsteady:
        raise InputError(
            f"The labels of {', '.join(unsteady)} depend on the values of the original table.\n"
            f"That table is not given.\n{advice}"
        )


def _fitted(earlier: Earlier, first: pa.Table, names: Sequence[str]) -> Earlier:
    table = _joined([first], names)
    coded_columns = {
        name: coded(table.column(name), name)
        if name in earlier.spec.quasi_identifiers
        else table.column(name)
        for name in names
    }
    return replace(earlier, spec=fitted(earlier.spec, pa.table(coded_columns)))


def _joined(tables: Sequence[pa.Table], names: Sequence[str]) -> pa.Table:
    """Put tables below each other; each column is of one type in all of them."""
    problems: list[Problem] = []
    columns = {}
    for name in names:
        parts = [plain(table.column(name), name) for table in tables]
        if all(is_text(part.type) for part in parts):
            parts = [text_of(part) for part in parts]
        kinds = list(dict.fromkeys(str(part.type) for part in parts))
        if len(kinds) > 1:
            problems.append(
                Problem(
                    f"Column {name!r} has different types in these tables.\nFound: {' and '.join(kinds)}.\n"
                    "Give the original table and the new rows in one format."
                )
            )
            continue
        columns[name] = pa.concat_arrays(parts)
    if problems:
        raise InputError(problems)
    return pa.table(columns)


def _generalized(table: pa.Table, earlier: Earlier) -> pa.Table:
    """Return rows with the labels of the earlier release's levels, as its file has them."""
    spec, like = earlier.spec, earlier.table
    columns = {name: coded(table.column(name), name) for name in spec.quasi_identifiers}
    others = {name: table.column(name) for name in like.column_names if name not in columns}
    made = code_table(
        pa.table({**columns, **others}), spec.quasi_identifiers, sensitive=spec.sensitive, unit=spec.unit
    )
    problems = [
        Problem(
            f"Column {column.name!r}: the release has level {earlier.levels[column.name]} of its hierarchy.\n"
            f"Here it has levels 0 to {column.height}.\n"
            "Give the original table and the hierarchy that the release was made with."
        )
        for column in made.columns
        if earlier.levels[column.name] > column.height
    ]
    if problems:
        raise InputError(problems)
    for column in made.columns:
        level = earlier.levels[column.name]
        columns[column.name] = column.labels[level].take(pa.array(column.maps[level][column.codes]))
    return _in_form_of({**columns, **others}, like)


def _in_form_of(columns: Mapping[str, pa.Array], like: pa.Table) -> pa.Table:
    """Return columns in the types that a released file has: text in one of text, else its own."""
    problems: list[Problem] = []
    made = {}
    for field in like.schema:
        column = columns[field.name]
        try:
            made[field.name] = (
                _spelled(column, like.column(field.name)) if is_text(field.type) else column.cast(field.type)
            )
        except pa.ArrowException:
            problems.append(
                Problem(
                    f"Column {field.name!r} of the new rows differs from the earlier release.\n"
                    f"Types: {column.type}, and {field.type} in the release.\n"
                    "Give the new rows in the format that the original table had."
                )
            )
    if problems:
        raise InputError(problems)
    return pa.table(made, schema=like.schema)


def _spelled(column: pa.Array | pa.ChunkedArray, like: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return values as text, numbers and times as the earlier release spells them, if it has them."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    several = (pa.types.is_decimal, pa.types.is_floating, pa.types.is_timestamp)
    if not any(is_kind(kind) for is_kind in several):
        return text_of(column, like.type)
    spellings = pc.unique(like).drop_null()
    texts = in_one_spelling(column.cast(kind), kind)
    positions = pc.index_in(texts, in_one_spelling(spellings, kind))
    return pc.coalesce(spellings.take(positions), texts).cast(like.type)


def _among(rows: pa.Table, released: pa.Table) -> BoolArray | None:
    """Find released rows among all rows, each as often as it was released; None if some are not there.

    Which of several equal rows was released cannot be told, and makes no difference.
    """
    numbers = numbered(pa.concat_tables([released, rows]))
    theirs, ours = numbers[: released.num_rows], numbers[released.num_rows :]
    kinds = int(numbers.max(initial=-1)) + 1
    wanted, there = np.bincount(theirs, minlength=kinds), np.bincount(ours, minlength=kinds)
    if (wanted > there).any():
        return None
    order = np.argsort(ours, kind="stable")
    starts = np.cumsum(there) - there
    positions = np.empty(len(ours), dtype=np.int64)
    positions[order] = np.arange(len(ours)) - starts[ours[order]]
    return np.asarray(positions < wanted[ours])


def _not_found(earlier: Earlier, original: pa.Table, sources: Iterable[Source]) -> InputError:
    """Return why rows of the release are not among those of the original table."""
    alone = _generalized(original, earlier)
    if _among(alone, earlier.table) is not None:
        return InputError(
            "With the new rows, values of the earlier ones get other labels.\n"
            "A hierarchy depends on which values there are, such as their longest or most precise one.\n"
            "The levels cannot be kept: bring the new values into the form of the earlier ones, or release "
            "the new rows by themselves."
        )
    return InputError(
        f"The earlier release was not made of {_files(sources)}.\n"
        "It has rows that these tables do not have at its levels.\n"
        "Give the table that it was made of, in the same format; where it was extended itself, all tables in "
        "their order."
    )


def _files(sources: Iterable[Source]) -> str:
    return " and ".join(repr(source.name) for source in sources)
