"""The risk of being found: prosecutor, journalist and marketer.

All three look for the row of a person by the quasi-identifiers. With n rows in a table, J classes of f rows,
and F people of the population in each class:

- The **prosecutor** knows that a certain person is in the table. The chance to pick that person's row is 1/f.
  Highest 1 / min f; average J / n, the mean of 1/f over all rows.
- The **journalist** wants to find anybody, to show that it can be done, and does not know who is in the
  table. The chance is 1/F. Highest 1 / min F; average max(J / sum of F, mean of 1/F over all rows): the
  better of two ways, from the population to the table or back.
- The **marketer** wants to find as many as possible and does not mind errors. The share of rows that are
  matched rightly is the mean of 1/F over all rows. The chance for a single row is the journalist's.

Where people are counted (a unit), f counts people. Somebody with rows in several classes has the chance of
the class in which they are found most easily; so averages and shares are over people, each of whom counts
once.

Where F is not known, but the share of the population that is in the table is, 1/F is replaced by what is
expected of it (`individual.py`). Where nothing is known, F is at least f, so that the journalist and the
marketer have at most the chance of the prosecutor: then that stands for it.

References
----------
K. El Emam, "Guide to the de-identification of personal health information", CRC Press, 2013, chapter 16.
F. Dankar, K. El Emam, "A method for evaluating marketer re-identification risk", EDBT/ICDT workshops 2010.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.condition import ROUNDING
from shoal.risk.class_sizes import ClassSizes
from shoal.risk.individual import expected_inverse

Basis = Literal["table", "sampling fraction", "population"]


@dataclass(frozen=True, slots=True)
class Attack:
    """The chances of one kind of attacker.

    Attributes
    ----------
    highest
        For the row that is the easiest to find.
    average
        Over all rows.
    share_above
        The share of the rows with a chance above the threshold.
    basis
        What is known of the population: its classes, its size, or nothing beyond the table.
    """

    highest: float
    average: float
    share_above: float
    basis: Basis = "table"

    def to_mapping(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON."""
        return asdict(self)


def prosecutor(sizes: ClassSizes, threshold: float) -> Attack:
    """Return the chances of somebody who knows that a person is in the table.

    Examples
    --------
    Classes of 1, 4 and 5 rows: 3 classes over 10 rows, and one row in ten is above 1/4.

    >>> prosecutor(ClassSizes.of({1: 1, 4: 1, 5: 1}), 0.25)
    Attack(highest=1.0, average=0.3, share_above=0.1, basis='table')
    """
    return _attack(sizes, 1 / sizes.size, threshold, "table")


def journalist(sizes: ClassSizes, threshold: float, sampling_fraction: float | None = None) -> Attack:
    """Return the chances of somebody who does not know who is in the table.

    Examples
    --------
    Two people look like the one in the first class, ten like those in the second: 1/2 is the highest chance,
    and on average it is (1/2 + 4/10) / 5, more than the 2 classes over 12 people.

    >>> import numpy as np
    >>> sizes = ClassSizes(np.array([1, 4]), np.array([1, 1]), population=np.array([2, 10]))
    >>> journalist(sizes, 0.25)
    Attack(highest=0.5, average=0.18, share_above=0.2, basis='population')
    """
    chance, basis = _chances(sizes, sampling_fraction)
    found = _attack(sizes, chance, threshold, basis)
    if sizes.population is None or not sizes.rows:
        return found
    matched = float(sizes.count / (sizes.population * sizes.classes).sum())
    return Attack(found.highest, max(found.average, matched), found.share_above, basis)


def marketer(sizes: ClassSizes, threshold: float, sampling_fraction: float | None = None) -> Attack:
    """Return the chances of somebody who matches all rows at once; `average` is what counts.

    Examples
    --------
    >>> marketer(ClassSizes.of({1: 1, 4: 1, 5: 1}), 0.25).average
    0.3
    """
    chance, basis = _chances(sizes, sampling_fraction)
    return _attack(sizes, chance, threshold, basis)


def _chances(sizes: ClassSizes, sampling_fraction: float | None) -> tuple[NDArray[np.float64], Basis]:
    """Return the chance for a row of each class to be found in the population, as well as it is known."""
    if sizes.population is not None:
        return 1 / sizes.population, "population"
    if sampling_fraction is not None:
        return expected_inverse(sizes.size, sampling_fraction), "sampling fraction"
    return 1 / sizes.size, "table"


def _attack(sizes: ClassSizes, chance: NDArray[np.float64], threshold: float, basis: Basis) -> Attack:
    if not sizes.rows:
        return Attack(0.0, 0.0, 0.0, basis)
    rows = sizes.members
    above = chance > threshold * (1 + ROUNDING)
    return Attack(
        highest=float(chance.max()),
        average=float((chance * rows).sum() / rows.sum()),
        share_above=float(rows[above].sum() / rows.sum()),
        basis=basis,
    )
