"""What a spec asks for, out of what the tables have: which columns are read, and in which types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from shoal.audit.reference import open_population
from shoal.background import read_rows
from shoal.describe.column_names import alike
from shoal.describe.roles import MOST_COLUMNS
from shoal.describe.spec import Spec
from shoal.errors import InputError, Problem, nearest
from shoal.read.formulas import name_problems
from shoal.read.source import Source
from shoal.read.typed import typed


def open_populations(spec: Spec) -> tuple[dict[str, Source], list[Problem]]:
    """Open the tables that models compare with; tell what keeps them from being read."""
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
                f"{nearest(name, source.columns).strip() or 'A population has all quasi-identifiers.'}"
            )
            for name in missing
        ]
    return sources, problems


def settle_columns(
    spec: Spec,
    source: Source,
    keep_undeclared: bool,
    drop_undeclared: bool,
    others: Sequence[Problem] = (),
) -> tuple[Spec, tuple[str, ...]]:
    """Return the spec with a role for every column that will be released, and what to note about it."""
    named = [*spec.roles, *spec.withheld[len(spec.identifiers) :]]
    there, known = set(source.columns), set(named)
    missing = [name for name in named if name not in there]
    undeclared = [name for name in source.columns if name not in known]
    if source.doubtful and len(missing) == len(named):
        # The first line of a file without a header is somebody's row: it is not shown.
        raise InputError(
            f"None of the columns of the spec is in {source.name!r}.\n"
            f"Columns of the spec: {', '.join(spec.roles)}.\n"
            "Check that its first line is a header"
            + (f", and that its delimiter is {source.dialect.delimiter!r}." if source.dialect else ".")
        )
    listed = ", ".join(undeclared)
    problems = [
        Problem(
            f"Column {name!r} is not in the table.\n"
            f"Columns: {', '.join(source.columns)}.\n"
            f"{nearest(name, source.columns).strip() or 'Correct the spec, or the table.'}"
        )
        for name in missing
    ]
    if undeclared and not (keep_undeclared or drop_undeclared):
        problems.append(
            Problem(
                f"The spec does not say what {_columns(len(undeclared))} of the table "
                f"{'is' if len(undeclared) == 1 else 'are'}.\n"
                f"Undeclared: {listed}.\n"
                "Give each a role, or say --keep-undeclared or --drop-undeclared "
                "(in Python keep_undeclared=True or drop_undeclared=True)."
            )
        )
    wanted = {*spec.released, *([] if drop_undeclared else undeclared)}
    released = [name for name in source.columns if name in wanted]
    if len(released) > MOST_COLUMNS:
        problems.append(
            Problem(
                "The release would have too many columns to count what they give away together.\n"
                f"Columns: {len(released):,}; at most {MOST_COLUMNS:,}.\n"
                "Declare only those that recipients need, and drop the others: --drop-undeclared."
            )
        )
    problems += [
        Problem(
            f"Column {name!r} would be released beside {other!r}.\n"
            "Readers take these names for the same, whatever the spec says of each.\n"
            "Rename one of them, or declare both as identifiers, which are removed."
        )
        for name, other in alike(released, spec.withheld)
    ]
    if spec.escape_formulas:
        problems += name_problems(released)
    problems += others
    if problems:
        raise InputError(problems)
    if not undeclared:
        return spec, ()
    if drop_undeclared:
        return spec, (f"Undeclared columns dropped: {listed}.",)
    return (
        replace(spec, insensitive=(*spec.insensitive, *undeclared)),
        (f"Undeclared columns released as they are: {listed}.",),
    )


def read_populations(spec: Spec, populations: Mapping[str, Source]) -> dict[str, pa.Table]:
    """Read the quasi-identifiers of populations, as they come."""
    columns = list(spec.quasi_identifiers)
    larger = {key: population.read(columns, coded=columns) for key, population in populations.items()}
    problems = [
        f"The population {spec.populations[key].name!r} has no rows.\nThere is nobody to compare with."
        for key, population in larger.items()
        if population.num_rows == 0
    ]
    if problems:
        raise InputError(problems)
    return larger


def read_tables(
    source: Source, spec: Spec, populations: Mapping[str, Source]
) -> tuple[pa.Table, dict[str, pa.Table]]:
    """Read what is released and the quasi-identifiers of populations, in the types of the spec."""
    table = read_rows(source, spec)
    if table.num_rows == 0:
        raise InputError(f"{source.name!r} has no rows.\nThere is nothing to anonymize.")
    larger = read_populations(spec, populations)
    if spec.types:
        places = (f" of the population {spec.populations[key].name!r}" for key in larger)
        (table, *others), strange = typed(
            [("", table), *zip(places, larger.values(), strict=True)], spec.types
        )
        if strange:
            raise InputError(strange)
        larger = dict(zip(larger, others, strict=True))
    return table, larger


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count:,} columns"
