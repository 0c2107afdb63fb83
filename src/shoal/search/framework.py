"""How a search gets its frequency sets: the framework of the Flash paper, with its optimizations as switches.

F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn, "Flash: Efficient, Stable and Optimal
K-Anonymity", PASSAT 2012, section IV.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """Which optimizations a search may use. Without any, every check scans F0.

    Attributes
    ----------
    projection
        A scan of F0 generalizes only the columns whose level changed since the last scan.
    rollup
        A frequency set is made from that of a finer node, where the search has just seen one.
    history
        Frequency sets of failing nodes are kept for later roll-ups, the least recently used dropped first.
    snapshot_share
        The history takes sets of at most this share of the rows in classes.
    snapshots
        The history holds at most so many.
    memory
        Bytes of frequency sets that a search may keep for roll-ups; what would go beyond is made again.
    record
        Also return the nodes in the order in which they were checked.

    Examples
    --------
    >>> Framework.basic().rollup
    False
    """

    projection: bool = True
    rollup: bool = True
    history: bool = True
    snapshot_share: float = 0.2
    snapshots: int = 200
    memory: int = 2 << 30
    record: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.snapshot_share <= 1:
            raise InputError(f"A snapshot's share of the rows is from 0 to 1.\nFound: {self.snapshot_share}.")
        if self.snapshots < 0 or self.memory < 0:
            raise InputError("The history's entries and the memory cannot be negative.")

    @classmethod
    def basic(cls) -> Framework:
        """Return the framework with all optimizations off."""
        return cls(projection=False, rollup=False, history=False)
