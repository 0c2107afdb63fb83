"""What Spark says when something fails, in words that quote no values.

Spark's own messages show rows now and then, and paths with keys in them. They are only looked through for
what is known; what is passed on is the name of the error.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger

from shoal.errors import InputError, OutputError, ShoalError

GONE = "The table no longer exists."

_KNOWN: tuple[tuple[str, type[ShoalError] | None, str], ...] = (
    (
        r"spark\.driver\.maxResultSize",
        InputError,
        "What is counted is too large for the driver.\n"
        "Spark stops at its setting spark.driver.maxResultSize.\n"
        "Start Spark with a larger one, and with more spark.driver.memory; or raise the lowest levels of "
        "columns with many values (min_level), so that there is less to count.",
    ),
    (
        r"OutOfMemoryError|exceeds memory limits|UNABLE_TO_ACQUIRE_MEMORY"
        r"|Not enough memory to build and broadcast",
        InputError,
        "Spark ran out of memory.\n"
        "Start it with more: spark.driver.memory, and spark.executor.memory on a cluster.",
    ),
    (
        r"No space left on device|DiskOutOfSpace|DiskErrorException|QuotaExceeded",
        OutputError,
        "Spark ran out of disk space.\n"
        "Nothing was changed at the output.\n"
        "Free some there and where Spark keeps what it sorts (spark.local.dir), and run again.",
    ),
    (
        r"AccessControlException|AccessDenied|Permission denied|PERMISSION_DENIED|INSUFFICIENT_PERMISSIONS"
        r"|Status Code: 403",
        None,
        "Spark lacks a permission.\n"
        "It may not read the table, or may not write to the output.\n"
        "Check the permissions of the account that Spark runs under.",
    ),
    (
        r"CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND|Checkpoint block .* not found",
        InputError,
        "Spark lost rows that were held for this run, with one of its executors.\n"
        "The data frame may give other rows when it is computed again, so the run ends here.\n"
        "Run again; with a checkpoint folder (sparkContext.setCheckpointDir) such a loss does no harm.",
    ),
    (
        r"UNRESOLVED_COLUMN|PARQUET_COLUMN_DATA_TYPE_MISMATCH|SchemaColumnConvertNotSupported"
        r"|INCOMPATIBLE_VIEW_SCHEMA_CHANGE|COLUMN_NOT_FOUND",
        InputError,
        "The columns of the table have changed.\n"
        "Somebody changed the table meanwhile, or its files differ from each other.\n"
        "Run again when the table no longer changes.",
    ),
    (
        r"TABLE_OR_VIEW_NOT_FOUND|PATH_NOT_FOUND|FAILED_READ_FILE\.FILE_NOT_EXIST|FileNotFoundException",
        InputError,
        f"{GONE}\nSomebody removed or replaced it meanwhile.\nRun again when the table no longer changes.",
    ),
    (
        r"MALFORMED_RECORD_IN_PARSING|MALFORMED_CSV_RECORD|CSVHeaderChecker",
        InputError,
        "A CSV file is not one table.\n"
        "Some lines have more or fewer cells than others, or its files have different columns.\n"
        "Correct them, or save the table as Parquet.",
    ),
    (
        r"CANNOT_READ_FILE_FOOTER|FAILED_READ_FILE|is not a Parquet file|expected magic number",
        InputError,
        "A file of the table cannot be read.\nIt is damaged, or its format is not the one in its name.\n"
        "Get the file again.",
    ),
    (
        r"SparkContext was shut down|stopped SparkContext|SparkContext has been shutdown|SESSION_CLOSED"
        r"|Answer from Java side is empty|Error while sending or receiving|Connection refused"
        r"|NoneType' object has no attribute 'sc'",
        InputError,
        "Spark ended in the middle of the run.\n"
        "Its session was stopped, or the driver died, which happens when it lacks memory.\n"
        "Start it again, with more spark.driver.memory if that was why.",
    ),
    (
        r"was cancelled|cancelled part of cancelled|OPERATION_CANCELED|cancelled as part of",
        InputError,
        "The query was cancelled in Spark.\nRun again.",
    ),
)
"""What an error holds, what kind of error that is (by what went on, where none is said), and our words."""

_ADVICE = "Spark's log has the details; a session that Shoal starts keeps none."

_CAUGHT = (PySparkException, Py4JError, ConnectionError, EOFError)
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""Where PySpark writes every error with its whole message, which goes to the terminal."""

_silent = threading.local()


def _is_heard(_: logging.LogRecord) -> bool:
    return not getattr(_silent, "depth", 0)


for _logger in map(PySparkLogger.getLogger, _LOGGERS):
    _logger.addFilter(_is_heard)


@contextmanager
def explained(*, writing: bool = False) -> Iterator[None]:
    """Raise what fails in Spark as an error of ours.

    Parameters
    ----------
    writing
        Whether an error of an unknown kind is one of the output.
    """
    _silent.depth = getattr(_silent, "depth", 0) + 1
    try:
        yield
    except _CAUGHT as error:
        raise known(error, writing=writing) from None
    finally:
        _silent.depth -= 1


def known(error: BaseException, *, writing: bool = False) -> ShoalError:
    """Return an error of Spark as one of ours."""
    text = _text(error)
    for pattern, kind, message in _KNOWN:
        if re.search(pattern, text):
            return (kind or (OutputError if writing else InputError))(message)
    if writing:
        return OutputError(
            f"Spark could not write the release.\nIt says {name_of(error)}.\n"
            f"Nothing was changed there. {_ADVICE}"
        )
    return InputError(f"Spark could not run a query.\nIt says {name_of(error)}.\n{_ADVICE}")


def name_of(error: BaseException) -> str:
    """Return what an error is called: Spark's name for it, or that of its class in Java or Python."""
    if isinstance(error, PySparkException):
        try:
            condition = error.getCondition()
        except Py4JError:
            condition = None
        if condition and not condition.startswith("_LEGACY"):
            return condition
    if isinstance(error, Py4JJavaError):
        return str(error.java_exception.getClass().getSimpleName())
    return type(error).__name__


def _text(error: BaseException) -> str:
    """Return all that is known of an error, to be looked through and never shown."""
    parts = [str(error), getattr(error, "_stackTrace", None) or ""]
    if isinstance(error, PySparkException):
        parts.append(name_of(error))
    return "\n".join(parts)
