"""Read the rows of the table and of populations as the spec needs them."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from shoal.errors import InputError, Problem, nearest
from shoal.prepare.pseudonyms import with_tokens
from shoal.read.source import InputFormat, Source, open_source
from shoal.read.typed_tables import typed
from shoal.spec.spec import Spec


def open_populations(spec: Spec) -> tuple[dict[str, Source], list[Problem]]:
    """Open the populations of models; return the problems too."""
    sources, problems = {}, []
    for key, population in spec.populations.items():
        try:
            source = open_population(population.source, spec)
        except InputError as error:
            problems += [
                Problem(f"Population {population.name!r}: {problem.message}") for problem in error.problems
            ]
            continue
        sources[key] = source
        missing = [name for name in spec.quasi_identifiers if name not in source.columns]
        if source.doubtful and len(missing) == len(spec.quasi_identifiers):
            problems.append(
                Problem(
                    f"None of the quasi-identifiers is in the population {population.name!r}.\n"
                    f"Quasi-identifiers: {', '.join(missing)}.\nCheck that its first line is a header."
                )
            )
            continue
        problems += [
            Problem(
                f"Column {name!r}, a quasi-identifier, is not in the population {population.name!r}.\n"
                f"Columns: {', '.join(source.columns)}.\n"
                f"{nearest(name, source.columns).strip() or 'A population must have all quasi-identifiers.'}"
            )
            for name in missing
        ]
    return sources, problems


def read_populations(spec: Spec, populations: Mapping[str, Source]) -> dict[str, pa.Table]:
    """Read the quasi-identifiers of populations, without converting types."""
    columns = list(spec.quasi_identifiers)
    larger = {key: population.read(columns, coded=columns) for key, population in populations.items()}
    problems = [
        f"The population {spec.populations[key].name!r} has no rows.\nIt must contain the table's people."
        for key, population in larger.items()
        if population.num_rows == 0
    ]
    if problems:
        raise InputError(problems)
    return larger


def read_tables(
    source: Source, spec: Spec, populations: Mapping[str, Source]
) -> tuple[pa.Table, dict[str, pa.Table]]:
    """Read the released columns and the quasi-identifiers of populations, in the types of the spec.

    Pseudonyms are tokens already.
    """
    table = read_rows(source, spec)
    if table.num_rows == 0:
        raise InputError(f"{source.name!r} has no rows.\nThere is nothing to anonymize.")
    larger = read_populations(spec, populations)
    if spec.types:
        owners = (f" of the population {spec.populations[key].name!r}" for key in larger)
        (table, *others), strange = typed(
            [("", table), *zip(owners, larger.values(), strict=True)], spec.types
        )
        if strange:
            raise InputError(strange)
        larger = dict(zip(larger, others, strict=True))
    return with_tokens(table, spec), larger


def open_population(data: object, spec: Spec) -> Source:
    """Open a population. A file has the encoding, NULL and header of the spec; the rest is detected."""
    own = spec.input
    return open_source(
        data, InputFormat(encoding=own.encoding, null_values=own.null_values, header=own.header)
    )


def read_rows(source: Source, spec: Spec) -> pa.Table:
    """Read the released columns in the order of the input, quasi-identifiers as dictionary arrays.

    Identifiers are not read, except the unit.
    """
    wanted = {*spec.released, spec.unit}
    return source.read(
        [name for name in source.columns if name in wanted], coded=list(spec.quasi_identifiers)
    )
