"""Codes whose first characters mean most: postcodes, diagnosis codes, telephone numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import pyarrow as pa

from shoal.describe.hierarchies.arguments import whole_or_text
from shoal.describe.hierarchies.mask import Mask, longest, masked
from shoal.describe.hierarchies.suppress import Suppress
from shoal.describe.hierarchy import ANYTHING, Hierarchy, HierarchyDefaults, Levels, as_text, check_height
from shoal.errors import InputError


@dataclass(frozen=True, slots=True)
class Prefix(HierarchyDefaults):
    """Level i keeps the first `length - i` characters and adds i stars; the last level is `*`.

    Shorter and longer values follow the same rule, so the levels are nested whatever the values are.
    The default length is that of the longest value, and one star then replaces all masked characters: as many
    stars as the longest value needs would reveal its length, although its row may be suppressed.
    """

    length: int | None = None

    name: ClassVar[str] = "prefix"
    summary: ClassVar[str] = "Masks characters of codes from the end, one more at each level."
    parameters: ClassVar[Mapping[str, str]] = {
        "length": "number of characters of the codes; default: that of the longest value"
    }
    examples: ClassVar[tuple[object, ...]] = (None, 5)
    sample: ClassVar[tuple[object, ...]] = ("53715", "53710", "5371", "90210", "", "5*")

    def __post_init__(self) -> None:
        if self.length is not None and (
            not isinstance(self.length, int) or isinstance(self.length, bool) or self.length < 1
        ):
            raise InputError(
                f"The length of prefix must be a whole number, at least 1.\nFound: {self.length!r}."
            )

    def levels(self, values: pa.Array) -> Levels:
        text = as_text(values)
        length = self.length or max(longest(text), 1)
        check_height(length)
        labels = masked(text, range(length - 1, 0, -1), self.length)
        return Levels.of(values, [*labels, pa.repeat(ANYTHING, len(values))])

    @property
    def steady(self) -> bool:
        return self.length is not None

    def fixed(self, values: pa.Array, level: int) -> tuple[Hierarchy, int]:
        if self.length is not None or level == 0:
            return self, level
        kept = longest(as_text(values)) - level
        return (Mask((kept,)), 1) if kept > 0 else (Suppress(), 1)

    def may_become(self, stated: Hierarchy) -> bool:
        return self.length is None and isinstance(stated, Mask) and stated == Mask(stated.keep[:1])

    def to_spec(self) -> object:
        return "prefix" if self.length is None else {"prefix": self.length}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        return cls(argument)  # type: ignore[arg-type]  # the constructor checks it

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls.from_spec(whole_or_text(text) if text else None, Path())


def prefix(length: int | None = None) -> Prefix:
    """Mask characters from the end, one more at each level.

    Parameters
    ----------
    length
        Number of characters of the codes, and so of levels above the value itself. Default: that of the
        longest value; labels then end in one star.

    Examples
    --------
    >>> levels = prefix(5).levels(pa.array(["53715", "53710"]))
    >>> [labels[0].as_py() for labels in levels.labels]
    ['53715', '5371*', '537**', '53***', '5****', '*']
    >>> levels = prefix().levels(pa.array(["53715", "53710"]))
    >>> [labels[0].as_py() for labels in levels.labels]
    ['53715', '5371*', '537*', '53*', '5*', '*']
    """
    return Prefix(length)
