"""Partition: classes that keep the mix of sensitive values, without a lattice and without hierarchies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal

import numpy as np

from shoal import registry
from shoal.encode.column import CodedColumn, UIntArray
from shoal.encode.table import CodedTable
from shoal.errors import InputError, Problem
from shoal.partition.buckets.buckets import Buckets
from shoal.partition.buckets.value import ValueBuckets
from shoal.partition.by_parts import PartitionByParts, require_parts, whole_table
from shoal.partition.divide.cuts import FEW_TUPLES, Cuts
from shoal.partition.divide.divider import DivisionTask
from shoal.partition.entries import EntryProblem
from shoal.partition.sensitive_values import SensitiveValues
from shoal.recode.by_entries import ByEntries, may_depend_on, taken_apart
from shoal.recode.by_parts import EntriesByParts
from shoal.recode.class_labels import Labels
from shoal.recode.recoding import LooksBeside
from shoal.search.frequency_sets import TooManyEntries
from shoal.search.problem import SearchProblem
from shoal.spec.spec import Spec
from shoal.strategies.abilities import Ability
from shoal.strategies.classes import ClassProblem, choose_best, require_classes
from shoal.strategies.label_settings import CLASS_LABELS_PARAMETER, LabelSettings
from shoal.strategies.mondrian import Mondrian
from shoal.strategies.strategy import Chosen, Question


@dataclass(frozen=True, slots=True)
class Partition(LabelSettings):
    """Put rows into classes in which sensitive values are mixed as in the table, as far as the models ask.

    Sensitive values are put into buckets, and a divider makes classes that have their share of each. Rows
    with the same quasi-identifiers may be in different classes: which one depends on the sensitive value too.
    Numbers become ranges, categories sets, and columns with a hierarchy its labels; or any of them averages.

    Parameters
    ----------
    buckets
        How sensitive values are put together: `value`, `beta-likeness`, `t-closeness`, `incognito`.
    divide
        How classes are made: `cuts`, `curve` or `nearest`.
    labels
        How labels are written, or what average is released, such as the `mean`. By column as a mapping.
    column
        The sensitive column that buckets are made of; that of the first model which has one, if not given.

    References
    ----------
    The distributed Incognito framework, IEEE International Congress on Big Data 2017; BUREL (J. Cao,
    P. Karras, PVLDB 5(11), 2012) and SABRE (J. Cao, P. Karras, P. Kalnis, K.-L. Tan, VLDB Journal 20, 2011).
    Exact tests of halves, and cuts through buckets as the second choice, are ours.

    Examples
    --------
    >>> Partition(buckets={"beta-likeness": {"beta": 2}}).to_spec()
    {'partition': {'buckets': {'beta-likeness': {'beta': 2}}}}
    """

    buckets: Any = ValueBuckets()  # noqa: RUF009 (frozen)
    divide: Any = Cuts()  # noqa: RUF009 (frozen)
    labels: Labels = "fitting"
    column: str | None = None

    name: ClassVar[str] = "partition"
    summary: ClassVar[str] = "Classes that keep the mix of sensitive values; no hierarchies needed."
    parameters: ClassVar[Mapping[str, str]] = {
        "buckets": "how sensitive values are put together: value (the default), beta-likeness, t-closeness "
        "or incognito",
        "divide": "how classes are made: cuts (the default), curve or nearest",
        "labels": CLASS_LABELS_PARAMETER + "; others are fitting, the default",
        "column": "the sensitive column; that of the first model which has one, if not given",
    }
    examples: ClassVar[tuple[object, ...]] = (
        None,
        {"divide": {"cuts": {"cut": "even"}}},
        {"labels": {"age": "mean"}},
    )
    needs: ClassVar[frozenset[Ability]] = frozenset({Ability.COUNT_TUPLES, Ability.RECODE_BY_CLASSES})

    def __post_init__(self) -> None:
        problems: list[Problem] = []
        for kind in ("buckets", "divide"):
            try:
                object.__setattr__(self, kind, _plug_in(_KINDS[kind], getattr(self, kind)))
            except InputError as error:
                problems += error.problems
        try:
            self.check_labels()
        except InputError as error:
            problems += error.problems
        if problems:
            raise InputError(problems)

    def to_spec(self) -> object:
        given = {
            field.name: value.to_spec() if field.name in _KINDS else value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }
        return {self.name: given} if given else self.name

    def require(self, spec: Spec, *, all_nodes: bool = False) -> None:
        problems: list[str | Problem] = []
        try:
            require_classes(self, spec)
        except InputError as error:
            problems += error.problems
        compared = [model.describe() for model in spec.privacy if model.population is not None]
        if compared:
            problems.append(
                f"The recoding '{self.name}' makes classes by sensitive values, which a population lacks.\n"
                f"Found: {' and '.join(compared)}.\nUse recoding: mondrian."
            )
        if spec.choose_by == "quasi-identifiers":
            problems.append(
                f"The recoding '{self.name}' lets classes depend on sensitive values.\n"
                "Found: choose-by: quasi-identifiers.\nLeave it out, or use recoding: mondrian."
            )
        if self.column is not None and self.column not in spec.attributes:
            known = ", ".join(spec.attributes) or "none"
            problems.append(
                f"The recoding '{self.name}' makes buckets of a sensitive column that a model is about.\n"
                f"Found: column: {self.column}.\nSuch columns: {known}."
            )
        if problems:
            raise InputError(problems)

    def choose(self, question: Question) -> Chosen:
        self.require_averages(question.counts.domain)
        strategy = replace(self, labels=self.labels_of(question.spec.quasi_identifiers))
        try:
            whole = question.problem()
        except TooManyEntries:
            chosen = strategy._in_parts(question)
        else:
            search = question.make_problem(taken_apart(self._counted(whole.table, question)))
            task = strategy._task(EntryProblem(search), question)
            chosen = choose_best(search, strategy._recodings(whole, question, task))
        chosen = self.note_null(chosen)
        assert isinstance(chosen.recoding, LooksBeside)
        beside = may_depend_on(chosen.recoding, chosen.problem.table)
        if not beside:
            return chosen
        note = (
            f"The class of a row may depend on its {' and '.join(beside)}: whoever knows everybody's "
            "quasi-identifiers and how classes are made can infer more about somebody than the shares of a "
            "class say, in the worst case the value."
        )
        return replace(chosen, notes=(*chosen.notes, note))

    def _in_parts(self, question: Question) -> Chosen:
        require_parts(question, self.divide)
        search = question.make_problem(whole_table(question))
        task = self._task(EntryProblem(search), question)
        settings = {"buckets": self.buckets.name, "divide": self.divide.name}
        recoding = EntriesByParts(
            self.name,
            settings,
            columns_beside=tuple(search.table.attributes),
            buckets=None if task.column is None else (task.column, task.buckets.describe()),
        )
        found = PartitionByParts(question, self.labels, task).recodings(recoding, self.divide)
        chosen = [choose_best(question.make_problem(entries), [own]) for entries, own in found]
        return min(chosen, key=lambda each: each.score)

    @staticmethod
    def _counted(table: CodedTable, question: Question) -> CodedTable:
        """Return the table; where an engine counts tuples, by the lowest labels that may be released.

        Rows with these are equal, and whoever recodes them deals them out together.
        """
        bottom = tuple(column.min_level for column in table.columns)
        if table.weights is None or not any(bottom):
            return table
        return question.counts.at(bottom, most=question.most_entries)

    def _task(self, problem: EntryProblem, question: Question) -> DivisionTask:
        models = question.spec.privacy
        column = self.column or next((model.column for model in models if model.column), None)
        buckets = Buckets.of([([0], 1.0)], np.array([problem.problem.table.rows]))
        if column is not None:
            values = self._values(question.spec, problem.problem.table.attributes[column])
            self.buckets.require(values, column)
            buckets = _bounded(self.buckets.buckets(values), column, problem)
        task = DivisionTask(problem, column, buckets, self.labels, question.threads)
        most = self.divide.most_tuples
        if most is not None and task.tuples > most:
            raise InputError(
                f"The divider '{self.divide.name}' serves up to {most:,} different tuples.\n"
                f"Found: {task.tuples:,}.\nUse divide: cuts."
            )
        return task

    @staticmethod
    def _values(spec: Spec, column: CodedColumn) -> SensitiveValues:
        values = SensitiveValues.of(column)
        # Without a hierarchy a column is coded with one label above all values, which is no taxonomy.
        declared = spec.sensitive.get(column.name)
        has_levels = declared is not None and declared.hierarchy is not None
        return values if has_levels else replace(values, labels=())

    def _recodings(self, whole: SearchProblem, question: Question, task: DivisionTask) -> Iterator[ByEntries]:
        """Yield those of quasi-identifiers alone first: of equal ones these are released."""
        problem = task.problem
        if isinstance(self.divide, Cuts) and task.tuples <= FEW_TUPLES:
            tuples = ClassProblem(whole)
            divided = Mondrian(labels=self.labels).divide(tuples, question.threads)
            yield self._by_values(problem, problem.of_values(tuples.values, np.array(divided.class_of)))
            levels = problem.full_domain(question)
            if levels is not None:
                yield self._by_values(problem, problem.at(levels))
        # One class is all that some models allow.
        yield self._by_values(problem, problem.tops)
        for own, class_of in self.divide.divide(task):
            found = self._recoding(own, class_of)
            if task.column is not None:
                found = replace(found, buckets=(task.column, task.buckets.describe()))
            yield found

    def _by_values(self, problem: EntryProblem, class_of: UIntArray) -> ByEntries:
        return replace(self._recoding(problem, class_of), by_values=True)

    def _recoding(self, problem: EntryProblem, class_of: UIntArray) -> ByEntries:
        return problem.recoding(
            self.name, self.labels, class_of, buckets=self.buckets.name, divide=self.divide.name
        )


_KINDS: Mapping[str, Literal["bucketizers", "dividers"]] = {"buckets": "bucketizers", "divide": "dividers"}


def _bounded(buckets: Buckets, column: str, problem: EntryProblem) -> Buckets:
    """Lower the bound of each bucket of a single value to what the models allow that value."""
    bounds = buckets.bounds.copy()
    for condition in problem.problem.kernel_inputs.conditions:
        counted = condition.source, condition.name, condition.level
        if condition.kind == "shares" and counted == ("attribute", column, 0):
            for number in range(len(buckets)):
                values = buckets.values(number)
                if len(values) == 1:
                    bounds[number] = min(bounds[number], float(condition.upper[values[0]]))
    return replace(buckets, bounds=bounds)


def _plug_in(kind: Literal["bucketizers", "dividers"], given: Any) -> Any:
    """Return what a spec names: by its name, by its name with settings, or as it is."""
    if isinstance(given, str):
        return registry.resolve(kind, given).from_spec(None)
    if isinstance(given, Mapping):
        if len(given) != 1:
            raise InputError(
                f"partition takes one of the {kind}.\nFound: {', '.join(map(str, given)) or 'none'}.\n"
                f"Known: {', '.join(registry.names(kind))}."
            )
        ((name, argument),) = given.items()
        return registry.resolve(kind, str(name)).from_spec(argument)
    if not callable(getattr(given, "to_spec", None)):
        raise InputError(
            f"partition takes one of the {kind} by its name.\nFound: {type(given).__name__}.\n"
            f"Known: {', '.join(registry.names(kind))}."
        )
    return given
