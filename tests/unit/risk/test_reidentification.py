"""The three attackers, against their definitions over single rows."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.risk.class_sizes import ClassSizes
from shoal.risk.individual import expected_inverse
from shoal.risk.reidentification import journalist, marketer, prosecutor


def joint(sample: list[int], population: list[int]) -> ClassSizes:
    """Return the class sizes of a sample with those of a population beside them."""
    own, whole = Counter(sample), Counter(population)
    pairs = Counter((own[label], whole[label]) for label in own)
    size, crowd, count = zip(
        *((n, people, count) for (n, people), count in sorted(pairs.items())), strict=True
    )
    return ClassSizes(np.array(size), np.array(count), np.array(crowd))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.sampled_from([0.05, 0.2, 0.34, 1.0]))
def test_the_prosecutor_looks_at_each_row(labels: list[int], threshold: float) -> None:
    classes = Counter(labels)
    chances = [Fraction(1, classes[label]) for label in labels]
    found = prosecutor(ClassSizes.of(Counter(classes.values())), threshold)
    assert found.highest == float(max(chances))
    assert found.average == pytest.approx(float(sum(chances) / len(chances)))
    assert found.share_above == sum(chance > threshold for chance in chances) / len(chances)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.lists(st.integers(0, 5), max_size=30))
def test_the_journalist_and_the_marketer_look_at_the_population(sample: list[int], others: list[int]) -> None:
    crowds = Counter(sample + others)
    chances = [Fraction(1, crowds[label]) for label in sample]
    rightly = sum(chances) / len(sample)
    people = sum(crowds[label] for label in set(sample))
    sizes = joint(sample, sample + others)
    press, trade = journalist(sizes, 0.2), marketer(sizes, 0.2)
    assert press.highest == float(max(chances))
    assert press.average == pytest.approx(float(max(Fraction(len(set(sample)), people), rightly)))
    assert press.share_above == pytest.approx(
        sum(chance > Fraction(1, 5) for chance in chances) / len(sample)
    )
    assert trade.average == pytest.approx(float(rightly))
    assert press.basis == trade.basis == "population"


def test_a_threshold_that_is_met_is_not_exceeded() -> None:
    assert prosecutor(ClassSizes.of({5: 3}), 0.2).share_above == 0
    assert prosecutor(ClassSizes.of({3: 1, 4: 1}), 1 / 3).share_above == 0
    assert prosecutor(ClassSizes.of({4: 5}), 0.2).share_above == 1


def test_nothing_to_find_in_no_rows() -> None:
    for found in (prosecutor(ClassSizes.of({}), 0.2), journalist(ClassSizes.of({}), 0.2, 0.1)):
        assert (found.highest, found.average, found.share_above) == (0, 0, 0)


def test_without_a_population_the_prosecutor_stands_for_all() -> None:
    sizes = ClassSizes.of({1: 2, 3: 4})
    assert journalist(sizes, 0.2) == prosecutor(sizes, 0.2)
    assert marketer(sizes, 0.2).average == prosecutor(sizes, 0.2).average


@pytest.mark.parametrize(
    ("f", "p"),
    [(f, p) for f in (1, 2, 3, 29, 30, 31) for p in (0.001, 0.1, 0.49, 0.5, 0.9, 0.999)]
    + [(200, 0.1), (200, 0.9)],
)
def test_the_individual_risk_is_the_mean_of_a_negative_binomial(f: int, p: float) -> None:
    # The definition, added up until the rest is nothing.
    chance, total, h, reached = p**f, 0.0, f, 0.0
    while reached < 1 - 1e-12 and h < 400_000:
        total += chance / h
        reached += chance
        chance *= h / (h - f + 1) * (1 - p)
        h += 1
    assert expected_inverse(np.array([f]), p)[0] == pytest.approx(total, rel=1e-7)


def test_the_individual_risk_in_closed_form() -> None:
    p = 0.1
    one = p / (1 - p) * math.log(1 / p)
    two = p / (1 - p) ** 2 * (p * math.log(p) + 1 - p)
    assert expected_inverse(np.array([1, 2]), p) == pytest.approx([one, two])


@given(st.integers(1, 10_000), st.floats(0.0001, 1))
def test_the_individual_risk_is_between_the_expected_and_the_known(f: int, p: float) -> None:
    # 1/F is at most 1/f, and by convexity on average at least 1 over what is expected of F, which is f/p.
    (found,) = expected_inverse(np.array([f]), p)
    assert p / f * (1 - 1e-9) <= found <= 1 / f * (1 + 1e-9)
