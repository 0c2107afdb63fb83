"""What every database offers: it runs SQL, keeps temporary tables and writes the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.sql.connection import SqlDatabase
from shoal.write.output import Output
from shoal.write.unpublished import Unpublished

if TYPE_CHECKING:
    from shoal.engines.relational.star_schema import Dimension


class UnpublishedRelation(Unpublished, Protocol):
    """Released rows that a database wrote and can query, not published yet."""

    @property
    def relation(self) -> str:
        """What stands after FROM to read them in the same database; columns have their true names."""
        ...

    @property
    def rows(self) -> int: ...


class Database(SqlDatabase, Protocol):
    """A database that takes SQL, and the table in it that is to be released.

    What fails is raised as one of `shoal.errors`, without values or credentials. Ctrl-C cancels the running
    query and raises KeyboardInterrupt.

    Attributes
    ----------
    name
        The engine's name in specs.
    dictionaries
        Whether text that is put as a dictionary array stays numbers until it is written.
    """

    name: ClassVar[str]
    dictionaries: ClassVar[bool]

    @property
    def title(self) -> str:
        """What messages call the table."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns, in order."""
        ...

    @property
    def doubtful(self) -> bool:
        """Whether these may be somebody's values: a first row that may be no header."""
        ...

    @property
    def files(self) -> Sequence[Path]:
        """The files on this machine that hold it, as far as they are known: nothing may replace them."""
        ...

    @property
    def input(self) -> str:
        """The name of a view of the table whose columns are called c0, c1, ... by their position.

        So no name of a column, whatever it is, stands in the SQL between the first query and the last.
        """
        ...

    @property
    def schema(self) -> Mapping[str, str]:
        """The types of c0, c1, ... as Ibis calls them."""
        ...

    def row_codes(self, dimensions: Sequence[Dimension], rows: int) -> Sequence[NDArray[np.uint32]] | None:
        """Return the codes that the values of each row have; None if to group the rows costs less.

        Parameters
        ----------
        rows
            How many there are.
        """
        ...

    def check(self, output: Output) -> None:
        """Raise unless a release can be written there, as far as that can be told before."""
        ...

    def store(
        self, sql: str, columns: Sequence[str], output: Output | None, *, shuffle: bool = True
    ) -> UnpublishedRelation:
        """Write what a query gives beside the output, unpublished; without an output, as a temporary table.

        Parameters
        ----------
        sql
            Its columns are called r0, r1, ... by their position.
        columns
            The names that they get.
        shuffle
            Whether rows are put into an order that tells nothing; without it they have one already.
        """
        ...

    def cancel(self) -> None:
        """End the query that runs now, from another thread; it raises in the thread that runs it."""
        ...

    def close(self) -> None:
        """Drop all temporary tables, and what was stored and not published."""
        ...
