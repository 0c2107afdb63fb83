"""An audit with the manifest: a release that was tampered with, and a manifest that lies, are found out."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path

import pyarrow as pa
import pytest
from tests.unit.tampering import OLDER, PEOPLE, TAMPERINGS, manifest_of, rewrite, spec, write

import shoal
from shoal.audit import Audit, audit_release
from shoal.audit.published_findings import WITHHELD
from shoal.errors import InputError
from shoal.spec.spec import Spec
from shoal.write.table_formats import write_table


def failing(audit: Audit) -> dict[str, str]:
    return {finding.claim: finding.measured for finding in audit.findings if not finding.holds}


@pytest.mark.parametrize("suppressed", ["remove", "star"])
@pytest.mark.parametrize("name", ["release.csv", "release.csv.gz", "release.parquet", "release.xlsx"])
def test_the_manifest_beside_is_enough(tmp_path: Path, name: str, suppressed: str) -> None:
    pytest.importorskip("openpyxl")
    audit = audit_release(write(tmp_path, suppressed, name))
    assert failing(audit) == {}
    said = {finding.claim: finding.measured for finding in audit.findings}
    assert list(said) == [
        "k-anonymity 3",
        "distinct 2-diversity of disease",
        "identifiers removed",
        "columns present",
        "SHA-256 as in the manifest",
        "nothing hidden in the file",
        "rows as in the manifest",
        "class sizes as in the manifest",
        "claims as in the manifest",
        "unique rows as in the manifest",
        "levels that the spec allows",
        "spec as in the manifest",
    ]
    assert said["k-anonymity 3"] == "smallest class 3"
    starred = suppressed == "star"
    rows = "15 in, 3 suppressed and starred, 15 out" if starred else "13 in, 1 suppressed and removed, 12 out"
    assert said["rows as in the manifest"] == rows
    assert said["class sizes as in the manifest"] == f"{4 if starred else 3} classes of 3 sizes"
    assert said["levels that the spec allows"] == "age 1, sex 0"
    assert (audit.rows, audit.starred_rows) == ((15, 3) if starred else (12, 0))
    assert audit.class_sizes == {3: 1 + starred, 4: 1, 5: 1}


@pytest.mark.parametrize("suppressed", ["remove", "star"])
@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_tampering_is_found_out(tmp_path: Path, tampering: str, suppressed: str) -> None:
    release = write(tmp_path, suppressed)
    if tampering == "rows suppressed" and suppressed == "star":
        pytest.skip("rows may have * as their label too: a starred class is checked whatever it is")
    TAMPERINGS[tampering](release)
    assert not audit_release(release).holds


@pytest.mark.parametrize(
    ("tampering", "claims"),
    {
        "one class of k - 1, and the manifest fits": {
            "k-anonymity 3",
            "claims as in the manifest",
            "unique rows as in the manifest",
        },
        "a NULL class, and the manifest fits": {
            "k-anonymity 3",
            "distinct 2-diversity of disease",
            "claims as in the manifest",
            "unique rows as in the manifest",
        },
        "a changed cell": {"SHA-256 as in the manifest"},
        "a wrong hash": {"SHA-256 as in the manifest"},
        "a false k": {"k-anonymity 10", "claims as in the manifest"},
        "a false measured value": {"claims as in the manifest"},
        "a claim removed": {"claims as in the manifest"},
        "a class size": {"class sizes as in the manifest"},
        "rows in": {"rows as in the manifest"},
    }.items(),
)
def test_the_claim_that_fails_is_named(tmp_path: Path, tampering: str, claims: set[str]) -> None:
    TAMPERINGS[tampering](release := write(tmp_path))
    assert set(failing(audit_release(release))) == claims


@pytest.mark.parametrize("suppressed", [0, 1])
def test_starred_rows_are_a_class_whatever_is_said(tmp_path: Path, suppressed: int) -> None:
    release = write(tmp_path, "star")
    lines = release.read_text(encoding="utf-8").splitlines()
    stars = [line for line in lines if line.startswith("*,*")]
    kept = [line for line in lines if not line.startswith("*,*")]
    release.write_text("\n".join([*kept, stars[0]]) + "\n", encoding="utf-8", newline="\n")
    content = manifest_of(release)
    content["rows"] |= {"in": 13, "suppressed": suppressed, "out": 13}
    rewrite(release, content)
    for found in (audit_release(release), audit_release(release, spec("star"))):
        assert failing(found)["k-anonymity 3"] == "smallest class 1, 1 class fails"
        assert found.starred_rows == 1


def test_the_manifest_of_another_file(tmp_path: Path) -> None:
    release = write(tmp_path)
    (tmp_path / "other").mkdir()
    other = shoal.anonymize(PEOPLE.slice(0, 7), spec(), seed=1).write(tmp_path / "other" / "other.csv")
    found = failing(audit_release(release, manifest=f"{other}.manifest.json"))
    assert found["SHA-256 as in the manifest"].endswith("... of 'other.csv'")
    assert {"rows as in the manifest", "class sizes as in the manifest"} <= set(found)


def test_a_manifest_of_other_columns(tmp_path: Path) -> None:
    release = write(tmp_path)
    write_table(pa.table({"zip": ["1", "1"]}), tmp_path / "zip.csv")
    with pytest.raises(InputError) as error:
        audit_release(tmp_path / "zip.csv", manifest=f"{release}.manifest.json")
    assert "Column 'age', a quasi-identifier of the spec, is not in the release" in str(error.value)
    assert "The manifest 'release.csv.manifest.json' does not belong to this file." in str(error.value)


def test_a_renamed_release_is_the_same(tmp_path: Path) -> None:
    release = write(tmp_path)
    moved = release.rename(tmp_path / "moved.csv")
    assert audit_release(moved, manifest=f"{release}.manifest.json").holds


def test_nothing_says_what_is_claimed(tmp_path: Path) -> None:
    write_table(pa.table({"age": ["1"]}), tmp_path / "release.csv")
    with pytest.raises(InputError, match=r"no manifest 'release\.csv\.manifest\.json' beside it"):
        audit_release(tmp_path / "release.csv")
    with pytest.raises(InputError, match="what the table claims"):
        audit_release(PEOPLE)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "not a JSON file"),
        ("columns: {}", "not a JSON file"),
        ("[1]", "everything"),
        ("{}", "format, tool, file, claims, rows"),
        ('{"format": "shoal-manifest/9"}', "format, tool, file"),
        ("[" * 100_000, "not a JSON file"),
    ],
)
def test_what_is_no_manifest(tmp_path: Path, text: str, found: str) -> None:
    release = write(tmp_path)
    other = tmp_path / "other.json"
    other.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"'other\.json' is not the manifest of a release") as error:
        audit_release(release, manifest=other)
    assert found in str(error.value)


@pytest.mark.parametrize(
    "place", ["rows.in", "rows.suppressed", "classes", "recoding.levels.age", "class_sizes.3"]
)
@pytest.mark.parametrize("number", [10**400, -1])
def test_counts_that_no_file_has(tmp_path: Path, place: str, number: int) -> None:
    release = write(tmp_path)
    content = manifest_of(release)
    *above, last = place.split(".")
    reduce(getitem, above, content)[last] = number
    rewrite(release, content)
    with pytest.raises(InputError, match=place.replace(".", "[.]")):
        audit_release(release)


def test_half_a_character_in_a_manifest(tmp_path: Path) -> None:
    release = write(tmp_path)
    content = manifest_of(release)
    content["spec"]["columns"]["age"]["hierarchy"] = {"intervals": ["\ud800"]}
    rewrite(release, content)
    with pytest.raises(InputError, match="not a JSON file"):
        audit_release(release)


def test_a_spec_that_is_not_the_manifests(tmp_path: Path) -> None:
    release = write(tmp_path)
    manifest = f"{release}.manifest.json"
    same = spec().adjust(levels={"age": 1, "sex": 0})
    assert audit_release(release, same, manifest=manifest).findings[-1].measured == "the same"
    # Another idea of what is good, and other hierarchies, are no other claims.
    other = replace(same.adjust(weights={"age": 2}), quality="entropy")
    audit = audit_release(release, other, manifest=manifest)
    assert audit.holds
    assert audit.findings[-1].measured == "the same"
    weaker = replace(same, privacy=[shoal.KAnonymity(2)], identifiers=())
    found = failing(audit_release(release, weaker, manifest=manifest))
    assert found["spec as in the manifest"] == "another than the manifest's: privacy, columns.name.role"
    assert "k-anonymity 2: not in the manifest" in found["claims as in the manifest"]
    assert "k-anonymity 3: not in the spec" in found["claims as in the manifest"]
    stricter = spec(suppression=0.0)
    assert (
        "suppression"
        in failing(audit_release(release, stricter, manifest=manifest))["spec as in the manifest"]
    )


def test_columns_kept_without_being_declared_are_no_difference_if_accepted(tmp_path: Path) -> None:
    asked = replace(spec(), identifiers=())
    release = shoal.anonymize(PEOPLE, asked, keep_undeclared=True).write(tmp_path / "release.csv")
    manifest = f"{release}.manifest.json"
    assert audit_release(release, asked, manifest=manifest, keep_undeclared=True).holds
    assert failing(audit_release(release, asked, manifest=manifest)) == {
        "columns present": "3 of 3; not in the spec: name"
    }


def test_levels_that_are_none(tmp_path: Path) -> None:
    release = write(tmp_path)
    for change, said in (
        ({"age": 1}, "without sex"),
        ({"age": 1, "sex": 0, "zip": 0}, "of no quasi-identifiers: zip"),
        ({"age": 0, "sex": 0}, "not among those of the spec: age"),
    ):
        content = manifest_of(release)
        rewrite(release, {**content, "recoding": {"kind": "full-domain", "levels": change}})
        assert failing(audit_release(release)) == {"levels that the spec allows": said}
        rewrite(release, content)


def test_rules_that_are_told_otherwise_than_in_the_spec(tmp_path: Path) -> None:
    release = write(tmp_path)
    content = manifest_of(release)
    rewrite(release, {**content, "null": {"age": "forbid", "sex": "value", "disease": "value"}})
    assert "spec as in the manifest" in failing(audit_release(release))


def test_null_where_it_is_forbidden(tmp_path: Path) -> None:
    forbidding = {
        "age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(10), null="forbid"),
        "sex": "suppress",
    }
    asked = spec(quasi_identifiers=forbidding, sensitive={"disease": shoal.Sensitive(null="forbid")})
    release = shoal.anonymize(PEOPLE, asked).write(tmp_path / "release.csv")
    audit = audit_release(release)
    assert audit.holds
    assert audit.findings[4].render() == "no NULL in age, disease: holds, none"
    table = pa.table({"age": [None, None, None], "sex": list("FFF"), "disease": ["flu", None, "cold"]})
    found = failing(audit_release(table, asked))
    assert found["no NULL in age, disease"] == "3 in age, 1 in disease"


def test_what_only_python_can_say(tmp_path: Path) -> None:
    """Hierarchies by functions, and a measure of one's own, are not needed to check the claims."""
    asked = spec(
        quasi_identifiers={"age": shoal.by_function(lambda age: f"{age // 10}0s"), "sex": "suppress"},
        quality=lambda node: float(sum(node.levels)),
    )
    release = shoal.anonymize(PEOPLE, asked).write(tmp_path / "release.csv")
    assert audit_release(release).holds


