"""What is told of hierarchies and of suppressed rows is what the release tells anyway."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.recode.released_levels import LabelLoss, Ladder, losses

AGES = [21, 22, 23, 24, 33, 34, 35, 36, 71, 88]


def _release(ages: list[int | None], k: int = 2, suppression: float = 0.5) -> shoal.Release:
    spec = shoal.Spec(
        quasi_identifiers={
            "age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(10, 40), min_level=1, max_level=1)
        },
        privacy=[shoal.KAnonymity(k)],
        suppression=suppression,
    )
    return shoal.anonymize(pa.table({"age": pa.array(ages, pa.int64())}), spec)


def test_a_ladder_shows_released_labels_only() -> None:
    (ladder,) = _release(AGES).ladders()
    assert ladder == Ladder(
        column="age",
        level=1,
        labels_per_level=(10, 4, 3, 1),
        released=2,
        shown={1: ("[20, 30)", "[30, 40)"), 2: ("[0, 40)",), 3: ("*",)},
    )
    assert ladder.height == 3


def test_null_is_shown_by_its_name() -> None:
    (ladder,) = _release([21, 22, None, None]).ladders()
    assert set(ladder.shown[1]) == {"[20, 30)", "NULL"}


def test_labels_that_no_released_row_has_are_counted_together() -> None:
    assert _release(AGES).suppression() == {"age": (LabelLoss(None, 8, 2),)}


def _two_columns(sizes: dict[tuple[str, str], int], k: int) -> shoal.Release:
    rows = [cell for cell, count in sizes.items() for _ in range(count)]
    table = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    spec = shoal.Spec(
        quasi_identifiers={
            name: shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0) for name in ("a", "b")
        },
        privacy=[shoal.KAnonymity(k)],
        suppression=1.0,
    )
    return shoal.anonymize(table, spec)


def test_labels_of_few_suppressed_rows_are_not_told() -> None:
    release = _two_columns({("x", "1"): 5, ("y", "1"): 2, ("y", "2"): 5, ("x", "2"): 2}, k=3)
    assert release.suppressed_rows == 4
    assert release.suppression() == {"a": (LabelLoss(None, 10, 4),), "b": (LabelLoss(None, 10, 4),)}


def test_many_suppressed_rows_of_a_label_are_told() -> None:
    sizes = {("x", "1"): 5, ("x", "2"): 2, ("x", "3"): 2, ("y", "2"): 5, ("y", "3"): 5}
    found = _two_columns(sizes, k=3).suppression()
    assert found["a"] == (LabelLoss("x", 5, 4),)
    assert found["b"] == (LabelLoss(None, 15, 4),)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=60), st.integers(2, 4))
def test_nobody_is_found_out(rows: list[tuple[int, int]], k: int) -> None:
    counts = Counter((str(a), str(b)) for a, b in rows)
    release = _two_columns(dict(counts), k)
    background = release.original
    cells = release.recoding.cells(background.coded)
    for place, (name, told) in enumerate(losses(background.coded, cells, background.lost, least=k).items()):
        suppressed = Counter(cell[place] for cell, n in counts.items() if n < k for _ in range(n))
        kept = Counter(cell[place] for cell, n in counts.items() if n >= k for _ in range(n))
        assert sum(loss.suppressed for loss in told) == release.suppressed_rows, name
        for loss in told:
            if loss.label is not None:
                assert loss == LabelLoss(loss.label, kept[loss.label], suppressed[loss.label])
                assert loss.kept
                assert loss.suppressed >= k
        if len(told) > 1:
            assert all(loss.suppressed >= k for loss in told)


def test_a_table_that_has_changed_is_not_compared_with(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age\n21\n22\n", encoding="utf-8")
    spec = shoal.Spec(quasi_identifiers={"age": shoal.intervals(10)}, privacy=[shoal.KAnonymity(2)])
    release = shoal.anonymize(path, spec)
    path.write_text("age\n21\n", encoding="utf-8")
    with pytest.raises(shoal.InputError, match="Rows then: 2; rows now: 1"):
        release.original.table(release.spec)
