"""Profile each column: kind, distinct values, NULLs, rows with a unique value, entropy.

All figures count every row, by one query per column. In tables too large for that, rows and NULLs are
counted, distinct values are estimated (HyperLogLog), and the other figures come from a sample of
`TableProfile.sampled_rows` rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import log2
from typing import Any

from shoal.events import Listener, StepStarted
from shoal.read.source import InputFormat
from shoal.suggestions.category_words import are_categories
from shoal.suggestions.kinds import Kind, Reading, are_commas_unclear, kind_of_type, reading_of
from shoal.suggestions.null_like import LOOKS_LIKE_NULL
from shoal.suggestions.patterns import SOME, Pattern, are_codes, may_be_a_day, pattern_of
from shoal.suggestions.table import Table, open_table

_DRAWN = 400
"""Number of distinct values whose form is checked one by one."""
_OFFSET = re.compile(r"[0-9](Z|[+-][0-9]{2}(:?[0-9]{2})?)$")
_QUANTILES = (0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0)
DECIMAL_COMMAS = "numbers with a decimal comma"
UNCLEAR_COMMAS = "numbers with commas"


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """The figures of one column: counts and shares. The only values are texts that may mean NULL.

    Attributes
    ----------
    kind
        What the values are, or can be read as: `text`, `integer`, `decimal`, `date`, `timestamp`, `boolean`
        or `other`.
    rows
        Number of rows of the table.
    nulls
        Rows without a value.
    distinct
        Different values, without NULL.
    once
        Values that occur once: as many as rows with a unique value.
    entropy
        Information in the value of a row, on average, in bits.
    shortest, longest, mean_length
        Characters of the values as text.
    fits
        Share of the values, by rows, that are of the kind.
    format
        Format of dates that are text.
    other_format
        Another format that fits as well.
    decimal_mark
        Of numbers that are text: `.` or `,`. With a comma all are numbers; otherwise the column is text.
    null_like
        Texts that often mean NULL, such as `?`, with their number of rows.
    looks_like
        The form of most values, such as `e-mail addresses`.
    leading_zeros
        Whether the values are codes: digits of which some begin with 0.
    coded
        Whether most values are codes of one form, such as `P017`.
    harmless
        Whether its texts are all known as words for categories.
    days
        Whether its texts may be days, written in a way that is not read as dates.
    zoned
        Whether times have a time zone or an offset.
    exact
        Whether all figures count all rows.
    """

    name: str
    kind: Kind
    rows: int
    nulls: int
    distinct: int
    once: int
    entropy: float
    shortest: int
    longest: int
    mean_length: float
    fits: float = 1.0
    format: str | None = None
    other_format: str | None = None
    decimal_mark: str | None = None
    null_like: Mapping[str, int] = field(default_factory=dict, hash=False)
    looks_like: str | None = None
    leading_zeros: bool = False
    zoned: bool = False
    exact: bool = True
    stored_as_text: bool = True
    coded: bool = False
    harmless: bool = False
    days: bool = False
    rarest: int = 0
    pattern: Pattern | None = field(default=None, repr=False)
    quantiles: tuple[float, ...] = field(default=(), repr=False)

    @property
    def values(self) -> int:
        """Rows that have a value."""
        return self.rows - self.nulls

    @property
    def categories(self) -> int:
        """Different values, NULL among them."""
        return self.distinct + (self.nulls > 0)

    @property
    def type(self) -> dict[str, str] | None:
        """The `type:` that a spec needs so that the values are read as their kind."""
        return {"decimal": ","} if self.decimal_mark == "," else None

    @property
    def unique_rows(self) -> float:
        """Share of the rows with a unique value."""
        return self.once / self.rows if self.rows else 0.0

    @property
    def unique_values(self) -> float:
        """Share of the distinct values that occur once."""
        return self.once / self.distinct if self.distinct else 0.0

    @property
    def relative_entropy(self) -> float:
        """The entropy as a share of its maximum, which is reached when every value is unique."""
        return self.entropy / log2(self.values) if self.values > 1 else 0.0

    def to_mapping(self) -> dict[str, Any]:
        """Return the figures as JSON-ready data."""
        kept = asdict(self) | {"kind": self.kind.value}
        for inner in ("pattern", "quantiles", "stored_as_text", "coded", "harmless", "rarest", "days"):
            del kept[inner]
        return kept | {
            "unique_rows": self.unique_rows,
            "unique_values": self.unique_values,
            "relative_entropy": self.relative_entropy,
        }


@dataclass(frozen=True, slots=True)
class TableProfile:
    """The figures of each column of a table.

    Attributes
    ----------
    name
        The file's name, or the kind of frame.
    rows
        Number of rows of the table.
    sampled_rows
        Number of rows in the sample, if not all rows were read.
    columns
        The profile of each column by name, in the order of the table.
    """

    name: str
    rows: int
    sampled_rows: int | None
    columns: Mapping[str, ColumnProfile]

    def __getitem__(self, name: str) -> ColumnProfile:
        return self.columns[name]


def profile(
    data: object,
    *,
    input: InputFormat = InputFormat(),  # noqa: B008 (frozen)
    listener: Listener | None = None,
) -> TableProfile:
    """Profile each column of a table.

    Parameters
    ----------
    data
        The path of a file, or a data frame: whatever `anonymize` accepts.
    input
        Format of a CSV file (detected by default).
    listener
        Receives an event for each step.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = {"age": ["31", "33", "31", "?", "35", "38"], "sex": ["F", "M", None, "F", "M", None]}
    >>> found = profile(pa.table(people))
    >>> found["age"].kind.value, round(found["age"].fits, 3), found["age"].distinct, found["age"].once
    ('integer', 0.833, 5, 4)
    >>> found["sex"].nulls, found["sex"].entropy
    (2, 1.0)
    """
    with open_table(data, input) as table:
        return profile_table(table, listener)


def profile_table(table: Table, listener: Listener | None = None) -> TableProfile:
    """Profile an open table."""
    report = listener or _ignore
    counted = _counts(table) if table.sampled else {}
    columns = {}
    for number, name in enumerate(table.columns, start=1):
        report(StepStarted(f"column {number:,} of {len(table.columns):,}"))
        columns[name] = _column(table, name, counted.get(name))
    return TableProfile(table.name, table.rows, table.loaded if table.sampled else None, columns)


def _ignore(event: object) -> None:
    pass


def _counts(table: Table) -> dict[str, tuple[int, int]]:
    """Return the number of values and the estimated number of distinct values of each column, in one pass."""
    figures = ", ".join(
        f"count({column}), approx_count_distinct({column})" for column in table.columns.values()
    )
    found = table.fetch_row_of_all(f"SELECT {figures} FROM {{table}}")
    return dict(zip(table.columns, zip(found[::2], found[1::2], strict=True), strict=True))


def _column(table: Table, name: str, counted: tuple[int, int] | None) -> ColumnProfile:
    stored = table.types[name]
    kind = kind_of_type(stored)
    # Conditions on `value` need text.
    counts = (
        f"WITH counts AS (SELECT {table.columns[name]} AS raw, count(*) AS n FROM {{table}} "
        "WHERE raw IS NOT NULL GROUP BY raw), "
        "texts AS (SELECT raw, CAST(raw AS VARCHAR) AS value, n FROM counts)"
    )
    # Surrounding spaces stay: `null-values` would have to list the text with them.
    null_like = f"list((value, n) ORDER BY n DESC, value) FILTER ({LOOKS_LIKE_NULL})"
    if kind is not Kind.TEXT:
        null_like = "NULL"
    values, distinct, once, weighted, shortest, longest, mean_length, rarest, drawn, nulls = table.fetch_row(
        f"{counts} SELECT coalesce(sum(n), 0)::BIGINT, count(*), count(*) FILTER (n = 1), sum(n * log2(n)), "
        "coalesce(min(length(value)), 0), coalesce(max(length(value)), 0), "
        f"coalesce(sum(n * length(value)) / sum(n), 0), coalesce(min(n), 0), "
        f"arg_min(value, hash(value), {_DRAWN}), "
        f"{null_like} FROM texts"
    )
    drawn = [value for value in drawn or [] if value is not None]
    entropy = max(0.0, log2(values) - float(weighted) / values) if values else 0.0
    reading = reading_of(drawn) if kind is Kind.TEXT else None
    pattern = None if kind is Kind.OTHER else pattern_of(drawn)
    looks_like = None if pattern is None else pattern.what
    fits = 1.0
    quantiles: tuple[float, ...] = ()
    if reading is not None and values:
        fits, quantiles = _read(table, table.columns[name], counts, reading, values)
        kind = reading.kind
        if reading.decimal_mark == ",":
            looks_like = looks_like or DECIMAL_COMMAS
            if fits < 1:  # the spec cannot declare the type then, so the values stay text
                reading, kind, fits, quantiles = None, Kind.TEXT, 1.0, ()
    elif kind in (Kind.INTEGER, Kind.DECIMAL) and values:
        number = Reading(kind, "true", "CAST(raw AS DOUBLE)")
        fits, quantiles = _read(table, table.columns[name], counts, number, values)
        if kind is Kind.DECIMAL and _is_whole(table, counts):
            kind = Kind.INTEGER  # pandas turns integers into floats where some are missing
    elif kind is Kind.TEXT and are_commas_unclear(drawn):
        looks_like = looks_like or UNCLEAR_COMMAS
    scale = table.rows / table.loaded if table.sampled else 1
    if counted is not None:
        values, distinct = counted
    return ColumnProfile(
        name=name,
        kind=kind,
        rows=table.rows,
        nulls=table.rows - values,
        distinct=distinct,
        once=min(distinct, round(once * scale)) if distinct else 0,
        entropy=entropy,
        shortest=shortest,
        longest=longest,
        mean_length=float(mean_length),
        fits=fits,
        format=reading.format if reading else None,
        other_format=reading.other_format if reading else None,
        decimal_mark=reading.decimal_mark if reading and reading.number else None,
        null_like={text: round(rows * scale) for text, rows in nulls or ()},
        looks_like=looks_like,
        leading_zeros=_are_codes(drawn),
        zoned=kind is Kind.TIMESTAMP and any(map(_OFFSET.search, drawn)),
        exact=not table.sampled,
        stored_as_text=stored == "VARCHAR",
        coded=kind is Kind.TEXT and are_codes(drawn),
        harmless=kind is Kind.TEXT and distinct == len(drawn) and are_categories(drawn, name),
        days=kind is Kind.TEXT and sum(map(may_be_a_day, drawn)) > SOME * len(drawn),
        rarest=rarest,
        pattern=pattern,
        quantiles=quantiles,
    )


def _read(
    table: Table, column: str, counts: str, reading: Reading, values: int
) -> tuple[float, tuple[float, ...]]:
    """Return the share of the rows whose value the reading fits, and some quantiles of numbers."""
    if reading.number is None:
        (fitting,) = table.fetch_row(
            f"{counts} SELECT coalesce(sum(n) FILTER ({reading.condition}), 0)::BIGINT FROM texts"
        )
        return fitting / values, ()
    fitting, quantiles = table.fetch_row(
        f"WITH texts AS (SELECT {column} AS raw, CAST(raw AS VARCHAR) AS value FROM {{table}}), "
        f"numbers AS (SELECT CASE WHEN {reading.condition} THEN {reading.number} END AS number FROM texts) "
        f"SELECT count(number), quantile_cont(number, {list(_QUANTILES)}) FILTER (isfinite(number)) "
        "FROM numbers"
    )
    return fitting / values, tuple(quantiles or ())


def _is_whole(table: Table, counts: str) -> bool:
    (others,) = table.fetch_row(f"{counts} SELECT count(*) FILTER (raw != floor(raw)) FROM counts")
    return bool(others == 0)


def _are_codes(drawn: list[str]) -> bool:
    digits = [value for value in drawn if value.isascii() and value.isdigit()]
    zeros = sum(len(value) > 1 and value.startswith("0") for value in digits)
    return len(digits) > 0.8 * len(drawn) and zeros > 0.01 * len(digits)
