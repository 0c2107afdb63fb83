"""A session: what it reads and counts once, what it refuses, and how another thread ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.engines import memory
from shoal.events import Event, StepStarted
from shoal.read.source import InputFormat
from shoal.search import problem as problem_module

DISEASES = ["flu", "cold", "asthma", "HIV"]


def people(rows: int = 600) -> pa.Table:
    return pa.table(
        {
            "age": [20 + row * 7 % 50 for row in range(rows)],
            "zip": [f"537{row * 13 % 40:02}" for row in range(rows)],
            "sex": ["FM"[row * 3 % 7 % 2] for row in range(rows)],
            "disease": [DISEASES[row * 5 % 11 % 4] for row in range(rows)],
        }
    )


def spec(k: int = 2, **changes: Any) -> shoal.Spec:
    settings: dict[str, Any] = {
        "quasi_identifiers": {
            "age": shoal.intervals(5, 10, 20),
            "zip": shoal.prefix(5),
            "sex": "suppress",
        },
        "sensitive": ["disease"],
        "privacy": [shoal.KAnonymity(k)],
    }
    return shoal.Spec(**{**settings, **changes})


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count how often the table is read, coded and grouped."""
    counts = {"read": 0, "coded": 0, "grouped": 0}

    def counting(module: Any, name: str, what: str) -> None:
        function: Callable[..., Any] = getattr(module, name)

        def count(*arguments: Any, **options: Any) -> Any:
            counts[what] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(module, name, count)

    counting(memory, "read_tables", "read")
    counting(memory, "code_table", "coded")
    counting(problem_module, "kernel_table", "grouped")
    return counts


def test_another_k_weight_level_or_limit_reads_and_counts_nothing_again(work: dict[str, int]) -> None:
    table, first = people(), spec()
    columns = dict(first.quasi_identifiers)
    heavier = replace(first, quasi_identifiers={**columns, "age": replace(columns["age"], weight=5.0)})
    lower = replace(first, quasi_identifiers={**columns, "zip": replace(columns["zip"], max_level=1)})
    variants = [
        first,
        spec(7),
        heavier,
        replace(first, suppression=0.05),
        replace(first, quality="precision"),
        lower,
    ]
    with shoal.Session(table, first) as session:
        found = [session.search(each) for each in variants]
        assert (work["read"], work["coded"]) == (1, 1)
        # The lattice of the narrower levels is another one, and so has maps of its own.
        assert work["grouped"] == 2
    for each, variant in zip(found, variants, strict=True):
        alone = shoal.anonymize(table, variant)
        assert (each.levels, each.score, each.optimal) == (alone.levels, alone.score, alone.optimal)


def test_a_model_on_a_new_column_is_read_for_once(work: dict[str, int]) -> None:
    diverse = spec(privacy=[shoal.KAnonymity(2), shoal.LDiversity("disease", 2)])
    with shoal.Session(people(), spec()) as session:
        session.search()
        found = session.search(diverse)
        session.search(replace(diverse, privacy=(*diverse.privacy[:1], shoal.LDiversity("disease", 3))))
        assert work["read"] == 2
    assert found.levels == shoal.anonymize(people(), diverse).levels
    work["read"] = 0
    with shoal.Session(people(), spec(), also=[diverse]) as session:
        session.search()
        session.search(diverse)
        assert work["read"] == 1


def test_releases_of_one_session_are_those_of_single_runs(tmp_path: Path) -> None:
    with shoal.Session(people(), spec(), seed=1) as session:
        for k in (2, 9):
            release = session.release(session.search(k=k))
            alone = shoal.anonymize(people(), spec(k), seed=1)
            assert release.levels == alone.levels
            assert release.table == alone.table
            release.write(tmp_path / f"{k}.csv")
            assert shoal.audit_release(tmp_path / f"{k}.csv", spec(k)).holds


