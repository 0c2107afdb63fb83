"""What the names of columns tell, and what they do not."""

from __future__ import annotations

import pytest

from shoal.describe.roles import Role
from shoal.suggestions.concepts import CONCEPTS
from shoal.suggestions.hipaa import SAFE_HARBOR
from shoal.suggestions.names import concepts_of, words

TRUE_FRIENDS = {
    "age": ["age", "Age", "AGE", "age_years", "AgeGroup", "patient_age", "Alter", "edad", "Âge"],
    "a postcode": [
        "ZIP",
        "zip",
        "zip_code",
        "ZipCode",
        "zipcode",
        "Postcode",
        "PLZ",
        "codePostal",
        "postal-code",
    ],
    "when somebody was born": [
        "dob",
        "DOB",
        "birthdate",
        "BirthDate",
        "date_of_birth",
        "Geburtsdatum",
        "yob",
    ],
    "sex": ["sex", "Gender", "GESCHLECHT", "sexo"],
    "marital status": ["marital-status", "marital_status", "maritl", "MARSTAT", "Familienstand"],
    "education": ["education", "EDUC", "education-num", "Highest level of school completed"],
    "a country or origin": [
        "native-country",
        "birth_country",
        "Birthplace",
        "nationality",
        "Citizenship status",
    ],
    "work or occupation": ["occupation", "workclass", "jobclass", "job_title", "Labor force status", "Beruf"],
    "race or ethnicity": ["race", "Ethnicity", "RACEA"],
    "income or wealth": ["income", "INCOME", "salary-class", "wage", "logwage", "Gehalt", "capital-gain"],
    "health": ["diagnosis", "Disease", "ICD10", "icd_code", "health", "health_ins", "HIV", "state_of_health"],
    "religion or belief": ["religion", "Konfession"],
    "sexual orientation": ["sexual_orientation", "sexualOrientation"],
    "the name of a person": ["name", "Name", "first_name", "lastName", "Nachname", "patient_name"],
    "an e-mail address": ["email", "e-mail", "customer_email"],
    "a telephone number": ["phone", "phone_number", "Telefon"],
    "a social security or tax number": ["ssn", "SSN", "social_security_number"],
    "an IP address": ["ip", "ip_address"],
    "a person's number": ["person_id", "PatientID", "userid"],
    "a record's number": ["id", "row_number", "uuid"],
    "a coordinate": ["lat", "longitude", "lng"],
    "a street address": ["street", "Straße", "shipping_address"],
}

FALSE_FRIENDS = [
    "page", "usage", "postage", "percentage", "heritage", "message", "average", "latency", "belong", "Essex",
    "sexton", "zipper", "dobson", "nameless", "idea", "video", "paid", "grid", "tipping", "racer", "embrace",
    "passengers", "shipping", "hipster", "RAMNTALL", "v17", "x", "", "12", "ß", "数量",
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "name"), [(what, name) for what, names in TRUE_FRIENDS.items() for name in names]
)
def test_what_a_name_is_about(what, name):
    assert concepts_of(name)[0].what == what


@pytest.mark.parametrize("name", FALSE_FRIENDS)
def test_words_count_as_wholes(name):
    assert concepts_of(name) == []


def test_language_is_not_an_age():
    assert [concept.what for concept in concepts_of("language")] == ["language"]


@pytest.mark.parametrize("name", ["hospital_name", "product name", "fileName", "drug_name"])
def test_names_of_things_are_not_names_of_people(name):
    assert "the name of a person" not in [concept.what for concept in concepts_of(name)]


def test_words():
    assert words("zipCode2") == ("zip", "code", "2")
    assert words("IPAddress") == ("ip", "address")
    assert words("birthcountry") == ("birth", "country")


def test_the_eighteen_of_safe_harbor():
    assert "".join(SAFE_HARBOR) == "ABCDEFGHIJKLMNOPQR"
    general = {letter for letter, one in SAFE_HARBOR.items() if one.role is Role.QUASI_IDENTIFIER}
    assert general == {"B", "C"}
    assert SAFE_HARBOR["C"].citation == "45 CFR 164.514(b)(2)(i)(C)"
    assert set(SAFE_HARBOR) == {concept.hipaa for concept in CONCEPTS} - {None}


def test_no_phrase_has_two_meanings():
    seen: dict[str, str] = {}
    for concept in CONCEPTS:
        for phrase in concept.phrases:
            assert seen.setdefault(phrase, concept.what) == concept.what
