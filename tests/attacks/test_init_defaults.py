"""The attacker reads a release by a spec that `shoal init` proposed and nobody changed.

The attacker knows a person of the table by name or number, or the day on which something happened to the
person, or the person's exact salary. A proposal must not release any of these as it is: not where few people
have many rows each, so that numbers and names repeat, and not where a sensitive column is nearly unique.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from random import Random
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest

import shoal
from shoal.errors import InputError


def diary(**more: list[Any]) -> pa.Table:
    """Thirty people with forty rows each: age and sex are the person's own."""
    random = Random(3)
    people = [(random.randrange(20, 80), random.choice("MF")) for _ in range(30)]
    days = [(person, day) for person in range(30) for day in range(40)]
    return pa.table(
        {
            "age": [people[person][0] for person, _ in days],
            "sex": [people[person][1] for person, _ in days],
            "study_day": [day for _, day in days],
        }
        | {name: [values[person] for person, _ in days] for name, values in more.items()}
    )


NUMBERS = [f"P{number:03d}" for number in range(30)]
NAMES = [f"Person {chr(65 + number)}" for number in range(30)]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("patient_id", NUMBERS),
        ("PatientID", NUMBERS),
        ("participant_no", NUMBERS),
        ("id", list(range(1000, 1030))),
        ("name", NAMES),
        ("full_name", NAMES),
        ("e-mail", [f"p{number}@mail.example" for number in range(30)]),
    ],
)
def test_people_with_many_rows_are_neither_named_nor_their_own_crowd(column, values):
    people = diary(**{column: values})
    found = shoal.suggest(people)
    assert found[column].role.value == "identifier"
    assert found.unit == column
    # Without suppression and in the order of the table, each released row is known to be whose.
    kept = shoal.anonymize(people, replace(found.spec, suppression=0), keep_order=True).table.to_pylist()
    assert column not in kept[0]
    crowds: dict[tuple[Any, ...], set[Any]] = {}
    for row, who in zip(kept, people[column].to_pylist(), strict=True):
        crowds.setdefault(tuple(row.values()), set()).add(who)
    assert min(map(len, crowds.values())) >= 5


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("numer_pacjenta", NUMBERS),
        ("nazwisko", NAMES),
        ("pupil", NAMES),
        ("student", NAMES),
        ("voter_id", NUMBERS),
        ("Household ID", NUMBERS),
        ("ref", list(range(7000, 7030))),
        ("account_no", NUMBERS),
        ("device_id", NUMBERS),
        ("license plate", [f"M-AB {number}" for number in range(100, 130)]),
        ("caller", [f"+49 170 55500{number}" for number in range(10, 40)]),
        ("visitor", [f"192.0.2.{number}" for number in range(30)]),
        ("id", [str(UUID(int=number)) for number in range(30)]),
    ],
)
def test_people_are_counted_whatever_their_number_is_called(column, values):
    test_people_with_many_rows_are_neither_named_nor_their_own_crowd(column, values)


def test_numbers_were_removed_and_the_date_of_birth_says_who(tmp_path):
    """Each date of birth is that of one person, with forty rows."""
    born = [f"{1940 + number}-03-{1 + number % 28:02d}" for number in range(30)]
    people = diary(dob=born, plz=[("10115", "20095", "80331")[number % 3] for number in range(30)])
    people = people.drop_columns(["age", "study_day"])
    found = shoal.suggest(people)
    assert found.unit == "dob"
    release = shoal.anonymize(people, replace(found.spec, suppression=0), keep_order=True)
    crowds: dict[tuple[Any, ...], set[Any]] = {}
    for row, who in zip(release.table.to_pylist(), people["dob"].to_pylist(), strict=True):
        crowds.setdefault(tuple(row.values()), set()).add(who)
    assert min(map(len, crowds.values())) >= 5
    release.write(tmp_path / "release.csv")
    verdict = shoal.audit_release(tmp_path / "release.csv").findings[0].verdict
    assert "which is generalized in the release" in verdict


def test_one_number_that_is_missing_does_not_make_each_row_a_person():
    people = diary(patient_id=NUMBERS)
    numbers = [None, *people["patient_id"].to_pylist()[1:]]
    people = people.set_column(people.schema.get_field_index("patient_id"), "patient_id", [numbers])
    found = shoal.suggest(people)
    assert found.unit == "patient_id"
    assert "NULL in 1 row" in found.people
    with pytest.raises(InputError, match="NULL in 1 of"):
        shoal.anonymize(people, found.spec)


