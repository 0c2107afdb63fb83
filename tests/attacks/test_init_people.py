"""The attacker reads a release by a spec that `shoal init` proposed, of a table with several kinds of people.

The attacker knows a patient, a clerk, a doctor or a case by name or number. Clerks are not to be taken for
the people of the table, no name or number is to be released because its column is in an unknown language, has
a word for an illness in its name, or refers to people in another column; and few people are no crowd.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import InfeasibleError, InputError

LAST_NAMES = ("Волков", "Орлов", "Козлов", "Лебедев", "Морозов", "Зайцев")
FIRST_NAMES = ("Иван", "Мария", "Пётр", "Анна", "Олег", "Нина", "Игорь", "Настя")
NUMBERED = """
    health_insurance_no medical_id HealthInsuranceNumber pension_no prescription_no cancer_registry_no loan_no
    credit_no arrest_no crime_ref disability_card vaccination_pass_no dossier_medical numero_sante debt_ref
    Rentenversicherungsnummer medicare_no drug_user vaccinated_person
"""
DOCTORS = ["Anna Weber", "Ben Kovac", "Carla Rossi", "Dan Novak", "Eva Lind", "Finn Olsen", "Gina Serra"]


def visits(
    people: int = 120, most: int = 8, **more: Callable[[Random, int], Any]
) -> tuple[pa.Table, list[int]]:
    """People with some rows each, in random order; return also whose each row is."""
    random = Random(people)
    who = [person for person in range(people) for _ in range(random.randrange(2, most + 1))]
    random.shuffle(who)
    return pa.table({name: [make(random, one) for one in who] for name, make in more.items()}), who


def own(make: Callable[[Random], Any]) -> Callable[[Random, int], Any]:
    """A value that is the person's own."""
    return lambda _, person: make(Random(person))


AGE, SEX = (
    own(lambda random: random.randrange(95)),
    lambda _, person: "MF"[Random(person + 5000).randrange(2)],
)
ZIP = own(lambda random: f"{random.randrange(10, 99)}{random.randrange(10)}00")


def number(_: Random, person: int) -> str:
    return f"P{10_000 + 7 * person}"


def fullname(_: Random, person: int) -> str:
    return f"{FIRST_NAMES[person % 8]} {LAST_NAMES[person // 8 % 6]}{'' if person < 48 else person // 48}"


def any_of(*values: Any) -> Callable[[Random, int], Any]:
    return lambda random, _: random.choice(values)


def smallest_crowd(table: pa.Table, who: list[int], found: shoal.Suggestion) -> int:
    """Return the least number of people in a class: without suppression, each row is known to be whose."""
    release = shoal.anonymize(table, replace(found.spec, suppression=0), keep_order=True)
    crowds: dict[tuple[Any, ...], set[int]] = {}
    for row, one in zip(release.table.select(list(release.levels)).to_pylist(), who, strict=True):
        crowds.setdefault(tuple(row.values()), set()).add(one)
    return min(map(len, crowds.values()))


CLERKS: dict[str, tuple[Any, ...]] = {
    "user_id": tuple(f"u{clerk}" for clerk in range(6)),
    "staff_id": tuple(range(12)),
    "study_id": ("A", "B"),
    "policy_number": ("A1", "B1", "C1"),
    "entered_by": ("a@clinic.example", "b@clinic.example"),
    "clinic_phone": ("030 1234567", "040 7654321"),
}


@pytest.mark.parametrize("column", CLERKS)
def test_patients_are_counted_and_not_the_clerks_who_typed_their_visits(column):
    values = CLERKS[column]
    table, who = visits(
        patient_id=number,
        **{column: any_of(*values)},
        age=AGE,
        sex=SEX,
        zip=ZIP,
        diagnosis=any_of("I10", "J45"),
    )
    found = shoal.suggest(table)
    assert (found.unit, found.k) == ("patient_id", 5)
    assert smallest_crowd(table, who, found) >= 5
    assert shoal.suggest(table.drop_columns(["patient_id"])).unit != column