def test_people_who_are_not_in_the_release(tmp_path: Path) -> None:
    visits = pa.table({"age": [31, 31, 35, 38, 52, 57, 58], "patient": list("aabcdef")})
    asked = Spec(
        quasi_identifiers={"age": shoal.intervals(10)}, unit="patient", privacy=[shoal.KAnonymity(3)]
    )
    release = shoal.anonymize(visits, asked).write(tmp_path / "release.csv")
    audit = audit_release(release)
    assert not audit.holds
    assert audit.findings[0].verdict == (
        "NOT CHECKABLE by a recipient, it counts people by 'patient', which is not in the release; "
        "by the manifest smallest class 3, counted by 'patient' before it was removed"
    )
    assert set(failing(audit)) == {"k-anonymity 3"}
    # Two rows cannot be three people, whoever they are.
    lines = release.read_text(encoding="utf-8").splitlines(keepends=True)
    rows = [line for line in lines if "[50" in line][:2]
    release.write_text(
        "".join([lines[0], *(x for x in lines[1:] if "[50" not in x), *rows]), encoding="utf-8"
    )
    finding = audit_release(release).findings[0]
    assert finding.verdict == "FAILS, smallest class 2 rows, 1 class fails whoever they are about"


CLOSE = [shoal.TCloseness("disease", t=0.9), shoal.KAnonymity(3)]


