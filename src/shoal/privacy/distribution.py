"""How a sensitive column is distributed, declared in place of measured: classes are compared with that."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchy import HierarchyError, as_text
from shoal.encode.column import CodedColumn, IntArray
from shoal.errors import InputError
from shoal.privacy.model import Tables
from shoal.privacy.queries import text

_DIGITS = 15
_MOST = 1 << 53  # doubles hold whole numbers up to here
_FORM = "a distribution that gives each value its share, or how many have it, such as {flu: 0.7, cold: 0.3}"


@dataclass(frozen=True, slots=True, init=False)
class Distribution:
    """The values of a column with their shares.

    Parameters
    ----------
    given
        For each value its share, which add up to 1, or how many have it, in whole numbers. A mapping, or a
        list of pairs where NULL is among the values.

    Attributes
    ----------
    values
        The values as text, in the form that files have; None is NULL.
    counts
        Whole numbers in the proportion of the shares.

    Examples
    --------
    >>> declared = Distribution({"flu": 0.75, "cold": 0.25})
    >>> declared.values, declared.counts
    (('flu', 'cold'), (3, 1))
    >>> Distribution([[None, 2], ["flu", 6]]).to_spec()
    [[None, 2], ['flu', 6]]
    """

    values: tuple[str | None, ...]
    numbers: tuple[int | float, ...]

    def __init__(self, given: object) -> None:
        pairs = _pairs(given)
        object.__setattr__(self, "values", tuple(value for value, _ in pairs))
        object.__setattr__(self, "numbers", tuple(number for _, number in pairs))

    @classmethod
    def of(cls, values: pa.ChunkedArray | pa.Array, base: int) -> Distribution:
        """Return about how the values of a column are distributed: counts are rounded to multiples of `base`.

        Whoever knows exact counts of a table can subtract a release of it, and has the values of the rows
        that were suppressed.

        Examples
        --------
        >>> Distribution.of(pa.array(["flu"] * 12 + ["cold"] * 7 + ["gout"]), 5).to_spec()
        {'flu': 10, 'cold': 5, 'gout': 5}
        """
        counted = pc.value_counts(values)
        if isinstance(counted, pa.ChunkedArray):
            counted = counted.combine_chunks()
        texts = as_text(counted.field("values")).to_pylist()
        counts = [max(round(count / base), 1) * base for count in counted.field("counts").to_pylist()]
        return cls(list(zip(texts, counts, strict=True)))

    @property
    def counts(self) -> tuple[int, ...]:
        if all(isinstance(number, int) for number in self.numbers):
            return tuple(int(number) for number in self.numbers)
        whole = [max(round(number * 10**_DIGITS), 1) for number in self.numbers]
        common = math.gcd(*whole)
        return tuple(count // common for count in whole)

    def coded(self, name: str, kind: pa.DataType) -> pa.DictionaryArray:
        """Return the values in the type of a column, so that they get codes of it.

        Raises
        ------
        InputError
            They are not of this type, or its values have no text of their own: 1.5 is `1.50` beside 2.25.
        """
        if pa.types.is_decimal(kind) and kind.scale:
            raise InputError(
                f"Column {name!r} has numbers with decimal places, and a declared distribution.\n"
                "Values are compared as text, and 1.5 is written 1.50 where another number has two places.\n"
                "Use `type: float`: then each number is written in one way."
            )
        if pa.types.is_timestamp(kind):
            raise InputError(
                f"Column {name!r} has times, and a declared distribution.\n"
                "Values are compared as text, and times are written with parts of seconds or without.\n"
                "Turn them into dates or text."
            )
        try:
            found = pa.array(self.values, pa.string()).cast(kind)
        except pa.ArrowException:
            raise InputError(
                f"Column {name!r} has the type {kind}, and its declared distribution other values.\n"
                "Write the values as the table has them."
            ) from None
        if len(found.unique()) < len(found):
            raise InputError(
                f"The declared distribution of column {name!r} repeats values.\n"
                f"Found: texts that are the same value of the type {kind}.\nKeep one of each."
            )
        return found.dictionary_encode()

    def totals(self, column: CodedColumn, level: int = 0) -> IntArray:
        """Return the count of each value of a coded column, or of each label of a level."""
        counts = dict(zip(self.values, self.counts, strict=True))
        texts = as_text(column.labels[0]).to_pylist()
        of_values = np.array([counts.get(value, 0) for value in texts], dtype=np.int64)
        labels = column.label_numbers(level)
        found = np.zeros(int(labels[-1]) + 1 if len(labels) else 0, dtype=np.int64)
        np.add.at(found, labels, of_values)
        if found.sum() < sum(counts.values()):
            raise InputError(
                f"Column {column.name!r} was coded without the values of its declared distribution.\n"
                f"Found: {len(texts):,} values; declared are {len(counts):,}.\nCode it with both."
            )
        return found

    def lacks(self, column: CodedColumn) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For each value of a coded column, is it missing here?"""
        known = set(self.values)
        return np.array([value not in known for value in as_text(column.labels[0]).to_pylist()], dtype=bool)

    def declare(self, tables: Tables, column: str) -> tuple[str, Tables]:
        """Return the beginning of a query that compares with this distribution, and the tables for it.

        Values are compared as text. A whole number with a fraction is written without it.
        """
        listed = ", ".join(
            f"({text(value)}::VARCHAR, {count}::BIGINT)"
            for value, count in zip(self.values, self.counts, strict=True)
        )
        names = [f"q{position}" for position in range(1, len(tables.quasi_identifiers) + 1)]
        renamed = dict(zip(names, tables.quasi_identifiers, strict=True)) if tables.number is None else {}
        own = {"number": tables.number, "unit": tables.unit}
        if tables.unit is None:
            own["weight"] = tables.weight
        own = {name: sql for name, sql in own.items() if sql is not None}
        kept = "".join(f"{name}, " for name in (*renamed, *own))
        given = "".join(f"{sql} AS {name}, " for name, sql in {**renamed, **own}.items())
        start = (
            f"WITH declared AS (\n  SELECT * FROM (VALUES {listed}) AS listed (value, people)\n"
            "), kept_as_declared AS (\n"
            f"  SELECT {kept}coalesce(as_it_is.value, without_fraction.value, given.own) AS value\n"
            f"  FROM (SELECT {given}{tables.columns[column]}::VARCHAR AS own FROM {tables.kept}) AS given\n"
            "  LEFT JOIN declared AS as_it_is ON as_it_is.value = given.own\n"
            "  LEFT JOIN declared AS without_fraction ON without_fraction.value || '.0' = given.own\n"
            ")"
        )
        return start, replace(
            tables,
            kept="kept_as_declared",
            quasi_identifiers=list(renamed),
            columns={column: "value"},
            original="declared",
            original_weight="people",
            number="number" if "number" in own else None,
            unit="unit" if "unit" in own else None,
            weight="weight" if "weight" in own else None,
        )

    def to_spec(self) -> object:
        """Return it as it stands in a spec."""
        pairs = zip(self.values, self.numbers, strict=True)
        return [list(pair) for pair in pairs] if None in self.values else dict(pairs)


