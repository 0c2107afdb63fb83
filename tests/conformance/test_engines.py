"""Every engine gives the same release for the same spec, whatever is in the table and how it is called."""

from __future__ import annotations

import base64
import datetime
import hmac
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

import shoal
from shoal.audit.signature import make_keys
from shoal.engines.relational import engine, recode, repeated_classes
from shoal.errors import InputError
from shoal.partition import strategy
from shoal.recode.recoding import TuplesInParts
from shoal.testing.engines import (
    ENGINE_CHECKS,
    ODD,
    EngineInput,
    check_names,
    check_one_row,
    check_people,
    check_recodings,
    check_releases,
    check_zeros,
    compare,
    counts_of,
    people,
    several_rows,
    spec_of_people,
)
from tests.conformance.engine_inputs import NAMES, Opened, opened  # noqa: F401

OTHERS = NAMES[1:]
LONG = (check_recodings, check_people, check_names, check_one_row, check_zeros)
"""What takes long in Spark: only `make test-all` checks it there."""
SLOW_SPARK = pytest.param("spark", marks=[pytest.mark.xdist_group("spark"), pytest.mark.slow])


@pytest.mark.parametrize("name", [*NAMES[:-1], SLOW_SPARK])
@pytest.mark.parametrize("check", [check for check in ENGINE_CHECKS if check not in (*LONG, check_releases)])
def test_engines_keep_what_they_promise(
    name: str,
    check: Callable[[EngineInput], None],
    opened: Opened,  # noqa: F811
) -> None:
    check(opened(name))


@pytest.mark.parametrize("name", NAMES)
def test_engines_make_the_same_releases(name: str, opened: Opened) -> None:  # noqa: F811
    check_releases(opened(name))


@pytest.mark.parametrize(
    "name", ["memory", *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[1:-1]), SLOW_SPARK]
)
@pytest.mark.parametrize("check", LONG)
def test_engines_keep_what_they_promise_at_length(
    name: str,
    check: Callable[[EngineInput], None],
    opened: Opened,  # noqa: F811
) -> None:
    check(opened(name))


@pytest.mark.parametrize("name", [*OTHERS[:-1], SLOW_SPARK])
def test_tuples_that_do_not_fit_are_divided_in_parts(
    name: str,
    opened: Opened,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "_BYTES_PER_ENTRY", 1 << 40)  # the fewest entries that an engine holds: 1,000
    recoding = {"mondrian": {"cut": "gain"}}
    spec = spec_of_people(privacy=[shoal.KAnonymity(8)], recoding=recoding, suppression=0.0)
    compare(opened(name), people(3, 4000), spec)


def in_classes(release: shoal.Release) -> Counter[tuple[str, ...]]:
    """The rows of quasi-identifiers and the sensitive column: others may be beside other labels."""
    names = [*release.spec.quasi_identifiers, *release.spec.sensitive]
    columns = release.table.select(names).to_pydict().values()
    return Counter(tuple(map(str, row)) for row in zip(*columns, strict=True))


@pytest.mark.parametrize("name", ["parquet", "postgres", SLOW_SPARK])
def test_partition_divides_tuples_that_do_not_fit_in_parts(
    name: str,
    opened: Opened,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    draw = random.Random(8)
    table = pa.table(
        {
            "age": [draw.choice([None, *range(20, 60)]) for _ in range(3000)],
            "town": [draw.choice([*ODD[:5], None]) for _ in range(3000)],
            "job": [f"job {draw.randrange(30)}" for _ in range(3000)],
            "disease": [draw.choice("aaabbc") for _ in range(3000)],
        }
    )
    spec = shoal.Spec(
        quasi_identifiers=dict.fromkeys(("age", "town", "job"), "suppress"),
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(12), shoal.BetaLikeness("disease", 1)],
        recoding={"partition": {"divide": {"cuts": {"cut": "even"}}}},
    )
    monkeypatch.setattr(strategy, "FEW_TUPLES", 0)
    whole = in_classes(shoal.anonymize(table, spec))
    monkeypatch.setattr(engine, "_BYTES_PER_ENTRY", 1 << 40)  # the fewest entries that an engine holds: 1,000
    given = opened(name).put(table)
    for partitions in (8, 16) if name == "spark" else (0,):
        if partitions:
            spark = request.getfixturevalue("spark_session")
            monkeypatch.setitem(given, "data", given["data"].repartition(partitions))
            spark.conf.set("spark.sql.shuffle.partitions", partitions)
        try:
            release = shoal.anonymize(spec=spec, **given)
            assert isinstance(release.recoding, TuplesInParts)
            assert release.audit.holds
            assert in_classes(release) == whole
        finally:
            if partitions:
                spark.conf.set("spark.sql.shuffle.partitions", 2)


