"""Every kind of claim from the table to the file, from YAML and Python, checked by counting rows."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.audit import audit_release
from shoal.errors import AuditError, InputError
from shoal.write.table_formats import write_table

random = Random(4)
ROWS = 240
PEOPLE = {
    "age": [random.randrange(20, 60) for _ in range(ROWS)],
    "zip": [f"537{random.randrange(12):02d}" for _ in range(ROWS)],
    "disease": [random.choice(["flu", "cold", "gout", "ague", None]) for _ in range(ROWS)],
    "pay": [random.choice([1000, 2000, 3000]) for _ in range(ROWS)],
    "patient": [f"patient-{random.randrange(150)}" for _ in range(ROWS)],
}
TOWN = {
    "zip": [*PEOPLE["zip"], *(f"537{random.randrange(15):02d}" for _ in range(600))],
    "age": [*PEOPLE["age"], *(random.randrange(15, 70) for _ in range(600))],
    "house": list(range(ROWS + 600)),
}
QUASI_IDENTIFIERS = {"age": shoal.intervals(5, 10, 20), "zip": "prefix:5"}
TREE = "flu;lung;*\ncold;lung;*\ngout;other;*\nague;other;*\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "disease.csv").write_text(TREE, encoding="utf-8")
    write_table(pa.table(PEOPLE), tmp_path / "people.csv")
    write_table(pa.table(TOWN), tmp_path / "town.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spec_of(*models: Any, **changes: Any) -> shoal.Spec:
    settings = {
        "quasi_identifiers": QUASI_IDENTIFIERS,
        "sensitive": {"disease": "file:disease.csv", "pay": None},
        "identifiers": ["patient"],
        "privacy": models,
        "suppression": 0.1,
    }
    return shoal.Spec(**(settings | changes))


def classes_of(table: pa.Table, column: str) -> dict[Hashable, list[Any]]:
    classes = defaultdict(list)
    for *label, value in zip(*(table[name].to_pylist() for name in ("age", "zip", column)), strict=True):
        if label != ["*", "*"]:
            classes[tuple(label)].append(value)
    return classes


def distance(values: Sequence[Any], everybody: Sequence[Any]) -> float:
    own, whole = Counter(values), Counter(everybody)
    return sum(max(0.0, own[v] / len(values) - whole[v] / len(everybody)) for v in whole)


def in_town(release: shoal.Release) -> Counter[Hashable]:
    """Count the people of the town by the release's labels, found one by one."""

    def label(age: int, zip_code: str) -> Hashable:
        level, width = release.levels["age"], [1, 5, 10, 20, 0][release.levels["age"]]
        low = age // width * width if width else 0
        years = [age, *[f"[{low}, {low + width})"] * 3, "*"][level]
        kept = 5 - release.levels["zip"]
        return years, zip_code[:kept] + "*" * (5 - kept) if kept else "*"

    return Counter(map(label, TOWN["age"], TOWN["zip"]))


K = shoal.KAnonymity(3)
DIVERSE = shoal.LDiversity("disease", 3)
CLOSE = shoal.TCloseness("disease", 0.4)


def check_l(release: shoal.Release) -> bool:
    return all(len(set(values)) >= 3 for values in classes_of(release.table, "disease").values())


def check_t(release: shoal.Release) -> bool:
    classes = classes_of(release.table, "disease").values()
    return all(distance(values, PEOPLE["disease"]) <= 0.4 + 1e-9 for values in classes)


def check_presence(release: shoal.Release) -> bool:
    town = in_town(release)
    classes = classes_of(release.table, "disease")
    return all(len(values) <= 0.4 * town[label] for label, values in classes.items())


COMBINATIONS: dict[str, tuple[list[Any], list[Callable[[shoal.Release], bool]]]] = {
    "l": ([DIVERSE], [check_l]),
    "t": ([CLOSE], [check_t]),
    "k and l": ([K, DIVERSE], [check_l]),
    "k and t": ([K, CLOSE], [check_t]),
    "k and presence": ([K, shoal.DeltaPresence("town.csv", 0, 0.4)], [check_presence]),
    "k, l and t": ([K, DIVERSE, CLOSE], [check_l, check_t]),
}


