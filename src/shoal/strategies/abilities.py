"""What engines can do, for strategies that need it."""

from __future__ import annotations

from enum import Enum


class Ability(Enum):
    """Something that an engine can do; the value is how messages call it."""

    COUNT_TUPLES = "count tuples"
    HAND_OVER_ROWS = "hand over rows in parts"
    RECODE_BY_LEVELS = "recode by a join on levels"
    RECODE_BY_CLASSES = "recode by a join on class numbers"


OF_DATABASES = frozenset({Ability.COUNT_TUPLES, Ability.RECODE_BY_LEVELS, Ability.RECODE_BY_CLASSES})
"""What databases can do: count tuples, and recode by joins."""
