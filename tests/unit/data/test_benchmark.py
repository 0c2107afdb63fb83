"""Benchmarks: the real files where there are some, shapes where not."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from shoal.data import benchmark_names, find_benchmark, load_benchmark
from shoal.data.benchmark import data_folder
from shoal.errors import InputError

NO_DATA = "the real data are not at hand: set SHOAL_DATA to the folder of the data sets"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a data set of our own, whose column `note` has no hierarchy."""
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "pets.csv").write_text("kind;note;age\ncat;a;3\ndog;b;4\ncat;c;9\n", encoding="utf-8")
    (tmp_path / "pets_hierarchy_kind.csv").touch()  # not in its place
    hierarchies = {
        "pets_hierarchy_kind.csv": "cat;*\ndog;*\ncow;*\n",
        "pets_hierarchy_age.csv": "3;0-4;*\n4;0-4;*\n9;5-9;*\n",
    }
    for name, text in hierarchies.items():
        (tmp_path / "hierarchies" / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path / "absent"))


def test_files_of_the_folder(folder: Path) -> None:
    assert "pets" in benchmark_names()
    assert find_benchmark("pets").real
    assert find_benchmark("pets").description == "pets (real)"
    table = load_benchmark("pets")
    assert (table.names, table.rows) == (("kind", "age"), 3)
    kind, age = table.columns
    assert kind.total_leaves == 3
    assert [len(labels) for labels in age.labels] == [3, 2, 1]


def test_some_columns_in_the_order_asked_for(folder: Path) -> None:
    assert load_benchmark("pets", ["age", "kind"]).names == ("age", "kind")
    assert load_benchmark("fars", ["isex", "iage"]).names == ("isex", "iage")


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize(("name", "rows"), [("adult", 30_162), ("adult45222", 45_222), ("cup", 63_441)])
def test_shapes_where_there_are_no_files(name: str, rows: int) -> None:
    assert not find_benchmark(name).real
    assert find_benchmark(name).description == f"{name} (generated)"
    table = load_benchmark(name)
    assert table.rows == rows
    assert table.names == find_benchmark(name).columns


@pytest.mark.usefixtures("nothing")
def test_every_name_is_found() -> None:
    assert len(benchmark_names()) == 7
    for name in benchmark_names():
        assert find_benchmark(name).name == name


def test_a_file_without_hierarchies_is_no_benchmark(folder: Path) -> None:
    (folder / "wage.csv").write_text("wage\n1\n", encoding="utf-8")
    assert "wage" not in benchmark_names()
    with pytest.raises(InputError, match="Unknown benchmark 'wage'"):
        find_benchmark("wage")


def test_unknown_benchmarks(folder: Path) -> None:
    with pytest.raises(InputError, match=r"Benchmarks: adult, cup, .*, pets\. Did you mean 'pets'\?"):
        load_benchmark("petss")
    with pytest.raises(InputError, match="Unknown benchmark"):
        load_benchmark(f"../{folder.name}/pets")


@pytest.mark.parametrize("name", ["pets", "fars"])
def test_columns_that_cannot_be_had(folder: Path, name: str) -> None:
    first = find_benchmark(name).columns[0]
    with pytest.raises(InputError, match="has no column 'note' with a hierarchy"):
        load_benchmark(name, [first, "note"])
    for columns in ([], [first, first]):
        with pytest.raises(InputError, match="each once"):
            load_benchmark(name, columns)


@pytest.mark.parametrize("name", ["adult", "adult45222", "cup"])
def test_the_real_data(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = Path(__file__).parents[4] / "shared" / "datasets"
    if not data_folder().is_dir():
        monkeypatch.setenv("SHOAL_DATA", str(beside))
    file = data_folder() / f"{name}.csv"
    if not file.is_file():
        pytest.skip(f"{name}: {NO_DATA}")
    assert find_benchmark(name).real
    table = load_benchmark(name)
    with file.open(encoding="utf-8", newline="") as opened:
        header, *rows = csv.reader(opened, delimiter=";")
    assert (list(table.names), table.rows) == (header, len(rows))
    for column, values in zip(table.columns, zip(*rows, strict=True), strict=True):
        assert np.array_equal(np.array(column.labels[0].to_pylist())[column.codes], values)
