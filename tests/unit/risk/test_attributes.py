"""What classes tell of sensitive columns: by hand, by another tool, and by the models' own queries."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.audit import audit_release
from shoal.risk import assess_risk

# Four classes, of 4, 5, 3 and 5 rows, each of which has all values.
PATIENTS = """\
age,sex,disease,cost
20-29,F,flu,10
20-29,F,cold,20
20-29,F,flu,20
20-29,F,asthma,40
30-39,F,cold,10
30-39,F,cold,20
30-39,F,asthma,40
30-39,F,flu,10
30-39,F,cold,40
30-39,M,flu,10
30-39,M,asthma,20
30-39,M,cold,40
40-49,M,flu,10
40-49,M,flu,10
40-49,M,flu,20
40-49,M,cold,40
40-49,M,asthma,40
"""


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    path = tmp_path / "patients.csv"
    path.write_text(PATIENTS, encoding="utf-8", newline="\n")
    return path


def test_the_figures_of_pycanon(patients: Path) -> None:
    # pyCANON 1.3.6 on this file: k_anonymity 3, alpha_k_anonymity, l_diversity, entropy_l_diversity (rounded
    # down by it), t_closeness (with equal distance for text, the ordered one for numbers),
    # basic_beta_likeness, delta_disclosure.
    constants = {
        "disease": (0.6, 3, 2, 0.24705882352941172, 0.6999999999999998, 0.7221347174331975),
        "cost": (0.5, 3, 2, 0.10294117647058826, 0.7, 0.5306282510621704),
    }
    risk = assess_risk(patients, ["age", "sex"], sensitive=["disease", "cost"])
    assert min(risk.class_sizes) == 3
    for column, (alpha, distinct, entropy, t, beta, delta) in constants.items():
        found = risk.attributes[column]
        closeness = found.closeness if found.closeness_ordered is None else found.closeness_ordered
        assert found.highest_posterior == pytest.approx(alpha)
        assert found.distinct == distinct
        assert math.floor(found.entropy) == entropy
        assert closeness == pytest.approx(t)
        assert found.beta == pytest.approx(beta)
        assert found.delta == pytest.approx(delta)


def test_a_null_is_not_dropped(patients: Path) -> None:
    # With one more row, whose sex is NULL, pyCANON 1.3.6 still says k = 8 for sex alone: 9 F and 8 M.
    with patients.open("a", encoding="utf-8", newline="\n") as file:
        file.write("20-29,,flu,10\n")
    risk = assess_risk(patients, ["sex"], sensitive=["disease"])
    assert risk.class_sizes == {1: 1, 8: 1, 9: 1}
    assert risk.sample_uniques == 1
    assert risk.prosecutor.highest == 1
    assert risk.attributes["disease"].distinct == 1


cells = st.sampled_from(["x", "y", "z", None])


@given(st.lists(st.tuples(st.sampled_from(["a", "b", None]), cells), min_size=1, max_size=25))
def test_by_the_definitions(rows: list[tuple[str | None, str | None]]) -> None:
    table = pa.table(
        {"qi": pa.array([q for q, _ in rows], pa.string()), "s": pa.array([s for _, s in rows], pa.string())}
    )
    found = assess_risk(table, ["qi"], sensitive=["s"]).attributes["s"]
    whole = Counter(s for _, s in rows)
    p = {value: count / len(rows) for value, count in whole.items()}
    classes = {q: Counter(s for other, s in rows if other == q) for q, _ in rows}
    q = [{value: c / counts.total() for value, c in counts.items()} for counts in classes.values()]
    assert found.distinct == min(map(len, q))
    assert found.entropy == pytest.approx(
        min(math.exp(-sum(x * math.log(x) for x in of.values())) for of in q)
    )
    assert found.highest_posterior == pytest.approx(max(max(of.values()) for of in q))
    assert found.average_posterior == pytest.approx(
        sum(max(of.values()) for of in classes.values()) / len(rows)
    )
    assert found.prior == pytest.approx(max(p.values()))
    certain = sum(counts.total() for counts in classes.values() if len(counts) == 1)
    assert found.certain == pytest.approx(certain / len(rows))
    assert found.closeness == pytest.approx(
        max(sum(max(0, of.get(v, 0) - p[v]) for v in p) for of in q), abs=1e-12
    )
    assert found.closeness_ordered is None or set(whole) == {None}
    assert found.beta == pytest.approx(max(x / p[v] - 1 for of in q for v, x in of.items()), abs=1e-12)
    changes = [abs(math.log(of[v] / p[v])) if v in of else math.inf for of in q for v in p]
    assert found.delta == pytest.approx(max(changes), abs=1e-12)


def test_a_release_is_compared_with_its_original() -> None:
    original = pa.table({"s": ["flu"] * 6 + ["cold"] * 2, "qi": ["*"] * 8})
    release = pa.table({"s": ["flu", "cold", "cold"], "qi": ["1", "1", "1"]})
    found = assess_risk(release, ["qi"], sensitive=["s"], released=True, original=original).attributes["s"]
    assert found.prior == found.average_posterior == pytest.approx(2 / 3)  # of the same rows
    assert found.closeness == pytest.approx(2 / 3 - 1 / 4)
    assert found.beta == pytest.approx((2 / 3) / (1 / 4) - 1)


def test_a_value_that_the_original_lacks_is_an_infinite_gain() -> None:
    original = pa.table({"s": ["flu", "flu"], "qi": ["a", "a"]})
    release = pa.table({"s": ["flu", "cold"], "qi": ["a", "a"]})
    found = assess_risk(release, ["qi"], sensitive=["s"], released=True, original=original).attributes["s"]
    assert found.beta == found.delta == math.inf
    assert found.to_mapping()["beta"] is None


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 4)), min_size=1, max_size=20
    )
)
@settings(max_examples=10)
def test_people_are_counted_as_the_models_count_them(rows: list[tuple[str, str, int]]) -> None:
    names = ("qi", "s", "who")
    table = pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
    risk = assess_risk(table, ["qi"], sensitive=["s"], unit="who")
    found = risk.attributes["s"]
    models = [
        shoal.LDiversity("s", 1),
        shoal.LDiversity("s", 1, kind="entropy"),
        shoal.AlphaK("s", alpha=1, k=1),
        shoal.TCloseness("s", 1),
        shoal.BetaLikeness("s", 1),
        shoal.DeltaDisclosure("s", 1),
    ]
    spec = shoal.Spec(
        quasi_identifiers={"qi": "suppress"}, sensitive=["s"], insensitive=["who"], unit="who", privacy=models
    )
    measured = [finding.measured for finding in audit_release(table, spec, original=table).findings]
    figures = [
        found.distinct,
        found.entropy,
        found.highest_posterior,
        found.closeness,
        found.beta,
        found.delta,
    ]
    # Such as `smallest class 2, largest share 0.5, counted by 'who'`.
    said = [float(re.findall(r" ([0-9.e+-]+|inf)(?=,|$)", words)[-1]) for words in measured[: len(figures)]]
    assert figures == pytest.approx(said, rel=1e-5, abs=1e-9)
    assert measured[2].startswith(f"smallest class {min(risk.class_sizes)}")


def test_columns_of_any_name() -> None:
    table = pa.table({"class": ["a", "a", "b"], "n": ["x", "x", "y"], "Value": [1, 2, 3]})
    risk = assess_risk(table, ["n"], sensitive=["class", "Value"])
    assert risk.attributes["class"].certain == 1
    assert risk.attributes["Value"].distinct == 1
    assert risk.attributes["Value"].closeness_ordered == pytest.approx(0.5)
    people = assess_risk(table, ["n"], sensitive=["Value"], unit="class")
    assert people.attributes["Value"].entropy == pytest.approx(1)
