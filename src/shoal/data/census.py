"""A made-up country's census with health questions, of any size.

Nobody in it exists. The columns hang together as they do in life: marital status, education and
illness by age, occupation by education, country of birth by region, income by all of them. Places
and countries are skewed, so that a few people stand out: those whom anonymization is for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.files import Sample, Taxonomy, write_files
from shoal.data.random_values import Codes, Floats, coded, pick, skewed
from shoal.errors import InputError

DEFAULT_ROWS = 100_000
ROWS_AT_ONCE = 1 << 16

COLUMNS = (
    "person_id",
    "name",
    "age",
    "sex",
    "zip",
    "marital_status",
    "education",
    "birth_country",
    "occupation",
    "diagnosis",
    "income",
    "visit_month",
)

SPEC = """\
# The roles of the columns of census.csv, and the requirements on the release.
# Run it with:  shoal anonymize census.csv --spec spec.yaml --output release.csv

columns:
  # Identifiers identify one person. They are removed.
  person_id: {role: identifier}
  name:      {role: identifier}

  # Others may know quasi-identifiers, which together single a person out.
  # They are generalized along their hierarchies, one level per column for the whole table.
  age:            {role: quasi-identifier, hierarchy: {intervals: [5, 10, 20]}}
  sex:            {role: quasi-identifier, hierarchy: suppress}
  zip:            {role: quasi-identifier, hierarchy: {prefix: 5}}
  marital_status: {role: quasi-identifier, hierarchy: {file: census_hierarchy_marital_status.csv}}
  education:      {role: quasi-identifier, hierarchy: {file: census_hierarchy_education.csv}}
  birth_country:  {role: quasi-identifier, hierarchy: {file: census_hierarchy_birth_country.csv}}
  occupation:     {role: quasi-identifier, hierarchy: {file: census_hierarchy_occupation.csv}}

  # Nobody should learn the sensitive columns of a person. They are released unchanged.
  diagnosis: {role: sensitive}
  income:    {role: sensitive}

  # Insensitive columns do not help to identify a person. They are released unchanged.
  visit_month: {role: insensitive}

# Each class has at least five rows; up to 2% of the rows may be suppressed to reach that.
privacy:
  - k-anonymity: 5
suppression: 0.02

