"""From an original and its release to what the release can still be used for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import cast

import pyarrow as pa

from shoal.errors import InputError, Problem, nearest
from shoal.events import Listener, StepFinished, StepStarted, Training
from shoal.prepare.fit import fitted
from shoal.read.source import InputFormat, Source, check_installed, check_wanted, open_source
from shoal.read.typed_tables import typed
from shoal.read.types import Text
from shoal.recode.class_averages import Average
from shoal.recode.recoding import averages_in
from shoal.spec.spec import Spec, SpecForm
from shoal.utility.assessment import UtilityAssessment
from shoal.utility.associations import Association, associations
from shoal.utility.columns import column_utility
from shoal.utility.learning import MOST_ROWS, Learning, Split, is_numeric, learn, models_of, unfit
from shoal.utility.matching_rows import Belonging, require_belonging
from shoal.utility.queries import query_errors
from shoal.utility.recoded_column import RecodedColumn, recode_column

QUERIES = 1000
_MOST_TARGETS = 3

UNMATCHED = "Equal values have different labels, so rows cannot be matched with the release."
_ON_A_SAMPLE = (
    "Models are trained on a sample of all rows of the release, which may include rows of the test."
)
"""What is said of models where nobody knows which row of the release a row of the original became."""


def assess_utility(
    original: object,
    release: object,
    spec: SpecForm | None = None,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    target: str | Sequence[str] | None = None,
    models: bool = True,
    queries: int = QUERIES,
    seed: int = 0,
    levels: Mapping[str, int] | None = None,
    average_errors: Mapping[str, float] | None = None,
    input_format: InputFormat | None = None,
    listener: Listener | None = None,
) -> UtilityAssessment:
    """Compare a release with the table that it was made of: what can it still be used for?

    Parameters
    ----------
    original, release
        Files or frames, as `anonymize` takes them. The release is read as Shoal writes it.
    spec
        With which the release was made: its hierarchies tell what labels stand for. Without one, the form of
        the labels does.
    quasi_identifiers
        Without a spec, the columns that may have been generalized. If these are not given either, they are
        the columns of the release with labels that the original does not have.
    target
        The columns that models learn to predict. If not given, the sensitive ones that have 2 to 50 different
        values or are numbers; without a spec, such columns beside the quasi-identifiers. Of more than three
        they are those with the strongest association with a quasi-identifier.
    models
        Whether machine learning models are trained, which takes the most time, and scikit-learn.
    queries
        How many random count queries are asked.
    seed
        Makes queries, held-out rows and models repeatable.
    levels
        The levels of the release, where they are known. Otherwise they are found out.
    average_errors
        How far averages of classes are from the values, where it is known, since the release alone does not
        show which values are in which class: for columns of means and medians the squared error as a share of
        the variance, for columns of modes the share of the rows that have another value.
    input_format
        How the original is written, where the spec does not say it and it should not be found out.
    listener
        Called with what happens: see `shoal.events`.

    Raises
    ------
    InputError
        One of the two cannot be read, columns are missing, or the release was made of other rows.

    Examples
    --------
    >>> import shoal
    >>> people = pa.table({"age": [31, 33, 52, 54], "ill": ["no", "no", "no", "yes"]})
    >>> release = pa.table({"age": ["[30, 35)", "[30, 35)", "[50, 55)", "[50, 55)"], "ill": people["ill"]})
    >>> found = shoal.assess_utility(people, release, models=False)
    >>> found.columns["age"].loss, found.columns["age"].entropy_kept, found.columns["ill"].loss
    (0.3333333333333333, 0.5, 0.0)
    """
    if spec is not None and quasi_identifiers is not None:
        raise InputError(
            "A spec says which columns are quasi-identifiers.\nFound: a spec and names of columns.\n"
            "Leave one of them out."
        )
    if isinstance(quasi_identifiers, str):
        quasi_identifiers = [quasi_identifiers]
    if quasi_identifiers is not None and not quasi_identifiers:
        raise InputError("The list of quasi-identifiers is empty.\nName at least one, or leave it out.")
    if queries < 0 or seed < 0:
        raise InputError(
            "The number of queries and the seed must be whole numbers of at least 0.\n"
            f"Found: {queries} and {seed}."
        )
    with _step("read", listener):
        if spec is not None:
            spec = Spec.of(spec)
        wanted = [target] if isinstance(target, str) else list(dict.fromkeys(target or ()))
        tables, left_out = _read(original, release, spec, quasi_identifiers, wanted, input_format)
    with _step("compare", listener):
        columns, notes = _recodings(tables, spec, quasi_identifiers, levels or {}, average_errors)
        notes = [*(_LEFT_OUT.format(name) for name in left_out), *notes]
        targets, skipped = _targets(columns, spec, wanted)
        belonging = require_belonging(
            columns.quasi_identifiers, columns.others, tables.original.num_rows, tables.release.num_rows
        )
        if belonging.kept is None:
            notes.append(UNMATCHED)
        figures = {column.name: column_utility(column) for column in columns.all}
        pairs = associations(columns.quasi_identifiers, columns.others)
    with _step("queries", listener):
        errors = query_errors(columns.quasi_identifiers, columns.others, queries, seed)
    learned: tuple[Learning, ...] = ()
    if models:
        notes += skipped
        all_targets = len(targets)
        if not wanted:
            targets = _strongest(targets, pairs)
        with _step("learn", listener):
            learned, learning_notes = _learn(columns, targets, belonging, tables, seed, listener)
            if learned and len(targets) < all_targets:
                predicted = len({one.target for one in learned})
                notes.append(
                    f"Models predict {predicted} of {all_targets:,} columns: those with the strongest "
                    "association with a quasi-identifier in the original. For others, name them: --target "
                    "(in Python target=...)."
                )
            notes += [*([_ON_A_SAMPLE] if learned and belonging.kept is None else []), *learning_notes]
    return UtilityAssessment(
        rows=tables.original.num_rows,
        released_rows=tables.release.num_rows,
        suppressed_rows=belonging.suppressed_rows,
        quasi_identifiers=tuple(column.name for column in columns.quasi_identifiers),
        columns=figures,
        associations=pairs,
        queries=errors,
        learning=learned,
        notes=tuple(dict.fromkeys(notes)),
    )


_LEFT_OUT = "Column {!r} is not measured: its values cannot be compared, or have no text form."


@dataclass(frozen=True, slots=True)
class _Tables:
    """Both tables, with the columns of the release, all as dictionary arrays."""

    original: pa.Table
    release: pa.Table
    names: tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Columns:
    quasi_identifiers: tuple[RecodedColumn, ...]
    others: tuple[RecodedColumn, ...]

    @property
    def all(self) -> tuple[RecodedColumn, ...]:
        return (*self.quasi_identifiers, *self.others)


@contextmanager
def _step(name: str, listener: Listener | None) -> Iterator[None]:
    """Notify a listener when a step begins and ends."""
    if listener is None:
        yield
        return
    listener(StepStarted(name))
    start = perf_counter()
    yield
    listener(StepFinished(name, perf_counter() - start))


def _read(
    original: object,
    release: object,
    spec: Spec | None,
    quasi_identifiers: Sequence[str] | None,
    targets: Sequence[str],
    input_format: InputFormat | None,
) -> tuple[_Tables, list[str]]:
    """Read the columns of the release from both, and tell all that is missing.

    Beside them come those that are released unchanged and cannot be compared, such as lists: no figure is
    about these.
    """
    written = spec.input if spec is not None else input_format or InputFormat()
    problems: list[Problem] = []
    before = _opened(original, written, problems)
    after = _opened(
        release,
        written.of_release(),
        problems,
    )
    if before is None or after is None:
        raise InputError(problems)
    if (before.doubtful or after.doubtful) and not set(before.columns) & set(after.columns):
        # The first line of a file without a header is somebody's row: it is not shown.
        raise InputError(
            f"The release {after.name!r} and the original {before.name!r} have no column in common.\n"
            f"Columns: {len(after.columns):,}; and {len(before.columns):,}.\n"
            "Check that the first line of both is a header, and their delimiters."
        )
    withheld = () if spec is None else (*spec.withheld, *spec.drop, *spec.pseudonyms)
    names = [name for name in after.columns if name not in withheld]
    wanted = (
        [name for name in spec.released if name not in withheld]
        if spec is not None
        else list(quasi_identifiers or ())
    )
    problems += _missing([*wanted, *targets] if after.doubtful else wanted, after, "release")
    if problems and (before.doubtful or after.doubtful):
        raise InputError(problems)  # what follows lists columns
    problems += _missing(list(dict.fromkeys([*names, *wanted])), before, "original")
    problems += [
        Problem(
            f"Column {name!r}, a target, is not in the release.\nColumns: {', '.join(names)}.\n"
            f"{nearest(name, names).strip() or 'Name one of these.'}"
        )
        for name in targets
        if name not in names
    ]
    if problems:
        raise InputError(problems)
    # A hierarchy may be made by looking at a column that is not released.
    extra = [] if spec is None else [name for name in _looked_at(spec) if name not in names]
    unchanged = set() if spec is None else {*names} - {*spec.quasi_identifiers, *targets}
    try:
        released = after.read(names, coded=names)
    except InputError:
        left_out = [name for name in names if name in unchanged and not _is_comparable(after, name)]
        if not left_out:
            raise
        names = [name for name in names if name not in left_out]
        released = after.read(names, coded=names)
    else:
        left_out = []
    table = before.read([*names, *extra], coded=[*names, *extra])
    if spec is not None and spec.types:
        (table,), strange = typed([(" of the original table", table)], spec.types)
        if strange:
            raise InputError(strange)
    if table.num_rows == 0:
        raise InputError(f"The original {before.name!r} has no rows.\nThere is nothing to compare with.")
    return _Tables(table, released, (before.name, after.name)), left_out


def _is_comparable(source: Source, name: str) -> bool:
    """Return whether a column can be read with each different value once."""
    try:
        source.read([name], coded=[name])
    except InputError:
        return False
    return True


def _opened(data: object, written: InputFormat, problems: list[Problem]) -> Source | None:
    """Open a file or a frame, or tell why that cannot be; what is open already stays as it is."""
    if callable(getattr(data, "restore", None)) and callable(getattr(data, "read", None)):
        return cast("Source", data)
    try:
        return open_source(data, written)
    except InputError as error:
        problems += error.problems
        return None


def _missing(wanted: Sequence[str], source: Source, what: str) -> list[Problem]:
    try:
        check_wanted(wanted, source.columns, f"the {what} {source.name!r}", shown=not source.doubtful)
    except InputError as error:
        return list(error.problems)
    return []


def _looked_at(spec: Spec) -> Iterator[str]:
    targets = (getattr(qi.hierarchy, "target", None) for qi in spec.quasi_identifiers.values())
    return (name for name in dict.fromkeys(targets) if name)


def _recodings(
    tables: _Tables,
    spec: Spec | None,
    quasi_identifiers: Sequence[str] | None,
    levels: Mapping[str, int],
    average_errors: Mapping[str, float] | None,
) -> tuple[_Columns, list[str]]:
    """Find what became of every column, and note what is not known."""
    if spec is not None:
        spec = fitted(spec, tables.original)
    hierarchies = {} if spec is None else spec.quasi_identifiers
    types = {} if spec is None else spec.types
    averages = {} if spec is None else averages_in(spec.recoding, hierarchies)
    found: list[RecodedColumn] = []
    problems: list[Problem] = []
    notes: list[str] = []
    for name in tables.release.column_names:
        try:
            found.append(
                recode_column(
                    name,
                    _array(tables.original, name),
                    _array(tables.release, name),
                    hierarchies.get(name),
                    level=levels.get(name),
                    text=isinstance(types.get(name), Text),
                    average=averages.get(name),
                    average_error=(average_errors or {}).get(name),
                )
            )
        except InputError as error:
            problems += [Problem(f"Column {name!r}: {p.message}", p.values) for p in error.problems]
        except pa.ArrowException:
            if spec is not None and name not in hierarchies:
                notes.append(_LEFT_OUT.format(name))
                continue
            problems.append(
                Problem(f"Column {name!r}: its values have no text form.\nTurn the column into text.")
            )
    if problems:
        raise InputError(problems)
    notes += _average_notes(averages, known=bool(average_errors))
    if spec is not None:
        named = list(hierarchies)
    elif quasi_identifiers is not None:
        named = list(quasi_identifiers)
    else:
        named = [column.name for column in found if not _as_it_was(column)]
        if not named:
            raise InputError(
                "No quasi-identifiers given, and no column differs in the release.\n"
                f"Columns: {', '.join(tables.release.column_names)}.\n"
                "Use --spec or --qi (in Python spec=... or quasi_identifiers=[...])."
            )
        notes.append(f"Taken as quasi-identifiers, because they are generalized: {', '.join(named)}.")
    by_name = {column.name: column for column in found}
    columns = _Columns(tuple(by_name[name] for name in named), tuple(c for c in found if c.name not in named))
    changed = [column.name for column in columns.others if not _as_it_was(column)]
    if changed:
        raise InputError(
            "The release was not made of this original: it has values that are not in the original.\n"
            f"Found: such values in {', '.join(changed)}, not among the quasi-identifiers.\n"
            "Give the table that the release was made of, or name these columns as quasi-identifiers."
        )
    notes += [
        f"Column {column.name!r}: nothing is known of {count:,} {'label' if count == 1 else 'labels'}, "
        "which may be anything for all that is said here."
        for column in columns.quasi_identifiers
        if (count := int((column.cover.unknown & (column.rows > 0)).sum()))
    ]
    return columns, notes


def _average_notes(averages: Mapping[str, Average], *, known: bool) -> Iterator[str]:
    """Yield what the loss of columns of averages is, for all columns of a kind."""
    for average in dict.fromkeys(averages.values()):
        names = ", ".join(name for name, own in averages.items() if own == average)
        loss = (_KNOWN_LOSS if known else _SEEN_LOSS)[average]
        yield (
            f"{average.capitalize()}s of classes: {names}. They are read as the nearest values, and the loss "
            f"of such a column is {loss}."
        )


_KNOWN_LOSS: dict[Average, str] = {
    "mean": "the squared error as a share of its variance",
    "median": "the squared error as a share of its variance",
    "mode": "the share of the rows that have another value",
}
_SEEN_LOSS: dict[Average, str] = {
    "mean": "the share of its variance that the means lack",
    "median": "the squared distance between its values and the medians, both in order, as a share of its "
    "variance; the squared error can be larger: nobody sees here which values are in which class",
    "mode": "the least share of the rows that have another value; it can be larger: nobody sees here which "
    "values are in which class",
}


def _as_it_was(column: RecodedColumn) -> bool:
    return column.untouched and not column.cover.unknown.any()


def _array(table: pa.Table, name: str) -> pa.DictionaryArray:
    values = table.column(name).combine_chunks()
    return values.chunk(0) if isinstance(values, pa.ChunkedArray) else values


def _targets(
    columns: _Columns, spec: Spec | None, wanted: list[str]
) -> tuple[list[RecodedColumn], list[str]]:
    """Return the columns to predict, and a note on each that is left out."""
    by_name = {column.name: column for column in columns.all}
    if wanted:
        names = wanted
    elif spec is not None:
        names = [name for name in spec.sensitive if name in by_name]
    else:
        names = [column.name for column in columns.others]
    found, notes = [], []
    for name in names:
        reason = unfit(by_name[name]) if name in by_name else "its values have no text form"
        if reason is None and not any(c.name != name for c in columns.quasi_identifiers):
            reason = "there is no other quasi-identifier to predict it from"
        if reason is None:
            found.append(by_name[name])
        else:
            notes.append(f"Column {name!r} is not learned: {reason}.")
    if not names:
        notes.append("Nothing is learned: no column is sensitive. Name one: --target (in Python target=...).")
    return found, notes


def _strongest(targets: list[RecodedColumn], pairs: Sequence[Association]) -> list[RecodedColumn]:
    """Return the columns that depend most on a quasi-identifier, in their order.

    Models of a column that nothing predicts show nothing, and those of one take a second or two.
    """
    strongest = {column.name: 0.0 for column in targets}
    for pair in pairs:
        for name in strongest.keys() & set(pair.columns):
            strongest[name] = max(strongest[name], pair.before)
    chosen = sorted(targets, key=lambda column: -strongest[column.name])[:_MOST_TARGETS]
    return [column for column in targets if column in chosen]


def _learn(
    columns: _Columns,
    targets: Sequence[RecodedColumn],
    belonging: Belonging,
    tables: _Tables,
    seed: int,
    listener: Listener | None,
) -> tuple[tuple[Learning, ...], list[str]]:
    """Train all models for all targets, and tell what a reader should know of that."""
    if not targets:
        return (), []
    try:
        check_installed("sklearn", "utility", "Learning")
    except InputError as error:
        return (), [" ".join(error.problems[0].message.split("\n"))]
    rows, released = tables.original.num_rows, tables.release.num_rows
    split = Split.of(belonging, rows, released, seed, MOST_ROWS)
    notes = []
    if rows > MOST_ROWS:
        notes.append(f"Models are trained and tested on a sample of {MOST_ROWS:,} rows.")
    found: list[Learning] = []
    names = [(target.name, model) for target in targets for model in models_of(target)]

    def report(target: str, model: str) -> None:
        if listener is not None:
            listener(Training(names.index((target, model)), len(names), f"{model} for {target}"))

    for target in targets:
        predictors = [column for column in columns.quasi_identifiers if column.name != target.name]
        scores = learn(target, predictors, split, seed, report=report)
        found += scores
        if not scores:
            notes.append(f"Column {target.name!r} is not learned: too few rows to train and test on.")
        elif is_numeric(target) and target.domain.null:
            notes.append(f"Column {target.name!r}: rows with NULL are not learned from.")
    return tuple(found), notes
