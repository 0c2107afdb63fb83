"""Types of PostgreSQL beside those of Arrow and Ibis, and the form in which values are compared.

Two cells are one value if Arrow says so. So text is compared byte by byte, whatever its collation; what Arrow
has no type for is its text; and -0.0 is 0.0.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

_DIGITS = 38
"""Decimals of more digits are not exact in Arrow."""

_INT2, _INT4, _INT8, _FLOAT4, _FLOAT8, _BOOL = 21, 23, 20, 700, 701, 16
_DATE, _TIMESTAMP, _TIMESTAMPTZ, _NUMERIC = 1082, 1114, 1184, 1700
_TEXTS = (25, 1043)  # text, varchar

_PLAIN = {
    _INT2: ("int16", pa.int16()),
    _INT4: ("int32", pa.int32()),
    _INT8: ("int64", pa.int64()),
    _FLOAT4: ("float32", pa.float32()),
    _FLOAT8: ("float64", pa.float64()),
    _BOOL: ("boolean", pa.bool_()),
    _DATE: ("date", pa.date32()),
    _TIMESTAMP: ("timestamp(6)", pa.timestamp("us")),
    _TIMESTAMPTZ: ("timestamp('UTC', 6)", pa.timestamp("us", "UTC")),
}


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result, as the server describes it.

    Attributes
    ----------
    oid, modifier
        Its type: the number that it has in every server, and what stands in parentheses after its name.
    """

    name: str
    oid: int
    modifier: int

    @property
    def text(self) -> bool:
        """Whether it is text, or becomes text as it has no type in Arrow."""
        return self.oid not in _PLAIN and self._digits is None

    @property
    def whole(self) -> bool:
        """Whether it is a number of any size, such as the sum of a bigint."""
        return self.oid == _NUMERIC and self._digits is None

    @property
    def collated(self) -> bool:
        """Whether its values have an order of some language."""
        return self.oid in _TEXTS

    @property
    def ibis(self) -> str:
        """Its type as Ibis calls it."""
        if self._digits is not None:
            return "decimal({}, {})".format(*self._digits)
        return _PLAIN[self.oid][0] if self.oid in _PLAIN else "string"

    @property
    def arrow(self) -> pa.DataType:
        """Its type in Arrow."""
        if self._digits is not None:
            return pa.decimal128(*self._digits)
        return _PLAIN[self.oid][1] if self.oid in _PLAIN else pa.string()

    def settled(self, sql: str) -> str:
        """Return SQL for its values in a form whose equality is that of Arrow.

        Examples
        --------
        >>> ResultColumn("age", 23, -1).settled("age"), ResultColumn("height", 701, -1).settled("height")
        ('age', 'height + 0')
        >>> ResultColumn("id", 2950, -1).settled("id")
        'id::text COLLATE "C"'
        """
        if self.oid == _FLOAT4:
            return f"{sql} + 0::real"  # not of another type
        if self.oid == _FLOAT8:
            return f"{sql} + 0"
        if self.whole:
            return f'trim_scale({sql})::text COLLATE "C"'
        return f'{sql}::text COLLATE "C"' if self.text else sql

    def copied(self, sql: str) -> str:
        """Return SQL for its values whose text in a COPY does not depend on settings of the user."""
        return f"{sql} AT TIME ZONE 'UTC'" if self.oid == _TIMESTAMPTZ else sql

    @property
    def _digits(self) -> tuple[int, int] | None:
        """Digits of a decimal, and those after the point."""
        if self.oid != _NUMERIC or self.modifier < 4:
            return None
        precision, scale = (self.modifier - 4) >> 16, (self.modifier - 4) & 0x7FF
        return (precision, scale) if scale <= precision <= _DIGITS else None


def sql_type(kind: pa.DataType) -> str:
    """Return the type of a column of PostgreSQL that holds the values of an Arrow type.

    Examples
    --------
    >>> sql_type(pa.uint32()), sql_type(pa.decimal128(9, 2)), sql_type(pa.string())
    ('bigint', 'numeric(9, 2)', 'text COLLATE "C"')
    """
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamptz" if kind.tz else "timestamp"
    return _SQL.get(kind, 'text COLLATE "C"')


_SQL = {
    pa.bool_(): "boolean",
    pa.int8(): "smallint",
    pa.uint8(): "smallint",
    pa.int16(): "smallint",
    pa.uint16(): "integer",
    pa.int32(): "integer",
    pa.uint32(): "bigint",
    pa.int64(): "bigint",
    pa.uint64(): "bigint",
    pa.float32(): "real",
    pa.float64(): "double precision",
    pa.date32(): "date",
}