# Of all releases that satisfy this, take the one that loses the least information.
quality: loss
"""

MARITAL_STATUS: Taxonomy = [
    ("Never married", "Without partner", "*"),
    ("Married", "With partner", "*"),
    ("Registered partnership", "With partner", "*"),
    ("Separated", "Without partner", "*"),
    ("Divorced", "Without partner", "*"),
    ("Widowed", "Without partner", "*"),
]

EDUCATION: Taxonomy = [
    ("None yet", "Up to primary", "Basic", "*"),
    ("Primary school", "Up to primary", "Basic", "*"),
    ("Lower secondary", "Secondary", "Basic", "*"),
    ("Upper secondary, vocational", "Secondary", "Basic", "*"),
    ("Upper secondary, general", "Secondary", "Basic", "*"),
    ("Technical college", "College", "Higher", "*"),
    ("Bachelor's degree", "College", "Higher", "*"),
    ("Master's degree", "Graduate school", "Higher", "*"),
    ("Professional degree", "Graduate school", "Higher", "*"),
    ("Doctorate", "Graduate school", "Higher", "*"),
]

OCCUPATION: Taxonomy = [
    ("Not of working age", "Not working", "*"),
    ("Unemployed", "Not working", "*"),
    ("Retired", "Not working", "*"),
    ("Homemaker", "Not working", "*"),
    ("Student", "Not working", "*"),
    ("Farm worker", "Manual work", "*"),
    ("Construction worker", "Manual work", "*"),
    ("Machine operator", "Manual work", "*"),
    ("Driver", "Manual work", "*"),
    ("Craft worker", "Manual work", "*"),
    ("Cleaner", "Services", "*"),
    ("Shop assistant", "Services", "*"),
    ("Cook or waiter", "Services", "*"),
    ("Care worker", "Services", "*"),
    ("Security guard", "Services", "*"),
    ("Office clerk", "Office work", "*"),
    ("Accountant", "Office work", "*"),
    ("Sales agent", "Office work", "*"),
    ("Public servant", "Office work", "*"),
    ("Nurse", "Professional work", "*"),
    ("Teacher", "Professional work", "*"),
    ("Engineer", "Professional work", "*"),
    ("Software developer", "Professional work", "*"),
    ("Physician", "Professional work", "*"),
    ("Lawyer", "Professional work", "*"),
    ("Manager", "Professional work", "*"),
]

BIRTH_COUNTRY: Taxonomy = [
    *((country, "North America", "Americas", "*") for country in ("United States", "Mexico", "Canada")),
    *(
        (country, "Central America and Caribbean", "Americas", "*")
        for country in ("Cuba", "Guatemala", "El Salvador", "Haiti", "Jamaica")
    ),
    *((country, "South America", "Americas", "*") for country in ("Colombia", "Brazil", "Peru", "Argentina")),
    *((country, "East Asia", "Asia and Oceania", "*") for country in ("China", "South Korea", "Japan")),
    *(
        (country, "South-East Asia", "Asia and Oceania", "*")
        for country in ("Philippines", "Vietnam", "Laos")
    ),
    *(
        (country, "South and West Asia", "Asia and Oceania", "*")
        for country in ("India", "Pakistan", "Iran", "Turkey")
    ),
    *((country, "Oceania", "Asia and Oceania", "*") for country in ("Australia", "New Zealand")),
    *(
        (country, "West Europe", "Europe", "*")
        for country in ("Germany", "United Kingdom", "France", "Ireland")
    ),
    *((country, "South Europe", "Europe", "*") for country in ("Italy", "Spain", "Greece")),
    *((country, "East Europe", "Europe", "*") for country in ("Poland", "Ukraine", "Romania", "Hungary")),
    *((country, "North Africa", "Africa", "*") for country in ("Egypt", "Morocco")),
    *(
        (country, "Sub-Saharan Africa", "Africa", "*")
        for country in ("Nigeria", "Ethiopia", "Somalia", "Ghana", "Kenya")
    ),
]

DIAGNOSIS = (
    "J06 Acute upper respiratory infection",
    "A09 Gastroenteritis",
    "J45 Asthma",
    "F90 Attention deficit disorder",
    "F32 Depressive episode",
    "F41 Anxiety disorder",
    "O80 Delivery",
    "S93 Sprain of the ankle",
    "S52 Fracture of the forearm",
    "M54 Back pain",
    "G43 Migraine",
    "K21 Reflux disease",
    "B20 HIV disease",
    "E11 Type 2 diabetes",
    "I10 High blood pressure",
    "C50 Breast cancer",
    "C61 Prostate cancer",
    "C34 Lung cancer",
    "I21 Heart attack",
    "I63 Stroke",
    "J44 Chronic obstructive lung disease",
    "M17 Arthrosis of the knee",
    "H25 Cataract",
    "N18 Chronic kidney disease",
    "G30 Alzheimer's disease",
)

FIRST_NAMES = (
    "Mary Linda Susan Karen Lisa Nancy Sandra Ashley Emily Donna Michelle Carol Amanda Melissa Laura Rosa "
    "Helen Maria Olivia Emma Sofia Amira Mei Priya Ingrid",
    "James Robert John Michael David William Richard Joseph Thomas Carlos Daniel Matthew Anthony Mark Paul "
    "Steven Andrew George Kevin Brian Omar Wei Arjun Lars Liam",
)
LAST_NAMES = (
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez "
    "Gonzalez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris "
    "Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill "
    "Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Kowalski O'Brien "
    "Schmidt Rossi Okafor Kim Singh Petrov Haddad Novak"
)


def write(rows: int | None, seed: int, folder: Path) -> Sample:
    """Write the census of `rows` people with its hierarchies and spec."""
    rows = DEFAULT_ROWS if rows is None else rows
    if rows < 1:
        raise InputError(f"A census needs at least 1 row.\nAsked for: {rows}.")
    if seed < 0:
        raise InputError(f"A seed is a whole number of at least 0.\nFound: {seed}.")
    taxonomies = {
        "marital_status": MARITAL_STATUS,
        "education": EDUCATION,
        "birth_country": BIRTH_COUNTRY,
        "occupation": OCCUPATION,
    }
    return write_files(
        folder, "census", header=COLUMNS, tables=people(rows, seed), taxonomies=taxonomies, spec=SPEC
    )


def people(rows: int, seed: int = 0) -> Iterator[pa.Table]:
    """Draw `rows` people, some at a time, so that memory stays bounded.

    Examples
    --------
    >>> [table.num_rows for table in people(100_000)]
    [65536, 34464]
    >>> next(people(3)).column_names[:3]
    ['person_id', 'name', 'age']
    """
    for start in range(0, rows, ROWS_AT_ONCE):
        yield _draw(start, min(ROWS_AT_ONCE, rows - start), np.random.default_rng([seed, start]))


def _draw(start: int, size: int, random: np.random.Generator) -> pa.Table:
    def draw(weights: Floats, group: Codes | None = None) -> Codes:
        return pick(weights, random.random(size), group)

    age = draw(_AGE)
    sex = draw(_SEX_BY_AGE, age)
    zip_code = draw(_ZIP_POPULATION)
    country = draw(_COUNTRY_BY_REGION, _ZIP_REGION[zip_code])
    marital = draw(_MARITAL_BY_AGE, age)
    education = draw(_EDUCATION_BY_AGE, age)
    occupation = draw(_OCCUPATION_BY_STAGE, _STAGE[age] * len(EDUCATION) + education)
    diagnosis = draw(_DIAGNOSIS_BY_AGE_AND_SEX, age * 2 + sex)
    first, last = draw(skewed(len(_FIRST) // 2, 0.5)), draw(skewed(len(_LAST), 0.5))

    career = 1 - ((age - 52) / 60.0) ** 2
    income = _PAY[occupation] * _DEGREE[education] * career * np.exp(0.35 * random.standard_normal(size))
    income = (np.maximum(income, 0) // 100 * 100).astype(np.int64)

    number = pa.array(np.arange(start + 1, start + size + 1)).cast(pa.string())
    columns = (
        pc.binary_join_element_wise("P", pc.utf8_lpad(number, 8, "0"), ""),
        pc.binary_join_element_wise(
            coded(sex * (len(_FIRST) // 2) + first, _FIRST).cast(pa.string()),
            coded(last, _LAST).cast(pa.string()),
            " ",
        ),
        pa.array(age),
        coded(sex, ("Female", "Male")),
        coded(zip_code, _ZIP),
        coded(marital, _leaves(MARITAL_STATUS)),
        coded(education, _leaves(EDUCATION)),
        coded(country, _leaves(BIRTH_COUNTRY)),
        coded(occupation, _leaves(OCCUPATION)),
        coded(diagnosis, DIAGNOSIS),
        pa.array(income, mask=age < 15),
        coded(draw(np.ones(12)), [f"2025-{month:02}" for month in range(1, 13)]),
    )
    return pa.table(columns, names=COLUMNS)


def _leaves(taxonomy: Taxonomy) -> list[str]:
    return [value for value, *_ in taxonomy]


def _by_age(*bends: tuple[float, ...]) -> Floats:
    """Return weights per year of age, straight lines between bends `(age, weight, weight, ...)`."""
    at, *weights = zip(*bends, strict=True)
    return np.stack([np.interp(np.arange(100), at, weight) for weight in weights], axis=1)


def _zip_codes(regions: int = 8) -> tuple[list[str], Codes, Floats]:
    """Return postcodes, the region of each and how many people live there.

    The first digits name the region, the third the district; cities come first in every region.
    """
    codes, region_of, population = [], [], []
    for region in range(regions):
        for district in range(5 - region // 3):
            for town in range(9 - 2 * (region // 4)):
                codes.append(f"{20 + 7 * region}{district}{7 * town:02}")
                region_of.append(region)
                population.append((region + 1) ** -0.7 * (district + 1) ** -0.6 * (town + 1) ** -0.7)
    return codes, np.array(region_of, np.int32), np.array(population)


_FIRST = " ".join(FIRST_NAMES).split()
_LAST = LAST_NAMES.split()

_AGE = _by_age((0, 12), (20, 13), (35, 14), (60, 13), (75, 8), (85, 4), (95, 0.6), (99, 0.1)).ravel()
_SEX_BY_AGE = _by_age((0, 49, 51), (60, 50, 50), (80, 57, 43), (99, 80, 20))

_ZIP, _ZIP_REGION, _ZIP_POPULATION = _zip_codes()

_COUNTRY = np.concatenate([[60.0], skewed(len(BIRTH_COUNTRY) - 1, 1.1)])
_COUNTRY_BY_REGION = np.stack(
    [np.where(np.arange(_COUNTRY.size) == 0, _COUNTRY * (1 + region / 2), _COUNTRY) for region in range(8)]
)

# Never married, married, registered partnership, separated, divorced, widowed.
_MARITAL_BY_AGE = _by_age(
    (0, 1, 0, 0, 0, 0, 0),
    (17, 1, 0, 0, 0, 0, 0),
    (25, 80, 15, 4, 0.5, 0.5, 0),
    (35, 38, 48, 5, 3, 6, 0.3),
    (50, 18, 57, 3, 4, 16, 2),
    (65, 9, 60, 1, 2, 17, 11),
    (80, 6, 42, 0.3, 1, 9, 42),
    (99, 4, 8, 0, 0.3, 4, 84),
)

# In the order of EDUCATION.
_EDUCATION_BY_AGE = _by_age(
    (0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    (6, 20, 80, 0, 0, 0, 0, 0, 0, 0, 0),
    (11, 1, 99, 0, 0, 0, 0, 0, 0, 0, 0),
    (15, 0.3, 6, 94, 0, 0, 0, 0, 0, 0, 0),
    (19, 0.3, 2, 22, 34, 40, 1, 0, 0, 0, 0),
    (25, 0.3, 2, 10, 28, 25, 9, 22, 3, 0.5, 0),
    (35, 0.4, 2, 9, 26, 19, 10, 20, 10, 2, 1.4),
    (60, 0.6, 5, 14, 30, 19, 9, 13, 6, 2, 1.2),
    (99, 2, 22, 26, 25, 14, 4, 5, 2, 0.8, 0.4),
)

# Four stages of life: child, of student age, of working age, retired.
_STAGE = np.searchsorted([15, 25, 66], np.arange(100), side="right").astype(np.int32)


def _occupation_by_stage() -> Floats:
    group = [row[1] for row in OCCUPATION]
    names = _leaves(OCCUPATION)
    need = {"Manual work": 2.5, "Services": 2.5, "Office work": 4.5, "Professional work": 7.0}
    weights = np.zeros((4, len(EDUCATION), len(OCCUPATION)))
    rank = {name: 1 / (1 + group[: i + 1].count(group[i])) ** 0.7 for i, name in enumerate(names)}
    work = np.array(
        [
            [
                0.0 if where == "Not working" else rank[name] * np.exp(-((need[where] - degree) ** 2) / 4)
                for name, where in zip(names, group, strict=True)
            ]
            for degree in range(len(EDUCATION))
        ]
    )
    work /= work.sum(axis=1, keepdims=True)
    not_working = {
        0: {"Not of working age": 1.0},
        1: {"Student": 0.5, "Unemployed": 0.07, "Homemaker": 0.02},
        2: {"Unemployed": 0.05, "Homemaker": 0.08, "Student": 0.01, "Retired": 0.04},
        3: {"Retired": 0.9, "Homemaker": 0.05},
    }
    for stage, shares in not_working.items():
        weights[stage] = work * (1 - sum(shares.values()))
        for name, share in shares.items():
            weights[stage, :, names.index(name)] = share
    return weights.reshape(-1, len(OCCUPATION))


_OCCUPATION_BY_STAGE = _occupation_by_stage()

# Yearly pay before the effects of degree and age, in the order of OCCUPATION.
_PAY = 1000.0 * np.array(
    [0, 9, 24, 3, 7, 24, 34, 33, 34, 36, 22, 25, 23, 27, 29, 35, 50, 48, 45, 52, 50, 72, 78, 120, 98, 84]
)
_DEGREE = np.linspace(0.85, 1.35, len(EDUCATION))


def _diagnosis_by_age_and_sex() -> Floats:
    """Return weights per age and sex: each illness around its typical age, the width it spreads over."""
    typical = np.array(
        [4, 8, 12, 12, 35, 33, 30, 22, 14, 45, 35, 50, 38, 62, 64, 62, 70, 68, 68, 74, 70, 68, 75, 72, 84],
        float,
    )
    width = np.array(
        [30, 30, 25, 6, 22, 20, 5, 18, 25, 22, 15, 22, 12, 16, 20, 14, 10, 12, 14, 13, 12, 14, 10, 14, 8],
        float,
    )
    often = np.array(
        [30, 10, 9, 5, 9, 8, 14, 7, 4, 16, 6, 7, 0.4, 10, 22, 4, 4, 2, 4, 3, 5, 6, 7, 4, 6], float
    )
    both = often * (np.exp(-(((np.arange(100)[:, None] - typical) / width) ** 2)) + 1e-3)
    women, men = both.copy(), both.copy()
    names = list(DIAGNOSIS)
    women[:, names.index("C61 Prostate cancer")] = 0
    men[:, names.index("C50 Breast cancer")] *= 0.01
    men[:, names.index("O80 Delivery")] = 0
    women[[*range(13), *range(52, 100)], names.index("O80 Delivery")] = 0
    return np.stack([women, men], axis=1).reshape(200, -1)


_DIAGNOSIS_BY_AGE_AND_SEX = _diagnosis_by_age_and_sex()
