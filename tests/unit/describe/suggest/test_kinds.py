"""What text stands for."""

from __future__ import annotations

import pytest

from shoal.describe.suggest.kinds import Kind, kind_of_type, reading_of


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
