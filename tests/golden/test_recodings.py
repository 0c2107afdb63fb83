"""Every recoding on real tables, alone and with t-closeness, on all engines, with all evidence.

What is released is read again in plain Python: classes of equal labels have k people, and the shares of the
sensitive values are as near to those of the table as claimed.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from tests.conformance.engine_inputs import NAMES, Opened, opened  # noqa: F401

import shoal as library
from shoal import registry
from shoal.data import write_sample
from shoal.testing.engines import compare

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "shared" / "datasets"))
K, T = 5, 0.2
QUICK = {"ordered-set": {"seconds": 1}, "subtree": {"seconds": 1}}
"""Settings of what would search for longer."""
ONLY_NUMBERS = ("microaggregation",)
"""Recodings of numbers alone."""


def adult() -> tuple[Path, library.Spec]:
    names = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
    files = {
        name: library.hierarchy_file(DATA / "hierarchies" / f"adult_hierarchy_{name}.csv")
        for name in (*names, "occupation")
    }
    spec = library.Spec(
        quasi_identifiers={name: files[name] for name in names},
        sensitive={"occupation": files["occupation"]},
        insensitive=["salary-class"],
        types={"age": "integer"},
        privacy=[library.KAnonymity(K)],
    )
    return DATA / "adult.csv", spec


def wage() -> tuple[Path, library.Spec]:
    spec = library.Spec(
        identifiers=["maritl", "race", "region", "logwage", "wage"],
        quasi_identifiers={
            "year": library.intervals(2, 4),
            "age": library.intervals(5, 10, 20, 40),
            "education": library.order(
                ["1. < HS Grad", "2. HS Grad", "3. Some College", "4. College Grad", "5. Advanced Degree"]
            ),
            **dict.fromkeys(("jobclass", "health"), "suppress"),
        },
        sensitive=["health_ins"],
        types={"year": "integer", "age": "integer"},
        privacy=[library.KAnonymity(K)],
    )
    return DATA / "wage.csv", spec


def census(folder: Path, rows: int) -> tuple[Path, library.Spec]:
    sample = write_sample("census", rows, seed=3, folder=folder)
    spec = library.Spec.from_yaml(sample.spec)
    return sample.data, replace(spec, suppression=0, types={"age": "integer"}, accept={"income": "linkable"})


def given(spec: library.Spec, recoding: str, close: bool) -> library.Spec:
    """Return the spec with a recoding, for the columns that it serves, alone or with t-closeness."""
    columns = spec.quasi_identifiers
    if recoding in ONLY_NUMBERS:
        kept = {name: column for name, column in columns.items() if name in spec.types}
        others = [name for name in columns if name not in kept]
        spec = replace(spec, quasi_identifiers=kept, identifiers=[*spec.identifiers, *others])
    first = next(iter(spec.sensitive))
    models = [library.KAnonymity(K), *([library.TCloseness(first, T, "equal")] if close else [])]
    return replace(spec, recoding={recoding: QUICK.get(recoding)}, privacy=models)


def require_private(rows: list[dict[str, str]], original: list[dict[str, str]], spec: library.Spec) -> None:
    """Check classes and shares, whatever Shoal says of them."""
    assert len(rows) == len(original)
    classes = defaultdict(list)
    for row in rows:
        classes[tuple(row[name] for name in spec.quasi_identifiers)].append(row)
    assert min(map(len, classes.values())) >= K
    first = next(iter(spec.sensitive))
    assert Counter(row[first] for row in rows) == Counter(row[first] for row in original)
    if len(spec.privacy) > 1:
        whole = Counter(row[first] for row in original)
        for members in classes.values():
            own = Counter(row[first] for row in members)
            distance = sum(abs(own[v] / len(members) - whole[v] / len(original)) for v in whole) / 2
            assert distance <= T + 1e-9


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        delimiter = ";" if ";" in file.readline() else ","
        file.seek(0)
        return list(csv.DictReader(file, delimiter=delimiter))


def from_file_to_evidence(
    shoal: Callable[..., Any], data: Path, spec: library.Spec, folder: Path, *how: str
) -> list[dict[str, str]]:
    """Anonymize, audit and check from the command line; return the released rows."""
    written, release = folder / "own.spec.yaml", folder / "release.csv"
    written.write_text(json.dumps(spec.to_mapping()), encoding="utf-8")
    ran = shoal("anonymize", data, "--spec", written, "--output", release, *how)
    assert ran.code == 0, ran.err
    audited = shoal("audit", release)
    assert audited.code == 0, audited.out
    checker = [sys.executable, "-I", f"{release}.checker.py", release, f"{release}.manifest.json"]
    assert subprocess.run(checker, capture_output=True, check=False).returncode == 0
    for report in ("report", "internal") if "--report" in how else ():
        assert Path(f"{release}.{report}.html").stat().st_size > 10_000
    return read_rows(release)


@pytest.mark.parametrize("close", [False, True], ids=["alone", "close"])
@pytest.mark.parametrize("recoding", registry.names("strategies"))
def test_census(shoal: Callable[..., Any], tmp_path: Path, recoding: str, close: bool) -> None:
    data, spec = census(tmp_path, 400)
    spec = given(spec, recoding, close)
    rows = from_file_to_evidence(shoal, data, spec, tmp_path, "--report")
    require_private(rows, read_rows(data), spec)
    if recoding in QUICK:
        return  # what it finds in a second is not the same each time
    labels = Counter(tuple(row[name] for name in spec.quasi_identifiers) for row in rows)
    again = library.anonymize(data, spec).table.select(list(spec.quasi_identifiers)).to_pylist()
    assert Counter(tuple(map(str, row.values())) for row in again) == labels


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("close", [False, True], ids=["alone", "close"])
@pytest.mark.parametrize("recoding", registry.names("strategies"))
@pytest.mark.parametrize("table", ["adult", "wage", "census"])
def test_tables(
    shoal: Callable[..., Any], tmp_path: Path, table: str, recoding: str, close: bool, engine: str
) -> None:
    if table != "census" and not (DATA / f"{table}.csv").is_file():
        pytest.skip(f"{table}.csv is not there: set SHOAL_DATA to the folder of the data")
    data, spec = census(tmp_path, 5_000) if table == "census" else adult() if table == "adult" else wage()
    spec = given(spec, recoding, close)
    reports = ["--report"] if engine == "memory" else []
    rows = from_file_to_evidence(shoal, data, spec, tmp_path, "--engine", engine, *reports)
    require_private(rows, read_rows(data), spec)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES[-2:])  # PostgreSQL and Spark
@pytest.mark.parametrize("close", [False, True], ids=["alone", "close"])
@pytest.mark.parametrize("recoding", registry.names("strategies"))
def test_in_databases(
    tmp_path: Path,
    recoding: str,
    close: bool,
    name: str,
    opened: Opened,  # noqa: F811
) -> None:
    data, spec = census(tmp_path, 1_000)
    table = pa.csv.read_csv(data, convert_options=pa.csv.ConvertOptions(strings_can_be_null=True))
    table = table.set_column(table.column_names.index("zip"), "zip", table["zip"].cast(pa.string()))
    # Of few values, what is searched by the clock comes to its end.
    chosen = ("sex", "marital_status") if recoding in QUICK else ("sex", "education", "age")
    few = {name: spec.quasi_identifiers[name] for name in chosen}
    others = [name for name in spec.quasi_identifiers if name not in few]
    spec = replace(spec, quasi_identifiers=few, identifiers=[*spec.identifiers, *others])
    compare(opened(name), table, given(spec, recoding, close))
