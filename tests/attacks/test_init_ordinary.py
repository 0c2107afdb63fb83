"""The attacker reads a release by a spec that `shoal init` proposed, of a table as organizations keep them.

The attacker knows somebody's age, a year or a day, or how many rows somebody has in a table of visits at
fixed ages. Nothing in these tables lies: an age at diagnosis is called so, in any language and word order, a
child's number is called `Chiffre`, and days are written as a database exports them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import shoal

AGES = """
    Âge au diagnostic/edad al diagnóstico/leeftijd bij diagnose/Alter zum Zeitpunkt der Diagnose/age_diagnosis
    age_first_arrest/Alter b. Erkrankung/idade ao diagnóstico/AgeFirstOffense/age_onset_diabetes
    Alter zur Behandlung/Âge à la grossesse/alder_vid_diagnosis
"""
YEARS = """
    year_of_diagnosis/diagnosis_year/Jahr der Behandlung/annee_diagnostic/año diagnóstico/arrest year
    disabled since/Rente seit
"""


def listed(headings: str) -> list[str]:
    return [each.strip() for each in headings.strip().replace("\n", "/").split("/")]


@pytest.mark.parametrize("heading", listed(AGES))
def test_an_age_is_no_illness_whatever_else_its_heading_says(heading):
    random = Random(1)
    ages = [random.randrange(18, 89) for _ in range(400)]
    people = pa.table({heading: ages, "sex": random.choices("MF", k=400)})
    found = shoal.suggest(people)
    assert found[heading].role.value == "quasi-identifier"
    assert min(shoal.anonymize(people, found.spec).class_sizes) >= 5


@pytest.mark.parametrize("heading", listed(YEARS))
def test_a_year_is_known_to_others_and_no_illness(heading):
    random = Random(2)
    years = [random.randrange(1980, 2023) for _ in range(400)]
    people = pa.table({heading: years, "sex": random.choices("MF", k=400)})
    assert shoal.suggest(people)[heading].role.value == "quasi-identifier"


@pytest.mark.parametrize(
    "heading",
    ["arrest_precinct", "vote precinct", "crime_beat", "prison cell", "treatment_room", "cost centre"],
)
def test_where_somebody_is_found_is_no_crime_and_no_cost(heading):
    random = Random(8)
    numbers = [random.randrange(1, 40) for _ in range(400)]
    people = pa.table({heading: numbers, "sex": random.choices("MF", k=400)})
    assert shoal.suggest(people)[heading].role.value == "quasi-identifier"


def test_what_is_measured_is_still_sensitive():
    random = Random(3)
    people = pa.table(
        {
            "state_of_health": random.choices("abc", k=400),
            "arrests_last_year": [random.randrange(6) for _ in range(400)],
            "glucose_before_surgery": [random.randrange(60, 120) for _ in range(400)],
            "sex": random.choices("MF", k=400),
        }
    )
    roles = {column.role.value for column in shoal.suggest(people).columns if column.name != "sex"}
    assert roles == {"sensitive"}


CHECK_UPS = (0, 0, 0, 0, 1, 1, 2, 3, 4, 5)


def check_ups(
    heading: str, make: Callable[[int], Any], children: int, seed: int
) -> tuple[pa.Table, list[int]]:
    """Each child was seen at the same ten ages: age says which visit a row is, and not whose."""
    who = [child for child in range(children) for _ in CHECK_UPS]
    born = [Random(f"{seed} {child}") for child in range(children)]
    sex = [random.choice("mw") for random in born]
    place = [random.choice(["50667", "50668", "50670", "51103", "51105"]) for random in born]
    weight = [random.gauss(3, 0.8) for random in born]
    columns = {
        heading: [make(child) for child in who],
        "Alter": list(CHECK_UPS) * children,
        "Geschlecht": [sex[child] for child in who],
        "PLZ": [place[child] for child in who],
        "Gewicht": [round(weight[child] + 2 * (row % 10), 1) for row, child in enumerate(who)],
    }
    return pa.table(columns), who


def panel(heading: str, make: Callable[[int], Any], people: int, seed: int) -> tuple[pa.Table, list[int]]:
    """Forty years of forty people: within a person ages differ as much as between people."""
    who = [person for person in range(people) for _ in range(20)]
    born = [Random(f"{seed} {person}") for person in range(people)]
    traits = [(random.randrange(22, 30), random.choice("12"), random.choice("ABC")) for random in born]
    columns = {
        heading: [make(person) for person in who],
        "age": [traits[person][0] + 2 * (row % 20) for row, person in enumerate(who)],
        "sex": [traits[person][1] for person in who],
        "race": [traits[person][2] for person in who],
    }
    return pa.table(columns), who


def smallest_crowd(table: pa.Table, who: list[int], spec: shoal.Spec) -> int:
    release = shoal.anonymize(table, spec, keep_order=True)
    crowds: dict[tuple[Any, ...], set[int]] = {}
    for row, one in zip(release.table.select(list(release.levels)).to_pylist(), who, strict=True):
        crowds.setdefault(tuple(row.values()), set()).add(one)
    crowds.pop(("*",) * len(release.levels), None)
    return min(map(len, crowds.values()))


@pytest.mark.parametrize("make", [lambda one: f"K{100 + 3 * one}", lambda one: 4001 + 13 * one])
@pytest.mark.parametrize(
    "heading",
    [
        "Chiffre",
        "v1",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("Kind-Nr.", "pers_code", "lopnr")),
    ],
)
@pytest.mark.parametrize("visits", [check_ups, panel])
def test_people_are_counted_where_all_were_observed_at_the_same_ages(visits, heading, make):
    for people, seed in ((60, 2), (40, 3), (9, 1), (7, 1)):
        table, who = visits(heading, make, people, seed)
        found = shoal.suggest(table)
        assert heading == found.unit or heading in found.undecided, people
        spec = replace(found.with_unit(heading).spec if found.undecided else found.spec, suppressed="star")
        assert smallest_crowd(table, who, spec) >= 5


def test_clerks_are_not_the_people_of_their_rows_because_age_is_a_time():
    table, _ = check_ups("Chiffre", str, 60, 2)
    random = Random(4)
    clerks = pa.array(random.choices([f"u{clerk}" for clerk in range(30)], k=600))
    assert shoal.suggest(table.append_column("typed", clerks).drop_columns(["Chiffre"])).unit != "typed"


FORMS: dict[str, Callable[[date], Any]] = {
    "Oracle": lambda day: f"{day:%d}-{day:%b}-{day:%y}".upper(),
    "SAS": lambda day: f"{day:%d%b%Y}".upper(),
    "written": lambda day: f"{day.day}. {('Januar', 'Februar', 'März', 'April')[day.month - 1]} {day.year}",
    "weekday": lambda day: f"{day:%A}, {day:%d} {day:%B} {day.year}",
    "digits": lambda day: f"{day:%d%m%Y}",
    "short": lambda day: f"{day:%m/%d}",
    "dots": lambda day: f"{day:%Y.%m.%d}",
    "American": lambda day: f"{day.month}/{day.day}/{day.year} 09:15 AM",
    "week": lambda day: f"{day:%G-W%V-%u}",
    "number": lambda day: int(f"{day:%Y%m%d}"),
    "serial": lambda day: (day - date(1899, 12, 30)).days,
    "seconds": lambda day: 86_400 * (day - date(1970, 1, 1)).days,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("heading", ["Datum", "visit_date", "Termin", "arrest_date", "vaccinated on"])
def test_no_exact_day_is_released_in_whatever_form_where_people_are_not_surely_counted(heading, form):
    """Each day is that of several rows, which may be one person's."""
    random = Random(5)
    days = [FORMS[form](date(2023, 1, 1) + timedelta(random.randrange(90))) for _ in range(400)]
    table = pa.table({heading: days, "sex": random.choices("MF", k=400)})
    column = shoal.suggest(table)[heading]
    assert column.role.value in ("identifier", "quasi-identifier")
    assert column.role.value == "identifier" or column.min_level >= 1


