"""The risk of a table: how well people can be found in it, and what can be learnt of them."""

from shoal.risk.assess import assess_risk, compare_risk
from shoal.risk.assessment import RiskAssessment, RiskComparison
from shoal.risk.attributes import AttributeRisk
from shoal.risk.population_uniques import PopulationUniques
from shoal.risk.reidentification import Attack
from shoal.risk.special_uniques import SpecialUniques, SubsetRisk

__all__ = [
    "Attack",
    "AttributeRisk",
    "PopulationUniques",
    "RiskAssessment",
    "RiskComparison",
    "SpecialUniques",
    "SubsetRisk",
    "assess_risk",
    "compare_risk",
]
