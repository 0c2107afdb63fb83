"""DuckDB's files and tables: what is read, what is written, and what is left when it goes wrong."""

from __future__ import annotations

import datetime
import gzip
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.engines.choose import bytes_of, open_engine
from shoal.engines.duckdb.database import DuckDB
from shoal.engines.relational import profile
from shoal.errors import AuditError, InputError, OutputError
from shoal.read.source import InputFormat
from shoal.write.output import TableOutput

PEOPLE = pa.table(
    {
        "name": [f"p{number}" for number in range(40)],
        "age": pa.array([20 + number % 30 for number in range(40)], pa.int64()),
        "town": ["Bath", None, "", 'O"Hara'] * 10,
        "disease": ["flu", "cold", None, "a,b"] * 10,
    }
)
SPEC = shoal.Spec(
    identifiers=["name"],
    quasi_identifiers={"age": shoal.intervals(10, 20), "town": "suppress"},
    sensitive=["disease"],
    privacy=[shoal.KAnonymity(3)],
    suppression=0.1,
)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.parquet"
    pq.write_table(PEOPLE, path)
    return path


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep temporary files apart, and see that none is left."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    import gc

    gc.collect()
    assert list(folder.iterdir()) == []


def rows(table: pa.Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))


def expected() -> list[str]:
    return rows(shoal.anonymize(PEOPLE, SPEC).data)


@pytest.mark.parametrize("name", ["release.parquet", "release.csv", "release.csv.gz", "release"])
def test_it_writes_files_and_folders_with_their_evidence(name: str, people: Path, tmp_path: Path) -> None:
    output = tmp_path / name
    for _ in range(2):  # the second takes the place of the first
        release = shoal.anonymize(people, SPEC, engine="duckdb", output=output)
        assert release.released.count == len(expected())
    found = shoal.audit_release(output)
    assert found.holds and found.rows == len(expected())
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    if name == "release":
        assert rows(pq.read_table(output)) == expected()
    elif name.endswith(".parquet"):
        assert rows(pq.read_table(output)) == expected()
        assert pq.read_schema(output).metadata in (None, {})
    else:
        content = output.read_bytes()
        lines = (gzip.decompress(content) if name.endswith(".gz") else content).decode().splitlines()
        assert lines[0] == "age,town,disease"
        # NULL is nothing, the empty text is in quotes.
        assert any(line.split(",")[-1] == "" for line in lines)
        assert any(',"",' in line for line in lines)
        assert any('"a,b"' in line for line in lines)


def test_a_release_without_a_place_can_be_written_later(people: Path, tmp_path: Path) -> None:
    release = shoal.anonymize(people, SPEC, engine="duckdb")
    assert rows(release.data) == expected()
    path = release.write(tmp_path / "later.csv", report=True)
    assert shoal.audit_release(path).holds
    assert (tmp_path / "later.csv.report.html").exists()
    assert (tmp_path / "later.csv.internal.html").exists()
    assert release.risk().after.rows == len(expected())


def test_a_table_of_a_database_file(tmp_path: Path) -> None:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.register("given", PEOPLE)
        connection.execute("CREATE TABLE visits AS FROM given")
        connection.execute("CREATE TABLE visits_release AS SELECT 'old' AS age")
    shoal.anonymize(path, SPEC, table="visits", output_table="visits_release", publish=False)
    release = shoal.anonymize(path, SPEC, table="visits", output_table="visits_release", publish=False)
    written = release.write(tmp_path / "x.parquet")
    del release
    assert shoal.audit_release(written).holds
    with duckdb.connect(path, read_only=True) as connection:
        assert connection.execute("FROM visits_release").fetchall() == [("old",)]
    release = shoal.anonymize(
        path, SPEC, table="(SELECT * FROM visits)", output_table="visits_release", publish=False
    )
    evidence = release.write(TableOutput("visits_release"), manifest=tmp_path / "evidence.json")
    assert evidence == tmp_path / "evidence.json"
    assert rows(release.data) == expected()
    del release
    with duckdb.connect(path, read_only=True) as connection:
        assert rows(connection.sql("FROM visits_release").to_arrow_table()) == expected()
        names = connection.execute("SELECT table_name FROM information_schema.tables ORDER BY 1").fetchall()
    assert names == [("visits",), ("visits_release",)]


