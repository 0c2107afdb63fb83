"""Step 2: column roles and hierarchies, by which values generalize."""

from shoal.describe.hierarchies.chain import Chain, chain
from shoal.describe.hierarchies.clusters import Clusters, clusters
from shoal.describe.hierarchies.dates import Dates, dates
from shoal.describe.hierarchies.file import HierarchyFile, hierarchy_file
from shoal.describe.hierarchies.function import ByFunction, by_function
from shoal.describe.hierarchies.intervals import Intervals, intervals
from shoal.describe.hierarchies.mask import Mask, mask
from shoal.describe.hierarchies.order import Order, order
from shoal.describe.hierarchies.prefix import Prefix, prefix
from shoal.describe.hierarchies.priority import Priority, priority
from shoal.describe.hierarchies.quantiles import Quantiles, quantiles
from shoal.describe.hierarchies.round import Rounding, rounding
from shoal.describe.hierarchies.suppress import Suppress, suppress
from shoal.describe.hierarchies.taxonomy import Taxonomy, taxonomy
from shoal.describe.hierarchy import Hierarchy, HierarchyError, Levels
from shoal.describe.roles import QuasiIdentifier, Role, Sensitive

__all__ = [
    "ByFunction",
    "Chain",
    "Clusters",
    "Dates",
    "Hierarchy",
    "HierarchyError",
    "HierarchyFile",
    "Intervals",
    "Levels",
    "Mask",
    "Order",
    "Prefix",
    "Priority",
    "Quantiles",
    "QuasiIdentifier",
    "Role",
    "Rounding",
    "Sensitive",
    "Suppress",
    "Taxonomy",
    "by_function",
    "chain",
    "clusters",
    "dates",
    "hierarchy_file",
    "intervals",
    "mask",
    "order",
    "prefix",
    "priority",
    "quantiles",
    "rounding",
    "suppress",
    "taxonomy",
]
