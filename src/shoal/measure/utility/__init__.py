"""What a release can still be used for, compared with the table that it was made of."""

from shoal.measure.utility.assess import assess_utility
from shoal.measure.utility.assessment import UtilityAssessment
from shoal.measure.utility.associations import Association
from shoal.measure.utility.columns import ColumnUtility
from shoal.measure.utility.encoder import LabelEncoder
from shoal.measure.utility.learning import Learning, Scores
from shoal.measure.utility.queries import QueryErrors

__all__ = [
    "Association",
    "ColumnUtility",
    "LabelEncoder",
    "Learning",
    "QueryErrors",
    "Scores",
    "UtilityAssessment",
    "assess_utility",
]
