"""`shoal init` and tables in which no single column says who a row is about, as organizations keep them.

Numbers begin anew in each clinic, class or household, a name is in two columns, a merged cell stands for the
rows below it, and a clerk's number is the only one that a heading explains. The attacker knows how many rows
somebody has, and finds a crowd of one person.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pyarrow as pa
import pytest

import shoal

FIRST = [
    "Aaliyah",
    "Bram",
    "Cosima",
    "Dagmar",
    "Eoghan",
    "Fiammetta",
    "Giel",
    "Hedwig",
    "Ioana",
    "Joris",
    "Katrien",
    "Lorcan",
    "Mirella",
    "Nuno",
]
LAST = [
    "Bruins",
    "Caldeira",
    "Drexler",
    "Fonck",
    "Haverkamp",
    "Iglesias",
    "Kowalczyk",
    "Lindqvist",
    "Moreau",
    "Nardi",
    "Pfister",
]


def visits(people: int, rows: int) -> list[tuple[int, int]]:
    return [(person, visit) for person in range(people) for visit in range(rows)]


def own(person: int, values: Any) -> Any:
    return Random(f"{person} {values}").choice(values)


def name(person: int) -> str:
    return f"{LAST[person % 11]}, {FIRST[person % 14]}"  # of 154 people, no two have the same


@pytest.mark.parametrize(
    "heading", ["Nr", "lfd_nr", "Pat-Nr", "roll_no", "n", "patient", "subject_no", "Versuchsperson"]
)
def test_a_number_that_begins_anew_in_each_clinic_is_no_crowd(heading):
    rows = visits(240, 4)
    random = Random(1)
    table = pa.table(
        {
            "clinic": [person % 8 for person, _ in rows],
            heading: [person // 8 for person, _ in rows],
            "visit": [visit for _, visit in rows],
            "age": [own(person, range(18, 90)) for person, _ in rows],
            "sex": [own(person, "MF") for person, _ in rows],
            "pulse": [random.randrange(50, 120) for _ in rows],
        }
    )
    found = shoal.suggest(table)
    assert set(found.undecided) == {heading, "clinic"}
    assert "make one column of them" in (found.question or "")


def test_a_roll_number_is_one_in_its_class_and_section():
    rows = visits(480, 4)
    random = Random(2)
    table = pa.table(
        {
            "Class": [5 + person % 12 // 2 for person, _ in rows],
            "Section": ["AB"[person % 2] for person, _ in rows],
            "Roll No": [person // 12 + 1 for person, _ in rows],
            "Term": [visit + 1 for _, visit in rows],
            "Gender": [own(person, "MF") for person, _ in rows],
            "Maths": [random.randrange(30, 100) for _ in rows],
        }
    )
    assert set(shoal.suggest(table).undecided) == {"Class", "Section", "Roll No"}


def test_a_household_has_several_people_in_several_waves():
    rows = visits(600, 3)
    table = pa.table(
        {
            "hhid": [10_000 + person // 3 * 7 for person, _ in rows],
            "pernum": [person % 3 + 1 for person, _ in rows],
            "wave": [visit + 1 for _, visit in rows],
            "age": [own(person, range(18, 80)) + visit for person, visit in rows],
            "sex": [own(person, [1, 2]) for person, _ in rows],
        }
    )
    assert set(shoal.suggest(table).undecided) == {"hhid", "pernum"}


def test_a_name_may_be_in_two_columns():
    rows = visits(200, 3)
    random = Random(3)
    table = pa.table(
        {
            "First Name": [own(person, FIRST) for person, _ in rows],
            "Surname": [own(person, LAST) for person, _ in rows],
            "Age": [own(person, range(18, 90)) for person, _ in rows],
            "Visit": [f"2024-0{random.randrange(1, 9)}-11" for _ in rows],
        }
    )
    assert set(shoal.suggest(table).undecided) == {"First Name", "Surname"}


def test_no_question_where_each_row_is_a_person_of_a_class():
    rows = visits(480, 1)
    random = Random(4)
    table = pa.table(
        {
            "Class": [5 + person % 12 // 2 for person, _ in rows],
            "Section": ["AB"[person % 2] for person, _ in rows],
            "Roll No": [person // 12 + 1 for person, _ in rows],
            "Title": [{"M": "Mr", "F": "Mrs"}[own(person, "MF")] for person, _ in rows],
            "Gender": [own(person, "MF") for person, _ in rows],
            "Age": [10 + person % 12 // 2 + random.randrange(2) for person, _ in rows],
            "Team": [random.randrange(30) for _ in rows],
        }
    )
    found = shoal.suggest(table)
    assert not found.undecided
    assert found.unit is None


@pytest.mark.parametrize("heading", ["Name", "Patient", "patient_id", "Student"])
@pytest.mark.parametrize("traits", [True, False])
def test_rows_below_a_merged_cell_are_not_people_of_their_own(heading, traits):
    rows = visits(150, 3)
    random = Random(5)

    def top(values: list[Any]) -> list[Any]:
        return [value if visit == 0 else None for value, (_, visit) in zip(values, rows, strict=True)]

    columns = {heading: top([name(person) for person, _ in rows])}
    if traits:
        columns["sex"] = top([own(person, "MF") for person, _ in rows])
        columns["age"] = top([own(person, range(18, 90)) for person, _ in rows])
    columns["doctor"] = [f"Dr. {random.choice(LAST[:4])}" for _ in rows]
    columns["pulse"] = [random.randrange(50, 120) for _ in rows]
    found = shoal.suggest(pa.table(columns))
    assert found.undecided == (heading,)
    assert found[heading].role.value == "identifier"
    assert "fill in" in (found.question or "")


def test_a_missing_number_beside_a_name_or_an_age_is_just_missing():
    random = Random(6)
    table = pa.table(
        {
            "patient_id": [f"P{row}" if row % 3 else None for row in range(300)],
            "age": [random.randrange(18, 90) for _ in range(300)],
            "sex": random.choices("MF", k=300),
        }
    )
    assert not shoal.suggest(table).undecided


@pytest.mark.parametrize(
    "clerk", ["employee_id", "user_id", "staff_id", "badge", "emp_no", "username", "client_id"]
)
@pytest.mark.parametrize("person", ["customer_name", "defendant", "tenant", "passenger"])
def test_who_typed_the_rows_is_not_counted_instead_of_somebody_named(clerk, person):
    rows = visits(150, 4)
    random = Random(7)
    table = pa.table(
        {
            clerk: [f"E{random.randrange(30) + 100}" for _ in rows],
            person: [name(number) for number, _ in rows],
            "date": [f"2024-0{random.randrange(1, 9)}-{random.randrange(10, 28)}" for _ in rows],
            "amount": [random.randrange(1, 50) * 20 for _ in rows],
        }
    )
    found = shoal.suggest(table)
    assert set(found.undecided) == {clerk, person}
    assert (found["date"].min_level or 0) >= 1


def test_parties_have_several_cases_and_a_case_has_several_parties():
    rows = visits(150, 3)
    random = Random(8)
    table = pa.table(
        {
            "Case No.": [f"2023-CV-{random.randrange(300):05d}" for _ in rows],
            "Party Name": [name(number) for number, _ in rows],
            "Judge": [random.choice(LAST[:5]) for _ in rows],
            "Charge": [random.choice(["Theft", "Fraud", "Assault"]) for _ in rows],
        }
    )
    assert {"Case No.", "Party Name"} <= set(shoal.suggest(table).undecided)


def test_a_patient_is_counted_beside_the_names_of_tests():
    rows = visits(150, 4)
    random = Random(9)
    table = pa.table(
        {
            "patient_id": [f"P{person + 100}" for person, _ in rows],
            "test_name": [random.choice([f"{one} {two}" for one in FIRST for two in LAST]) for _ in rows],
            "result": [random.randrange(20, 90) for _ in rows],
        }
    )
    assert shoal.suggest(table).unit == "patient_id"


@pytest.mark.parametrize("heading", ["Sample ID", "patient_id", "Subject"])
@pytest.mark.parametrize(
    "written",
    [
        "S{0:03d}-{1}",
        "P{0:03d}_W{2}",
        "{0}.{1}",
        "{0}{3}",
        "{0}_{4}",
        "{0}/{1}",
        "TCGA-A1-{0:04X}-0{1}A",
    ],
)
def test_a_sample_is_numbered_after_whose_it_is(written, heading):
    rows = visits(150, 4)
    random = Random(10)
    names = ["baseline", "week4", "week12", "month6"]
    numbers = [written.format(1001 + who, n + 1, 4 * n, "ABCD"[n], names[n]) for who, n in rows]
    table = pa.table(
        {
            heading: numbers,
            "sex": [own(person, "MF") for person, _ in rows],
            "age": [own(person, range(18, 90)) for person, _ in rows],
            "crp": [round(random.expovariate(0.2), 1) for _ in rows],
            "response": [random.choice(["CR", "PR", "SD", "PD"]) for _ in rows],
        }
    )
    found = shoal.suggest(table)
    assert found.undecided == (heading,)
    assert found[heading].role.value == "identifier"
    assert "make a column of that" in (found.question or "")


@pytest.mark.parametrize("traits", [True, False])
def test_a_sample_has_several_results(traits):
    rows = visits(100, 12)
    random = Random(11)
    columns = {"Sample ID": [f"S{person + 1:03d}-{row // 4 + 1}" for person, row in rows]}
    if traits:
        columns["age"] = [own(person, range(18, 90)) for person, _ in rows]
    columns["IL6"] = [round(random.expovariate(0.2), 2) for _ in rows]
    assert shoal.suggest(pa.table(columns)).undecided == ("Sample ID",)


@pytest.mark.parametrize("written", ["{0}-{1}", "20230{2}-{1}", "AB{0}"])
def test_other_numbers_begin_alike_too(written):
    random = Random(12)
    table = pa.table(
        {
            "Accession": [written.format(row // 3 + 100, row % 3, 101 + row // 9) for row in range(1200)],
            "sex": random.choices("MF", k=1200),
            "age": [random.randrange(18, 90) for _ in range(1200)],
            "finding": random.choices(["none", "mass", "fracture"], k=1200),
        }
    )
    found = shoal.suggest(table)
    assert not found.undecided
    assert found.unit is None


def test_a_sample_beside_its_subject_is_no_question():
    rows = visits(120, 5)
    table = pa.table(
        {
            "Sample ID": [f"S{person + 1:03d}-{visit + 1}" for person, visit in rows],
            "Subject": [f"S{person + 1:03d}" for person, _ in rows],
            "age": [own(person, range(18, 90)) for person, _ in rows],
        }
    )
    assert shoal.suggest(table).unit == "Subject"


@pytest.mark.parametrize("number", ["patient_id", "Patient No.", "OPD No"])
@pytest.mark.parametrize("names", [["Name"], ["First Name", "Surname"], ["Initials"]])
def test_whoever_comes_again_gets_a_number_again(number, names):
    rows = visits(150, 3)
    Random(13).shuffle(rows)
    columns = {number: [20_230_001 + row for row in range(len(rows))]}
    for heading in names:
        parts = {"Name": name, "Initials": lambda who: name(who)[0] + str(who)}
        part = parts.get(heading, lambda who, listed=FIRST if "First" in heading else LAST: own(who, listed))
        columns[heading] = [part(person) for person, _ in rows]
    columns["sex"] = [own(person, "MF") for person, _ in rows]
    columns["age"] = [own(person, range(18, 90)) for person, _ in rows]
    found = shoal.suggest(pa.table(columns))
    if len(names) == 1:
        assert found.unit == names[0]
    else:
        assert set(names) <= set(found.undecided)


def test_two_people_with_one_name_are_two():
    random = Random(14)
    table = pa.table(
        {
            "patient_id": list(range(900)),
            "Name": [name(random.randrange(154)) for _ in range(900)],
            "sex": random.choices("MF", k=900),
            "age": [random.randrange(18, 90) for _ in range(900)],
        }
    )
    found = shoal.suggest(table)
    assert not found.undecided
    assert found.unit is None
