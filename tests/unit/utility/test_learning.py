"""What models learn from a release."""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.events import Training
from shoal.utility.learning import Split, is_numeric, unfit
from shoal.utility.matching_rows import Belonging
from tests.unit.utility.tables import column, people, spec, starred

pytest.importorskip("sklearn")


def learned(release: pa.Table, table: pa.Table | None = None, **how) -> tuple[shoal.UtilityAssessment, dict]:
    table = people() if table is None else table
    found = shoal.assess_utility(table, release, spec(), queries=0, **how)
    return found, {(one.target, one.model): one for one in found.learning}


def test_an_untouched_release_teaches_the_same():
    found, models = learned(people())
    assert len(models) == 10
    for one in models.values():
        assert one.release == one.original == one.raw
        assert one.errors is None or one.errors.release == one.errors.original
    assert models["ill", "logistic regression"].original > models["ill", "logistic regression"].suppressed
    assert models["pay", "linear regression"].original > 0.95
    assert {one.measure for one in found.learning if one.target == "pay"} == {"R2"}


def test_the_model_of_the_release_is_put_to_rows_as_they_are_too():
    release = shoal.anonymize(people(), spec())
    assert 0 < release.levels["age"] < release.heights["age"]
    one = {one.model: one for one in release.utility().learning if one.target == "pay"}["linear regression"]
    assert one.raw != one.release
    assert one.raw > one.suppressed  # a straight line goes on between the labels


