"""Undoing the shuffle.

The attacker has a release of a table that was sorted by one released column, and guesses that it was shuffled
by a seed such as a date: each date is tried until the column is sorted again, and then every row is back in
its place. Another attacker has two releases that were made with one seed, and joins them row by row.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal import secret
from shoal.engines.duckdb import database
from shoal.recode.row_order import random_order

ROWS = 240
SEED = 20240229
SPEC = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(10, 20)},
    sensitive=["disease"],
    insensitive=["arrival"],
    privacy=[shoal.KAnonymity(5)],
)
DATES = [int(f"{date(2023, 1, 1) + timedelta(days=day):%Y%m%d}") for day in range(730)]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the publisher a folder without a secret in it."""
    monkeypatch.setenv(secret.HOME, str(tmp_path / "home"))
    return tmp_path / "home"


def patients(change: int = 0) -> pa.Table:
    """Return people in the order in which they came, with the month of it."""
    rng = np.random.default_rng(3)
    ages = rng.integers(20, 80, ROWS)
    ages[0] += change
    return pa.table(
        {
            "age": ages,
            "arrival": np.arange(ROWS) // 20,
            "disease": rng.choice(["flu", "gout", "cold"], ROWS),
        }
    )


def shuffles(seed: int, levels: list[int], key: bytes) -> list[np.ndarray]:
    """Return all orders in which the release would be, if the seed alone made them."""
    text = str(seed).encode()
    plain = [
        np.random.default_rng(seed).permutation(ROWS),
        np.random.default_rng([seed, *levels]).permutation(ROWS),
    ]
    in_place = []
    for draw in (seed, [seed, *levels]):
        rows = np.arange(ROWS)
        np.random.default_rng(draw).shuffle(rows)
        in_place.append(rows)
    return [*plain, *in_place, random_order(ROWS, text), random_order(ROWS, key + text)]


def test_a_date_is_not_found_from_a_sorted_column(home: Path) -> None:
    release = shoal.anonymize(patients(), SPEC, seed=SEED)
    released = release.table["arrival"].to_numpy()
    levels = list(release.levels.values())
    assert sorted(released) == sorted(patients()["arrival"].to_pylist())
    for day in DATES:
        for order in shuffles(day, levels, bytes(32)):
            undone = np.empty_like(released)
            undone[order] = released
            assert (np.diff(undone) < 0).any()


def test_two_releases_with_one_seed_do_not_join(home: Path) -> None:
    table = patients().append_column("row", pa.array(range(ROWS)))
    younger = patients(30).append_column("row", pa.array(range(ROWS)))
    fewer = table.drop_columns(["disease"])

    def order(data: pa.Table, **changes: object) -> list[int]:
        sensitive = [name for name in ("disease",) if name in data.column_names]
        spec = shoal.Spec(
            quasi_identifiers={"age": shoal.intervals(10, 20)},
            sensitive=sensitive,
            insensitive=["arrival", "row"],
            accept={"arrival": "linkable", "row": "linkable"},
            **{"privacy": [shoal.KAnonymity(5)], **changes},  # type: ignore[arg-type]
        )
        rows: list[int] = shoal.anonymize(data, spec, seed=SEED).table["row"].to_pylist()
        return rows

    orders = [
        order(table),
        order(fewer),
        order(younger),
        order(table.slice(0, ROWS - 1)),
        order(table, suppression=0.5, privacy=[shoal.KAnonymity(42)], suppressed="star"),
        order(table, suppression=0.5, privacy=[shoal.KAnonymity(42)]),
    ]
    for place, one in enumerate(orders):
        for other in orders[place + 1 :]:
            assert sum(a == b for a, b in zip(one, other, strict=False)) < 12


def test_nothing_announces_a_seed(home: Path, tmp_path: Path) -> None:
    paths = []
    for name, seed in (("with", SEED), ("without", None)):
        (tmp_path / name).mkdir()
        release = shoal.anonymize(patients(), SPEC, seed=seed)
        paths.append(release.write(tmp_path / name / "release.csv", report=True))
        shown = (release.summary(), repr(release), json.dumps(release.to_mapping()), release._repr_html_())
        assert "seed" not in " ".join(shown).lower()
    for path in paths:
        for file in path.parent.iterdir():
            assert "seed" not in file.read_text(encoding="utf-8").lower(), file.name
    seeded, plain = (
        json.loads(path.with_name("release.csv.manifest.json").read_text(encoding="utf-8")) for path in paths
    )
    for manifest in (seeded, plain):
        del manifest["file"]
    assert seeded == plain


