"""A recoding gives every cell a label, the same for the same values, and says what it has."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from shoal.describe.hierarchy import as_text
from shoal.encode.cells import Cells, cells_at
from shoal.encode.column import CodedColumn, UIntArray
from shoal.encode.table import CodedPopulation, CodedTable
from shoal.privacy.k_anonymity import KAnonymity
from shoal.recode.recoding import LooksBeside, Recoding
from shoal.spec.spec import Spec
from shoal.testing.promises import draw_and_check, promise, require, require_equal
from shoal.testing.tables import coded_tables


def check_recoding(
    make: Callable[[CodedTable], Recoding], *, rows: int = 30, columns: int = 3, examples: int = 50
) -> None:
    """Raise AssertionError with the first promise that a recoding breaks.

    Cells that have the same values get the same labels, however rows are ordered and counted. Labels are
    different from each other, and what is said of them is true: the leaves that they cover, the nodes of
    hierarchies that they are. The recoding that a manifest has is the same. Levels are those of its labels.

    Parameters
    ----------
    make
        Takes a table, and returns a recoding of it.
    rows, columns, examples
        How large drawn tables are at most, and how many are drawn.

    Examples
    --------
    >>> from shoal.recode.full_domain import FullDomain
    >>> check_recoding(lambda table: FullDomain(dict.fromkeys(table.names, 0)), examples=5)
    """

    def check(table: CodedTable) -> None:
        check_recoding_of(make(table), table)

    draw_and_check(check, coded_tables(rows, columns), examples=examples)


def check_recoding_of(recoding: Recoding, table: CodedTable) -> None:
    """Check a recoding of one table."""
    whose = f"The recoding {getattr(recoding, 'kind', type(recoding).__name__)!r}"
    with promise(whose, "it has all that a recoding has"):
        require(isinstance(recoding, Recoding), "It lacks kind, levels, node, rungs or a method.")
        require(re.fullmatch("[a-z][a-z0-9-]{0,63}", recoding.kind), f"Its kind is {recoding.kind!r}.")
    with promise(whose, "`cells` has labels for every column, and a label for every entry"):
        found = recoding.cells(table)
        require_equal(len(found), len(table.columns))
        for column, cells in zip(table.columns, found, strict=True):
            _check_cells(cells, column, table)
    with promise(whose, "what `nodes` says of labels is true"):
        for column, cells in zip(table.columns, found, strict=True):
            _check_nodes(cells, column)
    with promise(whose, "rows that have the same values get the same labels, whatever their order"):
        _check_function(recoding, found, table)
        if isinstance(recoding, LooksBeside):
            _check_order_beside(recoding, found, table)
        else:
            _check_order(recoding, found, table)
    with promise(whose, "the recoding in a manifest is the same"):
        written = json.loads(json.dumps(recoding.to_manifest()))
        require_equal(written.get("kind"), recoding.kind)
        again = type(recoding).from_manifest(written)
        require_equal(json.loads(json.dumps(again.to_manifest())), written)
        require_equal(again.levels, recoding.levels)
    with promise(whose, "`levels`, `node` and `rungs` are those of its labels, or None"):
        _check_abilities(recoding, found, table)
    with promise(whose, "`choices` has words for every quasi-identifier"):
        choices = recoding.choices(table)
        require_equal(tuple(choices.of_columns), table.names)
        require(all(isinstance(words, str) for words in (choices.title, *choices.of_columns.values())))
    with promise(whose, "`for_recipients` gives a spec of the same columns, and a recoding"):
        spec_in = Spec(quasi_identifiers=dict.fromkeys(table.names, "suppress"), privacy=[KAnonymity(1)])
        spec, handed_on = recoding.for_recipients(spec_in, table)
        require_equal(spec.roles, spec_in.roles)
        require_equal(handed_on.to_manifest()["kind"], recoding.kind)


def same_labels(one: Recoding | None, other: Recoding | None, table: CodedTable) -> bool:
    """Return whether two recodings give the rows of a table the same labels, or neither exists."""
    if one is None or other is None:
        return one is other
    pairs = zip(one.cells(table), other.cells(table), strict=True)
    return all(_of_rows(a, a.numbers) == _of_rows(b, b.numbers) for a, b in pairs)


def _check_cells(cells: Cells, column: CodedColumn, table: CodedTable) -> None:
    labels = len(cells.labels)
    require_equal(len(cells.numbers), table.entries, "Numbers of entries. ")
    require_equal(cells.numbers.dtype, np.dtype(np.uint32), "The type of numbers. ")
    require(int(cells.numbers.max(initial=0)) < labels, "An entry has a label that is none.")
    require_equal(len(pa.array(cells.labels).unique()), labels, "Different labels. ")
    require_equal(len(cells.leaves), labels, "Labels whose leaves are known. ")
    used = np.unique(cells.numbers)
    require((cells.leaves[used] >= 1).all(), "A label covers no leaf.")
    require((cells.leaves[used] <= column.total_leaves).all(), "A label covers more leaves than there are.")
    require_equal(set(cells.of_population), set(table.populations), "Populations. ")
    for key, numbers in cells.of_population.items():
        require_equal(len(numbers), table.populations[key].rows, "Rows of a population. ")
    # A label covers at least the values that it stands for.
    for number in used.tolist():
        values = len(np.unique(column.codes[cells.numbers == number]))
        require(values <= cells.leaves[number], f"A label of {values} values covers fewer leaves.")


def _check_nodes(cells: Cells, column: CodedColumn) -> None:
    if cells.nodes is None:
        return
    texts = _texts(cells.labels)
    for number, (level, node) in enumerate(zip(*map(np.ndarray.tolist, cells.nodes), strict=True)):
        require(0 <= level <= column.height, f"Level {level} of {column.height}.")
        at_level = _texts(column.labels[level])
        require_equal(at_level[node], texts[number], "The text of a node. ")
        require_equal(int(cells.leaves[number]), int(column.leaves[level][node]), "Its leaves. ")
        under = column.maps[level][column.codes[cells.numbers == number]]
        require(all(at_level[own] == texts[number] for own in set(under.tolist())), "It covers other values.")


def _check_function(recoding: Recoding, found: Sequence[Cells], table: CodedTable) -> None:
    known: dict[tuple[int, ...], tuple[int, ...]] = {}
    seen = [column.codes for column in table.columns]
    if isinstance(recoding, LooksBeside):
        seen += [table.attributes[name].codes for name in recoding.columns_beside]
        seen.append(recoding.parts(table))
    values = zip(*(codes.tolist() for codes in seen), strict=True)
    labels = zip(*(cells.numbers.tolist() for cells in found), strict=True)
    for value, label in zip(values, labels, strict=True):
        require_equal(known.setdefault(value, label), label)


def _check_order(recoding: Recoding, found: Sequence[Cells], table: CodedTable) -> None:
    """Recode the rows from the last to the first, and the same rows as those of a population."""
    columns = tuple(replace(column, codes=column.codes[::-1].copy()) for column in table.columns)
    same = CodedPopulation(tuple(column.codes for column in table.columns), table.entries)
    weights = None if table.weights is None else table.weights[::-1]
    turned = replace(
        table, columns=columns, weights=weights, attributes={}, units=None, populations={"same": same}
    )
    for cells, other in zip(found, recoding.cells(turned), strict=True):
        labels = _of_rows(cells, cells.numbers)
        require_equal(_of_rows(other, other.numbers)[::-1], labels)
        require_equal(_of_rows(other, other.of_population["same"]), labels, "Rows of a population. ")


def _check_order_beside(recoding: LooksBeside, found: Sequence[Cells], table: CodedTable) -> None:
    """Recode the rows from the last to the first: which of equal rows is in which part may differ."""
    if table.weights is not None:
        return
    columns = tuple(replace(column, codes=column.codes[::-1].copy()) for column in table.columns)
    attributes = {
        name: replace(column, codes=column.codes[::-1].copy()) for name, column in table.attributes.items()
    }
    units = None if table.units is None else table.units[::-1].copy()
    turned = replace(table, columns=columns, attributes=attributes, units=units, populations={})
    recoded = [
        Counter(
            zip(
                *(column.codes.tolist() for column in (*of.columns, *of.attributes.values())),
                *(_of_rows(cells, cells.numbers) for cells in labels),
                strict=True,
            )
        )
        for of, labels in ((table, found), (turned, recoding.cells(turned)))
    ]
    require_equal(recoded[0], recoded[1])


def _check_abilities(recoding: Recoding, found: Sequence[Cells], table: CodedTable) -> None:
    if recoding.levels is not None:
        require_equal(tuple(recoding.levels), table.names)
        expected = cells_at(table, list(recoding.levels.values()))
        for cells, at_level in zip(found, expected, strict=True):
            require_equal(
                _of_rows(cells, cells.numbers), _of_rows(at_level, at_level.numbers), "Labels of the rows. "
            )
    if recoding.node is not None:
        require_equal(len(recoding.node), len(table.columns))
    if recoding.rungs is not None:
        require_equal(tuple(recoding.rungs), table.names)


def _of_rows(cells: Cells, numbers: UIntArray) -> list[str | None]:
    texts = _texts(cells.labels)
    return [texts[number] for number in numbers.tolist()]


def _texts(labels: pa.Array) -> list[str | None]:
    texts: list[str | None] = as_text(labels).to_pylist()
    return texts
