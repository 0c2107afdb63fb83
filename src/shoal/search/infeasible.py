"""The answer when no release satisfies the requirements: what binds, and the nearest that can be had.

Generalizing never adds to the suppressed rows, so the top of the allowed lattice decides: what is
infeasible there is infeasible everywhere.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError
from shoal.search.problem import SearchProblem


def infeasible(problem: SearchProblem) -> InfeasibleError:
    """Return the error for a problem without a solution."""
    rows, k = problem.table.rows, problem.k
    claims = " and ".join(model.describe() for model in problem.models)
    top = [len(levels) - 1 for levels in problem.lattice.levels]
    _, sizes = problem.ground.classes([top])
    fewest_suppressed = int(sizes[sizes < k].sum())
    if k > rows:
        binds = f"The table has only {_count(rows, 'row')}."
    else:
        binds = (
            f"Even at the highest levels {_count(fewest_suppressed, 'row')} of {rows:,} "
            f"{'is' if fewest_suppressed == 1 else 'are'} in classes that fail, and "
            f"{problem.limit:,} may be suppressed."
        )
    held = [column.name for column in problem.table.columns if column.max_level < column.height]
    raise_them = (
        f"\nThe spec holds {', '.join(held)} below the top level: raising that helps too." if held else ""
    )
    limit = smallest_limit(fewest_suppressed, rows)
    all_rows = " (every row)" if fewest_suppressed == rows else ""
    return InfeasibleError(
        f"No release satisfies {claims} with a suppression limit of {problem.suppression:g}.\n"
        f"{binds}\n"
        f"Nearest that can be satisfied: k = {largest_k(sizes, problem.limit)} with this limit, "
        f"or a suppression limit of {limit}{all_rows} with k = {k}.{raise_them}"
    )


def largest_k(sizes: NDArray[np.uint64], limit: int) -> int:
    """Return the largest k for which at most `limit` rows are in classes of fewer than k.

    Examples
    --------
    >>> largest_k(np.array([3, 5, 3], dtype=np.uint64), limit=2)
    3
    >>> largest_k(np.array([3, 5, 3], dtype=np.uint64), limit=6)
    5
    """
    ascending = np.sort(sizes)
    first_too_many = int(np.searchsorted(np.cumsum(ascending), limit, side="right"))
    return int(ascending[min(first_too_many, len(ascending) - 1)])


def smallest_limit(suppressed: int, rows: int) -> str:
    """Return the share of rows as a number of three digits, rounded up so that it suffices.

    Examples
    --------
    >>> smallest_limit(419, 30162)
    '0.0139'
    >>> smallest_limit(7, 7)
    '1'
    """
    share = Context(prec=3, rounding=ROUND_CEILING).divide(Decimal(suppressed), Decimal(rows))
    return f"{share.normalize():f}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
