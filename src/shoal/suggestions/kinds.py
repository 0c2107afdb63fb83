"""The kind of a text column's values: numbers, dates in some format, truth values, or just text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa

from shoal.read.date_format import DateFormat

MOST = 0.8
"""Share of some drawn values that must be of a kind before all values are checked."""
_FIRST = 20


class Kind(StrEnum):
    """The kind of a column's values."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"
    OTHER = "other"
    """Lists, structures, bytes: they cannot be generalized."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A way to read text.

    Attributes
    ----------
    condition
        SQL that is true of a `value` that the reading fits.
    number
        SQL for the number that a `value` is.
    format
        Format of dates: see `DateFormat`.
    other_format
        Another format that fits as well: days and months are sometimes ambiguous.
    decimal_mark
        Decimal mark of numbers.
    """

    kind: Kind
    condition: str
    number: str | None = None
    format: str | None = None
    other_format: str | None = None
    decimal_mark: str = "."


INTEGER = r"[+-]?[0-9]{1,18}"
DECIMAL = r"[+-]?([0-9]{1,18}\.?[0-9]{0,18}|\.[0-9]{1,18})([eE][+-]?[0-9]{1,2})?"
DECIMAL_COMMA = r"[+-]?([0-9]{1,18}|[1-9][0-9]{0,2}(\.[0-9]{3}){1,5})(,[0-9]{1,18})?"
_THOUSANDS = r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+"
_SMALL = r"[+-]?[0-9]{1,3}"
_SURE = 0.05
"""Share of the commas that must be decimal marks because they cannot separate thousands."""
_CODE = r"0[0-9]+"
_TRUTH = (
    {"true", "false"},
    {"t", "f"},
    {"yes", "no"},
    {"y", "n"},
    {"ja", "nein"},
    {"oui", "non"},
    {"si", "no"},
)
_TIMESTAMP = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?"
)

# Pattern of a date -> its possible formats, the likelier first.
_FORMATS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", ("%Y-%m-%d",)),
    (r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}", ("%Y/%m/%d",)),
    (r"[0-9]{4}\.[0-9]{1,2}\.[0-9]{1,2}", ("%Y.%m.%d",)),
    (r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}", ("%d.%m.%Y",)),
    (r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2}", ("%d.%m.%y",)),
    (r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}", ("%m/%d/%Y", "%d/%m/%Y")),
    (r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}", ("%m/%d/%y", "%d/%m/%y")),
    (r"[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}", ("%d-%m-%Y", "%m-%d-%Y")),
    (r"[0-9]{4}-[0-9]{2}", ("%Y-%m",)),
    (r"(19|20)[0-9]{6}", ("%Y%m%d",)),
    (r"[0-9]{1,2} [A-Za-z]{3} [0-9]{4}", ("%d %b %Y",)),
    (r"[0-9]{1,2}-[A-Za-z]{3}-[0-9]{4}", ("%d-%b-%Y",)),
    (r"[0-9]{1,2}-[A-Za-z]{3}-[0-9]{2}", ("%d-%b-%y",)),
    (r"[0-9]{1,2} [A-Za-z]{4,9} [0-9]{4}", ("%d %B %Y",)),
    (r"[A-Za-z]{3} [0-9]{1,2}, [0-9]{4}", ("%b %d, %Y",)),
)
_CLOCK = ((r"[ T][0-9]{2}:[0-9]{2}:[0-9]{2}", "%H:%M:%S"), (r"[ T][0-9]{2}:[0-9]{2}", "%H:%M"))


def reading_of(values: Sequence[str]) -> Reading | None:
    """Return the reading that fits most of some values of a text column, or None if they are just text.

    Numbers with leading zeros are codes, not numbers.

    Examples
    --------
    >>> reading_of(["31", "42", "?", "17", "8", "24"]).kind.value, reading_of(["01234", "53711"])
    ('integer', None)
    >>> reading_of(["31.12.1999", "01.02.2003"]).format
    '%d.%m.%Y'
    >>> reading_of(["1/2/2003", "3/4/2003"]).other_format
    '%d/%m/%Y'
    >>> reading_of(["1.288,15", "7,5"]).decimal_mark, reading_of(["1,288", "7,500"])
    (',', None)
    """
    return next(_readings(values), None) if values else None


def are_commas_unclear(values: Sequence[str]) -> bool:
    """Return whether most values are numbers whose commas may be decimal marks or thousands separators.

    Examples
    --------
    >>> are_commas_unclear(["1,288", "7,500", "12"]), are_commas_unclear(["7,5", "1,25"])
    (True, False)
    >>> are_commas_unclear(["12", "7"])
    False
    """
    if not any("," in value for value in values) or _are_decimal_commas(values):
        return False
    return _share(values, f"{_THOUSANDS}|{_SMALL}") >= MOST