def test_ctrl_c_ends_the_training_of_a_network_too(monkeypatch):
    from sklearn.neural_network import MLPClassifier

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(MLPClassifier, "_backprop", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learned(people(), target="ill")


def test_a_shuffled_release_is_the_same():
    rows = np.random.default_rng(1).permutation(400)
    assert learned(people().take(pa.array(rows)))[0].learning == learned(people())[0].learning


@pytest.mark.parametrize("make", [starred, lambda table: table.slice(0, 0)], ids=["starred", "removed"])
def test_a_suppressed_release_teaches_nothing(make):
    found, models = learned(make(people()))
    for one in models.values():
        assert one.release == one.suppressed
        assert one.errors is None or one.errors.release == one.errors.suppressed
        assert one.kept in (0, None)
    assert found.suppressed_rows in (0, 400)


def test_the_baseline_by_hand():
    table = people()
    split = Split.of(Belonging(np.ones(400, bool), 0, 0), 400, 400, seed=0, most=400)
    pay, ill = table["pay"].to_numpy(), np.array(table["ill"].to_pylist())
    common = max(("yes", "no"), key=lambda value: (ill[split.train] == value).sum())
    _, models = learned(table)
    assert models["ill", "decision tree"].suppressed == pytest.approx((ill[split.test] == common).mean())
    mean = pay[split.train].mean()
    squares = ((pay[split.test] - mean) ** 2).sum() / ((pay[split.test] - pay[split.test].mean()) ** 2).sum()
    assert models["pay", "decision tree"].suppressed == pytest.approx(1 - squares)
    errors = models["pay", "decision tree"].errors
    assert errors.suppressed == pytest.approx(np.abs(pay[split.test] - mean).mean())


def test_linear_regression_against_numpy():
    """Ages alone, in intervals: the model of the release is fitted to their middles."""
    table = people().select(["age", "pay"])
    asked = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(20)},
        sensitive=["pay"],
        accept={"pay": "linkable"},
        privacy=[shoal.KAnonymity(2)],
    )
    release = shoal.anonymize(table, asked.adjust(levels={"age": 1})).table
    (one, *_) = shoal.assess_utility(table, release, asked, queries=0).learning
    assert one.model == "linear regression"
    ages, pay = table["age"].to_numpy(), table["pay"].to_numpy()
    middle = {low: np.unique(ages[ages // 20 * 20 == low]).mean() for low in np.unique(ages // 20 * 20)}
    encoded = np.array([middle[age // 20 * 20] for age in ages])
    split = Split.of(Belonging(np.ones(400, bool), 0, 0), 400, 400, seed=0, most=400)
    slope, start = np.polyfit(encoded[split.train], pay[split.train], 1)
    missed = pay[split.test] - (slope * encoded[split.test] + start)
    spread = pay[split.test] - pay[split.test].mean()
    # The ridge of 1 among 280 rows makes a small difference.
    assert one.release == pytest.approx(1 - (missed**2).sum() / (spread**2).sum(), abs=0.01)


def test_suppressed_rows_are_not_learned_from():
    split = Split.of(Belonging(np.arange(10) < 5, 0, 5), 10, 5, seed=0, most=10)
    assert split.released.tolist() == (split.train < 5).tolist()
    assert not split.starred.any()
    split = Split.of(Belonging(np.arange(10) < 5, 5, 5), 10, 10, seed=0, most=10)
    assert split.released.all()
    assert split.starred.tolist() == (split.train >= 5).tolist()


def test_rows_are_held_out():
    split = Split.of(Belonging(np.ones(1000, bool), 0, 0), 1000, 1000, seed=4, most=100)
    assert (len(split.train), len(split.test)) == (70, 30)
    assert not set(split.train) & set(split.test)


def test_which_columns_can_be_targets():
    many = [f"v{number}" for number in range(60)]
    assert unfit(column(many, many)) == "it has 60 values, more than 50, and they are not numbers"
    assert unfit(column(["a", "a"], ["a", "a"])) == "it has a single value"
    assert unfit(column([1, 2], ["[1, 3)"] * 2)) == "it is generalized in the release"
    assert unfit(column(["a", "b"], ["a", "*"])) is None
    assert unfit(column(["a", "b"], ["*", "*"])) == "it is generalized in the release"
    assert not is_numeric(column([0, 1], [0, 1]))
    assert is_numeric(column(list(range(11)), list(range(11))))


def test_targets_that_are_named_and_those_left_out():
    names = [f"n{number}" for number in range(400)]
    table = people().append_column("name", pa.array(names))
    asked = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(5), "job": shoal.suppress()},
        sensitive=["name"],
        insensitive=["ill", "pay"],
        accept={"pay": "linkable"},
        privacy=[shoal.KAnonymity(1)],
    )
    found = shoal.assess_utility(table, table, asked, queries=0)
    assert found.learning == ()
    assert found.notes == (
        "Column 'name' is not learned: it has 400 values, more than 50, and they are not numbers.",
    )
    found = shoal.assess_utility(table, table, asked, queries=0, target="job")
    assert {one.target for one in found.learning} == {"job"}
    with pytest.raises(shoal.InputError, match=r"Column 'jib', a target.*\n.*\nDid you mean 'job'"):
        shoal.assess_utility(table, table, asked, queries=0, target=["job", "jib"])


def test_of_many_columns_the_three_that_depend_most_on_a_quasi_identifier():
    noise = np.random.default_rng(3).integers(0, 2, (2, 400))
    table = people().append_column("luck", pa.array(noise[0])).append_column("coin", pa.array(noise[1]))
    job = pa.array([str(value) * 2 for value in table["job"].to_pylist()])  # another name for each job
    table = table.add_column(0, "title", job)
    asked = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(5), "job": shoal.suppress()},
        sensitive=["luck", "coin", "title", "ill", "pay"],
        accept={"pay": "linkable"},
        privacy=[shoal.KAnonymity(1)],
    )
    events = []
    found = shoal.assess_utility(table, table, asked, queries=0, listener=events.append)
    assert list(dict.fromkeys(one.target for one in found.learning)) == ["title", "ill", "pay"]
    (note,) = found.notes
    assert note.startswith("Models predict 3 of 5 columns: those with the strongest association")
    told = [event for event in events if isinstance(event, Training)]
    assert [(event.done, event.models) for event in told] == [(done, 15) for done in range(15)]
    assert [event.what for event in told] == [f"{one.model} for {one.target}" for one in found.learning]
    named = shoal.assess_utility(table, table, asked, queries=0, target=["luck", "title", "ill", "pay"])
    assert len({one.target for one in named.learning}) == 4 and named.notes == ()


def test_targets_with_null():
    table = people()
    pay = table["pay"].to_pylist()
    ill = table["ill"].to_pylist()
    pay[:100], ill[50:150] = [None] * 100, [None] * 100
    table = table.set_column(2, "ill", pa.array(ill)).set_column(3, "pay", pa.array(pay))
    found, models = learned(table, table)
    assert len(models) == 10
    assert found.notes == ("Column 'pay': rows with NULL are not learned from.",)
    assert models["pay", "linear regression"].original > 0.9


def test_a_table_of_two_rows():
    table = people(2)
    found, _ = learned(table, table)
    assert all("not learned" in note for note in found.notes)


def test_local_recoding_is_learned_from_a_sample():
    ages = [str(age) if position % 2 else f"[{age // 10 * 10}, {age // 10 * 10 + 10})"
            for position, age in enumerate(people()["age"].to_pylist())]  # fmt: skip
    found, models = learned(people().set_column(0, "age", pa.array(ages)))
    assert len(models) == 10
    assert "Equal values have different labels" in found.notes[0]
    assert models["pay", "linear regression"].release > 0.8


def test_without_scikit_learn_the_rest_is_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    found = shoal.assess_utility(people(), people(), spec(), queries=10)
    assert found.learning == ()
    assert found.queries.count == 10
    assert len(found.columns) == 4
    assert found.notes == (
        "Learning needs the package sklearn, which is not installed. "
        "Install it: pip install 'shoal[utility]'.",
    )