def test_a_release_needs_nothing_of_other_specs(tmp_path: Path) -> None:
    """The audit of a spec refused the original table, which was there for a model of another one."""
    plain = spec()
    close = spec(privacy=[shoal.KAnonymity(2), shoal.TCloseness("disease", 0.9)])
    other_roles = replace(plain, sensitive=[], insensitive=["disease"], accept={"disease": "linkable"})
    cases = [(close, plain, []), (plain, plain, [close]), (other_roles, close, [plain, close])]
    for first, then, also in cases:
        with shoal.Session(people(), first, also=also) as session:
            for each in (first, then):
                release = session.release(session.search(each))
                assert release.levels == shoal.anonymize(people(), each).levels
                assert not shoal.audit_release(release.write(tmp_path / "release.csv")).fails


def test_one_choice_of_levels_is_evaluated() -> None:
    with shoal.Session(people(), spec(5)) as session:
        best = session.search()
        assert session.evaluate(best.levels) == shoal.session.Evaluated(best.levels, True, 0, best.score)
        lowest = session.evaluate({"age": 0, "zip": 0, "sex": 0})
        assert not lowest.satisfies
        assert lowest.suppressed_rows > 0
        with pytest.raises(shoal.InputError, match="has levels 0 to"):
            session.evaluate({"age": 99, "zip": 0, "sex": 0})
        with pytest.raises(shoal.InputError, match="is not a quasi-identifier"):
            session.evaluate({"age": 0, "zip": 0, "sex": 0, "disease": 0})


def test_a_level_that_a_hierarchy_does_not_have_is_refused_before_the_search() -> None:
    first = spec()
    columns = dict(first.quasi_identifiers)
    with shoal.Session(people(), first) as session:
        session.search()
        higher = {**columns, "sex": replace(columns["sex"], max_level=4)}
        with pytest.raises(shoal.InputError, match="levels 0 to 1"):
            session.search(replace(first, quasi_identifiers=higher))


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("step", ["read", "encode", "search", "recode", "audit"])
def test_a_run_is_cancelled_from_another_thread_in_any_step(step: str, engine: str, tmp_path: Path) -> None:
    """The other thread cancels as soon as the step begins; nothing is left, and the old file stays."""
    data, output = tmp_path / "people.parquet", tmp_path / "release.csv"
    pq.write_table(people(), data)
    output.write_text("old")
    begun, cancelled = threading.Event(), threading.Event()

    def listen(event: Event) -> None:
        if isinstance(event, StepStarted) and event.step == step:
            begun.set()
            cancelled.wait()

    session = shoal.Session(data, spec(), engine=engine, output=output, listener=listen)

    def cancel() -> None:
        begun.wait()
        session.cancel()
        cancelled.set()

    other = threading.Thread(target=cancel, daemon=True)
    other.start()
    with pytest.raises(shoal.CancelledError), session:
        release = session.release()
        release.write(output)
    other.join()
    assert output.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "release.csv"]
    with pytest.raises(shoal.CancelledError):
        session.search()


def test_a_search_in_the_kernel_is_cancelled() -> None:
    """The lattice has a hundred million nodes: without the signal this would take minutes."""
    from shoal.cancellation import Cancellation
    from shoal.data.shapes import shape
    from shoal.measure.entropy import Entropy
    from shoal.privacy.k_anonymity import KAnonymity
    from shoal.search.algorithms.box import Box
    from shoal.search.problem import SearchProblem

    problem = SearchProblem(shape("ihis", rows=200_000), (KAnonymity(50),), Entropy(), 0.02)
    cancellation = Cancellation()
    timer = threading.Timer(0.2, cancellation.cancel)
    timer.start()
    with pytest.raises(shoal.CancelledError), cancellation.guard():
        while True:  # however fast the machine is
            Box().search(replace(problem), all_nodes=True, threads=2)
    timer.join()


