"""Codes with masked characters: postcodes, ICD-10, NAICS, telephone numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Self

import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchies.arguments import falling_problems, is_whole, keyed, parts_of, several
from shoal.describe.hierarchy import ANYTHING, HierarchyDefaults, Levels, as_text, check_height
from shoal.errors import InputError, nearest

Side = Literal["first", "last"]

_SIDES = ("first", "last")
_EXAMPLE = "For example: keep: [4, 3, 2]."
_LONGEST = 255
"""Largest padded length of values, which limits the length of labels."""


@dataclass(frozen=True, slots=True)
class Mask(HierarchyDefaults):
    """Level i keeps `keep[i - 1]` characters of a value and masks the others; the last level is `*`.

    Every label of a level has the same number of mask characters, whatever the value. So the kept characters
    are clear even if they are mask characters themselves, and a level above keeps a part of them: the levels
    are nested. Without `pad` a label has one mask character: as many as the longest value needs would
    reveal its length, although its row may be suppressed.

    Attributes
    ----------
    keep
        Number of characters that each level keeps, fewer at each.
    side
        Whether the `first` or the `last` characters are kept.
    pad
        Shorter values are padded with `fill` on the left to this length: for numbers read as 1234 that mean
        01234.
    fill
        The padding character.
    character
        The mask character; `''` cuts the masked characters off.
    """

    keep: tuple[int, ...]
    side: Side = "first"
    pad: int | None = None
    fill: str = "0"
    character: str = "*"

    name: ClassVar[str] = "mask"
    summary: ClassVar[str] = "Keeps the first or last characters of codes, fewer at each level."
    parameters: ClassVar[Mapping[str, str]] = {
        "keep": "number of characters that each level keeps",
        "side": "whether the `first` or the `last` characters are kept; default: `first`",
        "pad": "length to which shorter values are padded on the left; default: no padding",
        "fill": "the padding character; default: 0",
        "character": 'the mask character, "" to cut characters off; default: *',
    }
    examples: ClassVar[tuple[object, ...]] = (
        [4, 3, 2],
        {"keep": [4, 2], "side": "last", "character": "#"},
        {"keep": [3], "pad": 5, "fill": "0", "character": ""},
    )
    sample: ClassVar[tuple[object, ...]] = ("53715", "53710", "5371", "90210", "E11.9", "", "5*")

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", several(self.keep))
        problems = falling_problems("mask", "The characters to keep", self.keep, _EXAMPLE)
        if not self.keep:
            problems.append(f"mask needs the number of characters to keep.\n{_EXAMPLE}")
        if self.side not in _SIDES:
            near = nearest(self.side, _SIDES) if isinstance(self.side, str) else ""
            problems.append(f"mask keeps the first or the last characters.\nFound: {self.side!r}.{near}")
        if self.pad is not None and not (is_whole(self.pad) and self.pad <= _LONGEST):
            problems.append(
                f"`pad` of mask must be a whole number from 1 to {_LONGEST}.\nFound: {self.pad!r}."
            )
        if not isinstance(self.fill, str) or len(self.fill) != 1:
            problems.append(
                f"`fill` of mask must be one character.\nFound: {self.fill!r}.\nPut a digit in quotes."
            )
        if not isinstance(self.character, str) or len(self.character) > 1:
            problems.append(
                f"`character` of mask must be one character, or '' to cut characters off.\n"
                f"Found: {self.character!r}."
            )
        if problems:
            raise InputError(problems)

    def levels(self, values: pa.Array) -> Levels:
        check_height(len(self.keep) + 1)
        text = as_text(values)
        if self.pad is not None:
            text = pc.utf8_lpad(text, self.pad, self.fill)
        labels = masked(text, self.keep, self.pad, self.side, self.character)
        return Levels.of(values, [*labels, pa.repeat(ANYTHING, len(values))])

    @property
    def steady(self) -> bool:
        return True

    def to_spec(self) -> object:
        written: dict[str, object] = {"keep": list(self.keep)}
        if self.side != "first":
            written["side"] = self.side
        if self.pad is not None:
            written |= {"pad": self.pad, "fill": self.fill}
        if self.character != "*":
            written["character"] = self.character
        return {"mask": written if len(written) > 1 else written["keep"]}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        if isinstance(argument, Mapping):
            return cls(**{"keep": (), **keyed("mask", argument, list(cls.parameters))})
        return cls(several(argument))

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(tuple(parts_of(text)))


def masked(
    text: pa.Array, keep: Iterable[int], length: int | None, side: Side = "first", character: str = "*"
) -> list[pa.Array]:
    """Return texts with all but the kept characters masked, once for each number in `keep`.

    The number of mask characters is that for a text of `length`; without a length it is one.

    Examples
    --------
    >>> masked(pa.array(["53715"]), [4, 3], length=5)[1].to_pylist()
    ['537**']
    """
    labels = []
    for kept in keep:
        hidden = character if length is None else character * max(length - kept, 0)
        if side == "first":
            parts = [pc.utf8_slice_codeunits(text, 0, kept), hidden]
        else:
            parts = [hidden, pc.utf8_slice_codeunits(text, -kept)]
        labels.append(pc.binary_join_element_wise(*parts, ""))
    return labels


def longest(text: pa.Array) -> int:
    """Return the number of characters of the longest text."""
    return pc.max(pc.utf8_length(text)).as_py() or 0


def mask(
    *keep: int, side: Side = "first", pad: int | None = None, fill: str = "0", character: str = "*"
) -> Mask:
    """Keep some characters of codes, fewer at each level.

    Parameters
    ----------
    *keep
        Number of characters that each level keeps.
    side
        Whether the `first` or the `last` characters are kept.
    pad
        Length to which shorter values are padded on the left. Without it, one mask character replaces all
        masked characters.
    fill
        The padding character.
    character
        The mask character; `""` cuts the masked characters off.

    Examples
    --------
    >>> levels = mask(3, 2).levels(pa.array(["53715", "53710"]))
    >>> [labels[0].as_py() for labels in levels.labels]
    ['53715', '537*', '53*', '*']
    >>> levels = mask(3, pad=5, character="").levels(pa.array([1234]))
    >>> [labels[0].as_py() for labels in levels.labels]
    [1234, '012', '*']
    """
    return Mask(keep, side, pad, fill, character)
