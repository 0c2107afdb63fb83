"""What all hierarchies share."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import registry
from shoal.describe.hierarchies.intervals import intervals
from shoal.describe.hierarchies.prefix import prefix
from shoal.describe.hierarchies.suppress import suppress
from shoal.describe.hierarchy import Hierarchy, HierarchyError, Levels, as_text, check_nested

BUILT = [suppress(), prefix(), prefix(3), intervals(5, 10, 40), intervals(3, origin=1)]


@pytest.mark.parametrize("name", registry.names("hierarchies"))
def test_every_registered_hierarchy_satisfies_the_protocol(name):
    assert issubclass(registry.resolve("hierarchies", name), Hierarchy)


@pytest.mark.parametrize("hierarchy", BUILT, ids=repr)
def test_the_spec_of_a_hierarchy_builds_it_again(hierarchy):
    spec = hierarchy.to_spec()
    name, argument = (spec, None) if isinstance(spec, str) else next(iter(spec.items()))
    assert registry.resolve("hierarchies", name).from_spec(argument, Path()) == hierarchy


@pytest.mark.parametrize("hierarchy", BUILT, ids=repr)
@given(values=st.lists(st.integers(-1000, 10**6), unique=True))
def test_levels_are_nested_and_leaves_are_counted(hierarchy, values):
    levels = hierarchy.levels(pa.array(values, pa.int64()))
    assert levels.labels[0].to_pylist() == values
    assert levels.total == len(values)
    parents = {}
    for lower, upper in zip(levels.labels, levels.labels[1:], strict=False):
        for label, parent in zip(lower.to_pylist(), upper.to_pylist(), strict=True):
            assert parents.setdefault((id(lower), label), parent) == parent
    for labels, leaves in zip(levels.labels, levels.leaves, strict=True):
        texts = labels.to_pylist()
        assert leaves.dtype == np.int64
        assert leaves.tolist() == [texts.count(text) for text in texts]
    assert set(levels.labels[-1].to_pylist()) <= {"*"}
    assert all(labels.type == pa.string() for labels in levels.labels[1:])


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3)))
def test_check_nested_finds_the_labels_with_two_parents(rows):
    levels = [pa.array([row[level] for row in rows], pa.string()) for level in range(3)]
    expected = []
    for level in range(2):
        torn = {
            row[level]
            for row in rows
            if any(r[level] == row[level] and r[level + 1] != row[level + 1] for r in rows)
        }
        if torn:
            expected.append(torn)
    assert [set(problem.values) for problem in check_nested(levels)] == expected


def test_levels_fit_a_byte():
    value, label = pa.array(["x"]), pa.array(["*"])
    assert len(Levels.of(value, [label] * 255).labels) == 256
    with pytest.raises(HierarchyError, match="256 above the value itself; at most 255 are possible"):
        Levels.of(value, [label] * 256)


def test_levels_of_no_values():
    levels = Levels.of(pa.array([], pa.string()), [pa.array([], pa.string())])
    assert levels.total == 0
    assert [len(leaves) for leaves in levels.leaves] == [0, 0]


def test_the_text_of_values():
    assert as_text(pa.array([7, -1])).to_pylist() == ["7", "-1"]
    assert as_text(pa.array([7.0, 0.1])).to_pylist() == ["7", "0.1"]
    assert as_text(pa.array([True])).to_pylist() == ["true"]
