"""What a trial says is what a release shows."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import shoal
from shoal.errors import InfeasibleError, InputError, LinkableError

ROWS = 300
PEOPLE = pa.table(
    {
        "age": [20 + (7 * n) % 61 for n in range(ROWS)],
        "zip": [f"{10000 + 37 * (n % 90)}" for n in range(ROWS)],
        "sex": ["F", "M"] * (ROWS // 2),
        "job": [f"job {n % 23}" for n in range(ROWS)],
        "same": ["x"] * ROWS,
        "pay": [1000 + 10 * n for n in range(ROWS)],
    }
)


def spec(**settings):
    columns = {
        "age": shoal.intervals(5, 10, 20),
        "zip": shoal.prefix(5),
        "sex": "suppress",
        "job": "priority:10",
        "same": "suppress",
    }
    return shoal.Spec(
        quasi_identifiers=columns, **{"drop": ["pay"], "privacy": [shoal.KAnonymity(8)], **settings}
    )


def detail(release: shoal.Release) -> set[str]:
    """The quasi-identifiers with several labels in the release, or with one value in the table."""
    return {
        name
        for name in release.spec.quasi_identifiers
        if len(pc.unique(release.table[name])) > 1 or len(pc.unique(PEOPLE[name])) == 1
    }


@pytest.mark.parametrize("suppressed", ["remove", "star"])
def test_the_outcome_and_the_changes_are_those_of_releases(suppressed):
    wanted = spec(suppression=0.02, suppressed=suppressed)
    trial = shoal.try_spec(PEOPLE, wanted)
    release = shoal.anonymize(PEOPLE, wanted)
    outcome = trial.outcome
    assert outcome is not None
    if suppressed == "remove":
        assert set(outcome.columns) - set(outcome.lost) == detail(release)
    assert outcome.suppressed_rows == release.suppressed_rows
    assert outcome.optimal
    assert outcome.loss == pytest.approx(release.score)
    dearest = max(release.explanation.contributions.items(), key=lambda each: each[1])[0]
    assert trial.sentence.endswith(f"{dearest} costs most")
    assert trial.sentence.startswith("with k = 8: ")
    if suppressed == "star":
        return
    assert len(outcome.lost) > len(outcome.columns) / 3
    found = {change.setting: change for change in trial.changes}
    assert trial.changes[0].outcome.kept == max(change.outcome.kept for change in trial.changes)
    assert {"recoding"} <= set(found)
    for change in trial.changes:
        if change.setting == "without":
            others = {
                name: column for name, column in wanted.quasi_identifiers.items() if name != change.value
            }
            changed = spec(suppression=0.02, drop=["pay", change.value])
            changed = shoal.Spec(
                quasi_identifiers=others, drop=changed.drop, privacy=changed.privacy, suppression=0.02
            )
        else:
            changed = spec(**{"suppression": 0.02, change.setting: change.value})
        again = shoal.anonymize(PEOPLE, changed)
        assert set(change.outcome.columns) - set(change.outcome.lost) == detail(again)
        assert change.outcome.suppressed_rows == again.suppressed_rows


def test_few_lost_columns_need_no_advice():
    trial = shoal.try_spec(PEOPLE, spec(privacy=[shoal.KAnonymity(2)], suppression=0.5))
    assert trial.advice == ()


def test_what_is_refused_or_infeasible_is_said():
    released = spec(drop=[], sensitive=["pay"])
    with pytest.raises(LinkableError):
        shoal.anonymize(PEOPLE, released)
    assert "this release is refused: Column 'pay'" in shoal.try_spec(PEOPLE, released).sentence
    undeclared = spec(drop=[])
    with pytest.raises(InputError, match="no role for 1 column"):
        shoal.anonymize(PEOPLE, undeclared)
    trial = shoal.try_spec(PEOPLE, undeclared)
    assert "this release is refused: The spec has no role for 1 column" in trial.sentence
    too_much = spec(privacy=[shoal.KAnonymity(ROWS + 1)])
    with pytest.raises(InfeasibleError):
        shoal.anonymize(PEOPLE, too_much)
    trial = shoal.try_spec(PEOPLE, too_much)
    assert trial.outcome is None
    assert trial.sentence.startswith("No release satisfies k-anonymity 301")


def test_a_pseudonym_is_tried_without_its_key_and_nothing_is_promised():
    trial = shoal.try_spec(PEOPLE, spec(drop=[], pseudonyms=["pay"]))
    assert trial.outcome is not None
    assert "Not tried: whether the rows that pay links single people out" in trial.sentence


def test_only_a_search_that_was_cut_short_may_find_more():
    trial = shoal.try_spec(PEOPLE, spec(recoding="mondrian"))
    assert not trial.outcome.optimal
    assert "longer" not in trial.sentence


def test_whatever_goes_wrong_is_a_sentence(monkeypatch, tmp_path):
    assert "does not exist" in shoal.try_spec(tmp_path / "none.csv", spec()).sentence
    assert "Column 'zip'" in shoal.try_spec(PEOPLE.drop_columns(["zip"]), spec()).sentence
    assert "more than 1e-09 seconds" in shoal.try_spec(PEOPLE, spec(), seconds=1e-9).sentence

    def fail(*arguments: object, **options: object) -> None:
        raise pa.ArrowInvalid("Smith, 41")

    monkeypatch.setattr("shoal.trial.try_spec.Session", fail)
    assert shoal.try_spec(PEOPLE, spec()).sentence == "Not tried: ArrowInvalid."
    assert shoal.try_spec(PEOPLE, spec()).to_mapping()["outcome"] is None


def test_people_are_counted_and_open_questions_are_not_tried():
    visits = pa.table({"who": [n // 3 for n in range(ROWS)], "age": [20 + n // 3 % 40 for n in range(ROWS)]})
    counted = shoal.suggest(visits, unit="who", k=5)
    assert shoal.try_spec(visits, counted).sentence.startswith(
        "with k = 5 people: 1 of 1 quasi-identifier keeps"
    )
    orders = pa.table({"buyer": [n % 40 for n in range(240)], "seller": [n // 6 for n in range(240)]})
    assert "who is a row about?" in shoal.try_spec(orders, shoal.suggest(orders)).sentence
