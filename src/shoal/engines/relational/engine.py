"""The relational engine: the database that has the rows counts values, groups tuples and recodes rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import finalize

import pyarrow as pa

from shoal.engines.relational.database import Database
from shoal.engines.relational.profile import DatabaseProfile
from shoal.engines.relational.star_schema import Star, sql
from shoal.errors import InputError
from shoal.read.columns import coded as as_coded
from shoal.read.columns import plain
from shoal.read.source import InputFormat, Source, check_wanted
from shoal.search.result import SearchAlgorithm
from shoal.spec.spec import Spec
from shoal.write.output import Output

_BYTES_PER_ENTRY = 320
"""What the search needs for an entry of a frequency set, the arrays that it came in included."""


def open_relational(database: Database, memory: int, dialect: InputFormat | None = None) -> Relational:
    """Return the engine of an open database.

    Parameters
    ----------
    memory
        How many bytes may be used, those of the database included.
    dialect
        How the text was written that it reads, where it reads text.
    """
    source = TableSource(database, dialect)
    finalize(source, database.close)  # whatever may ask for rows holds the source
    return Relational(database, source, max(int(memory * 0.3) // _BYTES_PER_ENTRY, 1000))


@dataclass(frozen=True)
class TableSource:
    """The table of a database, for what reads rows after all: reports, and whoever asks for them."""

    database: Database
    dialect: InputFormat | None = None

    @property
    def name(self) -> str:
        return self.database.title

    @property
    def columns(self) -> tuple[str, ...]:
        return self.database.columns

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(file for file in self.database.files if file.exists())

    @property
    def doubtful(self) -> bool:
        return self.database.doubtful

    def read(self, columns: Sequence[str], coded: Collection[str]) -> pa.Table:
        check_wanted(columns, self.columns, repr(self.name), shown=not self.doubtful)
        positions = {name: position for position, name in enumerate(self.columns)}
        table = Star.of(self.database).input
        wanted = table.select(**{f"r{i}": table[f"c{positions[name]}"] for i, name in enumerate(columns)})
        found = self.database.fetch(sql(self.database, wanted))
        arrays = [
            as_coded(found.column(i), name) if name in coded else plain(found.column(i), name)
            for i, name in enumerate(columns)
        ]
        return pa.table(arrays, names=list(columns))

    def restore(self, table: pa.Table) -> pa.Table:
        return table


@dataclass(frozen=True)
class Relational:
    """A table in a database that takes SQL.

    Attributes
    ----------
    most_entries
        How many entries of a frequency set the search may hold in memory.
    """

    database: Database
    source: Source
    most_entries: int

    @property
    def name(self) -> str:
        return self.database.name

    def check(self, output: Output | None, *, seed: int | None, keep_order: bool) -> None:
        problems = []
        if seed is not None:
            problems.append(
                f"The engine '{self.name}' shuffles rows itself, so a seed cannot make their order "
                "repeatable.\n"
                f"Found: the seed {seed}.\nLeave it out, or use the engine 'memory'."
            )
        if keep_order:
            problems.append(
                f"The engine '{self.name}' cannot keep the order of the rows: tables have none.\n"
                "Found: keep_order.\nLeave it out, or use the engine 'memory'."
            )
        if problems:
            raise InputError(problems)
        if output is not None:
            self.database.check(output)

    def cancel(self) -> None:
        self.database.cancel()

    def close(self) -> None:
        self.database.close()

    def bound(self, algorithm: SearchAlgorithm) -> SearchAlgorithm:
        # An algorithm that runs in a database has a field that says in which.
        own: Any = algorithm
        fields = dataclasses.fields(own) if dataclasses.is_dataclass(own) else ()
        if "database" not in {field.name for field in fields}:
            return algorithm
        bound: SearchAlgorithm = dataclasses.replace(own, database=self.database)
        return bound

    def profile(
        self, spec: Spec, populations: Mapping[str, Source], attributes: Sequence[str]
    ) -> DatabaseProfile:
        return DatabaseProfile.of(self.database, spec, populations, attributes)
