"""The attacker has the population and the manifest: who of all these people is in the table?

People under no released label are not in the release. But the manifest tells how many rows were removed, and
these are of such people. Where they are few, they are in the table for sure.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.errors import InfeasibleError

UPPER = 0.4


def register(*people: tuple[int, str]) -> pa.Table:
    ages, sexes = zip(*people, strict=True)
    return pa.table({"age": ages, "sex": sexes})


def spec_of(town: pa.Table, recoding: str = "full-domain") -> shoal.Spec:
    return shoal.Spec(
        quasi_identifiers={
            "age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(10)),
            "sex": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0),
        },
        privacy=[shoal.DeltaPresence(town, 0, UPPER)],
        suppression=0.5,
        recoding=recoding,
    )


def in_doubt(release: shoal.Release, town: pa.Table, folder: Path) -> tuple[int, int]:
    """Return how many rows the manifest says were removed, and of how many people they may be."""
    release.write(folder / "release.csv")
    told = json.loads((folder / "release.csv.manifest.json").read_text(encoding="utf-8"))["rows"]
    classes = set(zip(release.table["age"].to_pylist(), release.table["sex"].to_pylist(), strict=True))
    outside = [
        age
        for age, sex in zip(town["age"].to_pylist(), town["sex"].to_pylist(), strict=True)
        if not any(sex == of and covers(str(label), age) for label, of in classes)
    ]
    return told["suppressed"], len(outside)


def covers(label: str, age: int) -> bool:
    if label.startswith("["):
        return int(label[1:3]) <= age < int(label[5:7])
    return label == "*" or str(age) in label.strip("{}").split(", ")


def test_two_women_of_whom_everybody_knows_that_they_were_removed() -> None:
    table = register((31, "F"), (32, "F"), (41, "M"), (42, "M"))
    town = register((31, "F"), (32, "F"), *((41 + age, "M") for age in range(8)))
    with pytest.raises(InfeasibleError, match="Found: 2 removed rows"):
        shoal.anonymize(table, spec_of(town))
    more = pa.concat_tables([town, register((30, "F"), (30, "F"), (35, "F"))])
    assert shoal.anonymize(table, spec_of(more)).suppressed_rows == 0


@pytest.mark.parametrize("recoding", ["full-domain", "cells"])
def test_removed_rows_are_of_enough_people(recoding: str, tmp_path: Path) -> None:
    draw, removed, refused = random.Random(5), 0, 0
    for number in range(16):
        people = [(draw.randrange(30, 60), draw.choice("FFM")) for _ in range(draw.randrange(9, 40))]
        table, town = register(*people[: draw.randrange(2, 9)]), register(*people)
        try:
            release = shoal.anonymize(table, spec_of(town, recoding))
        except InfeasibleError as error:
            refused += "removed rows" in str(error)
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        gone, outside = in_doubt(release, town, folder)
        assert gone <= UPPER * outside
        removed += gone > 0
    assert removed > 0
    assert refused > 0
