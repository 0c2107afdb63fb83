"""Averages in place of labels, against plain Python: who is in a class is read from the release itself."""

from __future__ import annotations

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import shoal
from shoal import InputError
from shoal.cli.main import app
from shoal.describe.hierarchies.suppress import Suppress
from shoal.encode.column import code_column
from shoal.encode.table import CodedTable
from shoal.engines.relational import engine
from shoal.measure.loss import Loss
from shoal.partition.strategy import Partition
from shoal.privacy.k_anonymity import KAnonymity
from shoal.recode.by_classes import ByClasses
from shoal.recode.recoding import TuplesInParts
from shoal.report import public_html
from shoal.search.problem import SearchProblem
from shoal.testing import check_strategy
from tests.conformance.engine_inputs import Opened, opened  # noqa: F401

RECODINGS = ("partition", "mondrian", "cells")
KINDS: dict[str, tuple[pa.DataType, Callable[[str], Any]]] = {
    "age": (pa.int64(), int),
    "paid": (pa.decimal128(8, 2), Decimal),
    "seen": (pa.date32(), date.fromisoformat),
    "job": (pa.string(), str),
}
EPOCH = date(1970, 1, 1)
AVERAGES: Sequence[dict[str, str]] = (
    {"age": "mean", "paid": "median", "seen": "mode", "job": "mode"},
    {"age": "median", "paid": "mode", "seen": "mean"},
    {"age": "mode", "paid": "mean", "seen": "median", "job": "mode"},
)


def people(seed: int, rows: int = 40) -> pa.Table:
    draw = Random(seed)
    values: dict[str, list[Any]] = {
        "age": [draw.randrange(18, 40) for _ in range(rows)],
        "paid": [
            Decimal(draw.choice([100, 250, 1205, 99999, draw.randrange(10**6)])) / 100 for _ in range(rows)
        ],
        "seen": [date(2024, 2, 20) + timedelta(draw.randrange(30)) for _ in range(rows)],
        "job": [draw.choice(["cook", "clerk", "10", "9", ""]) for _ in range(rows)],
    }
    columns = {
        name: pa.array([None if draw.random() < 0.1 else value for value in values[name]], kind)
        for name, (kind, _) in KINDS.items()
    }
    ill = [draw.choice(["flu", "cold", "gout"]) for _ in range(rows)]
    return pa.table({**columns, "row": range(rows), "ill": ill})


def spec(recoding: str, averages: dict[str, str], **settings: Any) -> shoal.Spec:
    """Return a spec in which the column `row` shows the members of each class: its label is their set."""
    rows = shoal.QuasiIdentifier(hierarchy=shoal.suppress(), weight=1e-6)
    return shoal.Spec(
        quasi_identifiers={**dict.fromkeys(KINDS, "suppress"), "row": rows},
        sensitive=["ill"],
        privacy=[shoal.KAnonymity(3), shoal.LDiversity("ill", 2)],
        recoding={recoding: {"labels": {"row": "sets", **averages}}},
        **settings,
    )


