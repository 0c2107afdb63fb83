"""Labels that list values, where a value has a comma, is empty or is the text NULL, or is itself a label.

Whoever writes a release may let others read fewer or other values than a class has: `{asthma, asthma,
diabetes}` is not asthma and diabetes. And the publisher's own reports must read such labels as they were
meant: they called the release that of another table, or said that its labels overlap.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv

import shoal
from shoal.errors import InputError

VISITS = pa.table(
    {
        "illness": ["asthma"] * 2 + ["asthma, diabetes"] + ["NULL", None, ""] + ["cold, flu"] * 3,
        "ward": list("abcabcabc"),
    }
)
SPEC = shoal.Spec(
    quasi_identifiers={"illness": "suppress"}, sensitive=["ward"], privacy=[shoal.KAnonymity(3)]
)


@pytest.mark.parametrize("recoding", ["mondrian", "cells"])
def test_a_set_is_read_as_the_values_of_its_class(tmp_path: Path, recoding: str) -> None:
    release = shoal.anonymize(VISITS, SPEC, recoding={recoding: {"labels": "sets"}}, keep_order=True)
    labels = release.table["illness"].to_pylist()
    assert labels[-3:] == ["cold, flu"] * 3
    by_label: dict[str, set[str | None]] = {}
    for label, value in zip(labels, VISITS["illness"].to_pylist(), strict=True):
        by_label.setdefault(label, set()).add(value)
    for label, values in by_label.items():
        if len(values) > 1:
            quoted = {f'"{value}"' for value in values if value in ("NULL", "") or "," in (value or "")}
            plain = {value or "NULL" for value in values if value is None or value == "asthma"}
            assert sorted(label[1:-1].replace('"asthma, diabetes"', "both").split(", ")) == sorted(
                each.replace('"asthma, diabetes"', "both") for each in quoted | plain
            )
    assert release.utility(models=False).released_rows == 9
    assert release.write(tmp_path / "release.csv", report=True).exists()


def test_a_set_that_can_be_read_in_two_ways_is_not_taken_for_one(tmp_path: Path) -> None:
    """Of this town three people fit the class, and 6 have an illness that one reading lists."""
    town = tmp_path / "town.csv"
    illnesses = ["asthma"] * 2 + ["asthma, diabetes"] + ["diabetes"] * 4 + ["flu"] * 9
    csv.write_csv(pa.table({"illness": illnesses}), town)
    spec = shoal.Spec(
        quasi_identifiers={"illness": "suppress"},
        sensitive=["ward"],
        privacy=[shoal.KMap(6, population=town)],
        recoding={"cells": {"labels": "sets"}},
    )
    forged = pa.table({"illness": ["{asthma, asthma, diabetes}"] * 3 + ["flu"] * 3, "ward": list("abcabc")})
    with pytest.raises(InputError, match="cannot be read"):
        shoal.audit_release(forged, spec, levels={})
    clear = forged.set_column(0, "illness", pa.array(['{asthma, "asthma, diabetes"}'] * 3 + ["flu"] * 3))
    (finding, *_) = shoal.audit_release(clear, spec, levels={}).findings
    assert not finding.holds and "class 3" in finding.measured


def test_sets_of_labels_are_those_of_their_hierarchy(tmp_path: Path) -> None:
    """Ages may not go below ten years. Two labels that have nothing in common do not overlap."""
    ages = pa.table({"age": [21, 25, 28, 33, 36, 39, 41, 44, 52, 55]})
    column = shoal.QuasiIdentifier(hierarchy=shoal.intervals(10), min_level=1, max_level=2)
    spec = shoal.Spec(quasi_identifiers={"age": column}, privacy=[shoal.KAnonymity(4)])
    release = shoal.anonymize(ages, spec, recoding={"mondrian": {"cut": "median", "labels": "sets"}})
    assert len(set(release.table["age"].to_pylist())) == 2
    assert release.utility(models=False).loss == pytest.approx(release.score)
    release.write(tmp_path / "release.csv", report=True)
    assert "overlap" not in (tmp_path / "release.csv.report.html").read_text("utf-8").lower()
