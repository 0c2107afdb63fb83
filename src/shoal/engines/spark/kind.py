"""Which inputs are for Spark: its data frames, and whatever path it is named for."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from shoal.engines.ibis_tables import backend_of, native
from shoal.engines.kind import Fit, Input
from shoal.read.source import check_installed
from shoal.strategies.abilities import OF_DATABASES, Ability

if TYPE_CHECKING:
    from shoal.engines.engine import Engine


class SparkKind:
    """The engine `spark`."""

    name: ClassVar[str] = "spark"
    summary: ClassVar[str] = "Data frames and tables of Spark, and files that its executors can read."
    turn: ClassVar[int] = 20
    abilities: ClassVar[frozenset[Ability]] = OF_DATABASES

    def fit(self, given: Input) -> Fit:
        if given.library == "pyspark" or backend_of(given.data) == "pyspark":
            return Fit.ONLY
        return Fit.NO if given.path is None else Fit.CAN

    def open(self, given: Input) -> Engine:
        check_installed("pyspark", "spark", "The engine 'spark'")
        from shoal.engines.relational.engine import open_relational
        from shoal.engines.spark.database import open_spark

        database = open_spark(
            native(given.data),
            null_values=given.format.null_values or (),
            delimiter=given.format.delimiter,
            quote=given.format.quote,
            encoding=given.format.encoding,
            header=given.format.header,
        )
        return open_relational(database, given.memory)