@pytest.mark.parametrize("suppressed", ["remove", "star"])
@pytest.mark.parametrize("models", COMBINATIONS)
def test_combinations(models: str, suppressed: str, folder: Path) -> None:
    asked, checks = COMBINATIONS[models]
    release = shoal.anonymize(pa.table(PEOPLE), spec_of(*asked, suppressed=suppressed))
    classes = classes_of(release.table, "pay").values()
    assert sum(map(len, classes)) == ROWS - release.suppressed_rows
    assert release.table.num_rows == (ROWS if suppressed == "star" else ROWS - release.suppressed_rows)
    assert release.suppressed_rows <= ROWS * 0.1
    assert release.optimal
    for check in checks:
        assert check(release)
    if K in asked:
        assert min(map(len, classes)) >= 3
    assert [finding.claim for finding in release.audit.findings[: len(asked)]] == [
        m.describe() for m in asked
    ]


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
@pytest.mark.parametrize("source", ["people.csv", "frame"])
def test_all_claims_are_checked_in_the_file(source: str, suffix: str, folder: Path) -> None:
    spec = spec_of(
        K,
        DIVERSE,
        shoal.LDiversity("disease", 2, "entropy"),
        shoal.TCloseness("disease", 0.5, "hierarchical"),
        shoal.TCloseness("pay", 0.5, "ordered"),
        shoal.BetaLikeness("pay", 3),
        shoal.KMap(5, "town.csv"),
        shoal.DeltaPresence("town.csv", 0, 0.6),
        shoal.Risk(maximal=0.4),
        shoal.AlphaK("pay", 0.9, 2),
    )
    release = shoal.anonymize("people.csv" if source == "people.csv" else pa.table(PEOPLE), spec)
    release.write(folder / f"release.{suffix}")
    manifest = json.loads((folder / f"release.{suffix}.manifest.json").read_text(encoding="utf-8"))
    claims = manifest["claims"]
    assert [claim["claim"] for claim in claims[:10]] == [model.describe() for model in spec.privacy]
    assert all(claim["holds"] and claim["checkable"] for claim in claims)
    compared = ("closeness", "likeness")  # with the original, whose rows are not all in the release
    for claim, finding in zip(claims, release.audit.findings, strict=True):
        withheld = any(word in claim["claim"] for word in compared)
        assert withheld == (claim["measured"] != finding.measured) == ("withheld" in claim["measured"])


def test_the_queries_of_the_manifest_run_with_the_tables_they_name(folder: Path) -> None:
    models = [K, DIVERSE, CLOSE, shoal.KMap(5, "town.csv"), shoal.TCloseness("disease", 0.5, "hierarchical")]
    release = shoal.anonymize("people.csv", spec_of(*models).adjust(levels={"age": 4, "zip": 4}))
    release.write("release.csv")
    claims = json.loads(Path("release.csv.manifest.json").read_text(encoding="utf-8"))["claims"]
    with duckdb.connect() as connection:
        connection.execute("CREATE VIEW original AS SELECT * FROM read_csv('people.csv', all_varchar = true)")
        connection.execute(
            "CREATE VIEW population AS SELECT '*' AS age, left(zip, 1) || '****' AS zip "
            "FROM read_csv('town.csv', all_varchar = true)"
        )
        connection.execute(
            "CREATE VIEW taxonomy AS SELECT * FROM read_csv('disease.csv', header = false, delim = ';', "
            "names = ['level_0', 'level_1', 'level_2']) UNION ALL SELECT NULL, NULL, '*'"
        )
        for claim in claims[: len(models)]:
            assert connection.execute(claim["sql"]).fetchall()[0][0] == 0, claim["claim"]


