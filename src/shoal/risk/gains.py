"""How much more likely sensitive values are in a class than in all of a release.

For a value with the share p of the released rows and q of the rows of a class, its *gain* is q / p - 1: 0
where the class tells nothing about the value, 1 where it is twice as likely there. Of a release it is

- `mean`: the mean over rows of the gain of the row's own value in its class,
  sum n_c/N sum q (q / p - 1) over classes of n_c of N rows;
- `most`: the largest gain of any value in any class; basic beta-likeness bounds the same over the original.

Both are 0 where all classes have the same mix of values, and never negative. Labels above the values, bands
of wages or kinds of illness, have theirs, which are at most those of the level below: a label gains no more
than the value under it that gains the most.

Where people are counted (a unit), n, p and q count people, and whoever has several values counts for each;
then somebody in several classes may have a value in one of them alone, and figures can be below 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.audit.compared_population import labels_with_null
from shoal.describe.hierarchy import Hierarchy
from shoal.spec.spec import Spec

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Gain:
    """How much more likely the labels of one level are in a class than in all of them together.

    Attributes
    ----------
    level
        Of the column's hierarchy; 0 is the values themselves.
    labels
        How many different ones the rows have.
    """

    level: int
    labels: int
    mean: float
    most: float


def released_gains(
    rows: pa.Table, spec: Spec, people: pa.ChunkedArray | None = None
) -> dict[str, tuple[Gain, ...]]:
    """Return the gains of a release, for each sensitive column that a model is about.

    Rows with `*` in every quasi-identifier are a class, as for whoever reads the release.

    Parameters
    ----------
    rows
        The released rows.
    spec
        What they claim. Columns without a hierarchy have level 0 alone.
    people
        Who each row is about, where people are counted and the release does not tell. Where nobody knows,
        there are no gains.
    """
    judged = {model.column for model in spec.privacy}
    names = [name for name in spec.sensitive if name in judged]
    if people is None and spec.unit in rows.column_names:
        people = rows.column(spec.unit)
    if not names or not rows.num_rows or (spec.unit is not None and people is None):
        return {}
    class_of = np.zeros(rows.num_rows, dtype=np.int64)
    for name in spec.quasi_identifiers:
        codes = _codes(rows.column(name))
        class_of = np.unique(class_of * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    about = None if people is None else _codes(people)
    return {
        name: gains(class_of, _at_levels(rows.column(name), spec.sensitive[name].hierarchy), about)
        for name in names
    }


def _codes(column: pa.ChunkedArray) -> Numbers:
    """Return the number of each row's value; NULL is a value."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    found: Numbers = coded.indices.to_numpy().astype(np.int64)
    return found


def _at_levels(column: pa.ChunkedArray, hierarchy: Hierarchy | None) -> list[Numbers]:
    """Return for each level the number of each row's label."""
    values = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
    if hierarchy is None:
        return [_codes(values)]
    distinct = pc.unique(values).drop_null()
    position = pc.index_in(values, distinct).fill_null(len(distinct)).to_numpy()
    labels = labels_with_null(hierarchy.levels(distinct))
    return [_codes(pa.chunked_array([of_values]))[position] for of_values in labels]


def gains(class_of: Numbers, labels: Sequence[Numbers], people: Numbers | None = None) -> tuple[Gain, ...]:
    """Return the gain at each level.

    Parameters
    ----------
    class_of
        The class of each row.
    labels
        For each level the label of each row.
    people
        Who each row is about, if people are counted; otherwise each row is one person.

    Examples
    --------
    Flu has 3/4 of the table and all of the first class, 1/3 more. The other class has as much of both, so
    that a cold is twice as likely there. Mean: (2 * 1/3 + 1 * -1/3 + 1 * 1) / 4.

    >>> flu, cold = 0, 1
    >>> (values,) = gains(np.array([1, 1, 2, 2]), [np.array([flu, flu, flu, cold])])
    >>> round(values.mean, 3), values.most
    (0.333, 1.0)
    """
    _, classes = np.unique(class_of, return_inverse=True)
    everybody = np.arange(len(classes)) if people is None else np.unique(people, return_inverse=True)[1]
    return tuple(_at_level(level, classes, of_rows, everybody) for level, of_rows in enumerate(labels))


def _at_level(level: int, classes: Numbers, labels: Numbers, people: Numbers) -> Gain:
    different, numbered = np.unique(labels, return_inverse=True)
    sizes, totals = _counts(classes, people), _counts(numbered, people)
    pairs, pair_of = np.unique(classes * len(different) + numbered, return_inverse=True)
    held = _counts(pair_of, people)
    class_of_pair, label_of_pair = np.divmod(pairs, len(different))
    # Products of whole numbers, so that what is equal gains exactly 0.
    own = held * (int(people.max()) + 1) / (sizes[class_of_pair] * totals[label_of_pair]) - 1
    # An exact sum, which is the same in whatever order classes are numbered.
    mean = math.fsum((own * held).tolist()) / int(held.sum())
    return Gain(level, len(different), mean, float(own.max()))


def _counts(groups: Numbers, people: Numbers) -> Numbers:
    """Count the people in each group."""
    first = np.unique(groups * (int(people.max()) + 1) + people, return_index=True)[1]
    found: Numbers = np.bincount(groups[first], minlength=int(groups.max()) + 1).astype(np.int64)
    return found
