"""The estimators, on populations that are drawn from their own models, and against other hands' numerics."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import digamma as scipy_digamma
from scipy.stats import hypergeom, nbinom

from shoal.risk import negative_binomial, pitman
from shoal.risk.class_sizes import ClassSizes
from shoal.risk.digamma import digamma, sum_of_inverses
from shoal.risk.population_uniques import population_uniques
from shoal.risk.zayatz import zayatz_uniques


def sizes_of(labels: NDArray[np.int64]) -> ClassSizes:
    _, counts = np.unique(labels, return_counts=True)
    size, classes = np.unique(counts, return_counts=True)
    return ClassSizes.of(dict(zip(size.tolist(), classes.tolist(), strict=True)))


def pitman_population(people: int, t: float, a: float, random: np.random.Generator) -> NDArray[np.int64]:
    """Seat people one after the other, as Pitman's formula has it."""
    labels = np.zeros(people, dtype=np.int64)
    seated: list[int] = []
    draws = random.random((people, 2))
    for i in range(people):
        if draws[i, 0] * (t + i) < t + a * len(seated):
            labels[i] = len(seated)
            seated.append(1)
            continue
        while True:
            label = labels[random.integers(i)]
            if random.random() < 1 - a / seated[label]:
                break
        labels[i] = label
        seated[label] += 1
    return labels


def sampled(
    labels: NDArray[np.int64], fraction: float, random: np.random.Generator
) -> tuple[ClassSizes, int]:
    """Return a sample's classes, and how many are truly alone in the population."""
    chosen = random.permutation(len(labels))[: round(fraction * len(labels))]
    return sizes_of(labels[chosen]), sizes_of(labels).uniques


@pytest.mark.parametrize(("t", "a"), [(200.0, 0.3), (30.0, 0.6)])
@pytest.mark.parametrize("fraction", [0.1, 0.5])
def test_pitman_finds_the_uniques_of_a_pitman_population(t: float, a: float, fraction: float) -> None:
    random = np.random.default_rng(7)
    sizes, alone = sampled(pitman_population(40_000, t, a, random), fraction, random)
    assert pitman.pitman_uniques(sizes, 40_000) == pytest.approx(alone, rel=0.2)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.15), (2.0, 0.5)])
def test_the_negative_binomial_finds_the_uniques_of_its_own_population(a: float, b: float) -> None:
    random = np.random.default_rng(5)
    labels = np.repeat(np.arange(30_000), 1 + random.negative_binomial(a, b, 30_000))
    sizes, alone = sampled(labels, 0.7, random)
    assert negative_binomial.negative_binomial_uniques(sizes, 0.7) == pytest.approx(alone, rel=0.1)


def test_zayatz_is_near_where_the_sample_is_nearly_all() -> None:
    random = np.random.default_rng(3)
    labels = random.zipf(1.5, 50_000) % 20_000
    sizes, alone = sampled(labels, 0.9, random)
    assert zayatz_uniques(sizes, 50_000) == pytest.approx(alone, rel=0.05)


@pytest.mark.parametrize(
    "histogram",
    [{1: 400, 2: 120, 3: 50, 5: 24, 9: 10}, {1: 30, 2: 10, 7: 3, 500: 1}, {1: 900, 2: 40, 3: 2}],
)
def test_pitman_is_the_maximum_of_the_likelihood(histogram: dict[int, int]) -> None:
    sizes = ClassSizes.of(histogram)
    fitted = pitman.fit(sizes)
    assert fitted is not None

    def likelihood(point: NDArray[np.float64]) -> float:
        t, a = point
        if not 0 < a < 1 or t <= -a:
            return -math.inf
        rows = np.log(t + np.arange(1, sizes.rows)).sum()
        classes = np.log(t + a * np.arange(1, sizes.count)).sum()
        inside = sum(c * np.log(np.arange(1, j) - a).sum() for j, c in histogram.items())
        return float(classes - rows + inside)

    other = max(
        (
            minimize(lambda x: -likelihood(x), start, method="Nelder-Mead", options={"xatol": 1e-8})
            for start in ((1.0, 0.1), (50.0, 0.3), (500.0, 0.7))
        ),
        key=lambda found: -found.fun,
    )
    assert likelihood(np.array(fitted)) >= -other.fun - 1e-6
    assert fitted == pytest.approx(tuple(other.x), rel=1e-2, abs=1e-5)


