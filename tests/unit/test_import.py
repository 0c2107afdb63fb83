"""`import shoal` is light, and its names are all there."""

from __future__ import annotations

import subprocess
import sys

import pytest

import shoal

HEAVY = ("numpy", "pyarrow", "duckdb", "pandas", "polars", "narwhals", "pydantic", "yaml", "rich", "typer")


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_loads_nothing_heavy():
    assert run(f"import sys, shoal; print([name for name in {HEAVY} if name in sys.modules])") == "[]"


def test_a_file_is_anonymized_without_the_data_frame_libraries(tmp_path):
    (tmp_path / "people.csv").write_text("sex\nF\nF\n")
    code = (
        "import sys; from shoal.cli.main import main\n"
        f"sys.argv = ['shoal', 'anonymize', {str(tmp_path / 'people.csv')!r}, '-k', '2', '--qi', 'sex',"
        f" '-o', {str(tmp_path / 'out.csv')!r}, '--json']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([n for n in ('pandas', 'polars', 'narwhals', 'rich') if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert (tmp_path / "out.csv").exists()


def test_help_loads_nothing_that_reads_data():
    heavy = ("numpy", "pyarrow", "duckdb", "pydantic", "yaml")
    assert (
        run(f"import sys, shoal.cli.main; print([name for name in {heavy} if name in sys.modules])") == "[]"
    )


def test_every_public_name_is_there():
    assert sorted(shoal.__all__) == sorted(shoal._HOMES)
    assert set(shoal.__all__) <= set(dir(shoal))
    for name in shoal.__all__:
        assert getattr(shoal, name).__name__ == name


def test_names_stay_what_they_are_after_submodules_were_imported():
    code = (
        "import shoal.flow, shoal.audit.audit, shoal.release, shoal.cli.main\n"
        "import shoal.describe.hierarchies.prefix\n"
        "from shoal import anonymize, audit_release, prefix\n"
        "print(callable(anonymize), callable(shoal.anonymize), callable(audit_release), callable(prefix))"
    )
    assert run(code) == "True True True True"


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="anonymise"):
        _ = shoal.anonymise
