"""How often does `shoal init` propose what a careful steward would, and does it ever propose what is unsafe?

Tables are made up, the same in every run: hospital visits, court records, line lists, HR files, schools,
loans, surveys and others, in several languages. Beside each heading is the role that a steward would give,
written down before `shoal init` saw the table, and above it the column by which a steward would count people:
`rows` where each row is another person, `?` where the table does not say.

It prints the agreement by role, and how people are counted: as the steward does, more strictly (by a column
of which each person has one value), or after a question. Counted apart is what is unsafe, which must be
nothing: people with several rows who are counted as rows or by a column that differs within a person, an
identifier that is released, and an exact date that is released where people are not surely counted.

The agreement is not that of tables never seen: words for headings were added after the first run. A table of
visits of which only the age is left was missed then and has more traits now; docs/init.md names what remains.

    python benchmarks/init.py [--tables] [--release]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table

import shoal

ROLES = {"i": "identifier", "q": "quasi-identifier", "d": "quasi-identifier", "s": "sensitive"}
"""`d` is a date: a quasi-identifier of which no exact day is released unless people are surely counted."""

TABLES = """
hospital visits, en: 300 people, 6 rows, unit patient_id
  i patient_id number | i name fullname | d dob birth | q sex sex | q zip zip | d admission_date day
  i attending_physician doctor | s diagnosis illness | s length_of_stay small | s total_charges amount
hospital visits, de: 250 people, 5 rows, unit Patientennummer
  i Patientennummer integer | d Geburtsdatum birth | q Geschlecht mw | q PLZ zip | d Aufnahmedatum day
  q Station ward | s Hauptdiagnose icd | s Kosten amount | i Arzt doctor
hospital visits, fr: 250 people, 5 rows, unit no_dossier
  i no_dossier number | i nom last | i prenom first | q age age | q sexe sex | q commune city
  d date_entree day | s diagnostic illness | i medecin doctor
hospital visits, es: 200 people, 6 rows, unit Historia clinica
  i Historia clinica integer | q Edad age | q Sexo sex | q Municipio city | d Fecha day | s Tratamiento drug
laboratory results, it: 200 people, 9 rows, unit Paziente
  i Paziente number | i Campione record | q Sesso sex | q Eta age | s Glucosio measure | d Data day
laboratory results, pt: 150 people, 9 rows, unit Utente
  i Utente number | i Amostra record | q Idade age | q Sexo sex | s Resultado measure
laboratory results, pl: 150 people, 9 rows, unit numer
  i numer number | q wiek age | q plec sex | s wynik measure
vital signs, en: 12 people, 100 rows, unit who
  i who first | s pulse bpm | s systolic pressure | d taken_on day | i nurse doctor
vital signs without headings: 12 people, 100 rows, unit v1
  i v1 first | s v2 bpm | s v3 pressure
ward, en: 12 people, 100 rows, unit status
  i status fullname | s glucose measure | q room room
ward under other words: 12 people, 80 rows, unit region
  i region fullname | s pain small | d day day
line list, en: 500 people, 1 rows, unit rows
  i case_id record | q age age | q sex sex | q county city | d onset_date day | s hospitalized flag
  s outcome outcome | i infected_by reference
line list, fr: 400 people, 1 rows, unit rows
  i identifiant record | q age age | q sexe sex | q region city | d date_debut day | s decede flag
court records, en: 300 people, 4 rows, unit defendant
  i defendant fullname | i case_number record | i judge doctor | d arrest_date day | s offense offense
  s sentence_months small | q race race | q age age
court records, de: 300 people, 3 rows, unit Angeklagter
  i Angeklagter fullname | i Aktenzeichen record | i Richter doctor | s Straftat offense | d Datum day
court records, names removed: 300 people, 4 rows, unit ?
  d dob birth | q sex sex | q zip zip | s offense offense | d arrest_date day
arrests, no heading known: 200 people, 5 rows, unit subj
  i subj fullname | i off doctor | s code small
HR file, en: 600 people, 1 rows, unit rows
  i employee_id number | i full_name fullname | d birth_date birth | q gender sex | q job_title job
  q department department | d hire_date day | s salary amount | s performance_rating small | i manager doctor
HR file, de: 500 people, 1 rows, unit rows
  i Personalnummer integer | i Nachname last | i Vorname first | q Alter age | q Abteilung department
  q Beruf job | s Gehalt amount
HR absences, en: 150 people, 8 rows, unit employee_id
  i employee_id number | q age age | q gender sex | d start_date day | s reason_for_absence absence
  s days small
payroll, nl: 120 people, 12 rows, unit BSN
  i BSN integer | q leeftijd age | q geslacht mw | q maand month | s salaris amount
