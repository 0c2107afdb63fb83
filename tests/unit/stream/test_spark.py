"""A real stream of Spark: files come into a folder, the query dies in the middle, and another one goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyarrow import csv

from shoal.stream import stream as streams

from .test_stream import Visits, numbers, opened, output  # noqa: F401 (a fixture)


def read_to_the_end(spark: Any, inbox: Path, checkpoint: Path, sink: Any) -> None:
    """Run a query over all files that are there, one file to a micro-batch."""
    frame = (
        spark.readStream.format("csv")
        .option("header", "true")
        .option("maxFilesPerTrigger", 1)
        .schema("name string, age int, zip int, disease string, visit int")
        .load(str(inbox))
    )
    query = (
        frame.writeStream.foreachBatch(sink)
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    try:
        query.awaitTermination()
    finally:
        query.stop()


def test_a_query_that_is_killed_and_restarted_releases_each_row_once(
    quick_spark: Any,
    output: Path,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pyspark.errors import StreamingQueryException

    visits, inbox, checkpoint = Visits(), output.parent / "inbox", output.parent / "checkpoint"
    inbox.mkdir()
    for number in range(4):
        csv.write_csv(visits.batch(60), inbox / f"{number}.csv")
    stream = opened(output, delay=1)

    # The rows are settled, and the query dies before Spark and the output know.
    def dies(*_: Any) -> None:
        raise ConnectionError("The driver is gone.")

    with monkeypatch.context() as patched, pytest.raises(StreamingQueryException):
        patched.setattr(streams, "publish_staged", dies)
        read_to_the_end(quick_spark, inbox, checkpoint, stream.for_each_batch)
    assert not list(output.glob("0*"))
    read_to_the_end(quick_spark, inbox, checkpoint, opened(output, delay=1).for_each_batch)
    assert len(list(output.glob("0*"))) == 2
    found = numbers(output)
    assert len(found) == len(set(found))
    assert found == list(range(visits.made))
    assert opened(output).waiting == 0


def test_a_micro_batch_comes_without_what_is_not_released(quick_spark: Any) -> None:
    from shoal.engines.spark.micro_batch import collected

    frame = quick_spark.createDataFrame(
        [("Ann", 31, b"a"), ("Bob", 42, None)], "name string, age int, code binary"
    )
    assert collected(frame, without=["name"]).to_pydict() == {"age": [31, 42], "code": ["61", None]}
