"""A label that fits two people of a population, and a claim that it fits many.

The attacker writes a release and its manifest for an audit with the population. The label is a range of an
hour: the audit cut times to days, and counted everybody of that day. Or it is an exact value, and the
manifest states a hierarchy by which it stands for many, in place of the one of the recipient's own spec.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.audit import audit_release
from shoal.audit.manifest_file import manifest_path
from shoal.describe.hierarchies.round import Rounding
from shoal.spec.for_recipients import as_handed_on
from tests.attacks.evidence import refit

MOMENTS = [datetime(2000, 1, day, hour) for day in (1, 2) for hour in range(5)]


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize(
    ("start", "fewest"),
    [
        ("[2000-01-01 00:00:00?, 2000-01-01 01:00:00?]", 2),
        ("[2000-01-01 03:30:00.5?, 2000-01-02 00:00:00?]", 2),
        ("{2000-01-01 00:00:00.000?, 2000-01-01 01:00:00?, 2000-01-02 04:00:00.0?}", 3),
        ("[2000-01-01, 2000-01-02]", 10),
    ],
)
def test_an_audit_counts_whom_times_cover(start: str, fewest: int, zone: str | None) -> None:
    """A range of an hour covers nobody else of the day."""
    town = pa.table({"at": pa.array(MOMENTS, pa.timestamp("us", zone))})
    wanted = shoal.Spec(
        quasi_identifiers={"at": "suppress"}, privacy=[shoal.KMap(3, town)], recoding="mondrian"
    )
    release = pa.table({"at": [start.replace("?", "" if zone is None else "Z")]})
    finding = audit_release(release, wanted).findings[0]
    assert (finding.figure, finding.holds) == (fewest, fewest >= 3)


def test_a_hierarchy_of_the_attacker_for_a_spec_of_ones_own(tmp_path: Path) -> None:
    """The recipient's spec says `prefix`; by the manifest the exact code 53700 is a label for ten codes.

    Levels of `prefix` depend on the longest code, so that manifests state a hierarchy in its place.
    """
    codes = [f"537{number:02}" for number in range(40)]
    town = pa.table({"zip": codes})
    people = pa.table({"zip": codes[:12], "disease": ["flu", "cold"] * 6})
    own = shoal.Spec(
        quasi_identifiers={"zip": shoal.QuasiIdentifier(hierarchy=shoal.prefix(), min_level=1)},
        sensitive=["disease"],
        privacy=[shoal.KMap(5, town)],
    )
    release = shoal.anonymize(people, own).write(tmp_path / "release.csv")
    manifest = manifest_path(release)
    assert audit_release(release, own, manifest=manifest).holds
    rows = [f"{codes[number % 4]},{disease}" for number, disease in enumerate(["flu", "cold"] * 6)]
    release.write_text("\n".join(["zip,disease", *rows, ""]), encoding="utf-8")
    groups = {codes[start]: codes[10 * start : 10 * start + 10] for start in range(4)}

    def forge(said: dict[str, Any]) -> None:
        said["spec"]["columns"]["zip"]["hierarchy"] = {"taxonomy": groups}
        said |= {"class_sizes": {"3": 4}, "classes": 4}
        said["linkable"] |= {"together": 0, "with_quasi_identifiers": 0, "columns": {"disease": 0}}
        said["recoding"]["levels"] = {"zip": 1}
        said["claims"][0] |= {"measured": "fewest people of the population in a class 10", "figure": 10}

    refit(release, forge)
    findings = {finding.claim: finding for finding in audit_release(release, own, manifest=manifest).findings}
    claim = findings[own.privacy[0].describe()]
    assert (claim.holds, claim.figure) == (False, 0)
    assert "columns.zip.hierarchy" in findings["spec as in the manifest"].measured

    def exact(said: dict[str, Any]) -> None:
        forge(said)
        said["spec"]["columns"]["zip"]["hierarchy"] = {"mask": [4]}
        said["recoding"]["levels"] = {"zip": 0}

    refit(release, exact)
    findings = {finding.claim: finding for finding in audit_release(release, own, manifest=manifest).findings}
    assert not findings["levels that the spec allows"].holds


def test_limits_on_levels_that_the_manifest_counts_otherwise(tmp_path: Path) -> None:
    """Level 2 of `prefix` is level 1 of what the manifest states: no file shows which it was."""
    town = pa.table({"zip": [f"537{number:02}" for number in range(40)]})
    own = shoal.Spec(
        quasi_identifiers={"zip": shoal.QuasiIdentifier(hierarchy=shoal.prefix(), min_level=2)},
        privacy=[shoal.KMap(5, town)],
    )
    release = shoal.anonymize(town.slice(0, 12), own).write(tmp_path / "release.csv")
    audit = audit_release(release, own, manifest=manifest_path(release))
    unknown = [finding.claim for finding in audit.findings if not finding.checkable]
    assert (audit.fails, unknown) == (False, ["levels that the spec allows"])


@pytest.mark.parametrize(
    ("own", "stated", "same"),
    [
        (shoal.prefix(), shoal.mask(3), True),
        (shoal.prefix(), shoal.suppress(), True),
        (shoal.prefix(), shoal.mask(3, 2), False),
        (shoal.prefix(5), shoal.mask(3), False),
        (shoal.dates(), shoal.dates("year"), True),
        (shoal.dates(), shoal.dates("year", format="%d.%m.%Y"), False),
        (shoal.dates("month"), shoal.dates("year"), False),
        (shoal.rounding(), Rounding((100,), digitwise=True), True),
        (shoal.rounding(), Rounding((100,), "down", digitwise=True), False),
        (shoal.rounding(), shoal.rounding(100), False),
        (shoal.chain(shoal.dates(), shoal.suppress()), shoal.dates("year"), True),
        (shoal.chain(shoal.dates(), shoal.suppress()), shoal.taxonomy({"a": ["b"], "c": ["d"]}), False),
        (shoal.intervals(10), shoal.suppress(), False),
    ],
)
def test_only_what_has_the_labels_of_ones_own_takes_its_place(own: Any, stated: Any, same: bool) -> None:
    specs = [
        shoal.Spec(quasi_identifiers={"x": each}, privacy=[shoal.KAnonymity(2)]) for each in (own, stated)
    ]
    found = as_handed_on(*specs).quasi_identifiers["x"].hierarchy
    assert found == (stated if same else own)
