"""Messages: the attacker reads what a failing run prints: a log, a ticket, a pasted traceback. Every input
here is bad in its own way and holds one person's value. Whatever is raised, warned or logged must not show
it, whichever library noticed (Arrow, DuckDB, polars, pandas), unless the publisher asks for values.
"""

from __future__ import annotations

import logging
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal

CANARY = "Zeta" + "HIV7"  # in two parts: a traceback shows lines of this file
SPEC = shoal.Spec(
    quasi_identifiers={"age": shoal.intervals(10, 20)}, sensitive=["disease"], privacy=[shoal.KAnonymity(2)]
)
DISEASES = ["flu", CANARY, "flu", "cold"]
ROWS = {"age": [31, 32, 33, 34], "disease": DISEASES}


def release(data: object, spec: Any = SPEC, **settings: Any) -> object:
    return shoal.anonymize(data, spec, **settings)


def by(hierarchy: Any, **settings: Any) -> shoal.Spec:
    """Let the diseases be the quasi-identifier."""
    own = shoal.QuasiIdentifier(hierarchy=hierarchy, **settings)
    return shoal.Spec(quasi_identifiers={"disease": own}, insensitive=["age"], privacy=[shoal.KAnonymity(2)])


def broken_relation() -> object:
    rows = pa.table(ROWS)
    return duckdb.connect().from_arrow(rows).select("age, CAST(disease AS INTEGER) AS disease")


def unequal(value: object) -> str:
    return str(value) + "*"


FRAMES: dict[str, Callable[[], object]] = {
    "arrow for duckdb": lambda: release(pa.table(ROWS), engine="duckdb"),
    "pandas for duckdb": lambda: release(pd.DataFrame(ROWS), engine="duckdb"),
    "polars for duckdb": lambda: release(pl.DataFrame(ROWS), engine="duckdb"),
    "arrow for spark": lambda: release(pa.table(ROWS), engine="spark"),
    "arrow for postgres": lambda: release(pa.table(ROWS), engine="postgres"),
    "arrow with a table": lambda: release(pa.table(ROWS), table="people"),
    "a mapping": lambda: release(ROWS),
    "a list of rows": lambda: release([{"age": 31, "disease": CANARY}]),
    "a generator": lambda: release(iter(DISEASES)),
    "the table as spec": lambda: release(pa.table(ROWS), pa.table(ROWS)),
    "the frame as spec": lambda: release(pd.DataFrame(ROWS), pd.DataFrame(ROWS)),
    "the table as algorithm": lambda: release(pa.table(ROWS), algorithm=pa.table(ROWS)),
    "mixed objects": lambda: release(pd.DataFrame({"age": [31, CANARY, b"x", 3.5], "disease": DISEASES})),
    "objects of no type": lambda: release(pd.DataFrame({"age": [31] * 4, "disease": [{CANARY: 1}, 2, 3, 4]})),
    "objects as quasi-identifier": lambda: release(
        pd.DataFrame({"age": [{CANARY}, [1], 2, 3], "disease": DISEASES})
    ),
    "structures": lambda: release(pa.table({"age": [{"a": CANARY}] * 4, "disease": DISEASES})),
    "lists": lambda: release(pa.table({"age": [[CANARY]] * 4, "disease": DISEASES})),
    "bytes": lambda: release(pa.table({"age": [CANARY.encode() + b"\xff"] * 4, "disease": DISEASES})),
    "a lazy frame that fails": lambda: release(
        pl.LazyFrame(ROWS).with_columns(pl.col("disease").cast(pl.Int64))
    ),
    "a relation that fails": lambda: release(broken_relation()),
    "a relation that fails in duckdb": lambda: release(broken_relation(), engine="duckdb"),
    "text in intervals": lambda: release(pa.table(ROWS), by(shoal.intervals(10))),
    "text rounded": lambda: release(pa.table(ROWS), by(shoal.rounding(10))),
    "text in quantiles": lambda: release(pa.table(ROWS), by(shoal.quantiles(2))),
    "text as dates": lambda: release(pa.table(ROWS), by(shoal.dates("year"))),
    "not in a taxonomy": lambda: release(pa.table(ROWS), by(shoal.taxonomy({"mild": ["flu", "cold"]}))),
    "not in an order": lambda: release(pa.table(ROWS), by(shoal.order(["flu", "cold"], 2))),
    "a function that fails": lambda: release(pa.table(ROWS), by(shoal.by_function(int))),
    "functions not nested": lambda: release(
        pa.table(ROWS), by(shoal.by_function(lambda v: str(len(v) > 3), unequal))
    ),
    "kept apart like a label": lambda: release(
        pa.table(ROWS), by(shoal.taxonomy({CANARY: ["flu", "cold"]}), missing_values="own")
    ),
    "audit of a mapping": lambda: shoal.audit_release(ROWS, SPEC),  # type: ignore[arg-type]
    "audit of the values": lambda: shoal.audit_release(pa.table(ROWS), by(shoal.suppress())).require(9),
    "risk of a mapping": lambda: shoal.assess_risk(ROWS, ["age"]),
    "risk against a mapping": lambda: shoal.assess_risk(pa.table(ROWS), ["age"], population=ROWS),
    "utility": lambda: shoal.assess_utility(pa.table(ROWS), pa.table({"age": [1]}), SPEC),
    "suggest of a mapping": lambda: shoal.suggest(ROWS),
    "profile of a list": lambda: shoal.profile(DISEASES),
    "profile of what fails": lambda: shoal.profile(
        pl.LazyFrame(ROWS).with_columns(pl.col("disease").cast(pl.Int64))
    ),
    "compare a mapping": lambda: shoal.compare(ROWS, SPEC),
    "extend by a table": lambda: shoal.extend(pa.table(ROWS), pa.table(ROWS)),  # type: ignore[arg-type]
    "a population of values": lambda: release(
        pa.table(ROWS),
        shoal.Spec(
            quasi_identifiers={"age": shoal.intervals(10)},
            sensitive=["disease"],
            privacy=[shoal.KMap(2, ROWS)],  # type: ignore[arg-type]
        ),
    ),
    "nothing can be released": lambda: release(
        pa.table(ROWS),
        shoal.Spec(
            quasi_identifiers={"disease": shoal.suppress()},
            insensitive=["age"],
            privacy=[shoal.KAnonymity(9)],
        ),
    ),
}

