"""People given again as new rows of a release that grows.

The attacker has a release and the one that extends it, and knows that somebody is in both tables. What was
added hides new people among new people. Whoever was there before, and is given again, stands in it once more:
the few classes in which the same person fits both times give the person away. So the publisher must not be
able to extend a release by people whom it has already, by mistake or without anybody knowing.
"""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import shoal
from shoal import secret
from shoal.incremental.people import HashedPeople, overlap

ROWS = 292
OLD = 262


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(secret.HOME, str(tmp_path / "home"))
    return tmp_path / "home"


def spec(**settings: Any) -> shoal.Spec:
    given: dict[str, Any] = {
        "quasi_identifiers": {"age": shoal.intervals(20, 40)},
        "identifiers": ["ssn", "name"],
        "sensitive": ["disease"],
        "privacy": [shoal.KAnonymity(3)],
        "suppression": 0.2,
    }
    return shoal.Spec(**{**given, **settings})


def people(first: int, count: int) -> pa.Table:
    """Return people by their numbers: two tables share those whose numbers both have."""
    numbers = np.arange(first, first + count)
    return pa.table(
        {
            "ssn": [f"{number:09d}" for number in numbers],
            "name": [f"Ann Smith {number}" for number in numbers],
            "age": 20 + numbers * 7 % 60,
            "disease": [("flu", "gout", "cold")[number % 3] for number in numbers],
        }
    )


def changed(table: pa.Table, name: str, change: Callable[[str], Any]) -> pa.Table:
    place = table.column_names.index(name)
    return table.set_column(place, name, pa.array([change(value) for value in table[name].to_pylist()]))


def released(folder: Path, table: pa.Table, *, remembered: bool = False, **settings: Any) -> str:
    path = shoal.anonymize(table, spec(**settings)).write(folder / "release.csv", remember_people=remembered)
    return f"{path}.manifest.json"


@pytest.mark.parametrize("remembered", [True, False])
def test_old_people_are_refused_with_counts(tmp_path: Path, remembered: bool) -> None:
    old, again = people(0, ROWS), people(ROWS - OLD, ROWS)
    manifest = released(tmp_path, old, remembered=remembered)
    known = {} if remembered else {"original": old}
    with pytest.raises(shoal.InputError) as refused:
        shoal.extend(manifest, again, output=tmp_path / "out.csv", **known)
    message = str(refused.value)
    assert f"{OLD} of {ROWS} rows, {OLD} people" in message
    assert "ssn" in message
    assert "another question" in message
    assert "Ann" not in message and "0000" not in message
    assert not (tmp_path / "out.csv").exists()


def test_one_person_is_enough(tmp_path: Path) -> None:
    manifest = released(tmp_path, people(0, ROWS), remembered=True)
    with pytest.raises(shoal.InputError, match=f"1 of {ROWS} rows, 1 person"):
        shoal.extend(manifest, people(ROWS - 1, ROWS))


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("ssn", lambda value: f"x{value}"),  # another number, the same name
        ("name", lambda value: None),  # no name, the same number
        ("name", lambda value: f"  {value.upper().replace(' ', '   ')} "),
    ],
)
def test_other_spellings_and_single_identifiers(
    tmp_path: Path, column: str, change: Callable[[str], Any]
) -> None:
    manifest = released(tmp_path, people(0, ROWS), remembered=True)
    again = changed(people(ROWS - 30, ROWS), column, change)
    with pytest.raises(shoal.InputError, match=f"30 of {ROWS} rows, 30 people"):
        shoal.extend(manifest, again)


def test_spelling_of_the_only_identifier(tmp_path: Path) -> None:
    old = people(0, 60).drop_columns(["ssn"])
    manifest = released(tmp_path, old, remembered=True, identifiers=["name"])
    again = changed(old, "name", lambda value: f" {value.upper()}\t")
    with pytest.raises(shoal.InputError, match="60 of 60 rows"):
        shoal.extend(manifest, again)


def test_numbers_in_another_type(tmp_path: Path) -> None:
    """A number comes as text from one file and as a decimal from another."""
    old = changed(people(1000, 60), "ssn", int)
    settings = {"identifiers": ["ssn"], "insensitive": ["name"], "accept": {"name": "linkable"}}
    manifest = released(tmp_path, old, remembered=True, **settings)
    again = changed(people(1000, 60), "ssn", float)
    with pytest.raises(shoal.InputError, match="60 of 60 rows"):
        shoal.extend(manifest, again)


