"""What a label stands for."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.describe.label_cover import Cover, Domain, cover_of


def covered(labels, domain, levels=(), **how) -> list[list[str | None]]:
    """Return the values under each label, in the order of the domain."""
    found = cover_of(pa.array(labels, pa.string()), domain, levels, **how)
    values = [*domain.texts.to_pylist(), *([None] if domain.null else [])]
    by_label = [[] for _ in labels]
    for owner, position in zip(found.owners.tolist(), found.positions.tolist(), strict=True):
        by_label[owner].append(values[position])
    return by_label


def test_values_stand_for_themselves_and_stars_for_everything():
    sexes = Domain.of(pa.array(["F", "M"]), null=True)
    assert covered(["M", None, "*"], sexes) == [["M"], [None], ["F", "M", None]]


def test_null_that_does_not_occur_covers_nothing():
    assert covered([None], Domain.of(pa.array(["F"]))) == [[]]


def test_numbers_are_compared_as_numbers():
    ages = Domain.of(pa.array([19, 20, 34]))
    assert covered(["34.0", "< 20", "[20, 35)"], ages) == [["34"], ["19"], ["20", "34"]]


def test_codes_with_leading_zeros_are_no_numbers():
    assert Domain.of(pa.array(["01234", "12345"])).numbers is None
    assert Domain.of(pa.array(["0", "0.5", "-3", "1e3"])).numbers.tolist() == [0, 0.5, -3, 1000]
    assert Domain.of(pa.array([1, 2]), text=True).numbers is None


def test_dates_by_the_calendar():
    days = Domain.of(pa.array(["1990-01-31", "1990-06-01", "2001-12-31"]))
    assert days.dated
    assert covered(["1990", "1990-06", "2001-Q4", "1990s", "2001-12-31", "1990-W05"], days) == [
        ["1990-01-31", "1990-06-01"],
        ["1990-06-01"],
        ["2001-12-31"],
        ["1990-01-31", "1990-06-01"],
        ["2001-12-31"],
        ["1990-01-31"],
    ]


def test_a_set_with_a_stranger_in_it_is_not_understood():
    jobs = Domain.of(pa.array(["cook", "clerk"]))
    found = cover_of(pa.array(["{cook, clerk}", "{cook, judge}", "staff"]), jobs)
    assert found.unknown.tolist() == [False, True, True]
    assert found.counts.tolist() == [2, 2, 2]


def test_a_hierarchy_says_more_than_a_form():
    numbers = Domain.of(pa.array([45, 50, 54, 70]))
    tens = pa.array(["50", "50", "50", "70"])
    assert covered(["50", "70"], numbers, [tens]) == [["45", "50", "54"], ["70"]]
    assert covered(["50", "70"], numbers) == [["50"], ["70"]]
    assert covered(["50", "70"], numbers, [tens], values_first=True) == [["50"], ["70"]]


def test_a_label_of_several_levels_covers_what_any_of_them_says():
    positions = Domain.of(pa.array(["Rome", "Oslo", "Kyoto"]))
    levels = [pa.array(["Rome", "Oslo", "Kyoto"]), pa.array(["Europe", "Europe", "Kyoto"])]
    assert covered(["Europe", "Kyoto"], positions, levels) == [["Rome", "Oslo"], ["Kyoto"]]


def test_without_labels_or_values():
    assert covered([], Domain.of(pa.array(["F"]))) == []
    assert cover_of(pa.array(["x"]), Domain.of(pa.array([], pa.string()))).counts.tolist() == [0]


def test_shares_and_sums():
    cover = Cover.of(np.array([0, 0, 0, 1]), np.array([0, 1, 2, 2]), labels=3)
    assert cover.sums(np.array([1, 2, 4])).tolist() == [7, 4, 0]
    assert cover.shares(np.array([0, 0, 1]), 2) == pytest.approx(np.array([[2 / 3, 1 / 3], [0, 1], [0, 0]]))
    assert cover.only(np.array([1])).counts.tolist() == [1]
