"""Partition in parts: the same classes as with all tuples in memory, judged row by row in plain Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.engines.relational import engine
from shoal.errors import InputError
from shoal.partition import strategy
from shoal.partition.divide import cuts
from shoal.recode.recoding import TuplesInParts

from .test_strategy import covers, most_allowed

BANDS = {"low": [f"w{n}" for n in range(4)], "high": [f"w{n}" for n in range(4, 10)]}
GROUP_OF = {wage: band for band, wages in BANDS.items() for wage in wages}
PARITY = shoal.taxonomy({"odd": list(range(1, 120, 2)), "even": list(range(0, 120, 2))})
"""Ages in another order than that of numbers."""


def people(rows: int, *, seed: int = 4) -> pa.Table:
    """Whose wages depend on the age, and many of whom are alike."""
    draw = random.Random(seed)
    table = []
    for number in range(rows):
        age = draw.choice([None, *range(20, 70)])
        wages = range(10) if age is None or draw.random() < 0.6 else range(age // 12, age // 12 + 4)
        table.append(
            {
                "row": f"r{number}",
                "age": age,
                "zip": f"53{draw.randrange(25):03}",
                "sex": draw.choice("FFFM"),
                "job": draw.choice(["cook", "clerk", "smith", "tailor", None]),
                "wage": f"w{draw.choice(wages)}",
                "town": draw.choice(["Ulm", "Bonn"]),
            }
        )
    return pa.Table.from_pylist(table)


def spec(recoding: Any, *models: Any, **others: Any) -> shoal.Spec:
    given: dict[str, Any] = {
        "quasi_identifiers": {
            "age": "suppress",
            "zip": shoal.prefix(5),
            "sex": "suppress",
            "job": "suppress",
        },
        "sensitive": {"wage": shoal.taxonomy(BANDS), "town": "suppress"},
        "insensitive": ["row"],
        "accept": {"row": "linkable"},
        "privacy": models,
        "recoding": recoding,
    }
    return shoal.Spec(**{**given, **others})


def few_fit(monkeypatch: pytest.MonkeyPatch, entries: int) -> None:
    """Let so many entries fit into 200 MB."""
    monkeypatch.setattr(engine, "_BYTES_PER_ENTRY", int(200e6 * 0.3) // entries)


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every table have many tuples: of few more divisions are compared in memory."""
    monkeypatch.setattr(strategy, "FEW_TUPLES", 0)
    monkeypatch.setattr(cuts, "FEW_TUPLES", 0)


def classes(release: shoal.Release) -> Counter[tuple[str, ...]]:
    """The rows of all columns but those that no model is about: these may be beside other labels."""
    about = {model.column for model in release.spec.privacy}
    names = [*release.spec.quasi_identifiers, *sorted(name for name in about if name)]
    columns = release.table.select(names).to_pydict().values()
    return Counter(tuple(map(str, row)) for row in zip(*columns, strict=True))


def in_parts(table: pa.Table, wanted: shoal.Spec, folder: Path, **settings: Any) -> shoal.Release:
    path = str(folder / "people.parquet")
    pq.write_table(table, path)
    found = shoal.anonymize(path, wanted, engine="duckdb", memory="200MB", **settings)
    assert isinstance(found.recoding, TuplesInParts)
    assert found.audit.holds, found.audit.render()
    return found


BETA = shoal.BetaLikeness("wage", 1.5)
WHOLE = {
    "beta": (shoal.KAnonymity(8), BETA),
    "t": (shoal.KAnonymity(12), shoal.TCloseness("wage", 0.35, "equal"), shoal.LDiversity("town", 2)),
    "levels": (
        shoal.KAnonymity(8),
        shoal.BetaLikeness("wage", 1, from_level=1),
        shoal.TCloseness("wage", 0.3, "hierarchical"),
    ),
    "rows": (shoal.KAnonymity(4),),
}


# As few entries as the classes themselves let fit.
FITTING = {"beta": (4300, 3300), "t": (4500, 4000), "levels": (4300, 3300), "rows": (3000, 1500)}


