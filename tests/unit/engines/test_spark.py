"""Spark as a database, on two threads of this machine."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal.errors import InputError, MissingFileError, OutputError
from shoal.read.source import InputFormat
from shoal.write.output import FileOutput, TableOutput
from shoal.write.table_formats import write_table

pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'shoal[spark]'")

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from shoal.engines.spark import database as spark
from shoal.engines.spark import session, shuffle
from shoal.engines.spark.database import Spark, open_spark
from shoal.engines.spark.failure import known
from shoal.engines.spark.session import PINNED, SparkConnection, check_java
from shoal.engines.spark.shuffle import shuffled

# The conformance suite, the cluster and the page on it run with every change; all of this takes minutes.
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slow]

ODD_NAMES = ["age", "Age", "select", 'a"b', "c`d", "x; DROP TABLE visits --", "é.ü", " "]
ODD_TEXTS = ["", " ", "NULL", 'say "so"', "a,b", "two\nlines", "tab\t", "back\\slash", "ünï", "'", None]


@pytest.fixture
def opened(spark_session: SparkSession, tmp_path: Path) -> Iterator[Any]:
    """Open tables, each written to a Parquet file first, and close them all."""
    databases: list[Spark] = []

    def opening(data: Any, **more: Any) -> Spark:
        if isinstance(data, pa.Table):
            path = tmp_path / f"input-{len(databases)}.parquet"
            parquet.write_table(data, path)
            data = path
        databases.append(open_spark(data, spark_session, **more))
        return databases[-1]

    yield opening
    for database in databases:
        database.close()


def everything(database: Spark) -> str:
    columns = ", ".join(f"c{place} AS r{place}" for place in range(len(database.columns)))
    return f"SELECT {columns} FROM {database.input}"


def written(folder: Path) -> pa.Table:
    """Read a folder of Parquet files with Arrow alone."""
    return pa.concat_tables(parquet.read_table(path) for path in sorted(folder.glob("*.parquet")))


def counted(table: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_values_come_back_as_they_were(opened: Any) -> None:
    table = pa.table(
        {
            "int8": pa.array([1, None, -128], pa.int8()),
            "int32": pa.array([1, None, 2**31 - 1], pa.int32()),
            "int64": pa.array([1, None, -(2**63)], pa.int64()),
            "float32": pa.array([0.5, None, -1.25], pa.float32()),
            "float64": pa.array([0.1, None, 1e300], pa.float64()),
            "decimal": pa.array([Decimal("1.50"), None, Decimal("-99999999.99")], pa.decimal128(10, 2)),
            "boolean": pa.array([True, None, False]),
            "date": pa.array([dt.date(2024, 2, 29), None, dt.date(1400, 1, 1)]),
            "naive": pa.array(
                [dt.datetime(2024, 3, 31, 2, 30, 0, 1), None, dt.datetime(1500, 1, 1)], pa.timestamp("us")
            ),
            "aware": pa.array([0, None, 1_700_000_000_123_456], pa.timestamp("us", "UTC")),
            "text": pa.array(["é", None, ""]),
        }
    )
    database = opened(table)
    found = database.fetch(f"SELECT * FROM {database.input}")
    assert database.columns == tuple(table.column_names)
    assert list(database.schema.values()) == [
        "int8", "int32", "int64", "float32", "float64", "decimal(10, 2)", "boolean", "date", "timestamp",
        "timestamp('UTC')", "string",
    ]  # fmt: skip
    assert found.rename_columns(table.column_names).equals(table)
    assert database.rows(f"SELECT c10, c7 FROM {database.input} WHERE c0 = 1") == [
        ("é", dt.date(2024, 2, 29))
    ]


def test_other_types_become_text(opened: Any) -> None:
    table = pa.table({"list": [[1, 2], None], "map": [{"a": 1, "b": None}, None], "bytes": [b"a\xff", b""]})
    database = opened(table)
    assert set(database.schema.values()) == {"string"}
    assert database.rows(f"SELECT * FROM {database.input}") == [
        ("[1,2]", '{"a":1,"b":null}', "61FF"),
        (None, None, ""),
    ]


def test_equal_values_are_one_value(opened: Any) -> None:
    database = opened(pa.table({"x": [0.0, -0.0, float("nan"), -float("nan"), None, None]}))
    found = database.rows(f"SELECT CAST(c0 AS STRING), COUNT(*) FROM {database.input} GROUP BY c0")
    assert Counter(dict(found)) == {"0.0": 2, "NaN": 2, None: 2}


def test_a_collation_does_not_merge_values(spark_session: SparkSession, opened: Any) -> None:
    frame = spark_session.sql("SELECT collate(x, 'UTF8_LCASE') AS x FROM VALUES ('a'), ('A') AS t(x)")
    database = opened(frame)
    assert len(database.rows(f"SELECT c0 FROM {database.input} GROUP BY c0")) == 2


def test_texts_for_null(opened: Any, tmp_path: Path) -> None:
    table = pa.table({"x": ["NA", "", "a", None], "y": [1, 2, 3, 4]})
    assert opened(table, null_values=["NA"]).fetch("SELECT 1").num_rows == 1
    database = opened(table, null_values=["NA", "?"])
    assert database.fetch(f"SELECT c0 FROM {database.input} ORDER BY c1")["c0"].to_pylist() == [
        None, "", "a", None,
    ]  # fmt: skip
    path = tmp_path / "cells.csv"
    path.write_text('x,y\n,1\n"",2\nNA,3\n"two\nlines",4\n 01 ,5\n', encoding="utf-8")
    as_it_is = opened(path)
    assert as_it_is.rows(f"SELECT c0 FROM {as_it_is.input} ORDER BY c1") == [
        (None,), ("",), ("NA",), ("two\nlines",), (" 01 ",),
    ]  # fmt: skip
    told = opened(path, null_values=["NA"])
    assert [row[0] for row in told.rows(f"SELECT c0 FROM {told.input} ORDER BY c1")][:3] == ["", "", None]


@pytest.mark.parametrize("suffix", ["", ".parquet", ".csv", ".csv.gz"])
def test_odd_names_and_texts_in_files(opened: Any, tmp_path: Path, suffix: str) -> None:
    columns = {name: random.Random(name).sample(ODD_TEXTS, len(ODD_TEXTS)) for name in ODD_NAMES}
    database = opened(pa.table(columns))
    target = tmp_path / f"release{suffix}"
    stored = database.store(everything(database), ODD_NAMES, FileOutput(target))
    assert stored.rows == len(ODD_TEXTS)
    assert not target.exists()
    assert all(file.parents[1].name.startswith(".shoal-") for file in stored.files)
    again = f"SELECT * FROM {stored.relation}"
    assert counted(database.fetch(again)) == counted(pa.table(columns))
    stored.publish()
    assert counted(database.fetch(again)) == counted(pa.table(columns))
    assert {file.parent for file in stored.files} == {target}
    assert [entry.name for entry in target.iterdir() if entry.name.startswith(("_", "."))] == []
    assert not list(target.parent.glob(".shoal-*"))
    if ".csv" not in suffix:
        assert written(target).column_names == ODD_NAMES
        assert counted(written(target)) == counted(pa.table(columns))
        return
    # The same table as Shoal itself writes it, record by record.
    own = tmp_path / f"own{suffix}"
    write_table(pa.table(columns), own, InputFormat())
    read = gzip.open if suffix == ".csv.gz" else open
    records = []
    for path in (own, *stored.files):
        with read(path, "rt", encoding="utf-8", newline="") as file:  # type: ignore[operator]
            header, *rest = csv.reader(file)
        assert header == ODD_NAMES
        records.append(Counter(map(tuple, rest)))
    assert records[0] == sum(records[1:], Counter())
    if suffix == ".csv":
        texts = [
            path.read_bytes().removeprefix(",".join(ODD_NAMES).encode()) for path in (own, *stored.files)
        ]
        assert Counter(b"".join(texts[1:])) == Counter(texts[0])  # not one quote more or less


def test_a_single_column_of_nulls_in_csv(opened: Any, tmp_path: Path) -> None:
    database = opened(pa.table({"x": ["a", None, ""]}))
    with pytest.raises(OutputError, match="which becomes an empty line"):
        database.store(everything(database), ["x"], FileOutput(tmp_path / "x.csv"))
    sql = f"SELECT c0 AS r0 FROM {database.input} WHERE c0 IS NOT NULL"
    stored = database.store(sql, ["x"], FileOutput(tmp_path / "x.csv"))
    assert counted(database.fetch(f"SELECT * FROM {stored.relation}")) == {("a",): 1, ("",): 1}
    with pytest.raises(InputError, match="has one column"):
        opened(stored.files[0])


def test_an_empty_table(opened: Any, tmp_path: Path) -> None:
    database = opened(pa.table({"x": pa.array([], pa.int64())}))
    stored = database.store(everything(database), ["x"], FileOutput(tmp_path / "out"))
    stored.publish()
    assert stored.rows == 0
    assert database.rows(f"SELECT COUNT(*) FROM {stored.relation}") == [(0,)]


def test_old_output_stays_until_the_new_one_is_there(opened: Any, tmp_path: Path) -> None:
    target = FileOutput(tmp_path / "release")
    first = opened(pa.table({"x": [1, 2]}))
    first.store(everything(first), ["x"], target).publish()
    second = opened(pa.table({"x": [3]}))
    second.store(everything(second), ["x"], target).discard()
    assert counted(written(target.path)) == {(1,): 1, (2,): 1}
    forgotten = second.store(everything(second), ["x"], target)
    second.close()
    assert not any(file.exists() for file in forgotten.files)
    third = opened(pa.table({"x": [3]}))
    stored = third.store(everything(third), ["x"], target)
    stored.publish()
    stored.discard()
    assert counted(written(target.path)) == {(3,): 1}
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("input")) == [
        "release"
    ]


@pytest.mark.parametrize("name", ["release", "release.parquet", "release.csv", "release.csv.gz"])
def test_a_release_replaces_an_earlier_one(spark_session: SparkSession, tmp_path: Path, name: str) -> None:
    spec = shoal.Spec(quasi_identifiers={"x": "suppress"}, privacy=[shoal.KAnonymity(2)])
    target = tmp_path / name
    for values in ([1, 1], [2, 2, 2]):
        release = shoal.anonymize(spark_session.createDataFrame(pa.table({"x": values})), spec, output=target)
        assert shoal.audit_release(target).rows == len(values)
        release.write(target, report=True)  # once more, with further evidence
        assert shoal.audit_release(target).holds
    assert Path(f"{target}.report.html").exists()


@pytest.mark.parametrize("name", ["release", "release.csv"])
@pytest.mark.parametrize("other", ["thesis.txt", "thesis/part-0.csv", "thesis.parquet/part-0.parquet"])
def test_a_folder_with_other_things_stays(opened: Any, tmp_path: Path, name: str, other: str) -> None:
    kept = tmp_path / name / other
    kept.parent.mkdir(parents=True)
    kept.write_text("ten years of work", encoding="utf-8")
    with pytest.raises(OutputError, match="All that is in it would be replaced"):
        opened(pa.table({"x": [1]})).check(FileOutput(tmp_path / name))
    assert kept.read_text(encoding="utf-8") == "ten years of work"


def test_a_file_that_is_no_release_stays(opened: Any, tmp_path: Path) -> None:
    (tmp_path / "release").write_text("ten years of work", encoding="utf-8")
    database = opened(pa.table({"x": [1]}))
    with pytest.raises(OutputError, match="a file of that name already exists"):
        database.check(FileOutput(tmp_path / "release"))


def test_another_delimiter_is_asked_for(opened: Any, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age;ill\n34;flu\n", encoding="utf-8")
    with pytest.raises(InputError, match="its first row has ';' instead"):
        opened(path)


def test_a_table_of_the_catalog(spark_session: SparkSession, opened: Any) -> None:
    spark_session.sql("CREATE SCHEMA IF NOT EXISTS clinic")
    name = "clinic.`visits_release`"
    for values in ([1, 2], [3]):
        database = opened(pa.table({"x": values, "X": values}))
        database.check(TableOutput(name))
        stored = database.store(everything(database), ["x", "X"], TableOutput(name))
        assert database.rows(f"SELECT COUNT(*) FROM {stored.relation}") == [(len(values),)]
        stored.publish()
        assert sorted(row[0] for row in database.rows(f"SELECT * FROM {stored.relation}")) == values
    forgotten = database.store(everything(database), ["x", "X"], TableOutput("clinic.other"))
    database.close()
    assert forgotten.rows == 1
    tables = [table.name for table in spark_session.catalog.listTables("clinic") if not table.isTemporary]
    assert tables == ["visits_release"]
    again = opened(name)
    assert again.columns == ("x", "X")
    with pytest.raises(OutputError, match="It is the input"):
        again.check(TableOutput(name))
    with pytest.raises(OutputError, match="no schema 'nowhere'"):
        again.check(TableOutput("nowhere.release"))
    with pytest.raises(OutputError, match="not the name of a table"):
        again.check(TableOutput("a..b"))


@pytest.mark.parametrize("name", ["release", "release.csv"])
def test_a_published_folder_is_published_again_only_as_it_was(opened: Any, tmp_path: Path, name: str) -> None:
    target = FileOutput(tmp_path / name)
    database = opened(pa.table({"x": [1, 2]}))
    first, second = (database.store(everything(database), ["x"], target) for _ in range(2))
    first.publish()
    before = sorted(path.name for path in target.path.iterdir())
    first.publish()
    first.discard()
    assert sorted(path.name for path in target.path.iterdir()) == before
    first.check()
    second.publish()
    for again in (first.check, first.publish):
        with pytest.raises(OutputError, match="changed or replaced"):
            again()
    second.check()
    shutil.rmtree(target.path)
    with pytest.raises(OutputError, match="changed or replaced"):
        second.publish()
    third = database.store(everything(database), ["x"], target)
    third.discard()
    for again in (third.check, third.publish):
        with pytest.raises(OutputError, match="They were not published"):
            again()
    assert not target.path.exists()


class Refusing:
    """A file system of Java's that fails when a certain folder is to be renamed."""

    def __init__(self, files: Any, folder: str) -> None:
        self._files, self._folder = files, folder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)

    def rename(self, old: Any, new: Any) -> Any:
        if old.toString() == self._folder:
            raise Py4JError("An error occurred while calling rename")
        return self._files.rename(old, new)


