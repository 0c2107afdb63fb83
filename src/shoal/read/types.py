"""Column types of a spec, `type:`, and the conversion of values to them.

A value that already has the type stays unchanged. Any other is converted by its text in the form of a
release, without surrounding spaces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Context
from decimal import Decimal as Exact
from typing import ClassVar, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import InputError, nearest
from shoal.read.columns import is_text, text_of
from shoal.read.date_format import DateFormat

_DIGITS = 38
_ALL_DIGITS = Context(prec=76)  # of the largest decimals that Arrow has
_UNITS = ("s", "ms", "us", "ns")
_FIRST, _LAST = np.array(["0001-01-01T00:00:00", "9999-12-31T23:59:59"], "M8[s]").astype(np.int64).tolist()
"""The moments that Python has, in seconds since 1970."""
_ZONE = r"[0-9]{2}:[0-9]{2}.*(Z|[+-][0-9]{2}(:?[0-9]{2})?)$"


class ColumnType(Protocol):
    """A type that a spec can give to a column."""

    name: ClassVar[str]

    @property
    def meaning(self) -> str:
        """Its values, in words."""
        ...

    def keeps(self, kind: pa.DataType) -> bool:
        """Return whether values of an Arrow type already have this type."""
        ...

    def read(self, values: pa.Array) -> pa.Array:
        """Return values without NULL as values of the type, with NULL for those that are not."""
        ...

    def to_spec(self) -> object:
        """Return the value of `type:` in a spec."""
        ...


class _Plain:
    """A type without parameters."""

    __slots__ = ()
    name: ClassVar[str]

    def to_spec(self) -> object:
        return self.name


@dataclass(frozen=True, slots=True)
class Text(_Plain):
    """Text, unchanged and including spaces.

    Examples
    --------
    >>> Text().read(pa.array([34, 7])).to_pylist()
    ['34', '7']
    """

    name: ClassVar[str] = "text"
    meaning: ClassVar[str] = "text"

    def keeps(self, kind: pa.DataType) -> bool:
        return is_text(kind)

    def read(self, values: pa.Array) -> pa.Array:
        try:
            return text_of(values)
        except pa.ArrowException:  # bytes that are not text
            return pa.nulls(len(values), pa.string())


@dataclass(frozen=True, slots=True)
class Integer(_Plain):
    """Whole numbers of 64 bits, signed or, if a value needs it, unsigned.

    Examples
    --------
    >>> Integer().read(pa.array(["034", " -7 ", "34.0", "3.5"])).to_pylist()
    [34, -7, 34, None]
    """

    name: ClassVar[str] = "integer"
    meaning: ClassVar[str] = "whole numbers of 64 bits"

    def keeps(self, kind: pa.DataType) -> bool:
        return bool(pa.types.is_integer(kind))

    def read(self, values: pa.Array) -> pa.Array:
        if pa.types.is_floating(values.type):
            return _cast(values, pa.int64())
        text = _only(_trimmed(values), r"^[+-]?[0-9]+(\.0*)?$")
        text = pc.replace_substring_regex(text, r"^\+|\.0*$", "")
        text = pc.replace_substring_regex(text, r"^(-?)0+([0-9])", r"\1\2")
        try:
            return text.cast(pa.int64())
        except pa.ArrowInvalid:
            pass
        try:
            return text.cast(pa.uint64())
        except pa.ArrowInvalid:
            return _cast(text, pa.int64())


class _Marked:
    """A type of numbers with a decimal mark: a point, or a comma with points as thousands separators."""

    __slots__ = ()
    name: ClassVar[str]
    mark: str

    def __post_init__(self) -> None:
        if self.mark not in (".", ","):
            raise InputError(
                f"The decimal mark of the type {self.name} must be a point or a comma.\n"
                f"Found: {self.mark!r}.\n"
                f'Use `type: {{{self.name}: ","}}`, with the quotes, or `type: {self.name}` for a point.'
            )

    def to_spec(self) -> object:
        return self.name if self.mark == "." else {self.name: self.mark}


@dataclass(frozen=True, slots=True)
class Decimal(_Marked):
    """Exact decimal numbers; all have as many decimals as the number with the most.

    If rows are removed from a release, the released numbers have only as many decimals as they need.

    Examples
    --------
    >>> [str(number) for number in Decimal().read(pa.array(["1000", "0.10", "1e3"])).to_pylist()]
    ['1000.00', '0.10', '1000.00']
    >>> [str(number) for number in Decimal(",").read(pa.array(["1.288,15", "1288,5", "1.5"])).to_pylist()]
    ['1288.15', '1288.50', 'None']
    """

    mark: str = "."
    name: ClassVar[str] = "decimal"

    @property
    def meaning(self) -> str:
        return f"decimal numbers{_like(self.mark)}"

    def keeps(self, kind: pa.DataType) -> bool:
        return bool(pa.types.is_decimal(kind))

    def read(self, values: pa.Array) -> pa.Array:
        written = _with_points(values, self.mark)
        text = _only(written, r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?$")
        numbers = [None if number is None else Exact(number) for number in text.to_pylist()]
        parts = [number.as_tuple() for number in numbers if number]
        decimals = max((-int(part.exponent) for part in parts), default=0)
        whole = max((len(part.digits) + int(part.exponent) for part in parts), default=1)
        digits = max(whole, 0) + max(decimals, 0)
        if digits > _DIGITS:
            raise InputError(
                f"its decimal numbers need {digits:,} digits, {max(decimals, 0):,} of them decimals.\n"
                f"At most {_DIGITS} digits are exact.\nUse `type: float` or `type: text`."
            )
        return pa.array(numbers, pa.decimal128(max(digits, 1), max(decimals, 0)))


@dataclass(frozen=True, slots=True)
class Float(_Marked):
    """Floating-point numbers of 64 bits, the nearest to the text. 0 and -0 are equal, NaN is a value.

    Examples
    --------
    >>> Float().read(pa.array(["1e3", "1000.0", "-0", "nan", "1,5"])).to_pylist()
    [1000.0, 1000.0, 0.0, nan, None]
    >>> Float(",").read(pa.array(["1,5", "1.288", "1.28"])).to_pylist()
    [1.5, 1288.0, None]
    """

    mark: str = "."
    name: ClassVar[str] = "float"

    @property
    def meaning(self) -> str:
        return f"numbers{_like(self.mark)}"

    def keeps(self, kind: pa.DataType) -> bool:
        return bool(pa.types.is_floating(kind))

    def read(self, values: pa.Array) -> pa.Array:
        text = _with_points(values, self.mark)
        infinite = pc.match_substring_regex(text, r"(?i)^[+-]?(inf|infinity|nan)$")
        finite = pc.match_substring_regex(text, r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$")
        numbers = _cast(pc.if_else(pc.or_(infinite, finite), text, None), pa.float64())
        # Numbers too large for a float would become infinite.
        within = pc.or_(infinite, pc.is_finite(numbers))
        return pc.add(pc.if_else(within, numbers, None), 0.0)


_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Boolean(_Plain):
    """Truth values: true, yes or 1, and false, no or 0, in upper or lower case.

    Examples
    --------
    >>> Boolean().read(pa.array(["True", "no", "1", "maybe"])).to_pylist()
    [True, False, True, None]
    """

    name: ClassVar[str] = "boolean"
    meaning: ClassVar[str] = "truth values (true, false, yes, no, 1, 0)"

    def keeps(self, kind: pa.DataType) -> bool:
        return bool(pa.types.is_boolean(kind))

    def read(self, values: pa.Array) -> pa.Array:
        words = pc.utf8_lower(_trimmed(values)).to_pylist()
        return pa.array([_TRUTHS.get(word) for word in words], pa.bool_())


@dataclass(frozen=True, slots=True)
class Date:
    """Days, written as 2026-01-31 or in the given form. A timestamp at midnight without a zone is one too.

    Examples
    --------
    >>> Date("%d.%m.%Y").read(pa.array(["31.1.2026", "31.2.2026"])).cast(pa.string()).to_pylist()
    ['2026-01-31', None]
    """

    format: str | None = None
    name: ClassVar[str] = "date"

    def __post_init__(self) -> None:
        _check_format(self.format, "date")

    @property
    def meaning(self) -> str:
        return "dates" + (" like 2026-01-31" if self.format is None else f" in the form {self.format!r}")

    def keeps(self, kind: pa.DataType) -> bool:
        return bool(pa.types.is_date(kind))

    def read(self, values: pa.Array) -> pa.Array:
        if pa.types.is_timestamp(values.type) and values.type.tz is None:
            return _cast(values, pa.date32())
        if self.format is None:
            return _cast(_only(_trimmed(values), r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), pa.date32())
        return _moments(_trimmed(values), self.format).cast(pa.date32(), safe=False)

    def to_spec(self) -> object:
        return self.name if self.format is None else {self.name: self.format}


@dataclass(frozen=True, slots=True)
class Timestamp:
    """Moments, written as 2026-01-31 12:30:00 (or with T) or in the given form; a date is its midnight.

    With an offset such as Z or +01:00 they are instants, which are kept in UTC. All have one, or none has.

    Examples
    --------
    >>> moments = Timestamp().read(pa.array(["2026-01-31T12:30:00+01:00", "2026-01-31 11:30Z"]))
    >>> moments.cast(pa.string()).to_pylist()
    ['2026-01-31 11:30:00Z', '2026-01-31 11:30:00Z']
    """

    format: str | None = None
    name: ClassVar[str] = "timestamp"

    def __post_init__(self) -> None:
        _check_format(self.format, "timestamp")

    @property
    def meaning(self) -> str:
        if self.format is None:
            return "timestamps like 2026-01-31 12:30:00"
        return f"timestamps in the form {self.format!r}"

    def keeps(self, kind: pa.DataType) -> bool:
        return bool(pa.types.is_timestamp(kind))

    def read(self, values: pa.Array) -> pa.Array:
        if pa.types.is_date(values.type):
            return values.cast(pa.timestamp("s"))
        text = _trimmed(values)
        if self.format is not None:
            return _coarsest(_moments(text, self.format))
        written = _only(text, r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:.*)?$")
        zone = _zone(pc.match_substring_regex(written.drop_null(), _ZONE).to_pylist())
        for unit in _UNITS:
            try:
                return written.cast(pa.timestamp(unit, zone))
            except pa.ArrowInvalid:
                continue
        return _cast(written, pa.timestamp("us", zone))

    def to_spec(self) -> object:
        return self.name if self.format is None else {self.name: self.format}


_TYPES: dict[str, type[Text | Integer | Decimal | Float | Boolean | Date | Timestamp]] = {
    kind.name: kind for kind in (Text, Integer, Decimal, Float, Boolean, Date, Timestamp)
}
NAMES = tuple(_TYPES)


def column_type(written: object) -> ColumnType:
    """Return the type for the value of `type:` in a spec: a name, or a name with its format.

    Examples
    --------
    >>> column_type("integer"), column_type({"date": "%d.%m.%Y"}), column_type({"decimal": ","})
    (Integer(), Date(format='%d.%m.%Y'), Decimal(mark=','))
    """
    if isinstance(written, Text | Integer | Decimal | Float | Boolean | Date | Timestamp):
        return written
    if isinstance(written, Mapping) and len(written) == 1:
        ((name, form),) = written.items()
    else:
        name, form = written, None
    known = ", ".join(NAMES)
    if not isinstance(name, str):
        raise InputError(
            f"A type must be a name, or a name with its format.\nFound: {written!r}.\nKnown: {known}."
        )
    if name not in _TYPES:
        near = nearest(name, NAMES).strip()
        raise InputError(f"{name!r} is not a column type.\nKnown: {known}.\n{near}".rstrip())
    kind = _TYPES[name]
    # In YAML a comma without quotes, `{decimal: ,}`, is nothing.
    if form is None and not (isinstance(written, Mapping) and issubclass(kind, _Marked)):
        return kind()
    if not fields(kind):
        raise InputError(f"The type {name} has no format.\nFound: {form!r}.\nUse `type: {name}`.")
    return kind(form)  # type: ignore[call-arg]


def _trimmed(values: pa.Array) -> pa.Array:
    return pc.utf8_trim(text_of(values), " ")


def with_marks(values: pa.Array, kind: ColumnType) -> pa.Array:
    """Return values as text in the form that a type reads: numbers get its decimal mark, too.

    Examples
    --------
    >>> with_marks(pa.array([1.288]), Decimal(",")).to_pylist(), with_marks(pa.array([7]), Text()).to_pylist()
    (['1,288'], ['7'])
    """
    text = text_of(values)
    if isinstance(kind, _Marked) and kind.mark != "." and not is_text(values.type):
        return pc.replace_substring(text, ".", kind.mark)
    return text


def _like(mark: str) -> str:
    return "" if mark == "." else " with a decimal comma, like 1288,15 or 1.288,15"


def _with_points(values: pa.Array, mark: str) -> pa.Array:
    """Return numbers as text with decimal points, with NULL for wrong decimal marks.

    Numbers that are not text have points, whatever the mark of a text would be.
    """
    text = _trimmed(values)
    if mark == "." or not is_text(values.type):
        return text
    # Neither a zero nor a fraction before an exponent is a group of thousands: these are points.
    text = _only(text, r"^([^.]*|[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]*)?)$")
    return pc.replace_substring(pc.replace_substring(text, ".", ""), ",", ".")


def _only(text: pa.Array, pattern: str) -> pa.Array:
    """Return the text that matches a pattern, with NULL for the rest."""
    return pc.if_else(pc.match_substring_regex(text, pattern), text, pa.scalar(None, text.type))


def _cast(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return values in an Arrow type, with NULL for those that do not fit."""
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        fits = pa.array([_fits(value, kind) for value in values])
        return pc.if_else(fits, values, pa.scalar(None, values.type)).cast(kind)