@pytest.mark.parametrize("column", CLERKS)
def test_a_second_number_does_not_lower_k_where_each_row_is_a_person(column):
    random = Random(3)
    people = 300
    table = pa.table(
        {
            "patient_id": [f"P{person:04d}" for person in range(people)],
            column: random.choices(CLERKS[column], k=people),
            "age": [random.randrange(95) for _ in range(people)],
            "sex": random.choices("MF", k=people),
        }
    )
    found = shoal.suggest(table)
    assert (found.unit, found.k) == (None, 5)
    assert min(shoal.anonymize(table, found.spec).class_sizes) >= 5


@pytest.mark.parametrize(
    "names", [("ФИО", "возраст", "пол"), ("სახელი", "ასაკი", "სქესი"), ("v1", "v2", "v3")]
)
@pytest.mark.parametrize("make", [number, fullname, lambda _, person: 100_000 + 7 * person])
def test_people_are_found_in_any_letters(names, make):
    table, who = visits(**dict(zip(names, (make, AGE, SEX), strict=True)), dx=any_of("flu", "gout", "cold"))
    found = shoal.suggest(table)
    assert (found.unit, found[names[0]].role.value) == (names[0], "identifier")
    assert smallest_crowd(table, who, found) >= 5


@pytest.mark.parametrize("column", ["Attendee", "nurse", "შემდეგი", "pat_nm", "v1"])
def test_names_are_left_out_where_nothing_else_agrees(column):
    table, _ = visits(60, **{column: fullname}, Class=any_of("Yoga", "Swim"))
    assert shoal.suggest(table)[column].role.value == "identifier"


def test_numbers_of_unknown_meaning_are_not_released_as_they_are():
    table, _ = visits(60, თვე=lambda _, person: person, Class=any_of("Yoga", "Swim"))
    found = shoal.suggest(table)
    assert found["თვე"].role.value == "quasi-identifier"
    assert found.spec.quasi_identifiers["თვე"].min_level == 1
    assert shoal.anonymize(table, found.spec).levels["თვე"] >= 1


@pytest.mark.parametrize(
    "column",
    NUMBERED.split(),
)
def test_a_number_is_no_illness_whatever_else_its_name_says(column):
    table, who = visits(
        **{column: number}, city=own(lambda random: random.choice("abcde")), drug=any_of(*"xyz")
    )
    found = shoal.suggest(table)
    assert (found[column].role.value, found.unit) == ("identifier", column)
    assert smallest_crowd(table, who, found) >= 5


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (
            "diagnosis",
            [f"{letter}{number:02d}.{place}" for letter in "EFIJ" for number in range(9) for place in "19"],
        ),
        ("drug", ["aspirin", "insulin", "codeine"]),
        ("hiv_no", [0, 1]),
        ("treatment", [f"T{number}" for number in range(30)]),
        ("number_of_diagnoses", list(range(30))),
    ],
)
def test_what_is_no_number_of_a_person_is_still_sensitive(column, values):
    table, _ = visits(**{column: any_of(*values)}, age=AGE)
    assert shoal.suggest(table)[column].role.value == "sensitive"


@pytest.mark.parametrize("column", ["patient", "subject", "Patient name"])
def test_four_people_with_many_rows_are_neither_named_nor_a_crowd_of_five(column):
    random = Random(2)
    names = [name for name in ("Anna", "Paul", "Lea", "Tom") for _ in range(50)]
    table = pa.table(
        {column: names, "day": list(range(50)) * 4, "glucose": random.choices(range(60, 200), k=200)}
    )
    found = shoal.suggest(table)
    assert (found[column].role.value, found.k) == ("identifier", 5)
    if found.unit is not None:
        with pytest.raises(InfeasibleError, match="only 4 units"):
            shoal.anonymize(table, found.spec)


def test_a_patient_s_type_is_a_category():
    table, _ = visits(patient_type=any_of("in", "out", "day"), victim=any_of(0, 1), age=AGE)
    found = shoal.suggest(table)
    assert {found[name].role.value for name in ("patient_type", "victim")} == {"quasi-identifier"}


