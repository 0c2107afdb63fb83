"""What the searches of several regions did, added up."""

from __future__ import annotations

from dataclasses import replace

from shoal.search.result import Counters


def added(one: Counters, other: Counters) -> Counters:
    """Return the work of both; one came after the other, so that their memory does not add up."""
    return Counters(
        lattice=0,
        checked=one.checked + other.checked,
        tagged_satisfying=one.tagged_satisfying + other.tagged_satisfying,
        tagged_failing=one.tagged_failing + other.tagged_failing,
        rollups=one.rollups + other.rollups,
        scans=one.scans + other.scans,
        touched=one.touched + other.touched,
        snapshots=one.snapshots + other.snapshots,
        evicted=one.evicted + other.evicted,
        peak_bytes=max(one.peak_bytes, other.peak_bytes),
    )


def within(totals: Counters, lattice: int, seconds: float) -> Counters:
    """Return the counters of regions as those of one lattice; regions may share nodes."""
    checked = min(totals.checked, lattice)
    satisfying = min(totals.tagged_satisfying, lattice - checked)
    failing = min(totals.tagged_failing, lattice - checked - satisfying)
    return replace(
        totals,
        lattice=lattice,
        checked=checked,
        tagged_satisfying=satisfying,
        tagged_failing=failing,
        pruned=lattice - checked - satisfying - failing,
        seconds=seconds,
    )
