"""Which algorithm can serve what is asked. One that cannot says so before it starts; none falls back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from shoal import _kernel, registry
from shoal.errors import InputError
from shoal.measure.measure import Measure
from shoal.privacy.model import PrivacyModel
from shoal.search.problem import SearchProblem
from shoal.search.result import SearchAlgorithm

MOST_NODES = 1 << 22
"""Searches that are written in Python keep some hundred bytes per node."""

MOST_LISTED = 1 << 24
"""Nodes that can be listed when all are asked for."""


def require_served(
    algorithm: SearchAlgorithm,
    models: Sequence[PrivacyModel],
    measure: Measure,
    suppression: float,
    *,
    units: bool = False,
    all_nodes: bool = False,
) -> None:
    """Raise unless the algorithm can serve these models, this measure and this share of suppressed rows.

    Parameters
    ----------
    units
        Units are counted, not rows.

    Raises
    ------
    InputError
        With what it cannot serve, and the algorithms that can.
    """
    reasons = list(_reasons(algorithm, models, measure, suppression, units, all_nodes))
    if not reasons:
        return
    able = served_by(models, measure, suppression, units=units, all_nodes=all_nodes)
    raise InputError(
        f"The algorithm '{algorithm.name}' does not support this search: {' and '.join(reasons)}.\n"
        f"Algorithms that can: {', '.join(able) or 'none'}."
    )


def require_serves(algorithm: SearchAlgorithm, problem: SearchProblem, *, all_nodes: bool = False) -> None:
    """Raise unless the algorithm can serve a problem."""
    require_served(
        algorithm,
        problem.models,
        problem.measure,
        problem.suppression,
        units=problem.table.units is not None,
        all_nodes=all_nodes,
    )


def served_by(
    models: Sequence[PrivacyModel],
    measure: Measure,
    suppression: float,
    *,
    units: bool = False,
    all_nodes: bool = False,
) -> list[str]:
    """Return the names of the algorithms that can serve all this, heuristics marked."""
    kinds = [registry.resolve("algorithms", name) for name in registry.names("algorithms")]
    return [
        kind.name if kind.exact else f"{kind.name} (a heuristic)"
        for kind in kinds
        if not list(_reasons(kind, models, measure, suppression, units, all_nodes))
    ]


def refuse_large(
    problem: SearchProblem, nodes: int | None = None, what: str = "the lattice", most: int = MOST_NODES
) -> None:
    """Raise if there are more nodes than can be kept in mind: those of the lattice, if not given."""
    nodes = problem.lattice.size if nodes is None else nodes
    require_columns(problem)
    if nodes <= most:
        return
    box = math.prod(map(len, problem.lattice.levels)) <= _kernel.max_nodes
    raise InputError(
        f"This search records every node of {what}, and goes up to {most:,} nodes.\n"
        f"Found: {nodes:,} nodes.\n"
        "Allow fewer levels with min-level and max-level, declare fewer quasi-identifiers, or use "
        f"{'box, which needs less memory' if box else 'best-first, which has a budget'}."
    )


def require_columns(problem: SearchProblem) -> None:
    """Raise if there are more columns than the kernel takes."""
    columns = len(problem.table.columns)
    if columns > _kernel.max_columns:
        raise InputError(
            f"A search goes up to {_kernel.max_columns} quasi-identifiers.\n"
            f"Found: {columns}.\n"
            "Declare fewer, or combine those that belong together into one."
        )


def _reasons(
    algorithm: SearchAlgorithm | type[SearchAlgorithm],
    models: Sequence[PrivacyModel],
    measure: Measure,
    suppression: float,
    units: bool,
    all_nodes: bool,
) -> Iterable[str]:
    if algorithm.measures and measure.name not in algorithm.measures:
        yield f"it optimizes {' or '.join(algorithm.measures)} only, not {measure.name}"
    if all_nodes and not algorithm.complete:
        yield "it finds one node, not all that satisfy"
    suppresses = suppression > 0 and all(model.suppressible for model in models)
    for model in models:
        absorbing = model.absorbing_people if units else model.absorbing
        if algorithm.absorbing_only and (suppresses or units) and not absorbing:
            where = "units are counted" if units else "rows may be suppressed"
            yield (
                f"under {model.describe()} a class that passes may fail after merging with another, "
                f"so where {where} nothing follows from one node for others"
            )
        if algorithm.sizes_only and (model.column or model.population or model.average_risk < math.inf):
            yield f"{model.describe()} needs more than the sizes of classes"
    if algorithm.sizes_only and units:
        yield "it counts rows, not units"