@pytest.mark.parametrize("column", ["infection_source", "infected_by", "v1"])
def test_numbers_of_other_cases_are_left_out(column):
    random = Random(4)
    cases = [f"C{number:04d}" for number in range(300)]
    others = [random.choice(cases[:40]) if random.random() < 0.6 else None for _ in cases]
    table = pa.table({"case_id": cases, column: others, "age": [random.randrange(95) for _ in cases]})
    found = shoal.suggest(table)
    assert (found[column].role.value, found.unit) == ("identifier", None)


@pytest.mark.parametrize("column", ["infected_with", "v1"])
def test_small_numbers_refer_to_nobody(column):
    random = Random(4)
    table = pa.table({"case_id": list(range(300)), column: [random.randrange(9) for _ in range(300)]})
    assert shoal.suggest(table)[column].role.value != "identifier"


@pytest.mark.parametrize(
    "column",
    [
        "surgeon",
        "judge",
        "medecin",
        "manager",
        "teacher",
        "vaccinated_by",
        "arrest_officer",
        "docente",
        "nome",
    ],
)
def test_people_at_work_are_not_named(column):
    table, _ = visits(**{column: any_of(*DOCTORS)}, age=AGE, sex=SEX)
    found = shoal.suggest(table)
    assert found[column].role.value == "identifier"
    assert column not in shoal.anonymize(table, found.spec).table.column_names


def test_a_rating_of_a_judge_is_not_a_judge():
    table, _ = visits(judge_rating=any_of(1, 2, 3, 4, 5, 6), doctor_visits=any_of(*range(9)), age=AGE)
    found = shoal.suggest(table)
    assert {found[name].role.value for name in ("judge_rating", "doctor_visits")} == {"quasi-identifier"}


def test_that_the_unit_is_proposed_is_said():
    table, _ = visits(patient_id=number, age=AGE, salary=own(lambda random: random.randrange(20) * 1000))
    found = shoal.suggest(table)
    release = shoal.anonymize(table, found.spec)
    counted = (
        "counted by 'patient_id': rows with the same value count as one person; if it is not the person's, "
        "change `unit:`"
    )
    assert dict(release.facts())["People"] == found.people == counted
    assert all("is unique in" not in note for note in release.notes)


@pytest.mark.parametrize(
    "column", ["Loan Applicant", "hiv_patient_name", "crime suspect", "health_insurance_customer", "debtor"]
)
def test_who_applied_for_a_loan_is_no_loan(column):
    """The head of the name says that the values are people, whatever else is in it."""
    table, who = visits(**{column: fullname}, age=AGE, sex=SEX, rate=any_of(3.1, 3.5, 4.2))
    found = shoal.suggest(table)
    assert (found[column].role.value, found.unit) == ("identifier", column)
    assert smallest_crowd(table, who, found) >= 5


@pytest.mark.parametrize(
    ("column", "make"),
    [
        ("age_at_diagnosis", AGE),
        ("arrest_city", any_of("Bonn", "Ulm", "Rome")),
        ("surgery_zip", ZIP),
        ("age at offense", AGE),
    ],
)
def test_what_others_know_is_generalized_although_it_is_about_an_illness(column, make):
    table, _ = visits(patient_id=number, **{column: make}, ward=any_of(*"abc"))
    assert shoal.suggest(table)[column].role.value == "quasi-identifier"


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("cancer_consultant", [f"Dr. {letter}. {name}" for letter in "ABCDE" for name in LAST_NAMES]),
        ("rent_contract", [f"MV-{number:03d}" for number in range(48)]),
        ("hiv_tested", [f"{day:02d}{month:02d}24" for day in range(1, 29) for month in range(1, 13)]),
        ("hiv", [f"{day:02d}{month:02d}24" for day in range(1, 29) for month in range(1, 13)]),
    ],
)
def test_many_texts_beside_a_word_for_an_illness_are_left_out(column, values):
    table, _ = visits(patient_id=number, **{column: any_of(*values)}, age=AGE, sex=SEX)
    assert shoal.suggest(table)[column].role.value == "identifier"