def test_the_manifest_tells_nothing_more(folder: Path) -> None:
    (folder / "far away").mkdir()
    (folder / "town.csv").rename(folder / "far away" / "town.csv")
    people = {**PEOPLE, "disease": [*PEOPLE["disease"][:-1], "secret"], "age": [*PEOPLE["age"][:-1], 97]}
    (folder / "disease.csv").write_text(TREE + "secret;hidden;*\n", encoding="utf-8")
    town = {name: [*values, values[0]] for name, values in TOWN.items()}
    town["age"][-1], town["zip"][-1] = 97, PEOPLE["zip"][-1]
    write_table(pa.table(town), folder / "far away" / "town.csv")
    models = [
        K,
        shoal.TCloseness("disease", 0.5, "hierarchical"),
        shoal.TCloseness("disease", 0.5, "ordered"),
        shoal.LDiversity("disease", 2, "recursive", 8),
        shoal.DeltaPresence("far away/town.csv", 0, 0.6),
    ]
    release = shoal.anonymize(pa.table(people), spec_of(*models, unit="patient"), seed=1)
    assert release.suppressed_rows
    release.write("release.csv")
    text = Path("release.csv.manifest.json").read_text(encoding="utf-8")
    for secret in ("secret", "hidden", "lung", r"\b97\b", "far away", re.escape(str(folder)), "patient-"):
        assert not re.search(secret, text)
    assert '"population": "town.csv"' in text
    assert "FROM original" in text
    assert "secret" not in Path("release.csv").read_text(encoding="utf-8")
    for shown in (release.summary(), repr(release), json.dumps(release.to_mapping())):
        assert "secret" not in shown


YAML = """
columns:
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10, 20]}}
  zip: {role: quasi-identifier, hierarchy: {prefix: 5}}
  disease: {role: sensitive, hierarchy: {file: disease.csv}}
  pay: {role: sensitive}
unit: patient
privacy:
  - k-anonymity: 3
  - l-diversity: {column: disease, l: 3}
  - t-closeness: {column: disease, t: 0.4, distance: hierarchical}
  - delta-presence: {population: town.csv, lower: 0, upper: 0.6}
suppression: 0.1
quality: {classification: {target: pay}}
"""


def test_yaml_and_python_say_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "spec.yaml").write_text(YAML, encoding="utf-8")
    by_hand = spec_of(
        K,
        DIVERSE,
        shoal.TCloseness("disease", 0.4, "hierarchical"),
        shoal.DeltaPresence(pd.DataFrame(TOWN), 0, 0.6),
        unit="patient",
        identifiers=[],
        quality=shoal.Classification("pay"),
    )
    written = shoal.anonymize("people.csv", by_hand, seed=2)
    monkeypatch.chdir("/")
    release = shoal.anonymize(folder / "people.csv", folder / "spec.yaml", seed=2)
    assert release.levels == written.levels
    assert release.score == written.score
    assert release.table.equals(written.table)
    assert "patient" not in release.table.column_names


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "polars", "lazy polars", "arrow"])
def test_populations_of_every_kind(kind: str, folder: Path) -> None:
    town: Any
    if kind == "csv":
        town = "town.csv"
    elif kind == "parquet":
        pq.write_table(pa.table(TOWN), town := folder / "town.parquet")
    else:
        makers: dict[str, Any] = {
            "pandas": pd.DataFrame,
            "polars": pl.DataFrame,
            "lazy polars": pl.LazyFrame,
            "arrow": pa.table,
        }
        town = makers[kind](TOWN)
    release = shoal.anonymize(pa.table(PEOPLE), spec_of(shoal.KMap(6, town)), seed=1)
    least = in_town(release)
    assert min(least[label] for label in classes_of(release.table, "pay")) >= 6
    assert release.levels == shoal.anonymize(pa.table(PEOPLE), spec_of(shoal.KMap(6, "town.csv"))).levels
    release.write("release.csv")


def test_null_counts_as_a_value(folder: Path) -> None:
    people = pa.table({"age": [31, 32, 33, 34], "disease": ["flu", None, None, "flu"]})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=["disease"],
        privacy=[shoal.LDiversity("disease", 2)],
    )
    release = shoal.anonymize(people, spec)
    assert release.levels == {"age": 1}
    assert release.audit.findings[0].measured == "fewest values 2"
    release.write("release.csv")
    forbidding = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive={"disease": shoal.Sensitive(null="forbid")},
        privacy=[shoal.KAnonymity(2)],
    )
    with pytest.raises(InputError, match="Column 'disease': NULL in 2 of 4 rows"):
        shoal.anonymize(people, forbidding)
    fine = people.set_column(1, "disease", [["flu", "gout", "flu", "flu"]])
    assert "forbidden in disease" in shoal.anonymize(fine, forbidding).summary()


