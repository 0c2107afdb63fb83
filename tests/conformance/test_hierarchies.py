"""What every registered hierarchy promises, a search relies on; here it is tried to be proved wrong.

Adding a hierarchy to the registry adds its tests, on the examples and the sample that it declares. (What its
labels are is tested in tests/unit/describe/hierarchies.)
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import registry
from shoal.describe.hierarchies.function import by_function
from shoal.describe.hierarchy import (
    ColumnData,
    FromData,
    Generalizing,
    Hierarchy,
    HierarchyDefaults,
    HierarchyError,
    Levels,
    Partial,
    as_text,
    check_nested,
    known,
)
from shoal.errors import InputError

NAMES = registry.names("hierarchies")
PYTHON_ONLY = {"function": [by_function(lambda value: str(value)[:3], lambda value: str(value)[:1])]}
"""What no spec can hold."""

FILES = {
    "job.csv": "cook;kitchen;*\nbaker;kitchen;*\n1;other;*\n",
    "job.txt": "distinct\nname job\ntype string\nheight 3\n\n"
    "kitchen has cook baker\nother has 1\n\n* has kitchen other\n",
}
"""The files that examples name, and values of theirs."""
FILE_SAMPLE = ("cook", "baker", "1")

TYPED = [
    pa.array([True, False]),
    *(pa.array([1, 20, 33], kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *(pa.array([1, 20, 33], kind) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    pa.array([2**63 - 1, -(2**63)]),
    pa.array([0.5, 20.0, float("inf")], pa.float16()),
    pa.array([0.1, 20.0, float("nan")], pa.float32()),
    pa.array([0.1, 1e300, 5e-324, float("-inf")]),
    pa.array([Decimal("0.10"), Decimal("-20.00")]),
    pa.array([Decimal("1e50"), Decimal("-20.00")], pa.decimal256(60, 2)),
    pa.array([date(1969, 12, 31), date(2024, 2, 29)]),
    pa.array([date(1969, 12, 31), date(2024, 2, 29)], pa.date64()),
    *(
        pa.array([datetime(1969, 12, 31, 23), datetime(2024, 2, 29)], pa.timestamp(u))
        for u in ("s", "ms", "us", "ns")
    ),
    pa.array([0, 2**62, -(2**62)], pa.timestamp("s")),
    pa.array([0, 86_400], pa.timestamp("s", "Europe/Berlin")),
    pa.array([0, 2**63 - 1], pa.timestamp("ns", "UTC")),
    pa.array([time(1, 2), time(3, 4)]),
    pa.array([1, 2], pa.time32("s")),
    pa.array([timedelta(1), timedelta(2)]),
    pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    pa.array([b"a", b"1"]),
    pa.array([b"\xff", b"\x00"]),
    pa.array([b"ab", b"\xfe\xff"], pa.binary(2)),
    pa.array(["1", "cook", "", " ", "*", "2026-11-16", "2026-11-16T12:00Z", "1e999", "ä\n🐟"]),
    pa.array(["1", "cook", "SE"], pa.large_string()),
    pa.array(["1", "cook", "1"]).dictionary_encode(),
    pa.array([], pa.null()),
]
"""Some values of each Arrow type."""

every_hierarchy = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("hierarchies")
    for name, text in FILES.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


def built(name: str, folder: Path) -> Iterator[Hierarchy]:
    """Return the hierarchies that a name's examples stand for."""
    kind = registry.resolve("hierarchies", name)
    yield from PYTHON_ONLY.get(name, [])
    for example in kind.examples:
        yield kind.from_spec(example, folder)


def sample_of(name: str) -> pa.Array:
    sample = registry.resolve("hierarchies", name).sample or FILE_SAMPLE
    return pa.array(sample)


def fitted(hierarchy: Hierarchy, values: pa.Array) -> Generalizing:
    """Return a hierarchy as it is for a column in which every value occurs, some more than others."""
    if not isinstance(hierarchy, FromData):
        return hierarchy
    # By the value and not by its place, so that the order of the values says nothing.
    try:
        ranks = np.argsort(pc.sort_indices(as_text(values)).to_numpy())
    except HierarchyError:
        ranks = np.arange(len(values))
    counts = ranks.astype(np.int64) % 4 + 1
    if hierarchy.target is None:
        return hierarchy.fit(ColumnData(values, counts))
    by_target = np.stack([counts, ranks % 3, np.ones_like(counts)], axis=1).astype(np.int64)
    return hierarchy.fit(
        ColumnData(values, by_target.sum(axis=1), pa.array(["low", "high", None]), by_target)
    )


def check(levels: Levels, values: pa.Array) -> None:
    """Fail if labels are not as encoding needs them."""
    assert levels.labels[0] is values or levels.labels[0].equals(values)
    assert all(label.type == pa.string() for label in levels.labels[1:])
    assert all(len(label) == len(values) and label.null_count == 0 for label in levels.labels)
    assert check_nested(levels.labels) == []
    assert len(levels.labels) == len(levels.leaves)
    for lower, upper in zip(levels.leaves, levels.leaves[1:], strict=False):
        assert (lower <= upper).all()
    assert all((leaves >= 1).all() and (leaves <= levels.total).all() for leaves in levels.leaves)
    # Nobody can be told apart by what has no label above it.
    assert len(levels.labels) > 1
    assert len(set(levels.labels[-1].to_pylist())) <= 1


