"""Attack: find somebody by a column that was released as it is.

The attacker knows a value of one person that is in no quasi-identifier: the exact date of a visit, a sentence
of a note, a second number beside the one that was removed, or several ordinary dates. The value occurs in one
row of the release, so the attacker has the row, whatever class it is in.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import date, timedelta
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from shoal import (
    InputError,
    KAnonymity,
    LinkableError,
    Session,
    Spec,
    anonymize,
    compare,
    extend,
    intervals,
)
from shoal.audit import audit_release, linkable

ENGINES = ["memory", "duckdb"]
WORDS = ("fell", "at", "home", "twice", "after", "the", "storm", "left", "arm", "pain", "since", "noon")


def table(rows: int, **columns: list[object]) -> pa.Table:
    random = Random(7)
    ages = [random.randint(20, 79) for _ in range(rows)]
    diseases = [random.choice(["flu", "cough", "asthma"]) for _ in range(rows)]
    return pa.table({"age": ages, "disease": diseases, **columns})


def spec(*insensitive: str, **others: object) -> Spec:
    return Spec(
        **{
            "quasi_identifiers": {"age": intervals(20, 60)},
            "sensitive": ["disease"],
            "insensitive": list(insensitive),
            "privacy": [KAnonymity(3)],
            **others,
        }
    )


def notes(rows: int) -> list[object]:
    random = Random(3)
    return [f"{' '.join(random.choices(WORDS, k=6))}, day {row}" for row in range(rows)]


def dates(rows: int) -> dict[str, list[object]]:
    """Return four dates, each of which hundreds of people share, and which together single out a half."""
    random = Random(5)
    days = [date(2024, 1, 1) + timedelta(days) for days in range(8)]
    return {f"date{number}": [random.choice(days) for _ in range(rows)] for number in range(4)}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("note", notes(61)),
        ("visit", [date(2024, 1, 1) + timedelta(row) for row in range(61)]),
        ("nickname", [f"person-{row:02}" for row in range(61)]),
    ],
    ids=["free text", "exact dates", "second spelling"],
)
def test_a_column_of_61_distinct_values_is_refused(tmp_path, engine, column, values):
    people = table(61, name=[f"PERSON-{row:02}" for row in range(61)], **{column: values})
    pyarrow.csv.write_csv(people, tmp_path / "people.csv")
    with pytest.raises(LinkableError) as refused:
        anonymize(
            tmp_path / "people.csv",
            spec(column, identifiers=["name"]),
            output=tmp_path / "release.csv",
            engine=engine,
        )
    message = refused.value.render(show_values=True)
    assert f"{column} 100% (61 of 61)" in message
    assert "accept: linkable" in message
    assert not any(str(value) in message for value in values)
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("role", ["insensitive", "sensitive", "both"])
def test_four_common_dates_are_refused_together(tmp_path, engine, role):
    people = table(2_700, **dates(2_700))
    names = [name for name in people.column_names if name.startswith("date")]
    tuples = Counter(zip(*(people[name].to_pylist() for name in names), strict=True))
    assert 0.45 < sum(count == 1 for count in tuples.values()) / people.num_rows < 0.55
    assert min(min(Counter(people[name].to_pylist()).values()) for name in names) > 250  # each is common
    pyarrow.csv.write_csv(people, tmp_path / "people.csv")
    as_sensitive = {"insensitive": [], "sensitive": names, "both": names[:2]}[role]
    as_insensitive = [name for name in names if name not in as_sensitive]
    roles = spec(*as_insensitive, sensitive=["disease", *as_sensitive])
    with pytest.raises(LinkableError, match=r"date\w+(, date\w+){3} together \d\d%") as refused:
        anonymize(tmp_path / "people.csv", roles, output=tmp_path / "release.parquet", engine=engine)
    assert "2024" not in str(refused.value)
    assert [file.name for file in tmp_path.iterdir()] == ["people.csv"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "form",
    ["%Y/%m/%d", "%Y%m%d", "%d-%m-%Y", "%d.%m.%y", "%m/%d/%y 10:30", "%d %b %Y", "%d-%b-%y", "%B %d, %Y"],
)
def test_dates_are_known_however_they_are_written(tmp_path, engine, form):
    columns = {
        name: ["unknown" if row % 50 == 0 else day.strftime(form) for row, day in enumerate(days)]
        for name, days in dates(500).items()
    }
    parquet.write_table(table(500, **columns), tmp_path / "people.parquet")
    with pytest.raises(LinkableError, match="together"):
        anonymize(tmp_path / "people.parquet", spec(sensitive=["disease", *columns]), engine=engine)


def test_words_and_amounts_are_no_dates():
    """Three ordinary sensitive columns are unique together in most tables, which is shown and not refused."""
    random = Random(4)
    columns = {
        "income": [random.randrange(20_000, 20_500, 10) for _ in range(300)],
        "code": [f"{random.randrange(20):02}-{random.randrange(3)}" for _ in range(300)],
        "ward": [f"ward {random.randrange(40)}" for _ in range(300)],
    }
    release = anonymize(table(300, **columns), spec(sensitive=["disease", *columns]))
    assert "Linkable" in release.summary()


def test_an_accepted_column_is_released_and_said_to_be_linkable(tmp_path):
    people = table(61, note=notes(61))
    release = anonymize(people, spec("note", accept={"note": "linkable"}))
    assert release.summary().index("Linkable") < release.summary().index("Rows")
    assert "note 100% accepted" in release.summary()
    assert any("'note'" in note and "accepts" in note for note in release.notes)
    release.write(tmp_path / "release.csv")
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text())
    assert manifest["spec"]["columns"]["note"] == {"role": "insensitive", "accept": "linkable"}
    assert manifest["linkable"]["columns"] == {"disease": 0, "note": 100}
    assert audit_release(tmp_path / "release.csv").holds


def test_what_one_column_is_accepted_for_does_not_pass_another():
    people = table(61, note=notes(61), visit=[date(2024, 1, 1) + timedelta(row) for row in range(61)])
    with pytest.raises(LinkableError) as refused:
        anonymize(people, spec("note", "visit", accept={"note": "linkable"}))
    assert "visit 100%" in str(refused.value)
    assert "note" not in str(refused.value)


def test_a_value_of_one_person_is_unique_however_many_rows_the_person_has():
    # Every value occurs in three rows, so no row is unique, and each value is of one person: it is another
    # spelling of the unit.
    patients = [row // 3 for row in range(180)]
    people = table(180, patient=patients, chart=[f"C-{number}" for number in patients])
    with pytest.raises(LinkableError, match=r"no other person has: chart 100% \(180 of 180\)"):
        anonymize(people, spec("chart", unit="patient"))
    release = anonymize(people, spec("chart", unit="patient", accept={"chart": "linkable"}))
    assert "100% of the rows point to one person" in release.summary()
    assert release.audit.linkable.for_recipients()["columns"]["chart"] == 0  # no recipient knows people


@pytest.mark.parametrize("engine", ENGINES)
def test_people_are_counted_by_every_engine(tmp_path, engine):
    patients = [row // 3 for row in range(180)]
    people = table(180, patient=patients, chart=[f"C-{number}" for number in patients])
    pyarrow.csv.write_csv(people, tmp_path / "people.csv")
    with pytest.raises(LinkableError, match="chart 100%"):
        anonymize(tmp_path / "people.csv", spec("chart", unit="patient"), engine=engine)


def test_ordinary_columns_pass_with_a_note_or_nothing():
    random = Random(11)
    wages = [random.randrange(500) if random.random() < 0.89 else 1_000 + row for row in range(2_000)]
    release = anonymize(table(2_000, wage=wages), spec(sensitive=["disease", "wage"]))
    assert any("'wage'" in note for note in release.notes)
    assert 0.1 < release.to_mapping()["linkable"]["columns"]["wage"] < 0.2
    assert release.to_mapping()["linkable"]["together"] > 0.2  # sensitive columns together: shown alone
    (only,) = anonymize(table(2_000), spec()).notes
    assert only.startswith("No model covers the sensitive column disease")
    assert anonymize(table(15, note=notes(15)), spec("note")).audit.linkable.together.rows == 15  # too few


def test_null_alone_singles_nobody_out():
    rare = [None if row == 0 else "common" for row in range(61)]
    found = anonymize(table(61, rare=rare), spec("rare")).audit.linkable
    assert found.columns["rare"].rows == 0


def test_an_extended_release_is_refused_too(tmp_path):
    few = [f"{row % 3}" for row in range(61)]
    anonymize(table(61, visit=few), spec("visit"), output=tmp_path / "release.csv")
    later = table(61, visit=[f"day {row}" for row in range(61)])
    manifest = tmp_path / "release.csv.manifest.json"
    with pytest.raises(LinkableError, match="visit 50%"):
        extend(manifest, later, output=tmp_path / "extended.csv")
    assert not (tmp_path / "extended.csv").exists()
    extend(manifest, later, accept={"visit": "linkable"}, output=tmp_path / "extended.csv")


def test_what_is_common_in_a_release_and_rare_among_added_rows_is_refused(tmp_path):
    """Thirty people of the release weigh what Ann does, and no other new one: the difference has her row."""
    random = Random(11)
    rows = {count: [random.randint(40, 139) for _ in range(count)] for count in (3000, 80)}
    first, later = (table(len(kg), weight=kg).drop_columns("age") for kg in rows.values())
    asked = spec("weight", quasi_identifiers={"disease": "suppress"}, sensitive=[])
    anonymize(first, asked, output=tmp_path / "release.parquet")
    manifest = tmp_path / "release.parquet.manifest.json"
    alone = sum(count == 1 for count in Counter(rows[80]).values())
    with pytest.raises(LinkableError, match=rf"no other added row has: weight \d+% \({alone} of 80\)"):
        extend(manifest, later)
    extension = extend(manifest, later, accept={"weight": "linkable"})
    assert extension.audit.linkable.columns["weight"].rows == 0
    assert extension.to_mapping()["added_linkable"]["columns"] == {"weight": alone / 80}
    assert any(name == "Linkable, added" for name, _ in extension.facts())


def test_a_comparison_says_once_what_would_be_refused():
    found = compare(table(61, note=notes(61)), {"people": spec("note")}, ks=[2, 3, 5])
    assert sum("note 100%" in remark for remark in found.remarks()) == 1
    accepted = compare(table(61, note=notes(61)), {"people": spec("note", accept={"note": "linkable"})})
    assert not any("refuse" in remark for remark in accepted.remarks())


def test_command_line(tmp_path, monkeypatch, shoal):
    monkeypatch.chdir(tmp_path)
    pyarrow.csv.write_csv(table(61, note=notes(61)), "people.csv")
    options = ("-k", 3, "--qi", "age=intervals:20,60", "--sensitive", "disease", "--insensitive", "note")
    ran = shoal("anonymize", "people.csv", *options, "--output", "out.csv")
    assert ran.code == 2
    assert "--accept-linkable note" in ran.err
    assert not (tmp_path / "out.csv").exists()
    ran = shoal("anonymize", "people.csv", *options, "--accept-linkable", "note", "--output", "out.csv")
    assert ran.code == 0
    # A file that somebody else wrote is audited by the claims of the spec; this is said beside them.
    ran = shoal("audit", "out.csv", *options)
    assert ran.code == 0
    assert "note 100%" in ran.out
    assert "does not accept" in " ".join(ran.out.split())


@pytest.mark.parametrize("unit", [None, "patient"])
def test_wide_tables_are_counted_some_columns_at_a_time(monkeypatch, unit):
    """With a query for each of thousands of columns an audit would not end."""
    draw = Random(3)
    names = [f"c{place}" for place in range(7)]
    table = pa.table({name: [draw.choice([None, 1, 2, 3, 4.5, 1e300]) for _ in range(9)] for name in names})
    table = table.append_column("age", pa.array(["*"] * 9))
    asked = Spec(quasi_identifiers={"age": "suppress"}, sensitive=names, unit=unit, privacy=[KAnonymity(1)])
    units = None if unit is None else pa.array([draw.randrange(4) for _ in range(9)])
    by_column = audit_release(table, asked, units=units).linkable
    monkeypatch.setattr(linkable, "_WIDE", 1)
    monkeypatch.setattr(linkable, "_AT_ONCE", 3)
    assert audit_release(table, asked, units=units).linkable == by_column


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from(["x", "y", None]),
            st.sampled_from(["p", None]),
            st.sampled_from(["u", "v"]),
            st.integers(0, 4),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_the_counts_are_those_of_plain_python(rows):
    """People and rows, alone and together, beside a few lines that loop over the rows."""
    ages, first, second, third, patients = map(list, zip(*rows, strict=True))
    released = pa.table(
        {
            "age": pa.array(map(str, ages)),
            "first": pa.array(first, pa.string()),
            "second": pa.array(second, pa.string()),
            "third": pa.array(third, pa.string()),
        }
    )
    asked = Spec(
        quasi_identifiers={"age": "suppress"},
        sensitive=["first"],
        insensitive=["second", "third"],
        unit="patient",
        privacy=[KAnonymity(1)],
        accept={"third": "linkable"},
    )
    found = audit_release(released, asked, units=pa.array(patients)).linkable

    def unique(keys: list[tuple[object, ...]], null_counts: bool = False) -> tuple[int, int]:
        people: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for key, patient in zip(keys, patients, strict=True):
            if null_counts or any(value is not None for value in key):
                people[key].append(patient)
        alone = sum(len(who) == 1 for who in people.values())
        return alone, sum(len(who) for who in people.values() if len(set(who)) == 1)

    def pair(counted):
        return counted.rows, counted.of_one_person

    assert pair(found.columns["first"]) == unique([(value,) for value in first])
    assert pair(found.columns["second"]) == unique([(value,) for value in second])
    assert pair(found.together) == unique(list(zip(first, second, third, strict=True)))
    assert pair(found.known_together) == unique([(value,) for value in second])
    assert pair(found.with_quasi_identifiers) == unique(
        list(zip(ages, first, second, third, strict=True)), True
    )


def test_to_accept_is_to_name_the_column() -> None:
    """A list of words accepts nothing, and is an error of Shoal's like any other."""
    with pytest.raises(InputError, match="must map column names"):
        Spec(
            quasi_identifiers={"age": "suppress"},
            privacy=[KAnonymity(2)],
            accept=["linkable"],  # type: ignore[arg-type]
        )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_second_spec_of_a_session_releases_its_own_columns(engine: str, tmp_path: Path) -> None:
    """The publisher tries a spec with a column, and releases by one that does not name it."""
    pyarrow.csv.write_csv(table(60, ward=[row % 3 for row in range(60)]), tmp_path / "people.csv")
    first, second = spec("ward"), spec()
    for one, other, columns in ((first, second, 2), (second, first, 3)):
        with Session(tmp_path / "people.csv", one, engine=engine, drop_undeclared=True) as session:
            session.search()
            released = session.release(session.search(other))
            assert released.spec.insensitive == other.insensitive
            assert released.table.num_columns == columns
    with Session(tmp_path / "people.csv", first, engine=engine) as session:
        session.search()
        with pytest.raises(InputError, match="Undeclared: ward"):
            session.search(second)
