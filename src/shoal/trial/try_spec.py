"""Try a spec on a table: search as `anonymize` does, release nothing, and say what would come out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Timer
from time import perf_counter

import numpy as np

from shoal.describe.hierarchy import FromData
from shoal.describe.roles import LINKABLE_SHARE
from shoal.errors import CancelledError, InfeasibleError, InputError, ShoalError
from shoal.events import Listener
from shoal.measure.loss import Loss
from shoal.prepare.columns import settle_columns
from shoal.privacy.k_anonymity import KAnonymity
from shoal.read.source import open_source
from shoal.search.algorithms.best_first import BestFirst
from shoal.session import Found, Session, judged
from shoal.spec.spec import Spec, SpecForm
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.strategies.mondrian import Mondrian
from shoal.suggestions.suggestion import Suggestion
from shoal.tradeoff.linkable import linkability
from shoal.trial.trial import MANY, Change, Outcome, Setting, Trial

_MOST_CELLS = 50_000_000
_MOST_BYTES = 1 << 30
_SHARE_FOR_SEARCH = 0.2
"""Share of the time for one search of a lattice that is too large for an exact one."""
_LIMITS = (0.05, 0.1)


def try_spec(
    data: object,
    spec: Suggestion | SpecForm,
    *,
    seconds: float = 5.0,
    listener: Listener | None = None,
) -> Trial:
    """Return what would come out if a table were released by a spec. Nothing is released or written.

    The search is that of `anonymize`. If more than a third of the quasi-identifiers lose all detail, changes
    of the spec are tried too: another recoding, more suppression, a column less.

    Parameters
    ----------
    data
        A file or a data frame, as for `anonymize`.
    spec
        A spec, the path or the content of its YAML file, or what `suggest` proposed.
    seconds
        When to stop. What was found before stays.
    listener
        Receives an event for each step.

    Returns
    -------
    Trial
        If there is no release by the spec, or the table is too large to try, the trial says so.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import shoal
    >>> people = pa.table({"age": list(range(20, 60)), "sex": ["F", "M"] * 20})
    >>> print(shoal.try_spec(people, shoal.suggest(people, k=5)))
    with k = 5: 2 of 2 quasi-identifiers keep detail, no row suppressed; age costs most
    """
    if isinstance(spec, Suggestion) and spec.undecided:
        return Trial(f"k = {spec.k}", problem=f"Not tried before you answer: {spec.question}.")
    wanted = spec.spec if isinstance(spec, Suggestion) else Spec.of(spec)
    requirement = _requirement(wanted)
    if (size := _too_large(data, spec, wanted)) is not None:
        return Trial(requirement, problem=f"Not tried: {size}.")
    try:
        return _tried(data, wanted, requirement, seconds, listener)
    except Exception as error:
        # Whatever it is, whoever wanted a spec has one.
        return Trial(requirement, problem=_problem(error, seconds))


def _problem(error: Exception, seconds: float) -> str:
    """Return in a sentence why there is no release, or why none was tried."""
    if isinstance(error, CancelledError):
        return f"Not tried to the end: it takes more than {seconds:g} seconds."
    if isinstance(error, InfeasibleError):
        return _in_one_line(error)
    if isinstance(error, ShoalError):
        return f"Not tried. {_in_one_line(error)}"
    return f"Not tried: {type(error).__name__}."  # libraries quote the cells that they stumble over


def _requirement(spec: Spec) -> str:
    if len(spec.privacy) == 1 and isinstance(spec.privacy[0], KAnonymity):
        return f"k = {spec.privacy[0].k:,}{'' if spec.unit is None else ' people'}"
    return " and ".join(model.describe() for model in spec.privacy)


def _in_one_line(error: ShoalError) -> str:
    return " ".join(error.render().split())


def _too_large(data: object, given: object, spec: Spec) -> str | None:
    """Return how large the table is if a trial would take long or much memory, else None."""
    if isinstance(given, Suggestion) and given.rows * len(spec.quasi_identifiers) > _MOST_CELLS:
        return (
            f"{given.rows:,} rows with {len(spec.quasi_identifiers):,} quasi-identifiers are many for a trial"
        )
    if isinstance(data, str | os.PathLike) and Path(data).is_file():
        size = Path(data).stat().st_size
        if size > _MOST_BYTES:
            return f"a file of {size / 1e9:.1f} GB is large for a trial"
    return None


def _tried(data: object, spec: Spec, requirement: str, seconds: float, listener: Listener | None) -> Trial:
    end = perf_counter() + seconds
    searched = _searched(spec)
    with Session(data, searched, engine="memory", drop_undeclared=True, listener=listener) as session:
        with _cancelled_at(session, end):
            search = _Search(session, end, seconds * _SHARE_FOR_SEARCH)
            outcome = search.outcome(search.spec)
        problem = _refusal(data, spec)
        changes: list[Change] = []
        if len(outcome.lost) > MANY * len(outcome.columns):
            try:
                with _cancelled_at(session, end):
                    changes.extend(search.changes(outcome))
            except CancelledError:
                pass  # those that were tried in time are measured
    return Trial(requirement, outcome, problem, _best(changes, outcome))


def _refusal(data: object, spec: Spec) -> str:
    """Return why a release would be refused for its columns; empty if it would not."""
    try:
        source = open_source(data, spec.input)
        settle_columns(spec, source, keep_undeclared=False, drop_undeclared=False)
        linkable = linkability(data, spec)
        if linkable is not None:
            linkable.require()
    except InputError as error:
        why = " ".join(error.problems[0].message.splitlines()[:2])
        return f"But this release is refused: {why}"
    if spec.pseudonyms:
        return (
            f"Not tried: whether the rows that {', '.join(spec.pseudonyms)} links single people out. If they "
            f"do so for more than {LINKABLE_SHARE:.0%} of the people, a release is refused."
        )
    return ""


def _searched(spec: Spec) -> Spec:
    """Return the spec without the columns that a search does not look at, so that they are not read."""
    targets = {
        qi.hierarchy.target for qi in spec.quasi_identifiers.values() if isinstance(qi.hierarchy, FromData)
    }
    needed = {*spec.attributes, *targets}
    left = {*spec.quasi_identifiers, *needed}
    return replace(
        spec,
        identifiers=(),
        drop=(),
        pseudonyms=(),
        key=None,
        sensitive={name: column for name, column in spec.sensitive.items() if name in needed},
        insensitive=tuple(name for name in spec.insensitive if name in needed),
        types={name: kind for name, kind in spec.types.items() if name in left},
        accept={name: what for name, what in spec.accept.items() if name in left},
    )


@contextmanager
def _cancelled_at(session: Session, end: float) -> Iterator[None]:
    timer = Timer(max(0.0, end - perf_counter()), session.cancel)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


class _Search:
    """Searches of one table, by its spec and by changed ones."""

    def __init__(self, session: Session, end: float, seconds: float) -> None:
        self.spec = session.spec
        self._session = session
        self._end = end
        self._seconds = seconds

    def outcome(self, spec: Spec, without: frozenset[str] = frozenset()) -> Outcome:
        """Search by a spec, and measure what a release would keep."""
        algorithm = None
        if isinstance(spec.recoding, FullDomainSearch) and self._session.problem(spec).too_large:
            algorithm = BestFirst(seconds=self._seconds)
        return _measured(self._session.search(spec, algorithm=algorithm), without, algorithm is not None)

    def changes(self, outcome: Outcome) -> Iterator[Change]:
        """Yield changes of the spec with their outcomes, as long as there is time."""
        spec = self.spec
        by_levels = isinstance(spec.recoding, FullDomainSearch)
        if by_levels:
            yield from self._change("recoding", Mondrian.name, replace(spec, recoding=Mondrian()))
        if all(model.suppressible for model in spec.privacy):
            for limit in _LIMITS:
                if limit > spec.suppression:
                    yield from self._change("suppression", limit, replace(spec, suppression=limit))
        if not by_levels:
            return
        for column in self._session.table().columns:
            # Without a column that keeps nothing, the others keep no more.
            if column.name not in outcome.lost:
                top = spec.adjust(levels={column.name: column.height})
                yield from self._change("without", column.name, top, frozenset({column.name}))

    def _change(
        self, setting: Setting, value: str | float, spec: Spec, without: frozenset[str] = frozenset()
    ) -> Iterator[Change]:
        try:
            yield Change(setting, value, self.outcome(spec, without))
        except CancelledError:
            raise
        except (InputError, InfeasibleError):
            return  # this recoding, for example, does not serve the models


def _measured(found: Found, without: frozenset[str], is_short: bool) -> Outcome:
    verdict = judged(found.spec, found.coded, found.recoding)
    table = verdict.coded
    labels, _ = verdict.released_classes()
    lost = [
        column.name
        for column, numbers in zip(table.columns, labels, strict=True)
        if len(np.unique(numbers)) < 2 <= len(column.labels[0])
    ]
    alike = replace(table, columns=tuple(replace(column, weight=1.0) for column in table.columns))
    parts = Loss().contributions(alike, verdict.cells, verdict.lost)
    assert parts is not None, "loss is a sum over columns"
    costs = dict(zip(table.names, map(float, parts), strict=True))
    return Outcome(
        columns=tuple(name for name in table.names if name not in without),
        lost=tuple(name for name in lost if name not in without),
        rows=table.rows,
        suppressed_rows=verdict.suppressed_rows,
        costs={name: cost for name, cost in costs.items() if name not in without},
        optimal=found.optimal,
        cut_short=is_short and not found.optimal,
    )


def _best(changes: list[Change], outcome: Outcome) -> tuple[Change, ...]:
    """Return the best change of each kind that keeps detail in more columns, the best of all first."""
    better = [change for change in changes if change.outcome.kept > outcome.kept]
    better.sort(key=lambda change: (-change.outcome.kept, change.outcome.loss))
    return tuple({change.setting: change for change in reversed(better)}.values())[::-1]