@pytest.mark.parametrize("loss", ["removed", "refused"])
def test_a_folder_stays_if_the_new_one_cannot_take_its_place(opened: Any, tmp_path: Path, loss: str) -> None:
    target = FileOutput(tmp_path / "release")
    database = opened(pa.table({"x": [1, 2]}))
    database.store(everything(database), ["x"], target).publish()
    stored = database.store("SELECT 3 AS r0", ["x"], target)
    folder = stored._folder
    if loss == "removed":
        shutil.rmtree(stored.files[0].parent)
    else:
        folder._files = Refusing(folder._files, folder.hidden)
    with pytest.raises(OutputError, match="are gone" if loss == "removed" else "could not be published"):
        stored.publish()
    assert counted(written(target.path)) == {(1,): 1, (2,): 1}
    stored.discard()
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_table_of_the_catalog_gets_evidence_once(opened: Any) -> None:
    target = TableOutput("shoal_once")
    database = opened(pa.table({"x": [1, 2]}))
    first, second = (database.store(everything(database), ["x"], target) for _ in range(2))
    first.publish()
    first.check()
    with pytest.raises(OutputError, match="published already, as the table 'shoal_once'"):
        first.publish()
    second.publish()
    for again in (first.check, first.publish):
        with pytest.raises(OutputError, match="changed or replaced"):
            again()
    second.check()
    third = database.store(everything(database), ["x"], target)
    third.discard()
    with pytest.raises(OutputError, match="They were not published"):
        third.publish()
    database.session.sql("DROP TABLE shoal_once")


