"""The top of the report: what was released, whether the claims hold, the risk before and after, the loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.measure.measure import canonical
from shoal.report.glossary import link
from shoal.report.markup import columns
from shoal.report.number_format import count, counted, figure, listed, one_in, percent
from shoal.report.sections.claims import CheckedClaim, checked
from shoal.report.sections.distinguishing import distinguishing_words
from shoal.report.sections.requirements import may_suppress

if TYPE_CHECKING:
    from shoal.audit import Audit
    from shoal.release import Release
    from shoal.risk import RiskComparison
    from shoal.utility import UtilityAssessment

_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Card:
    """A key figure."""

    name: str | Markup
    value: str
    note: str


@dataclass(frozen=True, slots=True)
class VerdictSection:
    """The top of the report."""

    holds: bool
    headline: str
    first: Markup | None
    sentences: tuple[str | Markup, ...]
    cards: tuple[Card, ...]
    warnings: tuple[str | Markup, ...]


def verdict(
    release: Release, audit: Audit, risk: RiskComparison, utility: UtilityAssessment
) -> VerdictSection:
    """Sum up a release."""
    return VerdictSection(
        holds=audit.holds,
        headline=headline(checked(audit.findings)),
        first=_first(release),
        sentences=(
            *_linked(audit),
            *_linkable(audit),
            _released(release),
            _risk(risk),
            _loss(release, utility),
        ),
        cards=tuple(_cards(release, audit, risk, utility)),
        warnings=tuple(_warnings(release, risk)),
    )


def _first(release: Release) -> Markup | None:
    """Describe which quasi-identifiers are left, unless there is no row to have them."""
    suppressed = release.suppressed_rows
    if suppressed == release.rows:
        return None
    starred = bool(suppressed) and release.spec.suppressed == "star"
    return distinguishing_words([*release.spec.quasi_identifiers], release.distinguishing, starred=starred)


def headline(claims: Sequence[CheckedClaim]) -> str:
    """Return a sentence or two on whether the claims hold."""
    total = len(claims)
    failing = sum(not claim.holds and claim.checkable for claim in claims)
    unknown = sum(not claim.holds and not claim.checkable for claim in claims)
    earlier = sum(claim.holds and not claim.checkable for claim in claims)
    sentence = []
    if failing:
        sentence.append(f"{failing} of {count(total, 'claim')} {_do(failing)} not hold.")
    if unknown:
        sentence.append(f"{unknown} of {count(total, 'claim')} cannot be checked.")
    if not sentence:
        sentence.append(f"All {total} claims hold." if total > 1 else "The claim holds.")
    if earlier:
        sentence.append(
            f"Recipients cannot check {earlier} of them: {'it needs' if earlier == 1 else 'they need'} data "
            "that is not released."
        )
    return " ".join(sentence)


def _do(number: int) -> str:
    return "does" if number == 1 else "do"


def _linked(audit: Audit) -> Iterator[Markup]:
    """Describe how many people each pseudonym singles out."""
    for linked in audit.linked:
        yield Markup("The {} {}.").format(link("pseudonym"), linked.words())


def _linkable(audit: Audit) -> Iterator[Markup]:
    """Describe how many rows the columns that are released unchanged single out."""
    if audit.linkable is None:
        return
    found = audit.linkable
    both = found.with_quasi_identifiers
    sentence = Markup("")
    if found.together.singled_out:
        sentence = Markup(
            " These columns keep their values: they are {} for whoever knows such a value."
        ).format(link("linkable"))
    elif both is not None and both.singled_out:
        sentence = Markup(
            " Whoever knows these values of a person and the quasi-identifiers may find the row."
        )
    yield Markup("{}.{}").format(found.words(), sentence)


def _released(release: Release) -> Markup:
    spec = release.spec
    return Markup(" ").join(
        filter(
            None,
            [
                _rows(release),
                _quasi_identifiers(release),
                _others(len(spec.sensitive) + len(spec.insensitive)),
                _tokens(len(spec.pseudonyms)),
                _withheld([name for name in release.source.columns if name not in spec.released]),
            ],
        )
    )


def _rows(release: Release) -> Markup:
    suppressed, rows = release.suppressed_rows, count(release.rows, "row")
    if not suppressed:
        return Markup("{} in the table, all of them released.").format(_capital(_there(release.rows)))
    if release.spec.suppressed == "star":
        return Markup(
            "The release has all {} of the table; {} of them {} suppressed, with * in every {}."
        ).format(rows, count(suppressed), _are(suppressed), link("quasi-identifier"))
    if suppressed == release.rows:
        return Markup("The release is empty: {} suppressed.").format(
            "the only row is" if release.rows == 1 else f"all {rows} are"
        )
    return Markup("{} of {} {} released; {} suppressed and removed.").format(
        count(release.rows - suppressed),
        rows,
        _are(release.rows - suppressed),
        f"{count(suppressed)} {_are(suppressed)}",
    )


def _there(rows: int) -> str:
    return f"there {_are(rows)} {count(rows, 'row')}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _quasi_identifiers(release: Release) -> Markup:
    total, generalized = len(release.spec.quasi_identifiers), _generalized(release)
    if total == 1:
        return Markup("The {} is {}generalized.").format(
            link("quasi-identifier"), "" if generalized else "not "
        )
    return Markup("{} of {} {} generalized.").format(
        count(generalized) if generalized else "None",
        link("quasi-identifier", count(total, "quasi-identifier")),
        _are(generalized or 1),
    )


def _generalized(release: Release) -> int:
    """Count the quasi-identifiers with released labels that are no original values."""
    levels, original = release.recoding.levels, release.original
    if levels is not None:
        return sum(level > 0 for level in levels.values())
    return sum(
        bool((~cells.unchanged(column) & (cells.label_counts(original.coded) > lost)).any())
        for column, cells, lost in zip(
            original.coded.columns, release.recoding.cells(original.coded), original.lost, strict=True
        )
    )


def _others(number: int) -> str:
    if not number:
        return ""
    have = "has its" if number == 1 else "have their"
    return f"{count(number, 'other column')} {have} values unchanged."


def _tokens(number: int) -> str:
    if not number:
        return ""
    return f"{count(number, 'column')} {'has' if number == 1 else 'have'} tokens in place of the values."


def _withheld(names: Sequence[str]) -> Markup | None:
    if not names:
        return None
    more = len(names) - _NAMES_SHOWN
    shown = columns([*names[:_NAMES_SHOWN], *([f"{count(more)} more"] if more > 0 else [])])
    return Markup("{} of the table {} not released: {}.").format(
        count(len(names), "column"), _are(len(names)), shown
    )


def _risk(risk: RiskComparison) -> Markup:
    before, after = risk.before, risk.after
    if not after.rows:
        return Markup("No class is released, so there is no risk of this kind to measure.")
    highest = after.prosecutor.highest
    sentence = f" ({one_in(highest)})" if highest < 1 else ""
    described = Markup(
        "An attacker who knows that a person is in the release, and all of that person's {} but nothing "
        "else, picks the right {} with a probability of at most {}{}. In the original table it was {}, and "
        "{} {} unique."
    ).format(
        link("quasi-identifier", "quasi-identifiers"),
        "row" if after.unit is None else "person of the class",
        percent(highest),
        sentence,
        percent(before.prosecutor.highest),
        counted(before.sample_uniques, before.unit),
        "was" if before.sample_uniques == 1 else "were",
    )
    return described + rows_or_people(risk)


def rows_or_people(risk: RiskComparison) -> Markup:
    """Describe what is counted: people, or rows that are taken for people."""
    unit = risk.before.unit
    if unit is None:
        return Markup(
            " Each row is taken for one person, because the spec names no {}: where somebody has several "
            "rows in a class, the risk is higher."
        ).format(link("unit"))
    return Markup(" People are counted, by <bdi>{}</bdi>.").format(unit)


def _loss(release: Release, utility: UtilityAssessment) -> Markup:
    squared, others = averaged(release.averages)
    if _all_squared(release):
        lost = Markup(
            "The squared error of the quasi-identifiers is {} of their variance on average. "
        ).format(percent(utility.loss))
    else:
        lost = Markup("The quasi-identifiers lost {} of their detail on average ({}). ").format(
            percent(utility.loss), link("loss")
        )
        if squared:
            lost += Markup("Of {} this counts the squared error as a share of the variance. ").format(
                columns(squared)
            )
        if others:
            lost += Markup("Of {} this counts the share of the rows that have another value. ").format(
                columns(others)
            )
    lost += proof(release)
    if release.alternative is None:
        return lost
    return lost + Markup(" Another recoding keeps more: with {} it would score {}.").format(
        release.alternative.recoding, figure(release.alternative.score)
    )


def averaged(averages: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the columns of means and medians, which have a squared error, and those of modes."""
    squared = [name for name, average in averages.items() if average != "mode"]
    return squared, [name for name in averages if name not in squared]


