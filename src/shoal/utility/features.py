"""Labels as numbers that models can learn from: the mean of what a label may have been.

A number stands for itself, and a label of numbers is the mean of the numbers under it. A category is 1 in a
column of its own, and a label of categories has an equal share in each of theirs. So a label lies in the
middle of what it may have been, in any column, and originals and releases are in the same space.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.describe.label_cover import Cover, Domain, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Features:
    """How the values of one column become numbers.

    Attributes
    ----------
    names
        Of the columns that it becomes.
    numbers
        For each position its number, of NULL the mean of all; None for categories.
    groups
        For each position the column in which it is 1; for numbers these tell NULL alone.
    """

    names: tuple[str, ...]
    numbers: FloatArray | None
    groups: IntArray

    @classmethod
    def of(cls, name: str, domain: Domain, counts: IntArray, most: int) -> Features:
        """Build them for a column; beyond the `most` frequent categories the rest is one.

        Examples
        --------
        >>> import pyarrow as pa
        >>> sexes = Domain.of(pa.array(["F", "M"]), null=True)
        >>> Features.of("sex", sexes, np.array([5, 3, 1]), most=10).names
        ('sex=F', 'sex=M', 'sex is NULL')
        >>> Features.of("sex", sexes, np.array([5, 3, 1]), most=2).names
        ('sex=F', 'sex=other')
        """
        if domain.numbers is not None:
            mean = domain.numbers.mean()
            numbers = np.append(domain.numbers, mean) if domain.null else domain.numbers
            missing = np.arange(domain.size) == len(domain.texts)
            names = (name, f"{name} is NULL") if domain.null else (name,)
            return cls(names, numbers, missing.astype(np.int64))
        named = [f"{name}={text}" for text in domain.texts.to_pylist()]
        named += [f"{name} is NULL"] * domain.null
        if domain.size <= most:
            return cls(tuple(named), None, np.arange(domain.size))
        # Of equally frequent ones the first are kept.
        kept = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
        groups = np.full(domain.size, most - 1)
        groups[kept] = np.arange(most - 1)
        return cls((*(named[position] for position in kept.tolist()), f"{name}=other"), None, groups)

    def means(self, cover: Cover) -> FloatArray:
        """Return for each label the mean over what it covers, a row of as many numbers as there are names."""
        if self.numbers is None:
            return cover.shares(self.groups, len(self.names))
        counts = np.maximum(cover.counts, 1)
        columns = [cover.sums(self.numbers) / counts]
        if len(self.names) > 1:
            columns.append(cover.sums(self.groups) / counts)
        return np.column_stack(columns)
