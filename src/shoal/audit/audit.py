"""Whether a release keeps what its spec claims.

The audit reads the released values, and what a claim compares them with (`reference.py`): no codes, no
result of the search. NULL is a value like any other (GROUP BY keeps it). Rows with `*` in every
quasi-identifier, whether they were suppressed or not, are a class like any other: whoever has the file sees
them as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from shoal.audit.difference import check_difference
from shoal.audit.finding import COLUMNS_PRESENT, Audit, Finding, plain
from shoal.audit.hidden_content import hidden_finding
from shoal.audit.linkable import measure
from shoal.audit.linked_people import linked_people
from shoal.audit.manifest_check import check_manifest, same_file
from shoal.audit.manifest_file import Evidence, escapes_formulas, manifest_path
from shoal.audit.merged_values import is_merging
from shoal.audit.numbered_classes import ReleasedClasses
from shoal.audit.original_finding import original_table
from shoal.audit.original_rows import OriginalRows
from shoal.audit.reference import (
    Claim,
    HeldOriginal,
    add_references,
    claims,
    for_recipients,
    read_references,
    with_hierarchies,
    without_original,
    without_units,
)
from shoal.describe.lookalike_names import alike, folded
from shoal.describe.roles import MOST_COLUMNS
from shoal.errors import InputError, Problem, nearest, one_line
from shoal.files.folder import by_name, data_files
from shoal.privacy.condition import ROUNDING
from shoal.privacy.model import Tables
from shoal.read.formulas import counting_sql, formula_names
from shoal.read.source import FileKind, InputFormat, check_file, file_kind
from shoal.spec.for_recipients import as_handed_on
from shoal.spec.spec import Spec, SpecForm
from shoal.sql.relation import Relation, open_relation
from shoal.sql.typed_columns import restored_cells, unescaped_cells, with_types

_SMALLEST = re.compile(r"smallest class ([0-9]{1,18})")


def audit_release(
    release: str | Path | pa.Table,
    spec: SpecForm | None = None,
    input_format: InputFormat | None = None,
    *,
    manifest: str | Path | None = None,
    public_key: str | Path | None = None,
    name: str | None = None,
    original: object = None,
    populations: Mapping[str, object] | None = None,
    levels: Mapping[str, int] | None = None,
    units: pa.Array | None = None,
    earlier: Audit | None = None,
    extends: str | Path | None = None,
    keep_undeclared: bool = False,
    memory: str | None = None,
) -> Audit:
    """Check a release against the claims of its spec, and what its manifest says against the file.

    Parameters
    ----------
    release
        A CSV file (also `.gz`), a Parquet or Excel file, a folder of CSV or Parquet files, or a table. A file
        is read as Shoal writes it: the spec's `null-values` and `sheet` are about the original.
    spec
        Its privacy models are the claims; its roles say which columns are which. If not given, it is that of
        the manifest.
    input_format
        Delimiter, quote and encoding of a CSV file. What it leaves open is the manifest's, or without one the
        spec's; then the delimiter is sniffed and the quote is `"`, since `'x'` and `x` would be the same
        value for a wrong guess. The encoding is never the spec's, since releases are written in UTF-8.
    manifest
        The manifest of the release. Everything that it says about the file is compared with it. If neither
        this nor a spec is given, it is the one beside the file.
    public_key
        The key with which the manifest's signature is to be checked.
    name
        The file's name in messages and queries, where it is to be another than its own.
    original
        The table that the release was made of, as a file or a frame: needed by models that compare classes
        with it, such as t-closeness.
    populations
        By key the populations that models compare with, where these are not the spec's own.
    levels
        The levels of the release, needed with a population, which is generalized in the same way; if not
        given, those of the manifest. Where columns have none, it is compared by the labels of classes.
    units
        For a release that is a table: who each of its rows is about, where the release does not tell.
    earlier
        An audit of the same rows that knew the units: its findings stand where the file cannot show them.
    extends
        The release that this one extends, where its manifest says so and it is not beside it.
    keep_undeclared
        Accept columns that the spec does not name, as insensitive ones. Otherwise they are a failure.
    memory
        How much the queries may use, such as `4GB`; what is larger goes to files in the temporary folder.

    Raises
    ------
    InputError
        The release cannot be read, a column that claims are about is not in it, or what they compare with is
        not given. All of that comes at once.

    Examples
    --------
    >>> from shoal.describe.hierarchies.suppress import Suppress
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> spec = Spec(quasi_identifiers={"sex": Suppress()}, identifiers=["name"], privacy=[KAnonymity(2)])
    >>> print(audit_release(pa.table({"sex": ["F", "F", None]}), spec).render())
    k-anonymity 2: FAILS, smallest class 1, 1 class fails
    identifiers removed: holds, 1 of 1
    columns present: holds, 1 of 1
    rows: 3
    """
    (release, before), spec = _found(release), None if spec is None else Spec.of(spec)
    evidence = _evidence(release, spec, manifest, public_key)
    checked_spec = evidence.spec() if spec is None and evidence is not None else spec
    assert checked_spec is not None, "without a spec there is a manifest"
    _check_given(evidence, spec, extends, keep_undeclared=keep_undeclared)
    if levels is None and evidence is not None:
        levels = evidence.manifest.levels or {}
        if spec is not None:
            checked_spec = _as_in_manifest(spec, evidence)
    if levels is None and not checked_spec.recoding.has_levels:
        levels = {}
    release, hidden = _with_units(release, units)
    dialect = _dialect(input_format, evidence, checked_spec)
    with open_relation(release, dialect, name, memory=memory, shared=True) as opened:
        columns = _few_columns({name: quoted for name, quoted in opened.columns.items() if name != hidden})
        beside = () if hidden is None else (opened.columns[hidden],)
        checked_spec = _with_undeclared(checked_spec, columns) if keep_undeclared else checked_spec
        relation = replace(opened, columns=columns, hidden=beside)
        relation, computed = _restored(relation, checked_spec, evidence, release)
        relation, strange = with_types(relation, checked_spec)
        unit = _released_unit(relation, checked_spec) if hidden is None else opened.columns[hidden]
        to_check = claims(checked_spec, unit_known=unit is not None)
        _check_original(original, to_check)
        if spec is None:
            to_check = for_recipients(to_check, checked_spec, original, populations)
        references, problems = read_references(checked_spec, to_check, original, populations, levels)
        problems = [*_unfit_columns(relation, opened, checked_spec), *strange, *problems]
        if unit is not None:
            problems.extend(_of_nobody(relation, checked_spec, unit))
        if problems:
            raise InputError([*problems, *_circumstances(evidence, release, checked_spec, spec)])
        made = with_hierarchies(checked_spec, references)
        own = None if references.original is None else HeldOriginal(references.original)
        try:
            tables = add_references(relation, made, to_check, own, references.populations, levels or {}, unit)
        except InputError as error:
            raise InputError(
                [*error.problems, *_circumstances(evidence, release, checked_spec, spec)]
            ) from None
        classes = _classes(relation, checked_spec)
        audit = _judged(classes, checked_spec, to_check, tables, earlier, evidence, unit)
        if not computed and evidence is not None and _kind(release) == "text":
            computed = [*_computed_labels(classes, checked_spec)]
        compared = original_table(relation, own, tables, to_check, evidence)
    if evidence is not None and not isinstance(release, pa.Table):
        audit = audit.extended(check_manifest(evidence, audit, checked_spec, Path(release), spec))
        again = partial(
            audit_release,
            spec=spec,
            manifest=evidence.path,
            original=original,
            populations=populations,
            memory=memory,
        )
        audit = audit.extended(
            check_difference(evidence, Path(release), extends, dialect, checked_spec, again, memory=memory)
        )
    on_file = _of_the_file(computed, evidence, release, dialect)
    audit = audit.extended([*compared, *on_file, *_signature(evidence, public_key)])
    _check_unchanged(release, before)
    return audit


def _signature(evidence: Evidence | None, public_key: str | Path | None) -> Iterator[Finding]:
    if evidence is not None and public_key is not None:
        from shoal.audit.signature import signature_finding

        yield signature_finding(evidence.path, evidence.written, public_key)


def _check_unchanged(release: str | Path | pa.Table, before: object) -> None:
    """Refuse a release of which some figures may be those of another file."""
    if _state(release) != before:
        raise InputError(
            "The release changed while it was audited.\n"
            "Found: classes and a SHA-256 that may be those of two files.\n"
            "Copy it to a folder of your own, and audit the copy."
        )


def _found(release: str | Path | pa.Table) -> tuple[str | Path | pa.Table, object]:
    """Return a release, a file by a path that has its name, and its state before anything is read."""
    release = release if isinstance(release, pa.Table) else by_name(Path(release))
    return release, _state(release)


def _state(release: str | Path | pa.Table) -> object:
    """Return what tells whether a file, or one in a folder, is still the same and as it was."""
    if isinstance(release, pa.Table):
        return None
    path = Path(release)
    try:
        files = [path, *sorted(path.iterdir())] if path.is_dir() else [path]
        found = [(file.name, file.stat()) for file in files]
    except OSError:
        return None  # whoever reads it reports why
    return [(name, at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for name, at in found]


def audit_relation(
    relation: Relation,
    spec: Spec,
    *,
    original: OriginalRows | None = None,
    populations: Mapping[str, pa.Table] | None = None,
    levels: Mapping[str, int] | None = None,
    unit: str | None = None,
    earlier: Audit | None = None,
) -> Audit:
    """Check a release where it is, such as in a database: see `remote.py`.

    Parameters
    ----------
    relation
        The release.
    spec
        What is claimed. Where claims compare with a population, hierarchies that are made from the table are
        in it as they were made.
    original
        The table that the release was made of.
    populations
        By key the populations that models compare with, their quasi-identifiers as dictionary arrays.
    levels, earlier
        As for `audit_release`.
    unit
        The column that says who a row is about, as SQL, where the release does not tell.
    """
    relation, strange = with_types(relation, spec)
    unit = _released_unit(relation, spec) if unit is None else unit
    to_check = claims(spec, unit_known=unit is not None)
    checked = [claim for claim in to_check if claim.checkable]
    problems = [*map(Problem, _missing_columns(relation, spec)), *strange]
    if original is None and any(claim.reads.original for claim in checked):
        problems.append(without_original(to_check))
    if unit is not None and any(claim.reads.unit for claim in checked):
        problems.extend(_of_nobody(relation, spec, unit))
    if problems:
        raise InputError(problems)
    wanted = {
        claim.model.population.key for claim in checked if claim.reads.population and claim.model.population
    }
    compared = {key: table for key, table in (populations or {}).items() if key in wanted}
    tables = add_references(relation, spec, to_check, original, compared, levels or {}, unit)
    audit = _judged(_classes(relation, spec), spec, to_check, tables, earlier, None, unit)
    return audit.extended(original_table(relation, original, tables, to_check, None))


def _of_nobody(relation: Relation, spec: Spec, unit: str) -> Iterator[Problem]:
    """Report rows that are about nobody."""
    (nobody,) = relation.fetch_row(f"SELECT count(*) - count({unit}) FROM {relation.source}")
    if nobody:
        yield Problem(without_units("the release", spec.unit, nobody))


def _classes(relation: Relation, spec: Spec) -> ReleasedClasses:
    return ReleasedClasses.of(relation, [relation.columns[qi] for qi in spec.quasi_identifiers])


def _judged(
    classes: ReleasedClasses,
    spec: Spec,
    to_check: Sequence[Claim],
    tables: tuple[Tables, Tables],
    earlier: Audit | None,
    evidence: Evidence | None,
    unit: str | None,
) -> Audit:
    """Find what becomes of all claims on a release, and how many rows its other columns single out."""
    relation = classes.relation
    findings = (
        *_privacy(classes, spec, to_check, tables, earlier, evidence),
        _identifiers_removed(relation, spec),
        _columns_present(relation, spec),
        *_nulls_absent(relation, spec),
    )
    # An earlier audit of the same rows may know people whom the release does not tell apart.
    linkable = (
        earlier.linkable
        if earlier is not None and spec.unit is not None and unit is None
        else measure(relation, spec, rows=classes.rows, unit=unit)
    )
    linked = linked_people(relation, spec)
    return Audit(findings, classes.rows, classes.starred, classes.sizes, linkable, linked)


def _check_original(original: object, to_check: Sequence[Claim]) -> None:
    """Refuse an original table with which nothing would be compared."""
    if original is not None and not any(c.reads.original or c.reads.population for c in to_check):
        raise InputError(
            "No claim of the release compares with the original table.\nFound: an original table.\n"
            "Leave it out: --original (in Python original=...)."
        )


def _restored(
    relation: Relation, spec: Spec, evidence: Evidence | None, release: str | Path | pa.Table
) -> tuple[Relation, list[Finding]]:
    """Return a release without the apostrophes before cells like formulas, if it has to have them.

    Files have them that spreadsheets open. With it comes whether they all have.
    """
    if not escapes_formulas(spec, evidence) or _kind(release) not in ("text", "excel"):
        return relation, []
    unescaped = unescaped_cells(relation)
    return restored_cells(relation, unescaped), [_formulas_escaped(unescaped, relation.columns)]


def _kind(release: str | Path | pa.Table) -> FileKind | None:
    """Return the kind of a file, or of those in a folder."""
    if isinstance(release, pa.Table):
        return None
    path = Path(release)
    return file_kind(data_files(path)[1][0] if path.is_dir() else path)


def _of_the_file(
    computed: list[Finding],
    evidence: Evidence | None,
    release: str | Path | pa.Table,
    dialect: InputFormat,
) -> list[Finding]:
    """Return the findings on a file as such; without a manifest, which states them, those that fail."""
    if evidence is not None or isinstance(release, pa.Table):
        return computed
    found = [*computed, hidden_finding(Path(release), written_by_shoal=False, dialect=dialect)]
    return [finding for finding in found if not finding.holds]


def _formulas_escaped(unescaped: Mapping[str, int], columns: Iterable[str]) -> Finding:
    """Find whether no cell and no name of a column is one that spreadsheets compute."""
    cells = {name: count for name, count in unescaped.items() if count}
    wrong = [f"{name} {count:,}" for name, count in cells.items()]
    if names := formula_names(columns):
        wrong.append(f"{len(names):,} names of columns")
    measured = f"not these: {', '.join(wrong)}" if wrong else "all"
    return Finding("cells like formulas escaped", not wrong, measured, "", figure=sum(cells.values()))


def _computed_labels(classes: ReleasedClasses, spec: Spec) -> Iterator[Finding]:
    """Report labels that spreadsheets compute: one text, `=ROW()`, shows another number in each row."""
    names = list(spec.quasi_identifiers)
    cells = (counting_sql(f"q{position}", "duckdb") for position, _ in enumerate(names, start=1))
    counts = classes.relation.fetch_row(f"SELECT {', '.join(cells)} FROM {classes.table}")
    if found := [name for name, count in zip(names, counts, strict=True) if count]:
        words = f"in {', '.join(found)}: a spreadsheet may show another label in each row"
        yield Finding("labels like formulas", False, words, "", checkable=False)


def _as_in_manifest(spec: Spec, evidence: Evidence) -> Spec:
    """Return a given spec with the hierarchies that the manifest's levels are of."""
    try:
        return as_handed_on(spec, evidence.spec())
    except InputError:  # the given spec is what counts
        return spec


