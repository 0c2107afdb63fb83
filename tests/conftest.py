"""What all tests share."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from tests.postgres_server import Clinic, Server

# Machines that run the tests are slow now and then; that is no failure.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", _PATIENT, max_examples=10)
settings.register_profile("thorough", _PATIENT, max_examples=100)  # `make test-all` says so
settings.load_profile("quick")

# Arrow looks for pandas once. Let it find pandas before a command, run in this process, keeps them apart.
pa.scalar(0)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put all tests that need Spark into one worker, so that it is started once."""
    for item in items:
        if "spark_session" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session", autouse=True)
def publishers_secret(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the tests, and what they start, have a secret of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHOAL_HOME", str(tmp_path_factory.mktemp("home") / "shoal"))
        yield


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def shoal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command of the command line in this process."""
    from shoal.cli.main import main

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["shoal", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "120")
        with pytest.raises(SystemExit) as ended:
            main()
        return Ran(int(ended.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt: a program that was started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """Give a PostgreSQL server, which is started when the first test asks for it."""
    from tests.postgres_server import MISSING, binaries, running

    if binaries() is None:
        pytest.skip(MISSING)
    with running() as server:
        yield server


@pytest.fixture
def clinic(postgres_server: Server) -> Clinic:
    """Give a database of PostgreSQL with nothing in it."""
    from tests.postgres_server import Clinic

    postgres_server.empty("clinic")
    return Clinic(postgres_server, "clinic")


@pytest.fixture(scope="session")
def spark_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Give a session of Spark, which is started when the first test asks for it."""
    import shutil

    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("There is no Java for Spark. On Debian and Ubuntu: apt install default-jre-headless.")
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed: pip install 'shoal[spark]'")
    folder = tmp_path_factory.mktemp("spark")
    settings = {
        "driver.bindAddress": "127.0.0.1",
        "driver.host": "127.0.0.1",
        "driver.memory": "1g",
        "local.dir": str(folder / "local"),
        "log.level": "OFF",
        "sql.shuffle.partitions": "2",
        "sql.warehouse.dir": str(folder / "warehouse"),
        "ui.enabled": "false",
        "ui.showConsoleProgress": "false",
    }
    builder = sql.SparkSession.builder.master("local[2]").appName("tests")
    for name, value in settings.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def quick_spark(spark_session: Any) -> Iterator[Any]:
    """Give the same session for queries on some rows, which take longer to compile than to run."""
    quick = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
    for name, value in quick.items():
        spark_session.conf.set(name, value)
    yield spark_session
    for name in quick:
        spark_session.conf.unset(name)
