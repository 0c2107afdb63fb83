"""An open table: read and counted once, searched and released as often as you like."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal import notes as remarks
from shoal.audit.reference import claims, original_columns
from shoal.cancellation import Cancellation
from shoal.describe.fitted_hierarchy import Fitted
from shoal.describe.hierarchy import Hierarchy
from shoal.encode.table import CodedTable
from shoal.engines.choose import open_engine
from shoal.engines.engine import Engine, Profile
from shoal.errors import AuditError, InputError, Problem
from shoal.events import Counting, Listener, SearchAdvanced, Steps
from shoal.explore.nodes import Nodes
from shoal.explore.original_table import Original
from shoal.files.atomic import check_path
from shoal.measure.explain import Explanation, explain
from shoal.measure.measure import canonical
from shoal.prepare.columns import settle_columns
from shoal.prepare.pseudonyms import key_problems
from shoal.prepare.read_rows import open_populations
from shoal.privacy.model import PrivacyModel
from shoal.read.source import InputFormat
from shoal.recode.full_domain import FullDomain
from shoal.recode.recoding import Recoding
from shoal.recode.released_classes import Verdict
from shoal.release import Release
from shoal.search.blind_choice import require_all
from shoal.search.counting_plan import Plan
from shoal.search.frequency_sets import FrequencySets, Remembered, Viewed
from shoal.search.infeasible import infeasible_stars
from shoal.search.judge_nodes import judge
from shoal.search.problem import SearchProblem, suppressed_rows_allowed
from shoal.search.result import Counters, SearchAlgorithm
from shoal.search.run import explain as explain_search
from shoal.search.shared_counts import SharedCounts
from shoal.spec.spec import Spec, SpecForm
from shoal.strategies.resolve import require_engine, require_spec, strategy_of
from shoal.strategies.strategy import Question, Strategy
from shoal.write.output import FileOutput, Output, TableOutput, as_output


@dataclass(frozen=True)
class Evaluated:
    """What a release at one choice of levels would be, whether or not it is allowed.

    Attributes
    ----------
    satisfies
        Whether all models hold and no more rows are suppressed than the spec allows.
    suppressed_rows
        Rows in classes that fail, also where these are more than allowed.
    score
        By the spec's measure; None where the choice does not satisfy.
    """

    levels: dict[str, int]
    satisfies: bool
    suppressed_rows: int
    score: float | None


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found: the recoding, how good it is, and what a release needs beside it.

    Attributes
    ----------
    spec
        The spec that was searched, with the hierarchies that were made from the table.
    recoding
        How values become labels; `levels` is the shortcut for one level per column.
    counters
        The work of the search.
    subsets
        From Incognito: for every set of quasi-identifiers the levels at which these alone satisfy.
    plan
        How the table was counted, where that was planned.
    nodes
        If asked for, all choices of levels that satisfy, the best first.
    engine
        That of the session that found it.
    """

    spec: Spec
    recoding: Recoding
    score: float
    optimal: bool
    bound: float | None
    counters: Counters
    subsets: Mapping[tuple[str, ...], NDArray[np.uint8]] | None = field(repr=False)
    plan: Plan | None
    notes: tuple[str, ...]
    nodes: Nodes | None
    coded: CodedTable = field(repr=False)
    profile: Profile = field(repr=False)
    engine: Engine = field(repr=False)

    @property
    def levels(self) -> dict[str, int]:
        """The level of each quasi-identifier; empty where the recoding has none."""
        return dict(self.recoding.levels or {})


