"""Why somebody should look at a stream, in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.privacy.classes import Classes
from shoal.privacy.passing_classes import holding
from shoal.spec.spec import Spec
from shoal.stream.regions import Regions


def describe(
    table: CodedTable,
    spec: Spec,
    regions: Regions,
    suppressed: int,
    released: int,
    strange: NDArray[np.bool_],
) -> str:
    """Return what was suppressed, what that says of the distribution, and what to do. It shows no values.

    Parameters
    ----------
    strange
        Rows with values that the declared distribution lacks.
    """
    settled = suppressed + released
    found = (
        f"{suppressed:,} of {settled:,} rows were suppressed ({suppressed / settled:.1%}); the spec allows "
        f"{spec.suppression:.1%}."
    )
    if strange.any():
        found += f"\nThe declared distribution lacks the values of {strange.sum():,} of all rows."
    if regions.too_few.all():
        return f"{found}\nFewer rows came than any class needs.\nLet rows wait for more batches."
    others = np.flatnonzero(~strange)
    who = f"{'All other' if strange.any() else 'All'} {len(others):,} rows"
    together = Classes(table, np.zeros(len(others), dtype=np.int64), 1, rows=others)
    models = [model for model in spec.privacy if model.column]
    failing = [model for model in models if not holding([model], together)[0]]
    if not len(others):
        found += "\nCheck the source of the rows."
    elif failing:
        found += f"\n{who} together do not satisfy {' and '.join(model.describe() for model in failing)}"
        found += (
            ": sensitive values are not distributed as declared.\nCheck the source of the rows."
            if all(model.distribution is not None for model in failing)
            else ".\nCheck the source of the rows, let them wait for more batches, or ask for less."
        )
    elif strange.any():
        return (
            f"{found}\n{who} together satisfy the models. Regions of {', '.join(table.names)} are suppressed "
            "where one of the former is, or where sensitive values are distributed otherwise.\n"
            "Check the source of the rows."
        )
    else:
        return (
            f"{found}\n{who} together satisfy the models, and some regions of {', '.join(table.names)} do "
            "not: sensitive values are distributed otherwise there.\n"
            "Let rows wait for more batches, or ask for less."
        )
    if any(model.distribution is not None for model in (failing or models)):
        found += " If the change is real, begin another stream with the new distribution."
    return found
