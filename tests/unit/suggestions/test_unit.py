"""The column that says who a row is about."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

import shoal
from shoal.errors import InputError

ROWS = 200
RANDOM = Random(0)
TOWNS = [RANDOM.choice("AB") for _ in range(ROWS)]
AGES = [RANDOM.randrange(20, 80) for _ in range(80)]


def repeated(text: str) -> list[str]:
    return [text.format(number % 80) for number in range(ROWS)]


def unit(**columns: list[object]) -> str | None:
    return shoal.suggest(pa.table({**columns, "town": TOWNS})).unit


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("patient_id", repeated("p{}"), True),
        ("patient_id", [f"p{number}" for number in range(ROWS)], False),
        ("patient_id", [*(f"p{number}" for number in range(ROWS - 1)), "p0"], True),
        ("patient_id", [None, *repeated("p{}")[1:]], True),
        ("patient_id", [None] * 120 + repeated("p{}")[120:], False),
        ("name", repeated("p{}"), True),
        ("email", [*(f"p{number}@a.org" for number in range(ROWS - 1)), "p0@a.org"], False),
        ("email", [*(f"p{number}@a.org" for number in range(ROWS - 3)), *["p0@a.org"] * 3], True),
        ("phone", repeated("+49 170 555{:04d}"), True),
        ("phone", [None, *repeated("+49 170 555{:04d}")[1:]], True),
        ("phone", [None, *(f"+49 170 555{number % 150:04d}" for number in range(ROWS - 1))], False),
        ("IBAN", repeated("AT{}"), True),
        ("product", repeated("p{}"), True),
    ],
)
def test_by_name_and_look(name, values, expected):
    assert unit(**{name: values}) == (name if expected else None)


def test_a_number_without_gaps_comes_before_one_with_gaps():
    found = unit(patient_id=[None, *repeated("p{}")[1:]], account_no=repeated("a{}"))
    assert found == "account_no"


def test_of_two_telephones_that_do_not_follow_from_each_other_a_person_decides():
    """One may be the clinic's, which many people share."""
    clinic = [f"+49 30 555{number % 15:04d}" for number in range(ROWS)]
    people = pa.table({"clinic": clinic, "contact": repeated("+49 170 555{:04d}"), "town": TOWNS})
    found = shoal.suggest(people)
    assert (found.unit, set(found.undecided)) == (None, {"clinic", "contact"})
    assert "who is a row about?" in found.question
    with pytest.raises(InputError, match="'contact' or 'clinic' may be one person's"):
        _ = found.spec
    assert found.with_unit("contact").spec.unit == "contact"
    assert shoal.suggest(people, unit="contact").spec.unit == "contact"
    assert shoal.suggest(people, unit="none").spec.unit is None
    with pytest.raises(InputError, match="Did you mean 'contact'"):
        shoal.suggest(people, unit="contakt")


def test_a_number_whose_rows_are_not_alike_is_a_clerk_s():
    age = [AGES[number % 80] for number in range(ROWS)]
    clerk = [f"u{RANDOM.randrange(120)}" for _ in range(ROWS)]
    assert unit(user_id=clerk, patient_id=repeated("p{}"), age=age) == "patient_id"
    assert unit(user_id=clerk, age=age) is None


def test_rows_with_a_person_s_number_of_their_own_are_people():
    numbers = [f"p{number}" for number in range(ROWS)]
    assert unit(patient_id=numbers, user_id=repeated("u{}")) is None
    assert unit(numbers=numbers, user_id=repeated("u{}")) == "user_id"


def test_a_coarser_number_that_follows_from_the_finer_one():
    """A patient has a number for each stay; a ward has many patients."""
    age = [AGES[number % 80] for number in range(ROWS)]
    stay = [f"s{number % 160}" for number in range(ROWS)]
    ward = [f"w{number % 80 % 7}" for number in range(ROWS)]
    assert unit(patient_no=stay, person_id=repeated("p{}"), member_id=ward, age=age) == "person_id"


@pytest.mark.parametrize("drift", [1, 12])
def test_the_age_of_a_person_changes_with_time(drift):
    age = [AGES[number % 80] + RANDOM.randint(0, drift) for number in range(ROWS)]
    clerk = [f"u{number % 3}" for number in range(ROWS)]
    assert unit(patient_id=repeated("p{}"), user_id=clerk, age=age) == "patient_id"


@pytest.mark.parametrize("several_years", [0, 3])
def test_by_agreement_in_age(several_years):
    age = [AGES[number % 80] + RANDOM.randint(0, several_years) for number in range(ROWS)]
    found = shoal.suggest(pa.table({"numer": repeated("p{}"), "age": age}))
    assert (found.unit, found["numer"].role.value, found["numer"].sure) == ("numer", "identifier", False)
    assert "agree in age" in found["numer"].reason


def test_a_number_that_does_not_agree_in_age_is_nobody_s():
    assert unit(numer=repeated("p{}"), age=[RANDOM.randrange(20, 80) for _ in range(ROWS)]) is None


def test_a_year_of_birth_under_another_name_is_nobody_s():
    age = [AGES[number % 80] for number in range(ROWS)]
    assert unit(age=age, rocznik=[2026 - number for number in age]) is None
    assert unit(lat=age, birth_year=[2026 - number for number in age]) is None
    assert unit(age=age, rocznik=[2025 - number + place % 2 for place, number in enumerate(age)]) is None


def test_few_people_of_different_ages_have_numbers_all_the_same():
    """As many numbers as ages: yet no number and age make the same year."""
    who = [number % 12 for number in range(ROWS)]
    assert unit(age=[31 + 4 * each for each in who], numero=[1000 + 7 * each for each in who]) == "numero"


