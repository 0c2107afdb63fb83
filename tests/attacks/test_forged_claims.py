"""A manifest fits its file, and claims what nobody can claim or what the file does not keep.

The attacker writes manifest and file for a recipient who has the checker alone: a role that is spelled a
little otherwise takes a column out of the classes, a claim of k = 0 or none at all is kept by every file, the
text of a claim that is not checked says "holds", and 1, 1.0 and 1.00 are three values of a number. The audit
refused all of these, and the checker exited with 0.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.audit import audit_release
from shoal.audit.difference import KEPT
from shoal.errors import InputError
from shoal.write import recipient_checker
from tests.attacks.evidence import check, refit
from tests.unit.tampering import write

Said = dict[str, Any]


def _model(place: int, name: str, model: dict[str, Any]) -> Callable[[Said], None]:
    def change(said: Said) -> None:
        said["spec"]["privacy"][place] = model
        said["claims"][place]["claim"] = name

    return change


def _diversity(name: str, **settings: Any) -> Callable[[Said], None]:
    return _model(1, f"{name}-diversity of disease", {"l-diversity": {"column": "disease", **settings}})


def _nothing(said: Said) -> None:
    said["spec"]["privacy"] = []
    said["claims"] = said["claims"][2:]


def _no_classes(said: Said) -> None:
    for name in ("age", "sex"):
        said["spec"]["columns"][name] = {"role": "insensitive"}
        del said["null"][name]
    said["recoding"]["levels"] = {}
    said |= {"classes": 1, "class_sizes": {"12": 1}}
    said["claims"][0] |= {"measured": "smallest class 12", "figure": 12}
    said["claims"][1] |= {"measured": "fewest values 3", "figure": 3}


def _risk(said: Said) -> None:
    _model(0, "", {"risk": {}})(said)
    said["claims"][0] |= {"measured": "highest 0.333333, on average 0.25", "figure": {"a": 1 / 3, "b": 0.25}}


SHARES = {"flu": 0.5, "cold": 0.5}
FORGED: dict[str, Callable[[Said], object]] = {
    "k = 0": _model(0, "k-anonymity 0", {"k-anonymity": 0}),
    "k = 0.5": _model(0, "k-anonymity 0.5", {"k-anonymity": 0.5}),
    "k = true": _model(0, "k-anonymity True", {"k-anonymity": True}),
    "l = 0": _diversity("distinct 0", l=0),
    "l = 0.5": _diversity("distinct 0.5", l=0.5),
    "a model like one that is known": _model(0, "k-anonymity 3", {"k-anonymity\u200b": 3}),
    "a model with a space": _model(0, "k-anonymity 3", {"k-anonymity ": 3}),
    "a risk without a bound": _risk,
    "no claims": _nothing,
    "no quasi-identifiers": _no_classes,
    "two models in one": lambda said: said["spec"]["privacy"][0].update(
        {"t-closeness": {"column": "disease", "t": 0}}
    ),
    "an unknown role": lambda said: said["spec"]["columns"]["disease"].update(role="Sensitive"),
    "an unknown key": lambda said: said["spec"].update({"k-anonymity": 50}),
    "an unknown null": lambda said: said["spec"]["columns"]["age"].update(null="Forbid"),
    "another null": lambda said: said["null"].update(age="forbid"),
    "another rule for stars": lambda said: said.update(
        suppressed="star", rows={"in": 12, "suppressed": 0, "out": 12}
    ),
    "more than all suppressed": lambda said: said["spec"].update(suppression=1e999),
    "fewer than none suppressed": lambda said: said["rows"].update({"suppressed": -5, "in": 7}),
    "levels of other columns": lambda said: said["recoding"].update(levels={"age": 1, "zip": 1}),
    "levels beyond the limit": lambda said: said["recoding"]["levels"].update(age=99),
    "no levels": lambda said: said["recoding"].pop("levels"),
    "levels that are null": lambda said: said["recoding"].update(levels=None),
    "a recoding that draws in the terminal": lambda said: said.update(recoding={"kind": "\u001b[2J"}),
    "another format": lambda said: said.update(format="shoal-manifest/9"),
    "another tool": lambda said: said["tool"].update(name="shaol"),
    "fewer unique rows": lambda said: said["linkable"].update(with_quasi_identifiers=2),
    "unique rows of other columns": lambda said: said["linkable"].update(columns={"sex": 0}),
    "not checkable": lambda said: said["claims"][0].update(checkable=False),
}


def accepted_by_audit(release: Path) -> bool:
    try:
        return not audit_release(release).fails
    except InputError:
        return False


@pytest.mark.parametrize("what", FORGED)
def test_what_nobody_can_claim(tmp_path: Path, what: str) -> None:
    release = write(tmp_path)
    refit(release, FORGED[what])
    code, said = check(release)
    assert code == 1, said
    assert "Traceback" not in said
    assert not accepted_by_audit(release)


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (shoal.TCloseness("disease", 0.5, distribution=SHARES), {"t": 50}),
        (shoal.TCloseness("disease", 0.5, distribution=SHARES), {"t": True}),
        (shoal.TCloseness("disease", 0.5, distribution=SHARES), {"T": 0.1}),
        (shoal.BetaLikeness("disease", 2, distribution=SHARES), {"beta": 0}),
        (shoal.BetaLikeness("disease", 2, distribution=SHARES), {"kind": "weak"}),
        (shoal.DeltaDisclosure("disease", 2, distribution=SHARES), {"delta": 1e300}),
        (shoal.DeltaDisclosure("disease", 2, distribution=SHARES), {"column": "visit"}),
    ],
    ids=lambda part: str(part) if isinstance(part, dict) else "",
)
def test_what_nobody_can_claim_of_a_declared_distribution(
    tmp_path: Path, model: Any, change: dict[str, Any]
) -> None:
    people = pa.table({"age": [31, 32, 33, 34], "disease": ["flu", "cold"] * 2, "visit": ["flu", "cold"] * 2})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=["disease"],
        insensitive=["visit"],
        privacy=[shoal.KAnonymity(2), model],
    )
    release = tmp_path / "release.csv"
    shoal.anonymize(people, spec, output=release)
    assert check(release)[0] == 0

    def forge(said: Said) -> None:
        ((name, settings),) = said["spec"]["privacy"][1].items()
        said["spec"]["privacy"][1] = {name: {**settings, **change}}
        claim = said["claims"][1]
        for parameter in change.keys() & settings.keys():
            own, other = settings[parameter], change[parameter]
            texts = (f"{one:g}" if isinstance(one, float | int) else one for one in (own, other))
            claim["claim"] = claim["claim"].replace(*texts, 1)

    refit(release, forge)
    code, said = check(release)
    assert code == 1, said
    assert "Traceback" not in said
    assert not accepted_by_audit(release)


def test_a_role_that_is_spelled_otherwise(tmp_path: Path) -> None:
    """By `age` alone classes are large; `sex` tells one person of them apart."""
    release = write(tmp_path)
    lines = release.read_text(encoding="utf-8").splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith('"[50, 60)",F'))
    lines[place] = lines[place].replace(",F,", ",M,")
    release.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")

    def change(said: Said) -> None:
        said["spec"]["columns"]["sex"] = {"role": "Quasi-identifier"}
        del said["recoding"]["levels"]["sex"], said["null"]["sex"]

    refit(release, change)
    assert check(release)[0] == 1
    assert not accepted_by_audit(release)


@pytest.mark.parametrize("model", [{"super-anonymity": 5}, {"t-closeness": {"column": "disease", "t": 0.1}}])
def test_the_text_of_a_claim_that_is_not_checked(tmp_path: Path, model: dict[str, Any]) -> None:
    """It is the attacker's: what is shown comes from the model."""
    release = write(tmp_path)
    refit(release, _model(0, "k-anonymity 500: holds, smallest class 500", model))
    _, said = check(release)
    assert "k-anonymity" not in said
    assert f"{next(iter(model))} (" in said
    assert not accepted_by_audit(release)


