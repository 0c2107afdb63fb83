"""Tables with the shape of published benchmark data whose rows cannot be passed on.

A shape is what a search feels: the number of rows, the columns with their hierarchies, how skewed
and how correlated they are, and so how many distinct tuples there are. The values come from the
hierarchy files that ARX publishes for these data sets (`<name>_hierarchy_<column>.csv`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.data.draw import coded, pick, skewed
from shoal.data.files import hierarchy_name
from shoal.errors import InputError, MissingFileError, nearest


@dataclass(frozen=True, slots=True)
class Column:
    """How one column is drawn."""

    skew: float
    """Zipf exponent over the values in the order of the hierarchy file; 0 draws them alike."""
    tie: float = 0.0
    """Share of rows in which the column follows the trait that all tied columns of a row share."""
    span: tuple[int, int] | None = None
    """First and last + 1 of the rows of the hierarchy file that occur; all of them where not given."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A published number of rows, and its columns."""

    rows: int
    columns: Mapping[str, Column]


SHAPES = {
    # American Time Use Survey: 168,926 distinct tuples.
    "atus": Shape(
        539_253,
        {
            "Region": Column(0.3),
            "Age": Column(0.0, tie=0.5, span=(15, 86)),
            "Sex": Column(0.1, span=(0, 2)),
            "Race": Column(3.4),
            "Marital status": Column(1.6, tie=0.6),
            "Citizenship status": Column(3.4, tie=0.2),
            "Birthplace": Column(3.4, tie=0.2),
            "Highest level of school completed": Column(1.65, tie=0.4),
            "Labor force status": Column(2.25, tie=0.5),
        },
    ),
    # Integrated Health Interview Series, 1997 to 2010: 973,943 distinct tuples.
    "ihis": Shape(
        1_193_504,
        {
            "YEAR": Column(0.0, span=(97, 111)),
            "QUARTER": Column(0.0),
            "REGION": Column(0.2),
            "PERNUM": Column(1.8),
            "AGE": Column(0.0, tie=0.5, span=(0, 86)),
            "MARSTAT": Column(1.6, tie=0.6),
            "SEX": Column(0.0),
            "RACEA": Column(2.6),
            "EDUC": Column(1.4, tie=0.4),
        },
    ),
}


def shape_names() -> tuple[str, ...]:
    """Return the names of the published shapes.

    Examples
    --------
    >>> shape_names()
    ('atus', 'ihis')
    """
    return tuple(SHAPES)


def shape(name: str, hierarchies: str | Path, rows: int | None = None, seed: int = 0) -> pa.Table:
    """Draw a table with a published shape.

    Parameters
    ----------
    name
        One of `shape_names()`.
    hierarchies
        The folder with the files `<name>_hierarchy_<column>.csv`.
    rows
        The published number where it is not given.
    seed
        The same seed gives the same table.

    Returns
    -------
    pa.Table
        One dictionary column per quasi-identifier.
    """
    if name not in SHAPES:
        known = list(SHAPES)
        raise InputError(f"There is no shape '{name}'.\nShapes: {', '.join(known)}.{nearest(name, known)}")
    published = SHAPES[name]
    size = published.rows if rows is None else rows
    random = np.random.default_rng(seed)
    trait = random.random(size)
    table = {}
    for column, how in published.columns.items():
        values = _values(Path(hierarchies) / hierarchy_name(name, column))[
            slice(*how.span) if how.span else slice(None)
        ]
        own = random.random(size)
        quantiles = np.where(random.random(size) < how.tie, trait, own)
        table[column] = coded(pick(skewed(len(values), how.skew), quantiles), values)
    return pa.table(table)


def _values(path: Path) -> list[str]:
    """Return the level-0 values of an ARX hierarchy file."""
    if not path.is_file():
        raise MissingFileError(
            f"The hierarchy '{path.name}' is not in '{path.parent}'.\n"
            "Give the folder that holds the hierarchies of the data set."
        )
    return [line.split(";", 1)[0] for line in path.read_text(encoding="utf-8").splitlines()]
