"""Starred and cell-suppression: against the optimum of tiny tables, and what they contain."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.describe.hierarchies.suppress import Suppress
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import PrivacyModel
from shoal.strategies.attribute_suppression import AttributeSuppression
from shoal.strategies.cell_suppression import CellSuppression
from shoal.strategies.cells import CheapestClasses
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.starred import Starred
from shoal.testing.problems import requirements
from shoal.testing.tables import described_tables

from .test_class_strategies import people, score, spec

Rows = list[tuple[Any, ...]]


def partitions(rows: Rows) -> Iterator[list[Rows]]:
    """Every way to put the rows into classes."""
    if not rows:
        yield []
        return
    first, *others = rows
    for classes in partitions(others):
        yield [[first], *classes]
        for number, members in enumerate(classes):
            yield [*classes[:number], [first, *members], *classes[number + 1 :]]


def stars_of(members: Rows) -> int:
    """How many cells are starred if these rows look alike."""
    return len(members) * sum(len(set(column)) > 1 for column in zip(*members, strict=True))


def least_loss(rows: Rows, k: int, limit: int) -> float:
    """The fewest stars that make all rows but `limit` k-anonymous, as a share of the cells."""
    columns = len(rows[0])

    def stars(classes: list[Rows]) -> float:
        small = sum(len(members) for members in classes if len(members) < k)
        kept = sum(stars_of(members) for members in classes if len(members) >= k)
        return kept + small * columns if small <= limit else float("inf")

    return min(map(stars, partitions(rows))) / (len(rows) * columns)


def coded(rows: Rows) -> CodedTable:
    columns = [
        code_column(f"c{number}", pa.array(values).dictionary_encode(), Suppress())
        for number, values in enumerate(zip(*rows, strict=True))
    ]
    return CodedTable(tuple(columns), len(rows))


def test_never_below_the_optimum_and_seldom_far_above() -> None:
    draw = random.Random(8)
    losses = []
    for number in range(24):
        k, limit = 2 + number % 2, number % 3
        rows = [
            tuple(draw.choice(["a", "b", None][: 2 + column % 2]) for column in range(4)) for _ in range(7)
        ]
        optimum = least_loss(rows, k, limit)
        whole, found, starred = (
            score(strategy, coded(rows), (KAnonymity(k),), limit / len(rows))
            for strategy in (AttributeSuppression(), CellSuppression(), Starred())
        )
        # Each column has two levels, so a base above the lowest is a column of stars.
        slack = 1 + 1e-9
        assert optimum <= starred * slack <= found * slack**2 <= whole * slack**3
        losses.append((optimum, found))
    optima, found_losses = (sum(loss) for loss in zip(*losses, strict=True))
    assert found_losses <= 1.2 * optima


@given(described_tables(25, 3), requirements(max_k=4), st.sampled_from([0.0, 0.2]))
def test_a_recoding_never_loses_more_than_one_that_it_contains(
    table: CodedTable, models: tuple[PrivacyModel, ...], limit: float
) -> None:
    kept, full, starred, cells = (
        score(strategy, table, models, limit)
        for strategy in (CellSuppression(), FullDomainSearch(), Starred(), CheapestClasses())
    )
    slack = 1 + 1e-9
    assert starred <= kept * slack or starred == kept
    assert starred <= full * slack or starred == full
    assert cells <= starred * slack or cells == starred


def labels_of_levels(name: str, values: list[Any]) -> list[set[str]]:
    """The labels of each level below that of the stars."""
    if name == "age":
        widths = (1, 5, 10, 20)
        lows = [{value // width * width for value in values} for width in widths]
        return [
            {str(low) if width == 1 else f"[{low}, {low + width})" for low in of_width}
            for width, of_width in zip(widths, lows, strict=True)
        ]
    kept = (5, 4, 3) if name == "zip" else (1,)
    return [{value[:length] + "*" * (len(value) - length) for value in values} for length in kept]


@pytest.mark.parametrize("settings", [{}, {"suppression": 0.1}, {"unit": "patient"}], ids=str)
def test_each_column_has_one_level_and_stars(settings: Any) -> None:
    table = people()
    starred = shoal.anonymize(table, spec(recoding="starred", **settings))
    kept = shoal.anonymize(table, spec(recoding="cell-suppression", **settings))
    assert starred.score < kept.score
    for name in ("age", "zip", "sex"):
        levels = labels_of_levels(name, table[name].to_pylist())
        of_kept, of_starred = (
            {str(label) for label in release.table[name].to_pylist()} for release in (kept, starred)
        )
        assert of_kept <= levels[0] | {"*"}
        assert any(of_starred <= level | {"*"} for level in levels)


def test_the_summary_says_how_many_cells_have_which_level() -> None:
    release = shoal.anonymize(people(), spec(recoding="starred"))
    header, words = release.choice_header, {choice.column: choice.chosen for choice in release.choices()}
    ages = release.table["age"].to_pylist()
    share = sum(age != "*" for age in ages) / len(ages)
    assert header[1] == "Level"
    assert words["age"].endswith(f" of 4 in {share:.0%} of the rows")


def test_limits_of_levels_hold_and_weights_steer() -> None:
    pinned = shoal.anonymize(people(), spec(recoding="starred").adjust(levels={"sex": 0}))
    assert set(pinned.table["sex"].to_pylist()) == {"F", "M"}
    stars = [
        shoal.anonymize(people(), spec(recoding="cell-suppression").adjust(weights={"age": weight}))
        .table["age"]
        .to_pylist()
        .count("*")
        for weight in (0.1, 10.0)
    ]
    assert stars[1] < stars[0]


@pytest.mark.parametrize("recoding", ["starred", "cell-suppression"])
def test_missing_values_are_values(recoding: str) -> None:
    table = people()
    zips = pa.array([None if number % 3 else code for number, code in enumerate(table["zip"].to_pylist())])
    table = table.set_column(1, "zip", zips)
    release = shoal.anonymize(table, spec(recoding=recoding))
    assert release.audit.holds
    assert None in release.table["zip"].to_pylist()


def test_a_measure_that_is_no_sum_of_cells_is_refused_before_any_work() -> None:
    for recoding in ("starred", "cell-suppression"):
        with pytest.raises(InputError, match="is no sum over cells"):
            shoal.anonymize("nowhere.csv", spec(quality="discernability"), recoding=recoding)