def test_by_agreement_in_sex_and_what_has_no_known_name():
    sex = ["FM"[number % 80 % 2] for number in range(ROWS)]
    found = shoal.suggest(
        pa.table(
            {"numer": repeated("p{}"), "sex": sex, "wiek": [AGES[number % 80] for number in range(ROWS)]}
        )
    )
    assert (found.unit, found["numer"].role.value) == ("numer", "identifier")
    assert "agree in sex, wiek" in found["numer"].reason


def test_a_column_without_gaps_comes_before_one_with_gaps():
    age = [AGES[number % 80] for number in range(ROWS)]
    gaps = [None, *repeated("p{}")[1:]]
    assert unit(numer=gaps, age=age) == "numer"
    assert unit(numer=gaps, numero=repeated("q{}"), age=age) == "numero"


def test_what_nearly_all_rows_share_is_no_agreement():
    """First names agree in the sex, and everybody is from one country.

    Counting by a first name hides people all the same: each has one.
    """
    sex = ["FM"[number % 80 % 2] for number in range(ROWS)]
    country = ["Chad"] * (ROWS - 5) + ["Mali"] * 5
    found = shoal.suggest(pa.table({"sex": sex, "imie": repeated("p{}"), "country": country}))
    assert (found.unit, "agree" in found["imie"].reason) == ("imie", False)


def test_by_the_date_of_birth_where_numbers_were_removed():
    sex = ["FM"[number % 80 % 2] for number in range(ROWS)]
    born = [f"{1930 + number % 80}-05-{1 + number % 80 % 28:02d}" for number in range(ROWS)]
    plz = [("10115", "20095", "80331")[number % 80 % 3] for number in range(ROWS)]
    found = shoal.suggest(pa.table({"dob": born, "sex": sex, "plz": plz}))
    assert (found.unit, found["dob"].role.value) == ("dob", "quasi-identifier")
    chance = [RANDOM.choice("FM") for _ in range(ROWS)]
    assert shoal.suggest(pa.table({"dob": born, "sex": chance, "plz": plz})).unit == "dob"
    days = [f"{1940 + number // 365}-{1 + number % 12:02d}-{1 + number % 28:02d}" for number in range(5000)]
    by_chance = [days[RANDOM.randrange(5000)] for _ in range(5000)]
    assert shoal.suggest(pa.table({"dob": by_chance, "sex": RANDOM.choices("FM", k=5000)})).unit is None


def test_a_number_with_decimal_places_says_who_too():
    """As pandas writes a column of whole numbers in which some were missing."""
    age = [AGES[number % 80] for number in range(ROWS)]
    assert unit(numer=repeated("{}.0"), age=age) == "numer"


def test_a_form_at_school_is_nobody_s():
    """Its pupils are of one age and have one teacher, but they are girls and boys."""
    form = [number % 12 for number in range(ROWS)]
    age = [each + 6 + RANDOM.randint(0, 1) for each in form]
    teacher = [f"t{each}" for each in form]
    sex = [RANDOM.choice("FM") for _ in form]
    assert unit(form=form, age=age, teacher=teacher, sex=sex) is None


def test_what_follows_from_each_other_is_no_agreement():
    """A doctor's rows agree in the clinic, its town and its region. People are counted by the coarsest.

    So each class has several of whatever is the person: none of them is in two places.
    """
    doctor = [number % 60 for number in range(ROWS)]
    names = [f"{'abcdefghij'[each % 10]}{'abcdef'[each // 10]}" for each in doctor]
    clinic, place = [f"c{each % 20}" for each in doctor], [f"o{each % 10}" for each in doctor]
    region = [f"r{each % 5}" for each in doctor]
    assert unit(lekarz=names, klinika=clinic, miejsce=place, woj=region) == "miejsce"


def test_bands_of_ages_under_an_unknown_name_are_not_people() -> None:
    """Rows of a band agree in the age within five years, as those of a person do."""
    ages = [18 + row * 7 % 60 for row in range(900)]
    table = pa.table(
        {"age": ages, "tranche": [f"T{age // 5}" for age in ages], "score": [a % 4 for a in ages]}
    )
    assert shoal.suggest(table).spec.unit is None
    people = pa.table(
        {"age": [20 + row // 3 for row in range(60)], "ref": [f"x{row // 3}" for row in range(60)]}
    )
    assert shoal.suggest(people).spec.unit == "ref"


def test_an_account_is_no_person_where_another_number_crosses_it():
    """Several people may share an account, and one may have several: nothing in the table shows which."""
    who = [f"X{number % 60:03d}" for number in range(600)]
    accounts = [f"A{RANDOM.randrange(40):03d}" for _ in who]
    found = shoal.suggest(pa.table({"account_no": accounts, "v1": who}))
    assert set(found.undecided) == {"account_no", "v1"}


def test_a_spec_that_is_undecided_is_refused_from_a_file(tmp_path):
    found = shoal.suggest(
        pa.table({"a": repeated("Xa{}"), "b": [f"Yb{number // 7}" for number in range(ROWS)]})
    )
    path = tmp_path / "spec.yaml"
    path.write_text(found.with_column("a", role="quasi-identifier").to_yaml(), encoding="utf-8")
    assert "unit: {undecided: [a, b]}" in path.read_text(encoding="utf-8")
    with pytest.raises(InputError, match="Nobody has decided who a row is about"):
        shoal.Spec.from_yaml(path)