def _all_squared(release: Release) -> bool:
    return len(averaged(release.averages)[0]) == len(release.spec.quasi_identifiers)


def proof(release: Release) -> Markup:
    """Describe whether a better choice of levels, or another better recoding, may exist."""
    if release.recoding.node is None:
        return _proof_of_recoding(release)
    spec, measure, score = release.spec, release.explanation.measure, figure(release.score)
    blind = spec.choose_by == "quasi-identifiers"
    models = listed([model.describe() for model in spec.searched]) if blind else "its models"
    apart = " Models of sensitive columns had no part in the choice." if blind else ""
    if release.optimal:
        starred = (
            ", if rows are starred as here: those of classes that fail, then the smallest classes"
            if spec.suppressed == "star" and may_suppress(spec)
            else ""
        )
        return Markup(
            "The choice of levels scores {} by {} and is {}: no other choice that the spec allows "
            "satisfies {} and scores better{}.{}"
        ).format(score, measure, link("optimal", "proved optimal"), models, starred, apart)
    if release.satisfying_nodes is not None:
        return Markup(
            "The choice of levels scores {} by {}. It was picked from {} that satisfy {}, and is "
            "not the best of them.{}"
        ).format(score, measure, count(len(release.satisfying_nodes)), models, apart)
    found = Markup(
        "The choice of levels scores {} by {}. The search was {}: a better choice may exist"
    ).format(score, measure, link("heuristic", "not exhaustive"))
    if release.bound is None or canonical(release.bound) >= canonical(release.score):
        return found + "."
    return found + Markup(", but none scores below {} (a gap of {}).").format(
        figure(release.bound), percent(release.gap)
    )


