"""What a hierarchy promises, a search relies on; here it is tried to be proved wrong."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import strategies as st

from shoal.describe.hierarchy import (
    ColumnData,
    FromData,
    Generalizing,
    Hierarchy,
    HierarchyDefaults,
    HierarchyError,
    Levels,
    Partial,
    as_text,
    check_nested,
    known,
)
from shoal.errors import InputError
from shoal.testing.promises import draw_and_check, promise, require, require_equal

TYPED: Sequence[pa.Array] = [
    pa.array([True, False]),
    *(pa.array([1, 20, 33], kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *(pa.array([1, 20, 33], kind) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    pa.array([2**63 - 1, -(2**63)]),
    pa.array([0.5, 20.0, float("inf")], pa.float16()),
    pa.array([0.1, 20.0, float("nan")], pa.float32()),
    pa.array([0.1, 1e300, 5e-324, float("-inf")]),
    pa.array([Decimal("0.10"), Decimal("-20.00")]),
    pa.array([Decimal("1e50"), Decimal("-20.00")], pa.decimal256(60, 2)),
    pa.array([date(1969, 12, 31), date(2024, 2, 29)]),
    pa.array([date(1969, 12, 31), date(2024, 2, 29)], pa.date64()),
    *(
        pa.array([datetime(1969, 12, 31, 23), datetime(2024, 2, 29)], pa.timestamp(unit))
        for unit in ("s", "ms", "us", "ns")
    ),
    pa.array([0, 2**62, -(2**62)], pa.timestamp("s")),
    pa.array([0, 86_400], pa.timestamp("s", "Europe/Berlin")),
    pa.array([0, 2**63 - 1], pa.timestamp("ns", "UTC")),
    pa.array([time(1, 2), time(3, 4)]),
    pa.array([1, 2], pa.time32("s")),
    pa.array([timedelta(1), timedelta(2)]),
    pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    pa.array([b"a", b"1"]),
    pa.array([b"\xff", b"\x00"]),
    pa.array([b"ab", b"\xfe\xff"], pa.binary(2)),
    pa.array(["1", "cook", "", " ", "*", "2026-11-16", "2026-11-16T12:00Z", "1e999", "ä\n🐟"]),
    pa.array(["1", "cook", "SE"], pa.large_string()),
    pa.array(["1", "cook", "1"]).dictionary_encode(),
    pa.array([], pa.null()),
]
"""Some values of each Arrow type."""

ARGUMENTS: Sequence[Any] = [
    "",
    "?",
    -1,
    0,
    1.5,
    True,
    [],
    {},
    [[]],
    [None],
    ["?"],
    {"?": 1},
    {1: 2},
    float("nan"),
    date(2026, 1, 1),
    [-1],
]
"""What somebody may write after a hierarchy's name in a spec."""

TEXTS = ("", "?", ",", "-1", "1,,2", "{", "[1", "1e999", " ", "ä", "nan")
"""What somebody may write after a hierarchy's name on the command line."""


def check_hierarchy(
    hierarchy: Hierarchy, *, values: Sequence[Any] = (), folder: Path | None = None, examples: int = 10
) -> None:
    """Raise AssertionError with the first promise that a hierarchy breaks.

    If a spec can name it, it says what it is, comes back from its spec, and takes or refuses whatever else
    stands there. Its labels are text, nested, end with one for all, and depend on neither the order of values
    nor, if it is `steady`, on the others; values of any type get labels or are refused with a HierarchyError,
    as `knows` says.

    Parameters
    ----------
    values
        Values that it has labels for; if not given, its `sample`.
    folder
        Where the files are that its spec names.
    examples
        How many orders of the values are tried.

    Examples
    --------
    >>> import shoal
    >>> check_hierarchy(shoal.prefix(), values=["53715", "53710", "90210"], examples=3)
    """
    sample = pa.array(values or getattr(hierarchy, "sample", None) or ())
    require(len(sample), "There is no value to try the hierarchy with.\nGive some: values=[...].")
    if isinstance(hierarchy, HierarchyDefaults):
        check_words(hierarchy)
        check_spec(hierarchy, folder or Path())
        check_steady(hierarchy, sample)
    check_labels(hierarchy, sample)
    order = st.permutations(range(len(sample)))
    draw_and_check(partial(_check_order, hierarchy, sample), order, examples=examples)
    for typed in TYPED:
        check_type(hierarchy, typed)


