"""All satisfying nodes, to choose among: filter them, rank them, make a release of one. No search runs again.

What the least generalized release is, its users say: one column may matter more, another must stay intact
(K. LeFevre, D. DeWitt, R. Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005,
section 2.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex, overload

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.encode.table import CodedTable
from shoal.errors import InputError
from shoal.measure.height import Height
from shoal.measure.measure import Measure
from shoal.search.custom_measure import scores
from shoal.search.problem import SearchProblem
from shoal.search.starred_rows import star_node

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.spec.spec import LevelBounds, Spec


_BATCH = 4096


class RankedNode(NamedTuple):
    """A satisfying node: its levels by column, what it suppresses, and its score; smaller is better."""

    levels: dict[str, int]
    suppressed_rows: int
    score: float


@dataclass(frozen=True, eq=False, repr=False)
class Nodes(Sequence[RankedNode]):
    """Satisfying nodes of a table, the best first.

    It is never changed: to filter or to rank gives another.

    Attributes
    ----------
    spec
        What the nodes satisfy, with the quality measure and the weights by which they are ranked.

    Examples
    --------
    >>> import shoal
    >>> people = pa.table({"age": [31, 35, 52, 58], "sex": ["F", "M", "F", "M"]})
    >>> spec = shoal.Spec(
    ...     quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
    ...     privacy=[shoal.KAnonymity(2)],
    ... )
    >>> nodes = shoal.anonymize(people, spec, all_nodes=True).satisfying_nodes
    >>> nodes
    <Nodes: 4 of 4 that satisfy, by loss>
    >>> nodes.rank(by="height").best.levels
    {'age': 1, 'sex': 1}
    >>> nodes.filter(sex=0).release().levels
    {'age': 3, 'sex': 0}
    """

    spec: Spec
    _problem: SearchProblem
    # All that satisfy, in the order of the ranking, and the positions of those that are left after filtering.
    _levels: NDArray[np.uint8]
    _suppressed_rows: NDArray[np.int64]
    _scores: NDArray[np.float64]
    _left: NDArray[np.intp]
    _make: Callable[[Nodes, int], Release]

    @classmethod
    def of(
        cls,
        spec: Spec,
        problem: SearchProblem,
        satisfying: NDArray[np.uint8],
        make: Callable[[Nodes, int], Release],
    ) -> Nodes:
        """Return the satisfying nodes that a search found, ranked as the spec says.

        Parameters
        ----------
        problem
            What the search was asked; it must be the spec's.
        satisfying
            All of them, one per row with a level per column.
        make
            Makes a release, given all satisfying nodes and the position of one among them.
        """
        # Levels that merge nothing have the same classes, so a search takes them for one. Measures that look
        # at levels or leaves tell them apart.
        return cls._ranked(spec, problem.declared, satisfying, np.ones(len(satisfying), dtype=bool), make)

    @classmethod
    def _ranked(
        cls,
        spec: Spec,
        problem: SearchProblem,
        levels: NDArray[np.uint8],
        left: NDArray[np.bool_],
        make: Callable[[Nodes, int], Release],
    ) -> Nodes:
        """Return the nodes by the spec's measure and weights, which need not be those of the problem."""
        weighted = tuple(
            replace(column, weight=spec.quasi_identifiers[column.name].weight)
            for column in problem.table.columns
        )
        kernel_inputs = replace(problem, table=replace(problem.table, columns=weighted), measure=spec.quality)
        stars, kernel_inputs = kernel_inputs, replace(kernel_inputs, starred=False)
        if spec.quality.costs(kernel_inputs.table, kernel_inputs.k) is None:
            by, known = replace(kernel_inputs, measure=Height()), scores(kernel_inputs, levels)
        else:
            by, known = kernel_inputs, None
        # Another measure may look at another column; otherwise the rows are grouped already.
        ground = problem.ground if by.kernel_inputs.counted == problem.kernel_inputs.counted else by.ground
        suppressed = np.zeros(len(levels), dtype=np.int64)
        values = np.zeros(len(levels))
        # In batches, so that an interrupt is heard; neighbours share much of the work.
        for start in range(0, len(levels), _BATCH):
            batch = slice(start, start + _BATCH)
            found = ground.evaluate(
                (levels[batch] - _lowest(problem.table)).tolist(), by.requirement, by.objective
            )
            suppressed[batch], values[batch] = found.suppressed_rows, found.scores
        if known is not None:
            values = known
        if stars.starred:
            satisfy = np.ones(len(levels), dtype=bool)
            for position in np.flatnonzero(suppressed).tolist():
                node = star_node(
                    stars,
                    tuple(levels[position].tolist()),
                    int(suppressed[position]),
                    float(values[position]),
                )
                if node is None:
                    satisfy[position] = False
                else:
                    suppressed[position], values[position] = node.suppressed_rows, node.score
            levels, left = levels[satisfy], left[satisfy]
            suppressed, values = suppressed[satisfy], values[satisfy]
        order = problem.order(levels, values)
        return cls(
            spec=spec,
            _problem=problem,
            _levels=levels[order],
            _suppressed_rows=suppressed[order],
            _scores=values[order],
            _left=np.flatnonzero(left[order]),
            _make=make,
        )

    def __len__(self) -> int:
        return len(self._left)

    @overload
    def __getitem__(self, position: int) -> RankedNode: ...
    @overload
    def __getitem__(self, position: slice) -> Nodes: ...
    def __getitem__(self, position: int | slice) -> RankedNode | Nodes:
        if isinstance(position, slice):
            if position.step is not None and position.step < 0:
                raise InputError(
                    "Nodes are listed best first.\nFound: a slice that goes backwards.\n"
                    "Make a list of them first."
                )
            return replace(self, _left=self._left[position])
        return self._node(self._left[position])

    def __iter__(self) -> Iterator[RankedNode]:
        names, left = self._problem.table.names, self._left
        for levels, suppressed, score in zip(
            self._levels[left].tolist(),
            self._suppressed_rows[left].tolist(),
            self._scores[left].tolist(),
            strict=True,
        ):
            yield RankedNode(dict(zip(names, levels, strict=True)), suppressed, score)

    def __repr__(self) -> str:
        return f"<Nodes: {len(self):,} of {len(self._levels):,} that satisfy, by {self.quality}>"

    def _repr_html_(self) -> str:
        from shoal.notebook import nodes_html

        return nodes_html(self)

    @property
    def quality(self) -> str:
        """The name of the measure by which they are ranked."""
        return self.spec.quality.name

    @property
    def all(self) -> Nodes:
        """All nodes that satisfy, ranked as these are."""
        return replace(self, _left=np.arange(len(self._levels)))

    @property
    def best(self) -> RankedNode:
        """The first: ties go to the lower node, the smaller mean relative level, the smaller levels."""
        return self._node(self._first())

    @cached_property
    def table(self) -> pa.Table:
        """The nodes as Arrow: a column of levels for each quasi-identifier, `suppressed_rows` and `score`."""
        columns = [*self._levels[self._left].T.copy(), self._suppressed_rows[self._left]]
        names = list(self._problem.table.names)
        for name in ("suppressed_rows", "score"):
            # A quasi-identifier may have that name; then ours gets a line under its end.
            while name in names:
                name += "_"  # noqa: PLW2901
            names.append(name)
        return pa.table([*map(pa.array, columns), pa.array(self._scores[self._left])], names=names)

    def minimal(self) -> Nodes:
        """Return those of these nodes that generalize none of the others."""
        levels = self._levels[self._left].astype(np.int64) - _lowest(self._problem.table)
        choices = [column.max_level - column.min_level + 1 for column in self._problem.table.columns]
        strides = np.cumprod([1, *choices[:0:-1]])[::-1]
        numbers = levels @ strides
        # Of every node of the lattice, by its number: whether one of these is at or below it.
        covered = np.zeros(math.prod(choices), dtype=bool)
        covered[numbers] = True
        for count, stride in zip(choices, strides, strict=True):
            lines = covered.reshape(-1, count, stride)
            np.logical_or.accumulate(lines, axis=1, out=lines)
        minimal = np.ones(len(numbers), dtype=bool)
        for level, stride in zip(levels.T, strides, strict=True):
            minimal[level > 0] &= ~covered[numbers[level > 0] - stride]
        return replace(self, _left=self._left[minimal])

    def filter(
        self,
        where: Mapping[str, LevelBounds] | Callable[[RankedNode], bool] | None = None,
        /,
        **levels: LevelBounds,
    ) -> Nodes:
        """Return the nodes with these levels, in the same order.

        Parameters
        ----------
        where
            Levels by column, for names that are no keywords; or a function that says whether to keep a node.
        levels
            By column one level, or the lowest and the highest, with None for an open end.

        Examples
        --------
        >>> import shoal
        >>> spec = shoal.Spec(
        ...     quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
        ...     privacy=[shoal.KAnonymity(2)],
        ...     suppression=0.4,
        ... )
        >>> people = pa.table({"age": [31, 35, 52, 58, 88], "sex": ["F", "M", "F", "M", "F"]})
        >>> nodes = shoal.anonymize(people, spec, all_nodes=True).satisfying_nodes
        >>> [node.levels for node in nodes.filter(age=(1, 2))]
        [{'age': 1, 'sex': 1}, {'age': 2, 'sex': 1}]
        >>> len(nodes.filter(lambda node: node.suppressed_rows == 0, sex=1))
        1
        """
        if callable(where):
            left = self._left[np.fromiter(map(where, self), dtype=bool, count=len(self))]
        elif not isinstance(where, Mapping | None):
            raise InputError(
                f"Nodes are filtered by levels of columns, or by a function.\nFound: {where!r}.\n"
                "Write for example filter(age=0) or filter({'age': (1, 3)})."
            )
        else:
            left, levels = self._left, {**(where or {}), **levels}
        spec = self.spec.adjust(levels=levels)
        self._check_heights(spec)
        for column, bounds in zip(self._levels.T, spec.quasi_identifiers.values(), strict=True):
            left = left[column[left] >= bounds.min_level]
            if bounds.max_level is not None:
                left = left[column[left] <= bounds.max_level]
        return replace(self, _left=left)

    def rank(self, by: Measure | str | None = None, *, weights: Mapping[str, float] | None = None) -> Nodes:
        """Return the same nodes, the best first by another measure or other weights.

        Parameters
        ----------
        by
            A quality measure or its name; the one of now if not given.
        weights
            By column its importance, in measures that average over columns. Columns that are not named keep
            theirs.
        """
        spec = self.spec.adjust(weights=weights, quality=by)
        left = np.zeros(len(self._levels), dtype=bool)
        left[self._left] = True
        return self._ranked(spec, self._problem, self._levels, left, self._make)

    def release(self, node: RankedNode | Mapping[str, int] | SupportsIndex | None = None) -> Release:
        """Recode the table at a node and audit it, without searching again.

        Parameters
        ----------
        node
            A satisfying node, its index among these, or its levels by column; the best of these if not given.
            Publish one release of a table: who has two can join them.

        Raises
        ------
        InputError
            The node does not satisfy, or none is left.
        """
        if node is None:
            position = self._first()
        elif isinstance(node, RankedNode | Mapping):
            position = self._find(node.levels if isinstance(node, RankedNode) else node)
        elif isinstance(node, SupportsIndex) and not isinstance(node, bool):
            if not -len(self) <= node.__index__() < len(self):
                raise InputError(
                    f"There is no node at position {node.__index__()}.\nFound: {len(self):,} nodes."
                )
            position = int(self._left[node])
        else:
            raise InputError(
                f"A release is made of a node, of its position or of its levels.\nFound: {node!r}.\n"
                "Write for example release(0) or release({'age': 1, 'sex': 0})."
            )
        return self._make(self.all, position)

    def _node(self, position: int) -> RankedNode:
        levels = zip(self._problem.table.names, self._levels[position].tolist(), strict=True)
        return RankedNode(dict(levels), int(self._suppressed_rows[position]), float(self._scores[position]))

    def _first(self) -> int:
        if not len(self):
            raise InputError(
                f"There is no node to choose.\nNone of {len(self._levels):,} that satisfy is left.\n"
                "Filter less."
            )
        return int(self._left[0])

    def _find(self, levels: Mapping[str, int]) -> int:
        """Return the position of a node among all that satisfy."""
        spec = self.spec.adjust(levels=levels)
        self._check_heights(spec)
        open_ = [name for name, qi in spec.quasi_identifiers.items() if qi.min_level != qi.max_level]
        if open_:
            raise InputError(
                "A node has one level for every quasi-identifier.\n"
                f"Missing or not single: {', '.join(open_)}.\n"
                "Give each a level."
            )
        node = [qi.min_level for qi in spec.quasi_identifiers.values()]
        found = np.flatnonzero((self._levels == np.array(node)).all(axis=1))
        if not len(found):
            shown = ", ".join(f"{name}: {qi.min_level}" for name, qi in spec.quasi_identifiers.items())
            raise InputError(
                f"The node {shown} does not satisfy the spec.\n"
                f"It is none of the {len(self._levels):,} that do.\n"
                "Choose one of them: `minimal()` has the lowest."
            )
        return int(found[0])

    def _check_heights(self, spec: Spec) -> None:
        problems = []
        for column, qi in zip(self._problem.table.columns, spec.quasi_identifiers.values(), strict=True):
            level = qi.min_level if qi.max_level is None else qi.max_level
            if level > column.height:
                problems.append(
                    f"Column {column.name!r} has no level {level}.\nIts levels are 0 to {column.height}."
                )
        if problems:
            raise InputError(problems)


def _lowest(table: CodedTable) -> NDArray[np.uint8]:
    return np.array([column.min_level for column in table.columns], dtype=np.uint8)
