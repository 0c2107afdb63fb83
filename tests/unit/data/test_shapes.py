"""Shapes over small hierarchies of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.data import shape, shape_names
from shoal.data.shapes import SHAPES
from shoal.errors import InputError, MissingFileError


@pytest.fixture
def hierarchies(tmp_path: Path) -> Path:
    for name in shape_names():
        for column in SHAPES[name].columns:
            lines = [f"{column} {i};*" for i in range(120)]
            (tmp_path / f"{name}_hierarchy_{column}.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", shape_names())
def test_columns_are_dictionaries_over_the_hierarchies(hierarchies: Path, name: str) -> None:
    table = shape(name, hierarchies, rows=1000, seed=1)
    assert table.num_rows == 1000
    assert table.column_names == list(SHAPES[name].columns)
    assert len(table.column_names) == 9
    for column, how in SHAPES[name].columns.items():
        first, last = how.span or (0, 120)
        allowed = {f"{column} {i}" for i in range(first, last)}
        assert set(table[column].to_pylist()) <= allowed
        assert str(table[column].type).startswith("dictionary")


def test_same_seed_same_table(hierarchies: Path) -> None:
    assert shape("ihis", hierarchies, 500, 1).equals(shape("ihis", hierarchies, 500, 1))
    assert not shape("ihis", hierarchies, 500, 1).equals(shape("ihis", hierarchies, 500, 2))


def test_unknown_shape(hierarchies: Path) -> None:
    with pytest.raises(InputError, match="Did you mean 'ihis'"):
        shape("ihiss", hierarchies)


def test_missing_hierarchies(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"atus_hierarchy_Region\.csv"):
        shape("atus", tmp_path, 10)