def test_a_frame_stays_when_all_else_goes(spark_session: SparkSession) -> None:
    frame = spark_session.createDataFrame(pa.table({"x": [1, 2, 2]}))
    before = {key: spark_session.conf.get(key, None) for key in PINNED}
    views = {table.name for table in spark_session.catalog.listTables()}
    database = open_spark(frame)
    labels = database.put(pa.table({"value": [1, 2], "label": ["a", "b"]}), "labels")
    kept = database.keep(f"SELECT label, COUNT(*) AS n FROM {labels} GROUP BY label", "kept")
    assert sorted(database.rows(f"SELECT * FROM {kept}")) == [("a", 1), ("b", 1)]
    sql = f"SELECT label AS r0 FROM {database.input} LEFT JOIN {labels} ON c0 = value"
    stored = database.store(sql, ["label"], None)
    forgotten = database.store(sql, ["label"], None)
    assert stored.rows == forgotten.rows == 3
    stored.publish()
    database.close()
    assert sorted(row.label for row in stored.frame.collect()) == ["a", "b", "b"]
    assert stored.frame.storageLevel.useMemory
    assert not forgotten._frame.storageLevel.useMemory
    assert {table.name for table in spark_session.catalog.listTables()} == views
    assert {key: spark_session.conf.get(key, None) for key in PINNED} == before
    stored.frame.unpersist()


