"""What is run, and how answers are compared."""

from __future__ import annotations

import pytest

from shoal import registry
from shoal.bench.runs import (
    Agreement,
    Bench,
    Case,
    Setting,
    algorithm,
    cases,
    compare,
    configured,
    default_case,
    switches_of,
)
from shoal.bench.table import disagreements
from shoal.errors import InputError
from shoal.search.node_checker import Framework
from tests.unit.bench.tiny import Guess, Liar


def question(k=3, suppression=0.02, quality="discernability-monotone"):
    return Setting(data="tiny", k=k, suppression=suppression, quality=quality)


def test_every_algorithm_answers_and_the_exact_ones_agree(tiny):
    everybody = [algorithm(name) for name in registry.names("algorithms")]
    rows = list(compare(Bench(), question(), cases(question(), everybody)))
    assert sorted(row.algorithm.name for row in rows) == sorted(registry.names("algorithms"))
    verdicts = {row.algorithm.name: row.verdict for row in rows}
    assert verdicts.pop("box") is Agreement.DEFAULT
    heuristics = [one.name for one in everybody if not one.exact]
    assert {verdicts.pop(name) for name in heuristics} <= {Agreement.SAME, Agreement.WORSE}
    assert set(verdicts.values()) == {Agreement.SAME}
    assert disagreements(rows) == []


def test_an_algorithm_with_a_measure_of_its_own_is_compared_under_that(tiny):
    row = list(compare(Bench(), question(), cases(question(), [algorithm("samarati")])))[-1]
    assert (row.setting.quality, row.quality) == ("discernability-monotone", "height")
    assert row.default.case.setting.quality == "height"
    assert row.verdict is Agreement.SAME
    # The height of a node is the sum of its levels.
    assert row.run.result.score == sum(row.run.result.levels)


def test_a_wrong_answer_of_an_exact_algorithm_is_found(tiny):
    bench = Bench()
    rows = list(compare(bench, question(), [Case(setting=question(), algorithm=Liar())]))
    assert [row.verdict for row in rows] == [Agreement.DEFAULT, Agreement.DIFFERS]
    (told,) = disagreements(rows)
    assert told.startswith("tiny, k = 3, suppression 0.02: liar: ")
    assert "box says" in told


@pytest.mark.parametrize(("add", "verdict"), [(1.0, Agreement.WORSE), (-1.0, Agreement.DIFFERS)])
def test_a_heuristic_may_be_worse_but_not_better(tiny, add, verdict):
    row = list(compare(Bench(), question(), [Case(setting=question(), algorithm=Guess(add))]))[-1]
    assert row.verdict is verdict
    assert (row.excess > 0) == (add > 0)


def test_where_no_node_satisfies_all_say_so(tiny):
    everybody = [algorithm(name) for name in registry.names("algorithms")]
    asked = question(k=1000)
    rows = list(compare(Bench(), asked, cases(asked, everybody)))
    assert {row.run.result.levels for row in rows} == {None}
    assert {row.verdict for row in rows} == {Agreement.DEFAULT, Agreement.SAME}


def test_optimizations_are_added_one_by_one():
    flash = algorithm("flash")
    assert configured(flash, "none").framework == Framework.basic()
    assert configured(flash, "projection").framework == Framework(rollup=False, history=False)
    assert configured(flash, "rollup").framework == Framework(history=False)
    assert configured(flash, "history") == configured(flash, "all") == flash


def test_switches_are_what_is_on_and_could_be_off():
    bitmap = algorithm("bitmap-incognito")
    assert switches_of(bitmap) == ["one_level", "reusing", "pruning"]
    assert switches_of(configured(bitmap, "none")) == switches_of(bitmap)
    off = configured(bitmap, "none")
    assert not (off.one_level or off.reusing or off.pruning)
    assert configured(bitmap, "projection") is None


def test_no_case_comes_twice():
    planned = cases(question(), [algorithm("flash"), algorithm("box")], ["history", "all", "none"])
    told = [(case.algorithm.name, case.optimizations) for case in planned]
    assert told == [("flash", "history"), ("flash", "none"), ("box", "")]


def test_a_case_is_run_once(tiny):
    begun = []
    bench = Bench(listener=begun.append)
    case = default_case(question())
    assert bench.run(case) is bench.run(case)
    assert begun == [case]


def test_columns_in_another_order(tiny):
    bench = Bench()
    order = ("job", "zip", "sex")
    setting = Setting(data="tiny", k=2, suppression=0.0, quality="loss", columns=order)
    assert bench.data("tiny").ordered(order).names == order
    assert len(bench.run(default_case(setting)).result.levels) == 3


def test_rows_are_for_what_can_be_generated(tiny):
    with pytest.raises(InputError, match="no shape 'tiny'"):
        Bench(rows=100).data("tiny")
    assert Bench(rows=100).data("adult").table.rows == 100


def test_what_an_algorithm_refuses_is_told(tiny):
    case = Case(
        setting=Setting(data="tiny", k=2, suppression=0.0, quality="loss"), algorithm=algorithm("samarati")
    )
    run = Bench().run(case)
    assert run.result is None
    assert "height only" in run.refused
    with pytest.raises(InputError, match="did not run"):
        _ = run.counters
