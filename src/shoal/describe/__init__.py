"""Step 2: what the columns mean, how their values generalize, and what the release must satisfy."""

from shoal.describe.hierarchy import Hierarchy, HierarchyError, Levels
from shoal.describe.hierarchy_file import HierarchyFile, hierarchy_file
from shoal.describe.intervals import Intervals, intervals
from shoal.describe.prefix import Prefix, prefix
from shoal.describe.spec import QuasiIdentifier, Role, Sensitive, Spec
from shoal.describe.suppress import Suppress, suppress

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