def test_small_tables_are_broadcast(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    database = opened(pa.table({"x": [1, 2]}))
    monkeypatch.setattr(spark, "_BROADCAST_BYTES", 1000)
    small = database.put(pa.table({"value": pa.array([1, 2], pa.uint8())}), "small")
    large = database.put(pa.table({"value": list(range(1000))}), "large")
    database.run("SET spark.sql.autoBroadcastJoinThreshold = -1")
    plans = [
        database.rows(f"EXPLAIN SELECT * FROM {database.input} LEFT JOIN {side} ON c0 = value")[0][0]
        for side in (small, large)
    ]
    database.run("RESET spark.sql.autoBroadcastJoinThreshold")
    assert ["BroadcastHashJoin" in plan for plan in plans] == [True, False]


def test_the_order_tells_nothing(
    spark_session: SparkSession, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = list(range(2000))
    orders = []
    for rows in (values, values[::-1]):
        frame = spark_session.createDataFrame(pa.table({"x": rows})).coalesce(1)
        database = opened(frame)
        with monkeypatch.context() as patch:
            patch.setattr(shuffle, "_number", itertools.count(7**20).__next__)
            stored = database.store(everything(database), ["x"], None)
        orders.append([row.x for row in stored.frame.collect()])
    # The same rows in another order are released in the same order: it comes from the rows alone.
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == values
    ascents = sum(a < b for a, b in zip(orders[0], orders[0][1:], strict=False))
    assert 900 < ascents < 1100
    another = [row.x for row in database.store(everything(database), ["x"], None).frame.collect()]
    assert another != orders[0]


def test_equal_rows_are_spread(spark_session: SparkSession) -> None:
    frame = spark_session.range(0, 40_000, 1, 32).select(F.lit("same").alias("x"))
    spark_session.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
    try:
        found = shuffled(frame, ["x"]).groupBy(F.spark_partition_id()).count().collect()
    finally:
        spark_session.conf.unset("spark.sql.adaptive.coalescePartitions.enabled")
    sizes = [row[1] for row in found]
    assert sum(sizes) == 40_000
    assert max(sizes) < 40_000


def test_rows_that_may_change_are_held(spark_session: SparkSession, opened: Any, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    spark_session.range(0, 1000, 1, 4).write.parquet(str(folder))
    database = opened(spark_session.read.parquet(str(folder)).limit(100))
    rows = database.rows(f"SELECT c0 FROM {database.input}")
    shutil.rmtree(folder)
    assert len(rows) == 100
    assert database.rows(f"SELECT c0 FROM {database.input}") == rows


def test_metadata_of_columns_stays_behind(spark_session: SparkSession, opened: Any, tmp_path: Path) -> None:
    listing = {"ml_attr": {"vals": ["a secret"]}}
    frame = spark_session.range(3).select(F.col("id").alias("x", metadata=listing))
    database = opened(frame)
    stored = database.store(everything(database), ["x"], FileOutput(tmp_path / "out"))
    assert stored.files
    for file in stored.files:
        assert b"a secret" not in file.read_bytes()


def test_what_is_not_there(spark_session: SparkSession, opened: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no table 'nosuch' in Spark's catalog"):
        opened("nosuch")
    with pytest.raises(MissingFileError, match=r"'none\.parquet' does not exist"):
        opened(tmp_path / "none.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="'empty' holds no Parquet files"):
        opened(tmp_path / "empty")
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="A file of the table cannot be read"):
        opened(torn)
    with pytest.raises(InputError, match="repeats column names"):
        opened(spark_session.sql("SELECT 1 AS x, 2 AS x"))


def test_messages_quote_no_values(opened: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    database = opened(pa.table({"x": ["a-secret"]}))
    with pytest.raises(InputError, match="CAST_INVALID_INPUT") as told:
        database.rows(f"SELECT CAST(c0 AS INT) FROM {database.input}")
    assert "a-secret" not in str(told.value)
    path = tmp_path / "torn.csv"
    path.write_text("x,y\na-secret,1\na-secret,1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="A CSV file is not one table") as told:
        torn = opened(path)
        torn.rows(f"SELECT * FROM {torn.input}")
    assert "a-secret" not in str(told.value)
    out, err = capfd.readouterr()
    assert "a-secret" not in out + err


def test_files_that_go_away(opened: Any, tmp_path: Path) -> None:
    table = pa.table({"x": [1, 2]})
    database = opened(table)
    Path(database.session.table(database.input).inputFiles()[0].removeprefix("file://")).unlink()
    with pytest.raises(InputError, match="The table no longer exists"):
        database.rows(f"SELECT * FROM {database.input}")
    with pytest.raises(InputError, match="The table no longer exists"):
        database.store(everything(database), ["x"], FileOutput(tmp_path / "out"))
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []


def test_outputs_that_are_refused(opened: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    parquet.write_table(pa.table({"x": [1]}), folder / "one.parquet")
    database = opened(folder)
    with pytest.raises(InputError, match=r"does not write files like 'release\.xlsx'"):
        database.check(FileOutput(tmp_path / "release.xlsx"))
    with pytest.raises(OutputError, match="The input is there"):
        database.check(FileOutput(folder))
    with pytest.raises(OutputError, match="Its folder does not exist"):
        database.check(FileOutput(tmp_path / "nowhere" / "release"))
    with pytest.raises(OutputError, match="knows no such file system"):
        database.check(FileOutput(Path("nosuch://bucket/release")))
    database.check(FileOutput(tmp_path / "release"))


def test_a_result_too_large_for_the_driver(opened: Any, spark_session: SparkSession) -> None:
    database = opened(pa.table({"x": [1]}))
    limit = spark_session.sparkContext._jsc.sc().conf()  # type: ignore[attr-defined]
    limit.set("spark.driver.maxResultSize", "1k")
    try:
        with pytest.raises(InputError, match=r"spark\.driver\.maxResultSize"):
            database.fetch("SELECT id FROM range(0, 100000, 1, 4)")
    finally:
        limit.set("spark.driver.maxResultSize", "1g")


@pytest.mark.parametrize(
    ("said", "kind", "told"),
    [
        ("Job aborted. Caused by: java.io.IOException: No space left on device", OutputError, "disk space"),
        (
            "org.apache.hadoop.security.AccessControlException: Permission denied: user=a",
            OutputError,
            "may not",
        ),
        ("java.lang.OutOfMemoryError: Java heap space", InputError, "ran out of memory"),
        ("Job 3 cancelled as part of cancellation of all jobs", InputError, "was cancelled in Spark"),
        ("Answer from Java side is empty", InputError, "Spark ended in the middle"),
        ("a row: a-secret", OutputError, "could not write the release"),
    ],
)
def test_what_spark_says_in_other_words(said: str, kind: type[Exception], told: str) -> None:
    error = known(ConnectionError(said), writing=True)
    assert type(error) is kind
    assert told in str(error)
    assert "a-secret" not in str(error)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise")
def test_an_interrupt_cancels_the_jobs(opened: Any, spark_session: SparkSession, tmp_path: Path) -> None:
    database = opened(pa.table({"x": [1]}))
    context: Any = spark_session.sparkContext
    ended = threading.Event()

    def interrupt() -> None:
        while not context.statusTracker().getActiveJobsIds():
            if ended.wait(0.05):
                return
        os.kill(os.getpid(), signal.SIGINT)

    slow = "SELECT SUM(hash(a.id, b.id)) AS r0 FROM range(0, 1000000, 1, 4) a CROSS JOIN range(1000000) b"
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            database.store(slow, ["n"], FileOutput(tmp_path / "out"))
    finally:
        ended.set()
        thread.join()
    while context.statusTracker().getActiveJobsIds():  # Spark's bookkeeping lags behind
        thread.join(0.1)
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == []
    assert database.rows("SELECT 1") == [(1,)]


def test_a_session_of_ours_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopping:
        stopped = False

        def stop(self) -> None:
            self.stopped = True

    for owned in (True, False):
        fake = Stopping()
        SparkConnection(fake, owned=owned).stop()  # type: ignore[arg-type]
        assert fake.stopped == owned


def test_the_active_session_is_found(spark_session: SparkSession) -> None:
    found = SparkConnection.found()
    assert found.spark is spark_session
    assert not found.owned


@pytest.mark.skipif(os.name == "nt", reason="a program of the test is a shell script")
def test_java_that_is_missing_or_old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(InputError, match=r"Spark needs Java\.\nJAVA_HOME is .*, and no java is there"):
        check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="No java is on the path"):
        session.start()
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    with pytest.raises(InputError, match=r"Java 17 or newer\.\nFound: Java 8"):
        check_java()


def test_a_session_is_started_and_stopped_for_a_command(tmp_path: Path) -> None:
    program = "import sys; from shoal.cli.main import main; sys.argv[0] = 'shoal'; main()"
    (tmp_path / "people.csv").write_text("age,ill\n34,flu\n37,cold\n51,flu\n58,\n", encoding="utf-8")
    command = ["anonymize", "people.csv", "--engine", "spark", "-k", "2", "--output", "release"]
    roles = ["--qi", "age=intervals:10,20", "--sensitive", "ill"]
    done = subprocess.run(
        [sys.executable, "-c", program, *command, *roles],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(shoal.__file__).parents[1])},
        check=False,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert "WARN" not in done.stdout + done.stderr  # not one of the lines that Spark prints when it starts
    assert counted(written(tmp_path / "release")) == {
        ("[30, 40)", "flu"): 1,
        ("[30, 40)", "cold"): 1,
        ("[50, 60)", "flu"): 1,
        ("[50, 60)", None): 1,
    }


@pytest.mark.skipif(sys.platform == "win32", reason="needs permissions of POSIX")
@pytest.mark.parametrize("said", [True, False])
def test_what_spark_sorts_is_closed_to_others(
    said: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark's own folder is open to whoever has an account, and a killed run leaves the rows there."""
    made: list[Any] = []
    monkeypatch.setattr(session, "check_java", lambda: None)
    monkeypatch.setattr(session, "launch_gateway", lambda *_, **__: None)
    monkeypatch.setattr(session, "SparkContext", _NoContext(made))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in session._SETTINGS_OF_USER:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("SPARK_LOCAL_DIRS", raising=False)
    if said:
        monkeypatch.setenv("SPARK_LOCAL_DIRS", "/somewhere")
    session._start_java()
    folders = list(tmp_path.glob(".shoal-*"))
    if said:
        assert not folders
    else:
        assert [str(folder) for folder in folders] == [made[0].get("spark.local.dir")]
        assert folders[0].stat().st_mode & 0o777 == 0o700


class _NoContext:
    """Takes the settings that Spark would be started with."""

    _gateway = None

    def __init__(self, made: list[Any]) -> None:
        self.made = made

    def __call__(self, *, conf: Any, gateway: object) -> None:
        self.made.append(conf)
