"""What text stands for."""

from __future__ import annotations

import pytest

from shoal.suggestions.kinds import Kind, are_commas_unclear, kind_of_type, reading_of


@pytest.mark.parametrize(
    ("values", "kind", "written"),
    [
        (["1", "22", "-3"], Kind.INTEGER, None),
        (["1.5", "22", ".5", "1e3"], Kind.DECIMAL, None),
        (["true", "False"], Kind.BOOLEAN, None),
        (["yes", "no", "yes"], Kind.BOOLEAN, None),
        (["2024-01-31", "2023-12-01"], Kind.DATE, "%Y-%m-%d"),
        (["31.12.1999", "1.2.2003"], Kind.DATE, "%d.%m.%Y"),
        (["12/31/1999", "1/2/2003"], Kind.DATE, "%m/%d/%Y"),
        (["31/12/1999", "1/2/2003"], Kind.DATE, "%d/%m/%Y"),
        (["1/21/76", "4/13/86"], Kind.DATE, "%m/%d/%y"),
        (["20240131", "19991201"], Kind.DATE, "%Y%m%d"),
        (["2025-03", "2025-12"], Kind.DATE, "%Y-%m"),
        (["2024-01-31 10:00:00", "2024-01-31T10:00:00Z"], Kind.TIMESTAMP, None),
        (["31.01.2024 10:00", "01.02.2024 11:30"], Kind.TIMESTAMP, "%d.%m.%Y %H:%M"),
        (["31/01/2024 10:00", "01/02/2024 11:30"], Kind.TIMESTAMP, "%d/%m/%Y %H:%M"),
        (["01/31/2024 10:00", "01/02/2024 11:30"], Kind.TIMESTAMP, "%m/%d/%Y %H:%M"),
    ],
)
def test_kinds_of_text(values, kind, written):
    found = reading_of(values)
    assert (found.kind, found.format) == (kind, written)


@pytest.mark.parametrize(
    "values",
    [
        [],
        ["a", "b"],
        ["01234", "53711"],
        ["1", "a"],
        ["12-34"],
        ["20", "30", "forty", "fifty"],
        ["", " "],
        ["٣"],
    ],
)
def test_just_text(values):
    assert reading_of(values) is None


@pytest.mark.parametrize(
    "values",
    [
        ["1,70", "1,85"],
        ["1288,15", "1.288,15", "12"],
        ["0,125", "0,250"],
        ["1288,150"],
        ["-3,5", "k.A.", "+2,25", "17", "4"],
        ["1", "2", "3", "4", "5", "6", "7", "8", "9,5"],
    ],
)
def test_decimal_commas(values):
    found = reading_of(values)
    assert (found.kind, found.decimal_mark) == (Kind.DECIMAL, ",")
    assert not are_commas_unclear(values)


@pytest.mark.parametrize(
    ("values", "unclear"),
    [
        (["1,288", "12,500", "7"], True),
        (["1,288", "1,288,150"], True),
        ([*["1,288"] * 30, "1,5"], True),
        (["1,5", "1.5", "2.5", "3,5"], False),
        (["1,2,3", "4,5"], False),
        (["12.88,15", "1.5,2"], False),
        (["Ulm, Bonn", "Rome"], False),
    ],
)
def test_commas_that_are_no_decimal_marks_for_sure(values, unclear):
    assert reading_of(values) is None
    assert are_commas_unclear(values) is unclear


def test_points_alone_are_decimal_marks():
    assert reading_of(["1.288", "2.500"]).decimal_mark == "."
    assert not are_commas_unclear(["1.288", "2.500"])


def test_days_and_months_that_cannot_be_told_apart():
    assert reading_of(["1/2/2003", "3/4/2003"]).other_format == "%d/%m/%Y"
    assert reading_of(["1/13/2003", "3/4/2003"]).other_format is None


@pytest.mark.parametrize(
    ("stored", "kind"),
    [
        ("BIGINT", Kind.INTEGER), ("UTINYINT", Kind.INTEGER), ("HUGEINT", Kind.INTEGER),
        ("DOUBLE", Kind.DECIMAL), ("DECIMAL(18,3)", Kind.DECIMAL),
        ("DATE", Kind.DATE), ("TIMESTAMP WITH TIME ZONE", Kind.TIMESTAMP),
        ("TIMESTAMP_NS", Kind.TIMESTAMP), ("VARCHAR", Kind.TEXT), ("TIME", Kind.TEXT), ("BLOB", Kind.OTHER),
        ("STRUCT(a INTEGER)", Kind.OTHER), ("VARCHAR[]", Kind.OTHER), ("MAP(VARCHAR, INTEGER)", Kind.OTHER),
        ("INTEGER[3]", Kind.OTHER),
    ],
)  # fmt: skip
def test_kinds_of_types(stored, kind):
    assert kind_of_type(stored) is kind