def test_the_original_with_other_rows(tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, spec(privacy=CLOSE), seed=1).write(tmp_path / "release.csv")
    audit = audit_release(release, original=PEOPLE)
    assert audit.holds
    assert audit.findings[-1].render() == (
        "original table: holds, 13 rows; all released values are among theirs"
    )
    fewer = failing(audit_release(release, original=PEOPLE.slice(0, 11)))
    assert fewer["original table"].startswith("11 rows; 13 by the manifest; ")
    other = PEOPLE.set_column(3, "disease", pa.array(["flu"] * 13))
    assert failing(audit_release(release, original=other))["original table"] == (
        "13 rows; 2 values of disease are more often in the release"
    )
    # Without a manifest only what cannot be is told.
    asked = spec(privacy=CLOSE)
    assert "original table" not in audit_release(release, asked, original=PEOPLE).render()
    assert "original table: FAILS" in audit_release(release, asked, original=other).render()


def test_models_of_one_name(tmp_path: Path) -> None:
    orders = (["flu", "cold", "gout"], ["gout", "flu", "cold"])
    models = [shoal.TCloseness("disease", t=0.9, distance="ordered", order=order) for order in orders]
    release = shoal.anonymize(PEOPLE, spec(privacy=models)).write(tmp_path / "release.csv")
    assert audit_release(release, original=PEOPLE).holds


