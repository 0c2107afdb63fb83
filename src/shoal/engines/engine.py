"""What every engine offers: it profiles columns, counts tuples, recodes rows and keeps the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

if TYPE_CHECKING:
    from shoal.audit import Audit
    from shoal.read.source import Source
    from shoal.recode.released_classes import Verdict
    from shoal.search.frequency_sets import FrequencySets
    from shoal.search.result import SearchAlgorithm
    from shoal.spec.spec import Spec
    from shoal.write.manifest import Releasable
    from shoal.write.output import Output
    from shoal.write.publish import Stage
    from shoal.write.unpublished import Unpublished


class Engine(Protocol):
    """Where a table is counted and recoded."""

    @property
    def name(self) -> str:
        """Its name in specs."""
        ...

    @property
    def source(self) -> Source:
        """The table."""
        ...

    @property
    def most_entries(self) -> int:
        """How many entries of a frequency set the search may hold in memory."""
        ...

    def check(self, output: Output | None, *, seed: int | None, keep_order: bool) -> None:
        """Raise what is wrong about where the release is to go, and in which order, before any work."""
        ...

    def bound(self, algorithm: SearchAlgorithm) -> SearchAlgorithm:
        """Let an algorithm that runs in a database run in this one."""
        ...

    def cancel(self) -> None:
        """End the query that runs now, if any, from another thread."""
        ...

    def close(self) -> None:
        """Let go of the table; what was made on the way and is not published goes."""
        ...

    def profile(self, spec: Spec, populations: Mapping[str, Source], attributes: Sequence[str]) -> Profile:
        """Count the values of the columns that the spec is about; read what models compare with.

        Parameters
        ----------
        attributes
            The columns beside the quasi-identifiers that models and measures look at: those of the spec, and
            of others that will be searched.
        """
        ...


class Profile(Protocol):
    """The columns of a table, counted one by one, for one run."""

    def encode(self, spec: Spec) -> tuple[Spec, FrequencySets]:
        """Number the values; return the spec with the hierarchies made, and what counts tuples."""
        ...

    def recode(
        self, spec: Spec, verdict: Verdict, *, output: Output | None, seed: int | None, keep_order: bool
    ) -> Rows:
        """Recode the table where it lives.

        Parameters
        ----------
        verdict
            How values become labels, and which classes are released.
        output
            Where it will go, if that is known; it is not there yet.
        """
        ...


class Rows(Protocol):
    """Released rows, wherever they are."""

    @property
    def count(self) -> int: ...

    def table(self) -> pa.Table:
        """Return them in memory."""
        ...

    def with_people(self, spec: Spec) -> tuple[pa.Table, pa.ChunkedArray | None]:
        """Return them in memory, and who each is about where the spec counts people and they do not tell.

        That is for figures of risk. It is never written.
        """
        ...

    def native(self) -> Any:
        """Return them as the kind of table that went in."""
        ...

    def labels(self, column: str) -> pa.Array:
        """Return the different values of a quasi-identifier, NULL among them."""
        ...

    def formula_cells(self) -> dict[str, int]:
        """Count the cells that a spreadsheet would compute, by column."""
        ...

    def audit(self, spec: Spec, levels: Mapping[str, int] | None) -> Audit:
        """Check them where they are, by the released values alone.

        Parameters
        ----------
        levels
            Where the recoding has levels, those: a population is generalized in the same way.
        """
        ...

    def write(self, release: Releasable, output: Output, stage: Stage) -> tuple[Unpublished, Audit]:
        """Write them beside the output, unpublished, and audit them as written; see `shoal.write.publish`."""
        ...
