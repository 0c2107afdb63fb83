"""A measure of the user's own: any Python function of a node."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np

from shoal.encode.cells import Cells
from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.exact_counts import count
from shoal.measure.measure import Costs, IntArray, Node, number_groups


@dataclass(frozen=True, slots=True)
class CustomMeasure:
    """Whatever a function says that a node costs; smaller is better.

    The search calls it for every node that satisfies the requirement and that it cannot rule out, so it
    should be quick.

    Parameters
    ----------
    function
        Takes a `shoal.measure.measure.Node` (levels, classes, what is kept) and returns a finite number.
        Equal nodes must get equal numbers.
    name
        What results call it.
    monotone
        Whether generalizing never lowers the number. It saves the search much work where it is true; where
        it is claimed and not true, the release that is called optimal need not be.
    attribute
        A column beside the quasi-identifiers that the function looks at, in `node.table.attributes`.

    Examples
    --------
    >>> small = CustomMeasure(lambda node: sum(size for size in node.sizes if size < 10), name="crowding")
    >>> small.describe()
    'crowding'
    """

    function: Callable[[Node], float]
    name: str = "custom"
    monotone: bool = False
    attribute: str | None = None

    summary: ClassVar[str] = "The cost of a node, computed by a Python function."
    extent: ClassVar[str] = "any finite number"
    parameters: ClassVar[Mapping[str, str]] = {
        "function": "takes a node and returns a number",
        "name": "its name in results",
        "monotone": "whether generalizing never lowers the number",
        "attribute": "a column beside the quasi-identifiers that it reads",
    }
    weighted: ClassVar[bool] = False
    needs_tuples: ClassVar[bool] = True  # a function may look at whatever a node has

    def __post_init__(self) -> None:
        problems = []
        if not callable(self.function):
            problems.append(
                f"A custom measure needs a function that takes a node and returns a number.\n"
                f"Found: {self.function!r}."
            )
        if not isinstance(self.name, str) or not self.name:
            problems.append(f"The name of a custom measure must be text.\nFound: {self.name!r}.")
        if not isinstance(self.monotone, bool):
            problems.append(f"`monotone` of a custom measure is True or False.\nFound: {self.monotone!r}.")
        if not (self.attribute is None or (isinstance(self.attribute, str) and self.attribute)):
            problems.append(
                f"`attribute` of a custom measure is the name of a column.\nFound: {self.attribute!r}."
            )
        if problems:
            raise InputError(problems)

    def score(self, node: Node) -> float:
        found = self.function(node)
        if isinstance(found, bool | np.bool_) or not isinstance(found, Real):
            # Not the value itself: it may be made of people's cells.
            raise InputError(
                f"The measure {self.name!r} must return a number for every node.\n"
                f"Found: a result of type {type(found).__name__}."
            )
        score = float(found)
        if not math.isfinite(score):
            raise InputError(
                f"The measure {self.name!r} must return a finite number for every node.\nFound: {score}.\n"
                "Let it return a large number for what is worst."
            )
        return score

    def costs(self, table: CodedTable, k: int | None) -> Costs | None:
        return None

    def ends(self, table: CodedTable, k: int | None) -> tuple[float, float] | None:
        if table.bottom is not None:
            return None
        tops = tuple(column.height for column in table.columns)
        try:
            return (
                self.score(_node(table, (0,) * len(tops), k, kept=True)),
                self.score(_node(table, tops, k, kept=False)),
            )
        except Exception:  # it need not know what to do with tables that are no release
            return None

    def contributions(
        self, table: CodedTable, cells: Sequence[Cells], lost: Sequence[IntArray]
    ) -> tuple[float, ...] | None:
        return None

    def describe(self) -> str:
        return self.name

    def to_spec(self) -> object:
        """Return its name: a spec file cannot hold a function."""
        return self.name


def _node(table: CodedTable, levels: tuple[int, ...], k: int | None, *, kept: bool) -> Node:
    """Group the rows at a node, with all classes kept or all suppressed."""
    labels = [column.maps[level][column.codes] for column, level in zip(table.columns, levels, strict=True)]
    _, first, of_entries = np.unique(number_groups(labels), return_index=True, return_inverse=True)
    sizes = count(of_entries.reshape(-1), len(first), table.weights)
    classes = list(zip(*(numbers[first].tolist() for numbers in labels), strict=True))
    return Node(table, levels, classes, sizes.tolist(), [kept] * len(classes), k)