def test_people_by_their_unit(tmp_path: Path) -> None:
    """Each person has two rows, and the people who were suppressed count too."""
    old = pa.concat_tables([people(0, 60), people(0, 60)])
    settings: dict[str, Any] = {"unit": "ssn", "identifiers": ["name"], "insensitive": ["ssn"]}
    settings["accept"] = {"ssn": "linkable"}
    manifest = released(tmp_path, old, remembered=True, **settings)
    again = pa.concat_tables([people(50, 60), people(50, 60)])
    with pytest.raises(shoal.InputError, match="20 of 120 rows, 10 people"):
        shoal.extend(manifest, again)
    extension = shoal.extend(manifest, people(60, 60), suppression=1)
    assert extension.new_people.compared == ("ssn", "name")
    with pytest.raises(shoal.InputError, match="name 60 different ssn"):
        shoal.extend(manifest, changed(people(60, 60), "name", lambda _: "Ann Smith"), suppression=1)


@pytest.mark.parametrize("remembered", [True, False])
def test_a_new_person_several_times(tmp_path: Path, remembered: bool) -> None:
    """Everybody has one row so far; Ann has three in June, and all rows that are added are hers."""
    old, ann = people(0, 60), people(60, 1)
    manifest = released(tmp_path, old, remembered=remembered)
    known = {} if remembered else {"original": old}
    with pytest.raises(shoal.InputError, match="With a value that occurs again: ssn 3 rows, name 3 rows"):
        shoal.extend(manifest, pa.concat_tables([ann] * 3), **known)
    twice = pa.concat_tables([people(60, 60), changed(ann, "ssn", lambda value: f" {int(value)}.0")])
    with pytest.raises(shoal.InputError, match="ssn 2 rows"):
        shoal.extend(manifest, twice, suppression=1, **known)


def test_a_release_that_has_all_people_tells_who_they_are(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"unit": "ssn", "identifiers": ["name"], "insensitive": ["ssn"]}
    settings |= {"accept": {"ssn": "linkable"}, "suppression": 0}
    manifest = released(tmp_path, people(0, 60), **settings)
    with pytest.raises(shoal.InputError, match="10 of 60 rows, 10 people"):
        shoal.extend(manifest, people(50, 60))
    assert shoal.extend(manifest, people(60, 60), suppression=1).new_people.compared == ("ssn",)


