"""The rows of a micro-batch of Spark Structured Streaming, on the driver."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa
from pyspark.sql import DataFrame

from shoal.engines.spark.columns import settled
from shoal.engines.spark.failure import explained
from shoal.engines.spark.session import SparkConnection


def collected(frame: DataFrame, *, without: Collection[str] = ()) -> pa.Table:
    """Return the rows of a frame in types that every engine knows, without some of its columns."""
    names = [name for name in frame.columns if name not in without]
    session = SparkConnection(frame.sparkSession, owned=False)
    with session.pinned(), explained():
        own, _ = settled(frame.drop(*without), "the micro-batch")
        table: pa.Table = session.act("collecting a micro-batch", own.toArrow)
    return table.rename_columns(names)
