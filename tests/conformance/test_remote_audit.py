"""An audit finds the same wherever the release is: in DuckDB of its own, in PostgreSQL, in Spark.

Adding a model to the registry adds it here. Tables are drawn with NULLs, and with quotes, backslashes and
letters of all kinds in labels and names.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal import registry
from shoal.audit import Audit, audit_relation, audit_release
from shoal.audit.reference import claims, original_columns
from shoal.audit.remote import database_relation
from shoal.describe import intervals, taxonomy
from shoal.describe.roles import Sensitive
from shoal.privacy.model import PrivacyModel
from shoal.read.types import Date
from shoal.spec.spec import Spec
from shoal.sql.connection import SqlDatabase
from tests.postgres_server import Server

AGE, PLACE = 'of"age', "se`lect.naïve 'x'"
LABELS = ("*", "[20, 30)", "O'Neill", 'a "b" c', "\\N", "日本", "", None)
DISEASES = ("flu", "it's", 'the "cold"', "Ärger\\", "zebra", "äh", "Zoster", None)
SALARIES = (10.0, 9.5, 1000.0, 9.0, None)
ORDER = (None, "zebra", "äh", "it's", "Ärger\\", "flu", 'the "cold"', "Zoster", "none")
TAXONOMY = {"all": {"light": ["flu", "it's", 'the "cold"'], "heavy": ["Ärger\\", "zebra", "äh", "Zoster"]}}


@dataclass(frozen=True)
class Drawn:
    """A release that was drawn, with what it is compared with."""

    spec: Spec
    release: pa.Table
    original: pa.Table | None
    populations: Mapping[str, pa.Table]

    @property
    def levels(self) -> dict[str, int]:
        return dict.fromkeys(self.spec.quasi_identifiers, 0)


def every_example() -> list[PrivacyModel]:
    models: list[PrivacyModel] = []
    for name in registry.names("models"):
        kind = registry.resolve("models", name)
        models += [kind.from_spec(example) for example in kind.examples]
    return [model for model in models if model.distribution is None]


def declared_models() -> list[PrivacyModel]:
    """Return models that compare with a declared distribution."""
    names = ("t-closeness", "beta-likeness", "delta-disclosure")
    closeness, likeness, disclosure = (registry.resolve("models", name) for name in names)
    diseases: dict[str, Any] = {"distribution": [[value, 3 + len(str(value))] for value in DISEASES]}
    salaries: dict[str, Any] = {
        "distribution": [["10", 0.2], ["9.5", 0.2], [1000, 0.3], [9, 0.2], [None, 0.1]]
    }
    return [
        *(
            closeness("disease", 0.4, distance=way, **diseases)
            for way in ("equal", "ordered", "hierarchical")
        ),
        closeness("disease", 0.4, distance="ordered", from_level=1, **diseases),
        likeness("disease", 1, from_level=0, **diseases),
        disclosure("disease", 1, from_level=1, **diseases),
        closeness("salary", 0.3, distance="ordered", **salaries),
        likeness("salary", 2, from_level=0, **salaries),
    ]


def every_model() -> list[PrivacyModel]:
    """Return all examples, and what has the most to do with types and order."""
    closeness = registry.resolve("models", "t-closeness")
    return [
        *every_example(),
        closeness("disease", 0.4, distance="ordered"),
        closeness("disease", 0.4, distance="ordered", order=ORDER),
        closeness("salary", 0.3, distance="ordered"),
        closeness("salary", 0.3, distance="ordered", order=["9", "9.5", "10", "1000"]),
        registry.resolve("models", "l-diversity")("salary", 2),
        closeness("disease", 0.4, from_level=1),
        closeness("disease", 0.4, distance="ordered", order=ORDER, from_level=1),
        closeness("disease", 0.4, distance="hierarchical", from_level=1),
        registry.resolve("models", "beta-likeness")("salary", 0.2, from_level=0),
    ]


def taken(random: np.random.Generator, values: tuple[Any, ...], rows: int, kind: pa.DataType) -> pa.Array:
    return pa.array([values[place] for place in random.integers(0, len(values), rows)], kind)


def drawn(seed: int, *, unit: bool, models: Sequence[PrivacyModel] = ()) -> Drawn:
    random = np.random.default_rng(seed)
    rows, text = int(random.integers(30, 120)), pa.string()
    few = LABELS[: int(random.integers(2, len(LABELS) + 1))]
    original = pa.table(
        {
            AGE: taken(random, few, rows, text),
            PLACE: taken(random, (1, 2, None), rows, pa.int64()),
            "disease": taken(random, DISEASES[: int(random.integers(2, len(DISEASES) + 1))], rows, text),
            "salary": taken(random, SALARIES, rows, pa.float64()),
            "who": pa.array(random.integers(0, rows // 2, rows)),
        }
    )
    everybody = pa.table(
        {
            AGE: pa.chunked_array([taken(random, LABELS, 300, text).dictionary_encode()]),
            PLACE: pa.chunked_array([taken(random, (1, 2, 3, None), 300, pa.int64()).dictionary_encode()]),
        }
    )
    models = models or every_model()
    spec = Spec(
        quasi_identifiers={AGE: "suppress", PLACE: "suppress"},
        sensitive={
            "disease": Sensitive(hierarchy=taxonomy(TAXONOMY)),
            "salary": Sensitive(hierarchy=intervals(10, 1000)),
        },
        identifiers=["name"],
        insensitive=["who"],
        unit="who" if unit else None,
        privacy=models,
        suppression=0.2,
    )
    populations = {model.population.key: everybody for model in models if model.population is not None}
    kept = pa.array(random.random(rows) < 0.9)
    return Drawn(spec, original.filter(kept), original, populations)


def in_memory(case: Drawn) -> Audit:
    return audit_release(
        case.release,
        case.spec,
        original=case.original,
        populations=case.populations,
        levels=case.levels,
    )


def in_database(case: Drawn, database: SqlDatabase, release: str, original: str, shown: str) -> Audit:
    with database_relation(
        database,
        release,
        case.release.column_names,
        name="release",
        shown=shown,
        original=original,
        original_columns=original_columns(case.spec, claims(case.spec)),
    ) as (relation, own):
        return audit_relation(
            relation, case.spec, original=own, populations=case.populations, levels=case.levels
        )


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, Mapping):
        return found.keys() == expected.keys() and all(same(found[name], expected[name]) for name in expected)
    if isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
    return type(found) is type(expected) and bool(found == expected)


def assert_alike(found: Audit, expected: Audit) -> None:
    assert [finding.claim for finding in found.findings] == [finding.claim for finding in expected.findings]
    for one, other in zip(found.findings, expected.findings, strict=True):
        assert (one.claim, one.holds, one.checkable) == (other.claim, other.holds, other.checkable)
        assert same(one.figure, other.figure), (one.claim, one.figure, other.figure)
    assert (found.rows, found.starred_rows) == (expected.rows, expected.starred_rows)
    assert found.class_sizes == expected.class_sizes


@contextmanager
def put(case: Drawn, database: SqlDatabase) -> Iterator[tuple[str, str]]:
    """Put the two tables of a case into a database, for a while."""
    release, original = database.put(case.release, "release"), database.put(case.original, "original")
    yield release, original
    for table in (release, original):
        database.drop(table)


@pytest.fixture(scope="module")
def postgres(postgres_server: Server) -> Iterator[Any]:
    from shoal.engines.postgres import open_postgres

    # In a language's order, which is not that of bytes, and must not matter.
    with postgres_server.connect() as connection:
        connection.execute(
            "CREATE DATABASE in_english TEMPLATE template0 LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
        )
    with postgres_server.connect("in_english") as connection:
        connection.execute("CREATE TABLE nothing (a integer)")
    database = open_postgres(postgres_server.url("in_english"), table="nothing")
    yield database
    database.close()
    with postgres_server.connect() as connection:
        connection.execute("DROP DATABASE in_english WITH (FORCE)")


@pytest.fixture
def spark(quick_spark: Any) -> Iterator[Any]:
    from shoal.engines.spark.database import open_spark

    database = open_spark(quick_spark.createDataFrame(pa.table({"a": [1]})))
    yield database
    database.close()


@pytest.mark.parametrize(
    "seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 8))]
)
def test_postgres_finds_what_duckdb_finds(postgres: Any, seed: int) -> None:
    case = drawn(seed, unit=seed % 2 == 1)
    with put(case, postgres) as (release, original):
        found = in_database(case, postgres, release, original, shown=release)
        assert_alike(found, in_memory(case))
        # What is published can be pasted, where it needs the release alone.
        for model, finding in zip(case.spec.privacy, found.findings, strict=False):
            if model.name in ("k-anonymity", "l-diversity", "alpha-k", "risk"):
                ((failing, *_),) = postgres.rows(finding.sql)
                assert (failing == 0) == finding.holds, finding.claim


@pytest.mark.parametrize("unit", [False, True])
def test_postgres_compares_with_what_is_declared(postgres: Any, unit: bool) -> None:
    case = drawn(4, unit=unit, models=declared_models())
    with put(case, postgres) as (release, original):
        found = in_database(case, postgres, release, original, shown=release)
        assert_alike(found, in_memory(replace(case, original=None)))
        if not unit:
            # What is published can be pasted: it needs the release alone, but for labels.
            for model, finding in zip(case.spec.privacy, found.findings, strict=False):
                if not model.reads.taxonomy:
                    ((failing, *_),) = postgres.rows(finding.sql)
                    assert (failing == 0) == finding.holds, finding.claim


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_spark_compares_with_what_is_declared(spark: Any) -> None:
    case = drawn(4, unit=False, models=declared_models())
    with put(case, spark) as (release, original):
        found = in_database(case, spark, release, original, shown=release)
        assert_alike(found, in_memory(replace(case, original=None)))


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_spark_finds_what_duckdb_finds(spark: Any) -> None:
    closeness = registry.resolve("models", "t-closeness")
    models = [*every_example(), closeness("disease", 0.4, distance="ordered", order=ORDER)]
    case = drawn(2, unit=False, models=models)
    with put(case, spark) as (release, original):
        assert_alike(in_database(case, spark, release, original, shown=release), in_memory(case))


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_spark_counts_people(spark: Any) -> None:
    names = ("k-anonymity", "alpha-k", "l-diversity", "t-closeness", "delta-presence")
    models = [model for model in every_example() if model.name in names]
    case = drawn(5, unit=True, models=models)
    with put(case, spark) as (release, original):
        assert_alike(in_database(case, spark, release, original, shown=release), in_memory(case))


def test_text_is_cast_as_the_spec_says(postgres: Any) -> None:
    """Dates in their own form, and numbers that are spelled in several ways."""
    rows = {
        "sex": ["F", "F", "M", "M"],
        "day": ["03.12.2020", "31.01.2021"] * 2,
        "cost": ["1.0", "1", "2", " 2.00"],
    }
    columns = {name: pa.array(values, pa.string()) for name, values in rows.items()}
    closeness = registry.resolve("models", "t-closeness")
    spec = Spec(
        quasi_identifiers={"sex": "suppress"},
        sensitive=["day", "cost"],
        types={"day": Date("%d.%m.%Y"), "cost": "decimal"},
        privacy=[closeness(name, 0.3, distance="ordered") for name in ("day", "cost")],
    )
    original = pa.table(
        {
            "sex": columns["sex"],
            "day": pa.array([datetime.date(2020, 12, 3), datetime.date(2021, 1, 31)] * 2),
            "cost": pa.array([1.0, 1.0, 2.0, 2.0]),
        }
    )
    case = Drawn(spec, pa.table(columns), original, {})
    with put(case, postgres) as (release, own):
        assert_alike(in_database(case, postgres, release, own, shown=release), in_memory(case))
