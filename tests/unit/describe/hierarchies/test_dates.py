"""Dates are in the units in which the calendar has them; Python's own calendar says which."""

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.describe.hierarchies.dates import Dates, dates
from shoal.describe.hierarchy import HierarchyError, check_nested
from shoal.errors import InputError

UNITS = ("day", "month", "quarter", "year", "decade")


def named(day: date, unit: str) -> str:
    year, week, _ = day.isocalendar()
    return {
        "day": day.isoformat(),
        "week": f"{year:04d}-W{week:02d}",
        "month": f"{day.year:04d}-{day.month:02d}",
        "quarter": f"{day.year:04d}-Q{(day.month - 1) // 3 + 1}",
        "year": f"{day.year:04d}",
        "decade": f"{day.year:04d}"[:3] + "0s",
    }[unit]


def expect(hierarchy, values, days):
    levels = hierarchy.levels(values)
    assert check_nested(levels.labels) == []
    assert levels.labels[0] is values
    for level, unit in enumerate(hierarchy.units, start=1):
        assert levels.labels[level].to_pylist() == [named(day, unit) for day in days]
    assert set(levels.labels[-1].to_pylist()) <= {"*"}
    assert hierarchy.knows(values).to_pylist() == [True] * len(values)


def labels(hierarchy, values, level=1):
    return hierarchy.levels(values).labels[level].to_pylist()


def in_unit(times, unit, zone=None):
    """Return times cut to a unit. Arrow's cast would cut towards 1970: before it, to a later day."""
    whole = {"s": "second", "ms": "millisecond", "us": "microsecond", "ns": "nanosecond"}[unit]
    values = pc.floor_temporal(pa.array(times, pa.timestamp("us")), unit=whole)
    return values.cast(pa.timestamp(unit, zone), safe=False)


@given(st.lists(st.dates(), unique=True))
def test_days_of_every_type(days):
    for hierarchy in (dates(*UNITS), dates("day", "week")):
        expect(hierarchy, pa.array(days, pa.date32()), days)
        expect(hierarchy, pa.array(days, pa.date64()), days)
        expect(hierarchy, pa.array(days, pa.date32()).cast(pa.timestamp("ms")), days)
        expect(hierarchy, pa.array([day.isoformat() for day in days], pa.string()), days)
        expect(hierarchy, pa.array([day.isoformat() for day in days], pa.large_string()), days)


@given(st.lists(st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1)), unique=True))
@example([datetime(1969, 1, 1, 23, 59, 59, 1)])
def test_times_of_every_unit(times):
    days = [time.date() for time in times]
    for unit in ("s", "ms", "us", "ns"):
        expect(dates(*UNITS), in_unit(times, unit), days)
    expect(dates(*UNITS), pa.array([time.isoformat() for time in times], pa.string()), days)
    expect(dates(*UNITS), pa.array([time.isoformat(" ", "minutes") for time in times], pa.string()), days)


