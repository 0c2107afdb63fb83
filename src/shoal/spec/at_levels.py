"""The spec by which further rows get the labels that a release has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from shoal.describe.fitted_hierarchy import Fitted
from shoal.spec.spec import Spec, recoding_of


def at_levels(spec: Spec, levels: Mapping[str, int], made_from: Spec | None = None) -> Spec:
    """Return the spec with one choice of levels left, and as many rows suppressed as that takes.

    Parameters
    ----------
    spec
        Of a release, as its manifest states it.
    levels
        Of the release, in the hierarchies of that spec.
    made_from
        The release's own spec, with the hierarchies that were made from its table: they are not made again.

    Examples
    --------
    >>> from shoal.describe import intervals
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> spec = Spec(quasi_identifiers={"age": intervals(5, 10)}, privacy=[KAnonymity(2)])
    >>> spec = at_levels(spec, {"age": 1})
    >>> spec.quasi_identifiers["age"].min_level, spec.quasi_identifiers["age"].max_level, spec.suppression
    (1, 1, 1.0)
    """
    columns = {}
    for name, column in spec.quasi_identifiers.items():
        own = column if made_from is None else made_from.quasi_identifiers[name]
        hierarchy = own.hierarchy.kept if isinstance(own.hierarchy, Fitted) else column.hierarchy
        columns[name] = replace(column, hierarchy=hierarchy, min_level=levels[name], max_level=levels[name])
    return replace(spec, quasi_identifiers=columns, suppression=1.0, recoding=recoding_of("full-domain"))
