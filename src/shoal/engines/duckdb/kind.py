"""Which inputs are for DuckDB: its databases, many files at once, and files too large for memory."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from shoal.engines.duckdb.names import DATABASES, REMOTE, WILDCARDS
from shoal.engines.ibis_tables import backend_of, native
from shoal.engines.kind import Fit, Input
from shoal.strategies.abilities import OF_DATABASES, Ability

if TYPE_CHECKING:
    from shoal.engines.engine import Engine

_SHARE_OF_FILE = 8
"""A file of text or Parquet may need so many times its size in memory."""


class DuckDBKind:
    """The engine `duckdb`."""

    name: ClassVar[str] = "duckdb"
    summary: ClassVar[str] = (
        "DuckDB's databases, folders and patterns of files, and files too large for memory."
    )
    turn: ClassVar[int] = 30
    abilities: ClassVar[frozenset[Ability]] = OF_DATABASES

    def fit(self, given: Input) -> Fit:
        if backend_of(given.data) == "duckdb":
            return Fit.BEST
        if given.path is not None:
            return Fit.BEST if _is_for_duckdb(given.path, given.table, given.memory) else Fit.CAN
        kind = type(given.data)
        relation = kind.__name__ == "DuckDBPyRelation" and "duckdb" in kind.__module__
        return Fit.CAN if relation else Fit.NO

    def open(self, given: Input) -> Engine:
        from shoal.engines.duckdb.inputs import open_duckdb
        from shoal.engines.relational.engine import open_relational

        database, dialect = open_duckdb(
            native(given.data),
            given.format,
            table=given.table,
            memory=int(given.memory * 0.6),
            writing=given.writing,
        )
        return open_relational(database, given.memory, dialect)


def _is_for_duckdb(address: str, table: str | None, memory: int) -> bool:
    path = Path(address)
    if address.lower().endswith(DATABASES) or REMOTE.match(address) or table is not None:
        return True
    if path.is_dir() or (WILDCARDS.search(address) and not path.exists()):
        return True
    readable = path.suffix.lower() in (".csv", ".parquet", ".pq", ".tsv", ".gz")
    return readable and path.is_file() and _size(path) * _SHARE_OF_FILE > memory


def _size(path: Path) -> int:
    """Return the size of a file; of a Parquet file a byte for each cell at least, which may be packed."""
    size = path.stat().st_size
    if path.suffix.lower() in (".parquet", ".pq"):
        import pyarrow as pa
        import pyarrow.parquet

        with suppress(pa.ArrowException, OSError):  # whoever reads it says what it is
            about = pyarrow.parquet.read_metadata(path)
            size = max(size, about.num_rows * about.num_columns)
    return size
