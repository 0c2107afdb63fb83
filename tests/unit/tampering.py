"""A small release, and every way to tamper with it or with its manifest that must be found out."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

import shoal

PEOPLE = pa.table(
    {
        "name": [f"p{number}" for number in range(13)],
        "age": [31, 33, 35, 38, 41, 44, 47, 52, 55, 57, 58, 59, 90],
        "sex": list("FFFFMMMFFFFFM"),
        "disease": ["flu", "cold", "gout", "flu", "flu", "cold", "gout"] + ["flu", "cold"] * 3,
    }
)
OLDER = pa.table(
    {"name": ["p13", "p14"], "age": [71, 83], "sex": ["F", "F"], "disease": ["gout", "flu"]},
    schema=PEOPLE.schema,
)


def spec(suppressed: str = "remove", **settings: Any) -> shoal.Spec:
    """Return a spec by which classes have 4, 3 and 5 rows, and the oldest is suppressed.

    Starred rows are a class: with `OLDER` they are three.
    """
    given: dict[str, Any] = {
        "quasi_identifiers": {"age": shoal.intervals(10), "sex": "suppress"},
        "sensitive": ["disease"],
        "identifiers": ["name"],
        "privacy": [shoal.KAnonymity(3), shoal.LDiversity("disease", 2)],
        "suppression": 0.2 if suppressed == "star" else 0.1,
        "suppressed": suppressed,
    }
    return shoal.Spec(**{**given, **settings})


def write(folder: Path, suppressed: str = "remove", name: str = "release.csv") -> Path:
    """Write the release with its evidence."""
    asked = spec(suppressed).adjust(levels={"age": 1, "sex": 0})
    people = pa.concat_tables([PEOPLE, OLDER]) if suppressed == "star" else PEOPLE
    return shoal.anonymize(people, asked, seed=1).write(folder / name)


def manifest_of(release: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(_manifest(release).read_text(encoding="utf-8"))
    return content


def rewrite(release: Path, content: dict[str, Any]) -> None:
    _manifest(release).write_text(json.dumps(content), encoding="utf-8")


def _manifest(release: Path) -> Path:
    return release.with_name(f"{release.name}.manifest.json")


def _lines(release: Path) -> list[str]:
    return release.read_text(encoding="utf-8").splitlines()


def _put(release: Path, lines: list[str]) -> None:
    release.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _one_of(lines: list[str], start: str) -> int:
    return next(place for place, line in enumerate(lines) if line.startswith(start))


def _drop(release: Path) -> None:
    """Take a row of the smallest class: it has k - 1 then."""
    lines = _lines(release)
    del lines[_one_of(lines, '"[40, 50)"')]
    _put(release, lines)


def _null(release: Path) -> None:
    """Empty one label in the largest class: NULL is a class of its own then."""
    lines = _lines(release)
    place = _one_of(lines, '"[50, 60)"')
    lines[place] = lines[place].replace('"[50, 60)"', "", 1)
    _put(release, lines)


def _cell(release: Path) -> None:
    """Take one of three for another, so that two are left: no value is the only one of its class."""
    lines = _lines(release)
    place = lines.index('"[50, 60)",F,flu')
    lines[place] = '"[50, 60)",F,cold'
    _put(release, lines)


def _consistent(release: Path) -> None:
    """Make the manifest fit a file that was changed: hash, rows and class sizes."""
    content = manifest_of(release)
    rows = [line.rsplit(",", 1)[0] for line in _lines(release)[1:]]
    starred = content["rows"]["suppressed"] if content["suppressed"] == "star" else 0
    sizes = Counter(Counter(rows).values())
    content["file"]["sha256"] = hashlib.sha256(release.read_bytes()).hexdigest()
    gone = content["rows"]["suppressed"] - starred
    content["rows"] |= {"in": len(rows) + gone, "out": len(rows)}
    content["classes"] = sum(sizes.values())
    content["class_sizes"] = {str(size): count for size, count in sizes.items()}
    rewrite(release, content)


def _and_then(first: Callable[[Path], None], then: Callable[[Path], None]) -> Callable[[Path], None]:
    def both(release: Path) -> None:
        first(release)
        then(release)

    return both


def _told(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """Return what changes the manifest alone: the file is whole, and its hash is right."""

    def lie(release: Path) -> None:
        content = manifest_of(release)
        change(content)
        rewrite(release, content)

    return lie


def _hash_only(release: Path) -> None:
    content = manifest_of(release)
    content["file"]["sha256"] = hashlib.sha256(release.read_bytes()).hexdigest()
    rewrite(release, content)


def _stronger(content: dict[str, Any]) -> None:
    """Claim a k that the file does not keep, everywhere."""
    content["spec"]["privacy"][0] = {"k-anonymity": 10}
    content["claims"][0] |= {"claim": "k-anonymity 10", "measured": "smallest class 10", "figure": 10}


def _reversed(content: dict[str, Any]) -> None:
    content["claims"] = content["claims"][::-1][:1] + content["claims"][1:-1] + content["claims"][:1]


TAMPERINGS: dict[str, Callable[[Path], None]] = {
    "one class of k - 1": _drop,
    "one class of k - 1, and the manifest fits": _and_then(_drop, _consistent),
    "a NULL class": _null,
    "a NULL class, and the manifest fits": _and_then(_null, _consistent),
    "a changed cell": _cell,
    "a dropped row, and its hash": _and_then(_drop, _hash_only),
    "a wrong hash": _told(lambda m: m["file"].update(sha256="0" * 64)),
    "a false k": _told(_stronger),
    "a false k in words": _told(lambda m: m["claims"][0].update(claim="k-anonymity 30")),
    "a false measured value": _told(lambda m: m["claims"][0].update(measured="smallest class 30")),
    "a false figure": _told(lambda m: m["claims"][0].update(figure=30)),
    "a false measured value of another claim": _told(
        lambda m: m["claims"][1].update(measured="fewest values 9")
    ),
    "a claim that does not hold": _told(lambda m: m["claims"][0].update(holds=False)),
    "a claim removed": _told(lambda m: m["claims"].pop(0)),
    "another claim removed": _told(lambda m: m["claims"].pop()),
    "all claims removed": _told(lambda m: m["claims"].clear()),
    "a claim added": _told(lambda m: m["claims"].append({**m["claims"][0], "claim": "k-anonymity 2"})),
    "class sizes": _told(lambda m: m["class_sizes"].update({"50": 1})),
    "a class size": _told(lambda m: m.update(class_sizes={"4": 3})),
    "the number of classes": _told(lambda m: m.update(classes=5)),
    "rows out": _told(lambda m: m["rows"].update(out=100)),
    "rows in": _told(lambda m: m["rows"].update({"in": 100})),
    "rows suppressed": _told(lambda m: m["rows"].update(suppressed=0)),
    "more rows suppressed than may be": _told(lambda m: m["spec"].update(suppression=0.01)),
}
"""What is done to a release, by name. After each the audit and the checker must say no."""
