"""The attacker knows who came with which batch and everybody's quasi-identifiers, and reads all emissions.

Some people are in none of them, though they came. So their values did not satisfy, and the attacker looks
for these values in what came out before and after; subtracts what is released from a region that did not
satisfy; or takes the rows of all emissions away from the distribution in their manifests, which was measured
in the very rows that came.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import product
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


def test_what_a_cut_leaves_of_the_others_is_noted_and_nothing_is_cut_with_whole(tmp_path: Path) -> None:
    """Eight people are released of twelve who did not satisfy together: what can the other four have?"""
    shares = {"flu": 0.5, "cold": 0.3, "HIV": 0.2}
    others = [*["flu"] * 5, *["cold"] * 2, "HIV"]

    def satisfies(values: list[str]) -> bool:
        bounds = {value: p * (1 + min(0.9, -math.log(p))) for value, p in shares.items()}
        return all(values.count(value) <= most * len(values) for value, most in bounds.items())

    possible = [list(values) for values in product(shares, repeat=4)]
    missing = [values for values in possible if not satisfies(values)]
    assert len(missing) > 40
    assert [values for values in missing if not satisfies(values + others)] == [["HIV"] * 4]
    for whole in (False, True):
        folder = tmp_path / str(whole)
        opened = stream(folder, shares, whole=whole)
        alike = pa.table({"age": [30] * 4 + [50] * 8, "disease": ["HIV"] * 4 + others})
        outcome = opened.add(alike, 0)
        assert (outcome.released, outcome.suppressed) == ((0, 12) if whole else (8, 4))
        assert any("--whole" in note for note in outcome.notes) is not whole
        # Where nothing is suppressed, nothing was cut.
        satisfying = opened.add(people(40, ["flu", "cold", "flu", "cold", "HIV"]), 1)
        assert satisfying.released == 5
        assert not any("--whole" in note for note in satisfying.notes)


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


def test_how_exact_other_rows_are_does_not_show_in_an_emission(tmp_path: Path) -> None:
    """A row that is suppressed, or waits, has a cost with three decimals, and a time with a fraction."""
    columns: dict[str, Any] = {
        "quasi_identifiers": {"sex": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)},
        "insensitive": ["cost", "at"],
        "types": {"cost": "decimal", "at": "timestamp"},
    }
    seen = []
    for cost, at in (("1.5", "2025-01-01 10:00"), ("1.567", "2025-01-01 10:00:00.25")):
        folder = tmp_path / cost
        (folder / "released").mkdir(parents=True)
        shown = shoal.Stream(
            shoal.Spec(**columns, privacy=[shoal.KAnonymity(4)]),
            state=folder / "state",
            output=folder / "released",
            delay=1,
        )
        rows = ["F,1.5,2025-01-01 10:00"] * 4
        for number, one in enumerate([f"M,{cost},{at}", f"M,{cost},{at}"]):
            file = folder / f"{number}.csv"
            file.write_text("\n".join(["sex,cost,at", *rows, one]) + "\n", encoding="utf-8")
            outcome = shown.add(file, number)
        assert (outcome.released, outcome.suppressed, outcome.waiting) == (8, 1, 1)
        seen.append((folder / "released" / "000001" / "release.csv").read_bytes())
    assert seen[0] == seen[1]


def test_numbers_of_people_are_found_over_all_emissions(tmp_path: Path) -> None:
    """No emission has as many unique rows as are refused, and all of them together have nothing else."""

    def charts(first: int) -> pa.Table:
        return people(50, list(VALUES) * 3).append_column(
            "chart", pa.array([f"chart {number}" for number in range(first, first + 12)])
        )

    (tmp_path / "released").mkdir()
    settings: dict[str, Any] = {"state": tmp_path / "state", "output": tmp_path / "released"}
    spec = shoal.Spec(**SPEC, insensitive=["chart"], privacy=[shoal.KAnonymity(4)])
    opened = shoal.Stream(spec, **settings)
    assert opened.add(charts(0), 0).released == 12
    with pytest.raises(shoal.LinkableError, match=r"Rows of all emissions .*: chart 100% \(24 of 24\)"):
        opened.add(charts(12), 1)
    assert len(emissions(tmp_path)) == 1
    # The same twelve values again are no numbers of people: each is in two rows.
    assert opened.add(charts(0).slice(1), 1).released == 11
    # Nor is a column that a person accepts, or one that is left out although rows have waited with it.
    accepted = shoal.Spec(**SPEC, insensitive=["chart"], privacy=spec.privacy, accept={"chart": "linkable"})
    assert shoal.Stream(accepted, **settings, delay=1).add(charts(12), 2).waiting == 12
    without = shoal.Spec(**SPEC, identifiers=["chart"], privacy=spec.privacy)
    assert shoal.Stream(without, **settings).add(charts(24), 3).released == 24


def test_a_copy_of_a_batch_is_not_released_under_another_name(tmp_path: Path) -> None:
    """An attacker who has both emissions would find most people in the few rows that fit both times."""
    batch = people(30, list(VALUES) * 5)
    opened = stream(tmp_path)
    assert opened.add(batch, "monday.csv").released == 20
    with pytest.raises(shoal.InputError, match=r"'monday\.csv\.gz' has the same rows as batch 'monday\.csv'"):
        opened.add(batch.take(pa.array(range(19, -1, -1))), "monday.csv.gz")
    # A few rows may be alike by chance.
    few = people(30, list(VALUES))
    assert [opened.add(few, number).released for number in range(2)] == [4, 4]