@pytest.mark.parametrize("table", ["visits", "(SELECT * FROM visits)"])
@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT.NOCASE"])
def test_a_collation_does_not_merge_values(tmp_path: Path, collation: str, table: str) -> None:
    """Names that differ in capitals are two values, of which none may become the other."""
    path = tmp_path / "clinic.duckdb"
    people = [("Ann", "HIV"), ("Ann", "hiv"), ("ANN", "flu"), ("ANN", "Flu")]
    with duckdb.connect(path) as connection:
        connection.execute(
            f"CREATE TABLE visits (name VARCHAR COLLATE {collation}, disease VARCHAR COLLATE {collation})"
        )
        connection.executemany("INSERT INTO visits VALUES (?, ?)", people)
    spec = shoal.Spec(
        quasi_identifiers={"name": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)},
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(2), shoal.LDiversity("disease", 2)],
    )
    release = shoal.anonymize(path, spec, table=table)
    assert sorted(zip(*release.table.to_pydict().values(), strict=True)) == sorted(people)
    assert release.class_sizes == {2: 2}
    del release
    marked = replace(spec, input=InputFormat(null_values=("HIV", "flu")))
    assert shoal.anonymize(path, marked, table=table).table["disease"].null_count == 2


def test_a_relation_stays_what_it_is(people: Path) -> None:
    relation = duckdb.sql(f"FROM read_parquet('{people.as_posix()}') WHERE age >= 30")
    release = shoal.anonymize(relation, SPEC, engine="duckdb")
    assert release.engine == "duckdb"
    assert release.rows == 20


def test_the_engine_goes_by_the_input(people: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    pq.write_table(PEOPLE, folder / "a.parquet")
    (folder / "_SUCCESS").write_text("")

    def chosen(data: object, **how: Any) -> str:
        engine = open_engine(data, InputFormat(), **how)
        engine.close()
        return engine.name

    assert chosen(people) == "memory"
    assert chosen(PEOPLE) == "memory"
    assert chosen(folder) == "duckdb"
    assert chosen(f"{folder}/*.parquet") == "duckdb"
    assert chosen(people, engine="duckdb") == "duckdb"
    with pytest.raises(InputError, match="Unknown engine 'dukdb'"):
        open_engine(people, InputFormat(), engine="dukdb")
    with pytest.raises(InputError, match="cannot take this data"):
        open_engine(people, InputFormat(), engine="postgres")


def test_a_large_file_is_left_where_it_is(people: Path) -> None:
    size = people.stat().st_size
    os.truncate(people, 200_000_000)  # no Parquet file any more, but nobody looks yet
    with pytest.raises(InputError, match="not a complete Parquet file"):
        shoal.anonymize(people, SPEC, memory="1GB")
    os.truncate(people, size)


@pytest.mark.parametrize(
    ("data", "how", "said"),
    [
        ("nowhere/*.parquet", {}, "There are no files"),
        ("people.parquet", {"table": "visits"}, "is not one"),
        ("people.parquet", {"output_table": "visits"}, "only into a database"),
        ("people.parquet", {"output": "release.xlsx"}, "cannot be written from a database"),
        ("people.parquet", {"output": "people.parquet"}, "same file"),
        ("people.parquet", {"output": "no/such/folder/release.parquet"}, "does not exist"),
        ("people.parquet", {"output": "."}, "needs a name of its own"),
        ("people.parquet", {"output": "papers"}, "files that are not Parquet"),
        ("people.parquet", {"output": "notes"}, "a file of that name already exists"),
        ("people.parquet", {"seed": 1}, "a seed cannot make their order repeatable"),
        ("people.parquet", {"keep_order": True}, "cannot keep the order"),
        ("people.parquet", {"memory": "much"}, "Write 4GB, for example"),
        ("broken.parquet", {}, "not a complete Parquet file"),
        ("clinic.duckdb", {}, "No table of"),
        ("clinic.duckdb", {"table": "visit"}, "Did you mean 'visits'"),
        ("text.duckdb", {"table": "visits"}, "cannot be read"),
        ("*.parquet", {}, "not a complete Parquet file|have different columns"),
    ],
)
def test_bad_input_is_refused_before_any_work(
    data: str, how: dict[str, Any], said: str, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.parquet").write_bytes(people.read_bytes()[:-100])
    (tmp_path / "text.duckdb").write_text("no database")
    (tmp_path / "notes").write_text("mine")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "thesis.tex").write_text("years of work")
    with duckdb.connect(tmp_path / "clinic.duckdb") as connection:
        connection.execute("CREATE TABLE visits AS SELECT 1 AS age; CREATE TABLE others AS SELECT 2 AS age")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises((InputError, OutputError), match=said) as error:
        shoal.anonymize(data, SPEC, engine="duckdb", **how)
    assert 'O"Hara' not in str(error.value)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["release.parquet", "release"])
