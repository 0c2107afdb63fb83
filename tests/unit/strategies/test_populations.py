"""Populations under every recoding: counted again in plain Python, from released labels and people alone."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

import shoal
from shoal.audit import audit_release
from shoal.errors import InfeasibleError

Labels = tuple[str | None, ...]
Person = tuple[Hashable, ...]

RECODINGS: list[Any] = [
    "full-domain",
    "attribute-suppression",
    "subtree",
    {"subtree": {"labels": "ranges"}},
    "ordered-set",
    "mondrian",
    {"mondrian": {"cut": "median", "labels": "ranges"}},
    {"mondrian": {"labels": "sets"}},
    "cells",
    {"cells": {"labels": "sets"}},
    {"cells": {"labels": "ranges"}},
]


def covers(label: str | None, value: object) -> bool:
    """Return whether a label may be that of a value, as somebody who reads it would say."""
    if label is None or label == "*" or value is None:
        in_set = label is not None and label.startswith("{") and "NULL" in label
        return label == "*" or (label is None and value is None) or (value is None and in_set)
    if interval := re.fullmatch(r"\[(\d+), (\d+)([\])])", label):
        assert isinstance(value, int)
        low, high = int(interval[1]), int(interval[2])
        return low <= value < high or (interval[3] == "]" and value == high)
    if label.startswith("{"):
        return str(value) in label[1:-1].split(", ")
    return label == str(value)


def compared(release: pa.Table, people: list[Person]) -> tuple[dict[Labels, tuple[int, int]], Counter[int]]:
    """Return for each class its rows and the people whom its labels cover; and who is in how many classes."""
    rows = Counter(zip(*(map(text, release[name].to_pylist()) for name in ("age", "sex")), strict=True))
    found, times = {}, [0] * len(people)
    for labels, n in rows.items():
        inside = [
            position
            for position, person in enumerate(people)
            if all(covers(label, value) for label, value in zip(labels, person, strict=True))
        ]
        for position in inside:
            times[position] += 1
        found[labels] = n, len(inside)
    return found, Counter(times)


def text(value: object) -> str | None:
    return None if value is None else str(value)


def drawn(rows: int, draw: random.Random, *, null: bool) -> pa.Table:
    ages = [None if null and draw.random() < 0.1 else draw.randrange(18, 50) for _ in range(rows)]
    return pa.table(
        {
            "age": pa.array(ages, pa.int64()),
            "sex": pa.array([draw.choice("FM") for _ in range(rows)], pa.string()),
        }
    )


def spec(**settings: Any) -> shoal.Spec:
    given: dict[str, Any] = {
        "quasi_identifiers": {"age": shoal.intervals(5, 10, 20), "sex": "suppress"},
    }
    return shoal.Spec(**{**given, **settings})


def people_of(table: pa.Table) -> list[Person]:
    return list(zip(table["age"].to_pylist(), table["sex"].to_pylist(), strict=True))


def in_little_time(recoding: Any) -> Any:
    name, given = next(iter(recoding.items())) if isinstance(recoding, dict) else (recoding, {})
    return {name: {**given, "seconds": 0.2}} if name in ("subtree", "ordered-set") else recoding


@pytest.mark.parametrize("recoding", RECODINGS, ids=str)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 1 << 30), suppression=st.sampled_from([0.0, 0.15]), star=st.booleans())
def test_plain_python_counts_the_same(recoding: Any, seed: int, suppression: float, star: bool) -> None:
    draw = random.Random(seed)
    null = draw.random() < 0.3
    table = drawn(draw.randrange(4, 30), draw, null=null)
    town = pa.concat_tables([table, drawn(draw.randrange(60), draw, null=null)])
    k, lower, upper = draw.choice([2, 4]), draw.choice([0, 0, 0.1]), draw.choice([0.3, 0.6])
    models = [shoal.KMap(k, town), shoal.DeltaPresence(town, lower, upper)]
    chosen = draw.choice([models[:1], models[1:], models])
    wanted = spec(privacy=chosen, suppression=suppression, suppressed="star" if star else "remove")
    try:
        release = shoal.anonymize(table, wanted, recoding=in_little_time(recoding))
    except InfeasibleError:
        return
    stars = wanted.suppressed == "star" and all(model.suppressible for model in chosen)
    found, times = compared(release.table if not stars else _without_stars(release.table), people_of(town))
    if stars and release.table.num_rows > sum(n for n, _ in found.values()):
        found["*", "*"] = release.table.num_rows - sum(n for n, _ in found.values()), times[0]
    for model, finding in zip(chosen, release.audit.findings, strict=False):
        if isinstance(model, shoal.KMap):
            assert (
                finding.measured.endswith(f" {min((people for _, people in found.values()), default=0)}")
                or not found
            )
            assert all(people >= k for _, people in found.values())
        elif release.table.num_rows:
            shares = [n / people for n, people in found.values()]
            assert max(shares) <= upper * (1 + 1e-9)
            assert max(times) <= 1
            assert min([*shares, *([0.0] if times[0] and not stars else [])]) >= lower * (1 - 1e-9)


def _without_stars(table: pa.Table) -> pa.Table:
    rows = [row for row in table.to_pylist() if (row["age"], row["sex"]) != ("*", "*")]
    return pa.table(
        {name: pa.array([text(row[name]) for row in rows], pa.string()) for name in ("age", "sex")}
    )


TOWN = pa.table({"age": [21, 24, 25, 31, 34, 38, 41, 44, 47, 48], "sex": list("FFFFFFFFFM")})
SPEC = spec(privacy=[shoal.KMap(3, TOWN)], recoding="cells")


def audited(wanted: shoal.Spec, *rows: tuple[str, str]) -> shoal.Audit:
    ages, sexes = zip(*rows, strict=True)
    return audit_release(pa.table({"age": ages, "sex": sexes}), wanted)


@pytest.mark.parametrize(
    ("age", "fewest"),
    [
        ("[20, 30)", 3),
        ("[20, 40)", 6),
        ("[21, 31]", 4),
        ("{21, 25, 31}", 3),
        ("*", 9),
        ("48", 0),
        ("{47, 48}", 1),
    ],
)
def test_an_audit_counts_whom_labels_cover(age: str, fewest: int) -> None:
    audit = audited(SPEC, (age, "F"), ("*", "*"))
    finding = audit.findings[0]
    assert finding.figure == fewest
    assert finding.holds == (fewest >= 3)


MOMENTS = [datetime(2000, 1, day, hour) for day in (1, 2) for hour in range(5)]
KINDS: dict[str, pa.Array] = {
    "decimals": pa.array([Decimal(n) / 4 for n in range(8)], pa.decimal128(6, 2)),
    "times": pa.array([*MOMENTS[:7], datetime(2000, 1, 1, 0, 0, 0, 500_000)], pa.timestamp("us")),
    "nanoseconds": pa.array(range(8), pa.timestamp("ns")),
    "moments": pa.array(MOMENTS[:8], pa.timestamp("us", "Europe/Berlin")),
}


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx"])
@pytest.mark.parametrize("labels", ["nodes", "ranges", "sets"])
@pytest.mark.parametrize("what", KINDS)
def test_values_of_every_type_are_found_again(what: str, labels: str, kind: str, tmp_path: Path) -> None:
    """In a file numbers and times have other types and spellings; two values are each on their own."""
    if kind == "xlsx" and labels == "nodes" and what in ("nanoseconds", "moments"):
        pytest.skip("Excel has none of these")
    values = KINDS[what]
    town = pa.table({"at": pa.concat_arrays([values, values, values])})
    wanted = shoal.Spec(
        quasi_identifiers={"at": "suppress"}, privacy=[shoal.KMap(3, town), shoal.KAnonymity(2)]
    )
    people = pa.table({"at": pa.concat_arrays([values, values.slice(0, 4)])})
    release = shoal.anonymize(people, wanted, recoding={"mondrian": {"labels": labels}})
    path = release.write(tmp_path / f"release.{kind}")
    assert audit_release(path, wanted, manifest=f"{path}.manifest.json").holds


def test_an_audit_finds_people_who_may_be_in_two_classes() -> None:
    """Half of each class is released, and all ten may be: whoever is under both labels is in more surely."""
    wanted = replace(SPEC, privacy=[shoal.DeltaPresence(TOWN, 0, 0.5)])
    apart = audited(wanted, ("[20, 30)", "F"), ("[30, 40)", "F"))
    assert apart.findings[0].holds
    assert apart.findings[0].measured == "shares from 0 to 0.333333"
    within = audited(wanted, ("[20, 30)", "F"), ("[20, 40)", "F"))
    assert not within.findings[0].holds
    assert "2 classes fail" in within.findings[0].measured
    starred = replace(wanted, suppression=0.5, suppressed="star")
    assert audited(starred, ("[20, 30)", "F"), ("*", "*")).findings[0].holds
    assert not audited(wanted, ("[20, 30)", "F"), ("*", "*")).findings[0].holds


@pytest.mark.parametrize("recoding", ["cell-suppression", "cells", "mondrian"])
def test_a_star_covers_everybody_where_no_row_may_be_suppressed(recoding: str) -> None:
    """One of ten in y is too few, and together with z they would be under `*`, as those in x are."""
    table = pa.table({"sex": list("xxxxxyzz")})
    town = pa.table({"sex": list("x" * 10 + "y" * 10 + "z" * 4)})
    wanted = shoal.Spec(
        quasi_identifiers={"sex": "suppress"},
        privacy=[shoal.DeltaPresence(town, 0.2, 0.6)],
        suppression=0.5,
        suppressed="star",
        recoding=recoding,
    )
    release = shoal.anonymize(table, wanted)
    assert set(release.table["sex"].to_pylist()) == {"*"}
    assert release.audit.findings[0].measured == "shares from 0.333333 to 0.333333"


def test_a_label_that_nobody_can_read_is_an_error() -> None:
    with pytest.raises(shoal.errors.InputError, match="1 labels of the release cannot be read"):
        audited(SPEC, ("young", "F"))


@pytest.mark.parametrize("recoding", ["subtree", "mondrian", {"cells": {"labels": "sets"}}], ids=str)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_release_in_a_file_holds_and_one_that_was_changed_does_not(
    recoding: Any, engine: str, tmp_path: Path
) -> None:
    draw = random.Random(3)
    table = drawn(60, draw, null=False)
    town = pa.concat_tables([table, drawn(200, draw, null=False)])
    (rarest, sex), people = Counter(people_of(town)).most_common()[-1]
    assert people < 6
    csv.write_csv(town, tmp_path / "town.csv")
    csv.write_csv(table, tmp_path / "people.csv")
    models = [shoal.KMap(6, tmp_path / "town.csv"), shoal.DeltaPresence(tmp_path / "town.csv", 0, 0.5)]
    wanted = spec(privacy=models)
    release = shoal.anonymize(tmp_path / "people.csv", wanted, recoding=recoding, engine=engine)
    path = release.write(tmp_path / "release.csv")
    assert audit_release(path, populations={models[0].population.key: tmp_path / "town.csv"}).holds
    assert audit_release(path, wanted, manifest=f"{path}.manifest.json").holds
    header, _, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, f"{rarest},{sex}", *rest]) + "\n")
    changed = audit_release(path, replace(wanted, recoding=recoding))
    assert [finding.holds for finding in changed.findings[:2]] == [False, False]
