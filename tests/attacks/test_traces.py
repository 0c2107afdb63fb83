"""Traces of suppressed rows: the attacker has all that is handed on (release, manifest, checker) and knows
every row but the suppressed ones. Two tables that differ in their suppressed rows alone must give the same
bytes, so that there is nothing to solve for. (The score by entropy gave an exact age, and the figure of
t-closeness the disease.)
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import shoal

AGES = [31, 32, 33, 34, 51, 52, 53, 54]
DISEASES = ["flu", "HIV", "flu", "cold", "flu", "cold", "HIV", "flu"]


def handed_on(path: Path, ages: list[Any], diseases: list[str], hierarchy: Any, quality: str) -> list[bytes]:
    """Return the bytes of every file, of a release in which the last row is suppressed."""
    spec = shoal.Spec(
        quasi_identifiers={"age": hierarchy},
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(4), shoal.TCloseness("disease", 0.9)],
        suppression=0.2,
        quality=quality,
    )
    table = pa.table({"age": [*AGES, *ages], "disease": [*DISEASES, *diseases]})
    release = shoal.anonymize(table, spec.adjust(levels={"age": 1}), keep_order=True)
    assert release.suppressed_rows == 1
    release.write(path / "release.csv")
    return [file.read_bytes() for file in sorted(path.iterdir())]


@given(st.integers(70, 99), st.sampled_from(["flu", "HIV", "plague"]))
@settings(max_examples=4, deadline=None)
@pytest.mark.parametrize("quality", ["loss", "entropy"])
@pytest.mark.parametrize("hierarchy", [shoal.intervals(20, 40), shoal.rounding(20, 40), shoal.prefix(2)])
def test_a_suppressed_row_leaves_no_byte(
    tmp_path_factory: pytest.TempPathFactory, hierarchy: Any, quality: str, age: int, disease: str
) -> None:
    one = handed_on(tmp_path_factory.mktemp("one"), [75], ["flu"], hierarchy, quality)
    two = handed_on(tmp_path_factory.mktemp("two"), [age], [disease], hierarchy, quality)
    assert one == two


@pytest.mark.parametrize("engine", ["memory", pytest.param("duckdb", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("kind", "ordinary", "telling"),
    [
        ("decimal", "1.5", "3.12345"),
        ("decimal", "7", "1000000.5"),
        ("timestamp", "2026-01-31 12:30:00", "2026-01-31 12:30:00.123456"),
        ("timestamp", "2026-01-31 12:30:00", "2026-01-31 12:30:00.123456789"),
        ("integer", "7", "18446744073709551615"),
    ],
)
@pytest.mark.parametrize(
    "role", ["sensitive", pytest.param("insensitive", marks=pytest.mark.slow), "quasi-identifier"]
)
def test_no_number_is_written_with_the_places_of_a_suppressed_one(
    tmp_path: Path, kind: str, ordinary: str, telling: str, role: str, engine: str
) -> None:
    """The type of a column of a CSV file is found out from all rows; what is written is not."""
    columns = {
        "town": {"role": "quasi-identifier", "max-level": 0},
        "cost": {"role": role, "type": kind} | ({"max-level": 0} if role == "quasi-identifier" else {}),
    }
    spec = shoal.Spec.from_mapping(
        {"columns": columns, "privacy": [{"k-anonymity": 4}], "suppression": 0.2, "suppressed": "remove"}
    )
    found = []
    for last in (ordinary, telling):
        (tmp_path / "costs.csv").write_text(
            "town,cost\n" + f"Ulm,{ordinary}\n" * 8 + f"Bonn,{last}\n", encoding="utf-8"
        )
        for output in ("release.csv", "release.parquet"):
            path = tmp_path / str(len(found)) / output
            path.parent.mkdir(exist_ok=True)
            shoal.anonymize(tmp_path / "costs.csv", spec, engine=engine).write(path)
            found.append([file.read_bytes() for file in sorted(path.parent.iterdir())])
    assert found[0] == found[2]
    assert found[1] == found[3]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("kind", "ordinary", "telling"),
    [
        ("decimal", "1.5", "3.12345"),
        ("decimal", "7", "1000000.5"),
        ("timestamp", "2026-01-31 12:30:00", "2026-01-31 12:30:00.123456"),
    ],
)
@pytest.mark.parametrize("others", [True, False])
def test_nor_with_those_of_a_starred_one(
    tmp_path: Path, kind: str, ordinary: str, telling: str, others: bool, engine: str
) -> None:
    """Where rows are starred, quasi-identifiers are text; its length must not come from the starred ones."""
    columns = {
        "town": {"role": "quasi-identifier", "max-level": 0},
        "cost": {"role": "quasi-identifier", "type": kind, "max-level": 0},
    } | ({"disease": {"role": "sensitive"}} if others else {})
    spec = shoal.Spec.from_mapping(
        {"columns": columns, "privacy": [{"k-anonymity": 2}], "suppression": 0.3, "suppressed": "star"}
    )
    end = ",flu\n" if others else "\n"
    found = []
    for last in (ordinary, telling):
        (tmp_path / "costs.csv").write_text(
            ",".join(columns) + "\n" + f"Ulm,{ordinary}{end}" * 16 + f"Bonn,{last}{end}Rome,{ordinary}{end}",
            encoding="utf-8",
        )
        release = shoal.anonymize(tmp_path / "costs.csv", spec, engine=engine)
        assert release.suppressed_rows == 2
        release.write(tmp_path / "release.csv")
        rows = (tmp_path / "release.csv").read_text(encoding="utf-8").splitlines()
        found.append((sorted(rows), [choice.labels for choice in release.choices()]))
    assert found[0] == found[1]


CODES = ["5371", "5372", "5373", "5374", "6371", "6372", "6373", "6374"]
DAYS = [f"2026-0{month}-1{day}" for month in (1, 5) for day in range(4)]
SIZES = ["12.5", "12.25", "13", "12", "74", "75.5", "73", "70.5"]


@pytest.mark.parametrize(
    ("engine", "hierarchy", "values", "ordinary", "longer"),
    [
        ("memory", shoal.prefix(), CODES, "9999", "99991234567"),
        ("duckdb", shoal.prefix(), CODES, "9999", "999912"),
        ("memory", shoal.mask(3, 1), CODES, "9999", "99991234567"),
        ("memory", shoal.mask(1, side="last", character="#"), ["51", "61"] * 4, "79", "7777779"),
        ("memory", shoal.rounding(), SIZES, "550", "55123.125"),
        ("memory", shoal.rounding(direction="down"), [s.replace("7", "2") for s in SIZES], "550", "-1.0625"),
        ("memory", shoal.dates(), DAYS, "2031-01-01", "2031-01-01T12:30"),
        ("memory", shoal.chain(shoal.prefix(), shoal.suppress()), CODES, "9999", "99991234567"),
    ],
)
def test_how_long_a_suppressed_value_was_is_not_told(
    tmp_path: Path, engine: str, hierarchy: Any, values: list[str], ordinary: str, longer: str
) -> None:
    """Levels and stars follow from the longest value; what is handed on does not, for the same labels."""
    spec = shoal.Spec(
        quasi_identifiers={"code": hierarchy},
        privacy=[shoal.KAnonymity(2)],
        suppression=0.2,
    )
    found: dict[str, dict[frozenset[str], list[object]]] = {}
    for last in (ordinary, longer):
        path = tmp_path / f"{last[:5].strip('-')}{len(last)}"
        path.mkdir()
        parquet.write_table(pa.table({"code": [*values, last]}), path / "in.parquet")
        found[last] = {}
        height = shoal.anonymize(path / "in.parquet", spec).heights["code"]
        for level in range(height + 1):
            at = spec.adjust(levels={"code": level})
            try:
                release = shoal.anonymize(path / "in.parquet", at, engine=engine)
            except shoal.InfeasibleError:
                continue
            if release.suppressed_rows != 1:
                continue
            out = path / str(level) / "release.csv"
            out.parent.mkdir()
            release.write(out)
            manifest = json.loads(Path(f"{out}.manifest.json").read_text(encoding="utf-8"))
            lines = frozenset(out.read_text(encoding="utf-8").splitlines())
            told = [manifest["recoding"], manifest["spec"]["columns"]["code"]["hierarchy"]]
            found[last][lines] = told
    alike = found[ordinary].keys() & found[longer].keys()
    assert alike
    for lines in alike:
        assert found[ordinary][lines] == found[longer][lines]


def test_a_suppressed_null_is_not_in_the_schema_of_a_file(tmp_path: Path) -> None:
    """DuckDB says of a column of a Parquet file whether it may be NULL."""
    spec = shoal.Spec(
        quasi_identifiers={"town": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)},
        sensitive=["cost"],
        privacy=[shoal.KAnonymity(4)],
        suppression=0.2,
    )
    schemas = []
    for town, cost in (("Bonn", 7), (None, 7), ("Bonn", None)):
        table = pa.table({"town": ["Ulm"] * 8 + [town], "cost": [*range(4), *range(4), cost]})
        parquet.write_table(table, tmp_path / "in.parquet")
        out = tmp_path / "release.parquet"
        shoal.anonymize(tmp_path / "in.parquet", spec, engine="duckdb", output=out)
        schemas.append(parquet.read_schema(out))
    assert schemas[0].equals(schemas[1]) and schemas[0].equals(schemas[2])


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_no_query_tells_which_labels_suppressed_rows_had(tmp_path: Path, engine: str) -> None:
    """Who a row is about is not released, so the claims were measured on rows that only the publisher has."""
    spec = shoal.Spec(
        quasi_identifiers={"sex": "suppress", "age": shoal.intervals(10)},
        identifiers=["patient"],
        unit="patient",
        privacy=[shoal.KAnonymity(4)],
        suppression=0.2,
    )
    claims = []
    for sex in ("F", "M"):
        people = pa.table(
            {
                "patient": [f"p{number}" for number in range(9)],
                "sex": ["F"] * 8 + [sex],
                "age": [31] * 4 + [41] * 4 + [71],
            }
        )
        (tmp_path / sex).mkdir()
        parquet.write_table(people, tmp_path / sex / "people.parquet")
        release = shoal.anonymize(
            tmp_path / sex / "people.parquet", spec.adjust(levels={"sex": 0, "age": 1}), engine=engine
        )
        release.write(tmp_path / sex / "release.csv")
        manifest = json.loads((tmp_path / sex / "release.csv.manifest.json").read_text(encoding="utf-8"))
        claims.append(manifest["claims"])
    assert claims[0] == claims[1]
    assert all("shoal_" not in claim["sql"] for claim in claims[0])
    assert claims[0][0]["measured"].count("before it was removed") == 1


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    "recoding",
    [
        {"subtree": {"labels": "ranges"}},
        {"subtree": {"labels": "sets"}},
        "subtree",
        "ordered-set",
        {"ordered-set": {"labels": "sets"}},
        "starred",
        {"cells": {"labels": "sets"}},
        {"mondrian": {"labels": "ranges"}},
        "partition",
        {"partition": {"labels": "sets", "divide": "curve"}},
        {"partition": {"labels": {"age": "mode"}}},
        {"mondrian": {"labels": {"age": "mean"}}},
        {"cells": {"labels": {"age": "median"}}},
    ],
    ids=str,
)
def test_no_label_shows_the_value_of_a_suppressed_row(tmp_path: Path, recoding: Any, engine: str) -> None:
    """Labels are made of values. The one man is suppressed, at any age; the women's labels are the same."""
    spec = shoal.Spec(
        quasi_identifiers={
            "age": shoal.intervals(10, 20, 40),
            "sex": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0),
        },
        privacy=[shoal.KAnonymity(2)],
        suppression=0.12,
        recoding=recoding,
    )
    found = []
    for age in (44, 46, 49):
        ages = [40, 41, 42, 43, 50, 51, 52, 53, age]
        people = pa.table({"age": [f"{age}.5" for age in ages], "sex": ["F"] * 8 + ["M"]})
        path = tmp_path / f"{age}.parquet"
        parquet.write_table(people, path)
        release = shoal.anonymize(path, spec, engine=engine)
        assert release.suppressed_rows == 1
        found.append(sorted(map(str, release.table.to_pylist())))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    "recoding",
    ["ordered-set", {"cells": {"labels": "ranges"}}, {"mondrian": {"labels": {"cost": "mean"}}}],
    ids=str,
)
def test_no_label_has_the_places_of_a_suppressed_number(tmp_path: Path, recoding: Any) -> None:
    spec = {
        "columns": {
            "cost": {"role": "quasi-identifier", "type": "decimal", "hierarchy": {"intervals": [10, 20]}},
            "town": {"role": "quasi-identifier", "max-level": 0},
        },
        "privacy": [{"k-anonymity": 2}],
        "suppression": 0.2,
        "recoding": recoding,
    }
    found = []
    for last in ("99.5", "99.12345"):
        path = tmp_path / f"{last}.csv"
        rows = "".join(f"{cost},Ulm\n" for cost in ("1.5", "2.5", "11.5", "12.5", "1.5", "12.5"))
        path.write_text(f"cost,town\n{rows}{last},Bonn\n", encoding="utf-8")
        release = shoal.anonymize(path, shoal.Spec.from_mapping(spec))
        assert release.suppressed_rows == 1
        found.append(sorted(release.table["cost"].to_pylist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("hierarchy", ["prefix", "round", "dates", ["prefix", "suppress"]], ids=str)
def test_no_query_shows_how_long_a_suppressed_sensitive_value_was(hierarchy: Any) -> None:
    """The query of hierarchical t-closeness names each level, as many as the longest value of all needs."""
    columns = {"town": {"role": "quasi-identifier"}, "code": {"role": "sensitive", "hierarchy": hierarchy}}
    closeness = {"column": "code", "t": 0.9, "distance": "hierarchical"}
    spec = {"columns": columns, "privacy": [{"k-anonymity": 4}, {"t-closeness": closeness}]}
    with pytest.raises(shoal.InputError, match="must not depend on the longest of its values"):
        shoal.Spec.from_mapping(spec)
    columns["code"]["hierarchy"] = [{"prefix": 5}, "suppress"]
    shoal.Spec.from_mapping(spec)


@pytest.mark.parametrize(
    "recoding",
    [
        {"cells": {"labels": "sets"}},
        {"mondrian": {"labels": "ranges"}},
        {"cells": {"labels": {"age": "mode"}}},
        "ordered-set",
    ],
    ids=str,
)
def test_no_label_tells_that_a_suppressed_text_was_no_number(recoding: Any) -> None:
    """Texts sort as numbers if all are numbers; whether the suppressed one was, labels do not tell."""
    spec = shoal.Spec(
        quasi_identifiers={
            "age": shoal.chain(shoal.mask(1), shoal.suppress()),
            "sex": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0),
        },
        privacy=[shoal.KAnonymity(8)],
        suppression=0.2,
        recoding=recoding,
    )
    found = []
    for last in ("20", "unknown", "020"):
        people = pa.table({"age": ["9", "10", "100", "11"] * 2 + [last], "sex": ["F"] * 8 + ["M"]})
        release = shoal.anonymize(people, spec)
        assert release.suppressed_rows == 1
        found.append(set(release.table["age"].to_pylist()))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("suppressed", ["remove", "star"])
@pytest.mark.parametrize("table", ["visits", "(SELECT * FROM visits)"])
def test_no_label_of_a_suppressed_row_stays_in_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, suppressed: Any
) -> None:
    """The publisher drops the original table, and hands the file on: it has types beside its tables."""
    monkeypatch.chdir(tmp_path)  # the manifest of a table is written where one works
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE TABLE visits AS SELECT CASE WHEN i = 7 THEN 'Atlantis' WHEN i = 8 THEN 'Utopia' "
            "ELSE 'Bath' END AS town FROM range(100) AS rows (i)"
        )
    spec = shoal.Spec(
        quasi_identifiers={"town": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), max_level=0)},
        privacy=[shoal.KAnonymity(2)],
        suppression=0.1,
        suppressed=suppressed,
    )
    release = shoal.anonymize(path, spec, table=table, output_table="released")
    assert release.suppressed_rows == 2
    del release
    with duckdb.connect(path) as connection:
        towns = connection.execute("SELECT DISTINCT town FROM released ORDER BY 1").fetchall()
        assert towns == ([("Bath",)] if suppressed == "remove" else [("*",), ("Bath",)])
        assert connection.execute("SELECT type_name FROM duckdb_types() WHERE NOT internal").fetchall() == []
    if suppressed == "remove":
        release = shoal.anonymize(path, spec, table=table)  # which opens the file for reading alone
        assert release.table["town"].to_pylist() == ["Bath"] * 98
