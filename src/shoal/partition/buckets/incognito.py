"""Distributed Incognito's buckets: values of one group first, then of one group of groups, up to the root."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.encode.column import UIntArray
from shoal.errors import InputError
from shoal.partition.buckets.bucketizer import BucketizerDefaults
from shoal.partition.buckets.buckets import Buckets
from shoal.partition.buckets.likeness import fewest_groups, fits, most_rows
from shoal.partition.sensitive_values import SensitiveValues
from shoal.privacy.arguments import Parameters
from shoal.privacy.condition import ROUNDING


@dataclass(frozen=True, slots=True)
class IncognitoBuckets(BucketizerDefaults):
    """Buckets of values that are near each other in the taxonomy, within the bound of their rarest value.

    From the lowest groups of the taxonomy to the root, whatever is under one label is grouped: values first,
    then the groups that came out of the labels below. Each carries upwards its rows and its bound, which is
    U(p) = p (1 + min(`beta`, -ln p)) of its rarest value. At each label the fewest groups of neighbours
    are taken, by ascending bound, whose rows are at most the least bound; of these the most even ones.

    With `overlapping` it does what the paper prints: in ascending order of rows a bucket takes one after the
    other. Of a value that would be too much for its bound it takes as many rows as fit, unless the bound of
    so few is below that of the bucket; the others begin the next bucket. Groups of several values are not
    divided. It is there to compare with the paper. The bound of a value then holds for each of its buckets
    alone: a class may take it from all of them, and break it, as Table II of the paper does.

    The bounds hold for values. Groups of values need not keep theirs: the models of the spec judge them.

    Parameters
    ----------
    beta
        How much more likely a value may become, relative to its share: above 0.
    overlapping
        Whether rows of one value may be in several buckets, as in the paper.

    References
    ----------
    The distributed algorithm "Incognito" of the IEEE 6th International Congress on Big Data, 2017,
    doi:10.1109/BigDataCongress.2017.15, Algorithm 2. Its text has U(p) = 1 + min(beta, p (1 - ln p)), a slip:
    the algorithm has the one above. The fewest groups without overlap are ours, found as BUREL does.

    Examples
    --------
    The paper's nine rows: three reds and three blues, at beta = 3. The last bucket of the paper takes one
    of the two rows of the fifth value.

    >>> colours = np.array([0, 0, 0, 1, 1, 1], dtype=np.uint32)
    >>> values = SensitiveValues(np.array([1, 2, 2, 1, 2, 1]), (colours,))
    >>> buckets = IncognitoBuckets(3).buckets(values)
    >>> buckets.of_value.tolist(), buckets.rows.tolist()
    ([0, 0, 1, 2, 1, 2], [3, 4, 2])
    >>> IncognitoBuckets(3, overlapping=True).buckets(values).overlapping
    ({0: 1, 1: 2}, {2: 2, 4: 1}, {3: 1, 4: 1, 5: 1})
    """

    beta: float
    overlapping: bool = False

    name: ClassVar[str] = "incognito"
    summary: ClassVar[str] = (
        "Buckets of values near each other in the taxonomy (distributed Incognito, 2017)."
    )
    parameters: ClassVar[dict[str, str]] = {
        "beta": "a number above 0: how much more likely a value may become, relative to its share",
        "overlapping": "whether rows of one value may be in several buckets, as in the paper (default: no)",
    }
    examples: ClassVar[tuple[object, ...]] = ({"beta": 3}, {"beta": 3, "overlapping": True})

    def __post_init__(self) -> None:
        given = Parameters(self)
        given.number("beta", "above 0", lambda beta: beta > 0)
        if not isinstance(self.overlapping, bool):
            given.add(f"incognito needs overlapping to be true or false.\nFound: {self.overlapping!r}.")
        given.settle()

    def require(self, values: SensitiveValues, column: str) -> None:
        if not values.labels:
            raise InputError(
                "Buckets by incognito need a taxonomy of the sensitive values.\n"
                f"Found: no hierarchy of column {column!r}.\nAdd one to it, or use beta-likeness."
            )

    def buckets(self, values: SensitiveValues) -> Buckets:
        counts = values.counts[values.occurring]
        parts = [
            _Part({value: rows}, most)
            for value, rows, most in zip(
                values.occurring.tolist(),
                counts.tolist(),
                most_rows(counts, values.rows, self.beta).tolist(),
                strict=True,
            )
        ]
        merge: Callable[[Sequence[_Part]], Iterable[_Part]] = _fewest
        if self.overlapping:
            merge = _Overlapping(values.rows, self.beta)
        for labels in values.tree:
            parts = [part for siblings in _under_labels(parts, labels) for part in merge(siblings)]
        if self.overlapping:
            return _overlapping_buckets(parts, values)
        return Buckets.of(((list(part.values), part.most / values.rows) for part in parts), values.counts)


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows of values that are in one bucket so far, and how many a bucket with them may have."""

    values: Mapping[int, int]
    most: float

    @property
    def rows(self) -> int:
        return sum(self.values.values())

    def with_other(self, other: _Part) -> _Part:
        values = Counter(self.values)
        values.update(other.values)
        return _Part(values, min(self.most, other.most))