school grades, en: 200 people, 8 rows, unit student_id
  i student_id number | q age pupil | q sex sex | q subject subject | s grade small | i teacher doctor
school grades, es: 200 people, 8 rows, unit alumno
  i alumno fullname | q edad pupil | q asignatura subject | s nota small | i profesor doctor
loans, en: 700 people, 1 rows, unit rows
  i member_id number | q age age | q zip_code zip | q job job | s loan_amount amount | s income amount
  s purpose purpose
loans without a number: 700 people, 1 rows, unit rows
  q age age | q marital_status marital | q education education | s loan_amount amount | s defaulted flag
loan payments, en: 150 people, 9 rows, unit borrower
  i borrower number | s payment amount | d paid_on day | q country country
bank transactions, en: 120 people, 12 rows, unit account_no
  i account_no integer | s amount amount | d booked day | q merchant merchant | i entered_by clerk
survey, en: 800 people, 1 rows, unit rows
  q age age | q sex sex | q education education | q region region | s income amount | s vote party
  s satisfaction small | i comments note
survey, no age: 500 people, 1 rows, unit rows
  q race race | q marital_status marital | q education education | s income amount
survey waves, en: 200 people, 4 rows, unit respondent
  i respondent number | q wave wave | q age age | q sex sex | s wellbeing small
telecom, en: 600 people, 1 rows, unit rows
  i customerID number | q gender sex | q senior flag | q tenure small
  s MonthlyCharges measure | s Churn flag
telecom calls, en: 120 people, 15 rows, unit caller
  i caller phone | i callee phones | d started time | s seconds seconds
insurance claims, en: 200 people, 4 rows, unit policy_holder
  i policy_holder fullname | i claim_no record | d claim_date day | s claim_amount amount | q vehicle merchant
insurance claims, de: 200 people, 4 rows, unit Versichertennummer
  i Versichertennummer number | q Alter age | q Geschlecht mw | s Leistung absence | s Betrag amount
sports club, en: 300 people, 1 rows, unit rows
  i member_no number | i email email | q age age | q city city | q team department | s points small
sports club, attendance: 80 people, 12 rows, unit attendee
  i attendee fullname | q class subject | i trainer doctor
sports results, sv: 90 people, 8 rows, unit namn
  i namn fullname | q kon mw | q alder age | s tid measure
research samples, en: 120 people, 6 rows, unit subject
  i subject number | i sample_id record | q age age | q sex sex | s marker measure | s genotype genotype
research samples, order numbers: 120 people, 6 rows, unit donor
  i order_no record | i donor fullname | q age age | q sex sex | s marker measure
research, ru: 120 people, 6 rows, unit пациент
  i пациент fullname | q возраст age | q пол sex | s показатель measure
research, el: 120 people, 6 rows, unit κωδικός
  i κωδικός number | q ηλικια age | q φυλο sex | s τιμή measure
home visits by few nurses: 100 people, 7 rows, unit client
  i client fullname | i group nurse | q age age | q sex sex | s task absence
clinic of four doctors, one row each: 400 people, 1 rows, unit rows
  q age age | q sex sex | i status nurse | i area initials | s hiv flag | d visit day
beds, one row each: 300 people, 1 rows, unit rows
  q age age | q sex sex | q bed room | s diagnosis icd | i contact nurse
dates of birth, one row each: 900 people, 1 rows, unit rows
  d dob birth | q sex sex | q city city | s diagnosis icd
remarks: 120 people, 5 rows, unit ?
  q age age | q sex sex | q zip zip | i Obs. note | s score small
