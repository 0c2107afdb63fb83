"""Spark's session: found or started, and left as it was found."""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from py4j.protocol import Py4JError
from pyspark import InheritableThread, SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from shoal.engines.spark.failure import explained, name_of
from shoal.errors import InputError
from shoal.files.temporary import private_folder, remove_private

_Result = TypeVar("_Result")

_OLDEST_JAVA = 17
_UNDER_SUBMIT = "PYSPARK_GATEWAY_PORT"
"""Set by spark-submit, which has started Java already, with the settings of its user."""
_SETTINGS_OF_USER = ("PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_HOME", "SPARK_REMOTE", "MASTER")

PINNED: Mapping[str, str] = {
    # Many joins with small tables, one large GROUP BY, sizes that nobody knows beforehand.
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.coalescePartitions.enabled": "true",
    "spark.sql.adaptive.skewJoin.enabled": "true",
    "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning": "true",
    # The same text means the same query, whatever the session is set to.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.caseSensitive": "true",
    # The hours of a timestamp are those that other tools see in the file.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
}
"""Settings of the session while a query of ours runs."""


class SparkConnection:
    """A session of Spark, and the way to run something in it.

    Attributes
    ----------
    spark
        Spark's own session.
    owned
        Whether it was started here, and is to be stopped in the end.
    """

    def __init__(self, spark: SparkSession, *, owned: bool) -> None:
        self.spark = spark
        self.owned = owned
        self._tag = f"shoal-{secrets.token_hex(4)}"

    @classmethod
    def found(cls) -> SparkConnection:
        """Return the active session, or one that is started."""
        active = SparkSession.getActiveSession()
        if active is not None:
            return cls(active, owned=False)
        if SparkContext._active_spark_context is not None:
            return cls(SparkSession.builder.getOrCreate(), owned=False)
        return cls(start(), owned=True)

    @property
    def context(self) -> SparkContext | None:
        """Spark's context; none where the session is a client of a server (Spark Connect)."""
        try:
            return self.spark.sparkContext
        except PySparkException:
            return None

    @contextmanager
    def pinned(self) -> Iterator[None]:
        """Give the session the settings that our queries are written for, for a while."""
        conf = self.spark.conf
        before: dict[str, str | None] = {}
        try:
            for key, value in PINNED.items():
                now = conf.get(key, None)
                if now != value:
                    conf.set(key, value)
                    before[key] = now
            yield
        finally:
            with suppress(
                PySparkException, Py4JError, ConnectionError
            ):  # a session that died has no settings
                for key, was in before.items():
                    if was is None:
                        conf.unset(key)
                    else:
                        conf.set(key, was)

    def act(self, what: str, action: Callable[[], _Result], *, writing: bool = False) -> _Result:
        """Run something that starts jobs; Ctrl-C cancels them.

        A thread waits for Java, so that this one stays free for the signal and can tell Spark.

        Parameters
        ----------
        what
            What Spark's pages call the jobs.
        """
        results: list[_Result] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                with explained(writing=writing):
                    self.spark.addTag(self._tag)
                    if self.context is not None:
                        # Not every action is an execution with the session's tag, but each has its jobs.
                        self.context.addJobTag(self._tag)
                        self.context.setInterruptOnCancel(True)
                        self.context.setJobDescription(f"shoal: {what}")
                    results.append(action())
            except BaseException as error:  # raised again below, in the thread that asked
                errors.append(error)

        with explained(writing=writing):
            thread = InheritableThread(run, session=self.spark, daemon=True)
            thread.start()
        try:
            while thread.is_alive():
                thread.join(0.5)  # on Windows a wait without end hears no signal
        except BaseException:
            self.cancel()
            thread.join(10)
            raise
        if errors:
            raise errors[0]
        return results[0]

    def cancel(self) -> None:
        """End the jobs that run now, from another thread."""
        with suppress(PySparkException, Py4JError, ConnectionError):
            self.spark.interruptTag(self._tag)
            if self.context is not None:
                self.context.cancelJobsWithTag(self._tag)

    def stop(self) -> None:
        """Stop Spark if it was started here."""
        if self.owned:
            with suppress(PySparkException, Py4JError, ConnectionError):
                self.spark.stop()


def start() -> SparkSession:
    """Start Spark: as spark-submit or the settings of its user say, else here, on all processors."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
            import pyspark.testing.utils  # noqa: F401 (PySpark itself imports it with its first query)
        if _UNDER_SUBMIT not in os.environ and "SPARK_REMOTE" not in os.environ:
            _start_java()
        return SparkSession.builder.appName("shoal").getOrCreate()
    except (PySparkException, Py4JError, ConnectionError, RuntimeError) as error:
        raise InputError(
            f"Spark cannot be started.\nIt says {name_of(error)}.\n"
            "Check that its cluster can be reached (spark.master), and that Java can be run."
        ) from None


def _start_java() -> None:
    """Start the driver in a process of its own, silent: what it logs of errors quotes rows."""
    check_java()
    conf = SparkConf().setAppName("shoal")
    conf.setAll(
        [("spark.ui.enabled", "false"), ("spark.ui.showConsoleProgress", "false"), ("spark.log.level", "OFF")]
    )
    if not any(name in os.environ for name in _SETTINGS_OF_USER) and (megabytes := _half_of_memory()):
        # Without a cluster all work is done in the driver, which has 1 GB otherwise.
        conf.set("spark.driver.memory", f"{megabytes}m").set(
            "spark.driver.maxResultSize", f"{megabytes // 2}m"
        )
    if not any(name in os.environ for name in (*_SETTINGS_OF_USER, "SPARK_LOCAL_DIRS")):
        # What Spark sorts are rows as they were, in folders that everybody on this machine may read.
        folder = private_folder(Path(tempfile.gettempdir()))
        atexit.register(remove_private, folder)
        conf.set("spark.local.dir", str(folder))
    launch: Any = launch_gateway
    running: Any = SparkContext._gateway  # of a session that was stopped; there is one per process
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    SparkContext(conf=conf, gateway=running or launch(conf, popen_kwargs=silent))


def check_java() -> None:
    """Raise unless there is a Java that Spark runs on."""
    java = _java()
    advice = f"Install Java {_OLDEST_JAVA} or newer, and let JAVA_HOME name its folder"
    if java is None:
        home = os.environ.get("JAVA_HOME")
        found = f"JAVA_HOME is {home!r}, and no java is there" if home else "No java is on the path"
        raise InputError(f"Spark needs Java.\n{found}.\n{advice}.")
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return  # Spark will tell
    version = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    if version is not None and int(version[1]) < _OLDEST_JAVA:
        raise InputError(f"Spark needs Java {_OLDEST_JAVA} or newer.\nFound: Java {version[1]}.\n{advice}.")


def _java() -> str | None:
    """Return the Java that Spark would run, found as its scripts find it."""
    home = os.environ.get("JAVA_HOME")
    if home:
        return shutil.which("java", path=str(Path(home) / "bin"))
    return shutil.which("java")


def _half_of_memory() -> int | None:
    """Return half of this machine's memory in megabytes, or of the container's if that is less."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    with suppress(OSError, ValueError):
        size = min(size, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return max(size // 2, 1 << 30) >> 20