VISITS = pa.table(
    {
        "age": [31] * 6 + [52, 53, 54, 55],
        "disease": ["flu", "gout"] * 5,
        "patient": ["a", "a", "a", "a", "a", "b", "c", "d", "e", "f"],
    }
)


@pytest.mark.parametrize("role", ["identifiers", "insensitive", None])
def test_people_not_rows(role: str | None, folder: Path) -> None:
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10, 50)},
        sensitive=["disease"],
        unit="patient",
        privacy=[shoal.KAnonymity(3)],
        **({role: ["patient"]} if role else {}),
    )
    release = shoal.anonymize(VISITS, spec)
    # Six rows at 31 are two people: only together with the others are they three.
    assert release.levels["age"] == 3
    assert ("patient" in release.table.column_names) is (role == "insensitive")
    assert release.audit.findings[0].measured == "smallest class 6, counted by 'patient'"
    assert "counted by 'patient'" in release.summary()
    assert ("it has no role, so it is not released" in release.summary()) is (role is None)
    release.write("release.csv")
    claim = json.loads(Path("release.csv.manifest.json").read_text(encoding="utf-8"))["claims"][0]
    assert claim["holds"]
    assert claim["checkable"] is (role == "insensitive")
    assert claim["measured"].endswith("'patient'" if role == "insensitive" else "before it was removed")
    assert audit_release("release.csv", spec).holds is (role == "insensitive")


def test_a_unit_that_is_a_quasi_identifier(folder: Path) -> None:
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10), "patient": "suppress"},
        sensitive=["disease"],
        unit="patient",
        privacy=[shoal.KAnonymity(2)],
    )
    release = shoal.anonymize(VISITS, spec)
    assert release.levels == {"age": 1, "patient": 1}
    release.write("release.csv")
    claim = json.loads(Path("release.csv.manifest.json").read_text(encoding="utf-8"))["claims"][0]
    assert claim["measured"] == "smallest class 2, counted by 'patient' before it was generalized"


def test_nothing_is_suppressed_where_a_missing_class_tells(folder: Path) -> None:
    town = pa.table({"age": [20] * 10 + [31] * 20 + [52] * 20})
    people = pa.table({"age": [31] * 4 + [52] * 4, "sex": list("FFMMFFMM")})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10, 50)},
        insensitive=["sex"],
        privacy=[shoal.DeltaPresence(town, 0.1, 0.5)],
        suppression=1.0,
        suppressed="star",
    )
    release = shoal.anonymize(people, spec)
    # Of the ten at 20 nobody is in the table: only together with those at 31 are they between the bounds.
    assert (release.levels["age"], release.suppressed_rows) == (2, 0)
    assert "No row was suppressed" in release.summary()


def test_how_text_is_ordered_is_said(folder: Path) -> None:
    said = "ordered alphabetically"
    spec = spec_of(shoal.TCloseness("disease", 0.9, "ordered"), shoal.TCloseness("pay", 0.9, "ordered"))
    notes = [note for note in shoal.anonymize(pa.table(PEOPLE), spec).notes if said in note]
    assert len(notes) == 1
    assert "'disease'" in notes[0]


def test_a_release_that_breaks_its_claim_is_not_written(folder: Path) -> None:
    for models, spoiled in (
        ([DIVERSE], "disease"),
        ([CLOSE], "disease"),
        ([shoal.DeltaPresence("town.csv", 0, 0.4)], "age"),
    ):
        release = shoal.anonymize(pa.table(PEOPLE), spec_of(*models))
        place = release.table.column_names.index(spoiled)
        same = pa.array([release.table[spoiled][0].as_py()] * release.table.num_rows)
        object.__setattr__(release.released, "released", release.table.set_column(place, spoiled, same))
        with pytest.raises(AuditError, match="does not satisfy its claim"):
            release.write("release.csv")
        assert not Path("release.csv").exists()