@pytest.mark.parametrize("name", ["parquet", "postgres"])
def test_people_are_told_apart_also_where_rows_are_numbers(name: str, opened: Opened) -> None:  # noqa: F811
    spec = spec_of_people(unit="name", privacy=[shoal.KAnonymity(4)])
    engine, counted = counts_of(opened(name).put(several_rows()), spec)
    once, prepared = counted.at([2, 1, 1]), counted.for_many().at([2, 1, 1])
    assert sorted(once.weights.tolist()) == sorted(prepared.weights.tolist())
    assert np.bincount(once.units).tolist() == np.bincount(prepared.units).tolist()
    engine.close()


@pytest.mark.parametrize("name", [*OTHERS[:-1], SLOW_SPARK])
@pytest.mark.parametrize("suppressed", ["remove", "star"])
def test_quasi_identifiers_alone_are_released_as_classes(
    name: str,
    suppressed: str,
    opened: Opened,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = random.Random(9)
    rows = 400
    table = pa.table(
        {
            "town": pa.array([draw.choice([*ODD[:5], None, None]) for _ in range(rows)], pa.string()),
            "age": pa.array([draw.randrange(20, 60) for _ in range(rows)], pa.int32()),
            "size": pa.array([draw.choice([None, 0.0, -0.0, 1.5]) for _ in range(rows)], pa.float64()),
            "born": pa.array([datetime.date(1990 + draw.randrange(2), 1, 1) for _ in range(rows)]),
            "rare": pa.array([draw.random() < 0.01 for _ in range(rows)]),
        }
    )
    spec = shoal.Spec(
        quasi_identifiers={
            "age": shoal.intervals(40),
            **dict.fromkeys(["town", "size", "born", "rare"], "suppress"),
        },
        types={"age": "integer"},
        privacy=[shoal.KAnonymity(2)],
        suppression=0.1,
        suppressed=suppressed,
    )
    monkeypatch.setattr(repeated_classes, "_MOST_COPIES", 5)
    monkeypatch.setattr(repeated_classes, "_ROWS_OF_A_CLASS", 1)
    repeated: list[str] = []

    def watched(*given: Any, **how: Any) -> str:
        repeated.append(repeated_classes.repeated(*given, **how))
        return repeated[-1]

    monkeypatch.setattr(recode, "repeated", watched)
    compare(opened(name), table, spec)
    assert len(repeated) == 1


@pytest.mark.parametrize("name", NAMES[-2:])  # PostgreSQL and Spark
def test_whole_numbers_that_an_engine_has_no_type_for_are_refused(
    name: str,
    opened: Opened,  # noqa: F811
) -> None:
    """The error of a library would show the number, which is somebody's."""
    numbers = ["7"] * 8 + ["18446744073709551615"]
    table = pa.table({"town": ["Ulm"] * 8 + ["Bonn"], "cost": numbers})
    spec = shoal.Spec(
        quasi_identifiers={"town": "suppress"},
        sensitive=["cost"],
        types={"cost": "integer"},
        privacy=[shoal.KAnonymity(2)],
    )
    with pytest.raises(InputError, match="has no whole numbers of that size") as refused:
        shoal.anonymize(spec=spec, **opened(name).put(table))
    assert "18446744073709551615" not in str(refused.value)


@pytest.mark.parametrize("name", [*NAMES[:-1], SLOW_SPARK])
def test_tokens_are_those_of_hmac(
    name: str,
    opened: Opened,  # noqa: F811
    tmp_path: Path,
) -> None:
    """The key of the HMAC is derived by RFC 5869, here in Python alone."""
    private, _ = make_keys(tmp_path / "project.pem")
    key = load_pem_private_key(private.read_bytes(), None)
    secret = key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    extracted = hmac.digest(bytes(32), secret, "sha256")
    derived = hmac.digest(extracted, b"shoal pseudonyms\x01", "sha256")

    def token(text: str) -> str:
        return base64.b32encode(hmac.digest(derived, text.encode(), "sha256"))[:20].decode().lower()

    people = {"number": [7, 7, 1234567, -3], "name": ["Zo\u00eb", "Zo\u00eb", " O'Hara; --", None]}
    table = pa.table({"sex": ["f", "f", "f", "f"], **people})
    spec = shoal.Spec(
        quasi_identifiers=["sex"],
        pseudonyms=list(people),
        key=private,
        unit="number",
        privacy="k-anonymity: 3",
    )
    release = shoal.anonymize(spec=spec, **opened(name).put(table))
    assert Counter(zip(*release.table.select(["number", "name"]).to_pydict().values(), strict=True)) == {
        (token("7"), token("Zo\u00eb")): 2,
        (token("1234567"), token("O'Hara; --")): 1,
        (token("-3"), None): 1,
    }
    assert release.audit.findings[0].measured == "smallest class 3, counted by 'number'"
    (number, other) = release.audit.linked
    assert (number.people, number.few, other.people, other.few) == (3, 3, 2, 2)
