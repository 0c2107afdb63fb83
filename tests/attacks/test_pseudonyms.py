"""Attack: find somebody by what a token links, or find whose token it is.

The attacker knows a person's quasi-identifiers at several visits, and looks for the token whose rows are in
these classes: each class has enough people, and their combination may be one person's. Or the attacker knows
the numbers of all patients, this program and its documentation, and computes tokens. Or is the publisher, and
writes a file in which rows are somebody else's.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

import shoal
from shoal.audit import audit_release
from shoal.audit.signature import make_keys
from shoal.errors import InputError, LinkableError
from tests.attacks.evidence import check, refit

AGES, TOWNS = (30, 40, 50, 60), "ABC"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return make_keys(tmp_path / "project.pem")[0]


def visits(seed: int, people: int, most: int) -> pa.Table:
    """Return rows of people who are older at each visit, and live elsewhere."""
    random = Random(seed)
    rows = [
        (number, random.choice(AGES), random.choice(TOWNS), random.choice(["flu", "gout"]))
        for number in range(people)
        for _ in range(random.randint(1, most))
    ]
    names = ("patient", "age", "town", "disease")
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def spec(key: Path, **others: object) -> shoal.Spec:
    return shoal.Spec(
        **{
            "quasi_identifiers": ["age", "town"],
            "sensitive": ["disease"],
            "pseudonyms": ["patient"],
            "unit": "patient",
            "key": key,
            "privacy": shoal.KAnonymity(5),
            "suppression": 0.1,
            **others,
        }
    )


def combinations(rows: Iterator[dict[str, object]]) -> dict[object, tuple[object, ...]]:
    """Return the classes that each token is in, as anybody who has the release can list them."""
    classes = defaultdict(list)
    for row in rows:
        classes[row["patient"]].append((str(row["age"]), str(row["town"])))
    return {token: tuple(sorted(own)) for token, own in classes.items()}


def test_who_is_found_by_several_visits(key: Path) -> None:
    table = visits(1, 200, 3)
    with pytest.raises(
        LinkableError, match=r"\(\d+ of 200\) have a combination of classes that fewer than 5"
    ):
        shoal.anonymize(table, spec(key))
    release = shoal.anonymize(table, spec(key, accept={"patient": "linkable"}))
    assert release.audit.holds  # each class has five people, and the attacker finds most of them
    found = combinations(release.table.to_pylist())
    alike = Counter(found.values())
    (linked,) = release.audit.linked
    assert linked.few == sum(alike[own] < 5 for own in found.values()) > 0.2 * len(found)
    assert release.facts()[0] == ("Pseudonym", linked.words())
    assert any("finds all of them among fewer" in note for note in release.notes)


@pytest.mark.parametrize("seed", range(4))
def test_people_are_counted_as_an_attacker_does(seed: int, key: Path) -> None:
    """Also by a pseudonym that is not the unit, that some rows lack, and beside suppressed rows that stay."""
    table = visits(seed, 60, 4)
    some = [None if number % 7 == 0 else number for number in table.column("patient").to_pylist()]
    own = spec(key, unit=None, suppressed="star", suppression=0.4, accept={"patient": "linkable"})
    release = shoal.anonymize(table.set_column(0, "patient", pa.array(some)), own)
    rows = release.table.to_pylist()
    found = combinations(row for row in rows if row["patient"] is not None)
    alike = Counter(found.values())
    (linked,) = release.audit.linked
    assert (linked.people, linked.few) == (len(found), sum(alike[own] < 5 for own in found.values()))
    assert any("count people by it: `unit: patient`" in note for note in release.notes)


def test_one_row_of_each_person_gives_nobody_away(key: Path) -> None:
    release = shoal.anonymize(visits(5, 200, 1), spec(key))
    assert release.audit.linked[0].few == 0
    assert not any("pseudonym" in note for note in release.notes)


def test_tokens_of_all_numbers(tmp_path: Path, key: Path) -> None:
    """Without the private key they are not found, nor with another one, nor is it in what is published."""
    table = visits(2, 30, 1)
    release = tmp_path / "release.csv"
    shoal.anonymize(table, spec(key, quasi_identifiers={"age": "suppress"}), drop_undeclared=True).write(
        release, report=True
    )
    tokens = {row["patient"] for row in csv.DictReader(release.read_text("utf-8").splitlines())}
    other = make_keys(tmp_path / "other.pem")[0]
    theirs = shoal.anonymize(table, spec(other, quasi_identifiers={"age": "suppress"}), drop_undeclared=True)
    assert not tokens & {*theirs.table.column("patient").to_pylist()}
    known = [b"", b"shoal pseudonyms", key.with_name("project.pub.pem").read_bytes()]
    for number in range(30):
        text = str(number).encode()
        hashes = [hmac.digest(secret, text, "sha256") for secret in known]
        for digest in (*hashes, hashlib.sha256(text).digest(), hashlib.md5(text).digest()):
            assert base64.b32encode(digest)[:20].decode().lower() not in tokens
    secret = "".join(key.read_text("ascii").splitlines()[1:-1])
    for file in tmp_path.glob("release.csv*"):
        text = file.read_text("utf-8")
        assert secret not in text
        assert "project.pem" not in text
        assert str(tmp_path) not in text


def test_a_row_of_somebody_else(tmp_path: Path, key: Path) -> None:
    """Five rows of a class become one person's. Recipients count the people themselves."""
    release = shoal.anonymize(visits(5, 200, 1), spec(key)).write(tmp_path / "release.csv")
    code, words = check(release)
    assert (code, "NOT CHECKABLE" in words) == (0, False), words
    assert audit_release(release).holds
    header, *lines = release.read_text("utf-8").splitlines()
    rows = [dict(zip(header.split(","), line.split(","), strict=True)) for line in lines]
    least = min(Counter((row["age"], row["town"]) for row in rows).items(), key=lambda found: found[1])[0]
    own = next(row["patient"] for row in rows if (row["age"], row["town"]) == least)
    for row in rows:
        row["patient"] = own if (row["age"], row["town"]) == least else row["patient"]
    release.write_text("\n".join([header, *(",".join(row.values()) for row in rows)]) + "\n", "utf-8")
    refit(release)
    failing = {
        finding.claim: finding.measured for finding in audit_release(release).findings if not finding.holds
    }
    assert failing["k-anonymity 5"] == "smallest class 1, 1 class fails, counted by 'patient'"
    assert "linked rows as in the manifest" in failing
    code, words = check(release)
    assert code == 1
    assert "k-anonymity 5: FAILS, smallest class 1" in words


def test_a_manifest_that_says_less_of_tokens(tmp_path: Path, key: Path) -> None:
    accepted = spec(key, accept={"patient": "linkable"})
    release = shoal.anonymize(visits(1, 200, 3), accepted).write(tmp_path / "release.csv")
    said = json.loads((tmp_path / "release.csv.manifest.json").read_text("utf-8"))["linked"]["patient"]
    for change in (
        {"patient": {**said, "few": 0}},
        {"patient": {**said, "k": 2, "few": said["few"] - 9}},
        {},
    ):
        refit(release, lambda manifest, change=change: manifest.update(linked=change))
        failing = [finding.claim for finding in audit_release(release).findings if not finding.holds]
        assert failing == ["linked rows as in the manifest"]
        assert check(release)[0] == 1


def test_a_manifest_that_names_a_key(tmp_path: Path, key: Path) -> None:
    """Whoever wrote it would choose a file that is opened on the recipient's machine."""
    release = shoal.anonymize(visits(5, 200, 1), spec(key)).write(tmp_path / "release.csv")
    refit(release, lambda manifest: manifest["spec"].update(key="project.pem"))
    with pytest.raises(InputError, match="names a key"):
        audit_release(release)
    assert check(release)[0] == 1
