"""The spec and the recoding of a release in the form for recipients.

Some hierarchies have as many levels as the longest value needs, and that value may be in a suppressed row.
The number of a level would then reveal its length. So recipients get a hierarchy with the labels of the
chosen level that does not depend on any value, and its level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from shoal.describe.hierarchies.suppress import Suppress
from shoal.describe.hierarchy import FromData, Hierarchy, LevelsFromValues, MayBecome, known
from shoal.describe.roles import QuasiIdentifier
from shoal.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class HandedOn:
    """The spec and the recoding as a manifest states them; the recoding as plain values."""

    spec: Spec = field(repr=False)
    recoding: Mapping[str, Any]


def at_fixed_levels(
    spec: Spec, levels: Mapping[str, int], values: Mapping[str, pa.Array]
) -> tuple[Spec, dict[str, int]]:
    """Return the spec and levels of a release without anything that only its suppressed rows reveal.

    Parameters
    ----------
    values
        The distinct values of each quasi-identifier for which the levels were chosen.

    Examples
    --------
    >>> from shoal.describe.hierarchies.prefix import prefix
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> spec = Spec(quasi_identifiers={"zip": prefix()}, privacy=[KAnonymity(2)])
    >>> stated, levels = at_fixed_levels(spec, {"zip": 4}, {"zip": pa.array(["53715", "5371023"])})
    >>> stated.quasi_identifiers["zip"].hierarchy.to_spec(), levels
    ({'mask': [3]}, {'zip': 1})
    """
    columns, stated = dict(spec.quasi_identifiers), dict(levels)
    for name, qi in spec.quasi_identifiers.items():
        columns[name], stated[name] = _fixed(qi, values[name].drop_null(), levels[name])
    return replace(spec, quasi_identifiers=columns), stated


def as_handed_on(spec: Spec, stated: Spec) -> Spec:
    """Return a publisher's spec with the hierarchies that the manifest states instead of its own.

    The levels in a manifest belong to the manifest's hierarchies. Whoever wrote it could state any other, by
    which an exact value is a label for everybody: only one with the labels of the spec's own replaces it.

    Examples
    --------
    >>> from shoal.describe.hierarchies.mask import mask
    >>> from shoal.describe.hierarchies.prefix import prefix
    >>> from shoal.describe.hierarchies.taxonomy import taxonomy
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> own = Spec(quasi_identifiers={"zip": prefix()}, privacy=[KAnonymity(2)])
    >>> for stated in (mask(3), taxonomy({"near": ["53715", "53710"]})):
    ...     found = as_handed_on(own, replace(own, quasi_identifiers={"zip": stated}))
    ...     print(found.quasi_identifiers["zip"].hierarchy.to_spec())
    {'mask': [3]}
    prefix
    """
    columns = dict(spec.quasi_identifiers)
    for name, qi in columns.items():
        other = stated.quasi_identifiers.get(name)
        if (
            other is not None
            and other.hierarchy != qi.hierarchy
            and _may_become(qi.hierarchy, other.hierarchy)
        ):
            # The limits are on the spec's own levels, of which 0 alone is also level 0 here.
            columns[name] = replace(
                qi, hierarchy=other.hierarchy, min_level=min(qi.min_level, 1), max_level=None
            )
    return replace(spec, quasi_identifiers=columns)


def unknown_limits(spec: Spec, stated: Spec) -> list[str]:
    """Return the columns with limits on levels of a hierarchy in whose place the manifest states another.

    Parameters
    ----------
    spec
        That of the publisher.
    stated
        The same `as_handed_on`.
    """
    return [
        name
        for name, qi in spec.quasi_identifiers.items()
        if (qi.min_level > 1 or qi.max_level is not None)
        and stated.quasi_identifiers[name].hierarchy != qi.hierarchy
    ]


def _may_become(own: Hierarchy, stated: Hierarchy) -> bool:
    if not isinstance(own, LevelsFromValues):
        return False
    return isinstance(stated, Suppress) or (isinstance(own, MayBecome) and own.may_become(stated))


def _fixed(qi: QuasiIdentifier, values: pa.Array, level: int) -> tuple[QuasiIdentifier, int]:
    hierarchy = qi.hierarchy
    if isinstance(hierarchy, FromData) or not isinstance(hierarchy, LevelsFromValues):
        return qi, level
    hierarchy, stated = hierarchy.fixed(values.filter(known(hierarchy, values)), level)
    if hierarchy == qi.hierarchy:
        return qi, level
    # The limits refer to the levels of the original hierarchy.
    return replace(qi, hierarchy=hierarchy, min_level=0, max_level=None), stated
