"""Date formats: what Python's own parser reads, and nothing that it refuses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.read.date_format import DateFormat
from shoal.read.types import Date, Timestamp

FORMATS = (
    "%d.%m.%Y",
    "%m/%d/%y",
    "%Y%m%d",
    "%Y-%j",
    "%y%j",
    "%d %B %Y",
    "%A, %b %d, %Y",
    "%Y%m%d%H%M%S",
    "%I:%M:%S %p on %d.%m.%Y",
    "%d.%m.%Y %H:%M:%S.%f",
    "%d/%b/%Y:%H:%M:%S %z",
    "%Y-%m-%dT%H:%M%z (%%)",
)


def by_python(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


def read(text: str, form: str) -> datetime | None:
    found = DateFormat(form).read(pa.array([text]))
    if not found.known[0]:
        return None
    moment = datetime(1970, 1, 1) + timedelta(
        seconds=int(found.seconds[0]), microseconds=int(found.nanoseconds[0]) // 1000
    )
    offset = timedelta(seconds=int(found.offset[0]))
    return (moment - offset).replace(tzinfo=UTC) if found.zoned[0] else moment


@given(st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31)), st.sampled_from(FORMATS), st.booleans())
def test_what_python_writes_is_read_as_python_reads_it(moment: datetime, form: str, upper: bool) -> None:
    text = moment.replace(tzinfo=UTC).strftime(form)
    assert read(text.upper() if upper else text, form) == by_python(text, form)


@given(
    st.integers(0, 40), st.integers(0, 14), st.integers(1800, 2100), st.sampled_from(["%d.%m.%Y", "%m.%d.%Y"])
)
def test_days_that_do_not_exist_are_none(day: int, month: int, year: int, form: str) -> None:
    for text in (f"{day}.{month}.{year}", f"{day:02}.{month:02}.{year}", f"{day:2}.{month:02}.{year}"):
        assert read(text, form) == by_python(text, form)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("2024-366", "%Y-%j"),
        ("2024-367", "%Y-%j"),
        ("31.1.26", "%d.%m.%Y"),
        ("31.1.2026 ", "%d.%m.%Y"),
        ("31 1\t 2026", "%d %m %Y"),
        ("31.1.2026 24:00", "%d.%m.%Y %H:%M"),
        ("31.1.2026 0:5", "%d.%m.%Y %H:%M"),
        ("31.1.2026 12:00 am", "%d.%m.%Y %I:%M %p"),
        ("31.1.2026 0:00 am", "%d.%m.%Y %I:%M %p"),
        ("1.1.68", "%d.%m.%y"),
        ("1.1.69", "%d.%m.%y"),
        ("30 Sept 2026", "%d %b %Y"),
        ("1 May 2026", "%d %B %Y"),
    ],
)
def test_edges_are_those_of_python(text: str, form: str) -> None:
    assert read(text, form) == by_python(text, form)


def test_the_last_day_of_a_leap_year_is_none_in_others() -> None:
    assert read("2025-366", "%Y-%j") is None  # Python takes it for the first day of 2026


def test_types_and_their_text_are_python_s() -> None:
    texts = [
        "31.01.2026 00:30:00.25 +0100",
        "31.01.2026 00:30:60.0 +0100",
        "x",
        "01.01.0001 00:00:00.0 +0100",
    ]
    form = "%d.%m.%Y %H:%M:%S.%f %z"
    assert Date(form).read(pa.array(texts)).cast(pa.string()).to_pylist() == ["2026-01-30", None, None, None]
    moments = Timestamp(form).read(pa.array(texts))
    assert moments.cast(pa.string()).to_pylist() == ["2026-01-30 23:30:00.250Z", None, None, None]


def test_finer_times_than_a_timestamp_has_are_none() -> None:
    texts = pa.array(["31.01.2026 00:30:00.1234567", "31.01.2026 00:30:00.123456"])
    assert Timestamp("%d.%m.%Y %H:%M:%S.%f").read(texts).is_valid().to_pylist() == [False, True]


@pytest.mark.parametrize(
    "form", ["%c", "%x", "%G-%V-%u", "%Y %j %m", "%Y-%m-%d %I:%M", "%Y-%m-%d %Z", "\ud800%Y"]
)
def test_formats_that_say_too_little_or_depend_on_the_machine_are_refused(form: str) -> None:
    with pytest.raises(InputError):
        DateFormat(form)
