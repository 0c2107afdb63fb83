"""Classes from plain lists: for examples, and to try a model on a few rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.describe.hierarchies.suppress import Suppress
from shoal.describe.hierarchy import Hierarchy
from shoal.encode.column import code_column, code_together
from shoal.encode.table import CodedPopulation, CodedTable
from shoal.privacy.classes import Classes
from shoal.privacy.distribution import Distribution
from shoal.privacy.population import Population


def group(
    classes: Sequence[Any],
    *,
    units: Sequence[Hashable] | None = None,
    populations: Mapping[Population, Sequence[Any]] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    distributions: Mapping[str, Distribution] | None = None,
    **columns: Sequence[Any],
) -> Classes:
    """Group rows by what is given as their class.

    Parameters
    ----------
    classes
        The class of each row, such as a generalized age. Classes stand in the order in which they first
        occur.
    units
        Who each row is about, where people are to be counted.
    populations
        For each population the class of each of its rows.
    hierarchies, distributions
        For sensitive columns that have one.
    columns
        The sensitive columns; their values stand in order.

    Examples
    --------
    >>> group(["20-29", "20-29", "30-39"], disease=["flu", "cold", "flu"]).histogram("disease").tolist()
    [[1, 1], [0, 1]]
    """
    populations, hierarchies = populations or {}, hierarchies or {}
    everybody = [*classes, *(label for labels in populations.values() for label in labels)]
    first: dict[Any, int] = {}
    numbered = [first.setdefault(label, len(first)) for label in everybody]
    together = code_column("class", pa.array(numbered, pa.int64()).dictionary_encode(), Suppress())
    together = replace(together, labels=(pa.array(list(first)), *together.labels[1:]))
    rows, labels = len(classes), len(together.counts)
    mine = together.codes[:rows]
    column = replace(together, codes=mine, counts=np.bincount(mine, minlength=labels))
    coded: dict[str, CodedPopulation] = {}
    start = rows
    for population, members in populations.items():
        coded[population.key] = CodedPopulation((together.codes[start : start + len(members)],), len(members))
        start += len(members)
    attributes = {}
    for name, values in columns.items():
        given = pa.array(values).dictionary_encode()
        declared = (distributions or {}).get(name)
        beside = [] if declared is None else [declared.coded(name, given.dictionary.type)]
        attributes[name], _ = code_together(name, given, hierarchies.get(name, Suppress()), beside)
    numbers = None
    if units is not None:
        positions: dict[Hashable, int] = {}
        numbers = np.array([positions.setdefault(unit, len(positions)) for unit in units], dtype=np.uint32)
    table = CodedTable((column,), rows, attributes, numbers, coded)
    of_population = {key: population.codes[0].astype(np.int64) for key, population in coded.items()}
    return Classes(table, mine.astype(np.int64), labels, of_population)