def _evidence(
    release: str | Path | pa.Table,
    spec: Spec | None,
    manifest: str | Path | None,
    public_key: str | Path | None,
) -> Evidence | None:
    """Read the manifest, if one is given or nothing else says what is claimed."""
    if manifest is None and spec is None and not isinstance(release, pa.Table):
        path = Path(release)
        if not path.is_dir():
            check_file(path)
        manifest = manifest_path(path)
        if not manifest.exists():
            raise InputError(
                f"Nothing states what the release {path.name!r} claims.\n"
                f"Found: no spec, and no manifest {manifest.name!r} beside it.\n"
                "Use --spec SPEC, --manifest FILE, or -k and at least one --qi (in Python spec=...)."
            )
    if manifest is not None:
        return Evidence.read(manifest)
    if spec is None:
        raise InputError("Nothing states what the table claims.\nGive its spec or its manifest.")
    if public_key is not None:
        raise InputError(
            "A public key checks the signature of a manifest.\nFound: a public key, and no manifest.\n"
            "Give the manifest too: --manifest FILE (in Python manifest=...)."
        )
    return None


def _check_given(
    evidence: Evidence | None, spec: Spec | None, extends: str | Path | None, *, keep_undeclared: bool
) -> None:
    if extends is not None and evidence is None:
        raise InputError(
            "Only a manifest states which release another one extends.\nFound: no manifest.\n"
            "Give it: --manifest FILE (in Python manifest=...)."
        )
    if keep_undeclared and spec is None:
        raise InputError(
            "Undeclared columns cannot be accepted here.\nThe spec is the manifest's, which lists every "
            "released column.\nLeave --keep-undeclared out, or give a spec: --spec FILE."
        )