def test_illnesses_are_not_taken_for_names():
    codes = [f"{letter}{number:02d}" for letter in "EFIJ" for number in range(9)]
    table, _ = visits(diagnosis_code=any_of(*codes), state_of_health=any_of(*"abc"), loan_type=any_of(*codes))
    found = shoal.suggest(table)
    assert {column.role.value for column in found.columns} == {"sensitive"}


SPELLINGS = {"M": ("M", "m", "male", "Male", "MALE"), "F": ("F", "f", "female", "Female", "FEMALE")}


@pytest.mark.parametrize("column", ["MRN", "borrower", "account_no"])
@pytest.mark.parametrize("messy", ["spellings", "country", "NULL"])
def test_people_are_counted_although_a_table_is_messy(column, messy):
    """A sex is spelled in five ways, the country is that of a payment, or one number is missing."""
    columns: dict[str, Callable[[Random, int], Any]] = {
        "spellings": {"sex": lambda random, who: random.choice(SPELLINGS[SEX(random, who)])},
        "country": {"country": any_of("DE", "FR", "IT")},
        "NULL": {},
    }[messy]
    table, _ = visits(**{column: number}, **columns, amount=lambda random, _: random.randrange(90))
    if messy == "NULL":
        numbers = [None, *table[column].to_pylist()[1:]]
        table = table.set_column(0, column, [numbers])
    found = shoal.suggest(table)
    assert found.unit == column
    if messy == "NULL":
        with pytest.raises(InputError, match="NULL in 1 of"):
            shoal.anonymize(table, found.spec)


@pytest.mark.parametrize("column", ["Proband", "Kürzel", "Cell"])
def test_codes_of_people_have_the_form_of_illnesses(column):
    """P07 has the form of an ICD-10 code."""
    table, _ = visits(80, **{column: lambda _, who: f"P{who:02d}", "points": any_of(*range(9))})
    found = shoal.suggest(table)
    assert found[column].role.value == "identifier"
    assert column not in shoal.anonymize(table, found.spec).table.column_names


@pytest.mark.parametrize("column", ["health insurance", "arrest"])
def test_long_numbers_under_a_sensitive_name_are_left_out(column):
    table, _ = visits(**{column: lambda _, who: 100_000 + 7_019 * who}, points=any_of(*range(9)))
    assert shoal.suggest(table)[column].role.value == "identifier"


@pytest.mark.parametrize("column", ["customer_order_no", "patient_visit_id", "user_session_id"])
@pytest.mark.parametrize("other", ["email", "customer", "name"])
def test_a_number_for_each_order_does_not_make_each_row_a_person(column, other):
    """Each order has a number of its own; who ordered is in another column."""
    make = {"email": lambda _, who: f"p{who}@mail.example"}.get(other, fullname)
    table, who = visits(**{other: make}, age=AGE, sex=SEX, points=any_of(*range(9)))
    table = table.append_column(column, pa.array([f"V{1000 + 7 * row}" for row in range(len(who))]))
    found = shoal.suggest(table)
    assert (found[column].role.value, found.unit) == ("identifier", other)
    assert smallest_crowd(table, who, found) >= 5


@pytest.mark.parametrize("column", ["citizen_id", "household_id", "military no", "family_no"])
@pytest.mark.parametrize("make", [number, lambda _, who: 100_000 + 7 * who])
def test_a_number_of_citizens_is_no_origin(column, make):
    table, _ = visits(**{column: make}, points=any_of(*range(9)))
    assert shoal.suggest(table)[column].role.value == "identifier"


def test_people_are_not_counted_by_who_typed_the_rows_where_their_number_is_missing_once():
    clerks = [f"u{clerk}@bank.example" for clerk in range(9)]
    table, _ = visits(account_no=number, entered_by=any_of(*clerks), x=any_of(1, 2))
    table = table.set_column(0, "account_no", [[None, *table["account_no"].to_pylist()[1:]]])
    assert shoal.suggest(table).unit == "account_no"


def misspelled(make: Callable[[Random, int], Any], wrong: Any) -> Callable[[Random, int], Any]:
    """One cell in twenty-five is wrong."""
    return lambda random, person: make(random, person) if random.random() > 0.04 else wrong