def test_releases_of_other_nodes(folder: Path) -> None:
    release = shoal.anonymize(pa.table(PEOPLE), spec_of(K, CLOSE, unit="patient"), all_nodes=True)
    assert release.satisfying_nodes is not None
    last = release.satisfying_nodes.release(-1)
    assert last.levels != release.levels
    assert "counted by 'patient'" in last.audit.findings[1].measured
    last.write("last.csv")


def test_what_is_wrong_with_populations_comes_at_once(folder: Path) -> None:
    (folder / "narrow.csv").write_text("age,zipp\n31,53715\n", encoding="utf-8")
    (folder / "empty.csv").write_text("age,zip\n", encoding="utf-8")
    models = [shoal.KMap(2, "twn.csv"), shoal.KMap(2, "narrow.csv"), shoal.KMap(2, iter([1]))]
    spec = spec_of(*models, unit="patnt", identifiers=[])
    with pytest.raises(InputError) as caught:
        shoal.anonymize(pa.table(PEOPLE), spec)
    found = [problem.message for problem in caught.value.problems]
    assert [message.partition("\n")[0] for message in found] == [
        "Column 'patnt' is not in the table.",
        "The spec has no role for 1 column of the table.",
        "Population 'twn.csv': File 'twn.csv' does not exist.",
        "Column 'zip', a quasi-identifier, is not in the population 'narrow.csv'.",
        "Population 'a table given in Python': Data of type 'builtins list_iterator' cannot be read.",
    ]
    assert "Did you mean 'patient'?" in found[0]
    assert "Did you mean 'town.csv'?" in found[2]
    assert "Did you mean 'zipp'?" in found[3]
    with pytest.raises(InputError, match=r"The population 'empty.csv' has no rows\."):
        shoal.anonymize(pa.table(PEOPLE), spec_of(shoal.KMap(2, "empty.csv")))


def test_what_is_wrong_with_the_data_comes_at_once(folder: Path) -> None:
    (folder / "disease.csv").write_text("flu;*\n", encoding="utf-8")
    people = {**PEOPLE, "patient": [None, *PEOPLE["patient"][1:]]}
    spec = spec_of(
        shoal.TCloseness("disease", 0.2, "hierarchical"), shoal.LDiversity("pay", 7), unit="patient"
    )
    with pytest.raises(InputError) as caught:
        shoal.anonymize(pa.table(people), spec)
    found = [problem.message.partition("\n")[0] for problem in caught.value.problems]
    assert found == [
        "Column 'disease': the hierarchy 'disease.csv' lacks 3 values that the table has.",
        "Column 'patient', the unit, is NULL in 1 of 240 rows.",
        "distinct 7-diversity of pay: l is above the number of different values.",
    ]


def test_the_command_line(folder: Path, shoal: Any) -> None:
    models = (
        "--privacy", "l-diversity: {column: disease, l: 3}",
        "--privacy", "t-closeness: {column: pay, t: 0.4}",
    )  # fmt: skip
    columns = (
        "--qi", "age=intervals:5,10,20", "--qi", "zip=prefix:5", "--sensitive", "disease=file:disease.csv",
        "--sensitive", "pay",
    )  # fmt: skip
    ran = shoal("anonymize", "people.csv", *models, *columns, "--unit", "patient", "-o", "out.csv", "--json")
    assert (ran.code, ran.err) == (0, "")
    claims = json.loads(ran.out)["claims"]
    assert claims[0]["claim"] == "distinct 3-diversity of disease"
    assert claims[1]["measured"].endswith("counted by 'patient'")
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        assert csv.DictReader(file).fieldnames == ["age", "zip", "disease", "pay"]