@given(
    st.lists(st.datetimes(datetime(1900, 1, 1), datetime(2037, 1, 1)), unique=True),
    st.integers(-14 * 60, 14 * 60),
    st.sampled_from(["Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "UTC"]),
)
def test_moments_are_on_the_day_of_the_zone(times, minutes, zone):
    place, elsewhere = ZoneInfo(zone), timezone(timedelta(minutes=minutes))
    moments = [time.replace(tzinfo=UTC) for time in times]
    days = [moment.astimezone(place).date() for moment in moments]
    hierarchy = dates(*UNITS, zone=zone)
    for unit in ("s", "us", "ns"):
        expect(hierarchy, in_unit(times, unit, "UTC"), days)
    expect(
        hierarchy,
        pa.array([moment.astimezone(elsewhere).isoformat() for moment in moments], pa.string()),
        days,
    )


@given(
    st.lists(
        st.datetimes(datetime(1969, 1, 1), datetime(2068, 12, 31)).map(lambda t: t.replace(microsecond=0))
    ),
    st.sampled_from(
        [
            "%d.%m.%Y",
            "%m/%d/%y",
            "%Y%m%d",
            "%d %B %Y",
            "%A, %b %d, %Y",
            "%Y%m%d%H%M%S",
            "%I:%M:%S %p on %d.%m.%Y",
            "%d/%b/%Y:%H:%M",
            "%d.%m.%Y um %H Uhr (%%)",
        ]
    ),
)
def test_formats_are_read_as_python_reads_them(times, form):
    texts = list(dict.fromkeys(time.strftime(form) for time in times))
    days = [datetime.strptime(text, form).date() for text in texts]
    expect(dates(*UNITS, format=form), pa.array(texts, pa.string()), days)
    expect(dates(*UNITS, format=form), pa.array([text.upper() for text in texts], pa.string()), days)


def test_formats_with_offsets():
    values = pa.array(["16.11.2026 23:30 +0000", "16.11.2026 23:30 -05:00", "16.11.2026 23:30 Z"])
    hierarchy = dates("day", format="%d.%m.%Y %H:%M %z", zone="Europe/Berlin")
    assert labels(hierarchy, values) == ["2026-11-17", "2026-11-17", "2026-11-17"]


def test_formats_without_a_day_or_a_month():
    assert [level[0].as_py() for level in dates(format="%m/%Y").levels(pa.array(["11/2026"])).labels] == [
        "11/2026",
        "2026-Q4",
        "2026",
        "2020s",
        "*",
    ]
    assert labels(dates(format="%Y"), pa.array([2026, 1999])) == ["2020s", "1990s"]
    with pytest.raises(InputError, match="does not contain the week"):
        dates("week", format="%m/%Y")
    with pytest.raises(InputError, match="does not contain the month"):
        dates("month", format="%Y")


def test_integers_that_are_dates():
    assert labels(dates("month", format="%Y%m%d"), pa.array([20261116])) == ["2026-11"]
    with pytest.raises(HierarchyError, match="give a format, for example %Y%m%d"):
        dates("month").levels(pa.array([20261116]))


def test_usual_levels_by_type():
    at = pa.array([datetime(2026, 11, 16, 12)])
    assert len(dates().levels(at).labels) == 7
    assert labels(dates(), at) == ["2026-11-16"]
    assert labels(dates(), at.cast(pa.date32())) == ["2026-11"]
    assert labels(dates(), pa.array(["2026-11-16"])) == ["2026-11"]
    assert labels(dates(), pa.array(["2026-11-16", "2026-11-16T12:00"])) == ["2026-11-16", "2026-11-16"]
    assert labels(dates(format="%d.%m.%Y %H:%M"), pa.array(["16.11.2026 12:00"])) == ["2026-11-16"]


def test_the_ends_of_the_calendar():
    days = np.array(["0000-01-01", "0000-02-29", "0001-01-01", "1969-12-31", "9999-12-31"], "M8[D]")
    values = pa.array(days.astype(np.int32), pa.int32()).cast(pa.date32())
    assert labels(dates("day"), values) == days.astype(str).tolist()
    assert labels(dates("day"), pa.array(days.astype(str).tolist())) == days.astype(str).tolist()
    assert labels(dates("decade"), values) == ["0000s", "0000s", "0000s", "1960s", "9990s"]
    assert labels(dates("week"), values) == ["-0001-W52", "0000-W09", "0001-W01", "1970-W01", "9999-W52"]


def test_what_is_beyond_them_is_not_known():
    for values in (
        pa.array([0, 2932897, -719529, 2**31 - 1, -(2**31)], pa.date32()),
        pa.array([0, 253402300800, -62167219201, 2**63 - 1, -(2**63)], pa.timestamp("s")),
        pa.array([0, 253402300800, -62167219201, 2**63 - 1, -(2**63)], pa.timestamp("s", "UTC")),
    ):
        hierarchy = dates("year", zone="UTC")
        assert hierarchy.knows(values).to_pylist() == [True, False, False, False, False]
        with pytest.raises(HierarchyError, match="4 other values"):
            hierarchy.levels(values)
    ends = pa.array([2**63 - 1, -(2**63) + 1], pa.timestamp("ns", "UTC"))
    assert labels(dates("day", zone="Asia/Tokyo"), ends) == ["2262-04-12", "1677-09-21"]
    new_year = pa.array(["9999-12-31T23:30:00Z"])
    assert dates("year", zone="Europe/Berlin").knows(new_year).to_pylist() == [False]


def test_text_that_is_no_date():
    good = [
        "2024-02-29",
        " 2024-02-29 ",
        "2024-02-29T23:59:60",
        "2024-02-29 10:00:00,5",
        "2024-02-29T10:00:00.123456789",
    ]
    bad = [
        "2023-02-29",
        "2024-13-01",
        "2024-00-10",
        "2024-04-31",
        "24-01-01",
        "2024-1-1",
        "2024-02-29T",
        "2024-02-29T24:00",
        "2024-02-29T10",
        "2024-02-29x",
        "20240229",
        "29.02.2024",
        "?",
        "",
    ]
    values = pa.array(good + bad)
    assert dates().knows(values).to_pylist() == [True] * len(good) + [False] * len(bad)
    assert labels(dates("day"), pa.array(good)) == ["2024-02-29"] * len(good)
    with pytest.raises(HierarchyError, match=f"{len(bad)} other values") as caught:
        dates().levels(values)
    assert caught.value.problems[0].values == tuple(bad)
    assert "2023-02-29" not in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([0, 1], pa.timestamp("s", "Europe/Berlin")),
        pa.array(["1970-01-01T00:00:00Z", "1970-01-01T00:00:00+01:00"]),
    ],
    ids=["timestamps", "text"],
)
def test_moments_need_a_zone(values):
    for ask in (dates().levels, dates().knows):
        with pytest.raises(HierarchyError, match="2 values have a time zone or an offset") as caught:
            ask(values)
        assert "zone: Europe/Berlin" in str(caught.value)
        assert len(caught.value.problems[0].values) == 2


