"""What the README and the docs show is run, and prints what they say it prints.

The blocks of a document run in order in one folder, which holds the `examples/` of the repository:

- `python` is run, with the names of the blocks before it;
- `yaml` whose first line is a comment with a file's name is written to that file;
- `sh` is run line by line and must succeed, or end as its comment `# exits with 3` says; `make`, `pip` and
  `cd` are left to the reader, and a block with `openssl` too where that is not installed; a line that is only
  a command of Shoal's is run in this process, which is much faster;
- `sql` is run by psql in the database `clinic`, if the document has the address `postgresql:///clinic` in it:
  then there is a server, where `PGHOST` and so on say, and there is no such database at first;
- `console` is only shown;
- `text` is what the block before it printed, with `...` for what differs from run to run.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import shoal

if TYPE_CHECKING:
    from tests.postgres_server import Server

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EVERY_PAGE = [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
_OURS = re.compile(r"shoal [^|;&<>$`*?]*(#|$)")
"""A command that needs no shell."""
_LEFT_TO_THE_READER = ("make ", "pip ", "cd ", "#")
_ALIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def _place(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder like the repository's, with `shoal` on the path."""
    work = tmp_path / "work"
    shutil.copytree(ROOT / "examples", work / "examples")
    commands = tmp_path / "bin"
    commands.mkdir()
    script = f"#!{sys.executable}\nfrom shoal.cli.main import main\n\nmain()\n"
    (commands / "shoal").write_text(script)
    (commands / "shoal").chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(Path(shoal.__file__).parents[1]))
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def found_server(postgres_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let PostgreSQL's own tools find a server, on which a document makes what it is about."""
    from tests.postgres_server import binaries

    with postgres_server.connect() as connection:
        connection.execute("DROP DATABASE IF EXISTS clinic WITH (FORCE)")
        connection.execute("DROP ROLE IF EXISTS steward")
    for name, value in postgres_server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{binaries()}")


@pytest.fixture
def found_spark(spark_session: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a document find the session that all tests share, in its own folder, and Spark's own commands."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    hadoop = spark_session._jvm.org.apache.hadoop.fs
    files = hadoop.FileSystem.get(spark_session._jsc.hadoopConfiguration())
    before = files.getWorkingDirectory()
    files.setWorkingDirectory(hadoop.Path(str(folder)))
    yield
    files.setWorkingDirectory(before)


LONG = (
    "docs/utility.md",
    "docs/init.md",
    "docs/report.md",
    "docs/search.md",
    "docs/spark.md",
    "docs/bench.md",
    "docs/minimality.md",
    "docs/partition.md",
    "docs/models/crowd.md",
    "docs/models/closeness.md",
)
"""These take longest: `make test-all` runs them."""


def _marks(page: Path) -> Iterator[pytest.MarkDecorator]:
    if _place(page) in LONG:
        yield pytest.mark.slow
    if "from pyspark" in page.read_text("utf-8"):
        yield pytest.mark.xdist_group("spark")


@pytest.mark.skipif(os.name == "nt", reason="the shell blocks are for a POSIX shell")
@pytest.mark.parametrize(
    "document",
    [pytest.param(page, marks=list(_marks(page)), id=_place(page)) for page in DOCUMENTS],
)
def test_what_a_document_shows(document: Path, folder: Path, request: pytest.FixtureRequest) -> None:
    if in_database := "postgresql:///clinic" in document.read_text("utf-8"):
        request.getfixturevalue("found_server")
    if "from pyspark" in document.read_text("utf-8"):
        request.getfixturevalue("found_spark")
    names: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = ""
    for line, kind, text in blocks(document):
        place = f"{_place(document)}, line {line}"
        if kind == "python":
            with redirect_stdout(StringIO()) as out:
                exec(compile(text, place, "exec"), names)
            printed = out.getvalue()
        elif kind == "yaml" and (name := re.match(r"# (\S+\.yaml)\n", text)):
            (folder / name[1]).write_text(text, encoding="utf-8")
        elif kind == "sh":
            printed = run(text, place)
        elif kind == "sql" and in_database:
            (folder.parent / "block.sql").write_text(text, encoding="utf-8")
            printed = run("psql clinic --quiet --no-psqlrc --set ON_ERROR_STOP=1 --file ../block.sql", place)
        elif kind == "text" and printed is not None:
            same = doctest.OutputChecker().check_output(text, printed, _ALIKE)
            assert same, f"{place} shows\n{text}\nbut it printed\n{printed}"


@pytest.mark.parametrize("page", EVERY_PAGE, ids=_place)
def test_links_lead_somewhere(page: Path) -> None:
    lost = [link for link in _LINK.findall(page.read_text("utf-8")) if not (page.parent / link).exists()]
    assert lost == []


def blocks(document: Path) -> Iterator[tuple[int, str, str]]:
    """Find the fenced blocks of a document: the line, the kind and the text of each."""
    text = document.read_text(encoding="utf-8")
    for block in _BLOCK.finditer(text):
        yield text.count("\n", 0, block.start()) + 1, block[1], block[2]


def run(text: str, place: str) -> str | None:
    """Run the lines of a shell block and return what they printed; None where they cannot be run here."""
    if text.startswith("openssl ") and shutil.which("openssl") is None:
        return None
    printed = ""
    for line in text.replace("\\\n", " ").splitlines():
        if not line or line.startswith(_LEFT_TO_THE_READER):
            continue
        code, out = _shoal(line) if _OURS.match(line) else _shell(line)
        exits = re.search(r"# exits with (\d+)$", line)
        expected = int(exits[1]) if exits else 0
        assert code == expected, f"{place}: {line}\n{out}"
        printed += out
    return printed


def _shell(line: str) -> tuple[int, str]:
    done = subprocess.run(
        ["sh", "-c", line], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout


def _shoal(line: str) -> tuple[int, str]:
    """Run a command of Shoal's in this process, as a shell would."""
    from shoal.cli.main import main

    printed = BytesIO()
    out = TextIOWrapper(printed, encoding="utf-8", write_through=True)
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(out),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "argv", shlex.split(line, comments=True))
        main()
    return int(ended.value.code or 0), printed.getvalue().decode()