def test_the_same_release_again_has_the_same_bytes(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(name: str) -> bytes:
        return shoal.anonymize(patients(), SPEC, seed=SEED).write(tmp_path / name).read_bytes()

    one = made("one.csv")
    assert made("two.csv") == one
    assert made("three.parquet") == made("four.parquet")
    monkeypatch.setenv(secret.HOME, str(tmp_path / "somebody else"))
    other = made("five.csv")
    assert other != one
    assert sorted(other.splitlines()) == sorted(one.splitlines())


def test_content_of_every_type_counts(home: Path) -> None:
    """Two releases that differ in one cell, whatever its type, do not share an order."""
    kinds: list[tuple[pa.Array, pa.Array]] = [
        (pa.array([1.5, None] * 20), pa.array([1.5, None] * 19 + [1.5, 2.0])),
        (pa.array(["", None] * 20), pa.array([None, ""] * 20)),
        (pa.array(["ab", "c"] * 20), pa.array(["a", "bc"] * 20)),
        (pa.array([[1], [2, 3]] * 20), pa.array([[1, 2], [3]] * 20)),
        (pa.array([b"\xff", b"\x00"] * 20), pa.array([b"\xff", b"\x01"] * 20)),
        (pa.array([True, None] * 20), pa.array([True, False] * 20)),
    ]
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        insensitive=["note", "row"],
        accept={"note": "linkable", "row": "linkable"},
        privacy=[shoal.KAnonymity(5)],
    )
    for pair in kinds:
        tables = [pa.table({"age": [31] * 40, "note": note, "row": range(40)}) for note in pair]
        one, other = (shoal.anonymize(table, spec, seed=1).table["row"].to_pylist() for table in tables)
        assert one != other
        again = shoal.anonymize(tables[0], spec, seed=1).table["row"].to_pylist()
        assert one == again


def test_without_a_seed_no_secret_is_made(home: Path) -> None:
    orders = {tuple(shoal.anonymize(patients(), SPEC).table["arrival"].to_pylist()) for _ in range(3)}
    assert len(orders) == 3
    assert not home.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_only_its_owner_reads_the_secret(home: Path) -> None:
    before = os.umask(0)
    try:
        secret.derived("test")
    finally:
        os.umask(before)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    (file,) = home.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o644)
    with pytest.raises(shoal.InputError, match="open to other users"):
        shoal.anonymize(patients(), SPEC, seed=SEED)


def test_who_comes_at_the_same_time_gets_the_same_secret(home: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: secret.derived("test"), range(32)))
    assert len(found) == 1


@pytest.mark.parametrize("text", ["", "abc\n", "zz" * 32 + "\n", "ab" * 31 + "\n"])
def test_a_damaged_secret_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(secret, "_WAIT", 0.0)
    home.mkdir()
    (home / "secret").write_text(text, encoding="ascii")
    (home / "secret").chmod(0o600)
    with pytest.raises(shoal.InputError, match="damaged"):
        secret.derived("test")


def test_a_secret_that_cannot_be_kept_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    monkeypatch.setenv(secret.HOME, str(tmp_path / "file" / "home"))
    with pytest.raises(shoal.ShoalError, match="Set SHOAL_HOME"):
        shoal.anonymize(patients(), SPEC, seed=SEED)


def test_a_full_disk_leaves_no_half_of_a_secret(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(shoal.OutputError, match="No space left"):
            secret.derived("order")
    assert len(secret.derived("order")) == 32


def test_the_folder_is_that_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(secret.HOME)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("APPDATA", str(tmp_path))
    found = secret.home()
    assert found.name == "shoal"
    assert sys.platform == "darwin" or found.parent == tmp_path


def test_the_state_of_duckdbs_generator_does_not_tell_the_order() -> None:
    """With `setseed` the attacker knows all numbers that `random()` gives, and still not the order."""
    orders = []
    for _ in range(2):
        with duckdb.connect() as connection:
            connection.execute("SET threads = 1")
            connection.execute("SELECT setseed(0.5)")
            query = f"SELECT x FROM range(500) AS r (x) ORDER BY {database._secret_number()}"
            orders.append([row[0] for row in connection.execute(query).fetchall()])
    assert sorted(orders[0]) == list(range(500))
    assert orders[0] != orders[1]


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_databases_do_not_sort_by_a_bare_generator(engine: str) -> None:
    folder = Path(shoal.__file__).parent / "engines" / engine
    queries = " ".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    assert "ORDER BY random()" not in queries