def _with_undeclared(spec: Spec, columns: Iterable[str]) -> Spec:
    """Return the spec with further columns as insensitive ones."""
    undeclared = (name for name in columns if name not in (*spec.roles, *spec.withheld))
    return replace(spec, insensitive=(*spec.insensitive, *undeclared))


def _circumstances(
    evidence: Evidence | None, release: str | Path | pa.Table, spec: Spec, given: Spec | None
) -> list[Problem]:
    """Return what else may be wrong where claims cannot be checked: lost files, another file's manifest."""
    if evidence is None or isinstance(release, pa.Table):
        return []
    problems = evidence.missing_files(spec) if given is None else []
    same = same_file(evidence, Path(release))
    if not same.holds:
        problems.append(
            Problem(
                f"The manifest {evidence.path.name!r} does not belong to this file.\n"
                f"SHA-256: {same.measured}.\n"
                "Give the file and the manifest that belong together."
            )
        )
    return problems


def _dialect(given: InputFormat | None, evidence: Evidence | None, spec: Spec) -> InputFormat:
    own = given or InputFormat()
    # The spec may be the manifest's: what it says of the input is no way to read the release.
    recorded = spec.input.of_release() if evidence is None else evidence.input_format
    return InputFormat(
        delimiter=own.delimiter or recorded.delimiter,
        quote=own.quote or recorded.quote,
        encoding=own.encoding,
        # The claims name its columns: what is none of them is not shown.
        header=True if own.header is None else own.header,
    )