def test_a_few_people_with_many_rows_among_many_with_one():
    """One of 961 people has 40 rows: they would be a class, or several."""
    numbers = [f"P{number:04d}" for number in range(960)] + ["P9999"] * 40
    ages = [20 + number % 60 for number in range(960)] + [91] * 40
    found = shoal.suggest(pa.table({"patient_id": numbers, "age": ages}))
    assert found.unit == "patient_id"


def test_that_rows_are_taken_for_people_is_said():
    found = shoal.suggest(pa.table({"age": [20 + number % 40 for number in range(100)]}))
    assert "each row counts as one person" in found.people
    assert found.people in found._repr_html_()
    assert "each row counts as one person" in found.to_yaml()


def test_names_that_different_people_share_are_no_unit():
    random = Random(5)
    people = pa.table(
        {
            "name": [random.choice(NAMES) for _ in range(600)],
            "age": [random.randrange(20, 80) for _ in range(600)],
        }
    )
    found = shoal.suggest(people)
    assert found["name"].role.value == "identifier"
    assert found.unit is None


@pytest.mark.parametrize("name", ["first_name", "last_name", "surname", "Vorname", "defendant"])
def test_names_are_left_out_however_few_they_are(name):
    random = Random(6)
    people = pa.table(
        {
            name: [random.choice(NAMES[:12]) for _ in range(900)],
            "age": [random.randrange(20, 80) for _ in range(900)],
        }
    )
    assert shoal.suggest(people)[name].role.value == "identifier"


def test_a_visit_s_number_is_a_number():
    people = pa.table({"visit_id": list(range(500)), "age": [20 + number % 60 for number in range(500)]})
    assert shoal.suggest(people)["visit_id"].role.value == "identifier"


def test_sensitive_days_are_generalized_also_where_they_repeat():
    random = Random(7)
    first = dt.date(2020, 1, 1)
    people = pa.table(
        {
            "age": [random.randrange(20, 80) for _ in range(3000)],
            "arrest_date": [first + dt.timedelta(days=random.randrange(400)) for _ in range(3000)],
            "offense_date": [first + dt.timedelta(days=random.randrange(400)) for _ in range(3000)],
        }
    )
    found = shoal.suggest(people)
    assert {found[name].role.value for name in ("arrest_date", "offense_date")} == {"quasi-identifier"}


@pytest.mark.parametrize(
    "form", ["%d%m%Y", "%d%b%Y", "%d-%b-%y", "%-d.%-m.%Y 0:00", "%Y-%j", "%d.%m.", "%s", "%y%m%d"]
)
def test_sensitive_days_are_generalized_in_whatever_form_they_are(form):
    """Each day is that of several people, so that no limit on unique values refuses the column."""
    random = Random(7)
    days = [dt.datetime(2020, 1, 1) + dt.timedelta(days=random.randrange(400)) for _ in range(3000)]
    written = {
        "time": [f"{day.day}.{day.month}.{day.year} 0:00" for day in days],
        "seconds": [str(int(day.replace(tzinfo=dt.UTC).timestamp())) for day in days],
    }
    people = pa.table(
        {
            "age": [random.randrange(20, 80) for _ in days],
            "surgery_date": written.get(form) or [day.strftime(form) for day in days],
        }
    )
    assert shoal.suggest(people)["surgery_date"].role.value != "sensitive"


def test_days_as_spreadsheets_count_them_are_days():
    random = Random(7)
    days = [(dt.date(2020, 1, 1) - dt.date(1899, 12, 30)).days + random.randrange(400) for _ in range(3000)]
    people = pa.table({"vaccination": days, "income": days, "age": [20 + row % 60 for row in range(3000)]})
    found = shoal.suggest(people)
    assert (found["vaccination"].role.value, found["income"].role.value) == ("quasi-identifier", "sensitive")


def test_what_happens_per_day_is_no_date():
    people = pa.table(
        {
            "alcohol_per_day": [number % 7 for number in range(300)],
            "age": [20 + number % 60 for number in range(300)],
        }
    )
    assert shoal.suggest(people)["alcohol_per_day"].role.value == "sensitive"