@pytest.mark.parametrize("how", ["disk", "interrupt", "audit"])
def test_what_goes_wrong_leaves_the_old_release(
    name: str, how: str, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / name
    shoal.anonymize(people, SPEC, engine="duckdb", output=output)
    before = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    original = DuckDB._execute

    def execute(self: DuckDB, sql: str, *rest: Any, **more: Any) -> Any:
        if sql.startswith("COPY") and how != "audit":
            original(self, sql, *rest, **more)  # so that there is something to clean up
            if how == "disk":
                raise self._explained(
                    duckdb.IOException("Could not write all bytes: No space left on device")
                )
            if how == "interrupt":
                raise KeyboardInterrupt
        return original(self, sql, *rest, **more)

    monkeypatch.setattr(DuckDB, "_execute", execute)
    expected_error: type[BaseException] = OutputError
    if how == "interrupt":
        expected_error = KeyboardInterrupt
    if how == "audit":
        expected_error = AuditError
        monkeypatch.setattr(
            "shoal.recode.released_classes.Verdict.suppressed_classes",
            lambda self: tuple(cells.numbers for cells in self.cells),
        )
        monkeypatch.setattr("shoal.privacy.passing_classes.passing", lambda _, classes: classes.sizes > 0)
        monkeypatch.setattr("shoal.recode.released_classes.passing", lambda _, classes: classes.sizes > 0)
    spec = (
        SPEC
        if how != "audit"
        else shoal.Spec(
            identifiers=["name"],
            quasi_identifiers={
                "age": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0),
                "town": "suppress",
            },
            sensitive=["disease"],
            privacy=[shoal.KAnonymity(2)],
            suppression=1.0,
        )
    )
    with pytest.raises(expected_error):
        shoal.anonymize(people, spec, engine="duckdb", output=output)
    assert {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_a_table_that_changes_meanwhile_is_refused(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = DuckDB.put

    def put(self: DuckDB, table: pa.Table, name: str) -> str:
        pq.write_table(pa.concat_tables([PEOPLE, PEOPLE.slice(0, 1)]), people)
        return original(self, table, name)

    monkeypatch.setattr(DuckDB, "put", put)
    with pytest.raises(InputError, match="changed while it was read"):
        shoal.anonymize(people, SPEC, engine="duckdb")


def test_columns_that_differ_by_case_are_not_written(tmp_path: Path) -> None:
    path = tmp_path / "cases.parquet"
    pq.write_table(pa.table({"age": [1, 1, 2, 2], "Age": ["a", "b", "c", "d"]}), path)
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"}, insensitive=["Age"], privacy=[shoal.KAnonymity(2)]
    )
    with pytest.raises(InputError, match="names look the same to readers"):
        shoal.anonymize(path, spec, engine="duckdb")


def test_text_files_of_one_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age;town\n21;Bath\n22;\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text('age;town\n23;""\n24;Bath\n', encoding="utf-8")
    (tmp_path / "release").mkdir()
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10), "town": "suppress"}, privacy=[shoal.KAnonymity(4)]
    )
    release = shoal.anonymize(f"{tmp_path}/*.csv", spec, output=tmp_path / "release" / "r.csv")
    assert (release.engine, release.rows) == ("duckdb", 4)
    # As from memory, the delimiter is that of the input.
    assert (tmp_path / "release" / "r.csv").read_text(encoding="utf-8").startswith("age;town\n")
    (tmp_path / "c.csv").write_text("age;city\n23;Bath\n", encoding="utf-8")
    with pytest.raises(InputError, match="have different headers"):
        shoal.anonymize(f"{tmp_path}/*.csv", spec)
    (tmp_path / "c.csv").write_bytes("age;town\n23;Zürich\n".encode("cp1252"))
    with pytest.raises(InputError):
        shoal.anonymize(f"{tmp_path}/*.csv", spec, drop_undeclared=True)