def _fits(value: pa.Scalar, kind: pa.DataType) -> bool:
    try:
        value.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def narrowest(values: pa.Array) -> pa.Array:
    """Return decimal numbers with no more decimals than they need, timestamps in the coarsest unit, and whole
    numbers with a sign if they fit.

    Their Arrow type was that of all rows of a table, so it would reveal something about suppressed rows.

    Examples
    --------
    >>> narrowest(Decimal().read(pa.array(["1.5", "20", "0.125"]))[:2]).type
    Decimal128Type(decimal128(3, 1))
    """
    if pa.types.is_timestamp(values.type):
        return _coarsest(values)
    if pa.types.is_uint64(values.type):
        largest = pc.max(values).as_py()
        return values if largest is not None and largest >= 2**63 else values.cast(pa.int64())
    if not pa.types.is_decimal(values.type):
        return values
    numbers = [number.normalize(_ALL_DIGITS) for number in values.unique().to_pylist() if number is not None]
    parts = [number.as_tuple() for number in numbers if number]
    decimals = max((-int(part.exponent) for part in parts), default=0)
    whole = max((len(part.digits) + int(part.exponent) for part in parts), default=1)
    digits = max(whole, 0) + max(decimals, 0) or 1
    kind = pa.decimal128 if digits <= _DIGITS else pa.decimal256
    return values.cast(kind(digits, max(decimals, 0)))