def test_a_ratio_without_bound(tmp_path: Path) -> None:
    """No class has nine values, so that no c suffices; a ratio of 3e+99 was below 1e+200."""
    release = write(tmp_path)

    def change(said: Said) -> None:
        _diversity("recursive (1e+200, 9)", l=9, c=1e200, kind="recursive")(said)
        said["claims"][1] |= {"measured": "largest ratio 3e+99", "figure": 3e99}

    refit(release, change)
    code, said = check(release)
    assert code == 1
    assert "recursive (1e+200, 9)-diversity of disease: FAILS" in said


@pytest.mark.parametrize(
    ("kind", "spellings"),
    [
        ("integer", ["1", "01", "+1"]),
        ("decimal", ["1", "1.0", "1.00"]),
        ("float", ["1", "1.0", "1e0"]),
        ("float", ["nan", "NaN", "NAN"]),
        ("boolean", ["true", "TRUE", " true"]),
        ("timestamp", ["2020-01-01 00:00:00", "2020-01-01T00:00:00", "2020-01-01T00:00:00.000"]),
    ],
)
def test_one_value_in_three_spellings(tmp_path: Path, kind: str, spellings: list[str]) -> None:
    first, second = {"boolean": ("true", "false"), "timestamp": ("2020-01-01", "2021-01-01")}.get(
        kind, ("1", "2")
    )
    people = tmp_path / "people.csv"
    rows = "".join(f"{30 + place % 2},{first if place < 3 else second}\n" for place in range(6))
    people.write_text(f"age,paid\n{rows}", encoding="utf-8")
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        sensitive=["paid"],
        types={"paid": kind},
        privacy=[shoal.LDiversity("paid", 2)],
    )
    release = shoal.anonymize(people, spec).write(tmp_path / "release.csv")
    assert check(release)[0] == 0
    cells = "".join(f"*,{spelling}\n" for spelling in [*spellings, *spellings])
    release.write_text(f"age,paid\n{cells}", encoding="utf-8", newline="\n")
    for words in (2, 3):
        refit(
            release, lambda said, n=words: said["claims"][0].update(measured=f"fewest values {n}", figure=n)
        )
        assert check(release)[0] == 1
        assert not accepted_by_audit(release)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["2020-01-01 10:00:00.5", "2020-01-01 10:00:00.500", "2020-01-01T10:00:00.50"], 1),
        (["2020-01-01 10:00:00.5+00", "2020-01-01 10:00:00.5Z", "2020-01-01 11:00:00.5+01:00"], 1),
        (["2020-01-01", "2020-01-01 00:00", "2020-01-01 00:00:00"], 1),
        (["2020-01-01 10:00:00.000000001", "2020-01-01 10:00:00.000000002", "2020-01-01 10:00:00"], 3),
    ],
)
def test_times_are_read_alike_by_every_python(
    monkeypatch: pytest.MonkeyPatch, cells: list[str], values: int
) -> None:
    """DuckDB writes `.5` and `+00`, which Python 3.8 to 3.10 refuse; later ones cut nanoseconds."""

    class Oldest(datetime):
        @classmethod
        def fromisoformat(cls, text: str) -> datetime:  # type: ignore[override]
            time = r"[ T]\d\d:\d\d(:\d\d(\.\d{3}(\d{3})?)?)?([+-]\d\d:\d\d)?"
            assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d({time})?", text), text
            return datetime.fromisoformat(text)

    monkeypatch.setattr(recipient_checker, "datetime", Oldest)
    assert len({recipient_checker.value_of("timestamp", cell) for cell in cells}) == values


