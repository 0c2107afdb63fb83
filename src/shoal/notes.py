"""What a reader of a release should know beside its figures, one note per matter."""

from __future__ import annotations

from shoal.describe.hierarchy import FromData
from shoal.encode.table import CodedTable
from shoal.engines.engine import Rows
from shoal.privacy.passing_classes import passing
from shoal.read.formulas import note as formula_note
from shoal.read.formulas import opens_in_spreadsheets
from shoal.recode.released_classes import Verdict
from shoal.spec.spec import Spec
from shoal.suggestions.words import listed
from shoal.write.output import Output, TableOutput


def on_hierarchies(coded: CodedTable) -> tuple[str, ...]:
    """Return what is odd about hierarchies that can still be used."""
    notes = [f"Column {column.name!r}: {note}" for column in coded.columns for note in column.notes]
    notes += [
        f"Column {column.name!r}: its hierarchy ends with {len(column.labels[-1]):,} labels instead of one, "
        "so it cannot be fully generalized."
        for column in coded.columns
        if column.height and len(column.labels[-1]) > 1
    ]
    unused = [
        f"{column.name} {spare:,} of {column.total_leaves:,}"
        for column in coded.columns
        if (spare := column.total_leaves - len(column.counts))
    ]
    if unused:
        notes.append(f"Hierarchy entries that the table does not use: {', '.join(unused)}.")
    return tuple(notes)


def on_models(spec: Spec, coded: CodedTable) -> tuple[str, ...]:
    """Return how models were applied where that is not obvious."""
    notes = [note for model in spec.privacy for note in model.notes(coded)]
    if spec.choose_by == "quasi-identifiers":
        notes.append("Models of sensitive columns took no part in the search; they were checked afterwards.")
    if spec.unit is not None and spec.unit not in spec.roles:
        notes.insert(
            0,
            f"Column {spec.unit!r} identifies the person a row is about; "
            "it has no role, so it is not released.",
        )
    if spec.suppression:
        notes += [
            f"No row was suppressed: under {model.describe()} a missing class reveals something."
            for model in spec.privacy
            if not model.suppressible
        ]
    return tuple(dict.fromkeys((*notes, *on_uncovered_columns(spec))))


def on_uncovered_columns(spec: Spec) -> tuple[str, ...]:
    """Name the sensitive columns that no model reads: only a crowd of k hides what stands in them."""
    covered = {model.column for model in spec.privacy}
    uncovered = [name for name in spec.sensitive if name not in covered]
    if not uncovered:
        return ()
    columns = f"{'column' if len(uncovered) == 1 else 'columns'} {listed(uncovered)}"
    return (f"No model covers the sensitive {columns}: a class may reveal the values of its people.",)


def on_weights(spec: Spec) -> tuple[str, ...]:
    """Return a note if weights were given to a measure that ignores them."""
    if spec.quality.weighted or len({qi.weight for qi in spec.quasi_identifiers.values()}) == 1:
        return ()
    return (f"Column weights have no effect on {spec.quality.name}, which is not a mean over columns.",)


def on_stars(verdict: Verdict, spec: Spec) -> tuple[str, ...]:
    """Describe how many rows were starred only to make the starred rows pass as a class."""
    if not verdict.starred or not verdict.suppressed_rows:
        return ()
    failing = int(verdict.classes.sizes[~passing(spec.searched, verdict.classes)].sum())
    more = verdict.suppressed_rows - failing
    if not more:
        return ()
    are = "row is" if failing == 1 else "rows are"
    return (
        f"Starred rows form a class that anybody can see: {failing:,} {are} in classes that fail, and "
        f"{more:,} more from the smallest other classes were starred for all of them to pass as one. With "
        f"suppressed: remove these levels suppress {failing:,}.",
    )


def on_several_classes(verdict: Verdict, spec: Spec) -> tuple[str, ...]:
    """Describe how many people models of sensitive columns judge in several classes, each by itself."""
    several = 0 if all(model.column is None for model in spec.privacy) else verdict.seen.people_in_several
    if not several:
        return ()
    have = "1 person has" if several == 1 else f"{several:,} people have"
    return (
        f"{have} rows in several classes. Models of sensitive columns judge each class by itself: whoever "
        "finds a person in several of them can combine what they reveal, such as a value that they share.",
    )


def on_formulas(rows: Rows, spec: Spec, output: Output | None) -> tuple[str, ...]:
    """List the columns with cells that spreadsheets compute, unless no spreadsheet opens the release."""
    if isinstance(output, TableOutput) or (output is not None and not opens_in_spreadsheets(output.path)):
        return ()
    return formula_note(rows.formula_cells(), spec.released, escaping=spec.escape_formulas)


def on_traces(verdict: Verdict, spec: Spec) -> tuple[str, ...]:
    """List the columns whose labels were made from rows that are not all released."""
    made = [
        column.name
        for column, cells in zip(verdict.coded.columns, verdict.cells, strict=True)
        if isinstance(spec.quasi_identifiers[column.name].hierarchy, FromData)
        if cells.level != 0 and len(cells.labels) > 1
    ]
    if not made or not verdict.suppressed_rows:
        return ()
    return (
        f"The labels of {', '.join(made)} were made from all rows, suppressed ones too, and may reveal a "
        "little about their values. Hierarchies with fixed labels, such as intervals or a file, do not.",
    )