def town(random: Random, person: int) -> str:
    """It follows from the postcode."""
    return "ABCDEFG"[int(ZIP(random, person)[0]) % 7]


@pytest.mark.parametrize(
    ("column", "make", "born_with"),
    [
        ("Medlemsnr", number, {}),
        ("Nº sócio", lambda _, who: str(100_000 + 7 * who), {}),
        ("Address", lambda _, who: f"{7 * who + 1} Main Street", {}),
        (
            "Försäkrad",
            lambda _, who: f"{LAST_NAMES[who % 6]} {'abcdefghijklmnopqrst'[who // 6]}",
            {"age": AGE},
        ),
    ],
)
def test_a_few_wrong_cells_do_not_make_each_row_a_person(column, make, born_with):
    table, who = visits(
        most=24,
        **{column: make},
        **{name: misspelled(born, 99) for name, born in born_with.items()},
        Postnr=misspelled(ZIP, "?"),
        Ort=misspelled(town, "?"),
        points=lambda random, _: random.randrange(9),
    )
    found = shoal.suggest(table)
    assert (found[column].role.value, found.unit) == ("identifier", column)
    assert smallest_crowd(table, who, found) >= 5


def test_people_are_not_counted_by_remarks():
    """A few remarks are in most rows; many others are in two rows of one person each."""
    usual = ("ok", "-", "call back", "see file", "moved")
    table, who = visits(80, first=number, age=AGE, points=any_of(*range(9)))
    rows: dict[int, list[int]] = {}
    for row, one in enumerate(who):
        rows.setdefault(one, []).append(row)
    remarks = [usual[row % 5] for row in range(len(who))]
    for one, (first, second, *_) in rows.items():
        remarks[first] = remarks[second] = f"sister of {chr(65 + one % 26)}{chr(65 + one // 26)}"
    found = shoal.suggest(table.drop_columns(["first"]).append_column("Obs.", pa.array(remarks)))
    assert (found.unit, found["Obs."].role.value) == (None, "identifier")


@pytest.mark.parametrize(
    ("sample", "born_with"),
    [
        ("Prøve", {"age": AGE, "sex": SEX}),
        ("Prøve", {"Postnr": ZIP}),
        ("case_no", {"age": AGE, "sex": SEX}),
        ("id", {"dob": own(lambda random: f"19{random.randrange(40, 99)}-05-{random.randrange(10, 29)}")}),
    ],
)
@pytest.mark.parametrize("column", ["Nº Utente", "Kürzel"])
def test_a_number_for_each_sample_does_not_make_each_sample_a_person(column, sample, born_with):
    """Each sample has a number of its own and four results; whose it is is in another column."""
    table, who = visits(**{column: number}, **born_with)
    table = table.append_column(sample, pa.array([f"X{10_000 + 3 * row}" for row in range(len(who))]))
    table = pa.concat_tables([table] * 4)
    table = table.append_column("value", pa.array([row * row % 7 for row in range(table.num_rows)]))
    found = shoal.suggest(table)
    assert (found.unit, found[sample].role.value) == (column, "identifier")
    assert smallest_crowd(table, who * 4, found) >= 5


@pytest.mark.parametrize(("column", "kind"), [("F. nac.", pa.date32()), ("dob", pa.timestamp("us"))])
def test_no_birthday_is_released_where_nothing_numbers_people(column, kind):
    """Twelve rows of each person: a known date of birth is counted by, another date is asked about."""
    born = [date(1940 + person % 60, 1 + person % 12, 1 + person % 28) for person in range(60)]
    days = pa.array([born[row % 60] for row in range(720)], pa.date32()).cast(kind)
    table = pa.table({column: days, "points": [row * row % 11 for row in range(720)]})
    found = shoal.suggest(table)
    if column == "dob":
        assert smallest_crowd(table, [row % 60 for row in range(720)], found) >= 5
    else:
        assert found.undecided == (column, "points")
        with pytest.raises(InputError, match="who a row is about"):
            _ = found.spec
    labels = shoal.anonymize(table, found.with_unit(None).spec).table[column].to_pylist()
    assert not {str(each) for each in born} & {str(label)[:10] for label in labels}
