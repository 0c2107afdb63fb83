"""From a release and new rows to an extended release: the steps, one call each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.audit import Audit, References, audit_release
from shoal.audit.difference import named
from shoal.audit.reference import claims
from shoal.describe.roles import Accepted
from shoal.errors import InputError
from shoal.events import Listener, Steps
from shoal.incremental.admitted_rows import ExtensionPlan, plan
from shoal.incremental.earlier_release import Earlier, open_earlier
from shoal.incremental.extended_rows import ExtendedRows, gather, numbered
from shoal.incremental.extension import Extension, check_path
from shoal.incremental.new_people import NewPeople, require_new_people
from shoal.incremental.refusal import refusal
from shoal.read.source import InputFormat
from shoal.recode.row_order import new_key, random_order
from shoal.spec.spec import Spec


def extend(
    manifest: str | Path,
    new_rows: object,
    *,
    original: object = None,
    release: str | Path | None = None,
    output: str | Path | None = None,
    files: str | Path | None = None,
    suppression: float | None = None,
    k: int | None = None,
    accept: Mapping[str, Accepted] | None = None,
    drop_undeclared: bool = False,
    shared: Sequence[str] = (),
    new_people: bool = False,
    replace_extension: bool = False,
    remember_people: bool = False,
    input_format: InputFormat | None = None,
    sign: str | Path | None = None,
    listener: Listener | None = None,
) -> Extension:
    """Add new rows to a release that is published, at its levels, if nobody is given away by the difference.

    Whoever has both releases sees which rows were added. So what is added to a class must satisfy all models
    by itself, and so must the whole. New rows of which that is not true wait: they count as suppressed. Rows
    that were suppressed before may come in with them. What was published stays as it is; rows that are to go
    or to change are not covered.

    Parameters
    ----------
    manifest
        The manifest of the earlier release.
    new_rows
        The new rows alone, as a file or a frame, with the columns of the original table.
    original
        The table that the earlier release was made of, as a file or a frame; a list of them in order, if it
        was extended itself. Without it rows that were suppressed before stay so. It is needed by models that
        compare classes with the whole table, and by hierarchies that depend on all values.
    release
        The file of the earlier release, if it is not beside its manifest.
    output
        Where to write the extended release; see `Extension.write`.
    files
        The folder with the files that the manifest's spec names, if they are not beside it.
    suppression, k
        What the extended release is to satisfy, where that is not what the earlier one does.
    accept
        Columns that may single people out, beside those that the earlier release accepts: see `Spec`.
    drop_undeclared
        Leave out columns that the spec does not name; otherwise they are an error.
    shared
        Identifiers that different people share, such as the telephone of a family: people are not compared by
        them.
    new_people
        Assert that nobody of the earlier table has new rows, where that cannot be compared: the original
        table is not given, and its people were not remembered. The manifest says that it was asserted.
    replace_extension
        Assert that nobody has, and will have, the file to which this release was extended before. Without
        that it cannot be extended once more: extend the newest release.
    remember_people
        Remember the people of the extended release, as `Release.write` does. Those of an earlier release that
        were remembered are carried over in any case.
    input_format
        How the files of `new_rows` and `original` are written, where that is not as the manifest's spec says.
    sign
        A file with the private key that signs the manifest.
    listener
        Called with what happens: see `shoal.events`.

    Raises
    ------
    InputError
        With what is wrong about the earlier release, the new rows or a parameter; also if people of the
        earlier table have new rows, or if nobody knows that, or if the release was extended before.
    LinkableError
        Columns that are released as they are single people out in the extended release.
    InfeasibleError
        The levels cannot be kept; the message tells what must change.

    Examples
    --------
    Three of the new people are in their thirties. The fourth is alone, and waits.

    >>> import tempfile
    >>> import shoal
    >>> people = pa.table({"age": [31, 33, 35, 42, 44], "disease": list("abcab")})
    >>> spec = shoal.Spec(
    ...     quasi_identifiers={"age": shoal.intervals(10)},
    ...     sensitive=["disease"],
    ...     privacy=[shoal.KAnonymity(2)],
    ...     suppression=0.2,
    ... )
    >>> path = Path(tempfile.mkdtemp()) / "release.csv"
    >>> _ = shoal.anonymize(people, spec).write(path)
    >>> later = pa.table({"age": [36, 37, 39, 48], "disease": list("aabc")})
    >>> extension = shoal.extend(f"{path}.manifest.json", later)
    >>> extension.added_rows, extension.waiting_rows, extension.table.num_rows
    (3, 1, 8)
    """
    steps = Steps(listener)
    with steps("read"):
        earlier = open_earlier(manifest, release, folder=files, suppression=suppression, k=k, accept=accept)
        earlier = replace(earlier, input=(input_format or InputFormat()).over(earlier.spec.input))
        originals = _originals(original)
        _check_references(earlier.spec, originals)
        if output is not None:
            check_path(Path(output), earlier)
        rows = gather(earlier, new_rows, originals, drop_undeclared=drop_undeclared)
        checked_people = require_new_people(
            earlier, new_rows, originals, shared=shared, asserted=new_people, remember=remember_people
        )
    with steps("encode"):
        found = plan(rows, earlier.spec)
    if not found.feasible:
        raise refusal(earlier, found)
    extension = _extension(earlier, found, checked_people, steps, replaces=replace_extension)
    extension.require_only()
    if output is not None:
        extension.write(output, sign=sign)
    return extension


def _originals(original: object) -> Sequence[object]:
    if original is None:
        return ()
    return original if isinstance(original, list | tuple) else (original,)


def _check_references(spec: Spec, originals: Sequence[object]) -> None:
    compared = [claim.model.describe() for claim in claims(spec) if claim.reads.original]
    if compared and not originals:
        raise InputError(
            f"To be compared with all rows: {' and '.join(compared)}.\n"
            "The original table is not given.\nGive it: --original FILE (in Python original=...)."
        )


def _extension(
    earlier: Earlier, found: ExtensionPlan, new_people: NewPeople, steps: Steps, *, replaces: bool
) -> Extension:
    """Put the rows together, and audit them and what was added."""
    rows, spec = found.rows, earlier.spec
    with steps("recode"):
        added = rows.table.filter(pa.array(found.added))
        table = pa.concat_tables([earlier.table, added])
        order = random_order(table.num_rows, new_key())
        table = table.take(pa.array(order)).combine_chunks()
        references = References(rows.originals).compared_by(spec)
    with steps("audit"):
        audit = _audited(table, spec, references)
        if audit.linkable is not None:
            audit.linkable.require()
        difference = _audited(added, spec, references)
        if difference.linkable is not None:
            difference.linkable.require(added=True)
    return Extension(
        table=table,
        spec=spec,
        rows=found.total,
        suppressed_rows=found.suppressed,
        allowed_rows=found.allowed,
        new_rows=int(rows.new.sum()),
        waiting_rows=found.waiting,
        added_rows=added.num_rows,
        returned_rows=found.returned,
        difference_sizes=found.class_sizes,
        added_linkable=difference.linkable,
        audit=audit.extended(map(named, difference.findings[: len(spec.privacy)])),
        notes=tuple(_notes(earlier, rows)),
        new_people=new_people,
        earlier=earlier,
        references=references,
        steps=steps,
        replaces=replaces,
        inputs=(*rows.files, *spec.files),
    )


def _audited(table: pa.Table, spec: Spec, references: References) -> Audit:
    audit = audit_release(table, spec, original=references.original)
    return audit.require(table.num_rows)


def _notes(earlier: Earlier, rows: ExtendedRows) -> list[str]:
    notes = [
        f"Extends {earlier.name!r} at its levels: the rows of that release are all in this one, and what was "
        "added satisfies the claims by itself.",
        f"From now on extend this release, and {earlier.name!r} no more: whoever has two extensions of one "
        "release finds the people who are new in both.",
        *rows.notes,
    ]
    numbers = numbered(pa.concat_tables([earlier.table, rows.table.filter(pa.array(rows.new))]))
    theirs = np.bincount(numbers[: earlier.table.num_rows], minlength=int(numbers.max()) + 1)
    ours = np.bincount(numbers[earlier.table.num_rows :], minlength=int(numbers.max()) + 1)
    if earlier.table.num_rows and (theirs <= ours).all():
        notes.append(
            "Every row of the earlier release is among the new rows too. If these were given again, nobody "
            "is hidden as claimed: give the new rows alone."
        )
    return notes
