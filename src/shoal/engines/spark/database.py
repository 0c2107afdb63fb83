"""Spark as a database: SQL on a session's tables, and the release written by its executors."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)

from shoal.engines.relational.star_schema import Dimension
from shoal.engines.spark.columns import settled
from shoal.engines.spark.failure import explained
from shoal.engines.spark.output import UnpublishedCatalogTable, UnpublishedFolder, UnpublishedFrame
from shoal.engines.spark.output_names import check_folder, check_table, local_path
from shoal.engines.spark.session import SparkConnection
from shoal.engines.spark.shuffle import shuffled
from shoal.engines.spark.source import CsvFormat, Opened, opened
from shoal.errors import OutputError, ShoalError
from shoal.read.source import check_names
from shoal.write.output import FileOutput, Output, TableOutput

UnpublishedBySpark: TypeAlias = UnpublishedFrame | UnpublishedFolder | UnpublishedCatalogTable

_BROADCAST_BYTES = 50 << 20
"""Tables up to this size go to every executor as a whole."""


def open_spark(
    data: DataFrame | str | os.PathLike[str],
    session: SparkSession | None = None,
    *,
    null_values: Sequence[str] | None = (),
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> Spark:
    """Open a table of Spark.

    Parameters
    ----------
    data
        A data frame of Spark; the name of a table (`clinic.visits`); or the path of Parquet or CSV files, as
        Spark takes it: a file, a folder, a pattern (`visits/*.parquet`), also `s3a://...` and the like.
    session
        The session to use, if `data` is no frame. If not given, it is the active one, or one is started.
    null_values
        The texts that stand for NULL. If not given, an empty cell of a CSV file without quotes is NULL.
    delimiter, quote, encoding
        Of CSV files; if not given `,` `"` and UTF-8.
    header
        Whether CSV files have a header. If not given, their first row must not look like data.

    Raises
    ------
    InputError
        There is no such table, or Spark cannot be started.
    """
    if isinstance(data, DataFrame):
        found = SparkConnection(data.sparkSession, owned=False)
    elif session is not None:
        found = SparkConnection(session, owned=False)
    else:
        found = SparkConnection.found()
    text = CsvFormat(delimiter or ",", quote or '"', encoding or "UTF-8", header)
    try:
        with found.pinned():
            table = found.act("reading the columns of the table", lambda: opened(data, found.spark, text))
            return Spark(found, table, tuple(null_values or ()))
    except BaseException:
        found.stop()
        raise


class Spark:
    """A table of Spark, with the session that it lives in. It satisfies `Database`.

    Every query runs with settings of its own (`session.PINNED`), which are taken back after it.
    """

    name: ClassVar[str] = "spark"
    dialect: ClassVar[str] = "pyspark"
    dictionaries: ClassVar[bool] = False

    def __init__(self, session: SparkConnection, table: Opened, null_values: tuple[str, ...] = ()) -> None:
        self._session = session
        self._mark = f"shoal_{secrets.token_hex(4)}"
        self._kept: dict[str, DataFrame | None] = {}
        self._stored: list[UnpublishedBySpark] = []
        self._frame = table.frame
        self.title = table.title
        self.doubtful = table.doubtful
        self.columns = check_names(table.frame.columns, repr(table.title))
        frame, self._schema = settled(table.frame, table.title, null_values=null_values, empty=table.empty)
        self.input = self._view(frame, "input")

    @property
    def schema(self) -> Mapping[str, str]:
        return self._schema

    @property
    def session(self) -> SparkSession:
        """Spark's own session."""
        return self._session.spark

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of this machine that it is read from; those of other file systems are not known here."""
        with self._session.pinned(), explained():
            names = self._frame.inputFiles()
        return tuple(path for name in names if (path := local_path(name)) is not None)

    def check(self, output: Output) -> None:
        """Raise unless a release can be written there; the rows that it is made from must stay."""
        with self._session.pinned(), explained():
            if isinstance(output, FileOutput):
                check_folder(self.session, output, self._frame.inputFiles())
            else:
                self._session.act(
                    "checking the output", lambda: check_table(self.session, output, self.title)
                )

    def run(self, sql: str) -> None:
        self._act("preparing", lambda: self.session.sql(sql))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return list(zip(*(column.to_pylist() for column in self.fetch(sql).columns), strict=True))

    def fetch(self, sql: str) -> pa.Table:
        return self._act("counting", lambda: self.session.sql(sql).toArrow())

    def row_codes(self, dimensions: Sequence[Dimension], rows: int) -> None:
        """Return nothing: to group the rows costs less."""

    def put(self, table: pa.Table, name: str) -> str:
        """Make a temporary table of what is in memory; small ones go to every executor as a whole."""

        def made() -> DataFrame:
            frame = self.session.createDataFrame(_for_spark(table))
            return F.broadcast(frame) if table.nbytes <= _BROADCAST_BYTES else frame

        return self._view(self._act("sending a table of labels", made), name)

    def keep(self, sql: str, name: str) -> str:
        """Make a temporary table of what a query gives.

        Spark holds it in memory and on the disks of the executors, and computes again what is lost.
        """

        def made() -> DataFrame:
            frame = self.session.sql(sql).persist(StorageLevel.MEMORY_AND_DISK)
            try:
                frame.count()
            except BaseException:
                frame.unpersist()
                raise
            return frame

        frame = self._act(f"counting: {name}", made)
        view = self._view(frame, name)
        self._kept[view] = frame
        return view

    def drop(self, name: str) -> None:
        with explained():
            frame = self._kept.pop(name, None)
            if frame is not None:
                frame.unpersist()
            self.session.catalog.dropTempView(name)

    def store(
        self,
        sql: str,
        columns: Sequence[str],
        output: Output | None,
        *,
        shuffle: bool = True,
    ) -> UnpublishedBySpark:
        """Write what a query gives, shuffled, beside the output; see `shoal.engines.spark.shuffle`.

        Files come as a folder with one part for each of Spark's tasks, Parquet unless the name ends in `.csv`
        or `.csv.gz`. Without an output Spark holds the rows as a data frame.

        Parameters
        ----------
        sql
            Its columns are called r0, r1, ... by their position. Its order does not matter.
        columns
            The names that they get.
        shuffle
            Whether rows are shuffled; otherwise they come as Spark has them.
        """
        with self._session.pinned(), explained(writing=True):
            frame = self.session.sql(sql)
            if shuffle:
                frame = shuffled(frame, frame.columns)
            relation = f"{self._mark}_release_{len(self._stored)}"
            stored: UnpublishedBySpark
            if output is None:
                stored = UnpublishedFrame(self._session, frame.toDF(*columns), relation)
            elif isinstance(output, FileOutput):
                stored = UnpublishedFolder(self._session, frame, columns, output, relation)
            elif isinstance(output, TableOutput):
                stored = UnpublishedCatalogTable(self._session, frame.toDF(*columns), output)
            else:
                raise OutputError(f"Spark writes files or a table.\nFound: {type(output).__name__}.")
        self._stored.append(stored)
        self._kept.setdefault(relation, None)
        return stored

    def cancel(self) -> None:
        self._session.cancel()

    def close(self) -> None:
        """Drop all temporary tables, and what was stored and not published.

        A session that was started here is stopped, unless somebody has the release as a frame of it.
        """
        for stored in self._stored:
            with _in_the_end():
                stored.discard()
        for name in list(self._kept):
            with _in_the_end():
                self.drop(name)
        given = any(stored.given for stored in self._stored)
        self._stored.clear()
        if not given:
            self._session.stop()

    def _act(self, what: str, action: Callable[[], Any]) -> Any:
        with self._session.pinned():
            return self._session.act(what, action)

    def _view(self, frame: DataFrame, name: str) -> str:
        view = f"{self._mark}_{len(self._kept)}_{name}"
        with explained():
            frame.createOrReplaceTempView(view)
        self._kept[view] = None
        return view


@contextmanager
def _in_the_end() -> Iterator[None]:
    """Let go what cannot be tidied up: Spark may have ended, and Python may be about to."""
    with suppress(ShoalError, RuntimeError), explained():
        yield


def _for_spark(table: pa.Table) -> pa.Table:
    """Return a table in types that Spark has: no dictionaries, no numbers without a sign, microseconds."""
    return table.cast(pa.schema([field.with_type(_type_for_spark(field.type)) for field in table.schema]))


def _type_for_spark(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _type_for_spark(kind.value_type)
    if pa.types.is_unsigned_integer(kind):
        return {8: pa.int16(), 16: pa.int32(), 32: pa.int64(), 64: pa.int64()}[kind.bit_width]
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if pa.types.is_date64(kind):
        return pa.date32()
    if pa.types.is_null(kind) or pa.types.is_string_view(kind):
        return pa.string()
    return kind
