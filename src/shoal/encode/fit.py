"""Hierarchies that are made from the table, such as those by quantiles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.fitted import Fitted, Unfit
from shoal.describe.hierarchy import ColumnData, FromData, HierarchyError, IntArray, known
from shoal.describe.roles import QuasiIdentifier
from shoal.describe.spec import Spec
from shoal.read.columns import coded

_MOST_CELLS = 2**26


def fitted(spec: Spec, table: pa.Table) -> Spec:
    """Return the spec with every hierarchy made that is to be made from the table.

    What keeps one from being made is told where its labels are asked for, together with all else that is
    wrong.

    Examples
    --------
    >>> from shoal.describe.hierarchies.suppress import suppress
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> spec = Spec(quasi_identifiers={"sex": suppress()}, privacy=[KAnonymity(2)])
    >>> fitted(spec, pa.table({"sex": pa.array(["F", "M"]).dictionary_encode()})) == spec
    True
    """
    columns = {name: _fit(name, qi, table) for name, qi in spec.quasi_identifiers.items()}
    return replace(spec, quasi_identifiers=columns)


def _fit(name: str, qi: QuasiIdentifier, table: pa.Table) -> QuasiIdentifier:
    if not isinstance(qi.hierarchy, FromData):
        return qi
    try:
        column = column_data(table.column(name), qi, table)
    except HierarchyError as error:
        return replace(qi, hierarchy=Fitted(qi.hierarchy, Unfit(error)))
    return replace(qi, hierarchy=Fitted.to(qi.hierarchy, column))


def column_data(column: pa.ChunkedArray, qi: QuasiIdentifier, table: pa.Table) -> ColumnData:
    """Count the values of a column, and with which values of its target they occur.

    Values that the hierarchy has no place for are left out where they are no error.
    """
    values = column.combine_chunks()
    values = values.chunk(0) if isinstance(values, pa.ChunkedArray) else values
    filled = values.indices.fill_null(len(values.dictionary)).to_numpy(zero_copy_only=False)
    counts = np.bincount(filled, minlength=len(values.dictionary) + 1).astype(np.int64)
    used = np.flatnonzero(counts[:-1])
    domain = values.dictionary.take(pa.array(used))
    if qi.missing_values != "error":
        there = known(qi.hierarchy, domain).to_numpy(zero_copy_only=False)
        used, domain = used[there], domain.filter(pa.array(there))
    target = qi.hierarchy.target if isinstance(qi.hierarchy, FromData) else None
    if target is None:
        return ColumnData(domain, counts[used])
    kinds, by_target = _crosstab(filled, used, len(counts), table.column(target), target)
    return ColumnData(domain, counts[used], kinds, by_target)


def _crosstab(
    places: IntArray, used: IntArray, most: int, target: pa.ChunkedArray, name: str
) -> tuple[pa.Array, IntArray]:
    """Return the values of the target, NULL last, and for each used value how often it has each."""
    kinds = coded(target, name)
    width = len(kinds.dictionary) + 1
    if len(used) * width > _MOST_CELLS:
        raise HierarchyError(
            f"its hierarchy looks at column {name!r}, and together they have too many values.\n"
            f"Found: {len(used):,} values, and {width - 1:,} of column {name!r}.\n"
            "Name a target with fewer values, or another hierarchy."
        )
    rows = np.full(most, -1, dtype=np.int64)
    rows[used] = np.arange(len(used))
    others = kinds.indices.fill_null(width - 1).to_numpy(zero_copy_only=False)
    row = rows[places]
    kept = row >= 0
    cells = np.bincount(row[kept] * width + others[kept], minlength=len(used) * width)
    table = cells.astype(np.int64).reshape(len(used), width)
    seen = np.flatnonzero(table.sum(axis=0))
    values = pa.concat_arrays([kinds.dictionary, pa.nulls(1, kinds.dictionary.type)])
    return pc.take(values, pa.array(seen)), table[:, seen]
