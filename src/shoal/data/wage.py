"""The Wage data of ISLR, with which distributed Incognito was measured: the real rows, or drawn ones.

James, Witten, Hastie and Tibshirani published them with "An introduction to statistical learning": 3,000 men
of the Mid-Atlantic region, 2003 to 2009. Drawn rows have the published shares of each column, and wages that
depend on education, age, marital status, job and health by about as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from shoal.data.benchmark import data_folder
from shoal.data.random_values import Codes, Floats, coded, pick
from shoal.describe.hierarchies.intervals import Intervals, intervals

QUASI_IDENTIFIERS = ("year", "age", "maritl", "race", "education", "jobclass", "health", "health_ins")
SENSITIVE = "wage"
ROWS = 3_000


def wage_taxonomy() -> Intervals:
    """Return the hierarchy of wages, in thousands of dollars: with the values it has six levels.

    The paper's Figure 4 is one of six levels too, of which only the number is given.
    """
    return intervals(20, 40, 80, 160)


@dataclass(frozen=True, eq=False)
class Wages:
    """The quasi-identifiers and the wage, and whether the rows are the published ones."""

    table: pa.Table
    real: bool

    @property
    def description(self) -> str:
        return f"wage ({'real' if self.real else 'generated'})"

    def drawn_again(self, rows: int, seed: int = 1) -> Wages:
        """Return any number of rows: drawn with replacement, and moved a little.

        Ages move by up to two years. Wages move by about a thousand dollars, and are whole thousands then.

        Examples
        --------
        >>> again = Wages(draw_wages(100), real=False).drawn_again(1000)
        >>> again.table.num_rows, again.table.column("wage").type
        (1000, DataType(int64))
        """
        draw = np.random.default_rng(seed)
        chosen = self.table.take(pa.array(draw.integers(0, self.table.num_rows, rows)))
        age = np.clip(chosen.column("age").to_numpy() + draw.integers(-2, 3, rows), 18, 80)
        wage = np.rint(chosen.column(SENSITIVE).to_numpy() + draw.normal(0, 1, rows)).astype(np.int64)
        moved = chosen.set_column(chosen.column_names.index("age"), "age", pa.array(age))
        table = moved.set_column(chosen.column_names.index(SENSITIVE), SENSITIVE, pa.array(wage))
        return Wages(table, self.real)


def load_wages() -> Wages:
    """Return the real rows where the folder of data sets has `wage.csv`, otherwise drawn ones."""
    file = data_folder() / "wage.csv"
    if not file.is_file():
        return Wages(draw_wages(ROWS), real=False)
    return Wages(pyarrow.csv.read_csv(file).select([*QUASI_IDENTIFIERS, SENSITIVE]), real=True)


# Rows of each value, as published.
_SHARES: Mapping[str, Mapping[str, int]] = {
    "year": {"2003": 513, "2004": 485, "2005": 447, "2006": 392, "2007": 386, "2008": 388, "2009": 389},
    "maritl": {
        "1. Never Married": 648,
        "2. Married": 2074,
        "3. Widowed": 19,
        "4. Divorced": 204,
        "5. Separated": 55,
    },
    "race": {"1. White": 2480, "2. Black": 293, "3. Asian": 190, "4. Other": 37},
    "education": {
        "1. < HS Grad": 268,
        "2. HS Grad": 971,
        "3. Some College": 650,
        "4. College Grad": 685,
        "5. Advanced Degree": 426,
    },
    "jobclass": {"1. Industrial": 1544, "2. Information": 1456},
    "health": {"1. <=Good": 858, "2. >=Very Good": 2142},
    "health_ins": {"1. Yes": 2083, "2. No": 917},
}


def draw_wages(rows: int, seed: int = 0) -> pa.Table:
    """Draw rows of nobody, with the columns of Wage.

    Examples
    --------
    >>> drawn = draw_wages(3000)
    >>> drawn.column_names[:3], drawn.num_rows
    (['year', 'age', 'maritl'], 3000)
    """
    draw = np.random.default_rng(seed)
    codes = {
        name: pick(list(shares.values()), draw.random(rows)).astype(np.int32)
        for name, shares in _SHARES.items()
    }
    age = np.clip(np.rint(draw.normal(42.4, 11.5, rows)), 18, 80)
    columns = {
        name: coded(of_rows, list(_SHARES[name])).dictionary_decode() for name, of_rows in codes.items()
    }
    columns["year"] = pc.cast(columns["year"], pa.int64())
    columns["age"] = pa.array(age.astype(np.int64))
    columns[SENSITIVE] = pa.array(_wages(codes, age, draw))
    return pa.table({name: columns[name] for name in (*QUASI_IDENTIFIERS, SENSITIVE)})


def _wages(codes: Mapping[str, Codes], age: Floats, draw: np.random.Generator) -> Floats:
    """Return a wage for everybody, in thousands of dollars."""
    logarithm = (
        4.36
        + np.array([0.0, 0.10, 0.20, 0.32, 0.48])[codes["education"]]
        - 0.0003 * (age - 50) ** 2
        + 0.09 * (codes["maritl"] == 1)
        + 0.03 * codes["jobclass"]
        + 0.06 * codes["health"]
        - 0.15 * codes["health_ins"]
        + 0.012 * codes["year"]
        + draw.normal(0, 0.26, len(age))
    )
    # Most published wages are shared by many men, and a tenth of them by nobody; a few men earn far more.
    shared = draw.random(len(age)) < 0.9
    wage = np.exp(np.where(shared, np.rint(logarithm * 60) / 60, logarithm))
    most = draw.random(len(age)) < 0.07 * (codes["education"] >= 3)
    wage[most] = np.rint(draw.normal(280, 13, int(most.sum())))
    found: Floats = np.clip(wage, 20, 320)
    return found