def test_a_few_sentences_that_do_not_repeat_are_no_categories():
    """Forty of a thousand people have an illness that is told in words of their own."""
    told = [f"Sad since her husband {number} left their home" for number in range(40)]
    people = pa.table(
        {
            "age": [20 + number % 60 for number in range(1000)],
            "diagnosis": told + ["flu", "cough", "asthma", "gout"] * 240,
        }
    )
    assert shoal.suggest(people)["diagnosis"].role.value == "identifier"


@pytest.mark.parametrize("rows", [30, 200, 2000])
def test_what_is_proposed_is_not_refused(rows):
    """A salary that nearly every row has alone, an illness in free words: generalized or left out."""
    random = Random(rows)
    people = pa.table(
        {
            "age": [random.randrange(20, 80) for _ in range(rows)],
            "salary": [random.randrange(20_000, 90_000) for _ in range(rows)],
            "diagnosis": [f"illness {random.randrange(10 * rows)}" for _ in range(rows)],
        }
    )
    found = shoal.suggest(people)
    assert (found["salary"].role.value, found["salary"].sure) == ("quasi-identifier", False)
    assert "unique" in found["salary"].reason
    assert found["diagnosis"].role.value == "identifier"
    shoal.anonymize(people, found.spec)  # raises LinkableError for columns that single people out


def test_people_are_counted_where_a_value_is_one_person_s():
    """Each salary occurs in ten rows, all of one person."""
    random = Random(8)
    people = [(f"p{number}", random.randrange(20, 80), 20_000 + 7 * number) for number in range(60)]
    rows = [person for person in people for _ in range(10)]
    table = pa.table(
        {name: [row[place] for row in rows] for place, name in enumerate(("patient_id", "age", "salary"))}
    )
    found = shoal.suggest(table)
    assert found["salary"].role.value == "quasi-identifier"
    shoal.anonymize(table, found.spec)


def test_few_people_are_counted_all_the_same():
    """Four people are no crowd of five: there is no release, rather than one with a lower k."""
    four = pa.table({"patient_id": ["a", "b", "c", "d"] * 15, "age": [30, 40, 50, 60] * 15})
    found = shoal.suggest(four)
    assert (found.unit, found.k) == ("patient_id", 5)
    assert "only 4, so no release can have k = 5" in found.people
    assert "only 4 values" in found.to_yaml()
    with pytest.raises(shoal.InfeasibleError, match="only 4 units"):
        shoal.anonymize(four, found.spec)
    with pytest.raises(InputError, match="about one person"):
        shoal.suggest(pa.table({"patient_id": ["a"] * 60, "age": list(range(20, 80))}))


def test_what_everybody_shares_is_said_and_a_value_beside_null_counts_as_two(tmp_path, capsys):
    """Nobody can ask for two illnesses where all have one; whoever has HIV or nothing can be told apart."""
    from shoal.cli.main import app

    path, spec = tmp_path / "people.csv", tmp_path / "spec.yaml"
    rows = [f"{20 + number % 40},asthma,{('', 'yes')[number % 2]}" for number in range(100)]
    path.write_text("\n".join(["age,diagnosis,hiv", *rows]) + "\n", encoding="utf-8")
    app(["init", str(path), "--output", str(spec)], standalone_mode=False)
    printed = " ".join(capsys.readouterr().out.split())
    assert "Sensitive hiv: k-anonymity does not hide" in printed
    assert "diagnosis: the same in every row, so everybody known to be in the table has this value" in printed
    assert "# - l-diversity: {column: hiv, l: 2}" in spec.read_text(encoding="utf-8")
    assert "column: diagnosis" not in spec.read_text(encoding="utf-8")


def test_what_k_anonymity_leaves_open_is_said(tmp_path, capsys):
    """Whoever takes the proposal as it is learns that a class may share one illness."""
    from shoal.cli.main import app

    path = tmp_path / "people.csv"
    rows = [f"{20 + number % 40},{('flu', 'HIV')[number % 2]}" for number in range(100)]
    path.write_text("\n".join(["age,diagnosis", *rows]) + "\n", encoding="utf-8")
    app(["init", str(path), "--output", str(tmp_path / "spec.yaml")], standalone_mode=False)
    printed = " ".join(capsys.readouterr().out.split())
    assert "diagnosis: k-anonymity does not hide a value that a whole class shares" in printed


