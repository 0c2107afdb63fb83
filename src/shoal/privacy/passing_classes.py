"""Which classes of a node may be released: the models together, by their definitions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.classes import Classes
from shoal.privacy.condition import ROUNDING
from shoal.privacy.model import PrivacyModel


def passing(models: Sequence[PrivacyModel], classes: Classes) -> NDArray[np.bool_]:
    """For each class, do all models hold?

    Where an average risk is asked for, the smallest classes fail, all of one size together, until it holds.
    """
    pass_all = holding(models, classes)
    average = min((model.average_risk for model in models), default=np.inf)
    return pass_all & (classes.people >= _least_size(classes.people[pass_all & (classes.sizes > 0)], average))


def holding(models: Sequence[PrivacyModel], classes: Classes) -> NDArray[np.bool_]:
    """For each class, do all models hold by what is in it? An average is of no single class."""
    pass_all = np.ones(classes.count, dtype=bool)
    for model in models:
        values = len(classes.attribute(model.column).counts) if model.column else 1
        for position, part in classes.parts(values):
            pass_all[position] &= model.holds(part)
    return pass_all


def settled(models: Sequence[PrivacyModel], classes: Classes, kept: NDArray[np.bool_], limit: int) -> bool:
    """Return whether suppressing the classes that are not kept makes a release that satisfies.

    At most `limit` rows may be suppressed, and none where a missing class reveals something.
    """
    if not all(model.suppressible for model in models) and not kept.all():
        return False
    return int(classes.sizes[~kept].sum()) <= limit


def _least_size(sizes: NDArray[np.int64], average: float) -> int:
    """Return the least size that a class must have for classes per person to be at most `average`."""
    found, counts = np.unique(sizes, return_counts=True)
    classes = np.cumsum(counts[::-1])[::-1]
    people = np.cumsum((found * counts)[::-1])[::-1]
    enough = np.flatnonzero(classes <= average * people * (1 + ROUNDING))
    if not len(found):
        return 0
    return int(found[enough[0]]) if len(enough) else int(found[-1]) + 1