def check_words(hierarchy: Any) -> None:
    """Check what a hierarchy says about itself."""
    kind = type(hierarchy)
    with promise(_whose(hierarchy), "it says what it does, in one line that ends with a full stop"):
        summary = kind.summary
        require(kind.name, "Its name is empty.")
        require(summary[:1].isupper() and summary.endswith(".") and "\n" not in summary, summary)
        require(all(isinstance(text, str) and text for item in kind.parameters.items() for text in item))


def check_spec(hierarchy: Any, folder: Path) -> None:
    """Check that a hierarchy comes back from its spec, and what becomes of other ones."""
    kind = type(hierarchy)
    if kind.examples:  # without any, no spec can hold it
        with promise(_whose(hierarchy), "its spec holds all of it"):
            require_equal(_again(hierarchy, folder), hierarchy)
    for argument in ARGUMENTS:
        with promise(_whose(hierarchy), "whatever follows its name in a spec is taken, or an InputError"):
            try:
                built = kind.from_spec(argument, folder)
                require_equal(_again(built, folder), built, f"From {argument!r}. ")
            except InputError as error:
                require(str(error), f"Nothing is said of {argument!r}.")
    for text in TEXTS:
        with promise(_whose(hierarchy), "whatever follows its name as an option is taken, or an InputError"):
            try:
                require(isinstance(kind.from_text(text), Hierarchy), f"Found: {text!r} makes no hierarchy.")
            except InputError as error:
                require(str(error), f"Nothing is said of {text!r}.")


def _again(hierarchy: Any, folder: Path) -> Any:
    import yaml

    written = yaml.safe_load(yaml.safe_dump(hierarchy.to_spec()))
    name = type(hierarchy).name
    require(written == name or list(written) == [name], f"Found: {written!r}.")
    return type(hierarchy).from_spec(None if written == name else written[name], folder)


def check_steady(hierarchy: Any, sample: pa.Array) -> None:
    """Check that the labels of a steady hierarchy do not depend on other values."""
    if not hierarchy.steady:
        return
    with promise(_whose(hierarchy), "it is `steady`: a value has its labels whatever others there are"):
        require(not isinstance(hierarchy, FromData), "It is made from the table.")
        together = hierarchy.levels(sample).labels
        for position in range(len(sample)):
            alone = hierarchy.levels(sample[position : position + 1]).labels
            require_equal([label[0] for label in alone], [label[position] for label in together])


def check_labels(hierarchy: Hierarchy, sample: pa.Array) -> None:
    """Check the labels of values that a hierarchy is for, and of none."""
    if isinstance(hierarchy, FromData):
        with promise(_whose(hierarchy), "it is made from the table, and says so where there is none"):
            try:
                hierarchy.levels(sample)
                require(False, "It has labels without a table.")
            except HierarchyError as error:
                require("table" in str(error), f"Found: {error}")
    with promise(_whose(hierarchy), "it labels its sample"):
        require_labels(fitted(hierarchy, sample).levels(sample), sample)
    for kind in (pa.string(), sample.type):
        nothing = pa.array([], kind)
        with promise(_whose(hierarchy), "without values there are levels all the same"):
            require_equal(len(known(hierarchy, nothing)), 0)
            require_labels(fitted(hierarchy, nothing).levels(nothing), nothing)