def _with_units(
    release: str | Path | pa.Table, units: pa.Array | None
) -> tuple[str | Path | pa.Table, str | None]:
    """Put the units beside the released rows, in a column that has none of their names."""
    if units is None:
        return release, None
    if not isinstance(release, pa.Table) or len(units) != release.num_rows:
        raise InputError(
            "Units are given for the rows of a table, one for each.\n"
            f"Found: {len(units):,} units.\nLeave them out for a file."
        )
    name = "unit"
    while name in map(str.lower, release.column_names):
        name += "_"
    return release.append_column(name, units), name


def _released_unit(relation: Relation, spec: Spec) -> str | None:
    """Return the column that says who a row is about, as SQL, if it is in the release as it was."""
    if spec.unit is None or spec.unit in spec.quasi_identifiers or spec.unit in spec.withheld:
        return None
    return relation.columns.get(spec.unit)


def _few_columns(columns: dict[str, str]) -> dict[str, str]:
    """Return the columns, unless there are too many to go through them."""
    if len(columns) > MOST_COLUMNS:
        raise InputError(
            "The release has too many columns for an audit.\n"
            f"Columns: {len(columns):,}; at most {MOST_COLUMNS:,}."
        )
    return columns


def _missing_columns(relation: Relation, spec: Spec) -> Iterator[str]:
    present = list(relation.columns)
    claimed = dict.fromkeys(model.column for model in spec.privacy if model.column is not None)
    roles = {
        **dict.fromkeys(claimed, "which a claim is about"),
        **dict.fromkeys(spec.quasi_identifiers, "a quasi-identifier of the spec"),
    }
    # The first line of a file without a header is somebody's: it is not shown.
    shown = "None of the columns of the spec is there: check that its first line is a header."
    known = any(name in relation.columns for name in spec.roles)
    if known:
        shown = f"Columns: {', '.join(map(one_line, present))}."
    for name in (*spec.quasi_identifiers, *claimed):
        if name not in relation.columns:
            yield (
                f"Column '{one_line(name)}', {roles[name]}, is not in the release '{relation.name}'.\n"
                f"{shown}{nearest(name, present) if known else ''}"
            )


