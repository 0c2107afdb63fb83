"""The outcome of a trial, in figures and in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from shoal.suggestions.words import count, percent, printable

Setting: TypeAlias = Literal["recoding", "suppression", "without"]
MANY = 1 / 3
"""Share of the quasi-identifiers: if more of them lose all detail, changes are tried."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a release would keep.

    Attributes
    ----------
    columns
        The quasi-identifiers.
    lost
        Those of which no detail is left: the same label in every released row, though the table has several
        values.
    rows, suppressed_rows
        Of the table.
    costs
        What each quasi-identifier adds to the measure `loss`, all weighted the same.
    optimal
        Whether no choice is better by the spec's measure, proved.
    cut_short
        Whether a longer search might find a better one.
    """

    columns: tuple[str, ...]
    lost: tuple[str, ...]
    rows: int
    suppressed_rows: int
    costs: Mapping[str, float]
    optimal: bool
    cut_short: bool = False

    @property
    def kept(self) -> int:
        """Quasi-identifiers that keep detail."""
        return len(self.columns) - len(self.lost)

    @property
    def loss(self) -> float:
        """The measure `loss`, from 0 (untouched) to 1."""
        return sum(self.costs.values())

    @property
    def words(self) -> str:
        """What is kept, in words.

        Examples
        --------
        >>> costs = {"age": 0.2, "sex": 0.0, "zip": 0.3}
        >>> Outcome(("age", "sex", "zip"), ("zip",), 1000, 18, costs, optimal=True).words
        '2 of 3 quasi-identifiers keep detail, 1.8% of the rows suppressed; zip costs most'
        """
        columns = count(len(self.columns), "quasi-identifier")
        words = f"{self.kept:,} of {columns} keep{'s' * (len(self.columns) == 1)} detail, "
        share = percent(self.suppressed_rows / self.rows)
        words += f"{share} of the rows suppressed" if self.suppressed_rows else "no row suppressed"
        dearest = max(self.costs, key=lambda name: self.costs[name])
        if len(self.columns) > 1 and self.costs[dearest] > 0:
            words += f"; {printable(dearest)} costs most"
        return words

    def to_mapping(self) -> dict[str, Any]:
        """Return the outcome as JSON-ready data."""
        return {
            "columns": list(self.columns),
            "lost": list(self.lost),
            "rows": self.rows,
            "suppressed_rows": self.suppressed_rows,
            "loss": self.loss,
            "costs": dict(self.costs),
            "optimal": self.optimal,
        }


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the spec that was tried, with its outcome.

    Attributes
    ----------
    setting, value
        `recoding`, `suppression`, or `without`: a column that is not released.
    """

    setting: Setting
    value: str | float
    outcome: Outcome

    @property
    def words(self) -> str:
        """The change and its outcome, in words."""
        what = f"without {self.value}" if self.setting == "without" else f"`{self.setting}: {self.value}`"
        return f"{what}: {self.outcome.words}"

    def to_mapping(self) -> dict[str, Any]:
        """Return the change as JSON-ready data."""
        return {self.setting: self.value, "outcome": self.outcome.to_mapping()}


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of trying a spec on a table.

    Attributes
    ----------
    requirement
        What the spec requires, such as `k = 5`.
    outcome
        None if there is no release, or if none was found in time.
    problem
        Why there would be no release, or why nothing was tried; otherwise empty.
    changes
        Where many quasi-identifiers lose all detail: what keeps more of them, the best change of each kind,
        and the best of all first.
    """

    requirement: str
    outcome: Outcome | None = None
    problem: str = ""
    changes: tuple[Change, ...] = ()

    @property
    def sentence(self) -> str:
        """What would come out, in one line."""
        if self.outcome is None:
            return self.problem
        words = f"with {self.requirement}: {self.outcome.words}"
        if self.outcome.cut_short:
            words += "; found in a short search, so a longer one may keep more"
        if self.problem:
            words += f". {self.problem}"
        return words

    @property
    def advice(self) -> tuple[str, ...]:
        """What would keep more, the best first."""
        return tuple(change.words for change in self.changes)

    def __str__(self) -> str:
        return "\n".join((self.sentence, *self.advice))

    def to_mapping(self) -> dict[str, Any]:
        """Return the trial as JSON-ready data."""
        return {
            "requirement": self.requirement,
            "sentence": self.sentence,
            "problem": self.problem or None,
            "outcome": None if self.outcome is None else self.outcome.to_mapping(),
            "changes": [change.to_mapping() for change in self.changes],
        }
