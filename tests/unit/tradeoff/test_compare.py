"""A comparison: every point is what `anonymize` makes of its spec, and F0 is made once for all of them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.describe.roles import QuasiIdentifier
from shoal.engines import memory
from shoal.events import SearchAdvanced, StepStarted
from shoal.search import problem as problem_module
from shoal.strategies.strategy import Chosen, Question
from shoal.strategies.subtree import Subtree
from shoal.tradeoff.front import on_front


def people(rows: int = 300, seed: int = 7) -> pa.Table:
    draw = np.random.default_rng(seed)
    ages = draw.integers(18, 80, rows).tolist()
    return pa.table(
        {
            "age": [None if i % 41 == 0 else age for i, age in enumerate(ages)],
            "zip": [f"537{draw.integers(0, 30):02d}" for _ in range(rows)],
            "sex": draw.choice(["F", "M"], rows).tolist(),
            "disease": draw.choice(["flu", "cold", "none", "gout"], rows, p=[0.4, 0.3, 0.2, 0.1]).tolist(),
            "who": [f"p{i // 2}" for i in range(rows)],
            "town": draw.choice(["a", "b"], rows).tolist(),
        }
    )


def spec(**changes: Any) -> shoal.Spec:
    settings: dict[str, Any] = {
        "quasi_identifiers": {
            "age": shoal.intervals(5, 10, 20, 40),
            "zip": shoal.prefix(5),
            "sex": "suppress",
        },
        "sensitive": ["disease"],
        "identifiers": ["who"],
        "insensitive": ["town"],
        "privacy": [shoal.KAnonymity(3)],
        "suppression": 0.05,
    }
    return shoal.Spec(**(settings | changes))


def check_like_anonymize(point: Any, table: pa.Table) -> None:
    """Compare a point with the release of its spec."""
    try:
        release = shoal.anonymize(table, point.spec)
    except shoal.InfeasibleError as error:
        assert not point.feasible
        assert point.problem == " ".join(str(error).split())
        assert point.levels is point.score is point.loss is point.highest_risk is None
        return
    assert point.feasible
    assert point.levels == release.levels
    assert point.score == pytest.approx(release.score, rel=1e-12)
    assert (point.suppressed_rows, point.classes) == (release.suppressed_rows, release.classes)
    assert (point.optimal, point.rows) == (release.optimal, release.rows)
    if point.spec.unit is None:
        smallest = min(release.class_sizes, default=0)
        kept = sum(size * count for size, count in release.class_sizes.items())
        assert point.smallest_class == smallest
        assert point.highest_risk == pytest.approx(1 / smallest if smallest else 0)
        assert point.average_risk == pytest.approx(release.classes / kept if kept else 0)


SPECS = {
    "plain": spec(),
    "diverse": spec(privacy=[shoal.KAnonymity(3), shoal.LDiversity("disease", 2)]),
    "close": spec(privacy=[shoal.TCloseness("disease", 0.4)]),
    "weighted": spec(
        quasi_identifiers={
            "age": QuasiIdentifier(hierarchy=shoal.intervals(5, 10, 20, 40), weight=5.0),
            "zip": shoal.prefix(5),
            "sex": "suppress",
        }
    ),
    "entropy": spec(quality="entropy"),
    "classification": spec(quality={"classification": {"target": "town"}}),
    "own": spec(quality=lambda node: float(len(node.sizes))),
}


def test_every_point_is_what_anonymize_finds() -> None:
    table = people()
    found = shoal.compare(table, SPECS, ks=[2, 4, 400], suppressions=[0, 0.1])
    assert len(found.points) == len(SPECS) * 6
    assert [point.name for point in found.points[:3]] == [
        "plain k=2 suppression=0",
        "plain k=2 suppression=0.1",
        "plain k=4 suppression=0",
    ]
    for point in found.points:
        check_like_anonymize(point, table)
    assert any(not point.feasible for point in found.points)


def test_people_are_counted_where_the_spec_says_so() -> None:
    table = people()
    found = shoal.compare(table, {"units": spec(unit="who", identifiers=[])}, ks=[2, 5])
    for point in found.points:
        check_like_anonymize(point, table)
        release = shoal.anonymize(table, point.spec, keep_order=True)
        assert point.highest_risk is not None
        assert point.highest_risk <= 1 / (point.k or 1)
        assert release.suppressed_rows == point.suppressed_rows


def test_populations_are_shared() -> None:
    town = people(500)
    table = town.slice(0, 100)
    mapped = shoal.KMap(4, shoal.Population(town.select(["age", "zip", "sex"])))
    found = shoal.compare(table, {"mapped": spec(privacy=[mapped])}, suppressions=[0, 0.1])
    for point in found.points:
        check_like_anonymize(point, table)


def test_loss_is_the_same_for_all_whatever_they_optimize() -> None:
    table = people()
    points = {point.spec_name: point for point in shoal.compare(table, SPECS).points}
    assert points["plain"].loss == pytest.approx(points["plain"].score)
    assert points["weighted"].loss != pytest.approx(points["weighted"].score)
    for point in points.values():
        # The same node, scored by a spec that asks for loss with equal weights.
        alike = spec(
            quasi_identifiers={
                name: QuasiIdentifier(hierarchy=qi.hierarchy, min_level=level, max_level=level)
                for (name, qi), level in zip(
                    point.spec.quasi_identifiers.items(), (point.levels or {}).values(), strict=True
                )
            },
            privacy=point.spec.privacy,
        )
        assert point.loss == pytest.approx(shoal.anonymize(table, alike).score)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count how often the table is read, is coded, and its rows are grouped."""
    counts = dict.fromkeys(("grounds", "codings", "readings"), 0)

    def counting(module: Any, name: str, what: str) -> None:
        function = getattr(module, name)

        def count(*arguments: Any, **options: Any) -> Any:
            counts[what] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(module, name, count)

    counting(problem_module, "kernel_table", "grounds")
    counting(memory, "code_table", "codings")
    counting(memory, "read_tables", "readings")
    return counts