def test_a_month_is_no_day():
    random = Random(6)
    columns = {
        "month": random.choices(["January", "March", "May"], k=400),
        "year": random.choices([2021, 2022, 2023], k=400),
        "age": [random.randrange(18, 89) for _ in range(400)],
        "sex": random.choices("MF", k=400),
    }
    found = shoal.suggest(pa.table(columns))
    assert {found[name].role.value for name in columns} == {"quasi-identifier"}
    assert {found[name].min_level for name in columns} == {0}


def incidents(heading: str, **others: Callable[[Random], Any]) -> tuple[pa.Table, list[int]]:
    """Several rows of each person, whose age and district are the person's own, beside traits of others."""
    random = Random(heading)
    who = [person for person in range(150) for _ in range(random.randrange(2, 7))]
    random.shuffle(who)
    own = [(each.randrange(18, 90), each.choice("NSEW")) for each in map(Random, range(150))]
    columns: dict[str, list[Any]] = {
        heading: [f"N{1000 + 7 * person}" for person in who],
        "age": [own[person][0] for person in who],
        "district": [own[person][1] for person in who],
    }
    for name, make in others.items():
        columns[name] = [make(random) for _ in who]
    return pa.table(columns), who


OTHERS: tuple[dict[str, Callable[[Random], Any]], ...] = (
    {"victim_age": lambda random: random.randrange(90), "victim_sex": lambda random: random.choice("MF")},
    {"vehicle age": lambda random: random.randrange(20)},
    {"officer_gender": lambda random: random.choice("MF")},
    {"child sex": lambda random: random.choice("MF"), "weight": lambda random: random.randrange(20, 45)},
)