class Session:
    """A table that stays open: profile it, search it with this and that requirement, release a choice.

    Everything that was read and counted is used again as long as a spec differs from an earlier one in its
    models on the same columns, its k, its limit, its measure, or the weights and allowed levels of its
    columns. A session is used by one thread at a time, and cancelled from any.

    Parameters
    ----------
    data, spec, engine, table, memory, keep_undeclared, drop_undeclared, seed, keep_order, listener
        As for `shoal.anonymize`.
    also
        Other specs that will be searched, so that what they need is read and counted together.
    output, output_table
        Where releases go, if that is known: it is checked before any work.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import shoal
    >>> people = pa.table({"age": [21, 25, 32, 38, 41, 49], "sex": list("FFMMFM")})
    >>> spec = shoal.Spec(
    ...     quasi_identifiers={"age": shoal.intervals(10, 20), "sex": "suppress"},
    ...     privacy=[shoal.KAnonymity(2)],
    ... )
    >>> with shoal.Session(people, spec) as session:
    ...     print(session.search().levels)
    ...     print(session.search(k=6).levels)
    ...     print(session.evaluate({"age": 2, "sex": 1}))
    ...     release = session.release(session.search(k=3))
    {'age': 3, 'sex': 0}
    {'age': 3, 'sex': 1}
    Evaluated(levels={'age': 2, 'sex': 1}, satisfies=True, suppressed_rows=0, score=0.7333333333333333)
    >>> release.levels
    {'age': 3, 'sex': 0}
    """

    def __init__(
        self,
        data: object,
        spec: SpecForm,
        *,
        also: Sequence[Spec] = (),
        output: str | Path | None = None,
        output_table: str | None = None,
        engine: str | None = None,
        table: str | None = None,
        memory: str | None = None,
        keep_undeclared: bool = False,
        drop_undeclared: bool = False,
        seed: int | None = None,
        keep_order: bool = False,
        listener: Listener | None = None,
    ) -> None:
        _check_arguments(seed, keep_undeclared, drop_undeclared)
        self._cancellation = Cancellation()
        self._listener = listener
        self._keep, self._drop = keep_undeclared, drop_undeclared
        self._seed, self._keep_order = seed, keep_order
        self._released = False
        self._closed = False
        self._also = tuple(also)
        self._prepared: _Prepared | None = None
        self.output = as_output(output, output_table)
        self._engine: Engine | None = None
        self.spec = Spec.of(spec)
        self._open = partial(
            open_engine,
            data,
            self.spec.input,
            engine=engine or self.spec.engine,
            table=table,
            memory=memory,
            writing=isinstance(self.output, TableOutput),
        )
        self.steps = self._new_steps()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Releases keep the engine open: their rows may be in it.
        if kind is not None or not self._released:
            self.close()

    @property
    def engine(self) -> Engine:
        """Where the rows are counted and recoded; the table is opened when it is first needed."""
        self._require_open()
        if self._engine is None:
            self._engine = self._open()
            self._cancellation.on_cancel(self._engine.cancel)
            self.output = self._checked(self.output)
        return self._engine

    def close(self) -> None:
        """Let go of the table; what was made on the way and is not published goes.

        A closed session finds and releases nothing: open another one.
        """
        self.forget()
        self._closed = True
        if self._engine is not None:
            self._engine.close()

    def cancel(self) -> None:
        """End whatever runs now, from any thread; it raises `CancelledError`. Nothing is left behind.

        A cancelled session stays cancelled: open another one.
        """
        self._cancellation.cancel()

    def forget(self) -> None:
        """Let go of what was counted for later searches; a release needs none of it."""
        if self._prepared is not None:
            self._prepared.counts.forget()
            self._prepared.shared.forget()
            self._prepared.shared_blind.forget()

    def settle(self, spec: Spec | None = None) -> Spec:
        """Return the spec with a role for every released column and hierarchies made from the table."""
        return self._prepare(spec).spec

    def problem(self, spec: Spec | None = None) -> SearchProblem:
        """Return the question that a search is asked, with all tuples of the table counted."""
        prepared = self._prepare(spec)
        with self._cancellation.guard():
            return prepared.make_problem(prepared.seen.at((0,) * len(prepared.spec.quasi_identifiers)))

    def table(self, spec: Spec | None = None) -> CodedTable:
        """Return the table with all tuples counted, and the columns that a search does not see, too."""
        prepared = self._prepare(spec)
        with self._cancellation.guard():
            return prepared.viewed.at((0,) * len(prepared.spec.quasi_identifiers))

    def plan(self, spec: Spec | None = None) -> Plan:
        """Return how the table would be counted for a search, and how large that is."""
        prepared = self._prepare(spec)
        with self.steps("search"):
            return explain_search(
                prepared.seen,
                prepared.make_problem,
                most_entries=self.engine.most_entries,
                report=self._counting,
                engine=self.engine.name,
            )

    def search(
        self,
        spec: Spec | None = None,
        *,
        k: int | None = None,
        recoding: str | Mapping[str, object] | Strategy | None = None,
        algorithm: str | SearchAlgorithm | None = None,
        threads: int | None = None,
        all_nodes: bool = False,
    ) -> Found:
        """Find the best recoding: the best choice of levels, or another kind that the spec names.

        Parameters
        ----------
        spec
            What to require; if not given, the spec that the session was opened with.
        k
            Takes the place of the spec's k-anonymity.
        recoding, algorithm, threads, all_nodes
            As for `shoal.anonymize`.

        Raises
        ------
        InfeasibleError
            No choice satisfies; the message names the nearest that does.
        """
        spec = self.spec if spec is None else spec
        if k is not None:
            from shoal.privacy.k_anonymity import KAnonymity

            others = tuple(model for model in spec.privacy if not isinstance(model, KAnonymity))
            spec = replace(spec, privacy=(KAnonymity(k), *others))
        if recoding is not None:
            spec = replace(spec, recoding=recoding)  # type: ignore[arg-type]
        chosen = strategy_of(spec.recoding, algorithm)
        require_spec(chosen, spec, all_nodes=all_nodes)
        require_engine(chosen, self.engine.name)
        prepared = self._prepare(spec)
        with self.steps("search"):
            return self._search(prepared, chosen, threads, all_nodes)

    def _search(self, prepared: _Prepared, strategy: Strategy, threads: int | None, all_nodes: bool) -> Found:
        spec, processors = prepared.spec, os.cpu_count() or 1
        chosen = strategy.choose(
            Question(
                spec=spec,
                counts=prepared.seen,
                make_problem=prepared.make_problem,
                most_entries=self.engine.most_entries,
                all_nodes=all_nodes,
                threads=min(threads or processors, processors),
                listener=None if self._listener is None else self._advanced,
                report=self._counting,
                bind=self.engine.bound,
            )
        )
        problem = chosen.problem
        coded = problem.table
        if spec.choose_by == "quasi-identifiers":
            # A blind search saw no attributes, and the models that are checked now need them.
            coded = prepared.viewed.at(coded.bottom or (0,) * len(coded.columns))
        found = Found(
            spec=spec,
            recoding=chosen.recoding,
            score=chosen.score,
            optimal=chosen.optimal,
            bound=chosen.bound,
            counters=chosen.counters,
            subsets=chosen.subsets,
            plan=chosen.plan,
            notes=(
                *prepared.notes,
                *chosen.notes,
                *remarks.on_hierarchies(coded),
                *remarks.on_models(spec, coded),
                *(() if chosen.plan is None else chosen.plan.notes),
            ),
            nodes=None,
            coded=coded,
            profile=prepared.profile,
            engine=self.engine,
        )
        if chosen.satisfying is None or chosen.recoding.node is None:
            return found
        nodes = Nodes.of(spec, problem, chosen.satisfying, partial(self._make, found))
        if problem.starred and not nodes:
            raise infeasible_stars(problem, chosen.recoding.node, proved=True)
        if problem.starred:
            found = replace(found, recoding=FullDomain(nodes.best.levels), score=nodes.best.score)
        return replace(found, nodes=nodes)

    def evaluate(self, levels: Mapping[str, int], spec: Spec | None = None) -> Evaluated:
        """Look at one choice of levels, whether or not it satisfies."""
        problem = self.problem(spec)
        self._check_levels(levels, problem.table)
        with self.steps("search"):
            judged = judge(problem, [[levels[name] for name in problem.table.names]])
        satisfies = bool(judged.satisfies[0])
        return Evaluated(
            levels={name: levels[name] for name in problem.table.names},
            satisfies=satisfies,
            suppressed_rows=int(judged.suppressed_rows[0]),
            score=float(judged.scores[0]) if satisfies else None,
        )

    def _checked(self, output: Output | None) -> Output | None:
        """Raise what is wrong about where a release is to go, and in which order, before any work."""
        if isinstance(output, FileOutput):
            output = output.like(self.engine.source.dialect, self.spec.input)
            if not output.replaces_folder:  # that the engine decides
                check_path(output.path, apart_from=(*self.engine.source.files, *self.spec.files))
        self.engine.check(output, seed=self._seed, keep_order=self._keep_order)
        return output

    def _check_levels(self, levels: Mapping[str, int], table: CodedTable) -> None:
        problems = [
            f"Column {column.name!r} has levels 0 to {column.height}.\nFound: {levels.get(column.name)!r}."
            for column in table.columns
            if not isinstance(level := levels.get(column.name), int) or not 0 <= level <= column.height
        ]
        problems += [
            f"Column {name!r} is not a quasi-identifier.\nQuasi-identifiers: {', '.join(table.names)}."
            for name in levels
            if name not in table.names
        ]
        if problems:
            raise InputError(problems)

    def release(
        self,
        found: Found | None = None,
        *,
        output: str | Path | None = None,
        output_table: str | None = None,
    ) -> Release:
        """Recode the table as a search found, and audit it. `Release.write` publishes it.

        Parameters
        ----------
        found
            What `search` returned; if not given, a search comes first.
        output, output_table
            Where it will go, if that is known and not what the session was opened with: an engine then
            writes it there at once, hidden until `Release.write`.
        """
        if found is not None and found.engine is not self._engine:
            raise InputError(
                "A session releases what it found itself.\n"
                "Found: what another session found, perhaps in another table.\n"
                "Search in this session, or release it with the session that found it."
            )
        given = as_output(output, output_table)
        written_to = self.output if given is None else self._checked(given)
        found = self.search() if found is None else found
        return self._release(found, self.steps, output=written_to)

    def _make(self, found: Found, nodes: Nodes, position: int) -> Release:
        """Make the release of one of all satisfying nodes, of which the first is the best."""
        node, best = nodes[position], nodes[0].score
        optimal = canonical(node.score) == canonical(best)
        chosen = f"Chosen as number {position + 1:,} of {len(nodes):,} satisfying nodes by {nodes.quality}."
        once = (
            "Publish only one release of a table: anybody who has two can join them, and then neither hides "
            "anybody."
        )
        return self._release(
            replace(
                found,
                spec=nodes.spec,
                recoding=FullDomain(node.levels),
                score=node.score,
                optimal=optimal,
                bound=best,
                nodes=nodes,
            ),
            self._new_steps(),
            notes=(once,) if optimal else (chosen, once),
        )

    def _release(
        self, found: Found, steps: Steps, *, notes: tuple[str, ...] = (), output: Output | None = None
    ) -> Release:
        """Recode the table, and audit what comes of it."""
        self._require_open()
        spec, coded, recoding = found.spec, found.coded, found.recoding
        with steps("recode"):
            verdict = judged(spec, coded, recoding)
            recoding = verdict.recoding  # its labels show nothing of suppressed rows
            suppressed = verdict.suppressed_rows
            _check_suppressed(suppressed, _suppressed_rows_allowed(coded.rows, spec))
            rows = found.profile.recode(
                spec, verdict, output=output, seed=self._seed, keep_order=self._keep_order
            )
        self._released = True
        with steps("audit"):
            evidence = rows.audit(spec, recoding.levels)
            evidence.require(coded.rows - (suppressed if spec.suppressed == "remove" else 0))
            if evidence.linkable is not None:
                evidence.linkable.require()
            for linked in evidence.linked:
                linked.require()
        source = self.engine.source
        return Release(
            released=rows,
            spec=spec,
            recoding=recoding,
            heights={column.name: column.height for column in coded.columns},
            score=found.score,
            rows=coded.rows,
            suppressed_rows=suppressed,
            class_sizes=verdict.class_sizes,
            optimal=found.optimal,
            bound=found.bound,
            nodes=found.counters,
            audit=evidence,
            explanation=_explanation(found, verdict),
            shuffled=not self._keep_order,
            dialect=source.dialect,
            notes=(
                *(note for linked in evidence.linked for note in linked.notes()),
                *(() if evidence.linkable is None else evidence.linkable.notes()),
                *found.notes,
                *notes,
                *remarks.on_weights(spec),
                *remarks.on_stars(verdict, spec),
                *remarks.on_traces(verdict, spec),
                *remarks.on_several_classes(verdict, spec),
                *remarks.on_formulas(rows, spec, output),
            ),
            source=source,
            steps=steps,
            original=Original(source, coded, recoding, verdict.lost, verdict.entries_kept),
            sessions=Session,
            engine=self.engine.name,
            satisfying_nodes=found.nodes,
            subsets=_as_tables(found.subsets),
        )

    def _prepare(self, spec: Spec | None) -> _Prepared:
        """Return the table as a spec needs it: what was read and counted before, if that serves."""
        self._require_open()
        wanted = self.spec if spec is None else spec
        if wanted.input not in (InputFormat(), self.spec.input):
            raise InputError(
                "A session reads its table in one format.\n"
                "Found: a spec with another `input:` than that of the session.\nOpen another session."
            )
        wanted = replace(wanted, input=self.spec.input)
        if self._prepared is None or not self._prepared.serves(wanted):
            self.forget()
            self._prepared = self._read(wanted)
        return self._prepared.of(wanted)

    def _require_open(self) -> None:
        if not self._closed:
            return
        with self._cancellation.guard():  # which says so if it was cancelled
            raise InputError(
                "The session is closed.\nIts table is not read any more.\n"
                "Search and release before it is closed, within the `with` block, or open another session."
            )

    def _read(self, wanted: Spec) -> _Prepared:
        with self.steps("read"):
            source = self.engine.source
            sources, problems = open_populations(wanted)
            problems += key_problems(wanted)
            spec, settled = settle_columns(wanted, source, self._keep, self._drop, problems)
            alike = (other for other in self._also if _form(replace(other, input=spec.input)) == _form(spec))
            also = tuple(alike)
            together = replace(spec, privacy=_union(spec, also))
            others = (name for other in also for name in other.attributes)
            attributes = tuple(dict.fromkeys((*spec.attributes, *others)))
            profile = self.engine.profile(together, sources, attributes)
        with self.steps("encode"):
            together, counts = profile.encode(together)
        return _Prepared(
            spec=together,
            named=frozenset(wanted.insensitive),
            notes=settled,
            profile=profile,
            counts=Remembered(counts),
            shared=SharedCounts(),
            shared_blind=SharedCounts(),
        )

    def _new_steps(self) -> Steps:
        return Steps(self._listener, guard=self._cancellation.guard)

    def _counting(self, what: str) -> None:
        self.steps.report(Counting(what))

    def _advanced(self, nodes: int, decided: int, best: float | None) -> None:
        self.steps.report(SearchAdvanced(nodes, decided, best))


