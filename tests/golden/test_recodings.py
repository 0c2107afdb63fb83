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
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from tests.conformance.engine_inputs import NAMES, Opened, opened  # noqa: F401

import shoal as library
from shoal import registry
from shoal.data import write_sample
from shoal.read.source import InputFormat
from shoal.testing.engines import compare

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "shared" / "datasets"))
K, T = 5, 0.2
QUICK = {"ordered-set": {"seconds": 1}, "subtree": {"seconds": 1}}
"""Settings of what would search for longer; what it finds in a second is not the same each time."""
DEALT_OUT = ("partition",)
"""Recodings that put rows which are equal in all coded columns into several classes."""
ONLY_NUMBERS = ("microaggregation",)
"""Recodings of numbers alone."""
ENGINES = ("memory", "duckdb", "postgres", pytest.param("spark", marks=pytest.mark.xdist_group("spark")))


@dataclass(frozen=True)
class Table:
    """A table with its spec, and its rows as plain Python reads them."""

    name: str
    data: Path
    spec: library.Spec
    rows: list[dict[str, str]]

    def spec_file(self, spec: library.Spec, folder: Path) -> Path:
        """Write a spec; one with files that it names from its own folder goes beside the table."""
        path = (self.data.parent if self.name == "census" else folder) / "own.spec.yaml"
        path.write_text(json.dumps(spec.to_mapping()), encoding="utf-8")
        return path


@pytest.fixture(scope="module")
def table_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Table]:
    """Return a table by its name; each is read once."""

    @cache
    def found(name: str) -> Table:
        if name == "census":
            data, spec = census(tmp_path_factory.mktemp("census"), 5_000)
        elif (DATA / f"{name}.csv").is_file():
            data, spec = adult() if name == "adult" else wage()
        else:
            pytest.skip(f"{name}.csv is not there: set SHOAL_DATA to the folder of the data")
        return Table(name, data, spec, read_rows(data))

    return found


@pytest.fixture(scope="module")
def in_postgres(postgres_server: Any) -> Callable[[Table], str]:
    """Return the address of a database that has a table; each is copied once."""
    postgres_server.empty("recodings")

    @cache
    def copied(name: str, data: Path, delimiter: str, columns: tuple[str, ...]) -> str:
        with postgres_server.connect("recodings") as connection:
            connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            how = f"FORMAT csv, HEADER, DELIMITER '{delimiter}'"
            with connection.cursor().copy(f"COPY {name} FROM STDIN ({how})") as copy:
                copy.write(data.read_bytes())
        return str(postgres_server.url("recodings"))

    def address(table: Table) -> str:
        numbers = [name for name, kind in table.spec.types.items() if kind == "integer"]
        columns = [f'"{name}" {"integer" if name in numbers else "text"}' for name in table.rows[0]]
        return copied(table.name, table.data, table.spec.input.delimiter or ",", tuple(columns))

    return address


@pytest.fixture(scope="module")
def expected(table_of: Callable[[str], Table]) -> Callable[[str, str, bool], Counter[tuple[str, ...]]]:
    """Return the rows that memory releases, as text; each table is released once."""

    @cache
    def rows(name: str, recoding: str, close: bool) -> Counter[tuple[str, ...]]:
        table = table_of(name)
        spec = given(table.spec, recoding, close)
        return as_texts(library.anonymize(table.data, spec, engine="memory").table.to_pylist())

    return rows


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
        input=InputFormat(delimiter=";"),  # which Spark does not find out
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


def projected(rows: Counter[tuple[str, ...]], places: list[int]) -> Counter[tuple[str, ...]]:
    found: Counter[tuple[str, ...]] = Counter()
    for row, count in rows.items():
        found[tuple(row[place] for place in places)] += count
    return found


