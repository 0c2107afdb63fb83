"""Measures from a spec to a release that explains its score."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import InputError
from shoal.measure.measure import Node

PEOPLE = pa.table(
    {
        "age": [21, 24, 25, 31, 38, 39, 52, 52],
        "sex": ["F", "F", "M", "F", "M", "M", "F", "F"],
        "ill": ["yes", "yes", "no", "no", "no", "yes", "no", None],
    }
)


def spec(quality: Any = "loss", **settings: Any) -> shoal.Spec:
    return shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
        sensitive=["ill"],
        privacy=[shoal.KAnonymity(2)],
        quality=quality,
        **{"suppression": 0.3, **settings},
    )


@pytest.mark.parametrize("suppressed", ["remove", "star"])
@pytest.mark.parametrize("aggregate", ["mean", "max", "ranked"])
def test_contributions_are_those_of_the_released_rows(aggregate: str, suppressed: str) -> None:
    asked = spec({"loss": {"aggregate": aggregate}}, suppressed=suppressed)
    release = shoal.anonymize(PEOPLE, asked.adjust(levels={"age": 1, "sex": 0}))
    told = release.explanation
    assert release.suppressed_rows == 2
    assert told.contributions is not None
    assert sum(told.contributions.values()) == pytest.approx(release.score, rel=1e-12)
    assert told.to_mapping() == json.loads(json.dumps(release.to_mapping()["explanation"]))
    stars = ", smallest classes starred first" if suppressed == "star" else ""
    if aggregate == "mean":
        # Sex is not generalized: it loses the suppressed rows alone.
        assert told.contributions["sex"] == pytest.approx(1 / 2 * 2 / 8)
        assert f"loss, proved optimal{stars} (0 untouched, 1 fully suppressed)" in release.summary()
    else:
        assert f"loss ({aggregate} over columns), proved optimal{stars} (0 untouched," in release.summary()


def test_a_measure_steers_the_search_and_is_not_in_the_manifest(tmp_path: Any) -> None:
    release = shoal.anonymize(PEOPLE, spec(shoal.Loss("max")))
    path = release.write(tmp_path / "release.csv")
    written = json.loads(path.with_name("release.csv.manifest.json").read_text())
    assert "quality" not in written["spec"]
    assert release.spec.quality == shoal.Loss("max")


def test_ranked_by_other_weights_it_is_explained_by_these() -> None:
    nodes = shoal.anonymize(PEOPLE, spec(), all_nodes=True).satisfying_nodes
    assert nodes is not None
    told = nodes.rank(by=shoal.Precision(), weights={"age": 9}).release().explanation
    assert told.contributions is not None
    assert sum(told.contributions.values()) == pytest.approx(told.score, rel=1e-12)


def test_classification_finds_what_predicts_best() -> None:
    release = shoal.anonymize(PEOPLE, spec({"classification": "ill"}, suppression=0))
    classes: dict[tuple[str, ...], Counter[Any]] = {}
    for row in release.table.to_pylist():
        classes.setdefault((str(row["age"]), str(row["sex"])), Counter())[row["ill"]] += 1
    wrong = sum(sum(values.values()) - max(values.values()) for values in classes.values())
    assert release.score == wrong / 8
    # Two equal rows, one with NULL: one of them is wrong in the untouched table already.
    assert release.explanation.untouched == 1 / 8
    assert release.explanation.contributions is None
    assert "classification of ill, proved optimal (0.125 untouched, 1 fully" in release.summary()


def test_a_target_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match=r"classification.*'sick'"):
        spec({"classification": "sick"})
    with pytest.raises(InputError, match="classification lacks 'target'"):
        spec("classification")


def test_a_function_is_minimized_exactly() -> None:
    """Over all nodes that satisfy, worked out one by one."""

    def oddity(node: Node) -> float:
        return abs(len(node.sizes) - 3) + node.suppressed_rows / 10 + sum(node.levels) / 100

    measure = shoal.CustomMeasure(oddity, name="oddity")
    release = shoal.anonymize(PEOPLE, spec(measure))
    nodes = shoal.anonymize(PEOPLE, spec(measure), all_nodes=True).satisfying_nodes
    assert nodes is not None
    assert release.optimal
    assert release.score == min(node.score for node in nodes) == nodes.best.score
    assert release.levels == nodes.best.levels
    assert release.spec.to_mapping()["quality"] == "oddity"
    assert "oddity, proved optimal (" in release.summary()
    ranked = shoal.anonymize(PEOPLE, spec(), all_nodes=True).satisfying_nodes
    assert ranked is not None
    assert ranked.rank(by=measure).best == nodes.best


def test_a_function_that_returns_no_number_ends_the_search() -> None:
    with pytest.raises(InputError, match="'nothing' must return a number"):
        shoal.anonymize(PEOPLE, spec(shoal.CustomMeasure(lambda node: None, name="nothing")))  # type: ignore[arg-type,return-value]
