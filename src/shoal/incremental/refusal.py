"""The answer when the levels cannot be kept: what stands against it, and what must change."""

from __future__ import annotations

from shoal.errors import InfeasibleError
from shoal.incremental.admitted_rows import ExtensionPlan, plan
from shoal.incremental.earlier_release import Earlier, with_k
from shoal.privacy.k_anonymity import KAnonymity
from shoal.search.infeasible import largest_k, smallest_limit
from shoal.spec.spec import Spec

_OTHERWISE = (
    "more new rows, added together with these",
    "the new rows by themselves, with `shoal anonymize`: nobody of theirs is in the earlier release, so that "
    "there is nothing to subtract",
)
_DANGER = (
    "Do not release all rows anew at other levels while the earlier release is known: everybody in it is in "
    "both, and whoever has the two can join them, class by class, until few or one are left."
)


def refusal(earlier: Earlier, found: ExtensionPlan) -> InfeasibleError:
    """Return the error for a plan that is not feasible."""
    spec = earlier.spec
    claims = " and ".join(model.describe() for model in spec.privacy)
    new = int(found.rows.new.sum())
    options = [] if found.failing else _nearest(spec, found)
    if found.failing:
        lines = [
            f"The levels of {earlier.name!r} cannot be kept: "
            f"{_count(found.failing, 'class', 'classes')} of it would not satisfy {claims} any more.",
            "These are compared with the table as it is now, and what is published cannot be taken back.",
        ]
    elif not found.added.any():
        lines = [
            f"Nothing can be added to {earlier.name!r}: {_count(new, 'new row')} would wait.",
            f"In the difference between the releases no class satisfies {claims}.",
        ]
    else:
        limit = smallest_limit(found.suppressed, found.total)
        options.insert(0, f"a suppression limit of {limit} (--suppression {limit})")
        lines = [
            f"The levels of {earlier.name!r} cannot be kept: {_count(found.suppressed, 'row')} of "
            f"{found.total:,} could not be released, and {found.allowed:,} may be suppressed.",
            f"{_count(found.waiting, 'new row')} of {new:,} would wait, since in the difference between the "
            f"releases their classes do not satisfy {claims}; "
            f"{_count(found.suppressed - found.waiting, 'row')} suppressed before would stay so.",
        ]
    lines.append(f"Any of these helps: {'; '.join([*options, *_OTHERWISE])}.")
    return InfeasibleError("\n".join([*lines, _DANGER]))


def _nearest(spec: Spec, found: ExtensionPlan) -> list[str]:
    """List the k with which the levels could stay, and what else may help."""
    options = []
    positions = [position for position, model in enumerate(spec.privacy) if isinstance(model, KAnonymity)]
    # Rows that are no candidates stay out whatever k is, and some candidate is to be added.
    candidates = int(found.candidates.sum())
    beside = found.total - int(found.rows.released.sum()) - candidates
    spare = min(found.allowed - beside, candidates - 1)
    if positions and spare >= 0:
        largest = largest_k(spec.privacy, positions, found.difference, spare)
        # With a smaller k more of what was suppressed before may have to stay out.
        if (
            largest is not None
            and largest < max(_ks(spec))
            and plan(found.rows, with_k(spec, largest)).feasible
        ):
            options.append(f"k = {largest} (-k {largest}), a weaker claim than the earlier one")
    if found.rows.lost:
        options.append("perhaps the original table (--original), with rows that were suppressed before")
    return options


def _ks(spec: Spec) -> list[int]:
    return [model.k for model in spec.privacy if isinstance(model, KAnonymity)]


def _count(number: int, noun: str, several: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"
