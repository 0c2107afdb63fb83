"""The risk of a table: how well people can be found in it, and what can be learnt of them."""

from shoal.measure.risk.assess import assess_risk, compare_risk
from shoal.measure.risk.assessment import RiskAssessment, RiskComparison
from shoal.measure.risk.attributes import AttributeRisk
from shoal.measure.risk.population_uniques import PopulationUniques
from shoal.measure.risk.reidentification import Attack
from shoal.measure.risk.special_uniques import SpecialUniques, SubsetRisk

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