def _unfit_columns(relation: Relation, opened: Relation, spec: Spec) -> Iterator[Problem]:
    """Report columns that are not there, and those whose values cannot be compared."""
    yield from map(Problem, _missing_columns(relation, spec))
    yield from _incomparable(opened, spec)


def _incomparable(relation: Relation, spec: Spec) -> Iterator[Problem]:
    """Report columns that claims are about in whose types DuckDB finds different values equal."""
    claimed = dict.fromkeys((*spec.quasi_identifiers, *(model.column for model in spec.privacy), spec.unit))
    names = [name for name in claimed if name is not None and name in relation.columns]
    columns = ", ".join(relation.columns[name] for name in names)
    kinds = relation.connection.sql(f"SELECT {columns} FROM {relation.source}").types if names else []
    for name, kind in zip(names, kinds, strict=True):
        if is_merging(kind):
            yield Problem(
                f"Column {name!r} of the release has values that cannot be compared.\nFound: {kind}.\n"
                "Programs differ in which of them are equal: get the release with text in their place."
            )


def _privacy(
    classes: ReleasedClasses,
    spec: Spec,
    to_check: Sequence[Claim],
    tables: tuple[Tables, Tables],
    earlier: Audit | None,
    evidence: Evidence | None,
) -> Iterator[Finding]:
    relation = classes.relation
    run, shown_tables = tables
    shown = _kept(relation.shown)
    plainly = _kept(relation.source), run
    reads = any(c.checkable and not c.reads.population and (c.reads.column or c.reads.unit) for c in to_check)
    apart = reads and classes.apart
    counted: dict[str, tuple[str, Tables]] = {}
    for position, claim in enumerate(to_check):
        model = claim.model
        if not claim.checkable:
            before = earlier.findings[position] if earlier is not None else None
            yield _uncheckable(claim, spec, classes, before, evidence)
            continue
        if claim.reads.population or not (claim.reads.column or claim.reads.unit or claim.reads.weight):
            start, read = plainly
        elif not (claim.reads.column or claim.reads.unit):
            start, read = classes.sized(run)
        elif not apart:
            start, read = plainly
        elif claim.reads.weight and not claim.reads.unit and model.column is not None:
            if model.column not in counted:
                counted[model.column] = classes.counted(run, run.columns[model.column])
            start, read = counted[model.column]
        else:
            start, read = classes.filled(run)
        failing, figure = relation.fetch_row(start + model.sql(claim.reads.limit(read)))
        measured = model.wording(figure)
        if failing:
            measured += f", {_fail(failing)}"
        if claim.reads.unit:
            measured += f", counted by {spec.unit!r}"
        if not classes.rows:
            measured += " (nothing to check: no rows)"
        yield Finding(
            model.describe(),
            failing == 0,
            measured,
            relation.shown_query(shown + model.sql(claim.reads.limit(shown_tables))),
            figure=plain(figure),
        )


