"""How many people are unique in the population, estimated from the classes of a sample.

A row that is alone in the table is a danger if it is alone in the population too. Three models estimate how
many people are, from the class sizes of the table and the share of the population that is in it (`pitman.py`,
`zayatz.py`, `negative_binomial.py`), and a rule by Dankar et al. says which of them to believe: Pitman's up
to a sampling fraction of 0.1; above it the smaller of Zayatz' and the negative binomial one. Where the model
that it asks for has no solution, Zayatz' stands in, which always has one.

References
----------
F. Dankar, K. El Emam, A. Neisa, T. Roffey, "Estimating the re-identification risk of clinical data sets", BMC
Medical Informatics and Decision Making 12:66, 2012.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from shoal.risk.class_sizes import ClassSizes
from shoal.risk.negative_binomial import negative_binomial_uniques
from shoal.risk.pitman import pitman_uniques
from shoal.risk.zayatz import zayatz_uniques

Model = Literal["pitman", "zayatz", "snb", "counted"]

_SMALL_FRACTION = 0.1


@dataclass(frozen=True, slots=True)
class PopulationUniques:
    """Estimates of how many people of the population are alone with their quasi-identifiers.

    Attributes
    ----------
    sampling_fraction, population
        The share of the population that is in the table, and so how many people it has.
    pitman, zayatz, snb
        What each model says; None where it has no solution for this table.
    dankar
        The one to believe, by the rule of Dankar et al.
    model
        Which model that is. `counted` if nothing had to be estimated: nobody is alone in the table, the table
        is the population, or the population is known.
    """

    sampling_fraction: float
    population: int
    pitman: float | None
    zayatz: float | None
    snb: float | None
    dankar: float
    model: Model

    @property
    def share(self) -> float:
        """The estimated uniques as a share of the population."""
        return self.dankar / self.population if self.population else 0.0

    def to_mapping(self) -> dict[str, Any]:
        """Return the estimates as plain values, ready for JSON."""
        return {**asdict(self), "share": self.share}


def population_uniques(sizes: ClassSizes, sampling_fraction: float) -> PopulationUniques:
    """Estimate the uniques of a population of which the table is a random sample.

    Parameters
    ----------
    sampling_fraction
        The share of the population that is in the table: above 0, at most 1.

    Examples
    --------
    400 of 1,000 rows are alone in a sample of 5 percent.

    >>> sample = ClassSizes.of({1: 400, 2: 120, 3: 50, 5: 24, 9: 10})
    >>> found = population_uniques(sample, 0.05)
    >>> found.model, found.population, round(found.dankar), round(found.zayatz)
    ('pitman', 20000, 983, 3475)
    """
    n = sizes.rows
    people = round(n / sampling_fraction)
    uniques = sizes.uniques
    if uniques == 0 or people <= n:
        alone = float(uniques)
        return PopulationUniques(sampling_fraction, people, alone, alone, alone, alone, "counted")
    pitman = pitman_uniques(sizes, people)
    zayatz = zayatz_uniques(sizes, people)
    snb = negative_binomial_uniques(sizes, sampling_fraction)
    chosen: tuple[float, Model] = (zayatz, "zayatz")
    if sampling_fraction <= _SMALL_FRACTION:
        if pitman is not None:
            chosen = (pitman, "pitman")
    elif snb is not None and snb <= zayatz:
        chosen = (snb, "snb")
    return PopulationUniques(sampling_fraction, people, pitman, zayatz, snb, *chosen)