def test_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shoal: Callable[..., Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    csv.write_csv(people(0, 60), "old.csv")
    csv.write_csv(people(60, 60), "new.csv")
    asked = ["--qi", "age=intervals:20,40", "--identifier", "ssn", "--identifier", "name", "-k", 3]
    asked += ["--sensitive", "disease", "--output", "release.csv"]
    extend = ["extend", "release.csv.manifest.json", "new.csv", "--suppression", 1]
    assert shoal("anonymize", "old.csv", *asked).code == 0
    ran = shoal(*extend, "--check")
    assert (ran.code, "is not known" in ran.err) == (2, True)
    ran = shoal(*extend, "--new-people", "--output", "out.csv")
    assert (ran.code, "asserts" in ran.out) == (0, True), ran.err
    assert shoal("anonymize", "old.csv", *asked, "--remember-people").code == 0
    ran = shoal(*extend, "--shared", "name", "--remember-people", "--output", "out.csv", "--json")
    assert json.loads(ran.out)["people"] == {"compared": ["ssn"], "shared": ["name"]}
    ran = shoal("extend", "out.csv.manifest.json", "old.csv", "--check")
    assert (ran.code, "60 of 60 rows, 60 people" in ran.err) == (2, True)


@pytest.mark.parametrize("remembered", [True, False])
def test_new_people_pass(tmp_path: Path, remembered: bool) -> None:
    old = people(0, ROWS)
    manifest = released(tmp_path, old, remembered=remembered)
    known = {} if remembered else {"original": old}
    extension = shoal.extend(manifest, people(ROWS, ROWS), output=tmp_path / "out.csv", **known)
    assert extension.new_people.compared == ("ssn", "name")
    said = json.loads((tmp_path / "out.csv.manifest.json").read_text("utf-8"))
    assert said["extends"]["people"] == {"compared": ["ssn", "name"], "shared": []}
    assert shoal.audit_release(tmp_path / "out.csv").holds


def test_the_third_release_knows_all_people(tmp_path: Path) -> None:
    manifest = released(tmp_path, people(0, ROWS), remembered=True)
    shoal.extend(manifest, people(ROWS, ROWS), output=tmp_path / "second.csv")
    for first in (0, ROWS):
        with pytest.raises(shoal.InputError, match=f"{ROWS} of {ROWS} rows"):
            shoal.extend(tmp_path / "second.csv.manifest.json", people(first, ROWS))
    assert shoal.extend(tmp_path / "second.csv.manifest.json", people(2 * ROWS, ROWS)).added_rows


def test_people_stay_remembered_where_the_original_is_given(tmp_path: Path) -> None:
    old, new = people(0, ROWS), people(ROWS, ROWS)
    manifest = released(tmp_path, old, remembered=True)
    shoal.extend(manifest, new, original=old, output=tmp_path / "second.csv")
    for first in (0, ROWS):
        with pytest.raises(shoal.InputError, match=f"{ROWS} of {ROWS} rows"):
            shoal.extend(tmp_path / "second.csv.manifest.json", people(first, ROWS))


def test_without_knowledge_it_is_refused_or_asserted(tmp_path: Path) -> None:
    manifest = released(tmp_path, people(0, ROWS))
    new = people(ROWS, ROWS)
    with pytest.raises(shoal.InputError, match="is not known") as refused:
        shoal.extend(manifest, new)
    assert "--original FILE" in str(refused.value)
    assert "--new-people" in str(refused.value)
    shoal.extend(manifest, new, new_people=True, output=tmp_path / "out.csv")
    said = json.loads((tmp_path / "out.csv.manifest.json").read_text("utf-8"))
    assert "The publisher asserts" in said["extends"]["people"]["asserted"]


def test_an_assertion_does_not_outweigh_what_is_known(tmp_path: Path) -> None:
    manifest = released(tmp_path, people(0, ROWS), remembered=True)
    with pytest.raises(shoal.InputError, match="have new rows"):
        shoal.extend(manifest, people(ROWS - OLD, ROWS), new_people=True)


@pytest.mark.parametrize("remembered", [True, False])
@pytest.mark.parametrize("nothing", [None, "", "NA", " unknown ", "-"])
def test_old_people_without_their_identifiers(tmp_path: Path, nothing: str | None, remembered: bool) -> None:
    """Whoever has no identifier cannot be compared, and is not "none of the earlier ones, by ssn"."""
    old = people(0, 60)
    again = people(0, 60)
    for name in ("ssn", "name"):
        again = changed(again, name, lambda _: nothing)
    manifest = released(tmp_path, old, remembered=remembered)
    known = {} if remembered else {"original": old}
    with pytest.raises(shoal.InputError, match="not known of 60 of 60 rows"):
        shoal.extend(manifest, again, **known)
    some = pa.concat_tables([again.slice(0, 2), people(100, 58)], promote_options="permissive")
    with pytest.raises(shoal.InputError, match="not known of 2 of 60 rows"):
        shoal.extend(manifest, some, **known)
    extension = shoal.extend(manifest, some, new_people=True, **known)
    assert "The publisher asserts" in dict(extension.facts())["People"]
    said = extension.new_people.to_mapping()
    assert said["compared"] == ["ssn", "name"]
    assert "where a value is missing" in said["asserted"]


@pytest.mark.parametrize("remembered", [True, False])
def test_an_earlier_table_that_lacks_identifiers(tmp_path: Path, remembered: bool) -> None:
    """One number among 60 rows would "tell people apart", and nobody be compared by it."""
    old = changed(people(0, 60), "ssn", lambda value: value if value == "000000007" else None)
    old = old.drop_columns("name")
    manifest = released(tmp_path, old, remembered=remembered, identifiers=["ssn"])
    known = {} if remembered else {"original": old}
    with pytest.raises(shoal.InputError, match="59 none of ssn"):
        shoal.extend(manifest, people(30, 60).drop_columns("name"), **known)


def test_an_identifier_that_all_have_makes_up_for_another(tmp_path: Path) -> None:
    old = changed(people(0, 60), "name", lambda value: None if value.endswith("7") else value)
    manifest = released(tmp_path, old)
    extension = shoal.extend(manifest, changed(people(60, 60), "name", lambda _: None), original=old)
    assert extension.new_people.to_mapping() == {"compared": ["ssn", "name"], "shared": []}


def test_zeros_before_a_number(tmp_path: Path) -> None:
    """Spreadsheets drop them."""
    old, again = people(0, 60).drop_columns("name"), people(30, 60).drop_columns("name")
    manifest = released(tmp_path, old, identifiers=["ssn"])
    again = again.set_column(0, "ssn", pa.array([int(value) for value in again["ssn"].to_pylist()]))
    with pytest.raises(shoal.InputError, match="30 of 60 rows"):
        shoal.extend(manifest, again, original=old)


DAY = date(1950, 1, 1)
MIDNIGHT = datetime(1950, 1, 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A missing number makes decimals of a column, and decimals of ten digits get an exponent.
        (lambda number: 4_000_000_000 + number, lambda number: 4e9 + number),
        (lambda number: f"{1e12 + number:.12e}", lambda number: f"{10**12 + number}"),
        (lambda number: f"{number}.50", lambda number: number + 0.5),
        (lambda number: DAY + timedelta(number), lambda number: MIDNIGHT + timedelta(number)),
        (lambda number: f"{DAY + timedelta(number)}", lambda number: f"{MIDNIGHT + timedelta(number)}"),
        (lambda number: f"A{number}", lambda number: f"\u200ba\u00ad{number}\ufeff"),
        (lambda number: f"{number}", lambda number: f"'{number}"),
        (lambda number: f"O'Brien-{number}", lambda number: f"O\u2019Brien\u2011{number}"),
    ],
)
def test_one_value_in_two_forms(
    tmp_path: Path, before: Callable[[int], Any], after: Callable[[int], Any]
) -> None:
    """What tools make of one value does not make another person of anybody."""
    old, again = (
        changed(people(first, 60).drop_columns("name"), "ssn", lambda value, form=form: form(int(value)))
        for first, form in ((0, before), (30, after))
    )
    manifest = released(tmp_path, old, identifiers=["ssn"])
    with pytest.raises(shoal.InputError, match="30 of 60 rows"):
        shoal.extend(manifest, again, original=old)