def _uncheckable(
    claim: Claim, spec: Spec, classes: ReleasedClasses, before: Finding | None, evidence: Evidence | None
) -> Finding:
    """Return the finding on a claim that the released values do not tell.

    People are no more than their rows. So where a class has fewer rows than the claim needs people, or than
    the manifest says, it fails whoever they are, and so it does with too few values of a column. Otherwise
    only what was measured before can be told, and that proves nothing here.
    """
    name, done = claim.model.describe(), _fate(spec)
    if before is not None and not before.checkable:
        return before
    if before is not None:
        if not before.checkable:  # it says so already
            return before
        return replace(before, measured=f"{before.measured} before it was {done}", checkable=False)
    if failing := _failing_anyway(claim, spec, classes):
        return Finding(name, False, f"{failing} whoever they are about", "")
    measured = claim.lacks
    for recorded in evidence.manifest.claims if evidence is not None else ():
        if recorded.claim == name:
            measured += f"; by the manifest {recorded.measured}"
            people = _SMALLEST.search(recorded.measured)
            if people is not None and classes.sizes and int(people[1]) > min(classes.sizes):
                measured = (
                    f"smallest class {people[1]} people by the manifest, and {min(classes.sizes)} rows here"
                )
                return Finding(name, False, measured, "")
    return Finding(name, holds=False, measured=measured, sql="", checkable=False)


