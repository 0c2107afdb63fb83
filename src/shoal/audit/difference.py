"""What whoever has a release and the one that it extends can tell: the rows that were added.

Both are files, and the difference is a query on them: `EXCEPT ALL`, in which NULL is a value and equal rows
are counted. What it gives is audited as a release is, under the name `release`, and the query that anybody
can repeat defines that name first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PureWindowsPath

import pyarrow as pa

from shoal.audit.finding import Audit, Finding
from shoal.audit.manifest_check import as_now, differing_claims
from shoal.audit.manifest_file import Evidence, escapes_formulas, is_own_file
from shoal.audit.published_findings import withheld_claims
from shoal.errors import InputError, one_line
from shoal.read.source import InputFormat, check_file, file_kind
from shoal.read.sql import file_text
from shoal.spec.spec import Spec
from shoal.sql.relation import Relation, open_relation
from shoal.sql.typed_columns import restored_cells, unescaped_cells

KEPT = "earlier rows kept"
_ROWS = "shoal_difference"


def named(finding: Finding) -> Finding:
    """Return a finding on the difference between two releases under a name that says so."""
    return replace(finding, claim=f"difference: {finding.claim}")


def difference_findings(
    release: Path,
    earlier: Path,
    dialect: InputFormat,
    spec: Spec,
    audit: Callable[[pa.Table], Audit],
    *,
    escaped: bool,
    names: Sequence[tuple[str, str]],
    memory: str | None = None,
) -> list[tuple[Finding, ...]]:
    """Check what was added to a release: nothing is gone, and what was added satisfies by itself.

    Parameters
    ----------
    release, earlier
        The two files, written in the same way.
    dialect
        Delimiter and quote of CSV files.
    spec
        What is claimed.
    audit
        Checks the claims on rows.
    escaped
        Whether CSV files have apostrophes before cells like formulas: no table to compare with has them.
    names
        What the two are called in messages and queries; further pairs are for queries alone.

    Returns
    -------
    list of tuple
        For each pair of names the findings, which differ in their queries.

    Raises
    ------
    InputError
        They cannot be read, or have different columns.
    """
    (name, earlier_name), *_ = names
    with (
        open_relation(release, dialect, name, memory=memory) as later,
        open_relation(earlier, dialect, earlier_name, "earlier release") as before,
    ):
        if list(later.columns) != list(before.columns):
            raise InputError(
                f"The release {name!r} has other columns than {earlier_name!r}, which it extends.\n"
                f"Found: {', '.join(map(one_line, later.columns))}; and "
                f"{', '.join(map(one_line, before.columns))}.\n"
                "Give the release that it extends."
            )
        escaped = escaped and file_kind(release) == "text"
        ours, theirs = _restored(later, before) if escaped else (later, before)
        (lost,) = ours.fetch_row(f"SELECT count(*) FROM ({_except(theirs, ours, 'source')})")
        ours.rows(f"CREATE TEMP TABLE {_ROWS} AS {_except(ours, theirs, 'source')}")
        rows = ours.connection.sql(f"SELECT * FROM {_ROWS}").to_arrow_table()
    words = f"{lost:,} {'is' if lost == 1 else 'are'} gone; {rows.num_rows:,} were added"
    there = Finding(KEPT, lost == 0, words, "", figure={"gone": lost, "added": rows.num_rows})
    found = audit(rows.rename_columns(list(ours.columns))).findings[: len(spec.privacy)]

    def queried(own: str, other: str) -> tuple[Finding, ...]:
        here, before = _called(ours, own), _called(theirs, other)
        start = f"WITH release AS (\n{_except(here, before, 'shown')}\n), "
        return (
            replace(there, sql=f"SELECT count(*) AS gone FROM (\n{_except(before, here, 'shown')}\n)"),
            *(
                replace(named(finding), sql=start + finding.sql.removeprefix("WITH ") if finding.sql else "")
                for finding in found
            ),
        )

    return [queried(*pair) for pair in names]


def check_difference(
    evidence: Evidence,
    release: Path,
    earlier: str | Path | None,
    dialect: InputFormat,
    spec: Spec,
    audit: Callable[[pa.Table], Audit],
    *,
    memory: str | None = None,
) -> tuple[Finding, ...]:
    """Compare what a manifest says of the release that this one extends with the two files.

    Parameters
    ----------
    evidence
        The manifest. If it says nothing of another release, there is nothing to find.
    earlier
        The release that this one extends; if not given, that of its name beside this one.
    """
    recorded = evidence.manifest.extends
    if recorded is None:
        if earlier is None:
            return ()
        raise InputError(
            f"The manifest {evidence.path.name!r} does not say that the release extends another.\n"
            f"Found: {Path(earlier).name!r} as the earlier release.\nLeave it out."
        )
    name = PureWindowsPath(recorded.file.name).name
    path = release.parent / name if earlier is None else Path(earlier)
    if earlier is None and not is_own_file(path):
        lacks = f"it compares with the release {name!r}, which is not beside it (--extends)"
        # Not those that the manifest lists: a manifest that lists none would hide that nothing was checked.
        names = (KEPT, *(f"difference: {model.describe()}" for model in spec.privacy))
        return tuple(Finding(claim, False, lacks, "", checkable=False) for claim in names)
    check_file(path)
    if not {file_kind(release), file_kind(path)} <= {"text", "parquet"}:
        why = "no query compares such files, and Shoal extends none"
        return (Finding(KEPT, False, why, ""),)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    measured = f"{digest[:16]}..."
    if digest != recorded.file.sha256:
        measured = f"the file {path.name!r} has {measured} and the manifest {recorded.file.sha256[:16]}..."
    same = Finding(
        "SHA-256 of the earlier release", digest == recorded.file.sha256, measured, "", figure=digest
    )
    # Queries by the names in the manifest are compared alone: they could lead to any file, or to a server.
    found, as_recorded = difference_findings(
        release,
        path,
        dialect,
        spec,
        audit,
        escaped=escapes_formulas(spec, evidence),
        names=[(release.name, path.name), (evidence.manifest.file.name, recorded.file.name)],
        memory=memory,
    )
    wrong = differing_claims(
        as_now(recorded.claims, spec), as_recorded, queries=True, withheld=withheld_claims(spec)
    )
    measured = "; ".join(wrong) or f"{len(found)} of {len(found)}"
    return same, *found, Finding("difference as in the manifest", not wrong, measured, "", figure=len(wrong))


def _restored(ours: Relation, theirs: Relation) -> tuple[Relation, Relation]:
    """Return both without the apostrophes, in the columns where no cell of either lacks one."""
    here, there = unescaped_cells(ours), unescaped_cells(theirs)
    unescaped = {name: count + there[name] for name, count in here.items()}
    return restored_cells(ours, unescaped), restored_cells(theirs, unescaped)


def _called(relation: Relation, name: str) -> Relation:
    """Return a file as it is shown to somebody to whom it has that name."""
    return replace(relation, shown=relation.shown.replace(file_text(relation.name), file_text(name), 1))


def _except(more: Relation, less: Relation, how: str) -> str:
    """Return the query for rows that one has and the other has not, or not as often."""
    return f"{_select(more, how)}\nEXCEPT ALL\n{_select(less, how)}"


def _select(relation: Relation, how: str) -> str:
    columns: Sequence[str] = list(relation.columns.values())
    return f"SELECT {', '.join(columns)} FROM {getattr(relation, how)}"