def average_of(average: str, values: Sequence[Any]) -> Any:
    known = sorted(value for value in values if value is not None)
    if not known:
        return None
    if average == "median":
        return statistics.median_low(known)
    if average == "mode":
        counts = Counter(known)
        most = [value for value in counts if counts[value] == max(counts.values())]
        numbers = [value for value in most if isinstance(value, str) and value.isdigit()]
        in_order = sorted(numbers, key=int) + sorted(set(most) - set(numbers))
        return in_order[(len(in_order) - 1) // 2]
    if isinstance(known[0], date):
        days = [(day - EPOCH).days for day in known]
        return EPOCH + timedelta(round(Fraction(sum(days), len(days))))
    places = max(-int(Decimal(value).normalize().as_tuple().exponent) for value in known)
    mean = round(Fraction(sum(map(Fraction, known)), len(known)), max(places, 0))
    return type(known[0])(mean) if isinstance(known[0], int) else Decimal(mean.numerator) / mean.denominator


def require_averages(release: shoal.Release, table: pa.Table, averages: dict[str, str]) -> None:
    originals, rows = table.to_pylist(), release.table.to_pylist()
    assert len(rows) == len(originals) - release.suppressed_rows
    classes = Counter(row["row"] for row in rows)
    for row in rows:
        members = [originals[int(number)] for number in row["row"].strip("{}").split(", ")]
        assert len(members) == classes[row["row"]] >= 3
        for name, average in averages.items():
            found = None if row[name] is None else KINDS[name][1](str(row[name]))
            assert found == average_of(average, [member[name] for member in members]), (name, average)


@pytest.mark.parametrize("name", ["memory", "parquet"])
@pytest.mark.parametrize("recoding", RECODINGS)
def test_averages_are_those_of_the_rows_of_each_class(recoding: str, name: str, opened: Opened) -> None:  # noqa: F811
    put = opened(name).put
    for seed, averages in enumerate([*AVERAGES, *AVERAGES] if name == "memory" else AVERAGES):
        table = people(seed)
        release = shoal.anonymize(spec=spec(recoding, averages, suppression=0.2), **put(table))
        assert release.audit.holds
        assert release.classes > 1
        require_averages(release, table, averages)


@pytest.mark.parametrize("name", ["postgres", pytest.param("spark", marks=pytest.mark.slow)])
def test_in_databases_too(name: str, opened: Opened) -> None:  # noqa: F811
    table = people(7)
    release = shoal.anonymize(spec=spec("partition", AVERAGES[0]), **opened(name).put(table))
    require_averages(release, table, AVERAGES[0])


@pytest.mark.parametrize("recoding", ["partition", "mondrian"])
def test_beyond_memory_too(recoding: str, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """Of a part only what labels and averages are made of stays in memory."""
    monkeypatch.setattr(engine, "_BYTES_PER_ENTRY", 1 << 40)
    table = people(3, 1500)
    averages = AVERAGES[0]
    whole = spec(recoding, averages)
    own = whole.quasi_identifiers | {"row": shoal.QuasiIdentifier(hierarchy=shoal.suppress())}
    models = whole.privacy if recoding == "partition" else [shoal.KAnonymity(12)]
    parted = shoal.Spec(quasi_identifiers=own, sensitive=["ill"], privacy=models, recoding=whole.recoding)
    release = shoal.anonymize(spec=parted, **opened("parquet").put(table))
    assert isinstance(release.recoding, TuplesInParts)
    require_averages(release, table, averages)


def test_a_strategy_keeps_its_promises_with_averages() -> None:
    check_strategy(Partition(labels="mode"), examples=5)


@pytest.mark.parametrize("recoding", RECODINGS)
def test_a_class_is_what_the_file_shows(recoding: str) -> None:
    """Classes with the same averages are one, which has to be as diverse as each of them."""
    table = people(11, 300).select(["age", "job", "ill"])
    columns = shoal.Spec(
        quasi_identifiers={"age": "suppress", "job": "suppress"},
        sensitive=["ill"],
        privacy=[shoal.KAnonymity(4), shoal.LDiversity("ill", 2)],
        recoding={recoding: {"labels": "mode"}},
    )
    release = shoal.anonymize(table, columns)
    classes = defaultdict(list)
    for row in release.table.to_pylist():
        classes[row["age"], row["job"]].append(row["ill"])
    assert Counter(map(len, classes.values())) == release.class_sizes
    assert all(len(ill) >= 4 and len(set(ill)) >= 2 for ill in classes.values())
    assert release.audit.holds


def test_two_classes_with_the_same_average_are_one() -> None:
    ages = code_column("age", pa.array([10, 30, 19, 21, 50]).dictionary_encode(), Suppress())
    class_of = np.array([0, 0, 1, 1, 2], np.uint32)
    recoding = ByClasses("cells", {}, "mean", (ages.codes,), class_of, rows=np.ones(5, int))
    verdict = SearchProblem(CodedTable((ages,), 5), (KAnonymity(3),), Loss(), 0.2).verdict_of(recoding)
    assert (verdict.class_sizes, verdict.suppressed_rows) == ({4: 1}, 1)


def test_what_is_said_of_averages_is_said_everywhere(tmp_path: Path) -> None:
    table = people(5, 120).select(["age", "job", "seen", "ill"])
    columns = shoal.Spec(
        quasi_identifiers={"age": "suppress", "job": "suppress", "seen": "suppress"},
        sensitive=["ill"],
        privacy=[shoal.KAnonymity(5)],
        recoding={"partition": {"labels": {"age": "mean", "job": "mode"}}},
    )
    release = shoal.anonymize(table, columns, keep_order=True)
    assert release.averages == {"age": "mean", "job": "mode"}
    assert any("NULL in age becomes the mean" in note for note in release.notes)
    path = release.write(tmp_path / "release.parquet")
    manifest = json.loads(Path(f"{path}.manifest.json").read_text(encoding="utf-8"))
    assert manifest["recoding"]["labels"] == {"age": "mean", "job": "mode", "seen": "fitting"}
    assert not shoal.audit_release(path).fails
    public = public_html(manifest, {})
    assert public.count("Each row has the mean of its class.") == 1
    assert public.count("Each row has the mode of its class.") == 1
    assert public.count("Each row has its original value or a coarser label.") == 1

    ages, jobs = table["age"].to_pylist(), table["job"].to_pylist()
    pairs = [
        (was, now) for was, now in zip(ages, release.table["age"].to_pylist(), strict=True) if was is not None
    ]
    variance = statistics.pvariance([was for was, _ in pairs])
    squared = sum((was - now) ** 2 for was, now in pairs) / len(pairs) / variance
    other = sum(was != now for was, now in zip(jobs, release.table["job"].to_pylist(), strict=True)) / len(
        jobs
    )
    words = {choice.column: choice.chosen for choice in release.choices()}
    assert words["age"] == f"mean, squared error {squared:.2%} of the variance"
    assert words["job"] == f"mode, another value in {other:.2%} of the rows"
    known, seen = release.utility(models=False), shoal.assess_utility(table, path, columns, models=False)
    assert known.columns["age"].loss == pytest.approx(squared)
    assert known.columns["job"].loss == pytest.approx(other)
    for found in (known, seen):
        assert 0 < found.columns["job"].entropy_kept <= 1
    # The file alone shows less: how often values occur, and not in which row.
    before, after = Counter(jobs), Counter(release.table["job"].to_pylist())
    moved = sum(abs(before[job] - after[job]) for job in before) / 2 / len(jobs)
    assert seen.columns["job"].loss == pytest.approx(moved)
    assert moved <= other


def refused(recoding: Any, **settings: Any) -> str:
    given: dict[str, Any] = {
        "quasi_identifiers": dict.fromkeys(("age", "job"), "suppress"),
        "sensitive": ["ill"],
        "privacy": [shoal.KAnonymity(3)],
    }
    with pytest.raises(InputError) as error:
        shoal.anonymize("nowhere.csv", shoal.Spec(**{**given, **settings}, recoding=recoding))
    return str(error.value)


def test_all_that_is_wrong_with_labels_is_said_at_once() -> None:
    message = refused({"partition": {"labels": {"age": "avg", "job": "mod"}}})
    assert "labels of age must be one of nodes, ranges, sets, fitting, mean, median, mode" in message
    assert "labels of job must be one of" in message and "Did you mean 'mode'?" in message
    held = {"age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(5), min_level=1), "job": "suppress"}
    population = shoal.KMap(3, pa.table({"age": [1], "job": ["a"]}))
    message = refused(
        {"mondrian": {"labels": {"age": "mean", "job": "median", "ill": "mode"}}},
        quasi_identifiers=held,
        types={"job": "text"},
        privacy=[population],
    )
    assert "Found: labels of ill." in message
    assert "Found: levels that are set for age." in message
    assert "Found: median of job, of which the spec says that they are neither." in message
    assert "No population can be compared with averages: mean of age, median of job." in message


@pytest.mark.parametrize("recoding", ["subtree", "ordered-set"])
def test_where_values_have_one_label_each_there_are_no_averages(recoding: str) -> None:
    assert "labels must be one of" in refused({recoding: {"labels": "mean"}})
    assert "labels must be one of" in refused({recoding: {"labels": {"age": "ranges"}}})


def test_columns_without_a_mean_are_named() -> None:
    table = people(2).select(["age", "job", "seen"])
    columns = shoal.Spec(
        quasi_identifiers=dict.fromkeys(table.column_names, "suppress"), privacy=[shoal.KAnonymity(3)]
    )
    for recoding in RECODINGS:
        with pytest.raises(InputError, match="Found: median of job, with other values") as error:
            shoal.anonymize(table, columns, recoding={recoding: {"labels": {"job": "median", "age": "mean"}}})
        assert "cook" not in str(error.value)


def test_the_command_line_takes_averages(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n21,F\n24,F\n30,M\n37,M\n", encoding="utf-8")
    command = ["anonymize", str(tmp_path / "people.csv"), "-k", "2", "--qi", "age", "--qi", "sex"]
    command += ["--recoding", "partition: {labels: {age: mean}}", "--output", str(tmp_path / "out.csv")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").split()
    assert sorted(lines[1:]) == ["22,F", "22,F", "34,M", "34,M"]
