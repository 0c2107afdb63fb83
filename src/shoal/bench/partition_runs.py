"""Runs of `recoding: partition` by phase, and how much more likely its classes make sensitive values.

All bucketizers divide in the same way, along a curve through the quasi-identifiers (`divide: curve`), and
k-anonymity alone stops them. So they make the same number of classes, and only the buckets differ.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal import registry
from shoal.data.wage import QUASI_IDENTIFIERS, SENSITIVE, Wages, wage_taxonomy
from shoal.describe.roles import Sensitive
from shoal.partition.buckets.buckets import Buckets
from shoal.partition.divide.curve import Curve
from shoal.partition.divide.divider import Divided, DivisionTask
from shoal.partition.sensitive_values import SensitiveValues
from shoal.partition.strategy import Partition
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.risk.gains import Gain, Numbers, gains
from shoal.session import Session
from shoal.spec.spec import Spec

BETA, T = 3, 0.2
BUCKETIZERS: Mapping[str, object] = {
    "value": None,
    "beta-likeness": {"beta": BETA},
    "t-closeness": {"t": T, "distance": "hierarchical"},
    "incognito": {"beta": BETA},
}
"""All bucketizers with their settings; beta is the paper's, which does not give its t."""

PHASES = ("group", "buckets", "divide", "recode, audit and write")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionRun:
    """A release of a table in memory, up to the written file.

    Attributes
    ----------
    seconds
        Of each phase: to read the columns and group the rows, to put sensitive values into buckets, to divide
        the rows into classes, and all that follows.
    buckets
        How many there are.
    class_of, wages
        The class of each row, and its wage.
    gains
        How much more likely wages are in these classes, at each level of the taxonomy.
    """

    bucketizer: str
    rows: int
    threads: int
    seconds: Mapping[str, float]
    buckets: int
    class_of: Numbers = field(repr=False)
    wages: NDArray[np.float64] = field(repr=False)
    gains: tuple[Gain, ...]

    @property
    def total(self) -> float:
        return sum(self.seconds.values())

    @property
    def classes(self) -> int:
        """How many there are. Those that get the same labels are one in the release, and apart here."""
        return len(np.unique(self.class_of))


def run_partition(
    wages: Wages,
    bucketizer: str,
    *,
    k: int,
    threads: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> PartitionRun:
    """Make and write a release, and measure each phase by a clock."""
    record = _Record(clock)
    recoding = Partition(
        buckets=_TimedBuckets(
            registry.resolve("bucketizers", bucketizer).from_spec(BUCKETIZERS[bucketizer]), record
        ),
        divide=_TimedCurve(Curve(), record),
    )
    spec = Spec(
        quasi_identifiers=dict.fromkeys(QUASI_IDENTIFIERS, "suppress"),
        sensitive={SENSITIVE: Sensitive(hierarchy=wage_taxonomy())},
        # Buckets are made of a column that a model is about; two wages are in every class of some size.
        privacy=[KAnonymity(k), LDiversity(SENSITIVE, 2)],
        recoding=recoding,
        accept={SENSITIVE: "linkable"},
    )
    with tempfile.TemporaryDirectory() as folder:
        start = clock()
        with Session(wages.table, spec) as session:
            release = session.release(session.search(threads=threads))
        release.write(Path(folder) / "wage.csv")
        whole = clock() - start
    group = record.asked - start + record.grouped - record.given
    buckets, divide = record.bucketed - record.asked, record.divided - record.grouped
    ((problem, class_of_tuple),) = record.divisions
    wage = problem.problem.table.attributes[SENSITIVE]
    class_of = np.repeat(class_of_tuple, problem.rows).astype(np.int64)
    values = np.repeat(dict(problem.beside)[SENSITIVE], problem.rows)
    return PartitionRun(
        bucketizer=bucketizer,
        rows=wages.table.num_rows,
        threads=threads,
        seconds=dict(zip(PHASES, (group, buckets, divide, whole - group - buckets - divide), strict=True)),
        buckets=record.buckets,
        class_of=class_of,
        wages=np.array([float(label) for label in wage.labels[0]])[values],
        gains=gains(class_of, [labels[values].astype(np.int64) for labels in wage.maps]),
    )


@dataclass(slots=True)
class _Record:
    """When the phases began and ended, and what came of them."""

    clock: Callable[[], float]
    asked: float = 0.0
    bucketed: float = 0.0
    given: float = 0.0
    grouped: float = 0.0
    divided: float = 0.0
    buckets: int = 0
    divisions: list[Divided] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _TimedBuckets:
    """A bucketizer that records when it works."""

    bucketizer: Any
    record: _Record

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bucketizer, name)

    def buckets(self, values: SensitiveValues) -> Buckets:
        self.record.asked = self.record.clock()
        found: Buckets = self.bucketizer.buckets(values)
        self.record.bucketed = self.record.clock()
        self.record.buckets = len(found)
        return found


@dataclass(frozen=True, slots=True)
class _TimedCurve:
    """A divider that records when it works, and what it found."""

    divider: Curve
    record: _Record

    def __getattr__(self, name: str) -> Any:
        return getattr(self.divider, name)

    def divide(self, task: DivisionTask) -> Iterator[Divided]:
        self.record.given = self.record.clock()
        assert task.tuples  # the kernel groups the rows now
        self.record.grouped = self.record.clock()
        self.record.divisions = list(self.divider.divide(task))
        self.record.divided = self.record.clock()
        yield from self.record.divisions
