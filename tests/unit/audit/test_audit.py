"""The audit against plain Python: csv and Counter."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audit import Audit, audit_release
from shoal.describe.hierarchies.suppress import Suppress
from shoal.errors import InputError, MissingFileError
from shoal.privacy.k_anonymity import KAnonymity
from shoal.read.source import InputFormat
from shoal.spec.spec import Spec
from shoal.write.table_formats import write_table


def spec_of(*quasi_identifiers: str, k: int = 2, **roles: object) -> Spec:
    return Spec(
        quasi_identifiers=dict.fromkeys(quasi_identifiers, Suppress()), privacy=[KAnonymity(k)], **roles
    )


def file(folder: Path, text: str, name: str = "release.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def claim(found: Audit, name: str) -> tuple[bool, str]:
    (finding,) = (finding for finding in found.findings if finding.claim == name)
    return finding.holds, finding.measured


CELL = st.sampled_from(["a", "b", "*", "", None])


@settings(deadline=None)
@given(rows=st.lists(st.tuples(CELL, CELL), max_size=12), k=st.integers(1, 4), allowed=st.integers(0, 12))
def test_agrees_with_a_counter(rows: list[tuple[str | None, str | None]], k: int, allowed: int) -> None:
    table = pa.table([pa.array([row[i] for row in rows], pa.string()) for i in (0, 1)], names=["x", "y"])
    allowed = min(allowed, len(rows))
    found = audit_release(table, spec_of("x", "y", k=k, suppression=allowed / len(rows) if rows else 0))
    smallest = min(Counter(rows).values(), default=None)
    assert found.holds is (smallest is None or smallest >= k)
    assert found.rows == len(rows)
    assert found.starred_rows == rows.count(("*", "*"))
    assert found.findings[0].measured.startswith(
        "no classes" if smallest is None else f"smallest class {smallest}"
    )


@pytest.mark.parametrize("suppression", [0, 0.03, 1])
def test_starred_rows_are_a_class(tmp_path: Path, suppression: float) -> None:
    path = file(tmp_path, "age\n" + "30\n" * 97 + "*\n" * 3)
    found = audit_release(path, spec_of("age", k=5, suppression=suppression, suppressed="star"))
    assert found.starred_rows == 3
    assert claim(found, "k-anonymity 5") == (False, "smallest class 3, 1 class fails")
    assert found.render().endswith(
        "rows: 100, of which 3 have * in every quasi-identifier, checked as a class"
    )


def test_wording(tmp_path: Path) -> None:
    path = file(tmp_path, "age,zip\n1,2\n1,2\n3,4\n3,4\n3,4\n")
    found = audit_release(path, spec_of("age", "zip"))
    assert found.render() == (
        "k-anonymity 2: holds, smallest class 2\n"
        "identifiers removed: holds, 0 of 0\n"
        "columns present: holds, 2 of 2\n"
        "rows: 5"
    )


def test_a_tampered_release_fails(tmp_path: Path) -> None:
    good = "age,disease\n" + "30,flu\n" * 5 + "40,flu\n" * 5
    spec = spec_of("age", k=5, sensitive=["disease"])
    assert audit_release(file(tmp_path, good), spec).holds
    found = audit_release(file(tmp_path, good.removesuffix("40,flu\n")), spec)
    assert not found.holds
    assert claim(found, "k-anonymity 5") == (False, "smallest class 4, 1 class fails")
    assert "FAILS" in found.render()


def test_null_and_the_empty_string_are_classes_of_their_own(tmp_path: Path) -> None:
    path = file(tmp_path, 'age,zip\n,1\n,1\n"",1\n"",1\n,"1"\n')
    assert claim(audit_release(path, spec_of("age", "zip")), "k-anonymity 2") == (True, "smallest class 2")
    path = file(tmp_path, 'age,zip\n,1\n"",1\n')
    assert claim(audit_release(path, spec_of("age", "zip")), "k-anonymity 2")[0] is False


def test_nulls_beside_stars_stay_a_class(tmp_path: Path) -> None:
    path = file(tmp_path, "age,zip\n*,*\n*,*\n*,\n")
    found = audit_release(path, spec_of("age", "zip", suppression=0.7))
    assert (found.rows, found.starred_rows) == (3, 2)
    assert claim(found, "k-anonymity 2") == (False, "smallest class 1, 1 class fails")


def test_nothing_to_check_is_said(tmp_path: Path) -> None:
    found = audit_release(file(tmp_path, "age,zip\n"), spec_of("age", "zip", suppression=1))
    assert found.holds
    assert "nothing to check" in found.render()


def test_text_stays_text(tmp_path: Path) -> None:
    path = file(tmp_path, "zip\n01234\n1234\n1234.0\nNA\nNULL\n")
    assert claim(audit_release(path, spec_of("zip", k=1)), "k-anonymity 1") == (True, "smallest class 1")
    path = file(tmp_path, "zip\n01234\n1234\n")
    assert (
        claim(audit_release(path, spec_of("zip")), "k-anonymity 2")[1] == "smallest class 1, 2 classes fail"
    )


NASTY = [
    'say "hi"',
    "größe",
    "x'; DROP TABLE release; --",
    "a,b",
    "SELECT",
    "日本",
    "two\nlines",
    " age ",
    "a''b",
]


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "table"])
def test_any_column_names(tmp_path: Path, kind: str) -> None:
    table = pa.table([["p", "p", "q"]] * len(NASTY), names=NASTY)
    release: Path | pa.Table = tmp_path / f"release.{kind}"
    if isinstance(release, Path) and kind.startswith("csv"):
        opened = gzip.open if kind == "csv.gz" else open
        with opened(release, "wt", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([NASTY, *zip(*table.to_pydict().values(), strict=True)])
    elif kind == "parquet":
        pq.write_table(table, release)
    else:
        release = table
    found = audit_release(release, spec_of(*NASTY, k=1))
    assert found.holds
    assert claim(found, "k-anonymity 1")[1] == "smallest class 1"
    assert not audit_release(release, spec_of(*NASTY, k=2)).holds


@pytest.mark.parametrize("kind", ["csv", "parquet", "table"])
def test_names_that_differ_in_case_only(tmp_path: Path, kind: str) -> None:
    table = pa.table({"age": ["1", "1"], "Age": ["1", "2"], "AGE_1": ["1", "1"]})
    release: Path | pa.Table = table
    if kind == "csv":
        release = file(tmp_path, "age,Age,AGE_1\n1,1,1\n1,2,1\n")
    elif kind == "parquet":
        pq.write_table(table, release := tmp_path / "release.parquet")
    assert claim(audit_release(release, spec_of("age", "AGE_1")), "k-anonymity 2")[0]
    assert not claim(audit_release(release, spec_of("Age")), "k-anonymity 2")[0]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_dialect_is_found_out(tmp_path: Path, delimiter: str, ending: str) -> None:
    rows = ["\ufeffage;zip", '30;"[1;2"', '30;"[1;2"', "40;5", "40;5"]
    path = file(tmp_path, ending.join(row.replace(";", delimiter) for row in rows) + ending)
    assert audit_release(path, spec_of("age", "zip")).holds


def test_the_dialect_of_the_spec(tmp_path: Path) -> None:
    path = file(tmp_path, "age\n1,5;\n1,5;\n".replace("age", "age;zip"))
    assert (
        audit_release(path, spec_of("age", "zip", input=InputFormat(delimiter=";", encoding="latin-1"))).rows
        == 2
    )


def test_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_bytes("größe\nä\nä\n".encode("latin-1"))
    assert audit_release(path, spec_of("größe"), InputFormat(encoding="latin-1")).holds


def test_a_name_with_wildcards_is_one_file(tmp_path: Path) -> None:
    file(tmp_path, "age\n1\n", "release-1.csv")
    assert audit_release(file(tmp_path, "age\n2\n2\n", "release-*.csv"), spec_of("age")).rows == 2
    assert audit_release(file(tmp_path, "age\n2\n2\n", "it's [1].csv"), spec_of("age")).holds


@pytest.mark.parametrize("name", ["two\nlines", "two\r\nlines", "two\rlines"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_ends_inside_quotes(tmp_path: Path, name: str, ending: str) -> None:
    rows = [f'age,"{name}"', '1,"x\ny"', '1,"x\ny"', '2,"x\r\ny"', "3,z"]
    found = audit_release(file(tmp_path, ending.join(rows) + ending), spec_of("age", name))
    assert found.rows == 4
    assert claim(found, "k-anonymity 2")[1] == "smallest class 1, 2 classes fail"


@pytest.mark.parametrize("text", ["age,zip\n1,2\r\n1,2\n", "age,zip\r\n1,2\n1,2\r\n"])
def test_mixed_line_ends_are_refused_not_skipped(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        audit_release(file(tmp_path, text), spec_of("age", "zip"))


def test_blank_lines_before_the_header(tmp_path: Path) -> None:
    assert audit_release(file(tmp_path, "\n\nage,zip\n1,2\n1,2\n"), spec_of("age", "zip")).rows == 2


def test_many_rows_with_line_ends_inside_quotes(tmp_path: Path) -> None:
    rows = ['1,"two\nlines, ""quoted"" and long enough to fill a buffer"\n', "1,plain\n"]
    found = audit_release(file(tmp_path, "age,note\n" + "".join(rows) * 400_000), spec_of("age", "note"))
    assert found.rows == 800_000
    assert claim(found, "k-anonymity 2") == (True, "smallest class 400000")


def test_typed_columns() -> None:
    table = pa.table({"age": [30, 30, None, None], "sex": pa.array(["F", "F", "*", "*"]).dictionary_encode()})
    assert audit_release(table, spec_of("age", "sex")).holds


def test_apostrophes_are_not_taken_for_quotes(tmp_path: Path) -> None:
    path = file(tmp_path, "age\n" + "'x'\n" * 3 + "x\n")
    assert claim(audit_release(path, spec_of("age")), "k-anonymity 2") == (
        False,
        "smallest class 1, 1 class fails",
    )
    assert audit_release(path, spec_of("age"), InputFormat(quote="'")).holds


@pytest.mark.parametrize("suffix", ["csv", "parquet", None])
def test_columns_that_duckdb_renames(tmp_path: Path, suffix: str | None) -> None:
    names = ["a", "A_1", "A", "A_2", "É", "é"]
    table = pa.table([[["x", "x"], ["x", "y"]][name == "A_2"] for name in names], names=names)
    path = tmp_path / f"release.{suffix}"
    if suffix:
        write_table(table, path)
    release = path if suffix else table
    spec = spec_of("a", "A_1", "A", "É", "é", sensitive=["A_2"])
    assert claim(audit_release(release, spec), "k-anonymity 2") == (True, "smallest class 2")
    assert not audit_release(release, spec_of("A_2")).holds


def test_a_type_that_duckdb_does_not_know() -> None:
    table = pa.table({"age": pa.array([1, 1], pa.decimal256(60, 2))})
    with pytest.raises(InputError, match=r"a type that cannot be audited\.\nTypes: decimal256"):
        audit_release(table, spec_of("age"))


def test_identifiers_and_columns(tmp_path: Path) -> None:
    path = file(tmp_path, "age,name,extra\n1,x,y\n1,x,y\n")
    found = audit_release(path, spec_of("age", identifiers=["name", "id"], sensitive=["disease"]))
    assert claim(found, "identifiers removed") == (False, "1 of 2; still there: name")
    assert claim(found, "columns present") == (False, "1 of 2; missing: disease; not in the spec: extra")


def test_missing_quasi_identifiers_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        audit_release(file(tmp_path, "agee,sex\n1,2\n"), spec_of("age", "zip", "sex"))
    assert len(error.value.problems) == 2
    assert "Column 'age'" in str(error.value)
    assert "Did you mean 'agee'?" in str(error.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        audit_release(tmp_path / "nowhere.csv", spec_of("age"))


@pytest.mark.parametrize("text", ["age,zip\n1,2\nsecret\n", "age,zip\n1,2,secret\n", 'age,zip\n1,"secret\n'])
def test_a_damaged_file_is_refused_without_its_values(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as error:
        audit_release(file(tmp_path, text), spec_of("age", "zip"))
    assert "secret" not in str(error.value)


def test_the_queries_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    path = file(tmp_path, 'it\'s;"a""b"\n1;2\n1;2\n3;4\n')
    found = audit_release(path, spec_of("it's", 'a"b'))
    monkeypatch.chdir(tmp_path)
    assert str(tmp_path) not in found.findings[0].sql
    with duckdb.connect() as connection:
        assert connection.execute(found.findings[0].sql).fetchall() == [(1, 1)]
        for finding in found.findings[1:]:
            assert [row[0] for row in connection.execute(finding.sql).fetchall()] == ["it's", 'a"b']


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    audit_release(file(tmp_path, "age\n1\n1\n"), spec_of("age"))
    assert [path.name for path in tmp_path.iterdir()] == ["release.csv"]


def test_to_mapping(tmp_path: Path) -> None:
    mapping = audit_release(file(tmp_path, "age\n1\n*\n"), spec_of("age", k=1, suppression=0.5)).to_mapping()
    assert (mapping["holds"], mapping["rows"], mapping["starred_rows"]) == (True, 2, 1)
    assert [entry["claim"] for entry in mapping["claims"]] == [
        "k-anonymity 1",
        "identifiers removed",
        "columns present",
    ]


def test_what_was_measured_before_is_said_once() -> None:
    spec = replace(spec_of("age"), unit="patient")
    table = pa.table({"age": ["*"] * 4})
    found = audit_release(table, spec, units=pa.array(list("abcd")))
    for _ in range(2):  # of a release that was written, and written once more
        found = audit_release(table, spec, earlier=found)
        assert found.findings[0].measured == "smallest class 4, counted by 'patient' before it was removed"