def _under_labels(parts: Sequence[_Part], labels: UIntArray) -> Iterator[list[_Part]]:
    """Yield the parts under each label of a level."""
    found: dict[int, list[_Part]] = {}
    for part in parts:
        found.setdefault(int(labels[next(iter(part.values))]), []).append(part)
    yield from found.values()


def _fewest(siblings: Sequence[_Part]) -> Iterator[_Part]:
    ascending = sorted(siblings, key=lambda part: (part.most, part.rows, min(part.values)))
    for group in fewest_groups([part.rows for part in ascending], [part.most for part in ascending]):
        together = ascending[group.start]
        for number in group[1:]:
            together = together.with_other(ascending[number])
        yield together


@dataclass(frozen=True, slots=True)
class _Overlapping:
    """The paper's Algorithm 2 for the subset under one label."""

    table_rows: int
    beta: float

    def __call__(self, siblings: Sequence[_Part]) -> Iterator[_Part]:
        ascending = sorted(siblings, key=lambda part: (part.rows, min(part.values)))
        bucket: _Part | None = None
        for part in ascending:
            if bucket is None:
                bucket = part
                continue
            together = bucket.with_other(part)
            if fits(together.rows, together.most):
                bucket = together
                continue
            taken, rest = self._divide(
                part, math.floor(together.most * (1 + ROUNDING)) - bucket.rows, together
            )
            yield bucket if taken is None else bucket.with_other(taken)
            bucket = rest
        if bucket is not None:
            yield bucket

    def _divide(self, part: _Part, rows: int, together: _Part) -> tuple[_Part | None, _Part]:
        """Return so many rows of a part, if they may be taken of it, and the others."""
        if rows <= 0 or len(part.values) > 1:
            return None, part
        most = self._most(rows)
        if most * (1 + ROUNDING) < together.most:
            return None, part
        ((value, all_rows),) = part.values.items()
        rest = all_rows - rows
        return _Part({value: rows}, min(part.most, most)), _Part({value: rest}, self._most(rest))

    def _most(self, rows: int) -> float:
        return float(most_rows(np.array([rows]), self.table_rows, self.beta)[0])


def _overlapping_buckets(parts: Sequence[_Part], values: SensitiveValues) -> Buckets:
    numbered = sorted(parts, key=lambda part: min(part.values))
    of_value = np.full(len(values.counts), -1, dtype=np.int64)
    most = np.zeros(len(values.counts), dtype=np.int64)
    for number, part in enumerate(numbered):
        for value, rows in part.values.items():
            if rows > most[value]:
                of_value[value], most[value] = number, rows
    return Buckets(
        of_value,
        np.array([part.rows for part in numbered], dtype=np.int64),
        np.array([part.most / values.rows for part in numbered], dtype=np.float64),
        overlapping=tuple(dict(sorted(part.values.items())) for part in numbered),
    )
