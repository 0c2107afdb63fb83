"""What a manifest gives of the findings: no figure that depends on rows that the release does not have.

A claim such as t-closeness compares classes with the original table. Its figure is exact, and the original's
histogram is the only unknown in it: whoever has the release can solve for the values of the suppressed rows.
No recipient can check that figure, so none gets it. That the claim holds is all that a manifest says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from shoal.audit.finding import Finding
from shoal.audit.reference import claims
from shoal.describe.spec import Spec

WITHHELD = "figure withheld: it is measured against the original table"


def withheld_claims(spec: Spec) -> frozenset[str]:
    """Return the names of the claims whose figures a manifest does not give.

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
    >>> sorted(withheld_claims(spec))
    ['0.2-closeness of disease, equal']
    """
    return frozenset(claim.model.describe() for claim in claims(spec) if claim.original)


def published(findings: Iterable[Finding], spec: Spec) -> list[dict[str, Any]]:
    """Return findings as a manifest has them."""
    withheld = withheld_claims(spec)
    return [
        asdict(
            replace(finding, measured=WITHHELD, figure=None)
            if finding.claim.removeprefix("difference: ") in withheld
            else finding
        )
        for finding in findings
    ]
