"""Which strategy a name or an object stands for, and what it cannot serve."""

from __future__ import annotations

from typing import Any

import pytest

import shoal
from shoal.errors import InputError
from shoal.strategies.abilities import Ability
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.resolve import engines_for, require_engine, require_spec, strategy_of
from tests.toys import toy


def test_one_level_per_column_is_the_default() -> None:
    assert spec().recoding == strategy_of("full-domain") == FullDomainSearch()
    assert strategy_of("full-domain", "flash") == FullDomainSearch("flash")


@pytest.mark.parametrize("given", [FullDomainSearch, object(), 5])
def test_what_is_none(given: Any) -> None:
    with pytest.raises(InputError, match=r"is not a recoding\.\nKnown: .*full-domain"):
        strategy_of(given)
    with pytest.raises(InputError, match="Unknown recoding 'full-domian'"):
        strategy_of("full-domian")


def test_an_algorithm_that_is_none() -> None:
    with pytest.raises(InputError, match="is not a search algorithm"):
        FullDomainSearch(object()).require(spec())  # type: ignore[arg-type]


def spec(**settings: Any) -> shoal.Spec:
    given: dict[str, Any] = {"quasi_identifiers": {"age": "suppress"}, "privacy": [shoal.KAnonymity(2)]}
    return shoal.Spec(**{**given, **settings})


def test_engines() -> None:
    keep = toy("frequent_values").KeepFrequent()
    assert engines_for(FullDomainSearch()) == ["duckdb", "memory", "postgres", "spark"]
    assert engines_for(keep) == ["duckdb", "memory", "postgres", "spark"]

    class InParts(type(keep)):  # type: ignore[misc]
        needs = frozenset({Ability.HAND_OVER_ROWS})

    assert engines_for(InParts()) == ["memory"]
    require_engine(InParts(), "memory")
    with pytest.raises(InputError, match="hand over rows in parts") as error:
        require_engine(InParts(), "postgres")
    assert str(error.value).endswith("The engine 'postgres' cannot.\nEngines that can: memory.")


def test_a_spec_that_an_algorithm_cannot_serve() -> None:
    require_spec(FullDomainSearch("samarati"), spec(quality="height"))
    with pytest.raises(InputError, match="The algorithm 'samarati' does not support this search"):
        require_spec(FullDomainSearch("samarati"), spec(quality="loss"))
