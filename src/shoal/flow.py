"""From a table to its release: the steps, one call each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal import registry
from shoal.audit import References, audit_release
from shoal.audit.reference import claims, original_columns
from shoal.background import Background
from shoal.describe.spec import Spec
from shoal.encode.fit import fitted
from shoal.encode.table import CodedTable, code_table
from shoal.errors import AuditError, InputError
from shoal.events import Listener, SearchAdvanced, Steps
from shoal.intake import open_populations, read_tables, settle_columns
from shoal.measure.explain import Explanation, explain
from shoal.measure.measure import canonical
from shoal.read.source import Source, open_source
from shoal.recode.full_domain import recode
from shoal.release import Release
from shoal.search import scored
from shoal.search.best_first import BestFirst
from shoal.search.infeasible import infeasible
from shoal.search.nodes import Nodes
from shoal.search.problem import SearchProblem, suppressed_rows_allowed
from shoal.search.result import SearchAlgorithm, SearchResult
from shoal.search.serve import require_served


def anonymize(
    data: object,
    spec: Spec | str | Path,
    *,
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
        A pandas, polars or Arrow table, a relation of DuckDB, or the path of a CSV, Parquet, Excel, Stata,
        SPSS or SAS file. It is not changed.
    spec
        What the columns mean and what the release must satisfy, or the path of its YAML file.
    algorithm
        The search, by its name or as an object with settings of its own. All that are exact give the same
        release; they differ in the time that it takes. If not given, it is `box`, and where there are too
        many choices of levels for that, `best-first`, which stops after some seconds with a proved bound.
    threads
        How many the search may use; all processors if not given.
    seed
        Makes the shuffle of the rows repeatable. Whoever knows it can undo the shuffle.
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
    steps = Steps(listener)
    with steps("read"):
        spec = spec if isinstance(spec, Spec) else Spec.from_yaml(spec)
        require_served(
            search_algorithm,
            spec.privacy,
            spec.quality,
            spec.suppression,
            units=spec.unit is not None,
            all_nodes=all_nodes,
        )
        source = open_source(data, spec.input)
        sources, problems = open_populations(spec)
        spec, notes = settle_columns(spec, source, keep_undeclared, drop_undeclared, problems)
        table, populations = read_tables(source, spec, sources)
    with steps("encode"):
        spec = fitted(spec, table)
        coded = code_table(
            table,
            spec.quasi_identifiers,
            sensitive=spec.sensitive,
            attributes=spec.attributes,
            unit=spec.unit,
            populations=populations,
            models=spec.privacy,
        )
        released = _Released.of(table, spec, populations)
        notes = (*notes, *_notes_on_hierarchies(coded), *_notes_on_models(spec, coded))
        del table, populations
    with steps("search"):
        processors = os.cpu_count() or 1
        problem = SearchProblem(coded, spec.privacy, spec.quality, spec.suppression)
        if algorithm is None and problem.too_large and not all_nodes:
            search_algorithm = BestFirst()
            notes = (*notes, _note_on_size(problem, search_algorithm))
        found = scored.search(
            search_algorithm,
            problem,
            all_nodes=all_nodes,
            threads=min(threads or processors, processors),
            listener=None if listener is None else lambda *now: steps.tell(SearchAdvanced(*now)),
        )
        if found.levels is None or found.score is None:
            raise infeasible(problem)
        run = _Run(source, coded, released, notes, found, seed, keep_order, listener)
        nodes = (
            None if found.satisfying is None else Nodes.of(spec, problem, found.satisfying, run.release_at)
        )
        del problem  # and with it the kernel's copy of the table
    optimal = found.optimal and search_algorithm.exact
    # The last two steps, recode and audit, are the same for any node that is chosen later.
    return run.release(
        spec, found.levels, found.score, optimal=optimal, bound=found.bound, nodes=nodes, steps=steps
    )


@dataclass(frozen=True)
class _Released:
    """What becomes of the table beside its quasi-identifiers.

    Attributes
    ----------
    columns
        Names of all released columns, in the order of the input.
    others
        Those that are released as they are.
    references
        What the audit compares with.
    units
        Who each row is about, where the audit counts people and the release does not tell.
    """

    columns: Sequence[str]
    others: pa.Table
    references: References
    units: pa.ChunkedArray | None

    @classmethod
    def of(cls, table: pa.Table, spec: Spec, populations: Mapping[str, pa.Table]) -> Self:
        asked = claims(spec)
        compared = original_columns(spec, asked)
        told = spec.unit in spec.sensitive or spec.unit in spec.insensitive
        counted = any(claim.unit for claim in asked) and not told
        names = [name for name in table.column_names if name in set(spec.released)]
        return cls(
            columns=names,
            others=table.select([name for name in names if name not in spec.quasi_identifiers]),
            references=References(table.select(compared) if compared else None, populations),
            units=table.column(spec.unit) if counted else None,
        )


@dataclass(frozen=True)
class _Run:
    """What the releases of one run have in common: the table, read and coded, and the search's report."""

    source: Source
    coded: CodedTable
    released: _Released
    notes: tuple[str, ...]
    found: SearchResult
    seed: int | None
    keep_order: bool
    listener: Listener | None

    def release(
        self,
        spec: Spec,
        levels: Sequence[int],
        score: float,
        *,
        optimal: bool,
        bound: float | None,
        nodes: Nodes | None,
        steps: Steps,
        notes: tuple[str, ...] = (),
    ) -> Release:
        """Recode the table at a node, and audit what comes of it."""
        with steps("recode"):
            recoded = recode(
                self.coded,
                self.released.others,
                levels,
                spec.privacy,
                columns=self.released.columns,
                suppressed=spec.suppressed,
                random=None if self.keep_order else self._random(levels),
            )
        with steps("audit"):
            _check_suppressed(recoded.suppressed_rows, self.coded.rows, spec)
            references, units = self.released.references, self.released.units
            evidence = audit_release(
                recoded.table,
                spec,
                original=references.original,
                populations=references.populations,
                levels=dict(zip(self.coded.names, levels, strict=True)),
                units=None if units is None else units.take(pa.array(recoded.rows)),
                starred_rows=recoded.suppressed_rows if spec.suppressed == "star" else 0,
            ).require(recoded.table.num_rows)
        stars = _note_on_stars(recoded.suppressed_rows, spec)
        return Release(
            table=recoded.table,
            spec=spec,
            levels=dict(zip(self.coded.names, levels, strict=True)),
            heights={column.name: column.height for column in self.coded.columns},
            score=score,
            rows=self.coded.rows,
            suppressed_rows=recoded.suppressed_rows,
            class_sizes=recoded.class_sizes,
            optimal=optimal,
            bound=bound,
            nodes=self.found.counters,
            audit=evidence,
            explanation=self._explain(spec, levels, recoded.lost, score),
            references=references,
            shuffled=not self.keep_order,
            dialect=self.source.dialect,
            notes=(*self.notes, *notes, *_note_on_weights(spec), *stars),
            source=self.source,
            steps=steps,
            background=Background(self.source, self.coded, tuple(levels), recoded.lost),
            seeded=self.seed is not None,
            satisfying_nodes=nodes,
            subsets=_as_tables(self.found.subsets),
        )

    def _explain(
        self, spec: Spec, levels: Sequence[int], lost: Sequence[NDArray[np.int64]], score: float
    ) -> Explanation:
        # Nodes may have been ranked by other weights than those of the search.
        columns = (
            replace(column, weight=spec.quasi_identifiers[column.name].weight)
            for column in self.coded.columns
        )
        table = replace(self.coded, columns=tuple(columns))
        k = max(model.minimum_size for model in spec.privacy)
        return explain(spec.quality, table, levels, lost, score=score, k=k)

    def release_at(self, nodes: Nodes, place: int) -> Release:
        """Make the release of one of all satisfying nodes, of which the first is the best."""
        node, best = nodes[place], nodes[0].score
        optimal = canonical(node.score) == canonical(best)
        chosen = f"Chosen as number {place + 1:,} of {len(nodes):,} satisfying nodes by {nodes.quality}."
        once = "Publish one release of a table: who has two can join them, and neither hides anybody then."
        return self.release(
            nodes.spec,
            tuple(node.levels.values()),
            node.score,
            optimal=optimal,
            bound=best,
            nodes=nodes,
            steps=Steps(self.listener),
            notes=(once,) if optimal else (chosen, once),
        )

    def _random(self, levels: Sequence[int]) -> np.random.Generator:
        """Return what shuffles the rows. Releases at different levels must not be in one order.

        Otherwise two of them, made with one seed, could be joined row by row.
        """
        return np.random.default_rng(None if self.seed is None else [self.seed, *levels])


