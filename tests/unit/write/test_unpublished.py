"""Files that are written and not published yet: nobody else reads them, and they replace what was there."""

from __future__ import annotations

import gc
import stat
import sys
from pathlib import Path

import pytest

from shoal.errors import OutputError
from shoal.write.output import FileOutput
from shoal.write.unpublished import UnpublishedFiles


def file(path: Path, text: str = "new") -> UnpublishedFiles:
    unpublished = UnpublishedFiles(FileOutput(path))
    unpublished.hidden.write_text(text, encoding="utf-8")
    return unpublished


def folder(path: Path, *names: str) -> UnpublishedFiles:
    unpublished = UnpublishedFiles(FileOutput(path))
    unpublished.hidden.mkdir()
    for name in names:
        (unpublished.hidden / name).write_text("new", encoding="utf-8")
    return unpublished


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def test_a_file_takes_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text("old", encoding="utf-8")
    unpublished = file(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert [one.name for one in unpublished.files] == ["release.csv"]
    unpublished.publish()
    unpublished.discard()
    unpublished.publish()
    assert path.read_text(encoding="utf-8") == "new"
    assert unpublished.files == [path]
    assert names(tmp_path) == ["release.csv"]


def test_a_folder_takes_the_place_of_another_with_all_its_files(tmp_path: Path) -> None:
    path = tmp_path / "release"
    path.mkdir()
    (path / "old.parquet").write_text("old", encoding="utf-8")
    unpublished = folder(path, "b.parquet", "a.parquet")
    assert [one.name for one in unpublished.files] == ["a.parquet", "b.parquet"]
    unpublished.publish()
    assert names(tmp_path) == ["release"]
    assert names(path) == ["a.parquet", "b.parquet"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs permission bits")
def test_nobody_else_may_enter_its_folder(tmp_path: Path) -> None:
    unpublished = file(tmp_path / "release.csv")
    assert not stat.S_IMODE(unpublished.hidden.parent.stat().st_mode) & 0o077
    unpublished.discard()


def test_what_is_discarded_or_forgotten_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text("old", encoding="utf-8")
    file(path).discard()
    assert names(tmp_path) == ["release.csv"]
    unpublished = file(path)
    assert len(names(tmp_path)) == 2
    del unpublished
    gc.collect()
    assert names(tmp_path) == ["release.csv"]
    assert path.read_text(encoding="utf-8") == "old"


def test_a_folder_that_came_in_between_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    unpublished = file(path)
    path.mkdir()
    (path / "precious").write_text("old", encoding="utf-8")
    with pytest.raises(OutputError, match="Nothing was changed there"):
        unpublished.publish()
    unpublished.discard()
    assert names(tmp_path) == ["release.csv"]
    assert names(path) == ["precious"]


def test_a_folder_stays_if_the_new_one_cannot_be_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "release"
    path.mkdir()
    (path / "old.parquet").write_text("old", encoding="utf-8")
    unpublished = folder(path, "a.parquet")
    rename = Path.rename

    def refuse(one: Path, other: Path) -> Path:
        if one == unpublished.hidden:
            raise PermissionError(1, "Operation not permitted")
        return rename(one, other)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OutputError, match="Operation not permitted"):
        unpublished.publish()
    unpublished.discard()
    assert names(tmp_path) == ["release"]
    assert names(path) == ["old.parquet"]
