"""Labels that do not cover the values of their rows, which no audit of the release can see.

The attacker knows somebody's values and looks for the classes that they fit. If a label lies, the person
seems to be among others, or in no class, and whoever reads the release counts people who are not there. Here
every row is joined with its original, for all recodings and forms of labels; plain Python reads the labels.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal import InputError, registry
from shoal.engines.relational import engine
from shoal.recode.recoding import TuplesInParts
from tests.conformance.engine_inputs import NAMES, Opened, opened  # noqa: F401

FORMS = ("nodes", "ranges", "sets", "fitting")


@dataclass(frozen=True)
class Column:
    """Values with a hierarchy, and in plain Python the label of a value at each level between.

    Attributes
    ----------
    read
        Makes a value of its text.
    """

    kind: pa.DataType
    values: Sequence[Any]
    hierarchy: Any = "suppress"
    read: Callable[[str], Any] = str
    levels: Sequence[Callable[[Any], str]] = ()

    def covers(self, label: Any, value: Any) -> bool:
        """Return whether a released cell may stand for a value."""
        if label == "*" or label is None or value is None:
            return label == "*" or label is value or (value is None and "NULL" in members(label))
        if self.same(label, value) or label in [name(value) for name in self.levels]:
            return True
        return isinstance(label, str) and (
            any(self.same(member, value) for member in members(label)) or self.within(label, value)
        )

    def same(self, cell: Any, value: Any) -> bool:
        try:
            found = self.read(cell) if isinstance(cell, str) else cell
        except (ValueError, ArithmeticError):
            return False
        return bool(found == value) or str(found) == str(value) == "nan"

    def within(self, label: str, value: Any) -> bool:
        found = re.fullmatch(r"\[(.+), (.+)\]", label)
        read = float if self.read is str else self.read
        try:
            return found is not None and read(found[1]) <= read(str(value)) <= read(found[2])
        except (ValueError, ArithmeticError):
            return False


def members(label: Any) -> list[str]:
    if not isinstance(label, str) or not (label.startswith("{") and label.endswith("}")):
        return []
    return next(csv.reader([label[1:-1]], skipinitialspace=True))


def interval(width: int) -> Callable[[int], str]:
    return lambda value: f"[{value // width * width}, {value // width * width + width})"


GRADES = ["none", "school", "college", "bachelor", "master"]
COLUMNS = {
    "change": Column(pa.int64(), range(-12, 14), shoal.intervals(5, 10), int, [interval(5), interval(10)]),
    "cost": Column(pa.decimal128(8, 2), [Decimal(n) / 100 for n in range(-150, 900, 70)], read=Decimal),
    "day": Column(
        pa.date32(),
        [date(1999, 12, 20) + timedelta(days) for days in range(0, 80, 5)],
        shoal.dates("month", "year"),
        date.fromisoformat,
        [lambda day: f"{day:%Y-%m}", lambda day: f"{day:%Y}"],
    ),
    "moment": Column(
        pa.timestamp("us"),
        [datetime(1969, 12, 31, 23, 59, 58) + timedelta(seconds=n, microseconds=n % 2) for n in range(14)],
        read=datetime.fromisoformat,
    ),
    "code": Column(
        pa.string(),
        ["007", "07", "7", "70", "0070", "008", "0081"],
        shoal.prefix(4),
        levels=[lambda code: code[:3] + "*", lambda code: code[:2] + "**", lambda code: code[:1] + "***"],
    ),
    "number": Column(pa.string(), ["7", "10", "9", "100", "-3", "2.5", "2.50", "0"]),
    # Neighbours in its hierarchy are none by number.
    "ward": Column(
        pa.int64(),
        range(12),
        shoal.taxonomy(
            {
                "odd": {f"wing {wing}": [wing, wing + 6] for wing in (1, 3, 5)},
                "even": {f"wing {wing}": [wing, wing + 6] for wing in (0, 2, 4)},
            }
        ),
        int,
        [lambda ward: f"wing {ward % 6}", lambda ward: "odd" if ward % 2 else "even"],
    ),
    "grade": Column(
        pa.string(),
        GRADES,
        shoal.order(GRADES, runs=[2]),
        levels=[lambda grade: ["none..school", "college..bachelor", "master"][GRADES.index(grade) // 2]],
    ),
    "ratio": Column(pa.float64(), [math.nan, math.inf, -0.0, 1e-7, 0.1, 0.3, 2 / 3, -1.5e300], read=float),
    "note": Column(pa.string(), ["a", "A", "b, c", 'q"r', "", "NULL", "{x}", "\u00e9", "e\u0301"]),
}
PAIRS = [("change", "note"), ("cost", "grade"), ("day", "number"), ("moment", "code"), ("ward", "ratio")]


def people(names: Sequence[str], rows: int, *, skewed: bool = True) -> pa.Table:
    random = Random(rows)

    def column(name: str) -> pa.Array:
        values = [*COLUMNS[name].values, None]
        weights = [1 / (place + 1) if skewed else 1 for place in range(len(values))]
        return pa.array(random.choices(values, weights, k=rows), COLUMNS[name].kind, from_pandas=False)

    illnesses = pa.array(random.choices(["flu", "cold", "gout"], k=rows))
    return pa.table({name: column(name) for name in names} | {"illness": illnesses, "row": range(rows)})


def spec(names: Sequence[str], *models: Any, **others: Any) -> shoal.Spec:
    return shoal.Spec(
        quasi_identifiers={name: COLUMNS[name].hierarchy for name in names},
        sensitive=["illness"],
        insensitive=["row"],
        privacy=models,
        accept={"row": "linkable"},
        **others,
    )


def recodings() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all that have labels, in every form that they may have."""
    for name in registry.names("strategies"):
        strategy = registry.resolve("strategies", name)
        seconds = {"seconds": 1} if "seconds" in strategy.parameters else {}
        if "labels" not in strategy.parameters:
            yield name, seconds
        elif name != "microaggregation":
            # Its form by default is one of sets alone, where it has no nodes.
            for form in FORMS if strategy().labels == "nodes" else ("ranges", "sets"):
                yield name, {"labels": form} | seconds
    for cut in {"cut": "gain"}, {"cut": "median"}, {"cut": "median", "relaxed": True}:
        yield "mondrian", {"labels": "ranges"} | cut


