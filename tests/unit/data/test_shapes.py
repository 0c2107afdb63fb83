"""Shapes: what is published about them, and that they are coded as their files would be."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.data import shape, shape_names, write_shape
from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable, code_table
from shoal.errors import InputError
from shoal.read import open_source
from shoal.spec.spec import Spec

# Rows, nodes of the lattice, distinct tuples where they are known, and the values of each column that occur.
PUBLISHED = {
    "adult": (30_162, 12_960, 19_502, (2, 72, 5, 7, 16, 41, 7, 14, 2)),
    "cup": (63_441, 45_000, 63_441, (13_294, 94, 6, 7, 53, 814, 81, 58)),
    "fars": (100_937, 20_736, None, (100, 20, 14, 33, 3, 10, 51, 8)),
    "atus": (539_253, 34_992, 168_926, (4, 71, 2, 23, 7, 6, 155, 18, 6)),
    "ihis": (1_193_504, 25_920, 973_943, (14, 4, 4, 25, 86, 10, 2, 38, 26)),
    "lands-end": (4_591_581, 9_600, None, (31_953, 320, 2, 1509, 346, 1, 1412, 2)),
}

# Labels per level of the whole hierarchies that ARX publishes, without the top.
LABELS = {
    ("adult", "age"): (100, 20, 10, 5),
    ("adult", "education"): (16, 5, 3),
    ("adult", "workclass"): (8, 3),
    ("cup", "ZIP"): (100_000, 10_000, 1_000, 100, 10),
    ("cup", "RAMNTALL"): (5676, 6, 3, 2),
    ("cup", "NGIFTALL"): (238, 12, 6, 3),
    ("cup", "MINRAMNT"): (451, 5, 3, 2),
    ("atus", "Age"): (101, 21, 11, 6, 4),
    ("atus", "Birthplace"): (155, 7),
    ("atus", "Highest level of school completed"): (18, 4, 2),
    ("ihis", "YEAR"): (112, 23, 12, 6, 3),
    ("ihis", "PERNUM"): (25, 13, 7),
    ("lands-end", "Zipcode"): (100_000, 10_000, 1_000, 100, 10),
}


def distinct(table: CodedTable) -> int:
    """Count the distinct tuples; the codes of a row are packed into as few integers as hold them."""
    keys = np.zeros(table.rows, np.int64)
    for column in table.columns:
        keys = keys * len(column.counts) + column.codes
        keys = np.unique(keys, return_inverse=True)[1]
    return len(np.unique(keys))


def texts(column: CodedColumn, level: int) -> list[str]:
    labels = column.labels[level].to_pylist()
    return [labels[number] for number in column.maps[level][column.codes]]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name == "lands-end" else []) for name in shape_names()],
)
def test_a_shape_is_as_published(name: str) -> None:
    rows, nodes, tuples, values = PUBLISHED[name]
    table = shape(name)
    assert table.rows == rows
    assert math.prod(column.height + 1 for column in table.columns) == nodes
    assert tuple(len(column.counts) for column in table.columns) == values
    if tuples is not None:
        assert distinct(table) == pytest.approx(tuples, rel=0.02)


@pytest.mark.parametrize("name", shape_names())
def test_codes_are_in_leaf_order_and_all_in_use(name: str) -> None:
    table = shape(name, 3000, seed=2)
    for column in table.columns:
        assert column.codes.dtype == np.uint32
        assert (np.bincount(column.codes) == column.counts).all()
        assert (column.counts > 0).all()
        assert (column.min_level, column.max_level) == (0, column.height)
        assert len(column.labels) == len(column.leaves) == len(column.maps)
        for level, numbers in enumerate(column.maps):
            assert numbers.dtype == np.uint32
            # Each label's codes are neighbours, and labels are numbered as they come.
            assert numbers[0] == 0
            assert set(np.diff(numbers)) <= {0, 1}
            assert numbers[-1] == len(column.labels[level]) - 1 == len(column.leaves[level]) - 1
        assert (column.leaves[0] == 1).all()
        assert column.leaves[-1].tolist() == [column.total_leaves]


@pytest.mark.parametrize("name", shape_names())
def test_the_files_say_the_same(tmp_path: Path, name: str) -> None:
    """Written, read and coded by the code for everybody's files, the table is the one in memory."""
    sample = write_shape(name, 400, 5, tmp_path)
    spec = Spec.from_yaml(sample.spec)
    source = open_source(sample.data)
    read = code_table(source.read(source.columns, coded=source.columns), spec.quasi_identifiers)
    drawn = shape(name, 400, 5)
    assert read.names == drawn.names
    assert read.rows == drawn.rows == 400
    for theirs, ours in zip(read.columns, drawn.columns, strict=True):
        assert theirs.height == ours.height
        assert theirs.total_leaves == ours.total_leaves
        for level in range(ours.height + 1):
            assert texts(theirs, level) == texts(ours, level)
            assert leaves_of(theirs, level) == leaves_of(ours, level)


def leaves_of(column: CodedColumn, level: int) -> dict[str, int]:
    return dict(zip(column.labels[level].to_pylist(), column.leaves[level].tolist(), strict=True))


@pytest.mark.parametrize(("name", "column"), LABELS)
def test_labels_per_level(tmp_path: Path, name: str, column: str) -> None:
    write_shape(name, 10, 0, tmp_path)
    lines = (tmp_path / f"{name}-shape_hierarchy_{column}.csv").read_text(encoding="utf-8").splitlines()
    levels = zip(*(line.split(";") for line in lines), strict=True)
    assert tuple(len(set(labels)) for labels in levels) == (*LABELS[name, column], 1)


@pytest.mark.parametrize("name", ["adult", "fars"])
def test_a_written_shape_can_be_released(tmp_path: Path, name: str) -> None:
    sample = write_shape(name, 1000, 1, tmp_path)
    release = shoal.anonymize(sample.data, sample.spec)
    kept = release.data.to_pylist()
    assert len(kept) >= 980
    assert min(Counter(tuple(row.values()) for row in kept).values()) >= 5


def test_columns_hang_together() -> None:
    """A made-up donor's postcode tells the state, but for the few rows that complete the postcodes."""
    table = shape("cup")
    postcode, state = (table.columns[table.names.index(name)].codes for name in ("ZIP", "STATE"))
    pairs = np.unique(np.stack([postcode, state]), axis=1)
    assert pairs.shape[1] < 1.5 * len(np.unique(postcode))


def test_same_seed_same_table() -> None:
    one, two, other = (np.stack([c.codes for c in shape("fars", 70_000, seed).columns]) for seed in (1, 1, 2))
    assert (one == two).all()
    assert (one != other).any()


def test_unknown_shape() -> None:
    with pytest.raises(InputError, match="Did you mean 'ihis'"):
        shape("ihiss")


@pytest.mark.parametrize(("rows", "seed", "message"), [(0, 0, "at least 1 row"), (5, -1, "at least 0")])
def test_impossible_shapes(tmp_path: Path, rows: int, seed: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        shape("adult", rows, seed)
    with pytest.raises(InputError, match=message):
        write_shape("adult", rows, seed, tmp_path / "new")
    assert not list(tmp_path.iterdir())


def test_one_row() -> None:
    assert [len(column.counts) for column in shape("lands-end", 1).columns] == [1] * 8
