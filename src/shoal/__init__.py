"""Shoal hides every person in a crowd of at least k, and keeps as much information as can be kept.

The flow, in order:

1. **read**: `anonymize` takes a pandas, polars or Arrow table, a query of DuckDB, or the path of a file: CSV,
   Parquet, Excel, Stata, SPSS or SAS.
2. **describe**: a `Spec` says what the columns are, how a `QuasiIdentifier` may be generalized (`intervals`,
   `prefix`, `suppress`, `hierarchy_file`) and what the release must satisfy (`KAnonymity`, `AlphaK`, `KMap`,
   `DeltaPresence`, `LDiversity`, `TCloseness`, `BetaLikeness`, `DeltaDisclosure`, `Risk`; all together).
3. **encode**: values become numbers, hierarchies become maps between them.
4. **search**: the best choice of levels is found, and proved to be the best.
5. **recode**: values become labels, rows that stand out are suppressed, the rest is shuffled.
6. **measure**: the `Release` says what it kept and what it lost.
7. **write**: the release is audited as written, and appears whole, with its manifest, or not at all.

`audit_release` checks a release from its file alone, by other code than the one that made it.

>>> import pyarrow as pa
>>> import shoal
>>> spec = shoal.Spec(
...     quasi_identifiers={"age": shoal.intervals(5, 10, 20), "sex": shoal.suppress()},
...     privacy=[shoal.KAnonymity(2)],
... )
>>> shoal.anonymize(pa.table({"age": [31, 33, 52, 54], "sex": ["F", "F", "M", "M"]}), spec).levels
{'age': 1, 'sex': 0}
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.anonymizer import Anonymizer
    from shoal.audit import audit_release
    from shoal.describe.formats.anjana import from_anjana
    from shoal.describe.hierarchies.chain import chain
    from shoal.describe.hierarchies.clusters import clusters
    from shoal.describe.hierarchies.dates import dates
    from shoal.describe.hierarchies.file import hierarchy_file
    from shoal.describe.hierarchies.function import by_function
    from shoal.describe.hierarchies.intervals import intervals
    from shoal.describe.hierarchies.mask import mask
    from shoal.describe.hierarchies.order import order
    from shoal.describe.hierarchies.prefix import prefix
    from shoal.describe.hierarchies.priority import priority
    from shoal.describe.hierarchies.quantiles import quantiles
    from shoal.describe.hierarchies.round import rounding
    from shoal.describe.hierarchies.suppress import suppress
    from shoal.describe.hierarchies.taxonomy import taxonomy
    from shoal.describe.roles import QuasiIdentifier, Sensitive
    from shoal.errors import (
        AuditError,
        CancelledError,
        InfeasibleError,
        InputError,
        LinkableError,
        MissingFileError,
        OutputError,
        ShoalError,
    )
    from shoal.explore.nodes import Nodes
    from shoal.flow import anonymize, apply, plan
    from shoal.incremental.extend import extend
    from shoal.incremental.extension import Extension
    from shoal.measure.average_class_size import AverageClassSize
    from shoal.measure.certainty_penalty import CertaintyPenalty
    from shoal.measure.classification import Classification
    from shoal.measure.custom import CustomMeasure
    from shoal.measure.discernability import Discernability, MonotoneDiscernability
    from shoal.measure.entropy import Entropy
    from shoal.measure.height import Height
    from shoal.measure.kl_divergence import KLDivergence
    from shoal.measure.loss import Loss
    from shoal.measure.precision import Precision
    from shoal.privacy.alpha_k import AlphaK
    from shoal.privacy.beta_likeness import BetaLikeness
    from shoal.privacy.delta_disclosure import DeltaDisclosure
    from shoal.privacy.delta_presence import DeltaPresence
    from shoal.privacy.k_anonymity import KAnonymity
    from shoal.privacy.k_map import KMap
    from shoal.privacy.l_diversity import LDiversity
    from shoal.privacy.population import Population
    from shoal.privacy.reidentification_risk import Risk
    from shoal.privacy.t_closeness import TCloseness
    from shoal.release import Release
    from shoal.risk import RiskAssessment, RiskComparison, assess_risk
    from shoal.session import Session
    from shoal.spec.arx_import import import_arx_project
    from shoal.spec.spec import Spec
    from shoal.stream.stream import Stream
    from shoal.suggestions.profile import TableProfile, profile
    from shoal.suggestions.suggestion import Suggestion, suggest
    from shoal.tradeoff.compare import compare
    from shoal.tradeoff.comparison import Comparison
    from shoal.trial.trial import Trial
    from shoal.trial.try_spec import try_spec
    from shoal.utility.assess import assess_utility
    from shoal.utility.assessment import UtilityAssessment
    from shoal.utility.encoder import LabelEncoder
    from shoal.write.output import TableOutput

    __version__: str

__all__ = [
    "AlphaK",
    "Anonymizer",
    "AuditError",
    "AverageClassSize",
    "BetaLikeness",
    "CancelledError",
    "CertaintyPenalty",
    "Classification",
    "Comparison",
    "CustomMeasure",
    "DeltaDisclosure",
    "DeltaPresence",
    "Discernability",
    "Entropy",
    "Extension",
    "Height",
    "InfeasibleError",
    "InputError",
    "KAnonymity",
    "KLDivergence",
    "KMap",
    "LDiversity",
    "LabelEncoder",
    "LinkableError",
    "Loss",
    "MissingFileError",
    "MonotoneDiscernability",
    "Nodes",
    "OutputError",
    "Population",
    "Precision",
    "QuasiIdentifier",
    "Release",
    "Risk",
    "RiskAssessment",
    "RiskComparison",
    "Sensitive",
    "Session",
    "ShoalError",
    "Spec",
    "Stream",
    "Suggestion",
    "TCloseness",
    "TableOutput",
    "TableProfile",
    "Trial",
    "UtilityAssessment",
    "anonymize",
    "apply",
    "assess_risk",
    "assess_utility",
    "audit_release",
    "by_function",
    "chain",
    "clusters",
    "compare",
    "dates",
    "extend",
    "from_anjana",
    "hierarchy_file",
    "import_arx_project",
    "intervals",
    "mask",
    "order",
    "plan",
    "prefix",
    "priority",
    "profile",
    "quantiles",
    "rounding",
    "suggest",
    "suppress",
    "taxonomy",
    "try_spec",
]

# Where each name lives. It is imported when first used, so that `import shoal` stays light.
_HOMES = {
    "anonymize": "shoal.flow",
    "apply": "shoal.flow",
    "Anonymizer": "shoal.anonymizer",
    "plan": "shoal.flow",
    "Session": "shoal.session",
    "TableOutput": "shoal.write.output",
    "Release": "shoal.release",
    "extend": "shoal.incremental.extend",
    "Extension": "shoal.incremental.extension",
    "Nodes": "shoal.explore.nodes",
    "compare": "shoal.tradeoff.compare",
    "Comparison": "shoal.tradeoff.comparison",
    "Spec": "shoal.spec.spec",
    "Stream": "shoal.stream.stream",
    "QuasiIdentifier": "shoal.describe.roles",
    "Sensitive": "shoal.describe.roles",
    "AlphaK": "shoal.privacy.alpha_k",
    "BetaLikeness": "shoal.privacy.beta_likeness",
    "DeltaDisclosure": "shoal.privacy.delta_disclosure",
    "DeltaPresence": "shoal.privacy.delta_presence",
    "KAnonymity": "shoal.privacy.k_anonymity",
    "KMap": "shoal.privacy.k_map",
    "LDiversity": "shoal.privacy.l_diversity",
    "Population": "shoal.privacy.population",
    "Risk": "shoal.privacy.reidentification_risk",
    "TCloseness": "shoal.privacy.t_closeness",
    "AverageClassSize": "shoal.measure.average_class_size",
    "CertaintyPenalty": "shoal.measure.certainty_penalty",
    "Classification": "shoal.measure.classification",
    "CustomMeasure": "shoal.measure.custom",
    "Discernability": "shoal.measure.discernability",
    "Entropy": "shoal.measure.entropy",
    "Height": "shoal.measure.height",
    "KLDivergence": "shoal.measure.kl_divergence",
    "Loss": "shoal.measure.loss",
    "MonotoneDiscernability": "shoal.measure.discernability",
    "Precision": "shoal.measure.precision",
    "RiskAssessment": "shoal.risk",
    "RiskComparison": "shoal.risk",
    "assess_risk": "shoal.risk",
    "assess_utility": "shoal.utility.assess",
    "LabelEncoder": "shoal.utility.encoder",
    "UtilityAssessment": "shoal.utility.assessment",
    "intervals": "shoal.describe.hierarchies.intervals",
    "quantiles": "shoal.describe.hierarchies.quantiles",
    "rounding": "shoal.describe.hierarchies.round",
    "dates": "shoal.describe.hierarchies.dates",
    "prefix": "shoal.describe.hierarchies.prefix",
    "mask": "shoal.describe.hierarchies.mask",
    "taxonomy": "shoal.describe.hierarchies.taxonomy",
    "order": "shoal.describe.hierarchies.order",
    "clusters": "shoal.describe.hierarchies.clusters",
    "priority": "shoal.describe.hierarchies.priority",
    "by_function": "shoal.describe.hierarchies.function",
    "chain": "shoal.describe.hierarchies.chain",
    "suppress": "shoal.describe.hierarchies.suppress",
    "hierarchy_file": "shoal.describe.hierarchies.file",
    "from_anjana": "shoal.describe.formats.anjana",
    "import_arx_project": "shoal.spec.arx_import",
    "profile": "shoal.suggestions.profile",
    "suggest": "shoal.suggestions.suggestion",
    "TableProfile": "shoal.suggestions.profile",
    "Suggestion": "shoal.suggestions.suggestion",
    "try_spec": "shoal.trial.try_spec",
    "Trial": "shoal.trial.trial",
    "audit_release": "shoal.audit",
    "ShoalError": "shoal.errors",
    "InputError": "shoal.errors",
    "CancelledError": "shoal.errors",
    "MissingFileError": "shoal.errors",
    "OutputError": "shoal.errors",
    "InfeasibleError": "shoal.errors",
    "LinkableError": "shoal.errors",
    "AuditError": "shoal.errors",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("shoal")
    if name not in _HOMES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