TEXTS = {
    "ragged": f"age,disease\n31,flu\n32,{CANARY},x\n",
    "short": f"age,disease\n31,flu\n{CANARY}\n",
    "open quote": f'age,disease\n31,flu\n32,"{CANARY}\n',
    "zero byte": f"age,disease\n31,flu\n32,{CANARY}\0\n",
    "not a number": f"age,disease\n31,flu\n{CANARY},flu\n",
    "no header": f"31,{CANARY}\n32,flu\n33,flu\n34,{CANARY}\n",
    "nothing else": CANARY,
}


def said(run: Callable[[], object], caplog: pytest.LogCaptureFixture) -> str:
    """Return all that a failing run shows: the traceback, warnings and logs."""
    with warnings.catch_warnings(record=True) as caught, caplog.at_level(logging.DEBUG):
        warnings.simplefilter("always")
        with pytest.raises((shoal.ShoalError, TypeError, ValueError, AttributeError)) as error:
            run()
    shown = [*traceback.format_exception(error.value), repr(error.value), caplog.text]
    return "\n".join([*shown, *(str(warning.message) for warning in caught)])


@pytest.mark.parametrize("name", FRAMES)
def test_what_is_wrong_with_data_frames(name: str, caplog: pytest.LogCaptureFixture) -> None:
    assert CANARY not in said(FRAMES[name], caplog)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("name", TEXTS)
def test_what_is_wrong_with_files(
    name: str, engine: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(TEXTS[name].encode())
    assert CANARY not in said(lambda: release(path, engine=engine), caplog)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", ["integer", "decimal", "float", "boolean", "date", "timestamp"])
def test_what_is_of_another_type(
    kind: str, engine: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"age,disease\n31,flu\n32,{CANARY}\n", encoding="utf-8")
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=["disease"],
        privacy=[shoal.KAnonymity(2)],
        types={"disease": kind},
    )
    assert CANARY not in said(lambda: release(path, spec, engine=engine), caplog)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_what_is_wrong_with_parquet(engine: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "people.parquet"
    parquet.write_table(pa.table(ROWS), path, compression="none", use_dictionary=False)
    whole = path.read_bytes()
    assert CANARY.encode() in whole
    for broken in (whole[:-30], whole[:40], whole.replace(b"flu", b"\xff\xfe\xfd")):
        path.write_bytes(broken)
        assert CANARY not in said(lambda: release(path, by(shoal.intervals(5)), engine=engine), caplog)


def test_what_a_notebook_shows_of_the_parts() -> None:
    """Whatever stands last in a cell of a notebook is shown, and notebooks are published."""
    spec = by(shoal.suppress(), missing_values="own")
    with shoal.Session(pa.table(ROWS), spec) as session:
        made = session.release(session.search(all_nodes=True))
        parts = [session, session.problem(), session.plan(), session.settle(), made.original, made.released]
        parts += [made, made.source, made.satisfying_nodes, session.search(), session.search().coded]
    for part in parts:
        assert CANARY not in f"{part!r} {part}"