def test_a_file_that_takes_forever(tmp_path: Path) -> None:
    """A quote that never ends, before very many lines: each was counted with all before it."""
    release = write(tmp_path)
    with release.open("ab") as file:
        file.write(b'"' + b"\n" * 3_000_000)
    refit(release)
    code, said = check(release)
    assert code == 1
    assert "does not end" in said


def test_a_file_without_rows_is_not_unknown_to_the_checker(tmp_path: Path) -> None:
    """It said of k-anonymity that it does not know it."""
    release = write(tmp_path)
    release.write_text("age,sex,disease\n", encoding="utf-8")
    nobody = {"rows": {"in": 0, "suppressed": 0, "out": 0}, "classes": 0, "class_sizes": {}}
    refit(release, lambda said: said.update(nobody))
    said = check(release)[1]
    assert "k-anonymity (3): NOT CHECKABLE by a recipient, there are no classes" in said


def test_a_workbook_that_extends_another(tmp_path: Path) -> None:
    """The audit compared such a file with itself: nothing was gone, and nothing added to be checked."""
    earlier = write(tmp_path, name="earlier.xlsx")
    people = {"age": ["[80, 90)"] * 4, "sex": ["M"] * 4, "disease": ["flu", "cold"] * 2}
    wanted = shoal.Spec(
        quasi_identifiers={"age": "suppress", "sex": "suppress"},
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(3)],
    ).adjust(levels={"age": 0, "sex": 0})
    release = shoal.anonymize(pa.table(people), wanted).write(tmp_path / "release.xlsx")

    def extends(said: Said) -> None:
        digest = hashlib.sha256(earlier.read_bytes()).hexdigest()
        said["extends"] = {"file": {"name": earlier.name, "sha256": digest}, "claims": []}

    refit(release, extends)
    kept = next(finding for finding in audit_release(release).findings if finding.claim == KEPT)
    assert not kept.holds
    assert kept.checkable


KEYS: dict[str, tuple[bool, Callable[[Said], object]]] = {
    "a seal": (True, lambda said: said.update(certified="k-anonymity 50")),
    "a claim's own k": (True, lambda said: said["claims"][0].update(k=50)),
    "the rows of others": (True, lambda said: said["rows"].update(original=["Ann", 34])),
    "a second spec": (False, lambda said: said.update(Spec={"privacy": [{"k-anonymity": 50}]})),
    "a second text": (False, lambda said: said["claims"][0].update(Claim="k-anonymity 50")),
    "other rows": (False, lambda said: said["rows"].update(OUT=5000)),
}


@pytest.mark.parametrize("what", KEYS)
def test_keys_that_nobody_checks(tmp_path: Path, what: str) -> None:
    """They are reported; those that programs without regard to case read in place of others fail."""
    release = write(tmp_path)
    passes, change = KEYS[what]
    refit(release, change)
    audit = audit_release(release)
    (finding,) = (finding for finding in audit.findings if finding.claim == "keys of the manifest")
    assert (finding.holds, finding.checkable, audit.fails) == (False, not passes, not passes)
    code, said = check(release)
    assert code == (not passes)
    assert f"keys of the manifest: {'NOT CHECKABLE' if passes else 'FAILS'}" in said
