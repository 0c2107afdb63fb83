"""Tables with the shape of published benchmark data whose rows cannot be redistributed.

A shape is what matters to a search: the number of rows, the columns with their hierarchies, their skew and
correlation, and so the number of distinct tuples. Drawing one needs no file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.files import Sample, hierarchy_name, write_files
from shoal.data.published import SHAPES, Shape
from shoal.data.random_values import Codes, Floats, coded, pick
from shoal.data.trees import GrownTree, IntArray
from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedTable
from shoal.errors import InputError, nearest

ROWS_AT_ONCE = 1 << 16


def shape_names() -> tuple[str, ...]:
    """Return the names of the published shapes.

    Examples
    --------
    >>> shape_names()
    ('adult', 'cup', 'fars', 'atus', 'ihis', 'lands-end')
    """
    return tuple(SHAPES)


def shape(name: str, rows: int | None = None, seed: int = 0) -> CodedTable:
    """Draw a table with a published shape, coded as if it had been read from a file.

    Parameters
    ----------
    name
        One of `shape_names()`.
    rows
        Default: the published number. With that number or more, all published values occur.
    seed
        The same seed gives the same table.

    Examples
    --------
    >>> table = shape("adult", rows=1000)
    >>> table.names[:3], table.rows
    (('sex', 'age', 'race'), 1000)
    >>> table.columns[1].height, table.columns[1].total_leaves
    (4, 100)
    """
    published, size = _checked(name, rows, seed)
    trees, drawn = _draw(published, size, seed)
    columns = (_code(column, tree, drawn[column]) for column, tree in trees.items())
    return CodedTable(tuple(columns), size)


def write_shape(name: str, rows: int | None = None, seed: int = 0, folder: str | Path = ".") -> Sample:
    """Write the table of `shape`, its hierarchies and a spec that is ready to run.

    The files are named after the shape, such as `adult-shape.csv`, so that nobody mistakes them for real
    data.

    Examples
    --------
    >>> import tempfile
    >>> sample = write_shape("adult", 100, folder=tempfile.mkdtemp())
    >>> sample.data.name, sample.hierarchies[0].name
    ('adult-shape.csv', 'adult-shape_hierarchy_sex.csv')
    """
    published, size = _checked(name, rows, seed)
    trees, drawn = _draw(published, size, seed)
    table = pa.table({column: coded(drawn[column], tree.labels[0]) for column, tree in trees.items()})
    sample = f"{name}-shape"
    return write_files(
        Path(folder),
        sample,
        header=table.column_names,
        tables=[table],
        taxonomies={column: tree.rows() for column, tree in trees.items()},
        spec=_spec(sample, published),
    )


def _checked(name: str, rows: int | None, seed: int) -> tuple[Shape, int]:
    if name not in SHAPES:
        known = list(SHAPES)
        raise InputError(f"Unknown shape '{name}'.\nShapes: {', '.join(known)}.{nearest(name, known)}")
    if rows is not None and rows < 1:
        raise InputError(f"A shape needs at least 1 row.\nRequested: {rows}.")
    if seed < 0:
        raise InputError(f"A seed must be a whole number of at least 0.\nFound: {seed}.")
    return SHAPES[name], SHAPES[name].rows if rows is None else rows


def _draw(published: Shape, size: int, seed: int) -> tuple[dict[str, GrownTree], dict[str, Codes]]:
    """Return the hierarchies, and per column the leaf of each row."""
    trees = {name: column.plan(name) for name, column in published.columns.items()}
    occurring = {name: column.occurring(trees[name]) for name, column in published.columns.items()}
    weights = {name: column.weights(len(occurring[name])) for name, column in published.columns.items()}
    drawn = {name: np.empty(size, np.int32) for name in trees}
    # Some rows at a time, so that all intermediate numbers fit into the processor's cache.
    for start in range(0, size, ROWS_AT_ONCE):
        random = np.random.default_rng([seed, start])
        some = slice(start, min(start + ROWS_AT_ONCE, size))
        count = some.stop - some.start
        trait = random.random(count)
        quantiles: dict[str, Floats] = {}
        for name, column in published.columns.items():
            own = random.random(count)
            if column.tie:
                other = quantiles[column.to] if column.to else trait
                own = np.where(random.random(count) < column.tie, other, own)
            quantiles[name] = own
            drawn[name][some] = pick(weights[name], own)
    for number, (name, leaves) in enumerate(occurring.items()):
        if size >= published.rows:
            _complete(drawn[name], len(leaves), np.random.default_rng([seed, size, number]))
        drawn[name] = leaves.astype(np.int32)[drawn[name]]
    return trees, drawn


def _complete(drawn: Codes, values: int, random: np.random.Generator) -> None:
    """Put the values that no row has into rows whose values other rows have too."""
    keeper = np.full(values, -1)
    keeper[drawn] = np.arange(len(drawn))
    missing = np.flatnonzero(keeper < 0)
    if len(missing):
        rows = random.choice(len(drawn), len(missing) + values, replace=False)
        drawn[rows[~np.isin(rows, keeper)][: len(missing)]] = missing


def _code(name: str, tree: GrownTree, drawn: Codes) -> CodedColumn:
    """Code a column whose values are given as leaves of a tree; see `encode.column`."""
    counts = np.bincount(drawn, minlength=len(tree.ranked))
    used = np.flatnonzero(counts)
    recode = np.zeros(len(counts), np.uint32)
    recode[used] = np.arange(len(used))
    maps: list[NDArray[np.uint32]] = []
    labels: list[pa.Array] = []
    leaves: list[IntArray] = []
    for texts, numbers in zip(tree.labels, tree.maps, strict=True):
        seen, codes = np.unique(numbers[used], return_inverse=True)
        maps.append(codes.astype(np.uint32))
        labels.append(pa.array([texts[number] for number in seen], pa.string()))
        leaves.append(np.bincount(numbers)[seen].astype(np.int64))
    return CodedColumn(
        name=name,
        codes=recode[drawn],
        counts=counts[used].astype(np.int64),
        maps=tuple(maps),
        labels=tuple(labels),
        leaves=tuple(leaves),
        total_leaves=len(tree.ranked),
        max_level=tree.height,
    )


def _spec(sample: str, published: Shape) -> str:
    columns = (
        f"  {column}: {{role: quasi-identifier, hierarchy: {{file: {hierarchy_name(sample, column)}}}}}\n"
        for column in published.columns
    )
    return (
        f"# Made-up rows with the shape of {published.title}.\n"
        f"# Run it with:  shoal anonymize {sample}.csv --spec spec.yaml --output release.csv\n"
        f"columns:\n{''.join(columns)}"
        "privacy:\n  - k-anonymity: 5\nsuppression: 0.02\nquality: loss\n"
    )