@dataclass(frozen=True)
class _Prepared:
    """A table, read and counted for all specs that look at it in the same way.

    Attributes
    ----------
    spec
        The spec at hand, with its hierarchies made; of the one that was read, with the models of all.
    named
        The insensitive columns that the one that was read names. That of `spec` has undeclared ones too.
    notes
        How undeclared columns were settled.
    """

    spec: Spec
    named: frozenset[str]
    notes: tuple[str, ...]
    profile: Profile
    counts: Remembered
    shared: SharedCounts
    shared_blind: SharedCounts

    def serves(self, spec: Spec) -> bool:
        """Return whether nothing has to be read or counted anew for a spec."""
        own = original_columns(self.spec, claims(self.spec))
        return (
            _form(spec) == _form(self.spec)
            and set(spec.insensitive) in (self.named, set(self.spec.insensitive))
            and set(spec.attributes) <= set(self.counts.domain.attributes)
            and set(original_columns(spec, claims(spec))) <= set(own)
        )

    def of(self, spec: Spec) -> _Prepared:
        """Return the same for a spec that it serves.

        Raises
        ------
        InputError
            A model of it does not fit the table, or a column has no such level.
        """
        made = {
            name: replace(spec.quasi_identifiers[name], hierarchy=column.hierarchy)
            for name, column in self.spec.quasi_identifiers.items()
        }
        settled = replace(spec, quasi_identifiers=made, insensitive=self.spec.insensitive)
        prepared = replace(self, spec=settled)
        domain = self.counts.domain
        problems = [
            Problem(
                f"Column {column.name!r}: its hierarchy has levels 0 to {column.height}, but the spec sets "
                f"{made[column.name].min_level} to {made[column.name].max_level}."
            )
            for column in domain.columns
            if max(made[column.name].min_level, made[column.name].max_level or 0) > column.height
        ]
        problems += [Problem(words) for model in spec.privacy for words in model.problems(domain)]
        if problems:
            raise InputError(problems)
        return prepared

    @property
    def viewed(self) -> FrequencySets:
        """Frequency sets with the weights and allowed levels of the spec at hand."""
        return Viewed(self.counts, self._view)

    @property
    def seen(self) -> FrequencySets:
        """The same as the search sees them: without sensitive columns, if it must not be steered by them."""
        return self.viewed.without_attributes() if self._blind else self.viewed

    @property
    def _blind(self) -> bool:
        return self.spec.choose_by == "quasi-identifiers"

    def make_problem(self, frequencies: CodedTable) -> SearchProblem:
        """Make the question of a frequency set."""
        spec = self.spec
        shared = self.shared_blind if self._blind else self.shared
        return shared.problem(
            SearchProblem(
                frequencies,
                spec.searched,
                spec.quality,
                spec.suppression,
                starred=spec.suppressed == "star",
            )
        )

    def _view(self, table: CodedTable) -> CodedTable:
        counted = {column.name: 0 for column in table.columns}
        if table.bottom is not None:
            counted = dict(zip(table.names, table.bottom, strict=True))
        columns = []
        for column in table.columns:
            qi = self.spec.quasi_identifiers[column.name]
            most = column.height if qi.max_level is None else qi.max_level
            least = max(qi.min_level, counted[column.name])
            columns.append(replace(column, weight=qi.weight, min_level=least, max_level=most))
        return replace(table, columns=tuple(columns))


