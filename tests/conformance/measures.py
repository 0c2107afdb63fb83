"""Measures with any parameters: drawn, and all of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from shoal import registry
from shoal.measure.measure import Measure
from shoal.testing.nodes import TARGET

MEASURES = registry.names("measures")

# By the name of a parameter, what it may be; a measure with other parameters needs its own line.
_PARAMETERS: dict[str, Sequence[Any]] = {"aggregate": ["mean", "max", "ranked"], "target": [TARGET]}


def _variants(name: str) -> list[Measure]:
    kind = registry.resolve("measures", name)
    choices = itertools.product(*(_PARAMETERS[parameter] for parameter in kind.parameters))
    return [kind(**dict(zip(kind.parameters, chosen, strict=True))) for chosen in choices]


VARIANTS = [measure for name in MEASURES for measure in _variants(name)]


def measures(name: str) -> st.SearchStrategy[Measure]:
    """Draw a registered measure with parameters."""
    return st.sampled_from(_variants(name))
