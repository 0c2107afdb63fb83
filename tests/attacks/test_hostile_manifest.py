"""A manifest is written by an attacker: its queries, paths and versions are bait.

The attacker knows that recipients run the query of a claim as the docs once said, or let the audit open what
the manifest names: a COPY ... TO under a foreign version, a hierarchy or population at a path of the
recipient's machine, a link in the folder, an earlier release elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.audit import audit_release
from shoal.errors import InputError
from tests.attacks.evidence import refit
from tests.unit.tampering import PEOPLE, manifest_of, rewrite, write

WRITING = "COPY (SELECT 0 AS failing, 3 AS measured) TO 'stolen.csv'"


def failing(release: Path) -> dict[str, str]:
    return {found.claim: found.measured for found in audit_release(release).findings if not found.holds}


@pytest.mark.parametrize("version", ["9.9.9", None])
def test_a_query_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    release = write(tmp_path)
    before = set(tmp_path.iterdir())
    for place in range(4):

        def change(said: dict[str, Any], place: int = place) -> None:
            said["claims"][place]["sql"] = WRITING
            said["tool"]["version"] = version or said["tool"]["version"]

        kept = manifest_of(release)
        refit(release, change)
        found = failing(release)
        assert "another query in the manifest" in found["claims as in the manifest"]
        assert ("manifest of this version of Shoal" in found) == (version is not None)
        rewrite(release, kept)
    assert set(tmp_path.iterdir()) == before


def test_a_query_of_their_own_with_a_spec_of_ours(tmp_path: Path, shoal: Any) -> None:
    release = write(tmp_path)
    refit(release, lambda said: said["claims"][0].update(sql=WRITING))
    claims = ("-k", 3, "--qi", "age", "--qi", "sex", "--sensitive", "disease", "--identifier", "name")
    manifest = f"{release}.manifest.json"
    ran = shoal("audit", release, *claims, "--manifest", manifest)
    assert ran.code == 4
    assert "k-anonymity 3: another query in the manifest" in ran.out


def test_the_queries_to_run_by_hand_are_our_own(tmp_path: Path, shoal: Any) -> None:
    release = write(tmp_path)
    own = shoal("audit", release, "--sql").out
    assert "-- k-anonymity 3\nWITH kept AS (" in own
    refit(release, lambda said: said["claims"][0].update(sql=WRITING))
    ran = shoal("audit", release, "--sql")
    assert (ran.code, ran.out) == (4, own)


def test_another_tool_or_version_or_format(tmp_path: Path) -> None:
    release = write(tmp_path)
    said = manifest_of(release)
    refit(release, lambda said: said["tool"].update(name="shaol"))
    assert failing(release) == {"manifest of this version of Shoal": "of another tool, 'shaol'"}
    rewrite(release, said)
    refit(release, lambda said: said["tool"].update(version="9.9.9"))
    assert list(failing(release)) == ["manifest of this version of Shoal"]
    refit(release, lambda said: said.update(format="shoal-manifest/9"))
    with pytest.raises(InputError, match="format"):
        audit_release(release)


def _hierarchy(path: str) -> Callable[[dict[str, Any]], None]:
    return lambda said: said["spec"]["columns"]["sex"].update(hierarchy={"file": path})


def _taxonomy(path: str) -> Callable[[dict[str, Any]], None]:
    return lambda said: said["spec"]["columns"]["sex"].update(hierarchy={"taxonomy": path})


def _chain(path: str) -> Callable[[dict[str, Any]], None]:
    chain = [{"taxonomy": path}, {"taxonomy": {"all": ["F", "M"]}}]
    return lambda said: said["spec"]["columns"]["disease"].update(hierarchy=chain)


def _population(path: str) -> Callable[[dict[str, Any]], None]:
    return lambda said: said["spec"]["privacy"].append({"k-map": {"k": 2, "population": path}})


@pytest.mark.parametrize("bait", [_hierarchy, _taxonomy, _chain, _population])
@pytest.mark.parametrize(
    "path",
    [
        "../secret.csv",
        "/etc/passwd",
        "sub/x.csv",
        "C:\\x.csv",
        "s3://bucket/x.csv",
        "link.csv",
        "..",
        "x" * 5000,
    ],
)
def test_paths_that_a_manifest_names(
    tmp_path: Path, bait: Callable[[str], Callable[[dict[str, Any]], None]], path: str
) -> None:
    (tmp_path / "secret.csv").write_text("F;*\nM;*\n", encoding="utf-8")
    (tmp_path / "in").mkdir()
    try:
        (tmp_path / "in/link.csv").symlink_to(tmp_path / "secret.csv")
    except OSError:
        pytest.skip("links need a permission here")
    release = write(tmp_path / "in")
    refit(release, bait(path))
    with pytest.raises(InputError, match="None of them was opened") as refused:
        audit_release(release)
    assert "--spec FILE" in str(refused.value)


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_no_folder_of_the_publisher_is_published(tmp_path: Path, role: str) -> None:
    (tmp_path / "ward of Ann").mkdir()
    (tmp_path / "ward of Ann/sexes.yaml").write_text("any: [M, F]\n", encoding="utf-8")
    taxonomy = shoal.taxonomy(tmp_path / "ward of Ann/sexes.yaml")
    columns: dict[str, Any] = {"sex": taxonomy} if role == "quasi-identifier" else {"age": "suppress"}
    sensitive = {"disease": None} if role == "quasi-identifier" else {"sex": taxonomy}
    table = PEOPLE.select([*columns, *sensitive])
    asked = shoal.Spec(quasi_identifiers=columns, sensitive=sensitive, privacy=[shoal.KAnonymity(3)])
    release = shoal.anonymize(table, asked).write(tmp_path / "release.csv", report=True)
    for file in tmp_path.glob("release.*"):
        assert "ward of Ann" not in file.read_text(encoding="utf-8"), file.name
    assert '"sexes.yaml"' in release.with_name("release.csv.manifest.json").read_text(encoding="utf-8")
    assert audit_release(release).holds
    assert audit_release(release, asked, manifest=f"{release}.manifest.json").holds


def test_an_earlier_release_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    elsewhere = write(tmp_path)
    release = write(tmp_path / "in", name="two.csv")
    earlier = {"file": manifest_of(elsewhere)["file"], "claims": manifest_of(elsewhere)["claims"]}
    earlier["file"]["name"] = "../release.csv"
    refit(release, lambda said: said.update(extends=earlier))
    assert all("not beside it (--extends)" in words for words in failing(release).values())
    (tmp_path / "in/release.csv").symlink_to(elsewhere)
    assert all("not beside it (--extends)" in words for words in failing(release).values())


def _extended(folder: Path) -> Path:
    """Write a release, and another that extends it; return the path of that."""
    people = pa.table({"sex": ["F", "F", "M", "M"]})
    spec = shoal.Spec(quasi_identifiers={"sex": "suppress"}, privacy=[shoal.KAnonymity(2)])
    shoal.anonymize(people, spec, output=folder / "release.csv")
    release = folder / "extended.csv"
    shoal.extend(folder / "release.csv.manifest.json", people, new_people=True, output=release)
    return release


@pytest.mark.parametrize("name", ["https://shoal.invalid/seen.csv", "/etc/passwd", "../own.csv", "own.csv"])
def test_queries_on_an_extension_read_the_files_that_were_checked(tmp_path: Path, name: str) -> None:
    """The names in a manifest lead nobody elsewhere who runs the queries of an audit by hand."""
    release = _extended(tmp_path)
    assert audit_release(release).holds
    before = {found.claim: found.sql for found in audit_release(release).findings}
    assert "'release.csv'" in before["difference: k-anonymity 2"]

    def change(said: dict[str, Any]) -> None:
        for claim in said["extends"]["claims"]:
            claim["sql"] = (
                claim["sql"].replace("'extended.csv'", f"'{name}'").replace("'release.csv'", f"'{name}'")
            )
        for claim in said["claims"]:
            claim["sql"] = claim["sql"].replace("'extended.csv'", f"'{name}'")
        said["file"]["name"] = said["extends"]["file"]["name"] = name

    refit(release, change)
    found = audit_release(release, extends=tmp_path / "release.csv").findings
    assert {finding.claim: finding.sql for finding in found} == before


def test_queries_on_a_renamed_extension_name_the_files_as_they_are(tmp_path: Path) -> None:
    release = _extended(tmp_path)
    renamed, earlier = tmp_path / "june.csv", tmp_path / "may.csv"
    release.rename(renamed)
    (tmp_path / "release.csv").rename(earlier)
    found = audit_release(renamed, manifest=f"{release}.manifest.json", extends=earlier)
    assert found.holds
    queries = "".join(finding.sql for finding in found.findings)
    assert "'june.csv'" in queries
    assert "'may.csv'" in queries
    assert "'extended.csv'" not in queries
    assert "'release.csv'" not in queries


def test_an_extension_that_lists_no_claims(tmp_path: Path) -> None:
    """What cannot be checked is reported all the same, so that --strict fails."""
    release = write(tmp_path)
    for name in ("gone.csv", "x" * 5000, "..", "\0"):
        earlier = {"file": {"name": name, "sha256": "0" * 64}, "claims": []}
        refit(release, lambda said, earlier=earlier: said.update(extends=earlier))
        unchecked = [f.claim for f in audit_release(release).findings if not f.checkable]
        assert unchecked == [
            "earlier rows kept",
            "difference: k-anonymity 3",
            "difference: distinct 2-diversity of disease",
        ]
