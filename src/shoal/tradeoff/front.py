"""The Pareto front: what no other point beats in both respects."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.measure.measure import canonical


def on_front(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Return for each point, smaller being better, whether no other is as good in both and better in one.

    Points that are equal are on the front together.

    Examples
    --------
    >>> on_front([(0.5, 0.1), (0.2, 0.3), (0.5, 0.2), (0.2, 0.3)])
    [True, True, False, True]
    """
    rounded = [(canonical(x), canonical(y)) for x, y in points]
    best: dict[tuple[float, float], bool] = {}
    least = float("inf")
    for x, y in sorted(set(rounded)):
        # Whatever stands before it has no larger x.
        best[x, y] = y < least
        least = min(least, y)
    return [best[point] for point in rounded]
