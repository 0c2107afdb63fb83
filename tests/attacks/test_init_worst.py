"""The attacker made the worst table for `shoal init`: its headings lie about what is in their columns.

The attacker knows a person's name, number or initials. They are under headings such as `status`, `region` or
`treatment`, beside few doctors, and the table says little or nothing else about people.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import shoal

NAMES = ("Anna", "Ben", "Carla", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jan", "Kira", "Leo")
HEADINGS = """
    status region group unit level zone type area class code bed v1 კოდი 列 nr case city place job
    school origin race ward department product visit admission date treatment loan arrest outcome
    diagnosis note
"""
OWN = {
    "first name": lambda person: f"{NAMES[person % 12]}{' ' * (person >= 12)}{'ABCDEFGHIJ'[person // 12]}",
    "initials": lambda person: f"{'ABCDEFGHIJKL'[person % 12]}{'QRSTUVWXYZ'[person // 12]}",
    "code": lambda person: f"P{person:03d}",
    "number": lambda person: 100_000 + 7 * person,
    "small number": lambda person: person + 1,
}


def worst(heading: str, own: str, people: int, seed: int) -> tuple[pa.Table, list[int]]:
    random = Random(f"{heading} {own} {people} {seed}")
    who = [person for person in range(people) for _ in range(1200 // people)]
    random.shuffle(who)
    personal: dict[str, list[Any]] = {
        "age": [random.randrange(18, 90) for _ in range(people)],
        "sex": random.choices("MF", k=people),
        "zip": [f"{random.randrange(10, 99)}100" for _ in range(people)],
    }
    columns: dict[str, list[Any]] = {heading: [OWN[own](person) for person in who]}
    for trait in random.sample(sorted(personal), random.randrange(3)):
        columns[trait] = [personal[trait][person] for person in who]
    columns["seen by"] = random.choices(["Dr. Weber", "Dr. Kovac", "Dr. Lind"], k=len(who))
    columns["glucose"] = random.choices(range(60, 200), k=len(who))
    columns["points"] = random.choices(range(9), k=len(who))
    if random.random() < 0.5:
        columns["day"] = [f"2024-{random.randrange(1, 13):02d}-{random.randrange(1, 28):02d}" for _ in who]
    names = random.sample(sorted(columns), len(columns))
    return pa.table({name: columns[name] for name in names}), who


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("people", [pytest.param(12, marks=pytest.mark.slow), 60])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_it_comes_back_empty(own, people, seed):
    """A spec that runs hides each person among five; otherwise the attacker gets a question."""
    ran = 0
    for heading in HEADINGS.split()[seed::4]:
        table, who = worst(heading, own, people, seed)
        found = shoal.suggest(table)
        if found.undecided:
            continue
        ran += 1
        assert found[heading].role.value not in ("sensitive", "insensitive"), heading
        assert found["seen by"].role.value == "identifier", heading
        release = shoal.anonymize(table, replace(found.spec, suppression=0), keep_order=True)
        crowds: dict[tuple[Any, ...], set[int]] = {}
        for row, one in zip(release.table.select(list(release.levels)).to_pylist(), who, strict=True):
            crowds.setdefault(tuple(row.values()), set()).add(one)
        assert min(map(len, crowds.values())) >= 5, heading
    assert ran


def test_a_day_is_nobody_and_long_numbers_are_no_arrests():
    """Twelve people under a sensitive heading, and days: nothing else says who a row is about."""
    random = Random(5)
    who = [row % 12 for row in range(1200)]
    columns = {
        "arrest": [100_000 + 7 * person for person in who],
        "glucose": random.choices(range(60, 200), k=1200),
        "day": [f"2024-{random.randrange(1, 13):02d}-{random.randrange(1, 28):02d}" for _ in who],
    }
    found = shoal.suggest(pa.table(columns))
    assert (found["arrest"].role.value, found.unit) == ("identifier", None)
    assert "arrest" in found.undecided
    found = shoal.suggest(pa.table({name: columns[name] for name in ("glucose", "day")}))
    assert found.undecided == ("day",)
