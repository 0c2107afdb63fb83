"""A table with labels in it, as numbers that models can learn from."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchy import Generalizing
from shoal.describe.label_cover import Domain, FloatArray, IntArray, cover_of, range_of
from shoal.describe.label_forms import (
    NULL_IN_SETS,
    Member,
    is_calendar,
    is_everything,
    is_mask,
    read_range,
    read_set,
)
from shoal.errors import InputError, Problem
from shoal.prepare.fit import fitted
from shoal.read.columns import text_of
from shoal.read.source import check_wanted, open_source
from shoal.spec.spec import Spec
from shoal.utility.features import Features

if TYPE_CHECKING:
    from sklearn.utils import Tags

_MOST_CATEGORIES = 100


@runtime_checkable
class OfRelease(Protocol):
    """What the encoder needs of a `shoal.Release`."""

    @property
    def spec(self) -> Spec: ...
    @property
    def table(self) -> pa.Table: ...


class LabelEncoder:
    """Turns tables with labels into numbers: a label becomes the mean of what it may have been.

    A number becomes itself, and a label of numbers the mean of the numbers under it, each counted once: of
    the ages 21, 22 and 29, `[20, 30)` becomes 24. A category becomes 1 in a column of its own and 0 in those
    of the others, and a label of categories gets an equal share in each of theirs: `{cook, clerk}` is half
    a cook and half a clerk. `*` is the mean of everything. So originals and releases come out in the same
    columns, and a model that was trained on one can be applied to the other.

    What a label stands for comes from the hierarchy, where one is given. Otherwise it comes from its form: an
    interval (`[20, 30)`, `20-29`, `< 20`, `>= 80`, `80+`, `1990s`), a set (`{a, b}`), a mask (`537**`), a
    part of the calendar (`2026-11`, `2026-Q4`), or `*`. A label of which nothing is known is encoded as `*`,
    with a warning. Dates count in days. Where NULL occurs, it has a column that tells it.

    It fits into pipelines of scikit-learn and does not need it.

    Parameters
    ----------
    hierarchies
        By column the hierarchy that its labels come from, or a spec, or a release that has one.
    categorical
        Columns that are categories although their values look like numbers.
    most_categories
        Of a column with more categories than that, the less frequent ones share a column.

    Attributes
    ----------
    feature_names_in_
        The columns that it was fitted to.

    Examples
    --------
    >>> import shoal
    >>> people = pa.table({"age": [21, 22, 29, 35], "job": ["cook", "clerk", "cook", "judge"]})
    >>> encoder = shoal.LabelEncoder().fit(people)
    >>> print(*encoder.get_feature_names_out())
    age job=cook job=clerk job=judge
    >>> encoder.transform(pa.table({"age": ["[20, 30)", "35"], "job": ["{clerk, cook}", "*"]})).round(2)
    array([[24.  ,  0.5 ,  0.5 ,  0.  ],
           [35.  ,  0.33,  0.33,  0.33]])
    """

    def __init__(
        self,
        hierarchies: OfRelease | Spec | Mapping[str, Generalizing] | None = None,
        *,
        categorical: Collection[str] = (),
        most_categories: int = _MOST_CATEGORIES,
    ) -> None:
        self.hierarchies = hierarchies
        self.categorical = categorical
        self.most_categories = most_categories

    def fit(self, X: object, y: object = None) -> Self:  # noqa: N803 (as scikit-learn calls it)
        """Learn the values of every column: from the original table, or from a release alone.

        Of a release, the values are what it has beside labels, the members of its sets, and those masks and
        names that cover nothing else. An interval under which no value is known becomes its middle.

        Parameters
        ----------
        X
            A frame or the path of a file, as `shoal.anonymize` takes them, or a release.
        """
        if self.most_categories < 2:
            raise InputError(f"most_categories must be at least 2.\nFound: {self.most_categories}.")
        table = _read(X)
        self.feature_names_in_ = np.array(table.column_names, dtype=object)
        self.n_features_in_ = len(table.column_names)
        hierarchies = self._hierarchies(table)
        learned, problems = {}, []
        for name in table.column_names:
            try:
                learned[name] = self._learn(name, table.column(name), hierarchies.get(name))
            except InputError as error:
                problems += [Problem(f"Column {name!r}: {p.message}", p.values) for p in error.problems]
        if problems:
            raise InputError(problems)
        self._columns = learned
        return self

    def transform(self, X: object) -> FloatArray:  # noqa: N803
        """Return a row of numbers for every row; `get_feature_names_out` names them.

        Parameters
        ----------
        X
            Has all columns that were fitted to; others are left out.
        """
        columns = self._fitted()
        table = _read(X, list(columns))
        parts, unknown = [], []
        for name, column in columns.items():
            values = _coded(table.column(name))
            found, strange = column.encode(_labels(values))
            if strange:
                unknown.append(f"{name} ({strange:,})")
            positions = values.indices.fill_null(len(values.dictionary)).to_numpy(zero_copy_only=False)
            parts.append(found[positions])
        if unknown:
            warnings.warn(f"Unknown labels are encoded as '*': {', '.join(unknown)}.", stacklevel=2)
        return np.hstack(parts)

    def fit_transform(self, X: object, y: object = None) -> FloatArray:  # noqa: N803
        """Fit to a table and return its numbers."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the columns that `transform` gives."""
        names = [name for column in self._fitted().values() for name in column.features.names]
        return np.array(names, dtype=object)

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters, as scikit-learn asks for them."""
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **parameters: object) -> Self:
        """Set parameters, as scikit-learn does."""
        for name, value in parameters.items():
            if name not in _PARAMETERS:
                raise InputError(
                    f"LabelEncoder has no parameter {name!r}.\nParameters: {', '.join(_PARAMETERS)}."
                )
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_columns")

    def __sklearn_tags__(self) -> Tags:
        # Only scikit-learn asks, so that it is there.
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(categorical=True, string=True, allow_nan=True),
        )

    def __repr__(self) -> str:
        changed = {
            name: value
            for name, value in self.get_params().items()
            if value not in (None, (), _MOST_CATEGORIES)
        }
        return f"LabelEncoder({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def _fitted(self) -> dict[str, _EncodedColumn]:
        if not hasattr(self, "_columns"):
            raise InputError("This LabelEncoder is not fitted yet.\nCall fit with a table first.")
        return self._columns

    def _hierarchies(self, table: pa.Table) -> Mapping[str, Generalizing]:
        """Return the hierarchies by column; those that are made from the table are made now."""
        given = self.hierarchies.spec if isinstance(self.hierarchies, OfRelease) else self.hierarchies
        if not isinstance(given, Spec):
            return given or {}
        whole = set(given.quasi_identifiers) <= set(table.column_names)
        return (fitted(given, table) if whole else given).quasi_identifiers

    def _learn(self, name: str, column: pa.ChunkedArray, hierarchy: Generalizing | None) -> _EncodedColumn:
        values = _coded(column)
        text = name in self.categorical
        if hierarchy is not None:
            domain = Domain.of(values.dictionary, null=values.null_count > 0, text=text)
            counts = _counts(values, domain)
            levels = [text_of(labels) for labels in hierarchy.levels(values.dictionary).labels[1:]]
            levels = [pa.concat_arrays([level, pa.nulls(int(domain.null), level.type)]) for level in levels]
            return _EncodedColumn(
                domain, Features.of(name, domain, counts, self.most_categories), tuple(levels)
            )
        domain = _values_in(text_of(values.dictionary), null=values.null_count > 0, text=text)
        counts = _counts(values, domain)
        return _EncodedColumn(domain, Features.of(name, domain, counts, self.most_categories))


_PARAMETERS = ("hierarchies", "categorical", "most_categories")


class _EncodedColumn:
    """What is known of one column."""

    def __init__(self, domain: Domain, features: Features, levels: tuple[pa.Array, ...] = ()) -> None:
        self.domain, self.features, self.levels = domain, features, levels

    def encode(self, labels: pa.Array) -> tuple[FloatArray, int]:
        """Return the numbers of distinct labels, the last of which is NULL, and how many are unknown."""
        # A value is its own label, also where another one is rounded to it.
        cover = cover_of(labels, self.domain, self.levels, values_first=True)
        found = self.features.means(cover)
        bare = cover.unknown | (cover.counts == 0)
        everything = self.features.means(cover_of(pa.array(["*"]), self.domain))[0]
        found[bare] = everything
        strange = 0
        for number in np.flatnonzero(bare).tolist():
            label = labels[number].as_py()
            if label is None:
                continue
            middle = None if self.features.numbers is None else self._number(label)
            if middle is None:
                strange += 1
            else:
                found[number, 0], found[number, 1:] = middle, 0.0
        return found, strange

    def _number(self, label: str) -> float | None:
        """Return the number, or the middle of the numbers, that a label names; of a date its day."""
        if (span := range_of(label, dated=self.domain.dated)) is not None:
            return span.middle
        one = Domain.of(pa.array([label]))
        return None if one.numbers is None or one.dated != self.domain.dated else float(one.numbers[0])


def _read(data: object, columns: list[str] | None = None) -> pa.Table:
    source = open_source(data.table if isinstance(data, OfRelease) else data)
    wanted = list(source.columns) if columns is None else columns
    check_wanted(wanted, source.columns, source.name, shown=not source.doubtful)
    return source.read(wanted, coded=wanted)


def _coded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    values = column.combine_chunks()
    return values.chunk(0) if isinstance(values, pa.ChunkedArray) else values


def _labels(values: pa.DictionaryArray) -> pa.Array:
    """Return distinct labels as text, and NULL after them."""
    return pa.concat_arrays([text_of(values.dictionary), pa.nulls(1, pa.string())])


def _counts(values: pa.DictionaryArray, domain: Domain) -> IntArray:
    """Return how many rows have each value of the domain."""
    positions = values.indices.fill_null(len(values.dictionary)).to_numpy(zero_copy_only=False)
    rows = np.bincount(positions, minlength=len(values.dictionary) + 1)
    found = np.zeros(domain.size, dtype=np.int64)
    mine = _positions(text_of(values.dictionary), domain.texts)
    found[mine[mine >= 0]] = rows[:-1][mine >= 0]
    if domain.null:
        found[-1] = rows[-1]
    return found


def _positions(texts: pa.Array, among: pa.Array) -> IntArray:
    positions: IntArray = pc.index_in(texts, among).fill_null(-1).to_numpy(zero_copy_only=False)
    return positions


def _values_in(texts: pa.Array, *, null: bool, text: bool) -> Domain:
    """Return the values among some texts, of which others may be labels."""
    values: list[str] = []
    in_sets: set[Member] = set()
    ranges: list[str] = []
    periods: list[str] = []
    masks: list[str] = []
    for label in texts.to_pylist():
        if (members := read_set(label)) is not None:
            values += [each.text for each in members]
            in_sets.update(members)
        elif is_mask(label):
            masks.append(label)
        elif read_range(label) is not None:
            ranges.append(label)
        elif range_of(label, dated=True) is not None:
            periods.append(label)
        elif not is_everything(label):
            values.append(label)
    values = list(dict.fromkeys(values))
    if Member(NULL_IN_SETS) in in_sets and pc.index(texts, NULL_IN_SETS).as_py() < 0:
        null = True
        if Member(NULL_IN_SETS, quoted=True) not in in_sets:
            values.remove(NULL_IN_SETS)
    found = Domain.of(pa.array(values, pa.string()), null=null, text=text)
    if periods and not masks and not text:
        dates = [value for value in values if not is_calendar(value)]
        as_dates = Domain.of(pa.array([*dates, *_middle_days(periods)]), null=null)
        if as_dates.dated:
            return as_dates
    if ranges and not masks and not periods and not text and (found.numbers is not None or not values):
        return _with_middles(found, ranges)
    # Beside names, what looks like a range is one of them; so is a mask that covers nothing else.
    own = [*ranges, *periods] if found.numbers is None else periods
    covered = cover_of(pa.array(masks, pa.string()), found).counts.tolist()
    own += [mask for mask, count in zip(masks, covered, strict=True) if not count]
    return Domain.of(pa.array([*values, *own], pa.string()), null=null, text=True) if own else found


def _with_middles(known: Domain, ranges: list[str]) -> Domain:
    """Return known numbers, and the middle of each range that covers none of them."""
    numbers = np.zeros(0) if known.numbers is None else known.numbers
    spans = [span for label in ranges if (span := range_of(label, dated=known.dated)) is not None]
    middles = np.unique([span.middle for span in spans if not len(span.positions(numbers))])
    texts = pa.concat_arrays([known.texts, text_of(pa.array(middles, pa.float64()))])
    return Domain(texts, np.append(numbers, middles), known.null, known.dated)


def _middle_days(periods: list[str]) -> list[str]:
    """Return the day in the middle of each range of dates."""
    middles = {span.middle for label in periods if (span := range_of(label, dated=True))}
    days: list[str] = np.array(sorted(middles)).astype(np.int64).astype("datetime64[D]").astype(str).tolist()
    return list(dict.fromkeys(days))
