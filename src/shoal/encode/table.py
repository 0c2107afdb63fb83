"""A coded table: everything that a search needs of the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.describe.hierarchies.suppress import Suppress
from shoal.describe.hierarchy import HierarchyError
from shoal.describe.roles import QuasiIdentifier, Sensitive
from shoal.encode.column import CodedColumn, IntArray, UIntArray, code_together, used_values
from shoal.errors import InputError, Problem
from shoal.read.columns import coded as as_coded
from shoal.read.columns import of_type

if TYPE_CHECKING:
    from shoal.privacy.distribution import Distribution
    from shoal.privacy.model import PrivacyModel


@dataclass(frozen=True, slots=True)
class CodedPopulation:
    """The quasi-identifiers of a population, in the codes of the table.

    `codes` has for each quasi-identifier one code per row of the population.
    """

    codes: tuple[UIntArray, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class CodedTable:
    """Coded quasi-identifiers, in the order of the spec, and the other columns that models and measures use.

    Its entries are the rows of a table, or tuples with the number of rows that have them: a frequency set.

    Attributes
    ----------
    rows
        Number of rows of the table.
    attributes
        Other coded columns by name: the sensitive columns of models, the target of a measure.
    units
        For each entry the number of its unit, from 0 without gaps, if units are counted instead of rows.
    populations
        The populations of models, by key. A code of a quasi-identifier may occur only in a population; then
        its count is 0.
    weights
        The number of rows of each entry; None if each is one row.
    bottom
        The levels at which tuples were counted; None for original values. A code then represents all values
        with its label at this level, and nothing is known about lower levels except a column's own counts.
        The columns allow no lower levels either.
    """

    columns: tuple[CodedColumn, ...]
    rows: int
    attributes: Mapping[str, CodedColumn] = field(default_factory=dict)
    units: UIntArray | None = None
    populations: Mapping[str, CodedPopulation] = field(default_factory=dict)
    weights: NDArray[np.uint64] | None = None
    bottom: tuple[int, ...] | None = None

    @property
    def entries(self) -> int:
        """Number of codes of each column."""
        return self.rows if self.weights is None else len(self.weights)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


class Columns(Protocol):
    """A table in memory, or separately counted columns of another table."""

    @property
    def num_rows(self) -> int: ...
    def column(self, name: str) -> pa.ChunkedArray: ...


@dataclass(frozen=True, slots=True, repr=False)  # notebooks and logs would show values
class CountedColumns:
    """The distinct values of columns, and the rows of each.

    Attributes
    ----------
    values
        The values of each column by name, including NULL; those of a quasi-identifier as dictionary array.
    counts
        The number of rows of each value, by column name.
    """

    values: Mapping[str, pa.ChunkedArray]
    counts: Mapping[str, IntArray]
    num_rows: int

    def column(self, name: str) -> pa.ChunkedArray:
        return self.values[name]


def code_table(
    table: Columns,
    quasi_identifiers: Mapping[str, QuasiIdentifier],
    *,
    sensitive: Mapping[str, Sensitive] | None = None,
    attributes: Sequence[str] = (),
    unit: str | None = None,
    populations: Mapping[str, pa.Table] | None = None,
    models: Sequence[PrivacyModel] = (),
    judged: bool = True,
) -> CodedTable:
    """Code a table whose quasi-identifiers are dictionary arrays.

    Parameters
    ----------
    table
        All columns named here. Separately counted columns get codes for their distinct values only.
    sensitive
        The settings of the sensitive columns: their hierarchies, and whether they may have NULL.
    attributes
        The columns other than quasi-identifiers that models and the measure use.
    unit
        The column that identifies the person.
    populations
        The populations of models by key, their quasi-identifiers as dictionary arrays.
    models
        The models; they report why they cannot be applied to this table, unless it is not to be `judged`.

    Raises
    ------
    InputError
        With all problems: values that a hierarchy lacks, levels that are not nested, forbidden NULLs, columns
        of a population that do not fit, problems of the models.
    """
    sensitive, populations = sensitive or {}, populations or {}
    names = _names(models)
    problems: list[Problem] = []
    columns: list[CodedColumn] = []
    codes: dict[str, list[UIntArray]] = {key: [] for key in populations}
    for name, qi in quasi_identifiers.items():
        try:
            column, beside = _code_quasi_identifier(name, qi, table, populations, names)
        except InputError as error:
            problems += error.problems
            continue
        columns.append(column)
        for key, of_rows in zip(populations, beside, strict=True):
            codes[key].append(of_rows)
    whole = not problems

    described = _code_attributes(table, sensitive, attributes, _declared(models), problems)
    units = None
    if unit is not None:
        try:
            units = _units(unit, table)
        except InputError as error:
            problems += error.problems
    coded = CodedTable(
        columns=tuple(columns),
        rows=table.num_rows,
        attributes=described,
        units=units,
        populations={
            key: CodedPopulation(tuple(of_rows), populations[key].num_rows) for key, of_rows in codes.items()
        },
    )
    # The models of columns that could not be coded are not checked.
    able = [
        model
        for model in models
        if model.population is None or (whole and model.population.key in populations)
        if model.column is None or model.column in described
    ]
    if judged:
        problems += [Problem(text) for model in able for text in model.problems(coded)]
    if problems:
        raise InputError(problems)
    return coded


def _names(models: Iterable[PrivacyModel]) -> dict[str, str]:
    """Return the name of each population in messages."""
    populations = (model.population for model in models)
    return {population.key: population.name for population in populations if population is not None}


def _array(table: Columns, name: str) -> pa.Array:
    values = table.column(name).combine_chunks()
    return values.chunk(0) if isinstance(values, pa.ChunkedArray) else values


def _rows(table: Columns, name: str) -> IntArray | None:
    return table.counts[name] if isinstance(table, CountedColumns) else None


def _check_null(what: str, values: pa.Array | pa.ChunkedArray, null: str, rows: IntArray | None) -> None:
    if null == "forbid" and values.null_count:
        nulls, of_all = values.null_count, len(values)
        if rows is not None:
            nulls = int(rows[values.is_null().to_numpy(zero_copy_only=False)].sum())
            of_all = int(rows.sum())
        raise InputError(f"{what}: NULL in {nulls:,} of {of_all:,} rows, but the spec says `null: forbid`.")


def _code_quasi_identifier(
    name: str,
    qi: QuasiIdentifier,
    table: Columns,
    populations: Mapping[str, pa.Table],
    names: Mapping[str, str],
) -> tuple[CodedColumn, tuple[UIntArray, ...]]:
    """Code a quasi-identifier, and the same column of every population with the same codes."""
    problems: list[Problem] = []
    kind = table.column(name).type.value_type
    found: list[tuple[str, pa.DictionaryArray]] = []
    for key, part in {"": table, **populations}.items():
        what = f"Column {name!r}" + (f" of the population {names.get(key, key)!r}" if key else "")
        try:
            _check_null(what, part.column(name), qi.null, _rows(part, name))
        except InputError as error:
            problems += error.problems
        try:
            found.append((what, of_type(_array(part, name), kind)))
        except InputError as error:
            problems += _of_column(what, error)
    if problems:
        raise InputError(problems)
    mine, *others = (values for _, values in found)
    try:
        return code_together(
            name,
            mine,
            qi,
            others,
            weight=qi.weight,
            min_level=qi.min_level,
            max_level=qi.max_level,
            rows=_rows(table, name),
        )
    except HierarchyError as error:
        if others:
            problems = [problem for what, values in found for problem in _missed(what, values, qi)]
        raise InputError(problems or _of_column(f"Column {name!r}", error)) from None


def _missed(what: str, values: pa.DictionaryArray, qi: QuasiIdentifier) -> Iterable[Problem]:
    """Return what is wrong between a hierarchy and the values of one table."""
    try:
        qi.levels(used_values(values))
    except HierarchyError as error:
        yield from _of_column(what, error)


def _code_attributes(
    table: Columns,
    sensitive: Mapping[str, Sensitive],
    attributes: Sequence[str],
    declared: Mapping[str, Distribution],
    problems: list[Problem],
) -> dict[str, CodedColumn]:
    """Code the columns that models and the measure use; add errors to `problems`.

    All sensitive columns are checked for forbidden NULLs, even without a model. Values that are only declared
    get codes too, with a count of 0.
    """
    coded = {}
    for name in dict.fromkeys((*sensitive, *attributes)):
        own = sensitive.get(name, Sensitive())
        try:
            _check_null(f"Column {name!r}", table.column(name), own.null, _rows(table, name))
            if name in attributes:
                values = as_coded(table.column(name), name)
                beside = [declared[name].coded(name, values.dictionary.type)] if name in declared else []
                coded[name], _ = code_together(
                    name, values, own.hierarchy or Suppress(), beside, rows=_rows(table, name)
                )
        except HierarchyError as error:
            problems += _of_column(f"Column {name!r}", error)
        except InputError as error:
            problems += error.problems
    return coded


def _declared(models: Iterable[PrivacyModel]) -> dict[str, Distribution]:
    """Return the distributions that are declared, by column."""
    return {model.column: model.distribution for model in models if model.column and model.distribution}


def _units(name: str, table: Columns) -> UIntArray:
    """Number the units from 0 without gaps."""
    values = as_coded(table.column(name), name)
    if values.null_count:
        raise InputError(
            f"Column {name!r}, the unit, is NULL in {values.null_count:,} of {len(values):,} rows.\n"
            "The people of these rows are unknown.\n"
            "Fill the column in, or remove these rows."
        )
    units: UIntArray = values.indices.to_numpy().astype(np.uint32)
    return units


def _of_column(what: str, error: InputError) -> list[Problem]:
    return [Problem(f"{what}: {problem.message}", problem.values) for problem in error.problems]