def test_pupils_are_no_smaller_crowd_because_ages_differ_little():
    """All pupils are between 10 and 15, so any column agrees in age: people are not counted by one.

    Counted by the two stages, a class of two rows would have been enough.
    """
    random = Random(5)
    ages = [random.randrange(10, 16) for _ in range(100)]
    stages = [("middle", "high")[age > 12] for age in ages]
    points = [random.randrange(20) for _ in ages]
    people = pa.table({"age": ages, "stage": stages, "points": points})
    found = shoal.suggest(people)
    assert (found.unit, found.k) == (None, 5)
    assert min(shoal.anonymize(people, found.spec).class_sizes) >= 5


def test_a_number_that_goes_one_to_one_with_a_salary_is_no_secret_of_its_own():
    """It was taken for sensitive, and released as it is beside each of the person's rows."""
    people = diary(ref=list(range(7000, 7030)), salary=[20_000 + 7 * number for number in range(30)])
    found = shoal.suggest(people)
    assert found.unit in ("ref", "salary")
    released = shoal.anonymize(people, found.spec).table.to_pylist()
    for column in {"ref", "salary"} & set(released[0]):
        assert not {str(value) for value in people[column].to_pylist()} & {
            str(row[column]) for row in released
        }


@pytest.mark.parametrize("names", [("wiek", "plec", "miasto", "zawod"), ("c1", "c2", "c3", "c4")])
def test_people_are_found_in_a_language_that_is_not_known(names):
    """Forty people with fifteen rows each: four columns are the person's own, one is not."""
    random = Random(4)
    own = [(random.randrange(20, 80), *map(random.choice, ("KM", "abcde", "uvwxyz"))) for _ in range(40)]
    rows = [number % 40 for number in range(600)]
    columns = {name: [own[who][place] for who in rows] for place, name in enumerate(names)}
    people = pa.table(
        {"kod": [f"X{who:03d}" for who in rows], **columns, "d": random.choices("pqrst", k=600)}
    )
    found = shoal.suggest(people)
    assert (found.unit, found["kod"].role.value, found["kod"].sure) == ("kod", "identifier", False)
    kept = shoal.anonymize(people, replace(found.spec, suppression=0), keep_order=True).table.to_pylist()
    crowds: dict[tuple[Any, ...], set[int]] = {}
    for row, who in zip(kept, rows, strict=True):
        crowds.setdefault(tuple(row.values()), set()).add(who)
    assert "kod" not in kept[0] and min(map(len, crowds.values())) >= 5


def test_a_summary_by_an_unconfirmed_spec_says_that_rows_are_taken_for_people():
    people = pa.table({"age": [20, 30, 40, 50] * 5, "town": list("ab") * 10})
    spec = shoal.suggest(people).spec
    said = "each row counts as one person; if a person has several rows, add `unit:` to the spec"
    assert dict(shoal.anonymize(people, spec).facts())["People"] == said
    assert "People" not in dict(shoal.anonymize(people, replace(spec, proposed=False)).facts())


def test_a_number_beside_a_salary_is_not_released_where_nothing_else_says_who():
    """Nothing but the token and the salary is the person's own: the token is left out all the same.

    People are counted by it, so each salary is one person's, and is generalized.
    """
    random = Random(6)
    rows = [random.randrange(30) for _ in range(270)]
    tokens, salaries = [f"X{who:04d}" for who in rows], [1000 + 13 * who for who in rows]
    amounts = [random.randrange(900) for _ in rows]
    found = shoal.suggest(pa.table({"token": tokens, "amount": amounts, "salary": salaries}))
    assert (found["token"].role.value, found["salary"].role.value) == ("identifier", "quasi-identifier")


def test_names_are_counted_by_if_two_columns_agree():
    random = Random(8)
    own = [(f"Person {number}", random.choice("abcd"), random.choice("uvw")) for number in range(40)]
    rows = [own[number % 40] for number in range(200)]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(("name", "city", "job"))}
    assert shoal.suggest(pa.table({**columns, "points": random.choices(range(9), k=200)})).unit == "name"
