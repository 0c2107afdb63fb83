"""Batches come in, rows wait, and each row is released or suppressed once, whatever happens between."""

from __future__ import annotations

import math
import random
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv

import shoal
from shoal.errors import AuditError, InputError, OutputError
from shoal.events import Drifted, Event
from shoal.stream import emission as emissions
from shoal.stream import state as states
from shoal.stream.outcome import Outcome

DISEASES = ("flu", "cold", "ulcer", "HIV")
DECLARED = {"flu": 0.5, "cold": 0.3, "ulcer": 0.15, "HIV": 0.05}
DRIFTED = {"flu": 0.2, "cold": 0.2, "ulcer": 0.2, "HIV": 0.4}


def spec(**changes: Any) -> shoal.Spec:
    settings: dict[str, Any] = {
        "quasi_identifiers": {"age": "suppress", "zip": "suppress"},
        "sensitive": ["disease"],
        "insensitive": ["visit"],
        "identifiers": ["name"],
        "privacy": [shoal.KAnonymity(4), shoal.BetaLikeness("disease", 2, distribution=DECLARED)],
        "recoding": "partition",
        "suppression": 0.05,
        "accept": {"visit": "linkable"},
    }
    return shoal.Spec(**{**settings, **changes})


class Visits:
    """Makes batches; each row has a number of its own."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self.made = 0

    def batch(self, rows: int, shares: Mapping[str, float] = DECLARED) -> pa.Table:
        first, self.made = self.made, self.made + rows
        return pa.table(
            {
                "name": [f"name {number}" for number in range(rows)],
                "age": [self._random.randint(20, 59) for _ in range(rows)],
                "zip": [self._random.randint(100, 119) for _ in range(rows)],
                "disease": self._random.choices(DISEASES, [shares[each] for each in DISEASES], k=rows),
                "visit": list(range(first, self.made)),
            }
        )


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = tmp_path / "released"
    folder.mkdir()
    return folder


def opened(output: Path, **settings: Any) -> shoal.Stream:
    return shoal.Stream(**{"spec": spec(), "state": output.parent / "state", "output": output, **settings})


def emitted(output: Path) -> list[Path]:
    """Return the folders of emissions; beside them is nothing but the mark of the stream."""
    found = sorted(output.iterdir())
    assert [path.name for path in found if path.name.startswith(".")] in ([], [".shoal-stream"])
    return [path for path in found if not path.name.startswith(".")]


def released(output: Path) -> list[dict[str, str]]:
    """Return the rows of all emissions, each of which is audited and has nothing beside it."""
    rows = []
    for folder in emitted(output):
        file = folder / "release.csv"
        assert {path.name for path in folder.iterdir()} == {
            file.name,
            f"{file.name}.manifest.json",
            f"{file.name}.checker.py",
        }
        assert shoal.audit_release(file, manifest=f"{file}.manifest.json").holds
        found = csv.read_csv(file, convert_options=csv.ConvertOptions(column_types={"age": pa.string()}))
        rows += [{**row, "folder": folder.name} for row in found.to_pylist()]
    return rows


def numbers(output: Path) -> list[int]:
    return sorted(int(row["visit"]) for row in released(output))


def test_rows_wait_until_the_oldest_cannot(output: Path) -> None:
    # Rows wait in memory, whatever the engine of other releases by this spec is.
    visits, stream = Visits(), opened(output, spec=spec(engine="duckdb"), delay=2)
    found = [stream.add(visits.batch(40), number) for number in range(7)]
    assert [outcome.waiting for outcome in found] == [40, 80, 0, 40, 80, 0, 40]
    assert [outcome.released for outcome in found] == [0, 0, 120, 0, 0, 120, 0]
    assert stream.waiting == 40
    last = stream.finish()
    assert (last.released + last.suppressed, last.waiting, stream.waiting) == (40, 0, 0)
    assert stream.finish() == Outcome()


def test_too_few_rows_wait_and_are_suppressed_when_their_time_is_up(output: Path) -> None:
    heard: list[Event] = []
    stream = opened(output, delay=1, listener=heard.append)
    visits = Visits()
    assert stream.add(visits.batch(2), "a").waiting == 2
    # The first two cannot wait any longer; the third can.
    outcome = stream.add(visits.batch(1), "b")
    assert (outcome.released, outcome.suppressed, outcome.waiting) == (0, 2, 1)
    assert outcome.emission is None
    assert not emitted(output)
    assert outcome.alarm is not None
    assert "Fewer rows came than any class needs." in outcome.alarm
    assert [event.alarm for event in heard if isinstance(event, Drifted)] == [outcome.alarm]


def test_every_class_of_every_emission_keeps_the_declared_distribution(output: Path) -> None:
    """By the definition, in plain Python: c <= p (1 + min(beta, -ln p)) n."""
    visits, stream = Visits(3), opened(output, delay=1)
    shares = [DECLARED, DECLARED, DECLARED, DRIFTED, DRIFTED, DECLARED]
    found = [stream.add(visits.batch(100, each), number) for number, each in enumerate(shares)]
    classes: dict[tuple[str, ...], Counter[str]] = {}
    for row in released(output):
        classes.setdefault((row["folder"], row["age"], row["zip"]), Counter())[row["disease"]] += 1
    assert len(classes) > 10
    for counts in classes.values():
        n = counts.total()
        assert n >= 4
        for value, p in DECLARED.items():
            assert counts[value] <= p * (1 + min(2, -math.log(p))) * n * (1 + 1e-12)
    # In the drifted batches this is not the distribution that they have, and much is suppressed.
    assert sum(outcome.suppressed for outcome in found) > 0
    assert sum(outcome.released + outcome.suppressed for outcome in found) == 600


def test_a_drift_raises_an_alarm_that_shows_no_values(output: Path) -> None:
    visits, stream = Visits(), opened(output)
    assert stream.add(visits.batch(200), 0).alarm is None
    alarm = stream.add(visits.batch(200, DRIFTED), 1).alarm
    assert alarm is not None
    assert "the spec allows 5.0%" in alarm
    assert "do not satisfy enhanced 2-likeness of disease, distribution declared" in alarm
    assert not any(value in alarm for value in DISEASES)


def test_an_alarm_blames_a_distribution_only_where_one_is_declared(output: Path) -> None:
    diverse = spec(privacy=[shoal.KAnonymity(4), shoal.LDiversity("disease", 3)], suppression=0)
    alarm = (
        opened(output, spec=diverse)
        .add(Visits().batch(40, {**dict.fromkeys(DISEASES, 0), "flu": 1}), 0)
        .alarm
    )
    assert alarm is not None
    assert "All 40 rows together do not satisfy distinct 3-diversity of disease.\n" in alarm
    assert "declared" not in alarm
    assert "distribution" not in alarm


def test_too_few_rows_for_an_average_risk_wait(output: Path) -> None:
    average = spec(privacy=[shoal.Risk(maximal=0.5, average=0.1)])
    stream, visits = opened(output, spec=average, delay=1), Visits()
    stream.add(visits.batch(0), 0)
    assert stream.add(visits.batch(5), 1).waiting == 5
    assert stream.add(visits.batch(6), 2).released == 11


def test_a_distribution_may_have_null_alone(output: Path) -> None:
    nothing = shoal.TCloseness("disease", 0.2, distribution=[[None, 1]])
    stream, batch = opened(output, spec=spec(privacy=[shoal.KAnonymity(4), nothing])), Visits().batch(40)
    assert stream.add(batch, 0).suppressed == 40
    assert stream.add(batch.set_column(3, "disease", pa.nulls(40, pa.string())), 1).released == 40


@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
def test_values_that_nobody_declared_take_their_region_with_them(output: Path, distance: str) -> None:
    """And no other: what is declared says how far values are apart, whatever else comes."""
    illness = shoal.taxonomy({"mild": ["flu", "cold"], "grave": ["HIV", "ulcer"], "plagues": ["plague"]})
    close = shoal.TCloseness("disease", 0.2, distance=distance, distribution=DECLARED)
    visits = Visits()
    stream = opened(
        output, spec=spec(privacy=[shoal.KAnonymity(4), close], sensitive={"disease": illness}, suppression=0)
    )
    batch = visits.batch(200)
    strange = [*batch.column("disease").to_pylist()[:-1], "plague"]
    outcome = stream.add(batch.set_column(3, "disease", pa.array(strange)), 0)
    assert 4 <= outcome.suppressed < 50
    assert outcome.alarm is not None
    assert "The declared distribution lacks the values of 1 of all rows." in outcome.alarm
    assert "All other 199 rows together satisfy the models." in outcome.alarm
    assert not any(row["disease"] == "plague" for row in released(output))


def test_a_batch_that_comes_again_changes_nothing(output: Path) -> None:
    visits, stream = Visits(), opened(output, delay=1)
    batches = [visits.batch(50) for _ in range(4)]
    for number, batch in enumerate(batches):
        stream.add(batch, number)
    before = numbers(output)
    for number, batch in enumerate(batches):
        backwards = batch.take(pa.array(range(batch.num_rows - 1, -1, -1)))
        assert stream.add(backwards, number).repeated
    assert numbers(output) == before
    with pytest.raises(InputError, match="Batch '1' came before, with other rows"):
        stream.add(visits.batch(50), 1)


def test_batches_may_be_written_with_other_decimal_places(output: Path) -> None:
    typed = spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=["cost"],
        insensitive=[],
        identifiers=[],
        privacy=[shoal.KAnonymity(2)],
        accept={},
        types={"age": "integer", "cost": {"decimal": ","}},
    )
    stream = opened(output, spec=typed, delay=1)
    for number, costs in enumerate([("1,5", "2"), ("1.001,25", "3,5")]):
        file = output.parent / f"{number}.csv"
        file.write_text("age;cost\n" + "".join(f"31;{cost}\n" for cost in costs), encoding="utf-8")
        outcome = stream.add(file, number)
    assert outcome.emission is not None
    rows = (outcome.emission / "release.csv").read_text(encoding="utf-8").split()
    assert sorted(rows[1:]) == ["31,1.50", "31,1001.25", "31,2.00", "31,3.50"]


def test_a_batch_without_rows_counts_as_time(output: Path) -> None:
    visits, stream = Visits(), opened(output, delay=1)
    stream.add(visits.batch(80), 0)
    outcome = stream.add(visits.batch(0), 1)
    assert (outcome.rows, outcome.waiting) == (0, 0)
    assert outcome.released + outcome.suppressed == 80


class Killed(BaseException):
    """Ends a process as nothing that it could handle."""


STEPS: dict[str, tuple[Any, str]] = {
    "before the batch is noted": (states.State, "note_batch"),
    "before values are counted": (states.State, "count_values"),
    "before the emission is staged": (emissions, "publish"),
    "before the names are on the disk": (emissions, "_flush"),
    "before the emission is noted": (states.State, "note_emission"),
    "before rows are let go": (states.State, "keep_waiting"),
    "before the emission is published": (Path, "rename"),
    "before it is noted as published": (states.State, "note_published"),
}


def killing(monkeypatch: pytest.MonkeyPatch, step: str, *, after: bool) -> None:
    """Let a step end the process when it is first taken, before or after it did what it does."""
    owner, name = STEPS[step]
    own: Callable[..., Any] = getattr(owner, name)

    def dies(*given: Any, **named: Any) -> Any:
        if after:
            own(*given, **named)
        raise Killed

    monkeypatch.setattr(owner, name, dies)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step_it_loses_no_row_and_releases_none_twice(
    output: Path, step: str, after: bool
) -> None:
    visits = Visits()
    batches = [visits.batch(20), visits.batch(40)]
    opened(output, delay=1).add(batches[0], 0)
    with pytest.MonkeyPatch.context() as patched:
        killing(patched, step, after=after)
        # A process that dies takes back nothing: what it had not committed is in no state.
        patched.setattr(emissions, "shutil", SimpleNamespace(rmtree=lambda *_, **__: None))
        with pytest.raises(Killed):
            opened(output, delay=1).add(batches[1], 1)
    stream = opened(output, delay=1)
    assert [stream.add(batch, number).batch for number, batch in enumerate(batches)] == ["0", "1"]
    assert stream.waiting == 0
    # All rows together satisfy, so that none is suppressed.
    assert numbers(output) == list(range(visits.made))


def test_an_emission_that_fails_its_audit_leaves_everything_as_it_was(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visits, stream = Visits(), opened(output, delay=1)
    stream.add(visits.batch(40), 0)

    def refused(*_: Any, **__: Any) -> Any:
        raise AuditError("It does not hold.")

    batch = visits.batch(40)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(emissions, "publish", refused)
        with pytest.raises(AuditError):
            stream.add(batch, 1)
    assert not emitted(output)
    assert stream.waiting == 40
    assert stream.add(batch, 1).released > 0


def test_one_process_at_a_time(output: Path) -> None:
    stream = opened(output)
    with states.transaction(output.parent / "state"), pytest.raises(OutputError, match="Another process"):
        stream.add(Visits().batch(40), 0)


def test_a_state_and_an_output_belong_together(output: Path, tmp_path: Path) -> None:
    """Who begins again with an empty state would release the same rows twice."""
    batch = Visits().batch(40)
    stream = opened(output)
    stream.add(batch, 0)
    with pytest.raises(OutputError, match="output of another stream"):
        opened(output, state=tmp_path / "other").add(batch, 0)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with pytest.MonkeyPatch.context() as patched, pytest.raises(Killed):
        killing(patched, "before the emission is published", after=False)
        stream.add(Visits(1).batch(40), 1)
    with pytest.raises(OutputError, match="Emission 2 of the stream is not in"):
        opened(elsewhere, state=output.parent / "state").add(batch, 0)
    assert opened(output).add(batch, 0).repeated
    assert len(emitted(output)) == 2


def test_an_older_state_releases_nothing_again(output: Path) -> None:
    """It comes from a backup: what was released since then would be so twice."""
    visits, stream = Visits(), opened(output)
    stream.add(visits.batch(40), 0)
    database = output.parent / "state" / "stream.sqlite"
    older = database.read_bytes()
    stream.add(visits.batch(40), 1)
    database.write_bytes(older)
    for _ in range(2):
        with pytest.raises(OutputError, match="has an emission 2, which the state does not know"):
            stream.add(visits.batch(40), 2)
    assert len(emitted(output)) == 2


def test_the_state_is_private_and_forgets_what_is_settled(output: Path) -> None:
    visits, stream = Visits(), opened(output, delay=1)
    batch = visits.batch(40)
    secret = batch.set_column(3, "disease", pa.array(["flu"] * 20 + ["cold"] * 20))
    stream.add(secret, 0)
    state = output.parent / "state"
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    (file,) = state.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    content = file.read_bytes()
    assert b"name 1" not in content
    stream.finish()
    # The waiting rows had all values one after the other; the distribution, which stays, has each once.
    assert b"fluflu" in content
    assert b"fluflu" not in file.read_bytes()
    state.chmod(0o755)
    with pytest.raises(InputError, match="chmod 700"):
        stream.add(visits.batch(40), 1)


def test_the_distribution_is_measured_once_and_then_fixed(output: Path) -> None:
    visits = Visits()
    measured = spec(privacy=[shoal.KAnonymity(4), shoal.BetaLikeness("disease", 2)])
    with pytest.raises(InputError, match=r"(?s)A batch is no measure of it.*--reference"):
        opened(output, spec=measured).add(visits.batch(40), 0)
    reference = pa.table({"disease": ["flu"] * 22 + ["cold"] * 13 + ["ulcer"] * 7 + ["HIV"]})
    opened(output, spec=measured, reference=reference).add(visits.batch(100), 0)
    # Rounded to what any class needs: exact counts of a table give the rest of it away.
    fixed = shoal.BetaLikeness("disease", 2, distribution={"flu": 24, "cold": 12, "ulcer": 8, "HIV": 4})
    manifest = output / "000001" / "release.csv.manifest.json"
    assert shoal.Spec.from_yaml(_spec_of(manifest)).privacy[1] == fixed
    other = pa.table({"disease": ["HIV"] * 100})
    opened(output, spec=measured, reference=other).add(visits.batch(100), 1)
    manifest = output / "000002" / "release.csv.manifest.json"
    assert shoal.Spec.from_yaml(_spec_of(manifest)).privacy[1] == fixed
    single = pa.table({"disease": [f"illness {number}" for number in range(30)] + ["flu"] * 70})
    with pytest.raises(InputError, match="30 of 100 rows with a value that no other has"):
        opened(output.parent, spec=measured, reference=single).add(visits.batch(100), 0)
    with pytest.raises(InputError, match="distributions of a stream are fixed"):
        opened(output).add(visits.batch(100), 2)


def _spec_of(manifest: Path) -> Path:
    import json

    import yaml

    path = manifest.parents[2] / "stated.yaml"
    stated = json.loads(manifest.read_text(encoding="utf-8"))["spec"]
    path.write_text(yaml.safe_dump(stated, sort_keys=False), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"unit": "name"}, "several batches would be in several classes"),
        ({"suppressed": "star"}, "too few to hide"),
        ({"choose_by": "quasi-identifiers", "recoding": "mondrian"}, "depends on their sensitive values"),
        ({"privacy": [shoal.LDiversity("disease", 1)]}, "a k of at least 2"),
        ({"privacy": [shoal.KMap(2, "town.csv"), shoal.KAnonymity(2)]}, "compares with a population"),
    ],
)
def test_what_cannot_be_judged_by_batches_is_refused(
    output: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        opened(output, spec=spec(**changes))
    assert not (output.parent / "state").exists()


def test_all_that_is_wrong_comes_at_once(output: Path) -> None:
    with pytest.raises(InputError, match=r"would be in .*, the folder of the emissions") as caught:
        opened(output, spec=spec(unit="name", suppressed="star"), delay=-1, state=output / "state")
    assert len(caught.value.problems) == 4
    assert not (output / "state").exists()


def test_a_wrong_batch_is_refused_when_it_comes(output: Path) -> None:
    """Not when it is released: by then it would keep the others from being released."""
    visits = Visits()
    bands = spec(
        quasi_identifiers={
            "age": shoal.intervals(10),
            "zip": shoal.QuasiIdentifier(hierarchy=shoal.suppress(), null="forbid"),
        }
    )
    stream = opened(output, spec=bands, delay=1)
    stream.add(visits.batch(40), 0)
    batch = visits.batch(40)
    wrong = batch.set_column(1, "age", pa.array(["old"] * 40)).set_column(2, "zip", pa.nulls(40, pa.int64()))
    with pytest.raises(InputError) as caught:
        stream.add(wrong, 1)
    assert len(caught.value.problems) == 2
    with pytest.raises(InputError, match=r"Column 'zip' has the type string in this batch"):
        stream.add(batch.set_column(2, "zip", pa.array(["a"] * 40)), 1)
    with pytest.raises(InputError, match=r"Column 'visit' cannot be written as CSV\."):
        stream.add(batch.set_column(4, "visit", pa.array([[1]] * 40)), 1)
    assert stream.waiting == 40
    assert stream.add(batch, 1).waiting == 0


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SHOAL_HOME", str(tmp_path / "home"))
    yield
