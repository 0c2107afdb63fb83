"""What a release can still be used for, compared with the table that it was made of."""

from shoal.utility.assess import assess_utility
from shoal.utility.assessment import UtilityAssessment
from shoal.utility.associations import Association
from shoal.utility.columns import ColumnUtility
from shoal.utility.encoder import LabelEncoder
from shoal.utility.learning import Learning, Scores
from shoal.utility.queries import QueryErrors

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
