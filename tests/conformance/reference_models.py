"""The privacy models once more, in plain Python over rows: slow, exact, and sharing no code with the package.

Somebody with several rows is one person, who has every value of these rows.

Numbers are fractions, so that a bound is met or not, without rounding. Logarithms have sixty digits, and
entropies of small classes are compared as powers of whole numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from shoal.testing.people import PersonRow

Value = Any
Counts = dict[Value, int]
Chains = Mapping[Value, Sequence[str]]


@dataclass(frozen=True)
class Judged:
    """Whether a class passes, and the figure that the model looks at (exact, or nearly)."""

    passes: bool
    figure: Any


def units_of(rows: Sequence[PersonRow]) -> int:
    return len({row.unit for row in rows})


def count(rows: Sequence[PersonRow]) -> Counts:
    """Count for each value the different units that have it."""
    return {value: units_of([row for row in rows if row.value == value]) for value in {r.value for r in rows}}


def judge(
    name: str,
    given: Mapping[str, Any],
    members: Sequence[PersonRow],
    table: Sequence[PersonRow],
    population: int = 0,
    chains: Chains | None = None,
) -> Judged:
    """Judge one class of a table, of which so many people are in the population."""
    if given.get("from-level") is not None:
        assert chains is not None
        return judge_labels(name, given, members, table, chains)
    return judge_counts(
        name, given, count(members), units_of(members), count(table), units_of(table), population, chains
    )


def judge_labels(
    name: str,
    given: Mapping[str, Any],
    members: Sequence[PersonRow],
    table: Sequence[PersonRow],
    chains: Chains,
) -> Judged:
    """Judge the labels of a level, and for all but t-closeness those of the levels above: each as values."""
    plain = {key: value for key, value in given.items() if key != "from-level"}
    values = {row.value for row in table}
    height = len(next(iter(chains.values())))
    first, passes, figures = given["from-level"], True, []
    assert first <= height, "no such level"
    for level in range(first, (first if name == "t-closeness" else height) + 1):
        labels = labels_at(values, chains, level)
        others: Chains = {}
        if name == "t-closeness":
            if plain.get("distance") == "ordered":
                # The place of a label is that of the first of its values.
                order = in_order(list(values), plain.pop("order", None))
                place = {
                    label: min(order.index(v) for v in values if labels[v] == label)
                    for label in labels.values()
                }
                labels = {v: place[label] for v, label in labels.items()}
            # NULL has a label where it is under the only one.
            others = {
                labels[v]: [] if v is None else chains[v][level:] for v in values if labels[v] is not None
            }
        judged = judge(
            name,
            plain,
            [PersonRow(row.group, labels[row.value], row.unit) for row in members],
            [PersonRow(row.group, labels[row.value], row.unit) for row in table],
            chains=others,
        )
        passes &= judged.passes
        figures.append(judged.figure)
    return Judged(passes, max(figures) if members else None)


def labels_at(values: set[Value], chains: Chains, level: int) -> dict[Value, Any]:
    """Return the label of each value; a single one on top has NULL under it too, otherwise it is alone."""
    labels = {v: None if v is None else ([v, *chains[v]])[level] for v in values}
    known = {label for v, label in labels.items() if v is not None}
    if level and level == len(next(iter(chains.values()))) and len(known) <= 1:
        return dict.fromkeys(values, "root")
    return labels


def judge_counts(  # noqa: PLR0911 (one return per model)
    name: str,
    given: Mapping[str, Any],
    counts: Counts,
    people: int,
    totals: Counts,
    everybody: int,
    population: int = 0,
    chains: Chains | None = None,
) -> Judged:
    if people == 0 and name != "delta-presence":
        return Judged(True, None)
    assert given.get("from-level") is None, "counts of values do not say how many people have a label"
    match name:
        case "k-anonymity":
            return Judged(people >= given["k"], people)
        case "risk":
            bound = given.get("maximal")
            risk = Fraction(1, people)
            return Judged(bound is None or risk <= exact(bound), float(risk))
        case "k-map":
            return Judged(population >= given["k"], population)
        case "delta-presence":
            if population == 0:
                return Judged(people == 0, float("inf"))
            share = Fraction(people, population)
            return Judged(exact(given["lower"]) <= share <= exact(given["upper"]), float(share))
        case "alpha-k":
            largest = Fraction(max(counts.values()), people)
            return Judged(people >= given["k"] and largest <= exact(given["alpha"]), (people, float(largest)))
        case "l-diversity":
            return diversity(given, worst(counts, people))
        case "t-closeness":
            distance = with_numbers(
                earth_mover(given, counts, totals, chains),
                Fraction(sum(counts.values()), people),
                Fraction(sum(totals.values()), everybody),
            )
            return Judged(distance <= exact(given["t"]), float(distance))
        case "beta-likeness":
            return likeness(given, counts, people, totals, everybody)
        case "delta-disclosure":
            return disclosure(given, counts, people, totals, everybody)
    raise NotImplementedError(f"No reference for {name}: write one.")


def exact(parameter: float) -> Fraction:
    """Return the number that somebody meant who wrote 0.2."""
    return Fraction(str(parameter))


def decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def worst(counts: Counts, people: int) -> list[int]:
    """Hand out one value to each person, the most frequent first, to as many as have it."""
    handed: list[int] = []
    for c in sorted(counts.values(), reverse=True):
        if sum(handed) < people:
            handed.append(min(c, people - sum(handed)))
    assert sum(handed) == people
    return handed


def with_numbers(distance: Fraction, here: Fraction, there: Fraction) -> Fraction:
    """Add to a distance between shares of values that people have more values here than there, or fewer."""
    return min(here, there) * distance + abs(here - there)


def diversity(given: Mapping[str, Any], falling: Sequence[int]) -> Judged:
    kind = given.get("kind", "distinct")
    if kind == "distinct":
        return Judged(len(falling) >= given["l"], len(falling))
    if kind == "recursive":
        tail = sum(falling[given["l"] - 1 :])
        ratio = Fraction(falling[0], tail) if tail else None
        return Judged(
            ratio is not None and ratio < exact(given["c"]), float("inf") if ratio is None else float(ratio)
        )
    n, least = sum(falling), exact(given["l"])
    with localcontext() as context:
        context.prec = 60
        entropy = Decimal(n).ln() - sum(c * Decimal(c).ln() for c in falling) / n
        if n > 200:
            return Judged(entropy >= decimal(least).ln(), float(entropy.exp()))
        # exp(entropy) is n over the n-th root of the product of all c ** c.
        product = 1
        for c in falling:
            product *= c**c
        passes = n**n * least.denominator**n >= least.numerator**n * product
        return Judged(passes, float(entropy.exp()))


def earth_mover(given: Mapping[str, Any], counts: Counts, totals: Counts, chains: Chains | None) -> Fraction:
    n, whole = sum(counts.values()), sum(totals.values())
    extra = {v: Fraction(counts.get(v, 0), n) - Fraction(totals[v], whole) for v in totals}
    kind = given.get("distance", "equal")
    if kind == "equal":
        return sum(abs(e) for e in extra.values()) / 2
    if kind == "ordered":
        order = in_order(list(totals), given.get("order"))
        carried = [abs(sum(extra[v] for v in order[: place + 1])) for place in range(len(order) - 1)]
        return Fraction(sum(carried)) / max(len(order) - 1, 1)
    assert chains is not None
    tree = rooted(list(totals), chains)
    height = len(next(iter(tree.values()))) - 1
    # Values whose labels meet at level j are j / height apart: a step up or down costs half of 1 / height.
    steps = Fraction(0)
    for level in range(height):
        for label in {chain[level] for chain in tree.values()}:
            steps += abs(sum(extra[v] for v, chain in tree.items() if chain[level] == label))
    return steps / (2 * height) if height else Fraction(0)


def in_order(values: list[Value], order: Sequence[Value] | None) -> list[Value]:
    if order is not None:
        return sorted(values, key=lambda v: order.index(v) if v in order else len(order))
    known = [v for v in values if v is not None]
    try:
        known.sort(key=lambda v: (float(v), v))
    except ValueError:
        known.sort()
    return known + [v for v in values if v is None]


def rooted(values: list[Value], chains: Chains) -> dict[Value, list[Hashable]]:
    """Return for each value itself and its labels up to a single one; NULL is by itself until there."""
    known = {v: [v, *chains[v]] for v in values if v is not None}
    length = max((len(chain) for chain in known.values()), default=2)
    tree = {v: list(known.get(v, [None] * length)) for v in values}
    if length > 1 and len({chain[-1] for chain in known.values()}) <= 1:
        for chain in tree.values():
            chain.pop()
    return {v: [*chain, "root"] for v, chain in tree.items()}


def likeness(given: Mapping[str, Any], counts: Counts, people: int, totals: Counts, everybody: int) -> Judged:
    passes, largest = True, float("-inf")
    with localcontext() as context:
        context.prec = 60
        for value, c in counts.items():
            p, q = Fraction(totals[value], everybody), Fraction(c, people)
            gain = (q - p) / p
            largest = max(largest, float(gain))
            passes &= gain <= exact(given["beta"])
            if given.get("kind", "enhanced") == "enhanced" and gain > 0:
                passes &= decimal(gain) <= -decimal(p).ln()
    return Judged(passes, largest)


def disclosure(
    given: Mapping[str, Any], counts: Counts, people: int, totals: Counts, everybody: int
) -> Judged:
    passes, largest = True, 0.0
    with localcontext() as context:
        context.prec = 60
        for value, total in totals.items():
            if value not in counts:
                return Judged(False, float("inf"))
            change = abs(
                (decimal(Fraction(counts[value], people)) / decimal(Fraction(total, everybody))).ln()
            )
            largest = max(largest, float(change))
            passes &= change < decimal(exact(given["delta"]))
    return Judged(passes, largest)
