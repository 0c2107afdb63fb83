"""What all bucketizers share: each value in one bucket, parameters checked at once, names in specs."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from shoal.errors import InputError
from shoal.partition.buckets.beta_likeness import BetaLikenessBuckets
from shoal.partition.buckets.bucketizer import Bucketizer
from shoal.partition.buckets.buckets import Buckets
from shoal.partition.buckets.incognito import IncognitoBuckets
from shoal.partition.buckets.t_closeness import TClosenessBuckets
from shoal.partition.buckets.value import ValueBuckets
from shoal.partition.sensitive_values import SensitiveValues
from shoal.testing import check_bucketizer

BUCKETIZERS: list[Bucketizer] = [
    ValueBuckets(),
    *(BetaLikenessBuckets(beta) for beta in (0.2, 1, 3)),
    *(IncognitoBuckets(beta) for beta in (0.2, 1, 3)),
    *(TClosenessBuckets(t, "equal") for t in (0.05, 0.3, 1)),
    *(TClosenessBuckets(t, "ordered") for t in (0.05, 0.3, 1)),
    *(TClosenessBuckets(t, "hierarchical") for t in (0.05, 0.3, 1)),
]
OVERLAPPING = IncognitoBuckets(3, overlapping=True)
DECLARED = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
ENTRY_POINTS = DECLARED["project"]["entry-points"]["shoal.bucketizers"]


@pytest.mark.parametrize("bucketizer", [*BUCKETIZERS, OVERLAPPING], ids=str)
def test_bucketizers_keep_what_they_promise(bucketizer: Bucketizer) -> None:
    check_bucketizer(bucketizer)


@pytest.mark.parametrize("bucketizer", BUCKETIZERS, ids=str)
def test_one_value_is_one_bucket(bucketizer: Bucketizer) -> None:
    one = np.zeros(1, dtype=np.uint32)
    buckets = bucketizer.buckets(SensitiveValues(np.array([7]), (one,), one))
    assert (buckets.of_value.tolist(), buckets.rows.tolist(), buckets.bounds.tolist()) == ([0], [7], [1.0])


def test_each_value_may_be_a_bucket_of_its_own() -> None:
    buckets = ValueBuckets().buckets(SensitiveValues(np.array([2, 0, 5])))
    assert (buckets.of_value.tolist(), buckets.rows.tolist()) == ([0, -1, 1], [2, 5])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: BetaLikenessBuckets(0), ["number beta above 0.\nFound: 0"]),
        (lambda: BetaLikenessBuckets(math.inf), ["Found: inf"]),
        (lambda: BetaLikenessBuckets(True), ["Found: True"]),
        (
            lambda: IncognitoBuckets(-1, overlapping="yes"),  # type: ignore[arg-type]
            ["incognito needs a number beta above 0.\nFound: -1", "to be true or false.\nFound: 'yes'"],
        ),
        (
            lambda: TClosenessBuckets(0, "hierarchic"),  # type: ignore[arg-type]
            ["number t above 0, at most 1.\nFound: 0", "Did you mean 'hierarchical'"],
        ),
        (lambda: TClosenessBuckets(1.1), ["at most 1.\nFound: 1.1"]),
        (lambda: TClosenessBuckets(math.nan), ["Found: nan"]),
        (
            lambda: BetaLikenessBuckets.from_spec(None),
            ["beta-likeness lacks 'beta'.\nAdd it: a number above 0"],
        ),
        (lambda: TClosenessBuckets.from_spec({"t": 0.1, "distanse": "equal"}), ["Did you mean 'distance'"]),
        (lambda: ValueBuckets.from_spec({"beta": 1}), ["value takes no parameters"]),
    ],
)
def test_bad_parameters_are_refused_together(make: Callable[[], object], said: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        make()
    for words in said:
        assert words in str(caught.value)


@pytest.mark.parametrize("lacking", [IncognitoBuckets(1), TClosenessBuckets(0.1, "hierarchical")], ids=str)
def test_without_a_taxonomy_it_is_said_what_to_do(lacking: Bucketizer) -> None:
    with pytest.raises(
        InputError, match=r"taxonomy.*\nFound: no hierarchy of column 'wage'.\nAdd one to it, or use"
    ):
        lacking.require(SensitiveValues(np.array([1, 2])), "wage")


def test_without_an_order_it_is_said_what_to_do() -> None:
    with pytest.raises(
        InputError, match=r"need an order.*\nFound: none for column 'wage'.\nUse numbers or dates"
    ):
        TClosenessBuckets(0.1, "ordered").require(SensitiveValues(np.array([1, 2])), "wage")


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_what_is_declared_is_there(name: str) -> None:
    module, made = ENTRY_POINTS[name].split(":")
    kind = getattr(import_module(module), made)
    assert kind.name == name
    for example in kind.examples:
        bucketizer = kind.from_spec(example)
        assert isinstance(bucketizer, Bucketizer)
        assert bucketizer.to_spec() == (name if example is None else {name: example})


def test_words_for_buckets() -> None:
    one = Buckets.of([([0], 1.0)], np.array([1]))
    assert one.describe() == "1 bucket of 1 row"
    assert Buckets.of((), np.zeros(0, dtype=np.int64)).describe() == "no buckets"
    several = Buckets.of([([0], 1.0), ([1], 1.0)], np.array([1200, 3]))
    assert several.describe() == "2 buckets of 3 to 1,200 rows"