def check_type(hierarchy: Hierarchy, values: pa.Array) -> None:
    """Check that values of any type have labels or are refused."""
    values = values.unique() if pa.types.is_dictionary(values.type) else values
    with promise(_whose(hierarchy), f"values of type {values.type} have labels or are refused, as it says"):
        try:
            there = known(hierarchy, values)
        except HierarchyError:  # a type that it does not take at all
            _require_refused(hierarchy, values)
            return
        require_equal((there.type, len(there), there.null_count), (pa.bool_(), len(values), 0), "`knows`. ")
        if isinstance(hierarchy, FromData) and not all(there.to_pylist()):
            _require_refused(hierarchy, values)
        elif _labelled(hierarchy, values, there):
            return
        known_ones = values.filter(there)
        _labelled(hierarchy, known_ones, known(hierarchy, known_ones))


def _require_refused(hierarchy: Hierarchy, values: pa.Array) -> None:
    try:
        fitted(hierarchy, values).levels(values)
    except HierarchyError:
        return
    require(False, "It labels values that it does not know.")


def _labelled(hierarchy: Hierarchy, values: pa.Array, there: pa.BooleanArray) -> bool:
    """Return whether all values have labels, which is to be as `knows` says."""
    try:
        levels = fitted(hierarchy, values).levels(values)
    except HierarchyError as error:
        # Numbers that are known may still have too many digits for a level each.
        knows_all = isinstance(hierarchy, Partial) and all(there.to_pylist())
        require(not knows_all or "levels" in str(error), f"It knows these values, and says: {error}")
        require(all(problem.message for problem in error.problems), "It does not say why.")
        return False
    require(all(there.to_pylist()), "It labels values that it does not know.")
    require_labels(levels, values)
    return True


def _check_order(hierarchy: Hierarchy, sample: pa.Array, places: Sequence[int]) -> None:
    order = pa.array(places)
    with promise(_whose(hierarchy), "labels do not depend on the order of values"):
        before = fitted(hierarchy, sample).levels(sample)
        after = fitted(hierarchy, sample.take(order)).levels(sample.take(order))
        require_equal([label.take(order) for label in before.labels], list(after.labels))


def fitted(hierarchy: Hierarchy, values: pa.Array) -> Generalizing:
    """Return a hierarchy as it is for a column in which every value occurs, some more than others."""
    if not isinstance(hierarchy, FromData):
        return hierarchy
    # By the value and not by its place, so that the order of the values says nothing.
    try:
        ranks = np.argsort(pc.sort_indices(as_text(values)).to_numpy())
    except HierarchyError:
        ranks = np.arange(len(values))
    counts = ranks.astype(np.int64) % 4 + 1
    if hierarchy.target is None:
        return hierarchy.fit(ColumnData(values, counts))
    by_target = np.stack([counts, ranks % 3, np.ones_like(counts)], axis=1).astype(np.int64)
    return hierarchy.fit(
        ColumnData(values, by_target.sum(axis=1), pa.array(["low", "high", None]), by_target)
    )


def require_labels(levels: Levels, values: pa.Array) -> None:
    """Raise AssertionError unless labels are as encoding needs them."""
    lowest = levels.labels[0]
    require(lowest is values or lowest.equals(values), "Level 0 is not the values themselves.")
    require(all(label.type == pa.string() for label in levels.labels[1:]), "Labels are not text.")
    whole = all(len(label) == len(values) and label.null_count == 0 for label in levels.labels)
    require(whole, "A value has no label at some level.")
    require_equal([problem.message for problem in check_nested(levels.labels)], [])
    require_equal(len(levels.labels), len(levels.leaves), "Levels of labels, and of leaves. ")
    for lower, upper in zip(levels.leaves, levels.leaves[1:], strict=False):
        require((lower <= upper).all(), "A label has fewer leaves than one below it.")
    within = all((leaves >= 1).all() and (leaves <= levels.total).all() for leaves in levels.leaves)
    require(within, "A label has no leaf, or more than there are.")
    # Nobody can be told apart by what has no label above it.
    require(len(levels.labels) > 1, "There is no level above the values.")
    require(len(set(levels.labels[-1].to_pylist())) <= 1, "The highest level has several labels.")


def _whose(hierarchy: Any) -> str:
    return f"The hierarchy {getattr(hierarchy, 'name', type(hierarchy).__name__)!r}"