def test_specs_with_the_same_hierarchies_share_everything(built: dict[str, int]) -> None:
    shared = {name: SPECS[name] for name in ("plain", "diverse", "close", "weighted", "classification")}
    found = shoal.compare(people(), shared, ks=[2, 5, 10], suppressions=[0, 0.05])
    assert len(found.points) == 30
    assert built == {"grounds": 1, "codings": 1, "readings": 1}


def test_others_are_coded_by_themselves(built: dict[str, int]) -> None:
    wider = spec(
        quasi_identifiers={"age": shoal.intervals(10, 20), "zip": shoal.prefix(5), "sex": "suppress"}
    )
    shoal.compare(people(), {"one": spec(), "other": wider}, ks=[2, 5])
    assert built == {"grounds": 2, "codings": 2, "readings": 2}


@given(points=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
@settings(max_examples=200)
def test_the_front_is_what_nothing_dominates(points: list[tuple[int, int]]) -> None:
    shares = [(x / 7, y / 7) for x, y in points]
    expected = [not any((a <= x and b <= y) and (a < x or b < y) for a, b in shares) for x, y in shares]
    assert on_front(shares) == expected


@pytest.mark.parametrize("risk", ["average", "highest"])
def test_the_front_of_a_comparison(risk: Any) -> None:
    found = shoal.compare(people(), SPECS, ks=[2, 3, 5, 10, 400], risk=risk)
    feasible = [point for point in found.points if point.feasible]

    def figures(point: Any) -> tuple[float, float]:
        return (point.average_risk if risk == "average" else point.highest_risk), point.loss

    for point in found.points:
        if not point.feasible:
            assert not point.on_front
            continue
        x, y = figures(point)
        beaten = any(a <= x and b <= y and (a < x or b < y) for a, b in map(figures, feasible))
        assert point.on_front == (not beaten)
    risks = [figures(point) for point in found.front]
    assert risks == sorted(risks)


def test_large_lattices_are_searched_within_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(step=1e-3)  # each look at it takes a millisecond, on any machine
    for module in ("node_checker", "algorithms.anytime.budget", "algorithms.anytime.exploration"):
        monkeypatch.setattr(f"shoal.search.{module}.perf_counter", lambda: next(clock))
    rows = 40
    table = pa.table({f"c{i}": [(7 * j + i) % 40 for j in range(rows)] for i in range(16)})
    wide = shoal.Spec(
        quasi_identifiers={f"c{i}": shoal.intervals(2, 4, 8) for i in range(16)},
        privacy=[shoal.KAnonymity(2)],
    )
    events: list[object] = []
    found = shoal.compare(table, {"wide": wide}, ks=[2, 60], seconds=0.3, listener=events.append)
    assert any(isinstance(event, SearchAdvanced) for event in events)
    first, second = found.points
    assert first.feasible
    assert first.optimal or first.gap is not None
    assert not second.feasible
    own = shoal.compare(table, {"wide": wide}, quality=lambda node: 1.0, seconds=0.3).points[0]
    assert "declares nothing but its scores" in (own.problem or "")


def test_files_are_named_by_their_stem(tmp_path: Path) -> None:
    text = """
columns:
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10, 20, 40]}}
  zip: {role: quasi-identifier, hierarchy: {prefix: 5}}
  sex: {role: quasi-identifier, hierarchy: suppress}
  disease: {role: sensitive}
privacy: [k-anonymity: 3]
"""
    (tmp_path / "strict.spec.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "loose.yml").write_text(text.replace("3]", "2]"), encoding="utf-8")
    specs = [tmp_path / "strict.spec.yaml", tmp_path / "loose.yml"]
    found = shoal.compare(people(), specs)
    assert [(point.name, point.k) for point in found.points] == [("strict", 3), ("loose", 2)]
    twice = shoal.compare(people(), [specs[0], specs[0]])
    assert [point.name for point in twice.points] == ["strict", "strict 2"]
    assert shoal.compare(people(), specs[0], ks=[4, 4]).points[0].name == "strict k=4"
    assert [point.name for point in shoal.compare(people(), [spec(), spec()]).points] == ["spec 1", "spec 2"]


