"""Released rows that Spark wrote: as a frame, as a folder of files, or as a table."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)
from pyspark.sql.types import StructField

from shoal.engines.spark.columns import emptied
from shoal.engines.spark.folder import Folder
from shoal.engines.spark.output_names import address_of, joined, parts_of
from shoal.engines.spark.session import SparkConnection
from shoal.errors import OutputError, ShoalError
from shoal.write.output import FileOutput, TableOutput

_WRITING = "writing the release"
_CHECKING = "counting the release"


class UnpublishedFrame:
    """Released rows that Spark holds, computed once.

    They stay in memory and on the disks of the executors. What is lost with one of them is computed again,
    from the same rows to the same rows.

    Attributes
    ----------
    given
        Whether somebody has the frame, who may go on with it when all else is closed.
    """

    files: Sequence[Path] = ()

    def __init__(self, session: SparkConnection, frame: DataFrame, relation: str) -> None:
        self.given = False
        self.relation = relation
        self._frame = frame.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            self.rows = session.act(_WRITING, self._frame.count)
        except BaseException:
            self._frame.unpersist()
            raise
        # Spark would forget a frame together with a view of that very frame.
        self._frame.where(F.lit(True)).createOrReplaceTempView(relation)

    @property
    def frame(self) -> DataFrame:
        self.given = True
        return self._frame

    def publish(self) -> None:
        """Leave the frame to whoever asked for it."""
        self.given = True

    def discard(self) -> None:
        if not self.given:
            self._frame.unpersist()


class UnpublishedFolder:
    """Released rows in a folder of files, Parquet or CSV."""

    def __init__(
        self,
        session: SparkConnection,
        frame: DataFrame,
        columns: Sequence[str],
        output: FileOutput,
        relation: str,
    ) -> None:
        self.given = False
        self._session = session
        self._published = False
        self._folder = Folder(session.spark, address_of(output))
        self._output = output
        self._columns = columns
        self._text = output.is_csv
        self.relation = relation
        try:
            session.act(_WRITING, lambda: self._write(frame), writing=True)
            self._folder.tidy()
            self._frame = self._read(self._folder.hidden)
            self.rows = session.act(_CHECKING, self._frame.count, writing=True)
        except BaseException:
            self._folder.discard()
            raise

    @property
    def frame(self) -> DataFrame:
        self.given = True
        return self._frame

    @property
    def files(self) -> Sequence[Path]:
        return self._folder.files(published=self._published)

    def publish(self) -> None:
        with self._session.pinned():
            self._folder.publish()
            self._published = True
            self._frame = self._read(self._folder.output)

    def discard(self) -> None:
        if not self._published:
            self._folder.discard()

    def _write(self, frame: DataFrame) -> None:
        if self._text:
            _check_lines(frame, self._output.title)
            frame = frame.select(*(_as_text(field) for field in frame.schema.fields))
        write: Any = frame.toDF(*self._columns).write
        write = write.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")  # no file _SUCCESS
        if not self._text:
            write.option("compression", "zstd").parquet(self._folder.hidden)
            return
        write.csv(
            self._folder.hidden,
            header=True,
            compression="gzip" if self._output.path.suffix.lower() == ".gz" else "none",
            nullValue="",
            emptyValue=self._output.quote * 2,
            lineSep="\n",
            **self._dialect,
        )

    def _read(self, folder: str) -> DataFrame:
        read: Any = self._session.spark.read
        if self._text:
            empty = secrets.token_hex(16)
            positions = [f"r{position}" for position in range(len(self._columns))]
            cells: DataFrame = read.schema(", ".join(f"{position} STRING" for position in positions)).csv(
                folder,
                header=True,
                multiLine=True,
                mode="FAILFAST",
                maxCharsPerColumn=-1,
                emptyValue=empty,
                **self._dialect,
            )
            frame = cells.select(*(emptied(F.col(position), empty) for position in positions)).toDF(
                *self._columns
            )
        else:
            frame = read.parquet(folder)
        frame.createOrReplaceTempView(self.relation)
        return frame

    @property
    def _dialect(self) -> dict[str, Any]:
        return {
            "sep": self._output.delimiter,
            "quote": self._output.quote,
            "escape": self._output.quote,
            "encoding": "UTF-8",
            "ignoreLeadingWhiteSpace": False,
            "ignoreTrailingWhiteSpace": False,
        }


class UnpublishedCatalogTable:
    """Released rows in a table of the catalog; until they are published, under another name beside it."""

    files: Sequence[Path] = ()

    def __init__(self, session: SparkConnection, frame: DataFrame, output: TableOutput) -> None:
        self.given = False
        self._session = session
        self._published = False
        *schema, name = parts_of(output.name)
        self._output = joined(*schema, name)
        mark = secrets.token_hex(4)
        self._hidden = joined(*schema, f"shoal_{mark}_{name}")
        self._old = joined(*schema, f"shoal_{mark}_old_{name}")
        try:
            session.act(_WRITING, lambda: frame.write.saveAsTable(self._hidden), writing=True)
            self.rows = session.act(_CHECKING, session.spark.table(self._hidden).count, writing=True)
        except BaseException:
            self._drop(self._hidden)
            raise

    @property
    def relation(self) -> str:
        return self._output if self._published else self._hidden

    @property
    def frame(self) -> DataFrame:
        self.given = True
        return self._session.spark.table(self.relation)

    def publish(self) -> None:
        """Rename the table; what had its name before goes when it has it."""
        replaces = self._session.act(
            "checking for the table",
            lambda: self._session.spark.catalog.tableExists(self._output),
            writing=True,
        )
        if replaces:
            self._run(f"ALTER TABLE {self._output} RENAME TO {self._old}")
        try:
            self._run(f"ALTER TABLE {self._hidden} RENAME TO {self._output}")
        except BaseException:
            if replaces:
                self._run(f"ALTER TABLE {self._old} RENAME TO {self._output}")
            raise
        self._published = True
        if replaces:
            self._drop(self._old)

    def discard(self) -> None:
        if not self._published:
            self._drop(self._hidden)

    def _drop(self, table: str) -> None:
        with suppress(ShoalError):
            self._run(f"DROP TABLE IF EXISTS {table}")

    def _run(self, sql: str) -> None:
        self._session.act(_WRITING, lambda: self._session.spark.sql(sql), writing=True)


def _check_lines(frame: DataFrame, title: str) -> None:
    """Raise if a CSV file would have empty lines, which Spark does not write."""
    if len(frame.columns) == 1 and not frame.where(F.col(frame.columns[0]).isNull()).isEmpty():
        raise OutputError(
            f"The release cannot be written to {title!r}.\n"
            "It has one column with NULL in it, which becomes an empty line, and Spark skips empty lines.\n"
            "Write Parquet: choose a name that ends in .parquet."
        )


def _as_text(field: StructField) -> Column:
    """Return a column in the text in which a release has it, such as timestamps with a space."""
    column = F.col(field.name)
    kind = field.dataType.typeName()
    if kind == "timestamp":
        return F.date_format(column, "yyyy-MM-dd HH:mm:ss.SSSSSS'Z'")
    if kind == "timestamp_ntz":
        return F.date_format(column, "yyyy-MM-dd HH:mm:ss.SSSSSS")
    if kind in ("double", "float"):
        return F.regexp_replace(column.cast("string"), r"\.0$", "")
    return column.cast("string")
