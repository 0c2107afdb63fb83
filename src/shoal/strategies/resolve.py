"""The strategy that a name or an object stands for, and whether it can serve a spec and an engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping

from shoal import registry
from shoal.errors import InputError
from shoal.search.result import SearchAlgorithm
from shoal.spec.spec import Spec, recoding_of
from shoal.strategies.abilities import Ability
from shoal.strategies.strategy import Strategy


def strategy_of(
    recoding: str | Mapping[str, object] | Strategy, algorithm: str | SearchAlgorithm | None = None
) -> Strategy:
    """Return the strategy that chooses a recoding.

    Parameters
    ----------
    recoding
        Its name, its name with its settings, or the strategy itself.
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
    found = recoding_of(recoding)
    if algorithm is None:
        return found
    if not dataclasses.is_dataclass(found) or "algorithm" not in {f.name for f in dataclasses.fields(found)}:
        raise InputError(
            f"The recoding '{found.name}' has no search algorithms to choose from.\n"
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
            f"The recoding '{strategy.name}' is no node of a lattice, so there is no list of all nodes that "
            f"satisfy.\nRecodings with such a list: {_listed('lists_nodes')}."
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
            f"The recoding '{strategy.name}' needs an engine that can {_words(lacking)}.\n"
            f"The engine '{engine}' cannot.\nEngines that can: {', '.join(engines_for(strategy)) or 'none'}."
        )


def _words(abilities: Collection[Ability]) -> str:
    return " and ".join(ability.value for ability in Ability if ability in abilities)


def engines_for(strategy: Strategy) -> list[str]:
    """Return the names of the engines that can do what a strategy needs.

    Examples
    --------
    >>> from shoal.strategies.full_domain_search import FullDomainSearch
    >>> engines_for(FullDomainSearch())
    ['duckdb', 'memory', 'postgres', 'spark']
    """
    kinds = ((name, registry.resolve("engines", name)) for name in registry.names("engines"))
    return [name for name, kind in kinds if strategy.needs <= kind.abilities]


def _listed(ability: str) -> str:
    kinds = ((name, registry.resolve("strategies", name)) for name in registry.names("strategies"))
    return ", ".join(name for name, kind in kinds if getattr(kind, ability)) or "none"