def test_k_takes_the_place_of_k_anonymity_or_comes_beside_other_models() -> None:
    found = shoal.compare(people(), SPECS, ks=[6])
    for point in found.points:
        assert point.spec.privacy[0] == shoal.KAnonymity(6)
        assert sum(isinstance(model, shoal.KAnonymity) for model in point.spec.privacy) == 1
        others = [m for m in SPECS[point.spec_name].privacy if not isinstance(m, shoal.KAnonymity)]
        assert list(point.spec.privacy[1:]) == others


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    other = spec(insensitive=["town", "country"])
    with pytest.raises(shoal.InputError) as refused:
        shoal.compare(
            people(),
            {"one": spec(), "two": other},
            ks=[2, 0, "x"],  # type: ignore[list-item]
            suppressions=[0.1, 3],
            risk="largest",  # type: ignore[arg-type]
            seconds=-1,
            threads=0,
        )
    told = [problem.message.splitlines()[0] for problem in refused.value.problems]
    assert told == [
        "The risk is 'average' or 'highest'.",
        "The number of threads must be at least 1.",
        "A search needs more than 0 seconds.",
        "k-anonymity needs a whole number k of at least 1.",
        "k-anonymity needs a whole number k of at least 1.",
        "The suppression limit must be a share of the rows, from 0 to 1.",
        "two: Column 'country' is not in the table.",
    ]
    with pytest.raises(shoal.InputError, match="no spec to compare"):
        shoal.compare(people(), [])
    with pytest.raises(shoal.InputError, match="Found: an object of type 'int'"):
        shoal.compare(people(), [spec(), 3])  # type: ignore[list-item]
    with pytest.raises(shoal.InputError, match=r"nothing\.csv"):
        shoal.compare(tmp_path / "nothing.csv", [spec(), spec()])


def test_values_that_a_hierarchy_lacks_are_refused() -> None:
    few = spec(quasi_identifiers={"sex": shoal.taxonomy({"all": ["F"]})})
    with pytest.raises(shoal.InputError) as refused:
        shoal.compare(people(), {"few": few}, ks=[2, 3])
    assert "'sex'" in str(refused.value)


def test_the_listener_hears_of_every_search() -> None:
    events: list[object] = []
    shoal.compare(people(), {"one": spec()}, ks=[2, 3, 5], listener=events.append)
    steps = [event.step for event in events if isinstance(event, StepStarted)]
    assert steps == ["read", "encode", "search", "search", "search", "audit"]


