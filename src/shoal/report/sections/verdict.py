"""For who reads no further: what was released, whether it holds, what the risk was and is, what was lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.report.glossary import link
from shoal.report.words import count, figure, listed, one_in, percent

if TYPE_CHECKING:
    from shoal.audit import Audit
    from shoal.measure.risk import RiskComparison
    from shoal.measure.utility import UtilityAssessment
    from shoal.release import Release


@dataclass(frozen=True, slots=True)
class Card:
    """A key figure."""

    name: str | Markup
    value: str
    note: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The top of the report."""

    holds: bool
    headline: str
    sentences: tuple[str | Markup, ...]
    cards: tuple[Card, ...]
    warnings: tuple[str | Markup, ...]


def verdict(release: Release, audit: Audit, risk: RiskComparison, utility: UtilityAssessment) -> Verdict:
    """Sum up a release."""
    return Verdict(
        holds=audit.holds,
        headline=_headline(audit),
        sentences=(_released(release), _risk(risk), _loss(release, utility)),
        cards=tuple(_cards(release, audit, risk, utility)),
        warnings=tuple(_warnings(release, risk)),
    )


def _headline(audit: Audit) -> str:
    failing = sum(not finding.holds for finding in audit.findings)
    total = len(audit.findings)
    if failing:
        return f"{failing} of {count(total, 'claim')} {'does' if failing == 1 else 'do'} not hold."
    earlier = sum(not finding.checkable for finding in audit.findings)
    checked = f"All {total} claims about this release hold" if total > 1 else "The claim holds"
    if earlier:
        return f"{checked}. {earlier} of them cannot be checked from the file alone."
    return f"{checked}."


def _released(release: Release) -> Markup:
    spec = release.spec
    kept = release.rows - release.suppressed_rows
    if not kept:
        return Markup("All of {} are suppressed.").format(count(release.rows, "row"))
    columns = [
        f"{count(len(spec.quasi_identifiers), 'quasi-identifier')}, "
        + ("made coarser where needed" if any(release.levels.values()) else "all as they were"),
    ]
    others = len(spec.released) - len(spec.quasi_identifiers)
    if others:
        columns.append(f"{count(others, 'other column')} as {'it was' if others == 1 else 'they were'}")
    withheld = (
        Markup(" {} removed.").format(
            f"{count(len(spec.withheld), 'column')} that {'names' if len(spec.withheld) == 1 else 'name'} "
            f"people {'was' if len(spec.withheld) == 1 else 'were'}"
        )
        if spec.withheld
        else ""
    )
    return Markup("Of {} {} are released, with {}.{}").format(
        count(release.rows, "row"), count(kept), listed(columns), withheld
    )


def _risk(risk: RiskComparison) -> Markup:
    before, after = risk.before.prosecutor.highest, risk.after.prosecutor.highest
    if not risk.after.rows:
        return Markup("No row is left, so nobody can be found in the release.")
    said = f" ({one_in(after)})" if after < 1 else ""
    told = Markup(
        "Somebody who knows that a person is in the table, and knows all of the person's {}, picks the right"
        " row with a probability of at most {}{}. Before it was {}, and {} could be singled out."
    ).format(
        link("quasi-identifier", "quasi-identifiers"),
        percent(after),
        said,
        percent(before),
        count(risk.before.sample_uniques, "row"),
    )
    if risk.before.unit is None or risk.after.unit is not None:
        return told
    return told + Markup(
        " In the release rows are counted, since it does not tell people apart; somebody with several rows "
        "in a class is found more easily than that. The {} count people."
    ).format(Markup('<a href="#claims">claims</a>'))


def _loss(release: Release, utility: UtilityAssessment) -> Markup:
    return Markup(
        "The quasi-identifiers lost {} of their detail on average ({}). The release scores {} by {}. {}"
    ).format(
        percent(utility.loss),
        link("loss"),
        figure(release.score),
        release.explanation.measure,
        proof(release),
    )


def proof(release: Release) -> Markup:
    """Say whether there is anything better."""
    if release.optimal:
        return Markup(
            "The choice of levels is {}: no other one satisfies all claims and scores better."
        ).format(link("optimal", "proved optimal"))
    if release.satisfying_nodes is not None:
        return Markup("The choice was made by hand, among {} that satisfy all claims.").format(
            count(len(release.satisfying_nodes))
        )
    found = Markup("The search was {}: a better release may exist").format(
        link("heuristic", "not exhaustive")
    )
    if release.bound is None:
        return found + "."
    return found + Markup(", but none that scores below {}; the gap is {}.").format(
        figure(release.bound), percent(release.gap)
    )


def _cards(
    release: Release, audit: Audit, risk: RiskComparison, utility: UtilityAssessment
) -> Iterator[Card]:
    holding = sum(finding.holds for finding in audit.findings)
    yield Card(
        link("claim", "Claims that hold"), f"{holding} of {len(audit.findings)}", "checked by separate code"
    )
    before, after = risk.before, risk.after
    yield Card(
        link("prosecutor", "Highest risk"),
        percent(after.prosecutor.highest),
        f"was {percent(before.prosecutor.highest)}",
    )
    yield Card(
        link("risk", "Average risk"),
        percent(after.prosecutor.average),
        f"was {percent(before.prosecutor.average)}",
    )
    yield Card(
        link("sample unique", "Rows that stand alone"),
        count(after.sample_uniques),
        f"were {count(before.sample_uniques)}",
    )
    kept = release.rows - release.suppressed_rows
    yield Card(
        link("suppression", "Rows kept"),
        percent(kept / release.rows) if release.rows else "0%",
        f"{count(release.suppressed_rows)} left out",
    )
    proved = "proved optimal" if release.optimal else "a better one may exist"
    yield Card(link("loss", "Detail lost"), percent(utility.loss), proved)


def _warnings(release: Release, risk: RiskComparison) -> Iterator[Markup]:
    """Tell what the claims leave open and the figures show."""
    guarded = {model.column for model in release.spec.privacy}
    open_ = {
        name: attribute.highest_posterior
        for name, attribute in risk.after.attributes.items()
        if name not in guarded and risk.after.rows
    }
    if open_:
        columns = Markup(", ").join(
            Markup("<bdi>{}</bdi> ({} sure in the worst class)").format(name, percent(sure))
            for name, sure in open_.items()
        )
        yield Markup(
            "No claim protects the {} {}. Whoever knows a person's class may learn its value."
        ).format(
            link("sensitive column", "sensitive column" if len(open_) == 1 else "sensitive columns"), columns
        )
    if not release.rows - release.suppressed_rows:
        yield Markup("All rows are suppressed: the release tells nothing about anybody.")
    if not release.shuffled:
        yield Markup("The rows are in the order of the input, which may tell who is who.")