def test_matches_by_chance_are_reported(tmp_path: Path) -> None:
    numbers = [*range(196), 0, 1, 2, 3]
    old, new = people(0, 200).drop_columns("ssn"), people(200, 100).drop_columns("ssn")
    old = old.set_column(1, "age", pa.array([20 + number % 40 for number in range(200)]))
    new = new.set_column(1, "age", pa.array([20 + number % 40 for number in range(100)]))
    old = old.set_column(0, "name", pa.array([f"Ann {number}" for number in numbers]))
    new = new.set_column(0, "name", pa.array([f"Ann {number}" for number in range(195, 295)]))
    manifest = released(tmp_path, old, identifiers=["name"])
    extension = shoal.extend(manifest, new, original=old)
    said = dict(extension.facts())["People"]
    assert said == "1 row shares its name with earlier people, no more than chance explains"


def test_what_different_people_share(tmp_path: Path) -> None:
    """A family has one telephone: one of them is in the earlier table, another is new."""
    old = people(0, 60).rename_columns(["phone", "name", "age", "disease"])
    new = people(30, 60).rename_columns(["phone", "name", "age", "disease"])
    new = changed(new, "name", lambda value: f"New {value}")
    manifest = released(tmp_path, old, remembered=True, identifiers=["phone", "name"])
    with pytest.raises(shoal.InputError, match="--shared COLUMN"):
        shoal.extend(manifest, new)
    extension = shoal.extend(manifest, new, shared=["phone"], output=tmp_path / "out.csv")
    assert extension.new_people.compared == ("name",)
    said = json.loads((tmp_path / "out.csv.manifest.json").read_text("utf-8"))
    assert said["extends"]["people"]["shared"] == ["phone"]


