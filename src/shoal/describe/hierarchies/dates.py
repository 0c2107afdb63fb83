"""Dates and times by day, week, month, quarter, year and decade."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from shoal.describe.hierarchies.arguments import keyed, several
from shoal.describe.hierarchies.days import Days, months_of, zone_exists
from shoal.describe.hierarchies.suppress import Suppress
from shoal.describe.hierarchy import (
    ANYTHING,
    Hierarchy,
    HierarchyDefaults,
    HierarchyError,
    IntArray,
    Levels,
)
from shoal.errors import InputError, nearest
from shoal.read.date_format import DateFormat

_EXAMPLE = "For example: dates('month', 'year')."


def _by_day(days: IntArray) -> list[str]:
    names: list[str] = np.datetime_as_string(days.astype("M8[D]")).tolist()
    return names


def _by_week(days: IntArray) -> list[str]:
    # A week is of the year that has its Thursday; 1970 began with one.
    thursdays = (days + 3) // 7 * 7
    years = months_of(thursdays) // 12
    weeks = (thursdays - years.astype("M8[Y]").astype("M8[D]").astype(np.int64)) // 7 + 1
    names = []
    for year, week in zip((years + 1970).tolist(), weeks.tolist(), strict=True):
        # The first supported day, a Saturday, is in a week of the year before 0000.
        names.append(f"{year:04d}-W{week:02d}" if year >= 0 else f"{year:05d}-W{week:02d}")
    return names


def _by_month(days: IntArray) -> list[str]:
    return [f"{month // 12 + 1970:04d}-{month % 12 + 1:02d}" for month in months_of(days).tolist()]


def _by_quarter(days: IntArray) -> list[str]:
    return [f"{month // 12 + 1970:04d}-Q{month % 12 // 3 + 1}" for month in months_of(days).tolist()]


def _by_year(days: IntArray) -> list[str]:
    return [f"{month // 12 + 1970:04d}" for month in months_of(days).tolist()]


def _by_decade(days: IntArray) -> list[str]:
    return [f"{(month // 12 + 1970) // 10 * 10:04d}s" for month in months_of(days).tolist()]


_UNITS: dict[str, Callable[[IntArray], list[str]]] = {
    "day": _by_day,
    "week": _by_week,
    "month": _by_month,
    "quarter": _by_quarter,
    "year": _by_year,
    "decade": _by_decade,
}
"""The units from the smallest to the largest, each with the function that labels days."""


@dataclass(frozen=True, slots=True)
class Dates(HierarchyDefaults):
    """Level i has the i-th unit, each longer than the one before; the last level is `*`.

    Weeks are those of ISO 8601 and begin on Monday. They cross the ends of months and years, so only `*` can
    follow them. The default units are month, quarter, year and decade, preceded by the day for values with a
    time, and without the month for values that are months.

    The day of a time with a zone or an offset depends on the time zone. Such times are refused unless `zone`
    is set. Times without a zone keep the day that they state.
    """

    units: tuple[str, ...] = ()
    format: str | None = None
    zone: str | None = None

    name: ClassVar[str] = "dates"
    summary: ClassVar[str] = "Puts dates and times into days, weeks, months, quarters, years, decades."
    parameters: ClassVar[Mapping[str, str]] = {
        "levels": f"the unit of each level: {', '.join(_UNITS)}; the key may be omitted",
        "format": "format of dates in text, such as %d.%m.%Y; default: ISO 8601",
        "zone": "time zone for the days of times with a zone or an offset, such as Europe/Berlin",
    }
    examples: ClassVar[tuple[object, ...]] = (
        None,
        ["month", "year"],
        ["day", "week"],
        {"levels": ["day", "month", "quarter", "year", "decade"], "zone": "UTC"},
    )
    sample: ClassVar[tuple[object, ...]] = (
        "1999-12-31",
        "2000-01-01",
        "2000-02-29",
        "2026-11-16",
        "2026-11-17T23:30",
        "2027-01-01",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "units", tuple(self.units))
        problems: list[Any] = [*self._unit_problems(), *self._zone_problems()]
        if self.format is not None:
            if not isinstance(self.format, str) or not self.format:
                problems.append(f"A date format is text such as '%d.%m.%Y'.\nFound: {self.format!r}.")
            else:
                try:
                    DateFormat(self.format)
                except InputError as error:
                    problems.extend(error.problems)
                else:
                    problems.extend(self._fineness_problems())
        if problems:
            raise InputError(problems)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return pa.array(Days.of(values, DateFormat(self.format), self.zone).known, pa.bool_())

    def levels(self, values: pa.Array) -> Levels:
        found = Days.of(values, DateFormat(self.format), self.zone)
        if problems := found.problems(values, self.format):
            raise HierarchyError(problems)
        days, codes = np.unique(found.days, return_inverse=True)
        labels = [
            pa.array(_UNITS[unit](days), pa.string()).take(pa.array(codes))
            for unit in self.units or self._usual_units(timed=found.timed)
        ]
        return Levels.of(values, [*labels, pa.repeat(ANYTHING, len(values))])

    @property
    def steady(self) -> bool:
        return bool(self.units)

    def fixed(self, values: pa.Array, level: int) -> tuple[Hierarchy, int]:
        if self.units or level == 0:
            return self, level
        units = self._usual_units(timed=Days.of(values, DateFormat(self.format), self.zone).timed)
        if level > len(units):
            return Suppress(), 1
        return Dates((units[level - 1],), self.format, self.zone), 1

    def may_become(self, stated: Hierarchy) -> bool:
        if self.units or not isinstance(stated, Dates):
            return False
        return len(stated.units) == 1 and replace(stated, units=()) == self

    def to_spec(self) -> object:
        settings = {"levels": list(self.units), "format": self.format, "zone": self.zone}
        given = {key: value for key, value in settings.items() if value}
        if not given:
            return "dates"
        return {"dates": given["levels"] if list(given) == ["levels"] else given}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        if not isinstance(argument, Mapping):
            return cls(several(argument))
        settings = keyed(cls.name, argument, list(cls.parameters))
        return cls(several(settings.get("levels")), settings.get("format"), settings.get("zone"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(tuple(part.strip() for part in text.split(",")) if text.strip() else ())

    @property
    def _finest(self) -> str:
        """The smallest unit that text in the given format contains."""
        written = DateFormat(self.format)
        if written.has_day:
            return "day"
        return "month" if written.has_month else "year"

    def _usual_units(self, *, timed: bool) -> tuple[str, ...]:
        usual = ("day", "month", "quarter", "year", "decade")
        return usual if timed else usual[usual.index(self._finest) + 1 :]

    def _unit_problems(self) -> Iterator[str]:
        known = list(_UNITS)
        unknown = [unit for unit in self.units if unit not in known]
        for unit in unknown:
            near = nearest(str(unit), known).strip() or _EXAMPLE
            yield f"Unknown level {unit!r} of dates.\nKnown: {', '.join(known)}.\n{near}"
        for lower, upper in pairwise(() if unknown else self.units):
            if lower == "week":
                yield (
                    f"In dates, {upper} comes after week.\nWeeks cross the ends of longer units, "
                    "so the levels would not be nested.\nRemove one of the two."
                    if upper != "day"
                    else "In dates, day comes after week.\nBegin with the smallest unit."
                )
            elif known.index(upper) <= known.index(lower):
                yield f"In dates, {upper} comes after {lower}.\nBegin with the smallest unit, each once."

    def _zone_problems(self) -> Iterator[str]:
        if self.zone is None:
            return
        if not isinstance(self.zone, str) or not zone_exists(self.zone):
            yield (
                f"Unknown time zone {self.zone!r} of dates.\n"
                "Use a name of the IANA database, such as Europe/Berlin or UTC. If the name is right, this "
                "machine lacks the database; on Windows pyarrow.util.download_tzdata_on_windows() fetches it."
            )

    def _fineness_problems(self) -> Iterator[str]:
        known = list(_UNITS)
        finest = known.index(self._finest)
        for unit in self.units:
            if unit in known and known.index(unit) < finest:
                yield f"The date format {self.format!r} does not contain the {unit}.\nRemove that level."


def dates(*levels: str, format: str | None = None, zone: str | None = None) -> Dates:
    """Put dates and times into longer and longer units.

    Parameters
    ----------
    *levels
        The unit of each level: day, week, month, quarter, year or decade. Default: month, quarter, year and
        decade, preceded by the day for values with a time.
    format
        Format of dates in text, such as `%d.%m.%Y`. Default: ISO 8601.
    zone
        Time zone for the days of times with a zone or an offset, such as `Europe/Berlin`. Without it such
        times are refused.

    Examples
    --------
    >>> print(dates().levels(pa.array(["2026-11-16", "2027-01-01"])).table())
    value       level 1  level 2  level 3  level 4  level 5
    2026-11-16  2026-11  2026-Q4  2026     2020s    *
    2027-01-01  2027-01  2027-Q1  2027     2020s    *
    >>> dates("week", format="%d.%m.%y").levels(pa.array(["16.11.26"])).labels[1].to_pylist()
    ['2026-W47']
    """
    return Dates(levels, format, zone)
