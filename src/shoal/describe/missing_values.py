"""Values that a hierarchy does not cover: the `missing-values` setting of a spec.

A file may lack them, numbers may lie outside the cuts, and `?` is not a number. They are an error unless the
spec says otherwise: `own` keeps each as its own label below the top, like NULL; `top` replaces them by `*` at
every level above 0.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchy import ANYTHING, Generalizing, HierarchyError, IntArray, Levels, as_text, known
from shoal.errors import Problem

MissingValues = Literal["error", "top", "own"]


def levels_of(hierarchy: Generalizing, values: pa.Array, missing: MissingValues) -> Levels:
    """Return the labels of values, including values that the hierarchy does not cover.

    Raises
    ------
    HierarchyError
        Such values exist and are an `error`, or they equal labels.

    Examples
    --------
    >>> from shoal.describe.hierarchies.listed_values import Listed
    >>> kinds, top = pa.array(["furry", "feathered"]), pa.array(["*", "*"])
    >>> pets = Listed.of([pa.array(["cat", "crow"]), kinds, top], "the hierarchy")
    >>> [labels.to_pylist() for labels in levels_of(pets, pa.array(["cat", "eel"]), "own").labels]
    [['cat', 'eel'], ['furry', 'eel'], ['*', '*']]
    >>> [labels.to_pylist() for labels in levels_of(pets, pa.array(["cat", "eel"]), "top").labels]
    [['cat', 'eel'], ['furry', '*'], ['*', '*']]
    """
    if missing == "error":
        return _all_known(hierarchy, values)
    there = known(hierarchy, values)
    count = len(values) - (pc.sum(there).as_py() or 0)
    levels = _below_anything(hierarchy.levels(values.filter(there)))
    if not count:
        return levels
    strange = values.filter(pc.invert(there))
    total = levels.total + count
    if missing == "own":
        joined, leaves = _kept_apart(levels, as_text(strange), covered=_root(levels) is not None)
    else:
        _check_hidden(levels)
        joined, leaves = _hidden(levels, count)
    # Restore the order of the values.
    order = np.empty(len(values), dtype=np.int64)
    mask = there.to_numpy(zero_copy_only=False)
    order[mask] = np.arange(len(values) - count)
    order[~mask] = np.arange(len(values) - count, len(values))
    return Levels(
        labels=(values, *(label.take(pa.array(order)) for label in joined)),
        leaves=(np.ones(len(values), dtype=np.int64), *(leaf[order] for leaf in leaves)),
        total=total,
        notes=(*levels.notes, _note(count, missing)),
        listed=None if levels.listed is None else pa.concat_arrays([levels.listed, as_text(strange)]),
        in_order=levels.in_order,
    )


def _all_known(hierarchy: Generalizing, values: pa.Array) -> Levels:
    try:
        return hierarchy.levels(values)
    except HierarchyError as error:
        if pc.all(known(hierarchy, values)).as_py() is not False:
            raise
        *others, last = error.problems
        advice = (
            "To accept unknown values, set `missing-values: own` (each keeps its own label) or "
            "`missing-values: top` (`*`)."
        )
        raise HierarchyError([*others, Problem(f"{last.message}\n{advice}", last.values)]) from None


def _root(levels: Levels) -> str | None:
    """Return the label at the top that covers everything, if there is one."""
    top = levels.labels[-1]
    if len(levels.labels) == 1:
        return None
    if not len(top):
        return ANYTHING
    root: str = top[0].as_py()
    return root if (levels.leaves[-1] == levels.total).all() else None


def _below_anything(levels: Levels) -> Levels:
    """Put `*` above a top with another name: values that the hierarchy lacks are not in its `Europe`."""
    root = _root(levels)
    if root is None or root == ANYTHING:
        return levels
    count = len(levels.labels[0])
    return replace(
        levels,
        labels=(*levels.labels, pa.repeat(ANYTHING, count)),
        leaves=(*levels.leaves, np.full(count, levels.total, dtype=np.int64)),
    )


def _kept_apart(levels: Levels, strange: pa.Array, *, covered: bool) -> tuple[list[pa.Array], list[IntArray]]:
    """Give each value its own label below the top, and `*` at the top if the hierarchy has one."""
    taken = levels.labels[1 : -1 if covered else None]
    collide = strange.filter(pc.is_in(strange, pa.concat_arrays(taken))) if taken else strange[:0]
    if len(collide):
        are = "1 value is" if len(collide) == 1 else f"{len(collide):,} values are"
        raise HierarchyError(
            Problem(
                f"{are} missing from its hierarchy and equal to one of its labels.\n"
                "Such values cannot keep a label of their own.\n"
                "Add them to the hierarchy, or set `missing-values: top`.",
                tuple(collide.to_pylist()),
            )
        )
    labels, leaves = [], []
    alone = np.ones(len(strange), dtype=np.int64)
    for label, leaf in zip(levels.labels[1:], levels.leaves[1:], strict=True):
        labels.append(pa.concat_arrays([label, strange]))
        leaves.append(np.append(leaf, alone))
    if covered:
        labels[-1] = pa.repeat(ANYTHING, len(labels[-1]))
        leaves[-1] = np.full(len(labels[-1]), levels.total + len(strange))
    return labels, leaves


def _check_hidden(levels: Levels) -> None:
    """Raise if a group below the top is named `*`: unknown values would appear to be in that group."""
    groups = [pc.equal(label, ANYTHING) for label in levels.labels[1:]]
    if any(pc.any(pc.and_not(lower, upper)).as_py() for lower, upper in pairwise(groups)):
        raise HierarchyError(
            f"a group of its hierarchy is named {ANYTHING!r}, like the top.\n"
            "Unknown values would seem to be in that group.\nRename the group, or set `missing-values: own`."
        )


def _hidden(levels: Levels, count: int) -> tuple[list[pa.Array], list[IntArray]]:
    labels, leaves = [], []
    total = levels.total + count
    for label, leaf in zip(levels.labels[1:], levels.leaves[1:], strict=True):
        labels.append(pa.concat_arrays([label, pa.repeat(ANYTHING, count)]))
        # Known values with the label `*` share it with the unknown ones, so it covers everything.
        covers = pc.equal(labels[-1], ANYTHING).to_numpy(zero_copy_only=False)
        leaves.append(np.where(covers, total, np.append(leaf, np.zeros(count, dtype=np.int64))))
    return labels, leaves


def _note(count: int, missing: MissingValues) -> str:
    are = "1 value is" if count == 1 else f"{count:,} values are"
    if missing == "own":
        become = "keeps its own label below the top" if count == 1 else "keep their own labels below the top"
    else:
        become = f"{'becomes' if count == 1 else 'become'} {ANYTHING} above level 0"
    return f"{are} not in its hierarchy and {become} (missing-values: {missing})."