def _pairs(given: object) -> list[tuple[str | None, int | float]]:
    items = list(given.items()) if isinstance(given, Mapping) else given
    if isinstance(items, str) or not isinstance(items, Sequence) or not items:
        raise InputError(f"needs {_FORM}.\nFound: {'nothing' if not items else type(given).__name__}.")
    if not all(isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 2 for item in items):
        raise InputError(
            f"needs {_FORM}.\nFound: a list of other things.\nWrite pairs, [[flu, 0.7], [null, 0.3]]."
        )
    try:
        values = [
            value if isinstance(value, str | None) else as_text(pa.array([value]))[0].as_py()
            for value, _ in items
        ]
    except (pa.ArrowException, HierarchyError):
        raise InputError(f"needs {_FORM}.\nFound: values that are not plain.\nWrite them as text.") from None
    numbers = [_number(number) for _, number in items]
    if twice := len(values) - len(set(values)):
        raise InputError(
            "needs a distribution that has each value once.\n"
            f"Found: {len(values):,} values, of which {twice:,} are repeated.\nKeep one of each."
        )
    if all(isinstance(number, int) for number in numbers):
        if sum(numbers) >= _MOST:
            raise InputError(f"needs a distribution of fewer than 2^53 people.\nFound: {sum(numbers):,}.")
    elif abs((total := math.fsum(numbers)) - 1) > 1e-6:
        raise InputError(
            f"needs a distribution whose shares add up to 1.\nFound: {total:.9g} in all.\n"
            "Give shares, or whole numbers of people."
        )
    return list(zip(values, numbers, strict=True))


def _number(number: object) -> int | float:
    real = isinstance(number, int | float | np.integer | np.floating) and not isinstance(number, bool)
    if not real or not math.isfinite(number) or number <= 0:  # type: ignore[arg-type, operator]
        raise InputError(f"needs {_FORM}.\nFound: {number!r} as a share.\nGive numbers above 0.")
    return int(number) if isinstance(number, int | np.integer) else float(number)  # type: ignore[arg-type]