def _coarsest(moments: pa.Array) -> pa.Array:
    """Return timestamps in the coarsest unit that fits, so that their text is short."""
    for unit in _UNITS[:2]:
        try:
            return moments.cast(pa.timestamp(unit, moments.type.tz))
        except pa.ArrowInvalid:
            continue
    return moments


def _zone(zoned: Sequence[bool]) -> str | None:
    if any(zoned) and not all(zoned):
        raise InputError(
            f"{sum(zoned):,} of its {len(zoned):,} different timestamps have an offset from UTC, the others "
            "have none.\nThe instants of the others are unknown.\nGive all of them an offset, or none."
        )
    return "UTC" if any(zoned) else None


def _moments(texts: pa.Array, form: str) -> pa.Array:
    """Return texts in a format as timestamps, in UTC if they have offsets, with NULL for other texts.

    Timestamps cannot represent leap seconds and parts of a microsecond.
    """
    written = DateFormat(form)
    found = written.read(texts)
    seconds = found.seconds - found.offset
    fits = found.known & (found.nanoseconds < 10**9) & (found.nanoseconds % 1000 == 0)
    fits &= (seconds >= _FIRST) & (seconds <= _LAST)
    microseconds = pa.array(seconds * 10**6 + found.nanoseconds // 1000, pa.int64(), mask=~fits)
    return microseconds.cast(pa.timestamp("us", "UTC" if "z" in written.parts else None))


def _check_format(form: object, name: str) -> None:
    if form is not None and not (isinstance(form, str) and DateFormat(form).has_day):
        raise InputError(
            f"The format of a {name} must contain day, month and year, each once.\nFound: {form!r}.\n"
            'Use the format of Python, in quotes: "%d.%m.%Y" for 31.1.2026.'
        )
