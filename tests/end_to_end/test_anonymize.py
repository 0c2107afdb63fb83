"""The whole flow, checked by counting rows in plain Python."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.engines import memory
from shoal.events import STEPS, SearchAdvanced, StepFinished, StepStarted
from shoal.recode.full_domain import FullDomain
from shoal.recode.released_classes import Verdict

PEOPLE = {
    "name": ["Ann", "Bob", "Cid", "Dora", "Eve", "Finn", "Gus"],
    "age": [31, 34, 38, 52, 57, 59, 88],
    "zip": ["53715", "53710", "53706", "53703", "53703", "53706", "01234"],
    "disease": ["flu", "flu", "cough", "flu", "cough", "flu", "rare"],
}


def spec_of(**changes: object) -> shoal.Spec:
    settings = {
        "quasi_identifiers": {"age": shoal.intervals(10, 20), "zip": shoal.prefix(5)},
        "sensitive": ["disease"],
        "identifiers": ["name"],
        "privacy": [shoal.KAnonymity(3)],
        "suppression": 0.2,
    }
    return shoal.Spec(**(settings | changes))


def rows_of(table: pa.Table, *columns: str) -> list[tuple[object, ...]]:
    return list(zip(*(table[name].to_pylist() for name in columns), strict=True))


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": lambda people: pl.DataFrame(people).lazy(),
    "arrow": pa.table,
}


@pytest.mark.parametrize("kind", FRAMES)
def test_the_kind_that_went_in_comes_out(kind):
    frame = FRAMES[kind](PEOPLE)
    release = shoal.anonymize(frame, spec_of())
    assert type(release.data) is type(frame)
    assert release.data is release.data
    data = release.data.collect() if kind == "lazy polars" else release.data
    ages = [age.as_py() if isinstance(age, pa.Scalar) else age for age in data["age"]]
    assert Counter(ages) == {"[30, 40)": 3, "[50, 60)": 3}
    assert release.audit.holds


def test_classes_and_suppressed_rows():
    release = shoal.anonymize(pa.table(PEOPLE), spec_of())
    assert release.table.column_names == ["age", "zip", "disease"]
    assert release.levels == {"age": 1, "zip": 2}
    assert release.heights == {"age": 3, "zip": 5}
    assert Counter(rows_of(release.table, "age", "zip")) == {
        ("[30, 40)", "537**"): 3,
        ("[50, 60)", "537**"): 3,
    }
    assert (release.rows, release.suppressed_rows, release.classes) == (7, 1, 2)
    assert release.class_sizes == {3: 2}
    assert release.optimal
    assert release.quality == "loss"


def test_what_suppressed_rows_had_is_nowhere_in_the_release(tmp_path):
    release = shoal.anonymize(pa.table(PEOPLE), spec_of())
    buffers = b"".join(
        bytes(buffer)
        for column in release.table.columns
        for chunk in column.chunks
        for buffer in (
            *chunk.buffers(),
            *(chunk.dictionary.buffers() if hasattr(chunk, "dictionary") else ()),
        )
        if buffer is not None
    )
    for name in ("release.csv", "release.parquet"):
        written = release.write(tmp_path / name).read_bytes()
        manifest = (tmp_path / f"{name}.manifest.json").read_bytes()
        for secret in (b"01234", b"rare", b"0****", b"[80, 90)", b"Ann"):
            assert secret not in buffers + written + manifest


def test_star_keeps_the_rows():
    release = shoal.anonymize(pa.table(PEOPLE), spec_of(suppressed="star", suppression=0.6))
    assert Counter(rows_of(release.table, "age", "zip")) == {("[50, 60)", "5370*"): 3, ("*", "*"): 4}
    assert release.suppressed_rows == release.audit.starred_rows == 4
    assert release.class_sizes == {3: 1, 4: 1}


def test_starred_rows_that_would_be_too_few_are_not_starred():
    release = shoal.anonymize(pa.table(PEOPLE), spec_of(suppressed="star"))
    assert (release.suppressed_rows, release.class_sizes) == (0, {7: 1})


def test_whole_numbers_at_level_0_stay_whole_numbers():
    frame = pd.DataFrame({"age": [30, 30, 40, 40], "sex": ["F", "M", "F", "M"]})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10), "sex": "suppress"}, privacy=[shoal.KAnonymity(2)]
    )
    release = shoal.anonymize(frame, spec)
    assert release.levels == {"age": 0, "sex": 1}
    assert release.data["age"].dtype == frame["age"].dtype
    assert release.table["age"].type == pa.int64()


def test_null_and_the_empty_string_are_classes_of_their_own():
    people = pa.table({"town": ["", None, "", None, None]})
    spec = shoal.Spec(quasi_identifiers={"town": "suppress"}, privacy=[shoal.KAnonymity(2)])
    release = shoal.anonymize(people, spec)
    assert release.levels == {"town": 0}
    assert Counter(release.table["town"].to_pylist()) == {"": 2, None: 3}
    release = shoal.anonymize(
        people, shoal.Spec(quasi_identifiers={"town": "suppress"}, privacy=[shoal.KAnonymity(3)])
    )
    assert Counter(release.table["town"].to_pylist()) == {"*": 5}


@given(
    rows=st.lists(
        st.tuples(st.one_of(st.none(), st.integers(0, 30)), st.sampled_from(["a", "b", "", None])),
        min_size=1,
        max_size=25,
    ),
    k=st.integers(1, 4),
    limit=st.sampled_from([0.0, 0.1, 0.5]),
    suppressed=st.sampled_from(["remove", "star"]),
    quality=st.sampled_from(["loss", "height", "discernability", "entropy", "precision"]),
)
def test_every_class_has_k_rows(rows, k, limit, suppressed, quality):
    people = pa.table(
        [pa.array([row[i] for row in rows], kind) for i, kind in enumerate((pa.int32(), pa.string()))],
        names=["x", "y"],
    )
    spec = shoal.Spec(
        quasi_identifiers={"x": shoal.intervals(5, 10), "y": "suppress"},
        privacy=[shoal.KAnonymity(k)],
        suppression=limit,
        suppressed=suppressed,
        quality=quality,
    )
    if k > len(rows):
        with pytest.raises(shoal.InfeasibleError):
            shoal.anonymize(people, spec)
        return
    release = shoal.anonymize(people, spec, all_nodes=True)
    classes = Counter(rows_of(release.table, "x", "y"))
    lost = len(rows) - sum(classes.values())
    if suppressed == "star" and release.levels != {"x": 3, "y": 1}:
        lost = classes["*", "*"]
        classes = +classes
    assert min(classes.values(), default=k) >= k
    assert lost == release.suppressed_rows <= limit * len(rows)
    assert release.class_sizes == Counter(classes.values())
    best = min(node.score for node in release.satisfying_nodes)
    assert release.score == best


@pytest.mark.parametrize(
    "quality", ["height", "precision", "loss", "entropy", "discernability", "average-class-size"]
)
def test_satisfying_nodes_agree_with_the_reference(quality):
    """Also where a level merges nothing: 7 is alone in its intervals of 5 and of 10."""
    from shoal.encode.table import code_table
    from shoal.search.algorithms.exhaustive import node_of
    from shoal.search.problem import SearchProblem

    people = pa.table({"x": [7, 7, 23, 24, 31, None], "y": ["a", "a", "b", "b", "b", "b"]})
    spec = shoal.Spec(
        quasi_identifiers={
            "x": shoal.QuasiIdentifier(hierarchy=shoal.intervals(5, 10, 20), min_level=1, weight=3),
            "y": "suppress",
        },
        privacy=[shoal.KAnonymity(2)],
        suppression=0.4,
        quality=quality,
    )
    release = shoal.anonymize(people, spec, all_nodes=True)
    coded = code_table(
        pa.table({name: people[name].combine_chunks().dictionary_encode() for name in "xy"}),
        spec.quasi_identifiers,
    )
    problem = SearchProblem(coded, spec.privacy, spec.quality, spec.suppression)
    nodes = [node_of(problem, levels) for levels in problem.lattice]
    expected = [
        (*node.levels, node.suppressed_rows, spec.quality.score(node))
        for node in nodes
        if node.suppressed_rows <= 2
    ]
    assert sorted(rows_of(release.satisfying_nodes.table, "x", "y", "suppressed_rows", "score")) == sorted(
        expected
    )
    assert release.to_mapping()["satisfying_nodes"] == len(expected)
    assert release.score == min(row[-1] for row in expected)


def test_rows_are_shuffled_by_the_seed():
    people = pa.table({"sex": ["F"] * 200, "row": list(range(200))})
    spec = shoal.Spec(
        quasi_identifiers={"sex": "suppress"},
        insensitive=["row"],
        privacy=[shoal.KAnonymity(2)],
        accept={"row": "linkable"},
    )

    def order(**how: object) -> list[int]:
        return shoal.anonymize(people, spec, **how).table["row"].to_pylist()

    assert order(seed=7) == order(seed=7)
    assert order(seed=7) != order(seed=8)
    assert order() != order()
    assert sorted(order()) == order(keep_order=True) == list(range(200))


def test_the_input_is_not_changed():
    frame = pd.DataFrame(PEOPLE)
    shoal.anonymize(frame, spec_of())
    pd.testing.assert_frame_equal(frame, pd.DataFrame(PEOPLE))


@pytest.mark.parametrize(
    ("how", "columns", "note"),
    [
        (
            {"keep_undeclared": True},
            ["age", "zip", "disease", "extra"],
            "Undeclared columns released unchanged: extra.",
        ),
        ({"drop_undeclared": True}, ["age", "zip", "disease"], "Undeclared columns dropped: extra."),
    ],
)
def test_undeclared_columns(how, columns, note, tmp_path):
    people = pa.table(PEOPLE | {"extra": list(range(7))})
    release = shoal.anonymize(people, spec_of(), **how)
    assert release.table.column_names == columns
    assert note in release.summary()
    release.write(tmp_path / "release.csv")


def test_identifiers_are_not_even_read():
    class NoText:
        """Arrow cannot read a column of these."""

    frame = pd.DataFrame(PEOPLE | {"name": [NoText() for _ in range(7)]})
    assert "name" not in shoal.anonymize(frame, spec_of()).data


NAMES = [
    'a "quoted" one',
    "it's; DROP TABLE kept; --",
    "größe 年齢 🐟",
    "a,b\tc",
    "%s {x} \\n",
    "Age_1",
    "age",
    "*",
    "row",
]


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_column_names_of_all_kinds(tmp_path, suffix):
    people = {name: ["x", "x", "y", "y"] for name in NAMES} | {"secret 'note'": ["1", "2", "3", "4"]}
    spec = shoal.Spec(
        quasi_identifiers=dict.fromkeys(NAMES, "suppress"),
        sensitive=["secret 'note'"],
        privacy=[shoal.KAnonymity(2)],
    )
    release = shoal.anonymize(pa.table(people), spec, all_nodes=True)
    path = release.write(tmp_path / f"release.{suffix}")
    assert release.levels == dict.fromkeys(NAMES, 0)
    again = shoal.anonymize(path, spec)
    assert Counter(rows_of(again.table, *NAMES)) == {("x",) * 9: 2, ("y",) * 9: 2}
    assert release.satisfying_nodes.table.column_names == [*NAMES, "suppressed_rows", "score"]


def test_files_and_specs_by_their_path(tmp_path):
    (tmp_path / "people.csv").write_text('age;note\n31;a\n34;\n35;""\n', encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(
        "columns:\n  age: {role: quasi-identifier, hierarchy: {intervals: 10}}\n"
        "  note: {role: insensitive}\nprivacy: [k-anonymity: 3]\n"
    )
    release = shoal.anonymize(str(tmp_path / "people.csv"), tmp_path / "spec.yaml")
    assert Counter(rows_of(release.data, "age", "note")) == {
        ("[30, 40)", "a"): 1,
        ("[30, 40)", None): 1,
        ("[30, 40)", ""): 1,
    }
    path = release.write(tmp_path / "out.csv")
    with path.open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file, delimiter=";")) == ["age", "note"]


def test_typed_columns_of_a_parquet_file(tmp_path):
    pq.write_table(pa.table({"age": pa.array([31, 31, None, None], pa.int8())}), tmp_path / "people.parquet")
    spec = shoal.Spec(quasi_identifiers={"age": shoal.intervals(10)}, privacy=[shoal.KAnonymity(2)])
    release = shoal.anonymize(tmp_path / "people.parquet", spec)
    assert release.levels == {"age": 0}
    written = pq.read_table(release.write(tmp_path / "out.parquet"))
    assert written["age"].type == pa.int8()
    assert Counter(written["age"].to_pylist()) == {31: 2, None: 2}


def test_algorithms_agree():
    release, reference = (
        shoal.anonymize(pa.table(PEOPLE), spec_of(), algorithm=name, seed=1, all_nodes=True)
        for name in ("box", "exhaustive")
    )
    assert release.table.equals(reference.table)
    assert release.satisfying_nodes.table.equals(reference.satisfying_nodes.table)
    assert (release.levels, release.score) == (reference.levels, reference.score)


def test_events():
    events = []
    release = shoal.anonymize(pa.table(PEOPLE), spec_of(), listener=events.append, algorithm="exhaustive")
    started = [event.step for event in events if isinstance(event, StepStarted)]
    assert started == [step for step in STEPS if step not in ("write", "report")]
    finished = {event.step: event.seconds for event in events if isinstance(event, StepFinished)}
    advanced = [event for event in events if isinstance(event, SearchAdvanced)]
    assert finished.keys() == set(started)
    assert advanced[-1] == SearchAdvanced(nodes=24, decided=24, best=release.score)


def test_seconds(tmp_path):
    release = shoal.anonymize(pa.table(PEOPLE), spec_of())
    before = release.seconds
    release.write(tmp_path / "release.csv")
    after = release.seconds
    assert list(after) == [*STEPS, "total"]
    assert before["write"] == 0 < after["write"]
    assert after["audit"] > before["audit"]
    assert after["total"] == pytest.approx(sum(after[step] for step in STEPS))


def test_mapping_is_json():
    mapping = shoal.anonymize(pa.table(PEOPLE), spec_of()).to_mapping()
    assert json.loads(json.dumps(mapping)) == mapping
    assert mapping["satisfying_nodes"] is None
    assert mapping["nodes"]["lattice"] == 24
    assert mapping["nodes"]["checked"] + mapping["nodes"]["tagged"] == 24


def test_summary_names_everything_and_nobody():
    summary = shoal.anonymize(pa.table(PEOPLE), spec_of()).summary()
    for expected in (
        "age     1 of 3  [30, 40), [50, 60)",
        "7 in, 6 out",
        "1 row (14.29%), removed",
        "smallest class 3",
    ):
        assert expected in summary
    assert "01234" not in summary


@pytest.mark.parametrize("max_level", [0, 1, 2])
@pytest.mark.parametrize(("k", "limit"), [(2, 0.0), (3, 0.1), (4, 0.2), (7, 0.3)])
def test_what_an_infeasible_answer_proposes_works_and_nothing_nearer_does(k, limit, max_level):
    ages = [11, 12, 13, 21, 22, 23, 24, 31, 32, 41]
    people = pa.table({"age": ages})

    def attempt(k: int, limit: float) -> shoal.Release:
        qi = shoal.QuasiIdentifier(hierarchy=shoal.intervals(10, 20), max_level=max_level)
        spec = shoal.Spec(quasi_identifiers={"age": qi}, privacy=[shoal.KAnonymity(k)], suppression=limit)
        return shoal.anonymize(people, spec)

    widths = [1, 10, 20]
    sizes = Counter(age // widths[max_level] for age in ages).values()

    def feasible(k: int, suppressed: int) -> bool:
        return sum(size for size in sizes if size < k) <= suppressed

    if feasible(k, round(limit * 10)):
        assert attempt(k, limit).audit.holds
        return
    with pytest.raises(shoal.InfeasibleError) as caught:
        attempt(k, limit)
    best_k = max(k for k in range(1, 11) if feasible(k, round(limit * 10)))
    best_limit = next(rows for rows in range(11) if feasible(k, rows)) / 10
    message = str(caught.value)
    assert f"k = {best_k} with this limit" in message
    assert f"a suppression limit of {best_limit:g}" in message
    assert "The spec holds age below the top level" in message
    attempt(best_k, limit)
    attempt(k, best_limit)


def test_more_rows_than_k_are_needed():
    with pytest.raises(shoal.InfeasibleError, match=r"only 7 rows(.|\n)*k = 7 with this limit") as caught:
        shoal.anonymize(pa.table(PEOPLE), spec_of(privacy=[shoal.KAnonymity(8)]))
    assert caught.value.exit_code == 3


def test_a_limit_of_1_can_suppress_everything(tmp_path):
    release = shoal.anonymize(pa.table(PEOPLE), spec_of(privacy=[shoal.KAnonymity(8)], suppression=1.0))
    assert (release.table.num_rows, release.suppressed_rows, release.classes) == (0, 7, 0)
    assert "0 out" in release.summary()
    assert Path(release.write(tmp_path / "out.csv")).read_text() == "age,zip,disease\n"


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"threads": 0}, "number of threads must be at least 1"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"keep_undeclared": True, "drop_undeclared": True}, "both kept and dropped"),
        ({"algorithm": "boxx"}, r"Unknown algorithm 'boxx'.(.|\n)*Did you mean 'box'"),
    ],
)
def test_wrong_arguments(how, message):
    with pytest.raises(shoal.InputError, match=message):
        shoal.anonymize(pa.table(PEOPLE), spec_of(), **how)


def test_all_problems_with_columns_at_once():
    people = pa.table(PEOPLE).rename_columns(["nmae", "age", "zipp", "disease"])
    with pytest.raises(shoal.InputError) as caught:
        shoal.anonymize(people, spec_of())
    message = str(caught.value)
    assert (
        "Column 'name' is not in the table.\nColumns: nmae, age, zipp, disease.\nDid you mean 'nmae'?"
        in message
    )
    assert "Column 'zip' is not in the table." in message
    assert "Undeclared: nmae, zipp." in message


def test_a_release_that_breaks_its_claim_is_not_returned(monkeypatch):
    real = Verdict.of
    monkeypatch.setattr(
        Verdict, "of", lambda coded, recoding, models, star: real(coded, recoding, [shoal.KAnonymity(1)])
    )
    with pytest.raises(shoal.AuditError, match="does not satisfy its claim 'k-anonymity 3'"):
        shoal.anonymize(pa.table(PEOPLE), spec_of())


def test_rows_that_were_to_be_suppressed_are_not_released(monkeypatch):
    real = memory.recode

    def keep_all(verdict, *rest, **how):
        return real(replace(verdict, kept=np.ones_like(verdict.kept)), *rest, **how)

    monkeypatch.setattr(memory, "recode", keep_all)
    with pytest.raises(shoal.AuditError, match="does not satisfy its claim 'k-anonymity 3'"):
        shoal.anonymize(pa.table(PEOPLE), spec_of())


def test_a_release_that_suppresses_more_than_it_may_is_not_returned(monkeypatch):
    real = Verdict.of
    monkeypatch.setattr(
        Verdict,
        "of",
        lambda coded, recoding, models, star: real(coded, FullDomain.at(coded, (0, 0)), models),
    )
    with pytest.raises(
        shoal.AuditError, match=r"suppression limit\.\nMeasured: 7 rows suppressed, 1 allowed"
    ):
        shoal.anonymize(pa.table(PEOPLE), spec_of())


def test_more_threads_than_processors():
    release = shoal.anonymize(pa.table(PEOPLE), spec_of(), threads=10**12)
    assert release.levels == shoal.anonymize(pa.table(PEOPLE), spec_of(), threads=1).levels


def test_weights_that_a_measure_ignores_are_noted():
    age = shoal.QuasiIdentifier(hierarchy=shoal.intervals(10, 20), weight=3.0)

    def notes(quality):
        spec = shoal.Spec(
            quasi_identifiers={"age": age, "zip": shoal.prefix(5)},
            privacy=[shoal.KAnonymity(2)],
            suppression=0.5,
            quality=quality,
        )
        table = pa.table({"age": [31, 34, 38, 52], "zip": ["53715", "53710", "53706", "53703"]})
        return shoal.anonymize(table, spec).notes

    assert notes("loss") == ()
    assert len(notes("entropy")) == 1
    assert "weights have no effect on entropy" in notes("entropy")[0]