def _failing_anyway(claim: Claim, spec: Spec, classes: ReleasedClasses) -> str:
    """Describe why a claim on people fails, however many rows each of them has; `` if it need not."""
    model, sizes = claim.model, classes.sizes
    if failing := sum(count for size, count in sizes.items() if size < model.minimum_size):
        return f"smallest class {min(sizes)} rows, {_fail(failing)}"
    risk = sum(sizes.values()) / classes.rows if classes.rows else 0.0
    if risk > model.average_risk * (1 + ROUNDING):
        return f"on average {risk:.4g} or more by the rows,"
    if not claim.reads.unit or model.column is None or model.minimum_values <= 1:
        return ""
    columns = classes.relation.columns
    column, labels = columns[model.column], ", ".join(columns[name] for name in spec.quasi_identifiers)
    failing, fewest = classes.relation.fetch_row(
        "SELECT count(*) AS failing, min(n) AS fewest\n"
        f"FROM (SELECT count(DISTINCT {column}) + max(CASE WHEN {column} IS NULL THEN 1 ELSE 0 END) AS n\n"
        f"  FROM {classes.relation.source} GROUP BY {labels}) AS classes\n"
        f"WHERE n < {model.minimum_values}"
    )
    return f"fewest values {fewest}, {_fail(failing)}" if failing else ""


def _fail(classes: int) -> str:
    return f"{classes:,} {'class fails' if classes == 1 else 'classes fail'}"


def _fate(spec: Spec) -> str:
    return "generalized" if spec.unit in spec.quasi_identifiers else "removed"


def _kept(source: str) -> str:
    """Return the beginning of a query on the released rows."""
    return f"WITH kept AS (SELECT * FROM {source})\n"


def _identifiers_removed(relation: Relation, spec: Spec) -> Finding:
    """Find whether all columns that must go are gone, under other spellings of their names too."""
    there = {folded(column): column for column in relation.columns}
    left = [there[folded(column)] for column in spec.withheld if folded(column) in there]
    measured = f"{len(spec.withheld) - len(left)} of {len(spec.withheld)}{_named('; still there', left)}"
    return Finding("identifiers removed", not left, measured, _describe(relation), figure=len(left))


def _columns_present(relation: Relation, spec: Spec) -> Finding:
    """Find whether the columns are those of the spec: all of them, no others, none twice."""
    missing = [column for column in spec.released if column not in relation.columns]
    declared = {*spec.released, *spec.withheld}
    extra = [column for column in relation.columns if column not in declared]
    again = [f"{name} like {other}" for name, other in alike(relation.columns)]
    measured = (
        f"{len(spec.released) - len(missing)} of {len(spec.released)}{_named('; missing', missing)}"
        f"{_named('; not in the spec', extra)}{_named('; spelled alike', again)}"
    )
    wrong = len(missing) + len(extra) + len(again)
    return Finding(COLUMNS_PRESENT, not wrong, measured, _describe(relation), figure=wrong)


def _nulls_absent(relation: Relation, spec: Spec) -> Iterator[Finding]:
    """Find whether columns in which the spec forbids NULL have none; what is missing is told elsewhere."""
    forbidding = [name for name, meaning in spec.nulls.items() if meaning == "forbid"]
    if not forbidding:
        return
    there = [name for name in forbidding if name in relation.columns]

    def counted(columns: Mapping[str, str]) -> str:
        return ", ".join(f"count(*) - count({columns[name]})" for name in there) or "0"

    found = relation.fetch_row(f"SELECT {counted(relation.columns)} FROM {relation.source}") if there else ()
    nulls = {name: int(count) for name, count in zip(there, found, strict=False) if count}
    yield Finding(
        f"no NULL in {', '.join(forbidding)}",
        not nulls,
        ", ".join(f"{count:,} in {name}" for name, count in nulls.items()) or "none",
        relation.shown_query(f"SELECT {counted(relation.columns_as_shown)} FROM {relation.shown}"),
        figure=sum(nulls.values()),
    )


def _describe(relation: Relation) -> str:
    return relation.shown_query(f"DESCRIBE SELECT * FROM {relation.shown}")


def _named(what: str, columns: list[str]) -> str:
    return f"{what}: {', '.join(columns)}" if columns else ""
