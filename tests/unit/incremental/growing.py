"""A small release that can be extended, and what whoever has two files can tell."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import shoal

Row = tuple[Any, ...]

PEOPLE = {
    "name": [f"p{number}" for number in range(12)],
    "age": [31, 33, 35, 38, 41, 44, 47, 52, 55, 57, 58, 90],
    "sex": list("FFFFMMMFFFFM"),
    "disease": ["flu", "cold", "gout", "flu", "flu", "cold", "gout", "flu", "cold", "flu", "cold", "flu"],
}
"""By tens: four women, three men, four women, and somebody alone, who is suppressed."""

NEW = {
    "name": [f"n{number}" for number in range(9)],
    "age": [32, 34, 36, 45, 71, 73, 75, 91, 92],
    "sex": list("FFFMFFFMM"),
    "disease": ["flu", "cold", "flu", "gout", "flu", "cold", "flu", "cold", "gout"],
}
"""Three for the first class, one for the second, three for a new one, two for the one who was suppressed."""


def spec(**settings: Any) -> shoal.Spec:
    given: dict[str, Any] = {
        "quasi_identifiers": {"age": shoal.intervals(10), "sex": "suppress"},
        "sensitive": ["disease"],
        "identifiers": ["name"],
        "privacy": [shoal.KAnonymity(3)],
        "suppression": 0.2,
    }
    return shoal.Spec(**{**given, **settings})


def write_csv(path: Path, columns: dict[str, list[Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def release(folder: Path, name: str = "release.csv", **settings: Any) -> Path:
    """Write the people, the new rows and a release whose people are remembered; return its manifest."""
    people = write_csv(folder / "people.csv", PEOPLE)
    write_csv(folder / "new.csv", NEW)
    path = shoal.anonymize(people, spec(**settings)).write(folder / name, remember_people=True)
    return path.with_name(f"{path.name}.manifest.json")


def rows(path: Path) -> Counter[Row]:
    """Read a released file without Shoal."""
    if path.suffix == ".parquet":
        return Counter(tuple(row.values()) for row in pq.read_table(path).to_pylist())
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        _, *lines = csv.reader(file)
    return Counter(map(tuple, lines))


def by_class(counted: Counter[Row], width: int = 2) -> Counter[Row]:
    """Count rows by their first columns."""
    classes: Counter[Row] = Counter()
    for row, count in counted.items():
        classes[row[:width]] += count
    return classes


def frame(columns: dict[str, list[Any]], **changes: list[Any]) -> pa.Table:
    return pa.table({**columns, **changes})
