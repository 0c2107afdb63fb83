"""What was found of the risk of one table, and of two of them side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from shoal.risk.attributes import AttributeRisk
from shoal.risk.population_uniques import PopulationUniques
from shoal.risk.reidentification import Attack
from shoal.risk.special_uniques import SpecialUniques

_SETS_SHOWN = 5
_BASIS = {
    "table": "at most the prosecutor's",
    "sampling fraction": "expected, by the sampling fraction",
    "population": "in the population",
}
_MODELS = {"pitman": "Pitman", "zayatz": "Zayatz", "snb": "SNB", "counted": "counted"}


@dataclass(frozen=True)
class RiskAssessment:
    """The risk of one table, original or released.

    Attributes
    ----------
    quasi_identifiers
        The columns by which somebody could be found.
    rows, suppressed_rows
        Rows in classes, and suppressed rows that were left in the table with `*` and do not count.
    classes, class_sizes
        How many classes there are, and for each size that occurs the number of classes of that size.
    members
        For each size the rows in classes of that size. Where people are counted, each counts once, in the
        smallest of their classes.
    threshold
        The chance above which rows are counted in `share_above`.
    prosecutor, journalist, marketer
        The chances of three kinds of attackers.
    sample_uniques
        Rows that are alone in their class, or people who are alone in one, where people are counted.
    population_uniques
        People who are alone in the population; None where nothing is known of it, or it cannot be estimated.
    special
        The sets of columns that single rows out; None where that would take too long.
    attributes
        For each sensitive column what classes tell of it.
    unit
        The column by which people are counted in place of rows, if one is. Then class sizes are people.
    people
        How many there are, each once, if they are counted.
    notes
        What else a reader should know.
    """

    quasi_identifiers: tuple[str, ...]
    rows: int
    suppressed_rows: int
    classes: int
    class_sizes: dict[int, int]
    members: dict[int, int]
    threshold: float
    prosecutor: Attack
    journalist: Attack
    marketer: Attack
    sample_uniques: int
    population_uniques: PopulationUniques | None
    special: SpecialUniques | None
    attributes: dict[str, AttributeRisk]
    unit: str | None = None
    people: int | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def counted(self) -> int:
        """How many rows the classes have, or how many people there are, where these count."""
        if self.people is not None:
            return self.people
        return sum(size * classes for size, classes in self.class_sizes.items())

    @property
    def unique_share(self) -> float:
        """The share of the rows, or people, that are alone in their class."""
        return self.sample_uniques / self.counted if self.counted else 0.0

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from shoal.notebook import risk_html

        return risk_html(self)

    def facts(self) -> list[tuple[str, str]]:
        """Return all figures in words, each with what it is."""
        return [*self._on_classes(), *self._on_attacks(), *self._on_subsets(), *self._on_attributes()]

    def to_mapping(self) -> dict[str, Any]:
        """Return all figures as plain values, ready for JSON."""
        return {
            "quasi_identifiers": list(self.quasi_identifiers),
            "rows": self.rows,
            "suppressed_rows": self.suppressed_rows,
            "unit": self.unit,
            "people": self.people,
            "classes": self.classes,
            "class_sizes": {str(size): classes for size, classes in self.class_sizes.items()},
            "members": {str(size): members for size, members in self.members.items()},
            "threshold": self.threshold,
            "prosecutor": self.prosecutor.to_mapping(),
            "journalist": self.journalist.to_mapping(),
            "marketer": self.marketer.to_mapping(),
            "sample_uniques": self.sample_uniques,
            "unique_share": self.unique_share,
            "population_uniques": self.population_uniques and self.population_uniques.to_mapping(),
            "special": self.special and self.special.to_mapping(),
            "attributes": {name: risk.to_mapping() for name, risk in self.attributes.items()},
            "notes": list(self.notes),
        }

    def render(self) -> str:
        """Return all figures as text."""
        return _aligned([*self.facts(), *(("Note", note) for note in self.notes)])

    def _on_classes(self) -> Iterator[tuple[str, str]]:
        yield "Rows", f"{self.rows:,}"
        if self.people is not None:
            yield "People", f"{self.people:,}"
        if self.suppressed_rows:
            yield "Suppressed rows left in", f"{self.suppressed_rows:,}"
        least, most = min(self.class_sizes, default=0), max(self.class_sizes, default=0)
        sizes = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        yield "Classes", f"{self.classes:,}, of {sizes}" if self.class_sizes else "0"
        yield f"{self._who} alone in their class", f"{self.sample_uniques:,} ({self.unique_share:.2%})"

    def _on_attacks(self) -> Iterator[tuple[str, str]]:
        above = f"{self._who.lower()} above {self.threshold:g}"
        yield "Prosecutor risk, highest", f"{self.prosecutor.highest:.2%}"
        yield "Prosecutor risk, average", f"{self.prosecutor.average:.2%}"
        yield f"Prosecutor risk, {above}", f"{self.prosecutor.share_above:.2%}"
        yield "Journalist risk, highest", f"{self.journalist.highest:.2%}"
        yield "Journalist risk, average", f"{self.journalist.average:.2%}"
        yield f"Journalist risk, {above}", f"{self.journalist.share_above:.2%}"
        yield "Marketer risk, average", f"{self.marketer.average:.2%}"
        yield "Journalist and marketer", _BASIS[self.journalist.basis]
        uniques = self.population_uniques
        if uniques is not None:
            told = f"{uniques.dankar:,.0f} of {uniques.population:,} ({uniques.share:.2%})"
            yield "Unique in the population", f"{told}, {_MODELS[uniques.model]}"
            for name in ("pitman", "zayatz", "snb") if uniques.model != "counted" else ():
                estimate = getattr(uniques, name)
                yield (
                    f"  by {_MODELS[name]}",
                    "no solution" if estimate is None else f"{estimate:,.0f}",
                )

    def _on_subsets(self) -> Iterator[tuple[str, str]]:
        if self.special is None:
            return
        for size, rows in self.special.rows_by_smallest.items():
            columns = "1 column" if size == 1 else f"{size} columns"
            yield f"Rows singled out by {columns}, no fewer", f"{rows:,} ({rows / max(self.rows, 1):.2%})"
        if more := self.sample_uniques - sum(self.special.rows_by_smallest.values()):
            yield "Rows singled out by more columns only", f"{more:,} ({more / max(self.rows, 1):.2%})"
        for name, share in self.special.columns.items():
            yield f"Part of {name} in that, by score", f"{share:.2%}"
        for subset in self.special.subsets[:_SETS_SHOWN]:
            yield f"Rows singled out by {' + '.join(subset.columns)}", f"{subset.minimal:,}"

    def _on_attributes(self) -> Iterator[tuple[str, str]]:
        for name, risk in self.attributes.items():
            yield f"{name}, fewest values in a class", f"{risk.distinct:,}"
            yield f"{name}, smallest entropy as a number of values", f"{risk.entropy:.4g}"
            yield f"{name}, highest chance to guess it", f"{risk.highest_posterior:.2%}"
            yield f"{name}, average chance to guess it", f"{risk.average_posterior:.2%}"
            yield f"{name}, chance without knowing the class", f"{risk.prior:.2%}"
            yield f"{name}, {self._who.lower()} of which it is certain", f"{risk.certain:.2%}"
            yield f"{name}, largest distance from the table (t)", f"{risk.closeness:.4g}"
            if risk.closeness_ordered is not None:
                yield f"{name}, largest ordered distance (t)", f"{risk.closeness_ordered:.4g}"
            yield f"{name}, largest gain of a value (beta)", _number(risk.beta)
            yield f"{name}, largest change of a value (delta)", _number(risk.delta)

    @property
    def _who(self) -> str:
        return "Rows" if self.unit is None else "People"


@dataclass(frozen=True)
class RiskComparison:
    """The risk of a table before and after it was anonymized, side by side."""

    before: RiskAssessment
    after: RiskAssessment

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        from shoal.notebook import risk_html

        return risk_html(self)

    def facts(self) -> list[tuple[str, str, str]]:
        """Return all figures in words: what each is, before, and after."""
        before, after = dict(self.before.facts()), dict(self.after.facts())
        return [
            (name, before.get(name, _none(name, self.before)), after.get(name, _none(name, self.after)))
            for name in _merged(list(before), list(after))
        ]

    def to_mapping(self) -> dict[str, Any]:
        """Return all figures as plain values, ready for JSON."""
        return {"before": self.before.to_mapping(), "after": self.after.to_mapping()}

    def render(self) -> str:
        """Return all figures as text, in two columns."""
        lines = _aligned([self.header, *self.facts()])
        return "\n".join([lines, *(f"Note  {note}" for note in self.notes)])

    @property
    def notes(self) -> tuple[str, ...]:
        """What else a reader should know of either."""
        return tuple(dict.fromkeys((*self.before.notes, *self.after.notes)))

    @property
    def header(self) -> tuple[str, str, str]:
        """What is above the figures: rows that stand for people make a risk look lower than it is."""
        rows = self.before.unit is not None and self.after.unit is None
        return "", "Before", "After, by rows" if rows else "After"


def _none(name: str, assessment: RiskAssessment) -> str:
    """Return what is said of a figure that an assessment does not have: none found, or not measured."""
    found = name.startswith("Suppressed rows") or (
        name.startswith("Rows singled out") and assessment.special is not None
    )
    return "0" if found else "-"


def _merged(first: list[str], second: list[str]) -> list[str]:
    """Return the names of both lists, those of the second after what they follow there.

    Examples
    --------
    >>> _merged(["a", "b", "d"], ["a", "c", "d", "e"])
    ['a', 'c', 'b', 'd', 'e']
    """
    names = list(first)
    for position, name in enumerate(second):
        if name not in names:
            names.insert(names.index(second[position - 1]) + 1 if position else 0, name)
    return names


def _number(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:.4g}"


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