@pytest.mark.parametrize(
    "cut", ["best", *(pytest.param(cut, marks=pytest.mark.slow) for cut in ("even", "gain", "median"))]
)
@pytest.mark.parametrize("models", WHOLE)
def test_parts_change_no_class(
    cut: str, models: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people(5000)
    wanted = spec({"partition": {"divide": {"cuts": {"cut": cut}}}}, *WHOLE[models])
    whole = shoal.anonymize(table, wanted)
    for entries in FITTING[models]:
        few_fit(monkeypatch, entries)
        found = in_parts(table, wanted, tmp_path)
        assert classes(found) == classes(whole)
        assert found.score == pytest.approx(whole.score)
        assert found.notes == whole.notes
        assert found.columns_beside == whole.columns_beside
        assert found.recoding.to_manifest() == whole.recoding.to_manifest()


@pytest.mark.parametrize(
    "quasi_identifiers",
    [
        {"age": PARITY},
        {"age": shoal.QuasiIdentifier(hierarchy=shoal.intervals(5, 10, 20), min_level=1)},
        {"age": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), weight=3)},
    ],
    ids=["parity", "raised", "weighted"],
)
@pytest.mark.parametrize(
    "labels",
    ["fitting", "nodes", *(pytest.param(form, marks=pytest.mark.slow) for form in ("ranges", "sets"))],
)
def test_parts_change_no_label(
    quasi_identifiers: Any, labels: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people(5000)
    others = {"zip": shoal.prefix(5), "sex": "suppress", "job": "suppress"}
    wanted = spec(
        {"partition": {"labels": labels}}, *WHOLE["beta"], quasi_identifiers={**quasi_identifiers, **others}
    )
    whole = shoal.anonymize(table, wanted)
    few_fit(monkeypatch, 3300)
    assert classes(in_parts(table, wanted, tmp_path)) == classes(whole)


@pytest.mark.parametrize("kind", ["partition", "mondrian"])
@pytest.mark.parametrize("labels", ["fitting", "ranges", "sets"])
@pytest.mark.parametrize("age", ["suppress", PARITY], ids=["numbers", "parity"])
def test_every_label_covers_what_its_row_had(
    kind: str, labels: str, age: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people(5000)
    few_fit(monkeypatch, 3300)
    models = (shoal.KAnonymity(8), BETA) if kind == "partition" else (shoal.KAnonymity(3),)
    wanted = spec(
        {kind: {"labels": labels}},
        *models,
        quasi_identifiers={"age": age, **dict.fromkeys(("zip", "sex", "job"), "suppress")},
        sensitive=["wage"] if kind == "partition" else (),
        insensitive=["row", "town"] if kind == "partition" else ["row", "town", "wage"],
    )
    released = {row["row"]: row for row in in_parts(table, wanted, tmp_path).table.to_pylist()}
    assert len(released) == table.num_rows
    for before in table.to_pylist():
        after = released[before["row"]]
        assert before["wage"] == after["wage"]
        for name in ("age", "zip", "sex", "job"):
            label = None if after[name] is None else str(after[name])
            if label in ("odd", "even"):
                assert before[name] % 2 == (label == "odd")
            else:
                # Columns of digits are numbers to a reader.
                assert covers(label, int(before[name]) if name == "zip" else before[name])


@pytest.mark.parametrize("beta", [1, 2])
def test_no_class_of_a_part_misses_a_bound_of_the_table(
    beta: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part has other wages than the table, and its classes are to be like the table."""
    table = people(6000, seed=5)
    few_fit(monkeypatch, 4200)
    wanted = spec("partition", shoal.KAnonymity(4), shoal.BetaLikeness("wage", beta, from_level=0))
    released = in_parts(table, wanted, tmp_path).table
    for level in (dict(zip(GROUP_OF, GROUP_OF, strict=True)), GROUP_OF):
        wages = Counter(level[wage] for wage in table.column("wage").to_pylist())
        members = defaultdict(list)
        for row in released.to_pylist():
            members[row["age"], row["zip"], row["sex"], row["job"]].append(level[row["wage"]])
        assert len(members) > 100
        for own in members.values():
            assert len(own) >= 4
            for wage, count in Counter(own).items():
                assert count / len(own) <= most_allowed(wages[wage] / table.num_rows, beta) + 1e-9


def test_rows_that_are_equal_are_dealt_out_in_every_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.concat_tables([people(2500)] * 7)
    wanted = spec("partition", shoal.KAnonymity(60), shoal.BetaLikeness("wage", 0.5))
    whole = shoal.anonymize(table, wanted)
    few_fit(monkeypatch, 2000)
    assert classes(in_parts(table, wanted, tmp_path)) == classes(whole)


def test_any_number_of_threads_makes_the_same_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_fit(monkeypatch, 3300)
    table, wanted = people(5000), spec("partition", *WHOLE["beta"])
    found = [classes(in_parts(table, wanted, tmp_path, threads=threads)) for threads in (1, 4)]
    assert found[0] == found[1]


def test_its_report_and_evidence_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few_fit(monkeypatch, 3300)
    output = tmp_path / "release.csv"
    release = in_parts(people(5000), spec("partition", *WHOLE["beta"]), tmp_path)
    release.write(output, report=True)
    assert "wage" in (tmp_path / "release.csv.report.html").read_text()


def test_a_table_that_is_no_class_is_infeasible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few_fit(monkeypatch, 3300)
    with pytest.raises(shoal.InfeasibleError):
        in_parts(people(5000), spec("partition", shoal.AlphaK("wage", 0.105, 2)), tmp_path)


@pytest.mark.parametrize(
    ("recoding", "settings", "obstacle"),
    [
        ({"divide": "curve"}, {}, "divide: curve"),
        ({"divide": "nearest"}, {}, "divide: nearest"),
        ({}, {"unit": "row", "identifiers": ["row"], "insensitive": (), "accept": {}}, "a unit"),
        (
            {},
            {
                "quasi_identifiers": {
                    **dict.fromkeys(("age", "sex", "job"), "suppress"),
                    "zip": shoal.prefix(5),
                }
            },
            "no cut between values",
        ),
    ],
    ids=["curve", "nearest", "unit", "buckets"],
)
def test_what_takes_all_tuples_is_refused(
    recoding: Any, settings: Any, obstacle: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few_fit(monkeypatch, 1000)
    t = 0 if obstacle.startswith("no cut") else 0.5
    with pytest.raises(InputError, match="do not fit") as error:
        in_parts(
            people(5000),
            spec({"partition": recoding}, shoal.TCloseness("wage", t, "equal"), **settings),
            tmp_path,
            output=tmp_path / "release.csv",
        )
    assert obstacle in str(error.value)
    assert "Allow more memory" in str(error.value)
    assert {path.name for path in tmp_path.iterdir()} == {"people.parquet"}