@pytest.mark.parametrize("heading", ["Pat-ID", "URN", "nominal", "Kürzel", "mother"])
@pytest.mark.parametrize("others", OTHERS, ids=lambda others: next(iter(others)))
def test_people_are_counted_beside_ages_and_sexes_of_others(heading, others):
    """Neither the age of a victim nor the sex of an officer shows that rows are of different people."""
    table, who = incidents(heading, **others)
    found = shoal.suggest(table)
    assert heading == found.unit or heading in found.undecided
    spec = found.with_unit(heading).spec if found.undecided else found.spec
    assert smallest_crowd(table, who, replace(spec, suppressed="star")) >= 5


@pytest.mark.parametrize("heading", ["HN", "URN", "Versicherter"])
def test_a_few_who_came_back_are_counted_once(heading):
    """Sixteen of 800 patients were there twice."""
    random = Random(7)
    who = [*range(800), *random.sample(range(800), 16)]
    random.shuffle(who)
    own = [(each.randrange(18, 90), each.choice("MF")) for each in map(Random, range(800))]
    columns = {
        heading: [f"{500_000 + 3 * person}" for person in who],
        "age": [own[person][0] for person in who],
        "sex": [own[person][1] for person in who],
        "zip": random.choices(["10115", "10117", "10119"], k=len(who)),
    }
    found = shoal.suggest(pa.table(columns))
    assert found.unit == heading
    columns[heading] = [f"{500_000 + 3 * row}" for row in range(len(who))]
    assert shoal.suggest(pa.table(columns)).unit is None


@pytest.mark.parametrize(
    ("values", "role"),
    [
        (["0 to 17", "18 to 29", "30 to 49", "50 to 69", "70 or Older"], "quasi-identifier"),
        (["17 y", "31 y", "58 y"], "quasi-identifier"),
        (["Eberhardt", "Lombardi", "Szymanski"], "identifier"),
    ],
)
def test_bands_of_ages_are_ages_and_names_are_not(values, role):
    random = Random(15)
    columns = {"Age Group": random.choices(values, k=600), "Gender": random.choices("MF", k=600)}
    assert shoal.suggest(pa.table(columns))["Age Group"].role.value == role