def test_what_tells_nobody_apart_is_not_relied_on(tmp_path: Path) -> None:
    old, new = (changed(people(first, 60), "name", lambda _: "Smith") for first in (0, 60))
    old, new = old.drop_columns(["ssn"]), new.drop_columns(["ssn"])
    manifest = released(tmp_path, old, remembered=True, identifiers=["name"])
    with pytest.raises(shoal.InputError, match="too many share each value"):
        shoal.extend(manifest, new)


def test_what_tells_people_apart_together(tmp_path: Path) -> None:
    """Many share a first or a last name, nobody both; and the number is another on each visit."""

    def parts(first: int, visit: str) -> pa.Table:
        table = people(first, 60).drop_columns(["ssn", "name"])
        numbers = range(first, first + 60)
        names = [[f"f{number % 12}" for number in numbers], [f"l{number // 12}" for number in numbers]]
        visits = [f"{visit}{number}" for number in numbers]
        columns = {"visit": visits, "first": names[0], "last": names[1]}
        return pa.table({**columns, "age": table["age"], "disease": table["disease"]})

    manifest = released(tmp_path, parts(0, "a"), remembered=True, identifiers=["visit", "first", "last"])
    with pytest.raises(shoal.InputError, match="Found by: first with last 20 rows"):
        shoal.extend(manifest, parts(40, "b"))
    extension = shoal.extend(manifest, parts(60, "b"), suppression=1)
    assert extension.new_people.compared == ("visit", "first with last")


def test_common_names_are_no_overlap() -> None:
    """Of 4,000 people 2% share a name by chance; so do new people with them."""
    rng = np.random.default_rng(5)
    drawn = [f"name {number}" for number in rng.integers(0, 200_000, 6_000)]
    asked = spec(identifiers=["name"])
    old, new = pa.table({"name": drawn[:4000]}), pa.table({"name": drawn[4000:]})
    known = HashedPeople.of([old], asked, b"key")
    assert set(drawn[:4000]) & set(drawn[4000:])
    found = overlap(known.distinguishing, new, asked, b"key")
    assert not found.by and not found.several and len(set(drawn[4000:])) < 2000
    twice = pa.concat_tables([new, new.slice(0, 200)])
    assert overlap(known.distinguishing, twice, asked, b"key").several["name"] >= 400
    mixed = pa.table({"name": drawn[3800:5800]})
    assert overlap(known.distinguishing, mixed, asked, b"key").by["name"] >= 200


def test_what_is_remembered_is_private(tmp_path: Path, home: Path) -> None:
    manifest = released(tmp_path, people(0, 60), remembered=True)
    (file,) = (home / "people").iterdir()
    content = file.read_bytes()
    assert b"Ann" not in content and b"ann smith" not in content and b"000000001" not in content
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    handed_on = [path for path in tmp_path.iterdir() if path.is_file()]
    assert {path.name for path in handed_on} == {
        "release.csv",
        "release.csv.manifest.json",
        "release.csv.checker.py",
    }
    for path in handed_on:
        assert "Ann Smith" not in path.read_text("utf-8")
    (home / "secret").write_text("ab" * 32 + "\n", encoding="ascii")
    with pytest.raises(shoal.InputError, match="with another secret"):
        shoal.extend(manifest, people(60, 60))
    for damaged in (content[:100], b"", content[:100] + b"?" + content[101:]):
        file.write_bytes(damaged)
        with pytest.raises(shoal.InputError, match="cannot be read"):
            shoal.extend(manifest, people(60, 60))


def test_nothing_is_remembered_unless_required(tmp_path: Path, home: Path) -> None:
    released(tmp_path, people(0, 60))
    assert not home.exists()
    with pytest.raises(shoal.InputError, match="no people to remember"):
        anonymous = people(0, 60).drop_columns(["ssn", "name"])
        released(tmp_path, anonymous, remembered=True, identifiers=[])


def test_people_of_a_folder_are_not_remembered_after_it_is_published(
    tmp_path: Path, spark_session: Any
) -> None:
    """Spark writes a folder, whatever the suffix, which nobody could extend: it was published anyway."""
    csv.write_csv(people(0, 30), tmp_path / "people.csv")
    release = shoal.anonymize(str(tmp_path / "people.csv"), spec(engine="spark"))
    with pytest.raises(shoal.InputError, match="not a single file"):
        release.write(tmp_path / "release.csv", remember_people=True)
    assert not [entry.name for entry in tmp_path.iterdir() if "release" in entry.name]
