"""The memory engine: the table is read, coded and recoded as arrays. The others must give what it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import pyarrow as pa
import pyarrow.compute as pc

from shoal.audit import Audit, References, audit_release
from shoal.encode.table import code_table
from shoal.engines.ibis_tables import backend_of, native
from shoal.engines.kind import Fit, Input
from shoal.errors import InputError
from shoal.prepare.fit import fitted
from shoal.prepare.read_rows import read_tables
from shoal.read.formulas import formula_cells
from shoal.read.source import Source, open_source
from shoal.recode.released_classes import Verdict
from shoal.recode.row_order import new_key, seeded_key
from shoal.recode.rows import recode
from shoal.search.frequency_sets import FrequencySets, InMemory
from shoal.search.result import SearchAlgorithm
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.write.audited_file import refuse_table, write_table_file
from shoal.write.manifest import Releasable
from shoal.write.output import FileOutput, Output
from shoal.write.publish import Stage
from shoal.write.table_formats import check_writable, suffix_of
from shoal.write.unpublished import UnpublishedFiles


class MemoryKind:
    """The engine `memory`."""

    name: ClassVar[str] = "memory"
    summary: ClassVar[str] = "Data frames, and files that fit into memory."
    turn: ClassVar[int] = 100  # whatever no other engine claims
    abilities: ClassVar[frozenset[Ability]] = frozenset(Ability)

    def fit(self, given: Input) -> Fit:
        return Fit.BEST if backend_of(given.data) in (None, "duckdb") else Fit.NO

    def open(self, given: Input) -> Memory:
        if given.table is not None:
            raise InputError(
                f"Only a database has tables.\nFound: the table {given.table!r} of data that is not one.\n"
                "Leave it out, or give the URL or the file of a database."
            )
        return Memory(open_source(native(given.data), given.format))


@dataclass(frozen=True)
class Memory:
    """A table that fits into memory: a file, or a data frame."""

    source: Source
    name: ClassVar[str] = "memory"
    most_entries: ClassVar[int] = 1 << 62

    def check(self, output: Output | None, *, seed: int | None, keep_order: bool) -> None:
        if isinstance(output, FileOutput):
            check_writable(output.path)
            suffix_of(output.path)
        elif output is not None:
            refuse_table(output)

    def cancel(self) -> None:
        """Do nothing: no step in memory takes long but the kernel's, which has a signal of its own."""

    def close(self) -> None:
        """Do nothing: what is in memory goes by itself."""

    def bound(self, algorithm: SearchAlgorithm) -> SearchAlgorithm:
        return algorithm

    def profile(
        self, spec: Spec, populations: Mapping[str, Source], attributes: Sequence[str]
    ) -> MemoryProfile:
        return MemoryProfile(self.source, *read_tables(self.source, spec, populations), attributes)


class MemoryProfile:
    """The columns of a table, read. The table itself goes once it is coded."""

    def __init__(
        self,
        source: Source,
        table: pa.Table,
        populations: Mapping[str, pa.Table],
        attributes: Sequence[str],
    ) -> None:
        self._source = source
        self._attributes = attributes
        self._tables: tuple[pa.Table, Mapping[str, pa.Table]] | None = (table, populations)
        self._beside: _Beside

    def encode(self, spec: Spec) -> tuple[Spec, FrequencySets]:
        assert self._tables is not None, "a profile is encoded once"
        table, populations = self._tables
        spec = fitted(spec, table)
        coded = code_table(
            table,
            spec.quasi_identifiers,
            sensitive=spec.sensitive,
            attributes=self._attributes,
            unit=spec.unit,
            populations=populations,
            models=spec.privacy,
        )
        self._beside = _Beside.of(table, spec, populations)
        self._tables = None
        return spec, InMemory(coded)

    def recode(
        self, spec: Spec, verdict: Verdict, *, output: Output | None, seed: int | None, keep_order: bool
    ) -> MemoryRows:
        others = self._beside.others
        key = None
        if not keep_order:
            key = new_key() if seed is None else seeded_key(seed, verdict, others, spec.suppressed)
        recoded = recode(
            verdict,
            others,
            columns=self._beside.columns,
            suppressed=spec.suppressed,
            key=key,
            typed=spec.types,
        )
        units = self._beside.units
        return MemoryRows(
            self._source,
            recoded.table,
            self._beside.references.compared_by(spec),  # others may have been read for, too
            None if units is None else units.take(pa.array(recoded.rows)),
        )


@dataclass(frozen=True)
class MemoryRows:
    """Released rows in memory.

    Attributes
    ----------
    references
        What the audit compares with.
    units
        Who each row is about, where the spec counts people and the release does not tell.
    """

    source: Source
    released: pa.Table
    references: References
    units: pa.ChunkedArray | None

    @property
    def count(self) -> int:
        rows: int = self.released.num_rows
        return rows

    def table(self) -> pa.Table:
        return self.released

    def with_people(self, spec: Spec) -> tuple[pa.Table, pa.ChunkedArray | None]:
        return self.released, self.units

    def native(self) -> Any:
        columns = [
            column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
            for column in self.released.columns
        ]
        return self.source.restore(pa.table(columns, names=self.released.column_names))

    def labels(self, column: str) -> pa.Array:
        values = self.released.column(column)
        if not pa.types.is_dictionary(values.type):
            return pc.unique(values)
        labels = pa.concat_arrays(
            [chunk.dictionary for chunk in values.chunks] or [pa.array([], pa.string())]
        )
        return pa.concat_arrays([labels, pa.nulls(min(values.null_count, 1), labels.type)])

    def formula_cells(self) -> dict[str, int]:
        return formula_cells(self.released)

    def audit(self, spec: Spec, levels: Mapping[str, int] | None) -> Audit:
        return audit_release(
            self.released,
            spec,
            original=self.references.original,
            populations=self.references.populations,
            levels=levels,
            units=self.units,
        )

    def write(self, release: Releasable, output: Output, stage: Stage) -> tuple[UnpublishedFiles, Audit]:
        return write_table_file(self.released, self.references, release, output, stage)


@dataclass(frozen=True)
class _Beside:
    """What becomes of the table beside its quasi-identifiers.

    Attributes
    ----------
    columns
        Names of all released columns, in the order of the input.
    others
        Those that are released as they are.
    """

    columns: Sequence[str]
    others: pa.Table
    references: References
    units: pa.ChunkedArray | None

    @classmethod
    def of(cls, table: pa.Table, spec: Spec, populations: Mapping[str, pa.Table]) -> Self:
        names = [name for name in table.column_names if name in set(spec.released)]
        return cls(
            columns=names,
            others=table.select([name for name in names if name not in spec.quasi_identifiers]),
            references=References(table, populations).compared_by(spec),
            units=None if spec.unit is None or spec.tells_people else table.column(spec.unit),
        )
