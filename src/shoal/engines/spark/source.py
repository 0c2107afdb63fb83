"""Where a Spark table comes from: a data frame, a table of the catalog, or files."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession

from shoal.engines.spark.failure import GONE, explained
from shoal.engines.spark.folder import located
from shoal.errors import InputError, MissingFileError
from shoal.read.header import names_of
from shoal.read.source import DELIMITERS

_PARQUET = re.compile(r"\.(parquet|pq)$", re.IGNORECASE)
_CSV = re.compile(r"\.(csv|tsv|txt|dat|data)(\.gz|\.bz2)?$", re.IGNORECASE)
_TABLE = re.compile(r"(`[^`]+`|[\w ]+)(\.(`[^`]+`|[\w ]+))*")
_FIRST_ROWS = 200
_UNSTEADY = frozenset(("GlobalLimit", "LocalLimit", "Offset", "Tail", "Sample"))
"""What takes some rows of many, in whatever order they come."""


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """How CSV files are written."""

    delimiter: str = ","
    quote: str = '"'
    encoding: str = "UTF-8"
    header: bool | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A table of Spark.

    Attributes
    ----------
    empty
        Of CSV files, what stands for a cell with nothing between quotes; one without quotes is NULL. Spark
        takes both for NULL otherwise.
    doubtful
        Whether the names of its columns may be somebody's values.
    """

    frame: DataFrame
    title: str
    empty: str | None = None
    doubtful: bool = False


def opened(data: DataFrame | str | os.PathLike[str], spark: SparkSession, text: CsvFormat) -> Opened:
    """Open a data frame, a table by its name, or files by their path."""
    if isinstance(data, DataFrame):
        return Opened(_steady(data), "Spark data frame")
    name = os.fspath(data)
    is_name = _TABLE.fullmatch(name) is not None and not _PARQUET.search(name) and not _CSV.search(name)
    if not is_name:
        return _files(name, spark, text)
    with explained():
        if spark.catalog.tableExists(name):
            return Opened(spark.table(name), name)
    if Path(name).exists():
        return _files(name, spark, text)
    raise InputError(
        f"There is no table {name!r} in Spark's catalog.\nNor are there files of that name.\n"
        "Check its name: schema.table, or the path of a folder."
    )


def _files(path: str, spark: SparkSession, text: CsvFormat) -> Opened:
    """Open files. All cells of CSV files are text."""
    title = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    is_text = bool(_CSV.search(title)) or (not _PARQUET.search(title) and _holds_text(path))
    path = located(spark, path)
    reader: Any = spark.read
    empty = secrets.token_hex(16)  # a text that no cell holds
    try:
        if not is_text:
            with explained():
                return Opened(reader.parquet(path), title)
        how = {
            "inferSchema": False,
            "sep": "\t" if ".tsv" in title.lower() and text.delimiter == "," else text.delimiter,
            "quote": text.quote,
            "escape": text.quote,
            "encoding": text.encoding,
            # A cell may hold a line end; files are not cut at one, so that none is torn.
            "multiLine": True,
            "mode": "FAILFAST",
            "enforceSchema": False,
            "emptyValue": empty,
            "ignoreLeadingWhiteSpace": False,
            "ignoreTrailingWhiteSpace": False,
            "maxCharsPerColumn": -1,
        }
        with explained():
            frame = reader.csv(path, header=text.header is not False, **how)
            # Of one file, since each has a header of its own; that these are the same Spark sees to.
            one = unquote(frame.inputFiles()[0])  # which Spark writes as an address, and reads as a name
            rows = reader.csv(one, header=False, **how).limit(_FIRST_ROWS).collect()
        first, *below = [["" if cell in (None, empty) else cell for cell in row] for row in rows] or [[]]
        named = names_of(first, below, header=text.header, source=f"The first row of {title!r}")
        if text.header is False:
            frame = frame.toDF(*named.columns)
        if len(frame.columns) == 1:
            others = [sign for sign in DELIMITERS if sign != how["sep"] and sign in frame.columns[0]]
            if others and text.delimiter == ",":
                raise InputError(
                    f"{title!r} has one column.\nSpark takes commas for delimiters, and its first row has "
                    f"{others[0]!r} instead.\nName the delimiter: --delimiter, or delimiter: under input in "
                    "the spec."
                )
            raise InputError(
                f"{title!r} has one column.\n"
                "In such a CSV file an empty line is a row, but Spark skips empty lines.\n"
                "Save the table as Parquet, or use another engine."
            )
        return Opened(frame, title, empty, named.doubtful)
    except InputError as error:
        raise _explained(error, title) from None


def _explained(error: InputError, title: str) -> InputError:
    message = str(error)
    if GONE in message:
        return MissingFileError(
            f"{title!r} does not exist, or holds no files.\n"
            "Spark looked for it on its own computers.\nCheck the path."
        )
    if "UNABLE_TO_INFER_SCHEMA" in message:
        return InputError(
            f"{title!r} holds no Parquet files.\nSpark found no table there.\n"
            "Name the files, for example 'folder/*.csv'."
        )
    return error


def _holds_text(path: str) -> bool:
    """Return whether a folder here holds CSV files; of a folder elsewhere it is not known."""
    folder = Path(path.removeprefix("file://"))
    try:
        return any(
            _CSV.search(entry.name) for entry in folder.iterdir() if not entry.name.startswith((".", "_"))
        )
    except OSError:
        return False


def _steady(frame: DataFrame) -> DataFrame:
    """Return a frame that has the same rows whenever it is computed.

    A release is made in two passes, to count and to write. `limit(1000)` or `rand()` may give each of them
    other rows, and then nobody has counted those that are written. Such rows are held by Spark.
    """
    plan = getattr(frame, "_jdf", None)
    if plan is None:  # a client of a server is not told how a frame is computed
        return frame
    with explained():
        plan = plan.queryExecution().optimizedPlan()
        if plan.deterministic() and not _takes_some(plan):
            return frame
        if frame.sparkSession.sparkContext.getCheckpointDir() is not None:
            return frame.checkpoint()
        return frame.localCheckpoint()


def _takes_some(plan: Any) -> bool:
    if plan.nodeName() in _UNSTEADY:
        return True
    children = plan.children()
    return any(_takes_some(children.apply(position)) for position in range(children.size()))
