"""The eighteen identifiers of HIPAA's Safe Harbor: 45 CFR 164.514(b)(2)(i)(A) to (R), as data.

Health data in the United States counts as de-identified if all of them are removed. Shoal proposes those that
can be generalized (places, dates, ages) as quasi-identifiers and the rest as identifiers. Safe Harbor itself
demands more: each entry names what may stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shoal.describe.roles import Role


@dataclass(frozen=True, slots=True)
class SafeHarbor:
    """One of the eighteen identifiers.

    Attributes
    ----------
    letter
        Its paragraph in the rule.
    what
        Short description.
    role
        The proposed role of such a column.
    """

    letter: str
    what: str
    role: Role

    @property
    def citation(self) -> str:
        """The citation of the law.

        Examples
        --------
        >>> SAFE_HARBOR["F"].citation
        '45 CFR 164.514(b)(2)(i)(F)'
        """
        return f"45 CFR 164.514(b)(2)(i)({self.letter})"


_ALL: Final = (
    SafeHarbor("A", "names", Role.IDENTIFIER),
    SafeHarbor(
        "B",
        "places smaller than a state; the first three digits of a ZIP code may stay where they cover more "
        "than 20,000 people",
        Role.QUASI_IDENTIFIER,
    ),
    SafeHarbor(
        "C",
        "all parts of dates but the year, and ages over 89, which become one group of 90 or older",
        Role.QUASI_IDENTIFIER,
    ),
    SafeHarbor("D", "telephone numbers", Role.IDENTIFIER),
    SafeHarbor("E", "fax numbers", Role.IDENTIFIER),
    SafeHarbor("F", "e-mail addresses", Role.IDENTIFIER),
    SafeHarbor("G", "social security numbers", Role.IDENTIFIER),
    SafeHarbor("H", "medical record numbers", Role.IDENTIFIER),
    SafeHarbor("I", "health plan beneficiary numbers", Role.IDENTIFIER),
    SafeHarbor("J", "account numbers", Role.IDENTIFIER),
    SafeHarbor("K", "certificate and license numbers", Role.IDENTIFIER),
    SafeHarbor("L", "vehicle identifiers and license plates", Role.IDENTIFIER),
    SafeHarbor("M", "device identifiers and serial numbers", Role.IDENTIFIER),
    SafeHarbor("N", "web addresses", Role.IDENTIFIER),
    SafeHarbor("O", "IP addresses", Role.IDENTIFIER),
    SafeHarbor("P", "biometric identifiers, finger and voice prints", Role.IDENTIFIER),
    SafeHarbor("Q", "photographs of the full face", Role.IDENTIFIER),
    SafeHarbor("R", "any other unique number, characteristic or code", Role.IDENTIFIER),
)

SAFE_HARBOR: Final = {identifier.letter: identifier for identifier in _ALL}
"""By letter."""
