"""Models at the levels of their column's taxonomy: what holds for values need not hold for their labels."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.audit import audit_release
from shoal.errors import InfeasibleError, InputError
from shoal.privacy.grouped import group
from shoal.privacy.model import PrivacyModel, Tables
from shoal.testing.people import Labels

TAXONOMY = {
    "flu": ["lungs", "*"],
    "asthma": ["lungs", "*"],
    "ulcer": ["stomach", "*"],
    "gout": ["joints", "*"],
}
ROWS = pa.table(
    {
        "age": [31, 32, 33, 34, 41, 42, 43, 44],
        "disease": ["flu", "asthma", "flu", "asthma", "ulcer", "gout", "ulcer", "gout"],
    }
)


def spec(*models: PrivacyModel, sensitive: Any = None, **settings: Any) -> shoal.Spec:
    illness = shoal.taxonomy({"lungs": ["flu", "asthma"], "stomach": ["ulcer"], "joints": ["gout"]})
    return shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive={"disease": illness if sensitive is None else sensitive},
        privacy=[shoal.KAnonymity(2), *models],
        **settings,
    )


def gain(beta: float, kind: str, p: float) -> float:
    return min(beta, -math.log(p)) if kind == "enhanced" else beta


def breaks(
    values: Sequence[str | None],
    table: Sequence[str | None],
    taxonomy: Mapping[str, Sequence[str]],
    level: int,
    beta: float,
    kind: str,
) -> bool:
    """Return whether some label of a level is too frequent in a class."""

    def label(value: str | None) -> str | None:
        return value if value is None or level == 0 else taxonomy[value][level - 1]

    counts, totals = Counter(map(label, values)), Counter(map(label, table))
    if level == len(next(iter(taxonomy.values()))) and len(set(totals) - {None}) <= 1:
        return False  # everybody is under the root
    return any(
        c / len(values) > (totals[v] / len(table)) * (1 + gain(beta, kind, totals[v] / len(table))) + 1e-9
        for v, c in counts.items()
    )


@st.composite
def taxonomies(draw: st.DrawFn) -> Mapping[str, Sequence[str]]:
    """Draw labels of the values a to f on two nested levels, and a root or none."""
    middle = {value: f"m{draw(st.integers(0, 3))}" for value in "abcdef"}
    upper = {label: f"u{draw(st.integers(0, 1))}" for label in sorted(set(middle.values()))}
    top = ["*"] if draw(st.booleans()) else []
    return {value: [label, upper[label], *top] for value, label in middle.items()}


@given(
    taxonomy=taxonomies(),
    rows=st.lists(
        st.tuples(st.sampled_from("pqr"), st.sampled_from([*"abcdef", None])), min_size=1, max_size=24
    ),
    beta=st.sampled_from([0.3, 0.8, 1.5, 3]),
    kind=st.sampled_from(["basic", "enhanced"]),
)
@settings(max_examples=200)
def test_every_level_is_judged(
    taxonomy: Mapping[str, Sequence[str]], rows: list[tuple[str, str | None]], beta: float, kind: Any
) -> None:
    values = pa.array([value for _, value in rows], pa.string())
    hierarchies: Any = {"value": Labels(taxonomy)}
    classes = group([label for label, _ in rows], hierarchies=hierarchies, value=values)
    names = classes.table.columns[0].labels[0].to_pylist()
    height = len(taxonomy["a"])
    broken = {
        name: [
            breaks([v for n, v in rows if n == name], values.to_pylist(), taxonomy, level, beta, kind)
            for level in range(height + 1)
        ]
        for name in names
    }
    for first in range(height + 1):
        found = shoal.BetaLikeness("value", beta, kind, from_level=first).holds(classes).tolist()
        assert found == [not any(broken[name][first:]) for name in names]
    assert shoal.BetaLikeness("value", beta, kind).holds(classes).tolist() == [
        not broken[name][0] for name in names
    ]


@given(
    taxonomy=taxonomies(),
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from("abcdef")), min_size=6, max_size=20
    ),
    beta=st.sampled_from([0.5, 1, 2]),
    first=st.sampled_from([0, 1, 2]),
)
def test_the_optimum_is_the_least_loss_of_those_that_hold_at_every_level(
    taxonomy: Mapping[str, Sequence[str]], rows: list[tuple[int, int, str]], beta: float, first: int
) -> None:
    table = pa.table({"x": [r[0] for r in rows], "y": [r[1] for r in rows], "value": [r[2] for r in rows]})
    tree: dict[str, Any] = {}
    for value, (middle, upper, *_) in taxonomy.items():
        tree.setdefault(upper, {}).setdefault(middle, []).append(value)
    assume(first < 2 or len(tree) > 1)  # a single label on top is the root
    settings: Any = {
        "quasi_identifiers": {"x": shoal.intervals(2), "y": "suppress"},
        "sensitive": {"value": shoal.taxonomy(tree)},
        "accept": {"value": "linkable"},
    }
    model = shoal.BetaLikeness("value", beta, from_level=first)
    rooted = {value: [*labels[:2], "*"] for value, labels in taxonomy.items()}
    holding = []
    for x, y in itertools.product(range(3), range(2)):
        groups: dict[Any, list[str]] = {}
        for row in rows:
            label = (row[0] if x == 0 else row[0] // 2 if x == 1 else "*", row[1] if y == 0 else "*")
            groups.setdefault(label, []).append(row[2])
        everybody = [row[2] for row in rows]
        if not any(
            breaks(members, everybody, rooted, level, beta, "enhanced")
            for members in groups.values()
            for level in range(first, 4)
        ):
            holding.append({"x": x, "y": y})
    release = shoal.anonymize(table, shoal.Spec(**settings, privacy=[model]), all_nodes=True)
    assert release.levels in holding
    assert release.audit.holds
    for levels in holding:
        plain = shoal.Spec(**settings, privacy=[shoal.KAnonymity(1)]).adjust(levels=levels)
        assert shoal.anonymize(table, plain).score >= release.score - 1e-9


def test_leaves_do_not_imply_their_parents() -> None:
    model = shoal.BetaLikeness("disease", 1)
    for recoding in ("full-domain", "mondrian"):
        leaves = shoal.anonymize(ROWS, spec(model, recoding=recoding))
        labels = shoal.anonymize(
            ROWS, spec(shoal.BetaLikeness("disease", 1, from_level=0), recoding=recoding)
        )
        # Half of the values are of the lungs, and all of those in their thirties.
        assert (sum(leaves.audit.class_sizes.values()), sum(labels.audit.class_sizes.values())) == (2, 1)
        assert labels.audit.findings[1].claim == "enhanced 1-likeness of disease from level 0 on"


@pytest.mark.parametrize("unit", [False, True])
def test_the_share_of_a_label_is_that_of_the_people_who_have_it(unit: bool) -> None:
    """Two people have flu and asthma each: of lungs that is two people, and four rows."""
    classes = group(
        ["p"] * 4 + ["q"] * 4,
        units=[1, 1, 2, 2, 3, 4, 5, 6] if unit else None,
        hierarchies={"disease": Labels(TAXONOMY)},  # type: ignore[dict-item]
        disease=["flu", "asthma", "flu", "asthma", "flu", "ulcer", "ulcer", "gout"],
    )
    assert classes.histogram("disease", 1).sum(axis=1).tolist() == ([2, 4] if unit else [4, 4])
    assert sorted(classes.totals("disease", 1).tolist()) == ([1, 2, 3] if unit else [1, 2, 5])


def test_labels_are_in_the_order_of_their_values() -> None:
    classes = group(
        ["p", "p", "q", "q"],
        hierarchies={"pay": Labels({9: ["low"], 10: ["middle"], 11: ["middle"], 100: ["high"]})},  # type: ignore[dict-item]
        pay=[9, 10, 11, 100],
    )
    # low, middle, high: a quarter of a class moves one of two steps, and a quarter another.
    assert shoal.TCloseness("pay", 0.25, "ordered", from_level=1).holds(classes).tolist() == [True, True]
    assert shoal.TCloseness("pay", 0.24, "ordered", from_level=1).holds(classes).tolist() == [False, False]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            shoal.BetaLikeness("disease", 1, from_level=3),
            "enhanced 1-likeness of disease from level 3 on: the hierarchy of column 'disease' has no level "
            "3.\n"
            "Its levels: 0 (the values) to 2.\nUse from-level 0 to 1, or another hierarchy.",
        ),
        (
            shoal.TCloseness("disease", 0.1, "ordered", from_level=2),
            "0.1-closeness of disease at level 2, ordered: at level 2 all values of column 'disease' have "
            "one label.\nAny class would pass.\nUse from-level 0 to 1, or another hierarchy.",
        ),
    ],
)
def test_a_level_that_cannot_be_judged(model: PrivacyModel, message: str) -> None:
    with pytest.raises(InputError) as caught:
        shoal.anonymize(ROWS, spec(model))
    assert message in str(caught.value)
    with pytest.raises(InputError) as caught:
        audit_release(ROWS, spec(model), original=ROWS, keep_undeclared=True)
    assert message in str(caught.value)


def test_a_level_that_requires_nothing_of_this_table() -> None:
    release = shoal.anonymize(ROWS.slice(0, 4), spec(shoal.BetaLikeness("disease", 1, from_level=1)))
    assert release.audit.findings[1].holds
    assert (
        "enhanced 1-likeness of disease from level 1 on: this level has one label for all values, so it "
        "requires nothing."
    ) in release.notes


def test_no_hierarchy() -> None:
    with pytest.raises(InputError) as caught:
        shoal.Spec(
            quasi_identifiers={"age": "suppress"},
            sensitive=["disease"],
            privacy=[shoal.DeltaDisclosure("disease", 1, from_level=1)],
        )
    assert str(caught.value).startswith(
        "1-disclosure privacy of disease from level 1 on needs a hierarchy of column 'disease'.\nFound: none."
    )


@pytest.mark.parametrize("level", [-1, 1.5, "top", True])
def test_levels_are_whole_numbers(level: Any) -> None:
    with pytest.raises(InputError, match="beta-likeness needs a whole number from-level of at least 0"):
        shoal.BetaLikeness("disease", 1, from_level=level)


def test_nobody_passes_at_a_level_that_is_not_there() -> None:
    classes = group(["p"], hierarchies={"disease": Labels(TAXONOMY)}, disease=["flu"])  # type: ignore[dict-item]
    model = shoal.BetaLikeness("disease", 1, from_level=3)
    for judge in (
        lambda: model.holds(classes),
        lambda: model.conditions(classes.table),
        lambda: model.sql(Tables("kept", ["q"], {"disease": "d"}, taxonomies={"disease": ("t", 3)})),
    ):
        with pytest.raises(InputError, match="has no level 3"):
            judge()


def test_rare_values_are_reported_with_a_level_that_helps() -> None:
    pays = list(range(200))
    table = pa.table({"age": [30 + position % 20 for position in range(200)], "pay": pays})
    bands = {"pay": shoal.intervals(5, 50, 100)}

    def asked(**settings: Any) -> shoal.Spec:
        return shoal.Spec(
            quasi_identifiers={"age": shoal.intervals(10)},
            sensitive=bands,
            privacy=[shoal.BetaLikeness("pay", 3, **settings)],
            accept={"pay": "linkable"},
        )

    release = shoal.anonymize(table, asked())
    assert (
        "enhanced 3-likeness of pay: 200 values are so rare that a class with one of them needs at least 50 "
        "of the 200 rows. With from-level: 1 it would need 10 rows."
    ) in release.notes
    assert not any("so rare" in note for note in shoal.anonymize(table, asked(from_level=1)).notes)
    with pytest.raises(InfeasibleError, match="With from-level: 1 it would need 10 rows"):
        shoal.anonymize(table, asked().adjust(levels={"age": 0}))


def test_rare_labels_of_the_highest_level_have_no_level_that_helps() -> None:
    """Of 400 one has 900 and two have 500 to 549, so that classes with them need 100 and 50 rows."""
    pays = [100] * 397 + [500, 501, 900]
    table = pa.table({"age": [30 + position % 20 for position in range(400)], "pay": pays})
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive={"pay": shoal.intervals(5, 50)},
        privacy=[shoal.BetaLikeness("pay", 3, from_level=2)],
        accept={"pay": "linkable"},
    )
    (note,) = [note for note in shoal.anonymize(table, spec).notes if "so rare" in note]
    assert note == (
        "enhanced 3-likeness of pay from level 2 on: 2 labels of level 2 are so rare that a class with one "
        "of them needs at least 50 of the 400 rows, with the rarest 100. No level above has several labels: "
        "wider bands or groups would need fewer."
    )
    without = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10)},
        sensitive=["pay"],
        privacy=[shoal.BetaLikeness("pay", 3)],
        accept={"pay": "linkable"},
    )
    (note,) = [note for note in shoal.anonymize(table, without).notes if "so rare" in note]
    assert note.endswith(
        "A hierarchy of this column with bands or groups, and from-level: 1, would judge these."
    )


@pytest.mark.parametrize(
    "model",
    [
        shoal.BetaLikeness("disease", 3, "basic", from_level=1),
        shoal.TCloseness("disease", 0.3, from_level=1),
        shoal.TCloseness("disease", 0.3, "ordered", from_level=1),
        shoal.TCloseness("disease", 0.3, "hierarchical", from_level=1),
        shoal.DeltaDisclosure("disease", 3, from_level=1),
    ],
    ids=lambda model: model.describe(),
)
def test_the_audit_fails_values_that_the_original_does_not_have(model: PrivacyModel) -> None:
    """A class of new values; NULL, which the original has, must not stand for their label."""
    kept = {"q": ["a"] * 4 + ["b"] * 2, "s": ["x", "y", "z", None, "new", "new"]}
    tables = {
        "kept": pa.table(kept),
        "original": pa.table({"s": ["x", "y", "z", None] * 2}),
        "taxonomy": pa.table(
            {"level_0": ["x", "y", "z", None], "level_1": ["m", "m", "o", None], "level_2": ["*"] * 4}
        ),
    }
    query = model.sql(Tables("kept", ["q"], {"disease": "s"}, taxonomies={"disease": ("taxonomy", 3)}))
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        ((failing, _),) = connection.execute(query).fetchall()
    assert failing == 1


def test_names_of_columns_that_queries_use_themselves() -> None:
    names = ["label", "own", "value", "place", "level_1", "number", "q1"]
    table = pa.table({name: [1, 1, 2, 2] * 2 for name in names} | {"unit": list("xyxyxyxz")})
    found = shoal.anonymize(
        table,
        shoal.Spec(
            quasi_identifiers=dict.fromkeys(names, "suppress"),
            sensitive={"unit": shoal.taxonomy({"xy": ["x", "y"], "zz": ["z"]})},
            privacy=[
                shoal.BetaLikeness("unit", 2, from_level=0),
                shoal.TCloseness("unit", 0.5, from_level=0),
                shoal.TCloseness("unit", 0.5, from_level=1),
            ],
        ),
    )
    assert found.audit.holds


def test_a_recipient_checks_the_claim(tmp_path: Path) -> None:
    """The labels come from the hierarchy in the manifest's spec; the shares, from the original table."""
    model = shoal.BetaLikeness("disease", 1, from_level=1)
    release = shoal.anonymize(ROWS, spec(model)).write(tmp_path / "release.csv")
    finding = audit_release(release, original=ROWS).findings[1]
    assert (finding.holds, finding.measured) == (True, "largest gain 0")
    assert "labels_of_values" in finding.sql
    assert "lungs" not in finding.sql
    claim = next(f for f in audit_release(release).findings if not f.checkable)
    assert claim.claim == "enhanced 1-likeness of disease from level 1 on"
