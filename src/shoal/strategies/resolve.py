"""The strategy that a name or an object stands for, and whether it can serve a spec and an engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

from shoal import registry
from shoal.errors import InputError
from shoal.search.result import SearchAlgorithm
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.strategy import Strategy


def strategy_of(
    strategy: str | Strategy | None = None, algorithm: str | SearchAlgorithm | None = None
) -> Strategy:
    """Return a strategy; one level per column where none is given.

    Parameters
    ----------
    strategy
        Its name in the registry, or the strategy itself.
    algorithm
        The search of one that has several.

    Raises
    ------
    InputError
        It is none, or takes no algorithm.

    Examples
    --------
    >>> strategy_of("full-domain", "flash").algorithm
    'flash'
    """
    found: Any = registry.resolve("strategies", strategy)() if isinstance(strategy, str) else strategy
    if found is None:
        found = FullDomainSearch()
    # A class has all that its objects have, but cannot choose.
    if isinstance(found, type) or not isinstance(found, Strategy):
        kind = found.__name__ if isinstance(found, type) else type(found).__name__
        raise InputError(
            f"An object of type {kind!r} is not a strategy.\n"
            f"Known: {', '.join(registry.names('strategies'))}.\n"
            "Give one of these names, or an object of such a class."
        )
    if algorithm is None:
        return found
    if not dataclasses.is_dataclass(found) or "algorithm" not in {f.name for f in dataclasses.fields(found)}:
        raise InputError(
            f"The strategy '{found.name}' has no search algorithms to choose from.\n"
            "Found: an algorithm.\nLeave it out."
        )
    chosen: Strategy = dataclasses.replace(found, algorithm=algorithm)
    return chosen


def require_spec(strategy: Strategy, spec: Spec, *, all_nodes: bool = False) -> None:
    """Raise unless a strategy can serve a spec. Nothing has to be read to find that out.

    Raises
    ------
    InputError
        With what it cannot do, and the strategies that can.
    """
    if all_nodes and not strategy.lists_nodes:
        raise InputError(
            f"The strategy '{strategy.name}' chooses no node of a lattice, so it cannot list all that "
            f"satisfy.\nStrategies that can: {_listed('lists_nodes')}."
        )
    compared = [model.describe() for model in spec.privacy if model.population is not None]
    if compared and not strategy.has_levels:
        raise InputError(
            f"To be compared with a population, at the release's levels: {' and '.join(compared)}.\n"
            f"The strategy '{strategy.name}' gives columns no levels.\n"
            f"Strategies that do: {_listed('has_levels')}."
        )
    strategy.require(spec, all_nodes=all_nodes)


def require_engine(strategy: Strategy, engine: str) -> None:
    """Raise unless the engine of a name can do what a strategy needs.

    Raises
    ------
    InputError
        With what it cannot do, and the engines that can.
    """
    lacking = strategy.needs - registry.resolve("engines", engine).abilities
    if lacking:
        raise InputError(
            f"The strategy '{strategy.name}' needs an engine that can {_words(lacking)}.\n"
            f"The engine '{engine}' cannot.\nEngines that can: {', '.join(engines_for(strategy)) or 'none'}."
        )


def _words(abilities: Collection[Ability]) -> str:
    return " and ".join(ability.value for ability in Ability if ability in abilities)


def engines_for(strategy: Strategy) -> list[str]:
    """Return the names of the engines that can do what a strategy needs.

    Examples
    --------
    >>> engines_for(FullDomainSearch())
    ['duckdb', 'memory', 'postgres', 'spark']
    """
    kinds = ((name, registry.resolve("engines", name)) for name in registry.names("engines"))
    return [name for name, kind in kinds if strategy.needs <= kind.abilities]


def _listed(ability: str) -> str:
    kinds = ((name, registry.resolve("strategies", name)) for name in registry.names("strategies"))
    return ", ".join(name for name, kind in kinds if getattr(kind, ability)) or "none"
