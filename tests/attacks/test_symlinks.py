"""The attacker may write to the folder where a release goes, and puts a link there before it does.

The link leads to a file of the publisher, which the release, its manifest or its report would overwrite. One
rule holds for every engine and every file: a link is never written to.
"""

from __future__ import annotations

import os

import pyarrow as pa
import pytest

import shoal
from shoal.errors import OutputError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
SPEC = shoal.Spec(quasi_identifiers={"age": "suppress"}, privacy=[shoal.KAnonymity(2)])


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("name", ["release.csv", "release.csv.manifest.json", "release.csv.checker.py"])
@pytest.mark.parametrize("dangling", [False, True])
def test_no_engine_writes_to_a_link(engine, name, dangling, tmp_path):
    (tmp_path / "people.csv").write_text("age\n" + "31\n" * 9, encoding="utf-8")
    precious = tmp_path / "precious"
    if not dangling:
        precious.write_text("mine", encoding="utf-8")
    (tmp_path / name).symlink_to(precious)
    with pytest.raises(OutputError, match="a link to another place"):
        release = shoal.anonymize(
            tmp_path / "people.csv", SPEC, engine=engine, output=tmp_path / "release.csv"
        )
        release.write(tmp_path / "release.csv")
    assert (tmp_path / name).is_symlink()
    assert dangling or precious.read_text(encoding="utf-8") == "mine"
    assert dangling is not precious.exists()
    assert not (tmp_path / "release.csv").exists() or name == "release.csv"


def test_a_folder_is_not_written_through_a_link(tmp_path):
    (tmp_path / "people.csv").write_text("age\n" + "31\n" * 9, encoding="utf-8")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(OutputError, match="a link to another place"):
        shoal.anonymize(tmp_path / "people.csv", SPEC, engine="duckdb", output=tmp_path / "link")
    assert not list((tmp_path / "real").iterdir())


@pytest.mark.parametrize("name", [".shoal-stream", ".000001"])
def test_a_stream_writes_to_no_link(name, tmp_path):
    output = tmp_path / "released"
    output.mkdir()
    (tmp_path / "precious").mkdir()
    (output / name).symlink_to(tmp_path / "precious" / "file")
    stream = shoal.Stream(SPEC, state=tmp_path / "state", output=output)
    with pytest.raises(OutputError):
        stream.add(pa.table({"age": [31] * 9}), "monday")
    assert stream.waiting == 0
    assert not list((tmp_path / "precious").iterdir())
