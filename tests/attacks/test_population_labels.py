"""A label that fits two people of a population, and a claim that it fits many.

The attacker writes a release and its manifest for an audit with the population. The label is a range of an
hour: the audit cut times to days, and counted everybody of that day.
"""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
import pytest

import shoal
from shoal.audit import audit_release

MOMENTS = [datetime(2000, 1, day, hour) for day in (1, 2) for hour in range(5)]


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize(
    ("start", "fewest"),
    [
        ("[2000-01-01 00:00:00?, 2000-01-01 01:00:00?]", 2),
        ("[2000-01-01 03:30:00.5?, 2000-01-02 00:00:00?]", 2),
        ("{2000-01-01 00:00:00.000?, 2000-01-01 01:00:00?, 2000-01-02 04:00:00.0?}", 3),
        ("[2000-01-01, 2000-01-02]", 10),
    ],
)
def test_an_audit_counts_whom_times_cover(start: str, fewest: int, zone: str | None) -> None:
    """A range of an hour covers nobody else of the day."""
    town = pa.table({"at": pa.array(MOMENTS, pa.timestamp("us", zone))})
    wanted = shoal.Spec(
        quasi_identifiers={"at": "suppress"}, privacy=[shoal.KMap(3, town)], recoding="mondrian"
    )
    release = pa.table({"at": [start.replace("?", "" if zone is None else "Z")]})
    finding = audit_release(release, wanted).findings[0]
    assert (finding.figure, finding.holds) == (fewest, fewest >= 3)
