"""Build hierarchies from the table, such as quantiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.fitted_hierarchy import Fitted, Unfit
from shoal.describe.hierarchy import ColumnData, FromData, HierarchyError, IntArray, known
from shoal.describe.roles import QuasiIdentifier
from shoal.exact_counts import count
from shoal.read.columns import coded
from shoal.spec.spec import Spec

if TYPE_CHECKING:
    from shoal.encode.table import Columns

_MOST_CELLS = 2**26


Fit = Callable[[str, QuasiIdentifier], ColumnData]
"""Counts the values of a column for its hierarchy."""


def fitted(spec: Spec, table: pa.Table) -> Spec:
    """Return the spec with every hierarchy built that is built from the table.

    If one cannot be built, its `levels` raises the reason, so that it is reported with all other problems.

    Examples
    --------
    >>> from shoal.describe.hierarchies.suppress import suppress
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> spec = Spec(quasi_identifiers={"sex": suppress()}, privacy=[KAnonymity(2)])
    >>> fitted(spec, pa.table({"sex": pa.array(["F", "M"]).dictionary_encode()})) == spec
    True
    """
    return fitted_by(spec, lambda name, qi: column_data(table.column(name), qi, table))


def fitted_by(spec: Spec, count_values: Fit) -> Spec:
    """Do the same with a function that counts the values."""
    columns = {name: _fit(name, qi, count_values) for name, qi in spec.quasi_identifiers.items()}
    return replace(spec, quasi_identifiers=columns)


def _fit(name: str, qi: QuasiIdentifier, count_values: Fit) -> QuasiIdentifier:
    if not isinstance(qi.hierarchy, FromData):
        return qi
    try:
        column = count_values(name, qi)
    except HierarchyError as error:
        return replace(qi, hierarchy=Fitted(qi.hierarchy, Unfit(error)))
    return replace(qi, hierarchy=Fitted.to(qi.hierarchy, column))


def column_data(
    column: pa.ChunkedArray,
    qi: QuasiIdentifier,
    table: Columns,
    rows: IntArray | None = None,
) -> ColumnData:
    """Count the values of a column, and the values of its target with which they occur.

    Values that the hierarchy does not cover are ignored if they are not an error. `rows` is the number of
    rows of each entry of the columns, if not one.
    """
    values = column.combine_chunks()
    values = values.chunk(0) if isinstance(values, pa.ChunkedArray) else values
    filled = values.indices.fill_null(len(values.dictionary)).to_numpy(zero_copy_only=False)
    counts = count(filled, len(values.dictionary) + 1, rows)
    used = np.flatnonzero(counts[:-1])
    domain = values.dictionary.take(pa.array(used))
    if qi.missing_values != "error":
        there = known(qi.hierarchy, domain).to_numpy(zero_copy_only=False)
        used, domain = used[there], domain.filter(pa.array(there))
    target = qi.hierarchy.target if isinstance(qi.hierarchy, FromData) else None
    if target is None:
        return ColumnData(domain, counts[used])
    kinds, by_target = _crosstab(filled, used, len(counts), table.column(target), target, rows)
    return ColumnData(domain, counts[used], kinds, by_target)


def _crosstab(
    indices: IntArray,
    used: IntArray,
    most: int,
    target: pa.ChunkedArray,
    name: str,
    weights: IntArray | None,
) -> tuple[pa.Array, IntArray]:
    """Return the values of the target, NULL last, and for each used value the frequency of each of them."""
    kinds = coded(target, name)
    width = len(kinds.dictionary) + 1
    if len(used) * width > _MOST_CELLS:
        raise HierarchyError(
            f"its hierarchy has the target column {name!r}, and together they have too many values.\n"
            f"Found: {len(used):,} values, and {width - 1:,} of column {name!r}.\n"
            "Use a target with fewer values, or another hierarchy."
        )
    rows = np.full(most, -1, dtype=np.int64)
    rows[used] = np.arange(len(used))
    others = kinds.indices.fill_null(width - 1).to_numpy(zero_copy_only=False)
    row = rows[indices]
    kept = row >= 0
    cells = count(
        row[kept] * width + others[kept], len(used) * width, None if weights is None else weights[kept]
    )
    table = cells.reshape(len(used), width)
    seen = np.flatnonzero(table.sum(axis=0))
    values = pa.concat_arrays([kinds.dictionary, pa.nulls(1, kinds.dictionary.type)])
    return pc.take(values, pa.array(seen)), table[:, seen]
