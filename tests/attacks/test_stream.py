"""The attacker knows who came with which batch and everybody's quasi-identifiers, and reads all emissions.

Some people are in none of them, though they came. So their values did not satisfy, and the attacker looks
for these values in what came out before and after; or takes the rows of all emissions away from the
distribution in their manifests, which was measured in the very rows that came.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv

import shoal

VALUES = ("flu", "cold", "gout", "HIV")
SPEC: dict[str, Any] = {
    "quasi_identifiers": {"age": "suppress"},
    "sensitive": ["disease"],
    "recoding": "partition",
    "suppression": 0.5,
}
DECLARED = dict.fromkeys(VALUES, 0.25)


def stream(folder: Path, distribution: Any = DECLARED, **settings: Any) -> shoal.Stream:
    (folder / "released").mkdir(parents=True, exist_ok=True)
    models = [shoal.KAnonymity(4), shoal.BetaLikeness("disease", 0.9, distribution=distribution)]
    return shoal.Stream(
        shoal.Spec(**SPEC, privacy=models), state=folder / "state", output=folder / "released", **settings
    )


def emissions(folder: Path) -> list[Counter[tuple[str, str]]]:
    """Return the rows of each emission, in no order."""
    files = sorted((folder / "released").glob("*/release.csv"))
    return [Counter((row["age"], row["disease"]) for row in csv.read_csv(file).to_pylist()) for file in files]


def people(first: int, diseases: list[str]) -> pa.Table:
    return pa.table({"age": list(range(first, first + len(diseases))), "disease": diseases})


@pytest.mark.parametrize("delay", [0, 1])
def test_what_the_values_at_fault_were_changes_no_emission(tmp_path: Path, delay: int) -> None:
    """All from thirty to thirty-seven have the same illness, and the attacker would like to know which."""
    seen = []
    for value in VALUES[2:]:
        folder = tmp_path / value
        opened = stream(folder, delay=delay)
        opened.add(people(50, [*VALUES, *VALUES]), 0)
        found = [opened.add(people(30, [value] * 8), 1)]
        # Later others of the same ages come, with whom they could hide.
        found += [opened.add(people(28, [*VALUES, *VALUES]), number) for number in range(2, 6)]
        found.append(opened.finish())
        assert sum(outcome.suppressed for outcome in found) == 8
        seen.append(emissions(folder))
    assert len(seen[0]) > 1
    assert all(other == seen[0] for other in seen)


def test_whoever_came_alone_waits_or_is_suppressed_whatever_the_value_is(tmp_path: Path) -> None:
    outcomes = []
    for value in VALUES:
        opened = stream(tmp_path / value, delay=1)
        outcomes.append([opened.add(people(30, [value]), 0), opened.add(people(40, []), 1)])
        assert emissions(tmp_path / value) == []
    assert all(found == outcomes[0] for found in outcomes)
    assert outcomes[0][1].suppressed == 1


def test_a_measured_distribution_does_not_tell_the_values_of_the_suppressed(tmp_path: Path) -> None:
    """The reference is what comes in the two batches; the people of the second are all suppressed."""
    first = people(50, [*VALUES] * 4)
    seen = []
    for one in ("HIV", "gout", "flu"):
        second = pa.table({"age": [30] * 8, "disease": ["HIV"] * 7 + [one]})
        folder = tmp_path / one
        opened = stream(folder, None, reference=pa.concat_tables([first, second]))
        assert opened.add(first, 0).suppressed == 0
        assert opened.add(second, 1).suppressed == 8
        manifest = folder / "released" / "000001" / "release.csv.manifest.json"
        model = json.loads(manifest.read_text(encoding="utf-8"))["spec"]["privacy"][1]
        seen.append((emissions(folder), model["beta-likeness"]["distribution"]))
    assert all(other == seen[0] for other in seen)