def test_auditing_by_hand(folder: Path, shoal: Any) -> None:
    text = YAML.replace("unit: patient\n", "").replace("  pay:", "  patient: {role: identifier}\n  pay:")
    (folder / "spec.yaml").write_text(text, encoding="utf-8")
    assert shoal("anonymize", "people.csv", "--spec", "spec.yaml", "-o", "out.csv").code == 0
    audit = ("audit", "out.csv", "--spec", "spec.yaml")
    fine = shoal(*audit, "--original", "people.csv")
    assert fine.code == 0, fine.err
    assert "0.4-closeness of disease, hierarchical" in fine.out

    ran = shoal(*audit)
    assert ran.code == 2
    assert "--original FILE" in ran.err
    (folder / "out.csv.manifest.json").rename("manifest.json")
    (folder / "town.csv").rename("moved.csv")
    ran = shoal(*audit)
    assert ran.code == 2
    for part in ("--original FILE", "--population FILE", "--manifest FILE"):
        assert part in ran.err
    moved = (*audit, "--original", "people.csv", "--population", "moved.csv", "--manifest", "manifest.json")
    assert shoal(*moved).code == 0
    assert shoal(*moved, "--population", "other.csv").code == 2
    ran = shoal(*audit, "--original", "people.csv", "--population", "moved.csv", "--manifest", "spec.yaml")
    assert (ran.code, "is not the manifest of a release" in ran.err) == (2, True)

    rows = Path("out.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("out.csv").write_text("".join([rows[0], *[rows[1]] * 500, *rows[1:]]), encoding="utf-8")
    ran = shoal(*moved, "--json")
    assert ran.code == 4
    failing = [claim["claim"] for claim in json.loads(ran.out)["claims"] if not claim["holds"]]
    assert failing[:2] == ["0.4-closeness of disease, hierarchical", "delta-presence 0 to 0.6 in town.csv"]
    assert failing[2:] == [
        *(
            f"{what} as in the manifest"
            for what in ("SHA-256", "rows", "class sizes", "claims", "unique rows")
        ),
        "original table",
    ]


def test_auditing_what_counts_people_by_hand(folder: Path, shoal: Any) -> None:
    (folder / "spec.yaml").write_text(YAML, encoding="utf-8")
    assert shoal("anonymize", "people.csv", "--spec", "spec.yaml", "-o", "out.csv").code == 0
    ran = shoal("audit", "out.csv", "--spec", "spec.yaml", "--original", "people.csv", "--strict")
    assert ran.code == 4
    assert (
        "NOT CHECKABLE by a recipient, it counts people by 'patient', which is not in the release; by the"
        in ran.out
    )
    assert "distinct 3-diversity of disease         NOT CHECKABLE by a recipient" in ran.out


def test_the_output_must_not_replace_what_is_read(folder: Path, shoal: Any) -> None:
    (folder / "spec.yaml").write_text(YAML, encoding="utf-8")
    for name in ("town.csv", "disease.csv"):
        ran = shoal("anonymize", "people.csv", "--spec", "spec.yaml", "-o", name)
        assert (ran.code, "which is in use" in ran.err) == (2, True)


def test_a_label_that_looks_like_suppressed_rows_is_judged_with_them(tmp_path: Path) -> None:
    """Some values have the label `*`, as starred rows have: whoever reads the release sees one class."""
    labels = tmp_path / "labels.csv"
    labels.write_text("a;*\nb;B\nc;B\nd;D\n", encoding="utf-8")
    column = shoal.QuasiIdentifier(hierarchy=shoal.hierarchy_file(labels), min_level=1)
    spec = shoal.Spec(
        quasi_identifiers={"q": column},
        sensitive=["s"],
        privacy=[shoal.AlphaK("s", 0.5, 2)],
        suppression=0.5,
        suppressed="star",
    )
    people = pa.table({"q": list("aabbccd"), "s": list("xyxyxyx")})
    # Row d fails, and would fail with the rows of a too: only with all others does it pass.
    with pytest.raises(shoal.InfeasibleError, match="At the best levels 1 row would be starred"):
        shoal.anonymize(people, spec)


def test_two_populations_of_the_same_name() -> None:
    people = pa.table({"q": list("aabb")})
    one, two = pa.table({"q": list("aaabbb")}), pa.table({"q": list("aabbbb")})
    spec = shoal.Spec(quasi_identifiers={"q": "suppress"}, privacy=[shoal.KMap(3, one), shoal.KMap(2, two)])
    assert shoal.anonymize(people, spec).levels == {"q": 0}