"""

FIRST = ("Anna", "Ben", "Carla", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jan", "Kira", "Leo")
LAST = ("Weber", "Kovac", "Rossi", "Novak", "Lind", "Olsen", "Serra", "Costa", "Meyer", "Dubois", "Popov")
PAIRS = [f"{first} {last}" for first in FIRST for last in LAST]
START = date(2023, 1, 1)


def choice(*values: Any, weights: str = "") -> Callable[[Random], Any]:
    shares = [int(weight) for weight in weights] or [1] * len(values)
    return lambda random: random.choices(values, shares)[0]


PEOPLE: dict[str, Callable[[Random], Any]] = {
    "birth": lambda random: str(date(1935, 1, 1) + timedelta(random.randrange(27_000))),
    "age": lambda random: random.randrange(18, 90),
    "pupil": lambda random: random.randrange(10, 18),
    "sex": choice("F", "M"),
    "mw": choice("m", "w"),
    "zip": lambda random: f"{random.randrange(10, 99)}{random.randrange(10)}00",
    "city": choice("Ulm", "Bonn", "Trier", "Jena", "Kiel", "Lyon", "Porto", weights="9765432"),
    "race": choice("White", "Black", "Asian", "Other", weights="6321"),
    "marital": choice("single", "married", "divorced", "widowed", weights="4531"),
    "education": choice("primary", "secondary", "college", "university", weights="3542"),
    "job": choice("cook", "nurse", "driver", "clerk", "engineer", "teacher", weights="654321"),
    "department": choice("Sales", "IT", "Legal", "Operations", weights="5314"),
    "region": choice("north", "south", "east", "west"),
    "country": choice("DE", "FR", "IT", weights="532"),
    "first": choice(*FIRST),
    "last": choice(*LAST),
}
"""Kinds of columns that are a person's own."""
EVENTS: dict[str, Callable[[Random], Any]] = {
    "day": lambda random: str(START + timedelta(random.randrange(700))),
    "time": lambda random: f"{START + timedelta(random.randrange(90))} {random.randrange(24):02d}:15:00",
    "month": lambda random: f"2024-{random.randrange(1, 13):02d}",
    "ward": choice("A1", "A2", "B1", "C"),
    "doctor": choice(*(f"Dr. {name}" for name in LAST[:7])),
    "nurse": choice("Rosa Berg", "Hugo Lind", "Mia Silva", "Udo Ricci"),
    "initials": choice("RB", "HL", "MS", "UR"),
    "clerk": choice(*(f"u{number}@bank.example" for number in range(9))),
    "illness": choice("asthma", "flu", "diabetes", "gout", "angina", weights="54321"),
    "icd": choice("E11.9", "I10", "J45.0", "K35.8", "N39.0", weights="54321"),
    "drug": choice("aspirin", "insulin", "codeine", weights="532"),
    "offense": choice("theft", "fraud", "assault", "arson", weights="5432"),
    "outcome": choice("recovered", "died", "unknown", weights="711"),
    "absence": choice("illness", "leave", "training", "care", weights="5432"),
    "subject": choice("maths", "biology", "history", "music"),
    "purpose": choice("car", "house", "education", "other", weights="5432"),
    "merchant": choice("Kauf", "Markt", "Post", "Bahn", "Hotel", weights="54321"),
    "party": choice("left", "right", "green", weights="432"),
    "genotype": choice("AA", "AG", "GG", weights="631"),
    "flag": choice("yes", "no", weights="37"),
    "wave": choice(1, 2, 3, 4),
    "small": lambda random: random.randrange(1, 11),
    "room": lambda random: random.randrange(1, 13),
    "bpm": lambda random: random.randrange(50, 120),
    "pressure": lambda random: random.randrange(90, 180),
    "seconds": lambda random: random.randrange(1, 4000),
    "measure": lambda random: round(random.gauss(50, 12), 1),
    "amount": lambda random: random.randrange(1, 60) * 100,
    "phones": lambda random: f"+49 170 55{random.randrange(300):05d}",
    "note": lambda random: f"met {random.choice(PAIRS)}, {random.choice(['well', 'ill'])} today, call again",
}


@dataclass(frozen=True)
class Judged:
    """A table and a steward's judgement on it."""

    name: str
    data: pa.Table
    who: list[int]
    unit: str
    roles: dict[str, str]


def tables() -> Iterator[Judged]:
    """Yield the tables, made up from their descriptions."""
    for described in TABLES.strip().replace("\n  ", " | ").split("\n"):
        head, *columns = described.split(" | ")
        name, _, size = head.rpartition(": ")
        people, rows, unit = (part.removesuffix(" people").removesuffix(" rows") for part in size.split(", "))
        yield _made(name, int(people), int(rows), unit.removeprefix("unit "), columns)


def _made(name: str, people: int, most: int, unit: str, described: list[str]) -> Judged:
    random = Random(name)
    # Few people have as many rows each, many people two or more.
    rows = [most if most == 1 or people < 20 else random.randrange(2, most + 1) for _ in range(people)]
    who = [person for person, number in enumerate(rows) for _ in range(number)]
    random.shuffle(who)
    columns, roles = {}, {}
    for one in described:
        role, *heading, kind = one.split()
        columns[" ".join(heading)] = _values(kind, who, f"{name} {one}")
        roles[" ".join(heading)] = role
    return Judged(name, pa.table(columns), who, unit, roles)


