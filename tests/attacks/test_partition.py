"""Partition: the attacker knows how classes are made, who is in the table, and everybody's age. Classes
depend on the sensitive values, so their labels say more than the shares of a class do. This is stated in
docs/partition.md, and these tests show how much it is. Where classes are those of a hierarchy and of the
ages alone, the same attacker learns nothing.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest

import shoal

AGES = list(range(30, 40))
PAIRS = list(combinations(range(10), 2))
Rows = Counter[tuple[str, str]]


def released(ages: list[int], ill: tuple[int, ...], recoding: Any, least: int, t: float) -> shoal.Release:
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(5, 10)},
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(least), shoal.TCloseness("disease", t)],
        recoding=recoding,
    )
    diseases = ["HIV" if person in ill else "flu" for person in range(len(ages))]
    return shoal.anonymize(pa.table({"age": ages, "disease": diseases}), spec)


def rows(release: shoal.Release) -> Rows:
    return Counter((row["age"], row["disease"]) for row in release.table.to_pylist())


def beliefs(recoding: Any) -> dict[tuple[int, ...], list[float]]:
    """For each pair that may be ill, how sure the attacker is of everybody after all pairs were tried."""
    found = {pair: rows(released(AGES, pair, recoding, 4, 0.1)) for pair in PAIRS}
    fitting = {pair: [other for other in PAIRS if found[other] == found[pair]] for pair in PAIRS}
    return {
        pair: [sum(person in other for other in fits) / len(fits) for person in range(10)]
        for pair, fits in fitting.items()
    }


def test_halves_of_buckets_tell_who_is_ill() -> None:
    # The release has two classes of five, and one of five is ill in either.
    assert rows(released(AGES, (0, 1), "partition", 4, 0.1)) == {
        ("[30, 35]", "HIV"): 1,
        ("[30, 35]", "flu"): 4,
        ("[31, 39]", "HIV"): 1,
        ("[31, 39]", "flu"): 4,
    }
    found = beliefs("partition")
    assert found[0, 1] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert sum(max(of_everybody) == 1 for of_everybody in found.values()) == 20


@pytest.mark.slow
def test_averages_tell_less_but_not_nothing() -> None:
    found = beliefs({"partition": {"labels": "mean"}})
    assert found[0, 1] == pytest.approx([1 / 3] * 3 + [0] * 4 + [1 / 3] * 3)
    assert sum(max(of_everybody) == 1 for of_everybody in found.values()) == 8


def test_classes_of_a_hierarchy_tell_nothing_here() -> None:
    assert all(of_everybody == [0.2] * 10 for of_everybody in beliefs("mondrian").values())


def test_a_larger_table_hides_nobody() -> None:
    """The youngest are ill: each is the least age of a class, which its label shows. No table is searched."""
    ill = (0, 1, 2, 3)
    release = released(list(range(20, 80)), ill, "partition", 5, 0.02)
    assert release.audit.holds
    least = {int(label[1:].split(",")[0]) for label, _ in rows(release)}
    assert least == {20, 21, 22, 23}


@pytest.mark.parametrize(("ill", "halved"), [((0, 1), True), ((0, 5), False)])
def test_the_publisher_is_warned(ill: tuple[int, ...], halved: bool) -> None:
    """Where the older half of all has one of the ill, classes are of ages alone, and there is no note."""
    notes = [n for n in released(AGES, ill, "partition", 4, 0.1).notes if "depend on its disease" in n]
    assert ["everybody's quasi-identifiers" in note for note in notes] == [True] * halved