def _readings(values: Sequence[str]) -> Iterator[Reading]:
    if any({value.lower() for value in values} <= pair for pair in _TRUTH):
        yield Reading(Kind.BOOLEAN, "true")
    yield from _dates(values)
    if _share(values, _CODE) > 0.01 and _share(values, r"[0-9]+") > MOST:
        return
    number = "TRY_CAST(value AS DOUBLE)"
    if _are_decimal_commas(values):
        number = "TRY_CAST(replace(replace(value, '.', ''), ',', '.') AS DOUBLE)"
        yield Reading(Kind.DECIMAL, _matches(DECIMAL_COMMA), number, decimal_mark=",")
        return
    if _share(values, INTEGER) >= MOST:
        yield Reading(Kind.INTEGER, _matches(INTEGER), number)
    if _share(values, DECIMAL) >= MOST:
        yield Reading(Kind.DECIMAL, _matches(DECIMAL), number)
    if _share(values, _TIMESTAMP) >= MOST:
        yield Reading(Kind.TIMESTAMP, _matches(_TIMESTAMP))


def _are_decimal_commas(values: Sequence[str]) -> bool:
    """Return whether values are numbers with a decimal comma, the reading that fits most of them."""
    fitting = _share(values, DECIMAL_COMMA)
    if fitting < MOST or fitting <= _share(values, DECIMAL):
        return False
    is_number, is_in_thousands = re.compile(DECIMAL_COMMA).fullmatch, re.compile(_THOUSANDS).fullmatch
    commas = [value for value in values if "," in value and is_number(value)]
    sure = sum(is_in_thousands(value) is None for value in commas)
    return sure >= max(1, _SURE * len(commas))


def _dates(values: Sequence[str]) -> Iterator[Reading]:
    for look, formats in _FORMATS:
        if _share(values, look) >= MOST:
            fitting = [each for each in formats if _parse_share(values, each) >= MOST]
            # Take the format that fits the most values; of equals the likelier.
            fitting.sort(key=lambda each: -_parse_share(values, each))
            if fitting:
                best = fitting[0]
                other = next((each for each in fitting[1:] if _parse_share(values, each) == 1), None)
                yield Reading(Kind.DATE, _parses(best), format=best, other_format=other)
        for clock_look, clock in _CLOCK:
            if look.startswith("[0-9]{4}-") or _share(values, look + clock_look) < MOST:
                continue  # ISO 8601 needs no format
            between = "T" if "T" in values[0] else " "
            shares = {each: _parse_share(values, f"{each}{between}{clock}") for each in formats}
            best = max(formats, key=lambda each: shares[each])
            if shares[best] >= MOST:
                written = f"{best}{between}{clock}"
                yield Reading(Kind.TIMESTAMP, _parses(written), format=written)


def _share(values: Sequence[str], pattern: str) -> float:
    matches = re.compile(pattern).fullmatch
    if not any(map(matches, values[:_FIRST])):
        return 0.0  # the first few settle it for most patterns
    return sum(matches(value) is not None for value in values) / len(values)


def _parse_share(values: Sequence[str], written: str) -> float:
    return float(DateFormat(written).read(pa.array(values, pa.string())).known.mean())


def _matches(pattern: str) -> str:
    return f"regexp_full_match(value, '{pattern}')"


def _parses(written: str) -> str:
    return f"try_strptime(value, '{written}') IS NOT NULL"


def kind_of_type(stored: str) -> Kind:
    """Return the kind of a column by its DuckDB type.

    Examples
    --------
    >>> kind_of_type("BIGINT").value, kind_of_type("DECIMAL(10,2)").value, kind_of_type("INTEGER[]").value
    ('integer', 'decimal', 'other')
    """
    if stored.endswith("]") or stored.startswith(("STRUCT", "MAP", "UNION")):
        return Kind.OTHER
    base = stored.partition("(")[0]
    if base.endswith("INT") or base in ("INTEGER", "UINTEGER"):
        return Kind.INTEGER
    if base in ("FLOAT", "DOUBLE", "DECIMAL"):
        return Kind.DECIMAL
    if base.startswith("TIMESTAMP"):
        return Kind.TIMESTAMP
    known = {"DATE": Kind.DATE, "BOOLEAN": Kind.BOOLEAN, "VARCHAR": Kind.TEXT, "UUID": Kind.TEXT}
    return known.get(base, Kind.TEXT if base.startswith(("TIME", "ENUM")) else Kind.OTHER)
