"""The answer when no release satisfies the requirements: what binds, and the nearest that can be had.

It is found at the top of the allowed lattice. Where generalizing never adds to the suppressed rows, what is
infeasible there is infeasible everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np

from shoal.errors import InfeasibleError
from shoal.privacy.classes import Classes
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.passing_classes import passing, settled
from shoal.recode.full_domain import FullDomain
from shoal.recode.released_classes import Verdict
from shoal.search.algorithms.exhaustive import classes_of
from shoal.search.problem import SearchProblem

_MOST_STARRED = 100_000
"""Rows up to which it is tried how many more must be starred."""


def infeasible(problem: SearchProblem) -> InfeasibleError:
    """Return the error for a problem without a solution."""
    top = classes_of(problem, [column.max_level for column in problem.table.columns])
    claims = " and ".join(model.describe() for model in problem.models)
    revealing = [model.describe() for model in problem.models if not model.suppressible]
    limit = "" if revealing else f" with a suppression limit of {problem.suppression:g}"
    held = ", ".join(column.name for column in problem.table.columns if column.max_level < column.height)
    lines = [f"No release satisfies {claims}{limit}.", _failing(problem, top)]
    if len(problem.models) > 1:
        lines.append(_binding(problem, top))
    lines += [
        f"No row may be suppressed: under {name} a missing class reveals something." for name in revealing
    ]
    lines += [note for model in problem.models for note in model.notes(problem.table)]
    lines.append(_nearest(problem, top))
    if held:
        lines.append(f"The spec holds {held} below the top level; raising it helps too.")
    return InfeasibleError("\n".join(lines))


def infeasible_stars(problem: SearchProblem, levels: Sequence[int], *, proved: bool) -> InfeasibleError:
    """Return the error where removing suppressed rows would do and starring them does not.

    Parameters
    ----------
    levels
        The best choice of levels where suppressed rows are removed.
    proved
        Whether all others were looked at.
    """
    claims = " and ".join(model.describe() for model in problem.models)
    verdict = problem.verdict(levels)
    starred = verdict.suppressed_rows
    failing = [
        model.describe() for model in problem.models if not verdict.stars_pass_by([model], limit=starred)
    ]
    needed = _starred_rows(problem, levels)
    higher = ""
    if needed is not None and needed < problem.table.rows:
        higher = f"allow a suppression limit of {smallest_limit(needed, problem.table.rows)}, "
    return InfeasibleError(
        f"No release {'satisfies' if proved else 'was found that satisfies'} {claims} with a suppression "
        f"limit of {problem.suppression:g} and starred rows.\n"
        "Starred rows form a class that anybody can see. At the best levels "
        f"{_count(starred, 'row')} would be starred and fail {' and '.join(failing) or 'together'}; starring "
        f"more until they pass takes more than the {_count(problem.limit, 'row')} that may be suppressed.\n"
        f"Remove suppressed rows (suppressed: remove), {higher}or require less."
    )


def _failing(problem: SearchProblem, top: Classes) -> str:
    """Describe how far the top is from satisfying."""
    rows, people = problem.table.rows, _people(problem)
    if max((model.k for model in problem.models if isinstance(model, KAnonymity)), default=0) > people:
        return f"The table has only {_count(people, 'row' if problem.table.units is None else 'unit')}."
    kept = passing(problem.models, top)
    suppressed = int(top.sizes[~kept].sum())
    even = "Even at" if problem.requirement.monotone else "At"
    explanation = (
        f"{even} the highest levels {_count(suppressed, 'row')} of {rows:,} "
        f"{'is' if suppressed == 1 else 'are'} in classes that fail, and {problem.limit:,} may be suppressed"
    )
    absent = int(np.count_nonzero(~kept & (top.sizes == 0)))
    if absent:
        explanation += f"; {_count(absent, 'class', 'classes')} of the population without a row fail too"
    return (
        f"{explanation}."
        if problem.requirement.monotone
        else f"{explanation}; no lower node satisfies either."
    )


def _binding(problem: SearchProblem, top: Classes) -> str:
    """Describe what each requirement does by itself."""
    alone = []
    binding = []
    for model in problem.models:
        kept = passing([model], top)
        alone.append(f"{model.describe()} fails {_count(int(top.sizes[~kept].sum()), 'row')}")
        if not settled([model], top, kept, problem.limit):
            binding.append(model.describe())
    what = f"What binds is {' and '.join(binding)}" if binding else "Only together do they bind"
    return f"{what}: alone, {', '.join(alone)}."


def _nearest(problem: SearchProblem, top: Classes) -> str:
    """Describe what can be satisfied at the top."""
    models, rows = problem.models, problem.table.rows
    sizes = [position for position, model in enumerate(models) if isinstance(model, KAnonymity)]
    options = []
    if sizes:
        largest = largest_k(models, sizes, top, problem.limit)
        if largest is not None and _stars_pass(problem, _with_k(models, sizes, largest)):
            options.append(f"k = {largest} with this limit")
    suppressed: int | None = int(top.sizes[~passing(models, top)].sum())
    if problem.starred:
        suppressed = _starred_rows(problem, _top(problem))
    if suppressed is not None and all(model.suppressible for model in models):
        every = " (every row)" if suppressed == rows else ""
        what = f"k = {problem.k}" if len(models) == len(sizes) else "these requirements"
        options.append(f"a suppression limit of {smallest_limit(suppressed, rows)}{every} with {what}")
    if not options:
        return "Ask for less."
    return f"Nearest requirements that can be satisfied: {', or '.join(options)}."


def largest_k(
    models: Sequence[PrivacyModel], positions: Sequence[int], classes: Classes, limit: int
) -> int | None:
    """Return the largest k for which suppressing at most `limit` rows makes these classes satisfy.

    Parameters
    ----------
    positions
        Which of the models are k-anonymity, whose k is looked for; the others stay.

    Returns
    -------
    int or None
        None if the others fail whatever k is.

    Examples
    --------
    >>> from shoal.privacy.grouped import group
    >>> classes = group(["a"] * 3 + ["b"] * 5 + ["c"] * 3)
    >>> largest_k([KAnonymity(9)], [0], classes, limit=2), largest_k([KAnonymity(9)], [0], classes, limit=6)
    (3, 5)
    """
    candidates = np.unique(classes.people[classes.sizes > 0]).tolist()

    def feasible(k: int) -> bool:
        weaker = _with_k(models, positions, k)
        return settled(weaker, classes, passing(weaker, classes), limit)

    low, high = 0, len(candidates)  # all below `low` are feasible, none from `high` on
    while low < high:
        middle = (low + high) // 2
        if feasible(candidates[middle]):
            low = middle + 1
        else:
            high = middle
    return candidates[low - 1] if low else None


def smallest_limit(suppressed: int, rows: int) -> str:
    """Return the share of rows as a number of three digits, rounded up so that it suffices.

    Examples
    --------
    >>> smallest_limit(419, 30162)
    '0.0139'
    >>> smallest_limit(7, 7)
    '1'
    """
    share = Context(prec=3, rounding=ROUND_CEILING).divide(Decimal(suppressed), Decimal(rows))
    return f"{share.normalize():f}"


def _with_k(models: Sequence[PrivacyModel], positions: Sequence[int], k: int) -> list[PrivacyModel]:
    return [KAnonymity(k) if position in positions else model for position, model in enumerate(models)]


def _top(problem: SearchProblem) -> list[int]:
    return [column.max_level for column in problem.table.columns]


def _stars_pass(problem: SearchProblem, models: Sequence[PrivacyModel]) -> bool:
    """Return whether the rows that would be starred at the top pass, or none are."""
    return replace(problem, models=tuple(models)).verdict(_top(problem)).stars_pass


def _starred_rows(problem: SearchProblem, levels: Sequence[int]) -> int | None:
    """Return how many rows would be starred at a node if there were no limit, or a very high one."""
    most = min(problem.table.rows, max(_MOST_STARRED, 10 * problem.limit))
    recoding = FullDomain.at(problem.table, levels)
    verdict = Verdict.of(problem.table, recoding, problem.models, star=most)
    return verdict.suppressed_rows if verdict.stars_pass else None


def _people(problem: SearchProblem) -> int:
    """Return how many the whole table is about."""
    return int(Classes(problem.table, np.zeros(problem.table.entries, dtype=np.int64), 1).people[0])


def _count(number: int, noun: str, several: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"
