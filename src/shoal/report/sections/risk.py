"""Risk before and after: attackers, class sizes, uniques, what drives it, what can be learned of a person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.draw.bars import Bar, BarGroup, bars, one_each
from shoal.draw.histogram import binned, histogram
from shoal.draw.html import picture
from shoal.report.glossary import link
from shoal.report.markup import columns
from shoal.report.number_format import count, counted, figure, percent
from shoal.report.sections.columns import folded_beyond
from shoal.report.sections.gains import GainTable, gain_tables
from shoal.report.sections.verdict import rows_or_people

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.risk import AttributeRisk, RiskAssessment, RiskComparison

_COLUMNS_SHOWN = 12
_SUBSETS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """A line of a table, in words: figures before and after."""

    name: str | Markup
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AttributeRow:
    """What classes tell of one sensitive column: the share of guesses that are right, and all figures."""

    column: str
    right_before: float
    right_after: float | None
    figures: BeforeAfter


@dataclass(frozen=True, slots=True)
class RiskSection:
    """The section on risk."""

    counted: Markup
    who: str
    average: str
    alone: str
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
    attributes: tuple[AttributeRow, ...]
    attributes_folded: tuple[AttributeRow, ...]
    attribute_headers: list[str]
    attribute_words: tuple[tuple[str, Markup], ...]
    gains: tuple[GainTable, ...]
    notes: tuple[str, ...]


def risk(release: Release, found: RiskComparison) -> RiskSection:
    """Put the risks beside each other."""
    before, after = found.before, found.after
    attributes, attributes_folded = folded_beyond(
        [_attribute(name, each, after.attributes.get(name)) for name, each in before.attributes.items()]
    )
    k = max(model.minimum_size for model in release.spec.privacy)
    return RiskSection(
        counted=rows_or_people(found),
        who=_who(after),
        average=_average(after),
        alone=f"Unique {_who(after)}",
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
        attributes=attributes,
        attributes_folded=attributes_folded,
        attribute_headers=[f"#{name}" for name, _ in _ATTRIBUTE[1:]],
        attribute_words=_attribute_words(after),
        gains=gain_tables(release.gains()),
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
    bins = binned(before.members, after.members, k)
    words = [(percent(each.before), percent(each.after)) for each in bins]
    return picture(histogram(bins, words, "Class sizes, before and after", limit=k, who=_who(after)))


def _attack(assessment: RiskAssessment, name: str) -> tuple[str, str, str]:
    attack = getattr(assessment, name)
    if name == "marketer":  # who tries all rows does well on average, not with one
        return "-", percent(attack.average), "-"
    return percent(attack.highest), percent(attack.average), percent(attack.share_above)


_BASIS = {
    "table": (
        "No population was used for these figures, so the journalist and the marketer are given the risk "
        "of the prosecutor, which theirs cannot exceed."
    ),
    "sampling fraction": (
        "The journalist and the marketer search the population, whose classes are estimated from the share "
        "of it that is in the table."
    ),
}


def _who(assessment: RiskAssessment) -> str:
    return "rows" if assessment.unit is None else "people"


def _average(after: RiskAssessment) -> str:
    if after.unit is None:
        return "classes / rows"
    return "the mean over people, each in the class in which finding them is easiest"


def _uniques(before: RiskAssessment, after: RiskAssessment) -> Markup:
    sentence = Markup("In the original table {} {} {} ({}); in the release {} {}.").format(
        counted(before.sample_uniques, before.unit),
        "was" if before.sample_uniques == 1 else "were",
        "alone in a class",
        percent(before.unique_share),
        counted(after.sample_uniques, after.unit) if after.sample_uniques else f"no {_one(after)}",
        "are" if after.sample_uniques > 1 else "is",
    )
    if before.population_uniques is not None:
        return sentence
    return sentence + Markup(" How many of them are unique in the whole {} was not estimated: {}.").format(
        link("population"), _NOT_ESTIMATED[before.journalist.basis]
    )


_NOT_ESTIMATED = {
    "table": "no sampling fraction was given",
    "sampling fraction": "some people have rows in several classes",
}
"""Why, by what the risk of the journalist is based on."""


def _one(assessment: RiskAssessment) -> str:
    return "row" if assessment.unit is None else "person"


def _population_caption(before: RiskAssessment) -> str:
    estimate = before.population_uniques
    if estimate is None:
        return ""
    return (
        f"Estimated number of people who are unique in a population of {count(estimate.population)}, of "
        f"which the table holds {percent(estimate.sampling_fraction)}"
    )


def _population(before: RiskAssessment, after: RiskAssessment) -> Iterator[BeforeAfter]:
    first, second = before.population_uniques, after.population_uniques
    if first is None or second is None:
        return
    names = {
        "pitman": "Pitman",
        "zayatz": "Zayatz",
        "snb": "negative binomial",
        "dankar": "by Dankar's rule",
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
    title, most = "Share of each column in what makes rows unique", max([*shares.values(), *left.values()])
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
    gone = (
        ""
        if after.sample_uniques
        else " No row of a released class is unique, so only the original is drawn."
    )
    return Markup(
        "The share of the score of all {} that involve the column. A set of several columns counts for "
        "each of them, so the shares can add up to more than 100%.{}"
    ).format(link("minimal sample unique", "minimal sample uniques"), gone)


def _subsets(before: RiskAssessment, after: RiskAssessment) -> Iterator[BeforeAfter]:
    if before.special is None:
        return
    left = None if after.special is None else {each.columns: each.minimal for each in after.special.subsets}
    for each in before.special.subsets[:_SUBSETS_SHOWN]:
        now = "not measured" if left is None else count(left.get(each.columns, 0))
        yield BeforeAfter(columns(each.columns), (count(each.minimal),), (now,))


def _attribute_words(after: RiskAssessment) -> tuple[tuple[str, Markup], ...]:
    """Explain the figures; somebody with several rows may have several values."""
    return tuple((name, _OF_PEOPLE.get(name, words) if after.unit else words) for name, words in _ATTRIBUTE)


_ATTRIBUTE = (
    (
        "Right guesses",
        Markup(
            "how often somebody is right who knows each person's class and guesses its most frequent value"
        ),
    ),
    (
        "Without class",
        Markup("the same for the most frequent value of the same rows, without their classes"),
    ),
    (
        "Fewest values",
        Markup("the number of different values in the least diverse class (distinct l-diversity)"),
    ),
    (
        "Least diversity",
        Markup(
            "the same, but rare values count less: exp of the {} of the class (entropy l-diversity)"
        ).format(link("entropy")),
    ),
    (
        "Surest guess",
        Markup("the largest {}: at 100% some class gives its value away").format(link("posterior")),
    ),
    ("Given away", Markup("the share of the rows in classes with a single value")),
    (
        "Distance t",
        Markup("the largest distance between a class and the whole table (t-closeness, equal distance)"),
    ),
    ("Gain beta", Markup("the largest share in a class / share in the table - 1 (beta-likeness)")),
    ("Change delta", Markup("the largest |ln(share in a class / share in the table)| (delta-disclosure)")),
)


_OF_PEOPLE = {
    "Without class": Markup(
        "the same without the class. Somebody with rows in several classes counts in each, with the values "
        "that they have there"
    ),
    "Fewest values": Markup(
        "the fewest values that account for all people of a class (distinct l-diversity)"
    ),
    "Given away": Markup("the share of the people in classes where all have a value in common"),
    "Distance t": Markup(
        "the largest distance between a class and the whole table, by the people who have a value and by "
        "the number of values that people have (t-closeness, equal distance)"
    ),
}


def _attribute(name: str, before: AttributeRisk, after: AttributeRisk | None) -> AttributeRow:
    nothing = ("-",) * len(_ATTRIBUTE)
    words = nothing if after is None else _described(after)
    right = None if after is None else after.average_posterior
    return AttributeRow(name, before.average_posterior, right, BeforeAfter(name, _described(before), words))


def _described(found: AttributeRisk) -> tuple[str, ...]:
    return (
        percent(found.average_posterior),
        percent(found.prior),
        count(found.distinct),
        figure(found.entropy),
        percent(found.highest_posterior),
        percent(found.certain),
        figure(found.closeness),
        figure(found.beta),
        figure(found.delta),
    )
