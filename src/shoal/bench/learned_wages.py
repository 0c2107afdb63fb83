"""What five models learn of wages from a release, as the mean absolute percentage error on rows held out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.wage import QUASI_IDENTIFIERS, SENSITIVE, wage_taxonomy
from shoal.describe.hierarchies.intervals import intervals
from shoal.describe.hierarchies.taxonomy import taxonomy
from shoal.describe.roles import Sensitive
from shoal.flow import anonymize
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.k_anonymity import KAnonymity
from shoal.spec.spec import Spec
from shoal.utility.encoder import LabelEncoder
from shoal.utility.models import REGRESSORS, single_thread

BETA, K = 3, 5
KINDS = ("original", "partition", "full-domain")
NOTHING = "no quasi-identifier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """The error of each model on rows that were held out.

    Attributes
    ----------
    errors
        By model and by what it learned from, the mean of |predicted - wage| / wage.
    nothing
        The same for always predicting the mean wage of the original training rows.
    classes
        By recoding, how many classes the releases have on average.
    """

    errors: Mapping[tuple[str, str], float]
    nothing: float
    classes: Mapping[str, float]


def wage_spec(recoding: Any) -> Spec:
    """Return what both releases keep: bands of wages gain little, and classes have five rows."""
    schools = taxonomy(
        {
            "no college": ["1. < HS Grad", "2. HS Grad"],
            "college": ["3. Some College", "4. College Grad", "5. Advanced Degree"],
        }
    )
    return Spec(
        quasi_identifiers={
            **dict.fromkeys(QUASI_IDENTIFIERS, "suppress"),
            "year": intervals(2, 4),
            "age": intervals(5, 10, 20, 40),
            "education": schools,
        },
        sensitive={SENSITIVE: Sensitive(hierarchy=wage_taxonomy())},
        privacy=[KAnonymity(K), BetaLikeness(SENSITIVE, BETA, from_level=1)],
        recoding=recoding,
        accept={SENSITIVE: "linkable"},
    )


def learn_wages(table: pa.Table, *, folds: int = 5, seed: int = 0) -> Learned:
    """Train all models on each fold's other rows, as they are and as releases have them; test on the fold."""
    fold_of = np.random.default_rng(seed).permutation(table.num_rows) % folds
    errors: dict[tuple[str, str], list[NDArray[np.float64]]] = {}
    nothing: list[NDArray[np.float64]] = []
    classes: dict[str, list[int]] = {}
    encoder = LabelEncoder(wage_spec("partition")).fit(table.select(QUASI_IDENTIFIERS))
    for fold in range(folds):
        train, test = table.filter(pa.array(fold_of != fold)), table.filter(pa.array(fold_of == fold))
        asked, wages = encoder.transform(test.select(QUASI_IDENTIFIERS)), _wages(test)
        nothing.append(np.abs(_wages(train).mean() - wages) / wages)
        for kind in KINDS:
            rows = train
            if kind != "original":
                release = anonymize(train, wage_spec(kind))
                rows = release.table
                classes.setdefault(kind, []).append(release.classes)
            known, targets = encoder.transform(rows.select(QUASI_IDENTIFIERS)), _wages(rows)
            for model, make in REGRESSORS.items():
                with single_thread(), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # networks stop before they converge
                    predicted = make(seed, len(targets)).fit(known, targets).predict(asked)
                errors.setdefault((model, kind), []).append(np.abs(predicted - wages) / wages)
    return Learned(
        errors={who: float(np.concatenate(parts).mean()) for who, parts in errors.items()},
        nothing=float(np.concatenate(nothing).mean()),
        classes={kind: float(np.mean(found)) for kind, found in classes.items()},
    )


def _wages(table: pa.Table) -> NDArray[np.float64]:
    found: NDArray[np.float64] = table.column(SENSITIVE).to_numpy().astype(np.float64)
    return found