def _values(kind: str, who: list[int], seed: str) -> list[Any]:
    random = Random(seed)
    numbered: dict[str, Callable[[int, int], Any]] = {
        "number": lambda _, person: f"P{10_000 + 7 * person}",
        "integer": lambda _, person: 100_000 + 7 * person,
        "record": lambda row, _: f"R{10_000 + 3 * row}",
        "reference": lambda _, person: f"R{10_000 + 3 * random.randrange(len(who))}" if person % 3 else None,
        "fullname": lambda _, person: PAIRS[person % len(PAIRS)] + " II" * (person // len(PAIRS)),
        "email": lambda _, person: f"p{person}@mail.example",
        "phone": lambda _, person: f"+49 170 44{person:05d}",
    }
    if kind == "first" and len(set(who)) < len(FIRST):
        return [FIRST[person] for person in who]
    if kind in PEOPLE:
        return [PEOPLE[kind](Random(f"{seed} {person}")) for person in who]
    if kind in numbered:
        return [numbered[kind](row, person) for row, person in enumerate(who)]
    return [EVENTS[kind](random) for _ in who]


def people_counted(judged: Judged, found: shoal.Suggestion) -> str:
    """Return how people are counted beside the steward's judgement; `missed` is unsafe."""
    several = len(set(judged.who)) < len(judged.who)
    if found.undecided:
        return "asked" if several else "asked needlessly"
    if found.unit is None:
        return "missed" if several else "right"
    if found.unit == judged.unit:
        return "right"
    values: dict[int, set[Any]] = {}
    for person, value in zip(judged.who, judged.data[found.unit].to_pylist(), strict=True):
        values.setdefault(person, set()).add(value)
    return "stricter" if max(map(len, values.values())) == 1 else "missed"


def unsafe_columns(judged: Judged, found: shoal.Suggestion) -> Iterator[str]:
    """Yield identifiers that are released, and dates that are released to the day."""
    for name, role in judged.roles.items():
        column = found[name]
        is_released = column.role.value in ("sensitive", "insensitive")
        exact = is_released or (column.role.value == "quasi-identifier" and column.min_level == 0)
        if role == "i" and exact:
            yield f"{name}: an identifier is released"
        counted = people_counted(judged, found) == "right"
        if role == "d" and (is_released or (exact and not counted)):
            yield f"{name}: exact dates are released"


@dataclass(frozen=True)
class Compared:
    """What is proposed for a table, beside the steward's judgement."""

    found: shoal.Suggestion
    people: str
    roles: Counter[tuple[str, str]]
    unsafe: list[str]


def compare(judged: Judged) -> Compared:
    """Propose roles for a table; a question is answered as the steward would."""
    found = shoal.suggest(judged.data)
    people = people_counted(judged, found)
    unsafe = [f"{judged.name}: people counted by {found.unit}"] * (people == "missed")
    if found.undecided and judged.unit in judged.roles:
        found = shoal.suggest(judged.data, unit=judged.unit)
    unsafe += [f"{judged.name}: {what}" for what in unsafe_columns(judged, found)]
    roles = Counter((ROLES[role], found[name].role.value) for name, role in judged.roles.items())
    return Compared(found, people, roles, unsafe)


def main() -> None:
    """Print the agreement."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", action="store_true", help="also print each table")
    parser.add_argument("--release", action="store_true", help="also anonymize by each proposal")
    options = parser.parse_args()
    agreement: Counter[tuple[str, str]] = Counter()
    counted: Counter[str] = Counter()
    unsafe = []
    for judged in tables():
        compared = compare(judged)
        found = compared.found
        counted[compared.people] += 1
        agreement += compared.roles
        unsafe += compared.unsafe
        if options.tables:
            print(f"{judged.name}: {compared.people} ({found.unit or ', '.join(found.undecided)})")
            for name, role in judged.roles.items():
                if found[name].role.value != ROLES[role]:
                    print(f"  {name}: {found[name].role.value}, not {ROLES[role]}; {found[name].reason}")
        if options.release and not found.undecided:
            release = shoal.anonymize(judged.data, found.spec)
            print(f"  {release.table.num_rows:,} of {judged.data.num_rows:,} rows; {release.levels}")
    _print(agreement, counted, unsafe)
    sys.exit(bool(unsafe))


def _print(agreement: Counter[tuple[str, str]], counted: Counter[str], unsafe: list[str]) -> None:
    console = Console(width=110)
    table = Table(title="The steward's role, and what is proposed")
    proposed = list(dict.fromkeys(ROLES.values()))
    for heading in ("steward", *proposed, "agreement"):
        table.add_column(heading)
    for role in proposed:
        row = [agreement[role, other] for other in proposed]
        if sum(row):
            table.add_row(role, *map(str, row), f"{agreement[role, role] / sum(row):.0%}")
    console.print(table)
    console.print("People:", ", ".join(f"{what} {number}" for what, number in counted.most_common()))
    console.print("Unsafe:", len(unsafe))
    for one in unsafe:
        console.print(f"  {one}")


if __name__ == "__main__":
    main()
