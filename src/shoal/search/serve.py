"""Which algorithm can serve what is asked. One that cannot says so before it starts; none falls back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal import registry
from shoal.errors import InputError
from shoal.measure.measure import Measure
from shoal.privacy.model import PrivacyModel
from shoal.search.result import SearchAlgorithm

MOST_NODES = 1 << 24
"""Searches that are written in Python keep several numbers per node."""


def require_served(
    algorithm: SearchAlgorithm,
    models: Sequence[PrivacyModel],
    measure: Measure,
    *,
    all_nodes: bool = False,
) -> None:
    """Raise unless the algorithm can serve these models and this measure.

    Raises
    ------
    InputError
        With what it cannot serve, and the algorithms that can.
    """
    reasons = list(_reasons(algorithm, models, measure, all_nodes))
    if not reasons:
        return
    able = served_by(models, measure, all_nodes=all_nodes)
    raise InputError(
        f"The algorithm '{algorithm.name}' cannot do what is asked: {' and '.join(reasons)}.\n"
        f"Algorithms that can: {', '.join(able) or 'none'}."
    )


def served_by(models: Sequence[PrivacyModel], measure: Measure, *, all_nodes: bool = False) -> list[str]:
    """Return the names of the algorithms that can serve these models and this measure."""
    return [
        name
        for name in registry.names("algorithms")
        if not list(_reasons(registry.resolve("algorithms", name), models, measure, all_nodes))
    ]


def refuse_large(nodes: int, what: str = "the lattice") -> None:
    """Raise if there are more nodes than a search in Python can keep in mind."""
    if nodes > MOST_NODES:
        raise InputError(
            f"This algorithm keeps {what} in memory, with at most {MOST_NODES:,} nodes.\n"
            f"Found: {nodes:,} nodes.\n"
            "Take the algorithm 'box', or allow fewer levels with min-level and max-level."
        )


def _reasons(
    algorithm: SearchAlgorithm | type[SearchAlgorithm],
    models: Iterable[PrivacyModel],
    measure: Measure,
    all_nodes: bool,
) -> Iterable[str]:
    if algorithm.measures and measure.name not in algorithm.measures:
        yield f"it optimizes {' or '.join(algorithm.measures)} only, not {measure.name}"
    if all_nodes and not algorithm.complete:
        yield "it finds one node, not all that satisfy"
    if algorithm.absorbing_only:
        for model in models:
            if not model.absorbing:
                yield f"under {model.describe()} a class that passes may fail after merging with another"