RECODINGS = tuple(recodings())


def require_covered(release: Any, table: pa.Table, names: Sequence[str]) -> None:
    originals, rows = table.to_pylist(), release.table.to_pylist()
    assert len({row["row"] for row in rows}) == len(rows) == len(originals) - release.suppressed_rows
    for row in rows:
        for name in names:
            value = originals[row["row"]][name]
            assert COLUMNS[name].covers(row[name], value), (name, row[name], value)


def count_covered(
    recoding: tuple[str, dict[str, Any]],
    pairs: Sequence[tuple[str, str]],
    put: Callable[[pa.Table], dict[str, Any]],
) -> int:
    """Release every pair of columns that has what the recoding needs; return how many these are."""
    (name, settings), found = recoding, 0
    models = shoal.KAnonymity(3), shoal.LDiversity("illness", 2)
    for pair in pairs:
        table = people(pair, 60)
        try:
            release = shoal.anonymize(
                spec=spec(pair, *models, suppression=0.1),
                recoding={name: settings} if settings else name,
                **put(table),
            )
        except InputError as error:
            assert "needs an order" in str(error)
            continue
        require_covered(release, table, pair)
        found += 1
    return found


@pytest.mark.parametrize("recoding", RECODINGS, ids=str)
def test_every_label_covers_its_value(recoding: tuple[str, dict[str, Any]], opened: Opened) -> None:  # noqa: F811
    assert count_covered(recoding, PAIRS, opened("memory").put)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("memory", "csv")])
@pytest.mark.parametrize("recoding", RECODINGS, ids=str)
def test_in_databases_too(recoding: tuple[str, dict[str, Any]], name: str, opened: Opened) -> None:  # noqa: F811
    # Times of Spark have a zone, so these are other values there.
    pairs = [pair for pair in PAIRS if "moment" not in pair]
    assert count_covered(recoding, pairs, opened(name).put)


@pytest.mark.parametrize(
    "form", [FORMS[0], *(pytest.param(form, marks=pytest.mark.slow) for form in FORMS[1:])]
)
def test_beyond_memory_too(form: str, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """Only the ends of classes are known there."""
    monkeypatch.setattr(engine, "_BYTES_PER_ENTRY", 1 << 40)
    put, parted = opened("parquet").put, 0
    for names in ("change", "day", "code"), ("change", "day", "note"), ("ward", "day", "change"):
        table = people(names, 4000, skewed=False)
        try:
            release = shoal.anonymize(
                spec=spec(names, shoal.KAnonymity(12)), recoding={"mondrian": {"labels": form}}, **put(table)
            )
        except InputError as error:
            assert "do not fit" in str(error)
            continue
        assert isinstance(release.recoding, TuplesInParts)
        require_covered(release, table, names)
        parted += 1
    assert parted or form == "sets"
