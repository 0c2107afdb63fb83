"""Released rows that Spark wrote: as a frame, as a folder of files, or as a table."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)
from pyspark.sql.types import StructField

from shoal.engines.spark.columns import emptied
from shoal.engines.spark.failure import explained
from shoal.engines.spark.folder import Folder
from shoal.engines.spark.output_names import address_of, joined, parts_of
from shoal.engines.spark.session import SparkConnection
from shoal.errors import OutputError, ShoalError
from shoal.write.output import FileOutput, TableOutput
from shoal.write.unpublished import State, gone, published_table, replaced

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

    def check(self) -> None:
        """Do nothing: it is held here, and nobody else can change it."""

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
        self.state = State.WAITING
        self._contents: Mapping[str, str] = {}
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
        return self._folder.files(published=self.state is State.PUBLISHED)

    def check(self) -> None:
        if self.state is State.GONE:
            raise gone()
        if self.state is State.PUBLISHED:
            with explained(writing=True):
                found = self._folder.contents(published=True)
            if found != self._contents:
                raise replaced(self._output.title)

    def publish(self) -> None:
        self.check()
        if self.state is State.PUBLISHED:
            return
        with self._session.pinned():
            with explained(writing=True):
                self._contents = self._folder.contents(published=False)
            self._folder.publish()
            self.state = State.PUBLISHED
            self._frame = self._read(self._folder.output)

    def discard(self) -> None:
        if self.state is State.WAITING:
            self.state = State.GONE
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
        self._title = output.name
        self.state = State.WAITING
        self._files: Sequence[str] = ()
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
        return self._output if self.state is State.PUBLISHED else self._hidden

    @property
    def frame(self) -> DataFrame:
        self.given = True
        return self._session.spark.table(self.relation)

    def check(self) -> None:
        if self.state is State.GONE:
            raise gone()
        if self.state is State.PUBLISHED and self._written_files() != self._files:
            raise replaced(self._title)

    def publish(self) -> None:
        """Rename the table; what had its name before goes when it has it."""
        self.check()
        if self.state is State.PUBLISHED:
            raise published_table(self._title)
        self._files = self._written_files()
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
        self.state = State.PUBLISHED
        if replaces:
            self._drop(self._old)

    def discard(self) -> None:
        if self.state is State.WAITING:
            self.state = State.GONE
            self._drop(self._hidden)

    def _written_files(self) -> Sequence[str]:
        """Return the names of its files. Spark gives each file that it writes a name of its own."""
        with self._session.pinned():
            found = self._session.act(
                "checking the table",
                lambda: self._session.spark.table(self.relation).inputFiles(),
                writing=True,
            )
        return sorted(file.rpartition("/")[2] for file in found)

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
