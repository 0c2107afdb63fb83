"""Checks for plug-ins: what an author declares, tried on drawn tables until it is kept or broken.

Each function takes one plug-in, and raises AssertionError with the promise that it breaks. Shoal's own tests
call the same functions. They need hypothesis, which draws the tables: `pip install 'shoal[testing]'`.

Examples
--------
>>> import shoal
>>> check_model(shoal.KAnonymity(3), examples=5)
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("hypothesis") is None:
    raise ImportError(
        "shoal.testing needs the package hypothesis, which is not installed.\n"
        "Install it: pip install 'shoal[testing]'."
    )

from shoal.testing.algorithms import check_algorithm
from shoal.testing.bucketizers import check_bucketizer
from shoal.testing.engines import check_engine
from shoal.testing.hierarchies import check_hierarchy
from shoal.testing.measures import check_measure
from shoal.testing.models import check_model
from shoal.testing.recodings import check_recoding
from shoal.testing.strategies import check_strategy

__all__ = [
    "check_algorithm",
    "check_bucketizer",
    "check_engine",
    "check_hierarchy",
    "check_measure",
    "check_model",
    "check_recoding",
    "check_strategy",
]