def as_texts(rows: list[dict[str, Any]]) -> Counter[tuple[str, ...]]:
    """Count equal rows, their columns in one order, as CSV files have them."""
    return Counter(tuple("" if row[name] is None else str(row[name]) for name in sorted(row)) for row in rows)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file, or those of a folder."""
    rows = []
    for one in sorted(path.iterdir()) if path.is_dir() else [path]:
        with one.open(newline="", encoding="utf-8") as file:
            delimiter = ";" if ";" in file.readline() else ","
            file.seek(0)
            rows += csv.DictReader(file, delimiter=delimiter)
    return rows


def from_command_line(
    shoal: Callable[..., Any], source: Any, written: Path, recoding: str, release: Path, *how: str
) -> None:
    """Anonymize from the command line, with the recoding as an option."""
    recoding = json.dumps({recoding: QUICK.get(recoding)})
    arguments = ["--spec", written, "--recoding", recoding, "--output", release, "--report"]
    ran = shoal("anonymize", source, *arguments, *how)
    assert ran.code == 0, ran.err


def from_python(source: Any, written: Path, release: Path, **how: Any) -> None:
    """Anonymize in Python, by a spec file that names the recoding."""
    made = library.anonymize(source, written, output=release, publish=False, **how)
    made.write(release, report=True)


def require_evidence(
    shoal: Callable[..., Any], release: Path, rows: list[dict[str, str]], table: Table, spec: library.Spec
) -> None:
    """Run the audit and the checker, and compare the manifest with the rows."""
    compared = ["--original", table.data] if len(spec.privacy) > 1 else []
    audited = shoal("audit", release, "--strict", *compared)
    assert audited.code == 0, audited.out + audited.err
    checker = [sys.executable, "-I", f"{release}.checker.py", release, f"{release}.manifest.json"]
    checked = subprocess.run(checker, capture_output=True, check=False, text=True)
    assert checked.returncode == 0, checked.stdout
    manifest = json.loads(Path(f"{release}.manifest.json").read_text(encoding="utf-8"))
    assert manifest["recoding"]["kind"] == spec.recoding.name
    assert manifest["rows"] == {"in": len(table.rows), "suppressed": 0, "out": len(rows)}
    sizes = Counter(Counter(tuple(row[name] for name in spec.quasi_identifiers) for row in rows).values())
    assert {int(size): count for size, count in manifest["class_sizes"].items()} == sizes
    for report in ("report", "internal"):
        page = Path(f"{release}.{report}.html").read_text(encoding="utf-8")
        assert page.rstrip().endswith("</html>")
        assert all(name in page for name in spec.quasi_identifiers)


@pytest.mark.parametrize("close", [pytest.param(False, marks=pytest.mark.slow), True], ids=["alone", "close"])
@pytest.mark.parametrize(
    "recoding",
    [
        pytest.param(name, marks=[] if name in ("cells", "full-domain", "partition") else pytest.mark.slow)
        for name in registry.names("strategies")
    ],
)
def test_census(shoal: Callable[..., Any], tmp_path: Path, recoding: str, close: bool) -> None:
    data, spec = census(tmp_path, 400)
    table = Table("census", data, given(spec, recoding, close), read_rows(data))
    release = tmp_path / "release.csv"
    written = table.spec_file(replace(table.spec, recoding="full-domain"), tmp_path)
    from_command_line(shoal, data, written, recoding, release)
    rows = read_rows(release)
    require_private(rows, table.rows, table.spec)
    require_evidence(shoal, release, rows, table, table.spec)
    if recoding not in QUICK:
        assert as_texts(library.anonymize(data, table.spec).table.to_pylist()) == as_texts(rows)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("close", [False, True], ids=["alone", "close"])
@pytest.mark.parametrize("recoding", registry.names("strategies"))
@pytest.mark.parametrize("name", ["adult", "wage", "census"])
def test_matrix(
    shoal: Callable[..., Any],
    table_of: Callable[[str], Table],
    expected: Callable[[str, str, bool], Counter[tuple[str, ...]]],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    name: str,
    recoding: str,
    close: bool,
    engine: str,
) -> None:
    """Release from Python and a spec file what k-anonymity alone asks for, the rest from the command line."""
    table = table_of(name)
    spec = given(table.spec, recoding, close)
    release = tmp_path / "release.csv"
    source: Any = table.data
    how = {"engine": engine}
    if engine == "postgres":
        source = request.getfixturevalue("in_postgres")(table)
        how["table"] = name
    if engine == "spark":
        session = request.getfixturevalue("quick_spark")
        if not close:
            source = session.read.csv(str(table.data), header=True, sep=spec.input.delimiter or ",")
    if close:
        options = [word for option, value in how.items() for word in (f"--{option}", value)]
        written = table.spec_file(replace(spec, recoding="full-domain"), tmp_path)
        from_command_line(shoal, source, written, recoding, release, *options)
    else:
        from_python(source, table.spec_file(spec, tmp_path), release, **how)
    rows = read_rows(release)
    require_private(rows, table.rows, spec)
    require_evidence(shoal, release, rows, table, spec)
    if recoding not in QUICK:
        whole, columns = expected(name, recoding, close), sorted(rows[0])
        if recoding in DEALT_OUT:
            # Rows that are equal in these columns are dealt out as they come, whatever else they have.
            judged = {*spec.quasi_identifiers, *spec.attributes}
            kept = [place for place, column in enumerate(columns) if column in judged]
            whole = projected(whole, kept)
            assert projected(as_texts(rows), kept) == whole
        else:
            assert as_texts(rows) == whole


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES[-2:])  # PostgreSQL and Spark
@pytest.mark.parametrize("close", [False, True], ids=["alone", "close"])
@pytest.mark.parametrize("recoding", QUICK)
def test_what_ends_with_a_proof_in_databases(
    tmp_path: Path,
    recoding: str,
    close: bool,
    name: str,
    opened: Opened,  # noqa: F811
) -> None:
    """Of few values, what is searched by the clock comes to its end."""
    data, spec = census(tmp_path, 1_000)
    table = pa.csv.read_csv(data, convert_options=pa.csv.ConvertOptions(strings_can_be_null=True))
    table = table.set_column(table.column_names.index("zip"), "zip", table["zip"].cast(pa.string()))
    few = {name: spec.quasi_identifiers[name] for name in ("sex", "marital_status")}
    others = [name for name in spec.quasi_identifiers if name not in few]
    spec = replace(spec, quasi_identifiers=few, identifiers=[*spec.identifiers, *others])
    compare(opened(name), table, given(spec, recoding, close))
