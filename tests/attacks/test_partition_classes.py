"""The attacker knows everybody's age, that the table was cut once through its buckets, and the classes.

The claims of `partition` are about classes. Whoever knows this much can count the tables that lead to the
release, and be surer of a person than any class makes one. Nothing stops that: it is said wherever the
release is described.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pyarrow as pa

import shoal

AGES = [30, 31, 32, 34, 36, 38, 48, 52, 60, 70]
STROKES = (31, 48, 52, 70)


def release_of(table: pa.Table) -> shoal.Release:
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        sensitive=["disease"],
        privacy=[shoal.TCloseness("disease", 0, "equal")],
        recoding="partition",
    )
    return shoal.anonymize(table, spec)


def table_with(strokes: tuple[int, ...]) -> pa.Table:
    return pa.table({"age": AGES, "disease": ["stroke" if age in strokes else "flu" for age in AGES]})


def halves(strokes: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """Cut each bucket at its median, as docs/partition.md describes it."""
    flus = [age for age in AGES if age not in strokes]
    first = sorted([*flus[: len(flus) // 2], *strokes[: len(strokes) // 2]])
    return first, [age for age in AGES if age not in first]


def possible() -> Iterator[tuple[int, ...]]:
    """Yield who may have had a stroke, if these are the classes."""
    for strokes in combinations(AGES, len(STROKES)):
        if halves(strokes) == halves(STROKES):
            yield strokes


def test_knowing_everybody_tells_more_than_a_class() -> None:
    release = release_of(table_with(STROKES))
    first, second = halves(STROKES)
    labels = {f"[{half[0]}, {half[-1]}]" for half in (first, second)}
    assert set(release.table.column("age").to_pylist()) == labels  # the attack is on what is really released
    worlds = list(possible())
    surest = max(sum(age in strokes for strokes in worlds) / len(worlds) for age in AGES)
    assert surest > 0.6  # in each class it is 0.4, as in the table


def test_the_release_says_that_classes_depend_on_values() -> None:
    release = release_of(table_with(STROKES))
    (said,) = [note for note in release.notes if "may depend on its disease" in note]
    assert "more than the models allow" in said
    assert said in release.summary()
