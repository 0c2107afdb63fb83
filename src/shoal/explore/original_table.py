"""The original table behind a release, for figures that compare the two. Nothing of it is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.prepare.read_rows import read_rows
from shoal.read.source import Source
from shoal.read.typed_tables import typed
from shoal.recode.recoding import Recoding

if TYPE_CHECKING:
    from shoal.search.problem import SearchProblem
    from shoal.spec.spec import Spec


@dataclass(frozen=True, eq=False)
class Original:
    """What a release was made of. It holds what the release does not.

    Attributes
    ----------
    source
        Where the table came from; it is read again when its rows are needed.
    coded
        Its quasi-identifiers, coded.
    recoding
        How their values became labels.
    lost
        ``lost[column][label]`` counts the suppressed rows that have this label.
    kept
        For each entry of the coded table, whether it is released with its labels.
    """

    source: Source
    coded: CodedTable
    recoding: Recoding
    lost: tuple[NDArray[np.int64], ...]
    kept: NDArray[np.bool_]

    def released(self, rows: int) -> CodedTable:
        """Return the coded table without the suppressed rows, for what is said of the release alone.

        Parameters
        ----------
        rows
            How many rows the release has, those that it has with `*` included.
        """
        coded = self.coded
        weights = np.ones(coded.entries, dtype=np.uint64) if coded.weights is None else coded.weights
        return replace(coded, rows=rows, weights=np.where(self.kept, weights, np.uint64(0)))

    def table(self, spec: Spec) -> pa.Table:
        """Read the original rows again: the columns that are released, in the types of the spec.

        Raises
        ------
        InputError
            They cannot be read any more, or are not as many as they were.
        """
        (table,), problems = typed([("", read_rows(self.source, spec))], spec.types)
        if problems:
            raise InputError(problems)
        if table.num_rows != self.coded.rows:
            raise InputError(
                f"{self.source.name!r} has changed since the release was made.\n"
                f"Rows then: {self.coded.rows:,}; rows now: {table.num_rows:,}.\n"
                "Make the release again."
            )
        return table

    def problem(self, spec: Spec) -> SearchProblem:
        """Return the question that the search was asked, or is asked by another spec of the same columns."""
        from shoal.search.problem import SearchProblem

        return SearchProblem(
            self.coded,
            spec.searched,
            spec.quality,
            spec.suppression,
            starred=spec.suppressed == "star",
        )