def judged(spec: Spec, coded: CodedTable, recoding: Recoding) -> Verdict:
    """Return the classes that a recoding leaves, if they may be released.

    Parameters
    ----------
    coded
        With the columns of all models, also of those that had no part in the choice.

    Raises
    ------
    InfeasibleError
        A model that the search did not look at fails: of a choice by the quasi-identifiers alone, or of what
        removed rows tell.
    """
    star = _suppressed_rows_allowed(coded.rows, spec) if spec.suppressed == "star" else None
    verdict = Verdict.of(coded, recoding, spec.searched, star=star)
    verdict.require_hidden(spec.privacy)
    if spec.choose_by == "quasi-identifiers":
        require_all(spec.privacy, verdict)
    return verdict


def _form(spec: Spec) -> object:
    """Return what specs must have in common to share what was read. Weights, levels and models may differ."""
    columns = [
        (name, replace(qi, weight=1.0, min_level=0, max_level=None, hierarchy=_as_given(qi.hierarchy)))
        for name, qi in spec.quasi_identifiers.items()
    ]
    return (
        columns,
        dict(spec.sensitive),
        set(spec.identifiers),
        set(spec.drop),
        (set(spec.pseudonyms), spec.key),
        dict(spec.types),
        spec.unit,
        {model.column: model.distribution for model in spec.privacy if model.distribution},
        sorted(spec.populations),
        spec.input,
        spec.escape_formulas,
    )


