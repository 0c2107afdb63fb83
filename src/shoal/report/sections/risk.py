"""Risk before and after: attackers, class sizes, uniques, what drives it, what can be learned of a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.draw.bars import Bar, BarGroup, bars, one_each
from shoal.draw.histogram import binned, histogram
from shoal.report.glossary import link
from shoal.report.markup import columns, picture
from shoal.report.words import count, figure, percent

if TYPE_CHECKING:
    from shoal.measure.risk import AttributeRisk, RiskAssessment, RiskComparison
    from shoal.release import Release

_COLUMNS_SHOWN = 12
_SUBSETS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """A line of a table, in words: figures before and after."""

    name: str | Markup
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AttributeTable:
    """What classes tell of one sensitive column."""

    column: str
    rows: tuple[BeforeAfter, ...]


@dataclass(frozen=True, slots=True)
class Risk:
    """The section on risk."""

    counted: Markup
    bars: Markup
    histogram: Markup
    above: str
    attacks: tuple[BeforeAfter, ...]
    basis: str
    uniques: Markup
    population_caption: str
    population: tuple[BeforeAfter, ...]
    drivers: Markup | None
    drivers_words: Markup
    subsets: tuple[BeforeAfter, ...]
    attributes: tuple[AttributeTable, ...]
    guesses: Markup | None
    attribute_words: tuple[tuple[str, Markup], ...]
    notes: tuple[str, ...]


def risk(release: Release, found: RiskComparison) -> Risk:
    """Put the risks beside each other."""
    before, after = found.before, found.after
    k = max(model.minimum_size for model in release.spec.privacy)
    return Risk(
        counted=_counted(before, after),
        bars=_bars(before, after),
        histogram=_histogram(before, after, k),
        above=f"#{_who(after).capitalize()} above {percent(after.threshold)}",
        attacks=tuple(
            BeforeAfter(name, _attack(before, name), _attack(after, name))
            for name in ("prosecutor", "journalist", "marketer")
        ),
        basis=_BASIS[after.journalist.basis],
        uniques=_uniques(before, after),
        population_caption=_population_caption(before),
        population=tuple(_population(before, after)),
        drivers=_drivers(before, after),
        drivers_words=_drivers_words(after),
        subsets=tuple(_subsets(before, after)),
        attributes=tuple(
            AttributeTable(name, tuple(_attribute(found, after.attributes.get(name))))
            for name, found in before.attributes.items()
        ),
        guesses=_guesses(before, after),
        attribute_words=_ATTRIBUTE,
        notes=found.notes,
    )


def _bars(before: RiskAssessment, after: RiskAssessment) -> Markup:
    shown = (
        ("Highest", before.prosecutor.highest, after.prosecutor.highest),
        ("Average", before.prosecutor.average, after.prosecutor.average),
        (
            f"{_who(after).capitalize()} with a risk above {percent(after.threshold)}",
            before.prosecutor.share_above,
            after.prosecutor.share_above,
        ),
    )
    groups = [
        BarGroup(name, (Bar("before", "before", b, percent(b)), Bar("after", "after", a, percent(a))))
        for name, b, a in shown
    ]
    return picture(bars(groups, "Risk of being found, before and after"))


def _histogram(before: RiskAssessment, after: RiskAssessment, k: int) -> Markup:
    bins = binned(before.class_sizes, after.class_sizes, k)
    words = [(percent(each.before), percent(each.after)) for each in bins]
    return picture(histogram(bins, words, "Class sizes, before and after", limit=k))


def _attack(assessment: RiskAssessment, name: str) -> tuple[str, str, str]:
    attack = getattr(assessment, name)
    if name == "marketer":  # who tries all rows does well on average, not with one
        return "-", percent(attack.average), "-"
    return percent(attack.highest), percent(attack.average), percent(attack.share_above)


_BASIS = {
    "table": (
        "Nothing is known of the population, so the journalist and the marketer are taken to do as well as "
        "the prosecutor. In truth they do worse."
    ),
    "sampling fraction": (
        "The journalist and the marketer look in the population, whose classes are estimated from the share "
        "of it that is in the table."
    ),
    "population": "The journalist and the marketer look in the population that was given.",
}


def _who(assessment: RiskAssessment) -> str:
    return "rows" if assessment.unit is None else "people"


def _counted(before: RiskAssessment, after: RiskAssessment) -> Markup:
    if before.unit is None:
        return Markup("")
    told = Markup(
        "People are counted, not rows: <bdi>{}</bdi> says who a row is about, and somebody with rows in "
        "several classes counts in each."
    ).format(before.unit)
    return told if after.unit else told + " The release does not tell that; after, rows are counted."


def _uniques(before: RiskAssessment, after: RiskAssessment) -> Markup:
    told = Markup("Before, {} of {} {} {} alone in their class ({}); after, {} of {} {}.").format(
        count(before.sample_uniques),
        count(before.counted),
        _who(before),
        "was" if before.sample_uniques == 1 else "were",
        link("sample unique"),
        count(after.sample_uniques),
        count(after.counted),
        _who(after),
    )
    if before.population_uniques is not None:
        return told
    return told + Markup(
        " How many of them are alone in the whole {} too was not estimated, since nobody said what share of "
        "it is in the table."
    ).format(link("population"))


def _population_caption(before: RiskAssessment) -> str:
    estimate = before.population_uniques
    if estimate is None:
        return ""
    return (
        f"People who are alone in the population of {count(estimate.population)}, of which the table holds "
        f"{percent(estimate.sampling_fraction)}"
    )


def _population(before: RiskAssessment, after: RiskAssessment) -> Iterator[BeforeAfter]:
    first, second = before.population_uniques, after.population_uniques
    if first is None or second is None:
        return
    names = {
        "pitman": "Pitman",
        "zayatz": "Zayatz",
        "snb": "negative binomial",
        "dankar": "to believe (Dankar)",
    }
    for field, name in names.items():
        yield BeforeAfter(name, (_people(getattr(first, field)),), (_people(getattr(second, field)),))


def _people(estimate: float | None) -> str:
    return "no solution" if estimate is None else count(estimate)


def _drivers(before: RiskAssessment, after: RiskAssessment) -> Markup | None:
    if before.special is None or not any(before.special.columns.values()):
        return None
    shares = before.special.columns
    left = {} if after.special is None else after.special.columns
    falling = sorted(shares, key=lambda name: -shares[name])[:_COLUMNS_SHOWN]
    title, most = "Part of each column in what singles people out", max([*shares.values(), *left.values()])
    if any(left.values()):
        groups = [
            BarGroup(
                name,
                (
                    Bar("before", "before", shares[name], percent(shares[name])),
                    Bar("after", "after", left[name], percent(left[name])),
                ),
            )
            for name in falling
        ]
    else:
        groups = one_each("before", [(name, shares[name], percent(shares[name])) for name in falling])
    return picture(bars(groups, title, most=most))


def _drivers_words(after: RiskAssessment) -> Markup:
    gone = "" if after.sample_uniques else " After it nobody stands alone, so there is nothing to share out."
    return Markup(
        "Share of the score of all {} that goes through the column. They add up to more than 100%, since a "
        "set of columns counts for each of them.{}"
    ).format(link("minimal sample unique", "minimal sample uniques"), gone)


def _subsets(before: RiskAssessment, after: RiskAssessment) -> Iterator[BeforeAfter]:
    if before.special is None:
        return
    left = {} if after.special is None else {each.columns: each.minimal for each in after.special.subsets}
    for each in before.special.subsets[:_SUBSETS_SHOWN]:
        yield BeforeAfter(columns(each.columns), (count(each.minimal),), (count(left.get(each.columns, 0)),))


def _guesses(before: RiskAssessment, after: RiskAssessment) -> Markup | None:
    groups = []
    for name, first in before.attributes.items():
        second = after.attributes.get(name)
        drawn = [
            Bar("before", "before", first.average_posterior, percent(first.average_posterior)),
            *(
                []
                if second is None
                else [Bar("after", "after", second.average_posterior, percent(second.average_posterior))]
            ),
            Bar("baseline", "without class", first.prior, percent(first.prior)),
        ]
        groups.append(BarGroup(name, tuple(drawn)))
    return picture(bars(groups, "How often a guess at a sensitive value is right")) if groups else None


_ATTRIBUTE = (
    ("Fewest values", Markup("how many different values the least diverse class has (distinct l-diversity)")),
    (
        "Least diversity",
        Markup(
            "the same, where rare values count less: exp of the {} of the class (entropy l-diversity)"
        ).format(link("entropy")),
    ),
    (
        "Surest guess",
        Markup("the largest {}: at 100% some class gives its value away").format(link("posterior")),
    ),
    ("Rows given away", Markup("the share of the rows that are in classes of one value")),
    ("Distance t", Markup("how far a class is from the whole table (t-closeness, equal distance)")),
    ("Gain beta", Markup("how many times likelier a value becomes, beyond once (beta-likeness)")),
    ("Change delta", Markup("the largest |ln(share in a class / share in the table)| (delta-disclosure)")),
)


def _attribute(before: AttributeRisk, after: AttributeRisk | None) -> Iterator[BeforeAfter]:
    nothing = ("-",) * len(_ATTRIBUTE)
    after_words = nothing if after is None else _told(after)
    for (name, _), first, second in zip(_ATTRIBUTE, _told(before), after_words, strict=True):
        yield BeforeAfter(name, (first,), (second,))


def _told(found: AttributeRisk) -> tuple[str, ...]:
    return (
        count(found.distinct),
        figure(found.entropy),
        percent(found.highest_posterior),
        percent(found.certain),
        figure(found.closeness),
        figure(found.beta),
        figure(found.delta),
    )
