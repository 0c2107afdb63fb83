"""A model and an engine in packages outside the tree: found by their entry points, run, and checked.

They are those of docs/plugins.md, as it shows them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "plugins.md"
_BLOCK = re.compile(r"^```(?:python|toml)\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """Install the packages of the page: a module each, with the entry points beside it."""
    site = tmp_path / "site"
    site.mkdir()
    module = ""
    for name, text in _BLOCK.findall(PAGE.read_text("utf-8")):
        if name != "pyproject.toml":
            module = name.removesuffix(".py")
            (site / name).write_text(text, encoding="utf-8")
        else:
            install(site, module, tomllib.loads(text)["project"]["entry-points"])
    return site


def install(site: Path, package: str, groups: dict[str, dict[str, str]]) -> None:
    about = site / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [
        line
        for group, points in groups.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (about / "entry_points.txt").write_text("\n".join(lines))


def python(code: str, site: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in which the packages are installed: entry points are looked for once per program."""
    paths = [str(site), *(path for path in sys.path if path)]
    environment: dict[str, Any] = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=site.parent,
    )


def test_they_run_and_are_checked(packages: Path) -> None:
    code = """
import itertools, pyarrow as pa, shoal
from pyarrow import feather
from shoal import registry
from shoal.testing import check_engine, check_model

feather.write_feather(pa.table({
    "age": [34, 37, 51, 58] * 3, "disease": ["flu", "cold", "cold", "flu"] * 3
}), "people.feather")
spec = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(10, 50)},
    sensitive=["disease"],
    privacy=[shoal.KAnonymity(2), registry.resolve("models", "not-alike")("disease")],
)
release = shoal.anonymize("people.feather", spec)
print(release.engine, release.levels)
print(release.audit.render().splitlines()[1])
release.write("release.csv")
print(shoal.audit_release("release.csv").holds)

numbers = itertools.count()
def put(table):
    path = f"table-{next(numbers)}.feather"
    feather.write_feather(table, path)
    return {"data": path}

check_engine("feather", put)
check_model(registry.resolve("models", "not-alike")("disease"), examples=20)
print("checked")
"""
    done = python(code, packages)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "feather {'age': 1}",
        "not alike in disease: holds, fewest values 2",
        "True",
        "checked",
    ]


def test_help_texts_and_messages_list_them(packages: Path) -> None:
    code = """
import sys
from shoal import registry
from shoal.cli.options import any_of
from shoal.errors import InputError
print(any_of("engines"))
sys.argv = ["shoal", "models", "not-alike"]
try:
    registry.resolve("models", "not-alik")
except InputError as error:
    print(str(error).splitlines()[-1])
from shoal.cli.main import main
main()
"""
    done = python(code, packages)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == [
        "duckdb, feather, memory, postgres or spark",
        "Did you mean 'not-alike'?",
    ]
    assert "privacy: [not-alike: {column: disease}]" in done.stdout


def test_two_packages_cannot_share_a_name(packages: Path) -> None:
    install(packages, "impostor", {"shoal.models": {"k-anonymity": "not_alike:NotAlike"}})
    code = """
from shoal import registry
from shoal.errors import InputError
try:
    registry.resolve("models", "k-anonymity")
except InputError as error:
    print(error)
"""
    assert "Found in: impostor (not_alike:NotAlike), shoal (" in python(code, packages).stdout


def test_what_cannot_be_loaded_is_reported_with_its_package(packages: Path) -> None:
    install(packages, "broken", {"shoal.measures": {"nothing": "no_such_module:Nothing"}})
    code = """
from shoal import registry
from shoal.errors import InputError
try:
    registry.resolve("measures", "nothing")
except InputError as error:
    print(error)
"""
    assert python(code, packages).stdout.splitlines() == [
        "The quality measure 'nothing' cannot be loaded.",
        "Found: No module named 'no_such_module'.",
        "Reinstall its package: broken.",
    ]


def test_without_hypothesis_the_checks_say_what_to_install(packages: Path) -> None:
    code = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == "hypothesis" else found(name, *more)
try:
    import shoal.testing
except ImportError as error:
    print(error)
"""
    assert "pip install 'shoal[testing]'" in python(code, packages).stdout
