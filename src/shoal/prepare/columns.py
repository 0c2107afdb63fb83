"""The columns of the table to release, and their roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shoal.describe.lookalike_names import alike
from shoal.describe.roles import MOST_COLUMNS
from shoal.errors import InputError, Problem, nearest
from shoal.read.formulas import name_problems
from shoal.read.source import Source
from shoal.spec.spec import Spec


def settle_columns(
    spec: Spec,
    source: Source,
    keep_undeclared: bool,
    drop_undeclared: bool,
    others: Sequence[Problem] = (),
) -> tuple[Spec, tuple[str, ...]]:
    """Return the spec with a role for every released column, and notes."""
    named = list(dict.fromkeys([*spec.roles, *spec.withheld]))
    there, known = set(source.columns), set(named)
    missing = [name for name in named if name not in there]
    undeclared = [name for name in source.columns if name not in known]
    if source.doubtful and len(missing) == len(named):
        # The first line of a file without a header is a person's row, so it is not shown.
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
                f"The spec has no role for {_columns(len(undeclared))} of the table.\n"
                f"Undeclared: {listed}.\n"
                "Give each a role, or use --keep-undeclared or --drop-undeclared "
                "(in Python keep_undeclared=True or drop_undeclared=True)."
            )
        )
    wanted = {*spec.released, *([] if drop_undeclared else undeclared)}
    released = [name for name in source.columns if name in wanted]
    if len(released) > MOST_COLUMNS:
        problems.append(
            Problem(
                "The release would have too many columns to count what they reveal together.\n"
                f"Columns: {len(released):,}; at most {MOST_COLUMNS:,}.\n"
                "Declare only those that recipients need, and drop the others: --drop-undeclared."
            )
        )
    problems += [
        Problem(
            f"Column {name!r} would be released beside {other!r}.\n"
            "These names look the same to readers, whatever the spec says of each.\n"
            "Rename one of them, or leave both out: role drop."
        )
        for name, other in alike(released, [*spec.withheld, *spec.drop])
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
        (f"Undeclared columns released unchanged: {listed}.",),
    )


def _columns(count: int) -> str:
    return "1 column" if count == 1 else f"{count:,} columns"
