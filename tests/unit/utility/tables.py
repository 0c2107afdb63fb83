"""Small tables, and what the tests know of them from elsewhere."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import shoal
from shoal.utility.recoded_column import RecodedColumn, recode_column


def column(original, release, hierarchy=None, name="age", **how) -> RecodedColumn:
    """Recode lists of cells."""
    made = None if hierarchy is None else shoal.QuasiIdentifier(hierarchy=hierarchy)
    before, after = (pa.array(cells).dictionary_encode() for cells in (original, release))
    return recode_column(name, before, after, made, **how)


def people(rows: int = 400, seed: int = 0) -> pa.Table:
    """Draw people of whom illness depends on age, and pay on age and job."""
    random = np.random.default_rng(seed)
    age = random.integers(20, 80, rows)
    job = random.integers(0, 4, rows)
    ill = np.where(random.random(rows) < (age - 20) / 60, "yes", "no")
    pay = 1000 + 20 * age + 300 * job + random.integers(0, 50, rows)
    jobs = np.array(["clerk", "cook", "judge", "pilot"])[job]
    return pa.table({"age": age, "job": jobs, "ill": ill, "pay": pay})


def spec(**settings) -> shoal.Spec:
    """Return a spec for them."""
    return shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(5, 10, 20), "job": shoal.suppress()},
        sensitive=["ill", "pay"],
        accept={"pay": "linkable"},
        privacy=[shoal.KAnonymity(settings.pop("k", 5))],
        **settings,
    )


def starred(table: pa.Table) -> pa.Table:
    """Suppress the quasi-identifiers of all rows."""
    stars = pa.repeat("*", table.num_rows)
    return table.set_column(0, "age", stars).set_column(1, "job", stars)