def test_one_format_for_all_specs(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("sex\nF\nF\nNA\nNA\n", encoding="utf-8")
    plain = shoal.Spec(quasi_identifiers={"sex": "suppress"}, privacy=[shoal.KAnonymity(2)])
    other = replace(plain, input=InputFormat(null_values=["NA"]))
    with (
        shoal.Session(tmp_path / "people.csv", plain) as session,
        pytest.raises(shoal.InputError, match="another `input:`"),
    ):
        session.search(other)
    with shoal.Session(tmp_path / "people.csv", other) as session:
        release = session.release(session.search(plain))
        assert release.table["sex"].null_count == 2
        assert release.spec.input == other.input


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_no_release_replaces_what_it_is_made_of(tmp_path: Path, engine: str) -> None:
    table, sexes = tmp_path / "people.csv", tmp_path / "sex.csv"
    pyarrow.csv.write_csv(people(), table)
    sexes.write_text("F;*\nM;*\n", encoding="utf-8")
    before = {path: path.read_bytes() for path in (table, sexes)}
    wanted = spec(quasi_identifiers={"age": shoal.intervals(20), "sex": shoal.hierarchy_file(sexes)})
    wanted = replace(wanted, identifiers=["zip"])
    release = shoal.anonymize(table, wanted, engine=engine)
    again = tmp_path / "again.csv"
    again.hardlink_to(table)
    for path in (table, sexes, again):
        with pytest.raises(shoal.OutputError, match="which is in use"):
            shoal.anonymize(table, wanted, engine=engine, output=path)
        with pytest.raises(shoal.OutputError, match="which is in use"):
            release.write(path)
    with pytest.raises(shoal.OutputError, match="which is in use"):
        release.write(tmp_path / "release.csv", manifest=sexes)
    assert {path: path.read_bytes() for path in before} == before
    release.write(tmp_path / "release.csv")
    pyarrow.csv.write_csv(people(1200).slice(600), tmp_path / "new.csv")
    extension = shoal.extend(
        f"{tmp_path / 'release.csv'}.manifest.json", tmp_path / "new.csv", original=table, new_people=True
    )
    for path in (table, sexes, tmp_path / "new.csv"):
        with pytest.raises(shoal.OutputError, match="which is in use"):
            extension.write(path)


@pytest.mark.parametrize(
    ("table", "output", "refused"),
    [
        ("visits", "visits", True),
        ("visits", "main.VISITS", True),
        ("seen", "visits", True),
        ("(SELECT age FROM visits)", "visits", True),
        ("old.visits", "old.visits", True),
        ("old.visits", "visits", False),
        ("visits", "new", False),
    ],
)
def test_no_release_replaces_the_table_that_it_is_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, output: str, refused: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("clinic.duckdb") as connection:
        connection.execute(
            "CREATE SCHEMA old; CREATE TABLE visits AS SELECT 20 + i % 9 AS age FROM range(90) t(i)"
        )
        connection.execute("CREATE TABLE old.visits AS FROM visits; CREATE VIEW seen AS FROM visits")
    wanted = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(20)])
    if refused:
        with pytest.raises(shoal.OutputError, match="The input is read from it"):
            shoal.anonymize("clinic.duckdb", wanted, table=table, output_table=output)
    else:
        shoal.anonymize("clinic.duckdb", wanted, table=table, output_table=output)
    with duckdb.connect("clinic.duckdb") as connection:
        assert connection.sql(f"SELECT count(DISTINCT age) FROM {table}").fetchall() == [(9,)]


def test_a_table_of_duckdb_is_written_by_a_session_that_was_opened_for_one(tmp_path: Path) -> None:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE visits AS SELECT 20 + i % 9 AS age FROM range(90) t(i)")
    wanted = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(20)])
    with (
        shoal.Session(path, wanted, table="visits") as session,
        pytest.raises(shoal.InputError, match=r"open for reading only[^$]*Session\(..., output_table=...\)"),
    ):
        session.release(output_table="new")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_closed_session_says_so(engine: str, tmp_path: Path) -> None:
    """What was found within `with`, and released behind it, ended with an error of DuckDB."""
    pyarrow.csv.write_csv(people(), tmp_path / "people.csv")
    with shoal.Session(tmp_path / "people.csv", spec(), engine=engine) as session:
        found = session.search(all_nodes=True)
    assert found.nodes is not None
    for late in (
        session.search,
        session.plan,
        found.nodes.release,
        lambda: session.release(found),
        lambda: session.evaluate(found.levels),
    ):
        with pytest.raises(shoal.InputError, match="The session is closed"):
            late()