def test_compressed_text(tmp_path: Path) -> None:
    """Files in gzip were refused for what their name says."""
    for number, part in enumerate((PEOPLE.slice(0, 15), PEOPLE.slice(15))):
        pacsv.write_csv(part, tmp_path / "part.csv")
        packed = gzip.compress((tmp_path / "part.csv").read_bytes())
        (tmp_path / f"people-{number}.csv.gz").write_bytes(packed)
    release = shoal.anonymize(f"{tmp_path}/people-*.csv.gz", SPEC, output=tmp_path / "release.csv.gz")
    assert release.released.count == len(expected())
    assert shoal.audit_release(tmp_path / "release.csv.gz").holds


@pytest.mark.parametrize("turned", [False, True])
def test_files_of_one_table_with_other_types(tmp_path: Path, turned: bool) -> None:
    """DuckDB takes the types of the first file: it rounded the numbers of others, and cut off hours."""
    moments = [datetime.datetime(2026, 1, 1, hour) for hour in range(3)]
    whole = pa.table({"age": [30] * 3, "cost": [1, 2, 2], "at": [datetime.date(2026, 1, 2)] * 3})
    exact = pa.table({"age": [30] * 3, "cost": [1.5, 2.25, 3.75], "at": moments})
    for number, table in enumerate((exact, whole) if turned else (whole, exact)):
        pq.write_table(table, tmp_path / f"{number}.parquet")
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"}, insensitive=["cost", "at"], privacy=[shoal.KAnonymity(3)]
    )
    shoal.anonymize(f"{tmp_path}/*.parquet", spec, engine="duckdb", output=tmp_path / "release.csv")
    released = pacsv.read_csv(tmp_path / "release.csv")
    assert sorted(released["cost"].to_pylist()) == [1, 1.5, 2, 2, 2.25, 3.75]
    assert {moment.hour for moment in released["at"].to_pylist()} == {0, 1, 2}


def test_memory_is_a_number_with_a_unit() -> None:
    assert bytes_of("1.5 GB") == 1_500_000_000
    assert bytes_of(None) > 2**29
    with pytest.raises(InputError, match="at least 200MB"):
        bytes_of("1MB")


@pytest.mark.parametrize(("first_rows", "most_tuples"), [(20_000, 1 << 18), (2, 1 << 18), (2, 5)])
def test_columns_are_counted_together_or_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first_rows: int, most_tuples: int
) -> None:
    monkeypatch.setattr(profile, "_FIRST_ROWS", first_rows)
    monkeypatch.setattr(profile, "_MOST_TUPLES", most_tuples)
    # The first rows are alike, the others are not.
    table = pa.table(
        {
            "age": [20, 20, *range(20, 60)],
            "town": ["Bath", "Bath", *(["Ely", None, "Bath", "Wells"] * 10)],
            "new": [True, True, *([False, None] * 20)],
            "size": [1.5, 1.5, *([0.0, -0.0, None, 2.5] * 10)],
        }
    )
    path = tmp_path / "people.parquet"
    pq.write_table(table, path)
    spec = shoal.Spec(
        quasi_identifiers={
            "age": shoal.intervals(20, 40),
            **dict.fromkeys(["town", "new", "size"], "suppress"),
        },
        privacy=[shoal.KAnonymity(3)],
    )
    release = shoal.anonymize(path, spec, engine="duckdb")
    expected = shoal.anonymize(table, spec)
    assert release.levels == expected.levels
    assert release.class_sizes == expected.class_sizes
    assert release.score == expected.score


@pytest.mark.parametrize("suppressed", ["remove", "star"])
def test_no_label_of_a_suppressed_row_stays_in_a_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suppressed: str
) -> None:
    monkeypatch.chdir(tmp_path)  # the manifest of a table is written where one works
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE TABLE visits AS SELECT CASE WHEN i = 7 THEN 'Atlantis' WHEN i = 8 THEN 'Utopia' "
            "ELSE 'Bath' END AS town, 'flu' AS disease, i % 5 AS number FROM range(100) AS r (i)"
        )
    spec = shoal.Spec(
        quasi_identifiers={"town": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)},
        sensitive=["disease"],
        insensitive=["number"],
        privacy=[shoal.KAnonymity(2)],
        suppression=0.1,
        suppressed=suppressed,
    )
    shoal.anonymize(str(path), spec, table="visits", output_table="released")
    shoal.anonymize(str(path), spec, table="visits", output=tmp_path / "released.parquet")
    with duckdb.connect(path) as connection:
        kinds = dict(
            connection.execute("SELECT column_name, column_type FROM (DESCRIBE released)").fetchall()
        )
    assert (kinds["town"], kinds["disease"]) == ("VARCHAR", "VARCHAR")
    read = pq.read_table(tmp_path / "released.parquet", read_dictionary=["town"])
    labels = {text for chunk in read["town"].chunks for text in chunk.dictionary.to_pylist()}
    assert labels == ({"Bath"} if suppressed == "remove" else {"Bath", "*"})


