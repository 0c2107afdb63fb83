"""A batch: its rows in the types of the stream, and what tells whether it came before."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.encode.table import CodedTable, code_table
from shoal.engines.ibis_tables import native
from shoal.errors import InputError, Problem
from shoal.prepare.columns import settle_columns
from shoal.prepare.fit import fitted
from shoal.prepare.read_rows import read_rows
from shoal.read.columns import coded, plain, text_of
from shoal.read.source import open_source
from shoal.read.typed_tables import typed
from shoal.spec.spec import Spec
from shoal.write.table_formats import require_csv

BoolArray = NDArray[np.bool_]


def read_batch(
    data: object, spec: Spec, *, keep_undeclared: bool, drop_undeclared: bool
) -> tuple[pa.Table, Spec]:
    """Return the rows of a batch in the types of the spec, and the spec with a role for each column.

    Identifiers are not read.

    Raises
    ------
    InputError
        With everything that would keep these rows from being released later.
    """
    source = open_source(native(data), spec.input)
    settled, _ = settle_columns(spec, source, keep_undeclared, drop_undeclared)
    table = read_rows(source, settled)
    if settled.types:
        (table,), problems = typed([("", table)], settled.types)
        if problems:
            raise InputError(problems)
    columns = [plain(column, name) for name, column in zip(table.column_names, table.columns, strict=True)]
    table = pa.table(columns, names=table.column_names)
    if table.num_rows:
        require_csv(table)
        code_batch(table, settled)
    return table, settled


def code_batch(table: pa.Table, spec: Spec) -> CodedTable:
    """Return rows in codes, whether or not the models of the spec can hold for them."""
    columns = {
        name: coded(table.column(name), name) if name in spec.quasi_identifiers else table.column(name)
        for name in table.column_names
    }
    with_codes = pa.table(columns)
    made = fitted(spec, with_codes)
    return code_table(
        with_codes,
        made.quasi_identifiers,
        sensitive=made.sensitive,
        attributes=[model.column for model in made.privacy if model.column is not None],
        models=made.privacy,
        judged=False,
    )


def as_declared(table: pa.Table, spec: Spec) -> tuple[pa.Table, BoolArray]:
    """Return rows with declared values alone, and which of them had others: nothing holds for these."""
    strange = np.zeros(table.num_rows, dtype=bool)
    for model in spec.privacy:
        if model.column is None or model.distribution is None:
            continue
        place, column = table.schema.get_field_index(model.column), table.column(model.column)
        declared = model.distribution.coded(model.column, column.type).dictionary
        known = pc.is_in(text_of(column), value_set=pa.array(model.distribution.values, pa.string()))
        strange |= ~known.to_numpy()
        other = declared[0] if len(declared) else pa.scalar(None, column.type)  # NULL is in no dictionary
        table = table.set_column(place, model.column, pc.if_else(known, column, other))
    return table, strange


def joined(waiting: pa.Table, batch: pa.Table, spec: Spec) -> pa.Table:
    """Return rows that wait and those of a batch as one table; the columns must be the same.

    Columns that the spec gives a type get one that both fit: decimals of one batch may have more decimal
    places than those of another. A column that has only NULL on one side gets the type of the other.

    Raises
    ------
    InputError
        With all columns that differ.
    """
    if set(waiting.column_names) != set(batch.column_names):
        raise InputError(
            f"The batches of a stream must have the same columns.\nFound: {', '.join(batch.column_names)}.\n"
            f"Waiting rows have: {', '.join(waiting.column_names)}."
        )
    (waiting, batch), problems = typed([(" of waiting rows", waiting), ("", batch)], spec.types)
    kinds = {}
    for name in waiting.column_names:
        pair = [table.column(name) for table in (waiting, batch)]
        known = [column.type for column in pair if column.null_count < len(column)]
        kinds[name] = (*known, pair[0].type)[0]
        if len(set(known)) > 1:
            problems.append(
                Problem(
                    f"Column {name!r} has the type {known[1]} in this batch.\n"
                    f"Waiting rows have: {known[0]}.\n"
                    "Give the column a type in the spec, such as type: text."
                )
            )
    if problems:
        raise InputError(problems)
    schema = pa.schema(list(kinds.items()))
    return pa.concat_tables([waiting.cast(schema), batch.select(waiting.column_names).cast(schema)])


def digest(table: pa.Table) -> str:
    """Return what tells whether two batches have the same rows, in any order."""
    columns = [text_of(table.column(name)).to_pylist() for name in sorted(table.column_names)]
    rows = sorted(map(repr, zip(*columns, strict=True)))
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def without_identifiers(spec: Spec) -> Spec:
    """Return the spec for rows of which only what a release may need was read."""
    unread = {*spec.identifiers, *spec.drop}
    types = {name: kind for name, kind in spec.types.items() if name not in unread}
    return replace(spec, identifiers=(), drop=(), types=types)