@every_hierarchy
def test_it_tells_about_itself(name: str) -> None:
    kind = registry.resolve("hierarchies", name)
    assert issubclass(kind, HierarchyDefaults)
    assert kind.name == name
    assert kind.summary and kind.summary[0].isupper() and kind.summary.endswith(".")
    assert "\n" not in kind.summary
    assert all(isinstance(text, str) and text for item in kind.parameters.items() for text in item)
    assert bool(kind.examples) != (name in PYTHON_ONLY)


@every_hierarchy
def test_its_examples_survive_a_spec(name: str, folder: Path) -> None:
    kind = registry.resolve("hierarchies", name)
    for example in kind.examples:
        hierarchy = kind.from_spec(example, folder)
        written = yaml.safe_load(yaml.safe_dump(hierarchy.to_spec()))
        assert written == name or list(written) == [name]
        assert kind.from_spec(None if written == name else written[name], folder) == hierarchy


@every_hierarchy
def test_labels_of_its_sample(name: str, folder: Path) -> None:
    values = sample_of(name)
    for hierarchy in built(name, folder):
        check(fitted(hierarchy, values).levels(values), values)


@every_hierarchy
@settings(max_examples=10)
@given(data=st.data())
def test_labels_do_not_depend_on_the_order(name: str, folder: Path, data: st.DataObject) -> None:
    values = sample_of(name)
    order = pa.array(data.draw(st.permutations(range(len(values)))))
    for hierarchy in built(name, folder):
        before = fitted(hierarchy, values).levels(values)
        after = fitted(hierarchy, values.take(order)).levels(values.take(order))
        assert [label.take(order) for label in before.labels] == list(after.labels)


@every_hierarchy
def test_labels_of_a_steady_one_do_not_depend_on_other_values(name: str, folder: Path) -> None:
    values = sample_of(name)
    for hierarchy in built(name, folder):
        assert isinstance(hierarchy, HierarchyDefaults)
        if not hierarchy.steady:
            continue
        assert not isinstance(hierarchy, FromData)
        together = hierarchy.levels(values).labels
        for place in range(len(values)):
            alone = hierarchy.levels(values[place : place + 1]).labels
            assert [label[0] for label in alone] == [label[place] for label in together]


@every_hierarchy
def test_no_values(name: str, folder: Path) -> None:
    for kind in (pa.string(), sample_of(name).type):
        values = pa.array([], kind)
        for hierarchy in built(name, folder):
            assert len(known(hierarchy, values)) == 0
            levels = fitted(hierarchy, values).levels(values)
            check(levels, values)


@every_hierarchy
def test_without_a_table_it_has_no_labels_if_it_is_made_from_one(name: str, folder: Path) -> None:
    for hierarchy in built(name, folder):
        if isinstance(hierarchy, FromData):
            with pytest.raises(HierarchyError, match="made from the table"):
                hierarchy.levels(sample_of(name))


@every_hierarchy
@pytest.mark.parametrize("values", TYPED, ids=lambda values: str(values.type))
def test_values_of_any_type_have_labels_or_are_refused(name: str, folder: Path, values: pa.Array) -> None:
    values = values.unique() if pa.types.is_dictionary(values.type) else values
    for hierarchy in built(name, folder):
        try:
            there = known(hierarchy, values)
        except HierarchyError:
            # A type that it does not take at all.
            with pytest.raises(HierarchyError):
                fitted(hierarchy, values).levels(values)
            continue
        assert there.type == pa.bool_() and len(there) == len(values) and there.null_count == 0
        if isinstance(hierarchy, FromData) and not all(there.to_pylist()):
            with pytest.raises(HierarchyError):
                fitted(hierarchy, values)
        elif labelled(hierarchy, values, there):
            continue
        known_ones = values.filter(there)
        labelled(hierarchy, known_ones, known(hierarchy, known_ones))


def labelled(hierarchy: Hierarchy, values: pa.Array, there: pa.BooleanArray) -> bool:
    """Tell whether all values have labels, which is to be as `knows` says."""
    try:
        levels = fitted(hierarchy, values).levels(values)
    except HierarchyError as error:
        # Numbers that are known may still have too many digits for a level each.
        assert not (isinstance(hierarchy, Partial) and all(there.to_pylist())) or "levels" in str(error)
        assert all(problem.message for problem in error.problems)
        return False
    assert all(there.to_pylist())
    check(levels, values)
    return True


@every_hierarchy
@pytest.mark.parametrize(
    "argument",
    [
        "",
        "?",
        -1,
        0,
        1.5,
        True,
        [],
        {},
        [[]],
        [None],
        ["?"],
        {"?": 1},
        {1: 2},
        float("nan"),
        date(2026, 1, 1),
        [-1],
    ],
    ids=repr,
)
def test_whatever_stands_after_its_name_is_taken_or_refused(name: str, folder: Path, argument: Any) -> None:
    kind = registry.resolve("hierarchies", name)
    try:
        hierarchy = kind.from_spec(argument, folder)
        written = hierarchy.to_spec()
        assert kind.from_spec(None if written == name else written[name], folder) == hierarchy
    except InputError as error:
        assert str(error)


@every_hierarchy
@pytest.mark.parametrize("text", ["", "?", ",", "-1", "1,,2", "{", "[1", "1e999", " ", "ä", "nan"])
def test_whatever_stands_after_its_name_on_the_command_line(name: str, text: str) -> None:
    try:
        assert isinstance(registry.resolve("hierarchies", name).from_text(text), Hierarchy)
    except InputError as error:
        assert str(error)