def _proof_of_recoding(release: Release) -> Markup:
    """Describe whether a better recoding may exist, where it is no choice of levels."""
    measure, score = release.explanation.measure, figure(release.score)
    if release.optimal:
        return Markup("The recoding scores {} by {} and is {}: none of its kind scores better.").format(
            score, measure, link("optimal", "proved optimal")
        )
    return Markup("The recoding scores {} by {}; a better one may exist.").format(score, measure)


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
    who = "rows" if after.unit is None else "people"
    was = "rows" if before.unit is None else "people"
    yield Card(
        link("sample unique", f"Unique {who}"),
        count(after.sample_uniques),
        f"{'was' if before.sample_uniques == 1 else 'were'} {count(before.sample_uniques)}"
        + ("" if was == who else f" {was}"),
    )
    yield Card(
        link("suppression", "Rows suppressed"),
        count(release.suppressed_rows),
        f"{percent(release.suppressed_rows / release.rows)} of {count(release.rows)}",
    )
    squared = _all_squared(release)
    yield Card(
        "Squared error" if squared else link("loss", "Detail lost"),
        percent(utility.loss),
        "of the variance, mean of the quasi-identifiers" if squared else "mean of the quasi-identifiers",
    )


def _warnings(release: Release, risk: RiskComparison) -> Iterator[Markup]:
    """Describe what the claims leave open and the figures show."""
    if release.spec.proposed:
        yield Markup(
            "<code>shoal init</code> proposed the roles of the columns, and nobody has confirmed them. "
            "Check them, then remove the line <code>proposed:</code> from the spec."
        )
    guarded = {model.column for model in release.spec.privacy}
    open_ = {
        name: attribute.highest_posterior
        for name, attribute in risk.after.attributes.items()
        if name not in guarded and risk.after.rows
    }
    if open_:
        surest = sorted(open_.items(), key=lambda each: -each[1])
        named = Markup(", ").join(
            Markup("<bdi>{}</bdi> ({} sure in the worst class)").format(name, percent(sure))
            for name, sure in surest[:_NAMES_SHOWN]
        )
        if more := surest[_NAMES_SHOWN:]:
            named += Markup(" and {} more").format(count(len(more)))
        yield Markup(
            "No claim covers the {} {}. Whoever knows a person's class may learn the person's values there."
        ).format(
            link("sensitive column", "sensitive column" if len(open_) == 1 else "sensitive columns"), named
        )
    if release.suppressed_rows == release.rows:
        yield Markup(
            "All rows are suppressed, and the release is empty."
            if release.spec.suppressed == "remove"
            else "All rows are suppressed. Their other columns are not generalized."
        )
    if not release.shuffled:
        yield Markup("The rows are in the order of the input, which may reveal who is who.")
