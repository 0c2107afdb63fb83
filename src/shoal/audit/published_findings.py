"""What a manifest gives of the findings: no figure that depends on rows that the release does not have.

A claim such as t-closeness compares classes with the original table. Its figure is exact, and the original's
histogram is the only unknown in it: whoever has the release can solve for the values of the suppressed rows.
No recipient can check that figure, so none gets it. That the claim holds is all that a manifest says.

The same is so of diversity where people are counted and the release does not say who they are: its figure
tells which of a class's rows are one person's, and so what that person has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from shoal.audit.finding import Finding
from shoal.audit.reference import claims
from shoal.spec.spec import Spec

_ORIGINAL = "figure withheld: it is measured against the original table"
_PEOPLE = "figure withheld: it counts people who are not named in the release"
WITHHELD = (_ORIGINAL, _PEOPLE)
"""What a manifest says in place of a figure."""


def withheld_claims(spec: Spec) -> Mapping[str, str]:
    """Return the names of the claims whose figures a manifest does not give, and what it says instead.

    Examples
    --------
    >>> from shoal.describe.hierarchies.suppress import suppress
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> from shoal.privacy.t_closeness import TCloseness
    >>> spec = Spec(
    ...     quasi_identifiers={"sex": suppress()},
    ...     sensitive=["disease"],
    ...     privacy=[KAnonymity(2), TCloseness("disease", 0.2)],
    ... )
    >>> list(withheld_claims(spec))
    ['0.2-closeness of disease, equal']
    """
    named = spec.unit is None or spec.tells_people
    return {
        claim.model.describe(): _ORIGINAL if claim.reads.original else _PEOPLE
        for claim in claims(spec)
        if claim.reads.original or (claim.model.column is not None and not named)
    }


def published(findings: Iterable[Finding], spec: Spec) -> list[dict[str, Any]]:
    """Return findings as a manifest has them."""
    withheld = withheld_claims(spec)
    return [
        asdict(
            replace(finding, measured=withheld[name], figure=None)
            if (name := finding.claim.removeprefix("difference: ")) in withheld
            else finding
        )
        for finding in findings
    ]