def _as_given(hierarchy: Hierarchy) -> Hierarchy:
    """Return a hierarchy as it was given, before it was made from the table."""
    return hierarchy.declared if isinstance(hierarchy, Fitted) else hierarchy


def _union(spec: Spec, others: Sequence[Spec]) -> tuple[PrivacyModel, ...]:
    models = list(spec.privacy)
    for other in others:
        models += [model for model in other.privacy if model not in models]
    return tuple(models)


def _check_arguments(seed: int | None, keep_undeclared: bool, drop_undeclared: bool) -> None:
    problems = []
    if seed is not None and seed < 0:
        problems.append(f"The seed must be a whole number of at least 0.\nFound: {seed}.")
    if keep_undeclared and drop_undeclared:
        problems.append("Undeclared columns cannot be both kept and dropped.\nChoose one.")
    if problems:
        raise InputError(problems)


def _explanation(found: Found, verdict: Verdict) -> Explanation:
    spec, coded = found.spec, found.coded
    # Nodes may have been ranked by other weights than those of the search.
    columns = (replace(column, weight=spec.quasi_identifiers[column.name].weight) for column in coded.columns)
    table = replace(coded, columns=tuple(columns))
    k = max(model.minimum_size for model in spec.privacy)
    return explain(spec.quality, table, verdict.cells, verdict.lost, score=found.score, k=k)


def _suppressed_rows_allowed(rows: int, spec: Spec) -> int:
    may = all(model.suppressible for model in spec.privacy)
    return suppressed_rows_allowed(spec.suppression, rows) if may else 0


def _check_suppressed(suppressed: int, allowed: int) -> None:
    """Raise unless the rows that were suppressed in the end are as few as the spec allows."""
    if suppressed > allowed:
        raise AuditError(
            "The release exceeds its suppression limit.\n"
            f"Measured: {suppressed:,} rows suppressed, {allowed:,} allowed.\n"
            "Nothing was written."
        )


def _as_tables(
    subsets: Mapping[tuple[str, ...], NDArray[np.uint8]] | None,
) -> dict[tuple[str, ...], pa.Table] | None:
    if subsets is None:
        return None
    return {names: pa.table(list(nodes.T.copy()), names=list(names)) for names, nodes in subsets.items()}
