"""From a table to its release: the steps, one call each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal import registry
from shoal.describe.hierarchy import FromData
from shoal.encode.table import CodedTable
from shoal.engines.choose import open_engine
from shoal.engines.engine import Engine, Profile, Rows
from shoal.errors import AuditError, InputError
from shoal.events import Counting, Listener, SearchAdvanced, Steps
from shoal.explore.nodes import Nodes
from shoal.explore.original import Original
from shoal.measure.explain import Explanation, explain
from shoal.measure.measure import canonical
from shoal.prepare.columns import settle_columns
from shoal.prepare.tables import open_populations
from shoal.privacy.judge import passing
from shoal.read.formulas import note as note_on_formulas
from shoal.read.formulas import opens_in_spreadsheets
from shoal.recode.full_domain import FullDomain
from shoal.recode.recoding import Recoding
from shoal.recode.verdict import Verdict
from shoal.release import Release
from shoal.search.algorithms.best_first import BestFirst
from shoal.search.beyond_memory.plan import Plan
from shoal.search.blind_choice import require_all
from shoal.search.capabilities import require_served
from shoal.search.infeasible import infeasible, infeasible_stars
from shoal.search.problem import SearchProblem, suppressed_rows_allowed
from shoal.search.result import SearchAlgorithm, SearchResult
from shoal.search.run import explain as explain_search
from shoal.search.run import search_counted
from shoal.search.starred_rows import settle_stars
from shoal.spec.spec import Spec
from shoal.suggestions.words import listed
from shoal.write.output import FileOutput, Output, TableOutput, as_output


def anonymize(
    data: object,
    spec: Spec | str | Path,
    *,
    output: str | Path | None = None,
    output_table: str | None = None,
    publish: bool = True,
    remember_people: bool = False,
    engine: str | None = None,
    table: str | None = None,
    memory: str | None = None,
    algorithm: str | SearchAlgorithm | None = None,
    threads: int | None = None,
    seed: int | None = None,
    keep_order: bool = False,
    keep_undeclared: bool = False,
    drop_undeclared: bool = False,
    all_nodes: bool = False,
    listener: Listener | None = None,
) -> Release:
    """Find the release that loses the least information among those that satisfy the spec.

    Parameters
    ----------
    data
        A pandas, polars or Arrow table, a relation of DuckDB, a Spark data frame, an Ibis table; the path of
        a CSV, Parquet, Excel, Stata, SPSS or SAS file; several CSV or Parquet files, `visits/*.parquet`, or
        a folder of them; the URL of a database, `postgresql://server/clinic` or `clinic.duckdb`, with
        `table`. It is not changed.
    spec
        What the columns mean and what the release must satisfy, or the path of its YAML file.
    output, output_table
        Where the release goes: a file or a folder, or a table of the database. It is written there by the
        engine itself, with its evidence beside it. If not given, `Release.write` does it later.
    publish
        Whether it is put into that place at once; otherwise `Release.write` does that too, with what else is
        to be beside it.
    remember_people
        Keep keyed hashes of the people for `shoal.extend`; see `Release.write`.
    engine
        Where the rows are counted and recoded: `memory`, `duckdb`, `postgres` or `spark`. All give the same
        release. If not given, the spec's; if that is `auto`, by what the data is and how large.
    table
        The table of a database, or a query in parentheses.
    memory
        How much an engine may use here, such as `4GB`; what is larger goes to files.
    algorithm
        The search, by its name or as an object with settings of its own. All that are exact give the same
        release; they differ in the time that it takes. If not given, it is `box`, and where there are too
        many choices of levels for that, `best-first`, which stops after some seconds with a proved bound.
    threads
        How many the search may use; all processors if not given.
    seed
        Makes the shuffle of the rows repeatable on this machine: it is mixed with the publisher's secret
        (`shoal.secret`) and with the release itself. Nothing that is written says that there was one.
    keep_order
        Leave the rows in the order of the input, which may tell who is who.
    keep_undeclared, drop_undeclared
        What to do with columns that the spec does not name; otherwise they are an error.
    all_nodes
        Also find all choices of levels that satisfy, for `Release.satisfying_nodes`.
    listener
        Called with what happens: see `shoal.events`.

    Raises
    ------
    InputError
        With everything that is wrong about the data, the spec or a parameter.
    LinkableError
        Columns that are released as they are single people out, and the spec does not accept that; an
        InputError too.
    InfeasibleError
        No release satisfies the spec; the message names the nearest that can be satisfied.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import shoal
    >>> people = pa.table({"age": [34, 37, 51, 58], "zip": ["53715", "53710", "53706", "53703"]})
    >>> spec = shoal.Spec(
    ...     quasi_identifiers={"age": shoal.intervals(10, 20), "zip": shoal.prefix(5)},
    ...     privacy=[shoal.KAnonymity(2)],
    ... )
    >>> release = shoal.anonymize(people, spec)
    >>> release.levels
    {'age': 1, 'zip': 1}
    >>> sorted(release.data["zip"].to_pylist())
    ['5370*', '5370*', '5371*', '5371*']
    """
    _check_arguments(threads, seed, keep_undeclared, drop_undeclared)
    search_algorithm = _algorithm("box" if algorithm is None else algorithm)
    written_to = as_output(output, output_table)
    steps = Steps(listener)
    with ExitStack() as ending:
        with steps("read"):
            spec = spec if isinstance(spec, Spec) else Spec.from_yaml(spec)
            require_served(
                search_algorithm,
                spec.searched,
                spec.quality,
                spec.suppression,
                units=spec.unit is not None,
                all_nodes=all_nodes,
            )
            place = open_engine(
                data,
                spec.input,
                engine=engine or spec.engine,
                table=table,
                memory=memory,
                writing=isinstance(written_to, TableOutput),
            )
            ending.callback(place.close)
            if isinstance(written_to, FileOutput):
                written_to = written_to.like(place.source.dialect, spec.input)
            place.check(written_to, seed=seed, keep_order=keep_order)
            sources, problems = open_populations(spec)
            spec, notes = settle_columns(spec, place.source, keep_undeclared, drop_undeclared, problems)
            profile = place.profile(spec, sources)
        with steps("encode"):
            spec, counts = profile.encode(spec)
        with steps("search"):
            ask = _asking(spec)
            blind = spec.choose_by == "quasi-identifiers"
            seen = counts.without_attributes() if blind else counts
            whole = ask(seen.domain)
            if algorithm is None and whole.too_large and not all_nodes:
                search_algorithm = BestFirst()
            processors = os.cpu_count() or 1
            advanced = None if listener is None else lambda *now: steps.tell(SearchAdvanced(*now))
            counted = search_counted(
                seen,
                ask,
                place.bound(search_algorithm),
                most_entries=place.most_entries,
                all_nodes=all_nodes,
                threads=min(threads or processors, processors),
                listener=advanced,
                tell=lambda what: steps.tell(Counting(what)),
            )
            found, problem = counted.result, counted.problem
            if found.levels is None or found.score is None:
                raise infeasible(problem)
            if not all_nodes:
                found = settle_stars(
                    problem,
                    found,
                    search_algorithm,
                    whole=counted.whole,
                    threads=min(threads or processors, processors),
                    listener=advanced,
                )
            assert found.levels is not None and found.score is not None, "stars leave a node or raise"
            # A blind search saw no attributes, and the models that are checked now need them.
            coded = counts.at(_bottom(problem.table)) if blind else problem.table
            sized = (
                _note_on_size(whole.lattice.size, search_algorithm, counted.result)
                if algorithm is None
                else ()
            )
            told = (
                *sized,
                *_notes_on_hierarchies(coded),
                *_notes_on_models(spec, coded),
                *counted.plan.notes,
            )
            run = _Run(place, profile, coded, (*notes, *told), found, seed, keep_order, listener)
            nodes = (
                None
                if found.satisfying is None
                else Nodes.of(spec, problem, found.satisfying, run.release_at)
            )
            levels, score = found.levels, found.score
            if nodes is not None and problem.starred:
                if not nodes:
                    raise infeasible_stars(problem, levels, proved=True)
                levels, score = tuple(nodes.best.levels.values()), nodes.best.score
            del problem, counted, whole  # and with them the kernel's copy of the table
        # The last two steps, recode and audit, are the same for any node that is chosen later.
        release = run.release(
            spec,
            FullDomain.at(coded, levels),
            score,
            optimal=found.optimal and search_algorithm.exact,
            bound=found.bound,
            nodes=nodes,
            steps=steps,
            output=written_to,
        )
        if written_to is not None and publish:
            release.write(written_to, remember_people=remember_people)
        ending.pop_all()  # the rows may be asked for as long as there is a release of them
    return release


def _bottom(table: CodedTable) -> tuple[int, ...]:
    return table.bottom or (0,) * len(table.columns)


def _asking(spec: Spec) -> Callable[[CodedTable], SearchProblem]:
    """Return what makes the question of a frequency set."""

    def ask(frequencies: CodedTable) -> SearchProblem:
        return SearchProblem(
            frequencies,
            spec.searched,
            spec.quality,
            spec.suppression,
            starred=spec.suppressed == "star",
        )

    return ask


def plan(
    data: object,
    spec: Spec | str | Path,
    *,
    engine: str | None = None,
    table: str | None = None,
    memory: str | None = None,
    keep_undeclared: bool = False,
    drop_undeclared: bool = False,
    listener: Listener | None = None,
) -> Plan:
    """Tell how `anonymize` would go about its search, and how large what it counts is. Nothing is written.

    The parameters are those of `anonymize`. The values of columns are counted for it, and where there may be
    too many tuples, these are estimated.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import shoal
    >>> people = pa.table({"age": [34, 37, 51, 58]})
    >>> spec = shoal.Spec(quasi_identifiers={"age": shoal.intervals(10, 20)}, privacy=[shoal.KAnonymity(2)])
    >>> "engine: memory" in shoal.plan(people, spec).render()
    True
    """
    steps = Steps(listener)
    with ExitStack() as ending:
        with steps("read"):
            spec = spec if isinstance(spec, Spec) else Spec.from_yaml(spec)
            place = open_engine(data, spec.input, engine=engine or spec.engine, table=table, memory=memory)
            ending.callback(place.close)
            sources, problems = open_populations(spec)
            spec, _ = settle_columns(spec, place.source, keep_undeclared, drop_undeclared, problems)
            profile = place.profile(spec, sources)
        with steps("encode"):
            spec, counts = profile.encode(spec)
        with steps("search"):
            return explain_search(
                counts.without_attributes() if spec.choose_by == "quasi-identifiers" else counts,
                _asking(spec),
                most_entries=place.most_entries,
                tell=lambda what: steps.tell(Counting(what)),
                engine=place.name,
            )


@dataclass(frozen=True)
class _Run:
    """What the releases of one run have in common: the table, profiled and counted, and what was found."""

    engine: Engine
    profile: Profile
    coded: CodedTable
    notes: tuple[str, ...]
    found: SearchResult
    seed: int | None
    keep_order: bool
    listener: Listener | None

    def release(
        self,
        spec: Spec,
        recoding: Recoding,
        score: float,
        *,
        optimal: bool,
        bound: float | None,
        nodes: Nodes | None,
        steps: Steps,
        notes: tuple[str, ...] = (),
        output: Output | None = None,
    ) -> Release:
        """Recode the table, and audit what comes of it."""
        with steps("recode"):
            allowed = _suppressed_rows_allowed(self.coded.rows, spec)
            star = allowed if spec.suppressed == "star" else None
            verdict = Verdict.of(self.coded, recoding, spec.searched, star=star)
            if spec.choose_by == "quasi-identifiers":
                require_all(spec.privacy, verdict)
            suppressed = verdict.suppressed_rows
            _check_suppressed(suppressed, allowed)
            rows = self.profile.recode(
                spec, verdict, output=output, seed=self.seed, keep_order=self.keep_order
            )
        with steps("audit"):
            evidence = rows.audit(spec, recoding.levels)
            expected = self.coded.rows - (suppressed if spec.suppressed == "remove" else 0)
            evidence.require(expected)
            if evidence.linkable is not None:
                evidence.linkable.require()
        source = self.engine.source
        return Release(
            released=rows,
            spec=spec,
            recoding=recoding,
            heights={column.name: column.height for column in self.coded.columns},
            score=score,
            rows=self.coded.rows,
            suppressed_rows=suppressed,
            class_sizes=verdict.class_sizes,
            optimal=optimal,
            bound=bound,
            nodes=self.found.counters,
            audit=evidence,
            explanation=self._explain(spec, verdict, score),
            shuffled=not self.keep_order,
            dialect=source.dialect,
            notes=(
                *(() if evidence.linkable is None else evidence.linkable.notes()),
                *self.notes,
                *notes,
                *_note_on_weights(spec),
                *_note_on_stars(verdict, spec),
                *_note_on_traces(verdict, spec),
                *_note_on_formulas(rows, spec, output),
            ),
            source=source,
            steps=steps,
            original=Original(source, self.coded, recoding, verdict.lost),
            engine=self.engine.name,
            satisfying_nodes=nodes,
            subsets=_as_tables(self.found.subsets),
        )

    def _explain(self, spec: Spec, verdict: Verdict, score: float) -> Explanation:
        # Nodes may have been ranked by other weights than those of the search.
        columns = (
            replace(column, weight=spec.quasi_identifiers[column.name].weight)
            for column in self.coded.columns
        )
        table = replace(self.coded, columns=tuple(columns))
        k = max(model.minimum_size for model in spec.privacy)
        return explain(spec.quality, table, verdict.cells, verdict.lost, score=score, k=k)

    def release_at(self, nodes: Nodes, place: int) -> Release:
        """Make the release of one of all satisfying nodes, of which the first is the best."""
        node, best = nodes[place], nodes[0].score
        optimal = canonical(node.score) == canonical(best)
        chosen = f"Chosen as number {place + 1:,} of {len(nodes):,} satisfying nodes by {nodes.quality}."
        once = "Publish one release of a table: who has two can join them, and neither hides anybody then."
        return self.release(
            nodes.spec,
            FullDomain(node.levels),
            node.score,
            optimal=optimal,
            bound=best,
            nodes=nodes,
            steps=Steps(self.listener),
            notes=(once,) if optimal else (chosen, once),
        )


def _algorithm(algorithm: object) -> SearchAlgorithm:
    if isinstance(algorithm, str):
        algorithm = registry.resolve("algorithms", algorithm)()
    # A class has all that its objects have, but cannot be asked.
    if isinstance(algorithm, type) or not isinstance(algorithm, SearchAlgorithm):
        known = ", ".join(registry.names("algorithms"))
        raise InputError(
            f"An object of type {_type_name(algorithm)!r} is not a search algorithm.\nKnown: {known}.\n"
            "Give one of these names, or an object of such a class."
        )
    return algorithm


def _type_name(value: object) -> str:
    """Return what a value is; never the value, which may be a table."""
    return value.__name__ if isinstance(value, type) else type(value).__name__


def _note_on_size(size: int, algorithm: SearchAlgorithm, searched: SearchResult) -> tuple[str, ...]:
    """Say why another search than the default ran; `searched` is its result before rows were starred."""
    if not isinstance(algorithm, BestFirst):
        return ()
    large = f"The lattice of {size:.3g} nodes is too large for the default search"
    if searched.optimal:
        return (f"{large}; {algorithm.name} searched it instead.",)
    return (
        f"{large}; {algorithm.name} stopped after {algorithm.seconds:g} seconds. More time finds the same "
        "or better, and proves more: --seconds (in Python algorithm=BestFirst(seconds=...)).",
    )


def _check_arguments(
    threads: int | None, seed: int | None, keep_undeclared: bool, drop_undeclared: bool
) -> None:
    problems = []
    if threads is not None and threads < 1:
        problems.append(f"The number of threads must be at least 1.\nFound: {threads}.")
    if seed is not None and seed < 0:
        problems.append(f"The seed must be a whole number of at least 0.\nFound: {seed}.")
    if keep_undeclared and drop_undeclared:
        problems.append("Undeclared columns cannot be both kept and dropped.\nSay one of the two.")
    if problems:
        raise InputError(problems)


def _suppressed_rows_allowed(rows: int, spec: Spec) -> int:
    may = all(model.suppressible for model in spec.privacy)
    return suppressed_rows_allowed(spec.suppression, rows) if may else 0


def _check_suppressed(suppressed: int, allowed: int) -> None:
    """Raise unless the rows that were suppressed in the end are as few as was asked for."""
    if suppressed > allowed:
        raise AuditError(
            "The release does not keep its suppression limit.\n"
            f"Measured: {suppressed:,} rows suppressed, {allowed:,} allowed.\n"
            "Nothing was written."
        )


def _notes_on_hierarchies(coded: CodedTable) -> tuple[str, ...]:
    """Tell what is odd about hierarchies that can be used all the same."""
    notes = [f"Column {column.name!r}: {note}" for column in coded.columns for note in column.notes]
    notes += [
        f"Column {column.name!r}: its hierarchy ends with {len(column.labels[-1]):,} labels, not with one: "
        "it cannot be hidden altogether."
        for column in coded.columns
        if column.height and len(column.labels[-1]) > 1
    ]
    unused = [
        f"{column.name} {spare:,} of {column.total_leaves:,}"
        for column in coded.columns
        if (spare := column.total_leaves - len(column.counts))
    ]
    if unused:
        notes.append(f"Entries of hierarchies that the table does not use: {', '.join(unused)}.")
    return tuple(notes)


def _notes_on_models(spec: Spec, coded: CodedTable) -> tuple[str, ...]:
    """Tell how models were applied where that does not go without saying."""
    notes = [note for model in spec.privacy for note in model.notes(coded)]
    if spec.choose_by == "quasi-identifiers":
        notes.append("Models of sensitive columns had no part in the search: they were checked after it.")
    if spec.unit is not None and spec.unit not in spec.roles:
        notes.insert(0, f"Column {spec.unit!r} says who a row is about; it has no role and is not released.")
    if spec.suppression:
        notes += [
            f"Nothing was suppressed: under {model.describe()} a class that is missing tells something."
            for model in spec.privacy
            if not model.suppressible
        ]
    return tuple(dict.fromkeys((*notes, *_note_on_uncovered(spec))))


def _note_on_uncovered(spec: Spec) -> tuple[str, ...]:
    """Name the sensitive columns that no model reads: only a crowd of k hides what stands in them."""
    covered = {model.column for model in spec.privacy}
    uncovered = [name for name in spec.sensitive if name not in covered]
    if not uncovered:
        return ()
    columns = f"{'column' if len(uncovered) == 1 else 'columns'} {listed(uncovered)}"
    return (f"No model covers the sensitive {columns}: a class may reveal what its people have there.",)


def _note_on_weights(spec: Spec) -> tuple[str, ...]:
    """Tell if weights were given to a measure that does not look at them."""
    if spec.quality.weighted or len({qi.weight for qi in spec.quasi_identifiers.values()}) == 1:
        return ()
    return (f"Column weights do not count in {spec.quality.name}, which is no mean over columns.",)


def _note_on_stars(verdict: Verdict, spec: Spec) -> tuple[str, ...]:
    """Say how many rows were starred only to make the starred rows pass as a class."""
    if not verdict.starred or not verdict.suppressed_rows:
        return ()
    failing = int(verdict.classes.sizes[~passing(spec.searched, verdict.classes)].sum())
    more = verdict.suppressed_rows - failing
    if not more:
        return ()
    are = "row is" if failing == 1 else "rows are"
    return (
        f"Starred rows are a class that anybody can see: {failing:,} {are} in classes that fail, and "
        f"{more:,} more from the smallest other classes were starred for all of them to pass as one. With "
        f"suppressed: remove these levels suppress {failing:,}.",
    )


def _note_on_formulas(rows: Rows, spec: Spec, output: Output | None) -> tuple[str, ...]:
    """Say which columns have cells that spreadsheets compute, unless no spreadsheet opens the release."""
    if isinstance(output, TableOutput) or (output is not None and not opens_in_spreadsheets(output.path)):
        return ()
    return note_on_formulas(rows.formula_cells(), spec.released, escaping=spec.escape_formulas)


def _note_on_traces(verdict: Verdict, spec: Spec) -> tuple[str, ...]:
    """Say which labels were made with the help of rows that are not released."""
    made = [
        column.name
        for column, cells in zip(verdict.coded.columns, verdict.cells, strict=True)
        if isinstance(spec.quasi_identifiers[column.name].hierarchy, FromData)
        if cells.level != 0 and len(cells.labels) > 1
    ]
    if not made or not verdict.suppressed_rows:
        return ()
    return (
        f"The labels of {', '.join(made)} are made from all rows, suppressed ones too: they may show a "
        "little of these rows' values. Hierarchies that are given, such as intervals or a file, do not.",
    )


def _as_tables(
    subsets: Mapping[tuple[str, ...], NDArray[np.uint8]] | None,
) -> dict[tuple[str, ...], pa.Table] | None:
    if subsets is None:
        return None
    return {names: pa.table(list(nodes.T.copy()), names=list(names)) for names, nodes in subsets.items()}