def test_the_result_as_table_text_json_and_picture() -> None:
    found = shoal.compare(people(), {"<b>": spec()}, ks=[2, 400])
    assert found.table.num_rows == 2
    assert found.table["on_front"].to_pylist() == [True, False]
    assert json.loads(json.dumps(found.to_mapping(), allow_nan=False))["front"] == ["<b> k=2"]
    text = found.render()
    assert text.splitlines()[1].startswith("*  <b> k=2")
    assert "No release satisfies k-anonymity 400" in text
    for shown in (found._repr_html_(), found.html()):
        assert "<b>" not in shown
        assert "&lt;b&gt; k=2" in shown
    assert "k=2" in found.svg()
    nothing = shoal.compare(people(), {"none": spec()}, ks=[400])
    assert nothing.front == ()
    assert "There is nothing to draw." in nothing.svg()


def names_in(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_several_recodings_are_drawn_by_k() -> None:
    mondrians = [{"mondrian": {"cut": cut}} for cut in ("gain", "median")]
    found = shoal.compare(people(), {"ours": spec()}, ks=[2, 10], recodings=["full-domain", *mondrians])
    names = names_in(found.svg())
    assert {"k (logarithmic)", "2", "10"} <= set(names)
    assert names[-3:] == ["full-domain", "mondrian(cut=gain)", "mondrian(cut=median)"]
    description = ElementTree.fromstring(found.svg()).findtext("{http://www.w3.org/2000/svg}desc") or ""
    for point in found.points:
        assert f"{point.name}: " in description
        assert f"loss {point.loss:.4g}" in description


def test_several_specs_and_limits_have_lines_of_their_own() -> None:
    found = shoal.compare(
        people(),
        {"a": spec(), "b": spec()},
        ks=[2, 5],
        suppressions=[0, 0.05],
        recodings=["full-domain", "cells"],
    )
    names = names_in(found.svg())
    assert names[-8:] == [
        f"{name} {recoding} suppression={limit}"
        for name in "ab"
        for limit in ("0", "0.05")
        for recoding in ("full-domain", "cells")
    ]


@pytest.mark.parametrize(
    ("changes", "asked"),
    [
        ({}, {"ks": [2, 5]}),
        ({}, {"ks": [2], "recodings": ["full-domain", "cells"]}),
        (
            {"privacy": [shoal.LDiversity("disease", 2)]},
            {"suppressions": [0.05, 0.1], "recodings": ["full-domain", "cells"]},
        ),
        ({}, {"ks": [2, 400], "recodings": ["full-domain", "cells"]}),
    ],
    ids=["one recoding", "one k", "no k", "one k that is feasible"],
)
def test_others_are_drawn_by_risk(changes: dict[str, Any], asked: dict[str, Any]) -> None:
    found = shoal.compare(people(), {"ours": spec(**changes)}, **asked)
    assert any(name.startswith("average risk of re-identification") for name in names_in(found.svg()))


def test_recodings_that_prove_nothing_get_one_remark() -> None:
    found = shoal.compare(
        people(), {"ours": spec()}, ks=[2, 5, 10], recodings=["full-domain", "mondrian", "cells"]
    )
    assert [remark for remark in found.remarks() if "roved" in remark] == [
        "~ Not proved to be the best, and no bound is known: mondrian, cells."
    ]
    marked = {
        point.recoding for point, row in zip(found.points, found.cells()[1], strict=True) if "~" in row[6]
    }
    assert marked == {"mondrian", "cells"}


def test_one_reason_is_given_once() -> None:
    entropy = spec(quality="entropy")
    found = shoal.compare(people(), {"ours": entropy}, ks=[2, 3, 5, 10], recodings=["full-domain", "cells"])
    (remark,) = [remark for remark in found.remarks() if "cells" in remark]
    assert remark.startswith("ours cells k=2, ours cells k=3, ours cells k=5 and 1 more: ")
    assert [point.feasible for point in found.points] == [True, False] * 4


def test_the_time_for_each_is_also_that_of_recodings_that_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    choose = Subtree.choose

    def watched(self: Subtree, question: Question) -> Chosen:
        asked.append(self.seconds)
        return choose(self, question)

    monkeypatch.setattr(Subtree, "choose", watched)
    shoal.compare(people(60), {"ours": spec()}, recodings=["subtree", "cells"], seconds=0.25)
    shoal.compare(people(60), {"ours": spec()}, recodings=[{"subtree": {"seconds": 0.5}}])
    assert asked == [0.25, 0.5]
