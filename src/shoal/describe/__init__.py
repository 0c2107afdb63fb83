"""Step 2: what the columns mean, how their values generalize, and what the release must satisfy."""

from shoal.describe.hierarchies.file import HierarchyFile, hierarchy_file
from shoal.describe.hierarchies.intervals import Intervals, intervals
from shoal.describe.hierarchies.prefix import Prefix, prefix
from shoal.describe.hierarchies.suppress import Suppress, suppress
from shoal.describe.hierarchy import Hierarchy, HierarchyError, Levels
from shoal.describe.spec import QuasiIdentifier, Role, Sensitive, Spec

__all__ = [
    "Hierarchy",
    "HierarchyError",
    "HierarchyFile",
    "Intervals",
    "Levels",
    "Prefix",
    "QuasiIdentifier",
    "Role",
    "Sensitive",
    "Spec",
    "Suppress",
    "hierarchy_file",
    "intervals",
    "prefix",
    "suppress",
]