def test_pitman_at_its_border_is_ewens() -> None:
    # Twenty classes of five: more even than any a > 0 would have it.
    sizes = ClassSizes.of({1: 1, 5: 20})
    fitted = pitman.fit(sizes)
    assert fitted is not None
    t, a = fitted
    assert a < 1e-5
    assert sum(t / (t + i) for i in range(sizes.rows)) == pytest.approx(sizes.count, rel=1e-4)
    assert pitman.pitman_uniques(sizes, 1000) == pytest.approx(1000 * t / (t + 999), rel=1e-3)


@pytest.mark.parametrize("histogram", [{1: 10}, {12: 1}])
def test_pitman_has_no_solution_where_all_are_alone_or_together(histogram: dict[int, int]) -> None:
    assert pitman.pitman_uniques(ClassSizes.of(histogram), 1000) is None


def test_zayatz_with_the_hypergeometric_distribution_of_scipy() -> None:
    histogram = {1: 40, 2: 12, 3: 5, 17: 2, 400: 1}
    sizes = ClassSizes.of(histogram)
    people = 5000
    of_one = {j: hypergeom(people, j, sizes.rows).pmf(1) for j in histogram}
    share = histogram[1] * of_one[1] / sum(count * of_one[j] for j, count in histogram.items())
    assert zayatz_uniques(sizes, people) == pytest.approx(histogram[1] * share * people / sizes.rows)


def test_the_negative_binomial_solution_expects_what_the_sample_has() -> None:
    f, classes = 0.4, 1500.0
    fitted = negative_binomial.fit(classes, 400, 150, f)
    assert fitted is not None
    a, b = fitted
    # By the definition: a class has 1 + x people, of whom j are sampled.
    x = np.arange(2000)
    of_size = nbinom(a, b).pmf(x)
    for j, found in ((1, 400), (2, 150)):
        chances = [
            math.comb(n + 1, j) * f**j * (1 - f) ** (n + 1 - j) if n + 1 >= j else 0.0 for n in range(2000)
        ]
        assert classes * float((of_size * chances).sum()) == pytest.approx(found, rel=1e-5)


def test_the_negative_binomial_says_so_when_nothing_fits() -> None:
    # As many ones as classes, and many twos besides, fit no parameters.
    assert negative_binomial.fit(100.0, 99, 60, 0.5) is None
    assert negative_binomial.negative_binomial_uniques(ClassSizes.of({1: 5, 3: 2}), 0.3) is None


def test_the_number_of_classes_of_a_population() -> None:
    random = np.random.default_rng(11)
    labels = np.repeat(np.arange(20_000), 1 + random.negative_binomial(0.5, 0.2, 20_000))
    sizes, _ = sampled(labels, 0.5, random)
    assert negative_binomial.population_classes(sizes, 0.5) == pytest.approx(20_000, rel=0.05)


def test_the_decision_rule() -> None:
    sample = ClassSizes.of({1: 400, 2: 120, 3: 50, 5: 24, 9: 10})
    small, large = population_uniques(sample, 0.1), population_uniques(sample, 0.11)
    assert (small.model, small.dankar) == ("pitman", small.pitman)
    assert large.snb is not None
    assert large.zayatz is not None
    assert large.dankar == min(large.snb, large.zayatz)
    assert small.share == small.dankar / small.population


def test_zayatz_stands_in_for_models_without_a_solution() -> None:
    all_alone = population_uniques(ClassSizes.of({1: 10}), 0.05)
    assert (all_alone.pitman, all_alone.model, all_alone.dankar) == (None, "zayatz", all_alone.zayatz)
    no_pairs = population_uniques(ClassSizes.of({1: 5, 3: 2}), 0.3)
    assert (no_pairs.snb, no_pairs.model) == (None, "zayatz")


@pytest.mark.parametrize(("histogram", "fraction", "alone"), [({2: 5, 3: 1}, 0.1, 0), ({1: 7, 2: 3}, 1.0, 7)])
def test_what_needs_no_estimate(histogram: dict[int, int], fraction: float, alone: int) -> None:
    found = population_uniques(ClassSizes.of(histogram), fraction)
    assert (found.dankar, found.model) == (alone, "counted")


def test_digamma_is_that_of_scipy() -> None:
    x = np.array([1e-3, 0.5, 1.0, 3.7, 9.99, 10.0, 123.4, 1e9])
    assert digamma(x) == pytest.approx(scipy_digamma(x), rel=1e-12)


@pytest.mark.parametrize("x", [-0.7, 0.0, 3.3, 1e4])
@pytest.mark.parametrize("count", [0, 1, 5, 1000])
def test_sums_of_inverses(x: float, count: int) -> None:
    assert sum_of_inverses(x, count) == pytest.approx(
        math.fsum(1 / (x + i) for i in range(1, count + 1)), rel=1e-12
    )
