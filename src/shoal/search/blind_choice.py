"""The choice by quasi-identifiers alone: what the search sees then, and the answer where that does not do.

The best of all releases that satisfy l-diversity tells that every better one does not, which is a fact about
the sensitive column (Wong, Fu, Wang and Pei, "Minimality attack in privacy preserving data publishing", VLDB
2007). A search that sees no sensitive column cannot tell anything of it: its choice of levels and of
suppressed rows is the same whatever the sensitive values are. All models are checked at the node that it
chose; where one fails, there is no release. See docs/minimality.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.encode.table import CodedTable
from shoal.errors import InfeasibleError
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import passing
from shoal.recode.released_classes import Verdict


def require_all(models: Sequence[PrivacyModel], verdict: Verdict) -> None:
    """Raise unless every class that readers see, starred rows included, satisfies all models.

    Raises
    ------
    InfeasibleError
        Names the models that fail and the bar to raise. It shows counts, no values. Where people have several
        rows, models of sensitive columns are refused whatever the values are.
    """
    _refuse_several_rows(models, verdict.coded)
    released = verdict.seen.sizes > 0
    failing = {
        model.describe(): count
        for model in models
        if model.column is not None
        and (count := int(np.count_nonzero(released & ~passing([model], verdict.seen))))
    }
    if not failing:
        return
    classes = int(np.count_nonzero(released))
    counts = ", ".join(f"{name} fails in {count:,}" for name, count in failing.items())
    bar = max(model.minimum_size for model in models)
    raise InfeasibleError(
        "The release that the quasi-identifiers alone choose does not satisfy "
        f"{' and '.join(failing)}.\n"
        f"Of {classes:,} classes: {counts}. No row is suppressed for its sensitive values.\n"
        f"Raise the bar with a larger k-anonymity, now {bar:,}, or ask for less. Whoever learns of this "
        "refusal learns something of the sensitive column: decide on the bars to try before the first try."
    )


def _refuse_several_rows(models: Sequence[PrivacyModel], coded: CodedTable) -> None:
    """Raise where people have several rows and a model counts who has a value.

    Readers see the values of a class and not whose they are. With one row each, all ways to give the values
    to the people pass alike. With several rows some ways pass and others fail, say where one value would be
    in a row of everybody, so that a release would tell readers which ways they can rule out.
    """
    described = [model.describe() for model in models if model.column is not None]
    people = coded.rows if coded.units is None else len(np.unique(coded.units))
    if not described or people == coded.rows:
        return
    raise InfeasibleError(
        "A choice by quasi-identifiers alone does not hide sensitive values where people have several rows: "
        f"whether {' and '.join(described)} holds depends on which rows of a class belong to whom.\n"
        f"Found: {coded.rows:,} rows of {people:,} people.\n"
        "Give a table with one row per person, use models of class sizes alone, or choose by everything."
    )
