"""Shoal hides every person in a crowd of at least k, and keeps as much information as can be kept.

The flow, in order:

1. **read**: `anonymize` takes a pandas, polars or Arrow table, or the path of a CSV or Parquet file.
2. **describe**: a `Spec` says what the columns are, how a `QuasiIdentifier` may be generalized (`intervals`,
   `prefix`, `suppress`, `hierarchy_file`) and what the release must satisfy (`KAnonymity`).
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
    from shoal.audit import audit_release
    from shoal.describe.hierarchy_file import hierarchy_file
    from shoal.describe.intervals import intervals
    from shoal.describe.prefix import prefix
    from shoal.describe.spec import QuasiIdentifier, Spec
    from shoal.describe.suppress import suppress
    from shoal.errors import (
        AuditError,
        InfeasibleError,
        InputError,
        MissingFileError,
        OutputError,
        ShoalError,
    )
    from shoal.flow import anonymize
    from shoal.privacy.k_anonymity import KAnonymity
    from shoal.release import Release
    from shoal.search.nodes import Nodes

    __version__: str

__all__ = [
    "AuditError",
    "InfeasibleError",
    "InputError",
    "KAnonymity",
    "MissingFileError",
    "Nodes",
    "OutputError",
    "QuasiIdentifier",
    "Release",
    "ShoalError",
    "Spec",
    "anonymize",
    "audit_release",
    "hierarchy_file",
    "intervals",
    "prefix",
    "suppress",
]

# Where each name lives. It is imported when first used, so that `import shoal` stays light.
_HOMES = {
    "anonymize": "shoal.flow",
    "Release": "shoal.release",
    "Nodes": "shoal.search.nodes",
    "Spec": "shoal.describe.spec",
    "QuasiIdentifier": "shoal.describe.spec",
    "KAnonymity": "shoal.privacy.k_anonymity",
    "intervals": "shoal.describe.intervals",
    "prefix": "shoal.describe.prefix",
    "suppress": "shoal.describe.suppress",
    "hierarchy_file": "shoal.describe.hierarchy_file",
    "audit_release": "shoal.audit",
    "ShoalError": "shoal.errors",
    "InputError": "shoal.errors",
    "MissingFileError": "shoal.errors",
    "OutputError": "shoal.errors",
    "InfeasibleError": "shoal.errors",
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
    return sorted([*globals(), *__all__, "__version__"])