def test_what_has_no_zone_stands_as_it_is():
    values = pa.array(["2026-11-16", "2026-11-16T23:30", "2026-11-16T23:30Z"])
    assert labels(dates("day", zone="Asia/Tokyo"), values) == ["2026-11-16", "2026-11-16", "2026-11-17"]
    naive = pa.array([datetime(2026, 11, 16, 23, 30)])
    assert labels(dates("day", zone="Asia/Tokyo"), naive) == ["2026-11-16"]
    assert labels(dates("day", zone="+09:00"), values) == ["2026-11-16", "2026-11-16", "2026-11-17"]


@pytest.mark.parametrize(
    ("units", "words"),
    [
        (("week", "month"), ["month comes after week", "not be nested"]),
        (("week", "day"), ["day comes after week"]),
        (("year", "month"), ["month comes after year"]),
        (("month", "month"), ["month comes after month"]),
        (("yaer", "fortnight"), ["'yaer'", "Did you mean 'year'?", "'fortnight'"]),
        ((3, None), ["Unknown level 3", "Unknown level None"]),
    ],
)
def test_levels_that_are_not_nested(units, words):
    with pytest.raises(InputError) as caught:
        dates(*units)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("%d.%m", "one of %Y and %y"),
        ("%Y %y", "one of %Y and %y"),
        ("%d.%Y", "no month"),
        ("%Y %H", "no day"),
        ("%Y-%m-%d %I", "both %I and %p"),
        ("%Y-%m-%d %p", "both %I and %p"),
        ("%Y %Y", "repeats"),
        ("%m %b %Y", "month twice"),
        ("%Y %Q", "'%Q'"),
        ("%Y %", "'%'"),
        ("", "text such as"),
        (3, "text such as"),
    ],
)
def test_formats_that_are_none(form, words):
    with pytest.raises(InputError) as caught:
        dates(format=form)
    assert words in str(caught.value)


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "", 3])
def test_zones_that_are_none(zone):
    with pytest.raises(InputError, match="Unknown time zone"):
        dates(zone=zone)


def test_everything_wrong_at_once():
    with pytest.raises(InputError) as caught:
        Dates.from_spec({"levels": ["weak", "yer"], "format": "%Q %K", "zone": "Mars"}, Path())
    assert len(caught.value.problems) == 5


@pytest.mark.parametrize(
    "values", [pa.array([True]), pa.array([1.5]), pa.array([b"x"]), pa.array([0], pa.time32("s"))]
)
def test_other_types_are_refused(values):
    for ask in (dates(format="%Y").levels, dates().knows):
        with pytest.raises(HierarchyError, match="dates need dates"):
            ask(values)


def test_forms():
    assert Dates.from_text("") == Dates.from_spec(None, Path()) == dates()
    assert Dates.from_text("month, year") == dates("month", "year")
    assert Dates.from_spec("year", Path()) == dates("year")
    assert dates().to_spec() == "dates"
    assert dates("year").to_spec() == {"dates": ["year"]}
    full = dates("day", "year", format="%d.%m.%Y", zone="Europe/Berlin")
    written = {"levels": ["day", "year"], "format": "%d.%m.%Y", "zone": "Europe/Berlin"}
    assert full.to_spec() == {"dates": written}
    assert Dates.from_spec(written, Path()) == full
    with pytest.raises(InputError, match="Did you mean 'levels'"):
        Dates.from_spec({"level": ["year"]}, Path())


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Sydney", "UTC", "+05:30"])
def test_clocks_change_after_2037_too(zone):
    place = timezone(timedelta(hours=5, minutes=30)) if zone.startswith("+") else ZoneInfo(zone)
    moments = [
        datetime(year, month, 1, hour, 30, tzinfo=UTC)
        for year in (2036, 2037, 2038, 2040, 2400, 9998)
        for month in (1, 4, 7, 10, 12)
        for hour in (3, 13, 21, 22, 23)
    ]
    values = pa.array([moment.strftime("%Y-%m-%dT%H:%MZ") for moment in moments])
    days = [moment.astimezone(place).strftime("%Y-%m-%d") for moment in moments]
    assert dates("day", zone=zone).levels(values).labels[1].to_pylist() == days