def _algorithm(algorithm: object) -> SearchAlgorithm:
    if isinstance(algorithm, str):
        algorithm = registry.resolve("algorithms", algorithm)()
    # A class has all that its objects have, but cannot be asked.
    if isinstance(algorithm, type) or not isinstance(algorithm, SearchAlgorithm):
        known = ", ".join(registry.names("algorithms"))
        raise InputError(
            f"{algorithm!r} is not a search algorithm.\nKnown: {known}.\n"
            "Give one of these names, or an object of such a class."
        )
    return algorithm


def _note_on_size(problem: SearchProblem, algorithm: BestFirst) -> str:
    return (
        f"The lattice of {problem.lattice.size:.3g} nodes is too large for an exact search: searched "
        f"{algorithm.name} for {algorithm.seconds:g} seconds. More time finds the same or better, and proves "
        "more: --seconds (in Python algorithm=BestFirst(seconds=...))."
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


def _check_suppressed(suppressed: int, rows: int, spec: Spec) -> None:
    """Raise unless the rows that were suppressed in the end are as few as was asked for."""
    may = all(model.suppressible for model in spec.privacy)
    allowed = suppressed_rows_allowed(spec.suppression, rows) if may else 0
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
    if spec.unit is not None and spec.unit not in spec.roles:
        notes.insert(0, f"Column {spec.unit!r} says who a row is about; it has no role and is not released.")
    if spec.suppression:
        notes += [
            f"Nothing was suppressed: under {model.describe()} a class that is missing tells something."
            for model in spec.privacy
            if not model.suppressible
        ]
    return tuple(dict.fromkeys(notes))


def _note_on_weights(spec: Spec) -> tuple[str, ...]:
    """Tell if weights were given to a measure that does not look at them."""
    if spec.quality.weighted or len({qi.weight for qi in spec.quasi_identifiers.values()}) == 1:
        return ()
    return (f"Column weights do not count in {spec.quality.name}, which is no mean over columns.",)


def _note_on_stars(suppressed: int, spec: Spec) -> tuple[str, ...]:
    """Warn of starred rows that are fewer than a class: who is in no class must be among them."""
    k = max(model.minimum_size for model in spec.privacy)
    if spec.suppressed == "remove" or not 0 < suppressed < k:
        return ()
    are = "row is" if suppressed == 1 else "rows are"
    return (
        f"{suppressed:,} {are} starred, fewer than {k:,}: whoever knows that a person fits no class finds "
        "that person's other columns there. Removing suppressed rows avoids it.",
    )


def _as_tables(
    subsets: Mapping[tuple[str, ...], NDArray[np.uint8]] | None,
) -> dict[tuple[str, ...], pa.Table] | None:
    if subsets is None:
        return None
    return {names: pa.table(list(nodes.T.copy()), names=list(names)) for names, nodes in subsets.items()}
