"""The built-in samples: files that hang together, the same for the same seed."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import yaml

from shoal.data import Sample, sample_names, write_sample
from shoal.data.census import COLUMNS
from shoal.errors import InputError, OutputError
from shoal.spec.spec import Spec


def rows_of(path: Path, delimiter: str = ",") -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter=delimiter))


@pytest.fixture(scope="module")
def census(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return write_sample("census", 20_000, 7, tmp_path_factory.mktemp("census"))


@pytest.fixture(scope="module")
def people(census: Sample) -> list[dict[str, str]]:
    header, *rows = rows_of(census.data)
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_names() -> None:
    shapes = {f"{name}-shape" for name in ("adult", "cup", "fars", "atus", "ihis", "lands-end")}
    assert set(sample_names()) == {"census", "patients", *shapes}


@pytest.mark.parametrize("name", sample_names())
def test_the_spec_fits_the_files(tmp_path: Path, name: str) -> None:
    sample = write_sample(name, folder=tmp_path, rows=6)
    header, *rows = rows_of(sample.data)
    spec = Spec.from_yaml(sample.spec)
    assert set(spec.roles) == set(header)
    files = {path.name for path in (sample.data, sample.spec, *sample.hierarchies)}
    assert files == {path.name for path in tmp_path.iterdir()}
    for column, entry in yaml.safe_load(sample.spec.read_text(encoding="utf-8"))["columns"].items():
        hierarchy = entry.get("hierarchy")
        if isinstance(hierarchy, dict) and "file" in hierarchy:
            known = {row[0] for row in rows_of(tmp_path / hierarchy["file"], ";")}
            assert {row[header.index(column)] for row in rows} <= known


@pytest.mark.parametrize("name", sample_names())
def test_hierarchies_are_nested(tmp_path: Path, name: str) -> None:
    for path in write_sample(name, folder=tmp_path, rows=6).hierarchies:
        parents = defaultdict(set)
        rows = rows_of(path, ";")
        assert len({len(row) for row in rows}) == 1
        assert len({row[0] for row in rows}) == len(rows)
        assert len({row[-1] for row in rows}) == 1
        for row in rows:
            for level in range(len(row) - 1):
                parents[level, row[level]].add(row[level + 1])
        assert all(len(parent) == 1 for parent in parents.values())


def test_patients_are_the_papers(tmp_path: Path) -> None:
    sample = write_sample("patients", 6, 3, tmp_path)
    header, *rows = rows_of(sample.data)
    assert header == ["Birthdate", "Sex", "Zipcode", "Disease"]
    # Section 1.1: not 2-anonymous for Sex and Zipcode. Example 3.1: it is for (S1, Z0) and (S0, Z2).
    assert min(Counter((sex, zipcode) for _, sex, zipcode, _ in rows).values()) == 1
    assert min(Counter(zipcode for _, _, zipcode, _ in rows).values()) == 2
    assert min(Counter((sex, zipcode[:3]) for _, sex, zipcode, _ in rows).values()) == 3
    zipcodes = {row[0]: row[1:] for row in rows_of(tmp_path / "patients_hierarchy_Zipcode.csv", ";")}
    assert zipcodes["53715"] == ["5371*", "537**"]


@pytest.mark.parametrize("rows", [0, 5, 7])
def test_patients_are_always_six(tmp_path: Path, rows: int) -> None:
    with pytest.raises(InputError, match="always has 6 rows"):
        write_sample("patients", rows, 0, tmp_path)
    assert not list(tmp_path.iterdir())


def test_census_has_the_rows_asked_for(census: Sample, people: list[dict[str, str]]) -> None:
    assert len(people) == 20_000
    assert tuple(people[0]) == COLUMNS
    assert len({person["person_id"] for person in people}) == len(people)


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    one, two, other = (
        write_sample("census", 70_000, seed, tmp_path / str(i)).data.read_bytes()
        for i, seed in enumerate((1, 1, 2))
    )
    assert one == two
    assert one != other


def test_census_hangs_together(people: list[dict[str, str]]) -> None:
    for person in people:
        age = int(person["age"])
        assert 0 <= age < 100
        assert len(person["zip"]) == 5
        if age < 15:
            assert person["marital_status"] == "Never married"
            assert person["occupation"] == "Not of working age"
            assert person["income"] == ""
        else:
            assert int(person["income"]) >= 0
        if person["diagnosis"].startswith("O80"):
            assert person["sex"] == "Female"
        if person["diagnosis"].startswith("C61"):
            assert person["sex"] == "Male"

    def mean_income(occupation: str) -> float:
        incomes = [int(person["income"]) for person in people if person["occupation"] == occupation]
        return sum(incomes) / len(incomes)

    assert mean_income("Physician") > 2 * mean_income("Cleaner")
    births = Counter(person["birth_country"] for person in people)
    assert births["United States"] > 0.8 * len(people)
    assert min(births.values()) < 20


@pytest.mark.parametrize("rows", [0, -1])
def test_census_needs_rows(tmp_path: Path, rows: int) -> None:
    with pytest.raises(InputError, match="at least 1 row"):
        write_sample("census", rows, 0, tmp_path)


def test_unknown_sample(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Did you mean 'census'"):
        write_sample("sensus", 5, 0, tmp_path)


def test_the_folder_is_made(tmp_path: Path) -> None:
    assert write_sample("patients", folder=tmp_path / "a" / "b").data.is_file()


def test_a_file_in_the_folders_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be created"):
        write_sample("patients", folder=tmp_path / "file")
