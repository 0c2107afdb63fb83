"""Models without their sensitive columns: what a search may see that must not be steered by these."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import PrivacyModel


def without_sensitive(models: Sequence[PrivacyModel]) -> tuple[PrivacyModel, ...]:
    """Return the models that read no sensitive column, and the class size that the others need at least.

    Examples
    --------
    >>> from shoal.privacy.l_diversity import LDiversity
    >>> without_sensitive([KAnonymity(2), LDiversity("disease", 3)])
    (KAnonymity(k=2), KAnonymity(k=3))
    >>> without_sensitive([KAnonymity(5), LDiversity("disease", 3)])
    (KAnonymity(k=5),)
    """
    kept = tuple(model for model in models if model.column is None)
    bar = max((model.minimum_size for model in models), default=1)
    reached = max((model.minimum_size for model in kept), default=0)
    return kept if reached >= bar else (*kept, KAnonymity(bar))