def test_a_column_of_lists_is_told(tmp_path: Path) -> None:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE visits AS SELECT [i % 3] AS a, i % 5 AS b FROM range(300) AS r (i)")
    spec = shoal.Spec(quasi_identifiers={"a": "suppress", "b": "suppress"}, privacy=[shoal.KAnonymity(2)])
    with pytest.raises(InputError, match="cannot be compared"):
        shoal.anonymize(str(path), spec, table="visits")


def test_so_is_one_of_intervals(tmp_path: Path) -> None:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE TABLE visits AS SELECT INTERVAL (i % 3) MONTH AS stay FROM range(30) AS r (i)"
        )
    spec = shoal.Spec(quasi_identifiers={"stay": "suppress"}, privacy=[shoal.KAnonymity(2)])
    with pytest.raises(InputError, match="Column 'stay' has values that cannot be compared"):
        shoal.anonymize(str(path), spec, table="visits")


def test_a_folder_in_a_folder_is_not_replaced(tmp_path: Path) -> None:
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    (tmp_path / "out" / "old.parquet").mkdir(parents=True)
    (tmp_path / "out" / "old.parquet" / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match="not Parquet"):
        shoal.anonymize(tmp_path / "people.parquet", SPEC, engine="duckdb", output=tmp_path / "out")
    # One of nearly the same name does not matter.
    (tmp_path / "rel.parquet").mkdir()
    shoal.anonymize(tmp_path / "people.parquet", SPEC, engine="duckdb", output=tmp_path / "rel")


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_numbers_and_times_are_those_of_the_original_however_they_are_spelled(
    tmp_path: Path, zone: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB writes 7.0, 1e-05 and 12:30:00+00, and Arrow 7, 0.00001 and 12:30:00.000000Z."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    noon = datetime.datetime(2026, 1, 31, 12, 30)
    table = pa.table(
        {
            "town": ["Ulm"] * 8 + ["Bonn"],
            "cost": [7.0] * 4 + [1e-5] * 2 + [5e10] * 2 + [0.25],
            "seen": pa.array([noon] * 4 + [noon.replace(hour=13)] * 5, pa.timestamp("us", zone)),
        }
    )
    pq.write_table(table, tmp_path / "costs.parquet")
    spec = shoal.Spec(
        quasi_identifiers={"town": "suppress"},
        sensitive=["cost", "seen"],
        privacy=[shoal.KAnonymity(2), shoal.TCloseness("cost", 0.3), shoal.TCloseness("seen", 0.3)],
        suppression=0.2,
    )
    release = shoal.anonymize(tmp_path / "costs.parquet", spec, engine="duckdb")
    assert release.table.schema.field("seen").type.tz == zone
    path = release.write(tmp_path / "release.csv", report=True)
    found = shoal.audit_release(path, original=tmp_path / "costs.parquet")
    assert found.holds, found.render()
    assert shoal.assess_utility(tmp_path / "costs.parquet", path, spec).suppressed_rows == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a,b\n1,2\n3\n5,6\n", "1 row with another number of cells.*line 3 has 1 cell"),
        ("a,b\n1,2\r\n3,4\n5,6\r\n", "several ways.*2 end in LF, 2 end in CR LF, as on Windows"),
    ],
)
def test_what_is_wrong_in_a_file_that_duckdb_refuses(tmp_path, content, said):
    (tmp_path / "people.csv").write_bytes(content.encode())
    spec = shoal.Spec(quasi_identifiers=["a", "b"], privacy=shoal.KAnonymity(1), engine="duckdb")
    with pytest.raises(InputError, match=f"(?s){said}"):
        shoal.anonymize(tmp_path / "people.csv", spec)
