"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shoal.errors import InputError, OutputError
from shoal.files.atomic import atomic
from shoal.write.table_formats import check_writable


def test_all_targets_appear_together(tmp_path: Path) -> None:
    targets = (tmp_path / "a.csv", tmp_path / "a.csv.manifest.json")
    with atomic(*targets) as hidden:
        for path in hidden:
            path.write_text("new", encoding="utf-8")
            assert path.parent.name.startswith(".")
            assert path.parent.parent == tmp_path
        assert not any(target.exists() for target in targets)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.csv.manifest.json"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_whatever_goes_wrong_the_old_file_stays(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old", encoding="utf-8")

    def interrupted() -> None:
        with atomic(target) as (hidden,):
            hidden.write_text("half", encoding="utf-8")
            raise error

    with pytest.raises(error):
        interrupted()
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert target.read_text(encoding="utf-8") == "old"


def test_a_full_disk_is_an_output_error(tmp_path: Path) -> None:
    def full() -> None:
        with atomic(tmp_path / "a.csv"):
            raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match="No space left"):
        full()
    assert not list(tmp_path.iterdir())


def test_a_failure_in_the_middle_is_not_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest that belongs to somebody else, in a folder where only owners replace files."""
    targets = (tmp_path / "a.csv", tmp_path / "a.csv.manifest.json")
    replace = Path.replace

    def replaced(path: Path, target: Path) -> Path:
        if target == targets[1]:
            raise PermissionError(1, "Operation not permitted")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", replaced)
    with (
        pytest.raises(OutputError, match="Some of these files are new"),
        atomic(*targets) as files,
    ):
        for path in files:
            path.write_text("new", encoding="utf-8")
    assert list(tmp_path.iterdir()) == [targets[0]]


def test_check_writable_leaves_nothing(tmp_path: Path) -> None:
    check_writable(tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist"):
        check_writable(tmp_path / "nowhere" / "a.csv")


def test_a_file_as_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="A file of that name"):
        check_writable(tmp_path / "file" / "a.csv")


@pytest.mark.parametrize("length", [252, 300])
def test_a_name_too_long(tmp_path: Path, length: int) -> None:
    path = tmp_path / ("x" * length + ".csv")
    with pytest.raises(OutputError, match="The system says: "):
        check_writable(path)
        with atomic(path) as (hidden,):
            hidden.write_text("new", encoding="utf-8")
    assert not list(tmp_path.iterdir())


def test_a_folder_as_target(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(OutputError, match="A folder of that name"):
        check_writable(tmp_path / "a.csv")


@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="needs permissions"
)
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="cannot be written to"):
        check_writable(tmp_path / "a.csv")


def test_unknown_suffix_is_refused_first(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="End its name in"):
        check_writable(tmp_path / "nowhere" / "a.ods")