def test_a_population_by_the_manifest_alone(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    town = tmp_path / "spec" / "town.csv"
    write_table(pa.concat_tables([PEOPLE, PEOPLE]).select(["age", "sex"]), town)
    asked = spec(privacy=[shoal.KMap(5, town)])
    release = shoal.anonymize(PEOPLE, asked).write(tmp_path / "release.csv")
    (claim,) = (finding for finding in audit_release(release).findings if not finding.holds)
    assert not claim.checkable
    assert claim.measured.startswith("it compares with the population 'town.csv', which is not there")
    town.rename(tmp_path / "town.csv")
    assert audit_release(release).holds


def test_files_that_the_manifest_names(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    taxonomy = tmp_path / "spec" / "disease.csv"
    taxonomy.write_text("flu;lung;*\ncold;lung;*\ngout;joint;*\n", encoding="utf-8")
    near = [shoal.TCloseness("disease", t=0.9, distance="hierarchical")]
    asked = spec(sensitive={"disease": shoal.hierarchy_file(taxonomy)}, privacy=near)
    release = shoal.anonymize(PEOPLE, asked).write(tmp_path / "release.csv")
    assert "spec" not in json.dumps(manifest_of(release)["spec"]["columns"])
    with pytest.raises(InputError) as error:
        audit_release(release, original=PEOPLE)
    assert "Not beside it: disease.csv.\nGive the spec itself, --spec FILE" in str(error.value)
    assert audit_release(release, asked, manifest=f"{release}.manifest.json", original=PEOPLE).holds


def test_published_queries_find_what_the_audit_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit puts queries to classes that it has counted before; who repeats them counts rows."""
    import duckdb

    models = [
        shoal.KAnonymity(3),
        shoal.Risk(maximal=0.5, average=0.5),
        shoal.AlphaK("disease", alpha=0.8, k=2),
        shoal.LDiversity("disease", 1.5, "entropy"),
        shoal.LDiversity("disease", 2, "recursive", c=4),
    ]
    people = pa.concat_tables([PEOPLE, OLDER])
    release = shoal.anonymize(people, spec("star", privacy=models)).write(tmp_path / "release.csv")
    monkeypatch.chdir(tmp_path)
    for claim in manifest_of(release)["claims"][: len(models)]:
        ((failing, measured),) = duckdb.execute(claim["sql"]).fetchall()
        assert (failing, measured) == (0, pytest.approx(claim["figure"]))


def test_classes_whose_hashes_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two classes had one hash, claims would be put to the labels themselves."""
    from shoal.audit.numbered_classes import ReleasedClasses

    release = write(tmp_path)
    monkeypatch.setattr(ReleasedClasses, "filled", lambda self, tables: None)
    assert audit_release(release).holds


@pytest.mark.parametrize("memory", ["4", "lots", "-1GB"])
def test_memory_that_is_none(tmp_path: Path, memory: str) -> None:
    with pytest.raises(InputError, match="Memory must be a number with a unit"):
        audit_release(write(tmp_path), memory=memory)


def test_little_memory(tmp_path: Path) -> None:
    assert audit_release(write(tmp_path), memory="100 MB").holds


def test_another_query(tmp_path: Path) -> None:
    release = write(tmp_path)
    content = manifest_of(release)
    content["claims"][0]["sql"] = "SELECT 0 AS failing, 3 AS measured"
    rewrite(release, content)
    said = "k-anonymity 3: another query in the manifest"
    assert failing(audit_release(release)) == {"claims as in the manifest": said}
    content["tool"]["version"] = "0.0.1"
    rewrite(release, content)
    assert failing(audit_release(release))["claims as in the manifest"] == said


def test_another_name_is_no_other_query(tmp_path: Path) -> None:
    release = write(tmp_path)
    renamed = release.rename(tmp_path / "it's another.csv")
    assert audit_release(renamed, manifest=f"{release}.manifest.json").holds


def test_who_has_no_original_checks_the_rest(tmp_path: Path) -> None:
    asked = spec(privacy=[shoal.KAnonymity(3), shoal.TCloseness("disease", 0.9)])
    release = shoal.anonymize(PEOPLE, asked).write(tmp_path / "release.csv")
    audit = audit_release(release)
    assert audit.findings[0].holds
    (claim,) = (finding for finding in audit.findings if not finding.holds)
    assert not claim.checkable
    assert claim.measured.startswith("it compares with the original table, which is not given (--original)")
    assert claim.measured.endswith(f"; by the manifest {WITHHELD[0]}")
    assert audit_release(release, original=PEOPLE).holds
    with pytest.raises(InputError, match="That table is not given"):
        audit_release(release, asked)


def test_a_manifest_that_still_gives_scores_and_figures_is_audited(tmp_path: Path) -> None:
    asked = spec(privacy=[shoal.KAnonymity(3), shoal.TCloseness("disease", 0.9)])
    made = shoal.anonymize(PEOPLE, asked)
    release = made.write(tmp_path / "release.csv")
    content = manifest_of(release)
    _, exact = made.audit.findings[:2]
    content["claims"][1] |= {"measured": exact.measured, "figure": exact.figure}
    content |= {"score": 0.25, "quality": "loss", "optimal": True, "bound": 0.25, "notes": ["A note."]}
    content["spec"] |= {"quality": "loss", "engine": "memory"}
    content["spec"]["columns"]["age"] |= {"weight": 2.0}
    rewrite(release, content)
    for given in (None, asked):
        audit = audit_release(release, given, manifest=f"{release}.manifest.json", original=PEOPLE)
        assert not audit.fails
        (unknown,) = failing(audit).items()
        assert unknown[0] == "keys of the manifest"  # scores are not measured again
    content["claims"][1] |= {"measured": "largest distance 0.01", "figure": 0.01}
    rewrite(release, content)
    assert {*failing(audit_release(release, original=PEOPLE))} == {unknown[0], "claims as in the manifest"}


def test_only_figures_against_the_original_may_be_withheld(tmp_path: Path) -> None:
    release = write(tmp_path)
    content = manifest_of(release)
    content["claims"][0] |= {"measured": WITHHELD[0], "figure": None}
    rewrite(release, content)
    assert failing(audit_release(release)).keys() == {"claims as in the manifest"}
