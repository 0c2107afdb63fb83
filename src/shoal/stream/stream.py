"""A stream: batches come in, rows wait, and what holds is released, each row once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.roles import LINKABLE_ROWS, LINKABLE_SHARE
from shoal.engines.choose import AUTO
from shoal.engines.ibis_tables import native
from shoal.errors import InfeasibleError, InputError
from shoal.events import Drifted, Listener
from shoal.files.atomic import check_path
from shoal.privacy.distribution import Distribution
from shoal.read.source import check_wanted, open_source
from shoal.read.typed_tables import typed
from shoal.read.types import narrowest
from shoal.release import Release
from shoal.search.problem import suppressed_rows_allowed
from shoal.session import Session
from shoal.spec.spec import Spec, SpecForm
from shoal.stream.alarm import describe
from shoal.stream.batch import as_declared, code_batch, digest, joined, read_batch, without_identifiers
from shoal.stream.emission import FILE, Emission, claim, folder_of, publish_staged
from shoal.stream.linkable import require_unlinkable
from shoal.stream.outcome import Outcome
from shoal.stream.regions import Regions, find_regions
from shoal.stream.requirements import (
    declared,
    least_people,
    require_batches,
    undeclared,
    with_distributions,
)
from shoal.stream.state import SettledRows, State, transaction

Rows = list[tuple[int, pa.Table]]
"""Rows by the number of their batch."""


class Stream:
    """Rows that come in batches, released as soon as the oldest of them can wait no longer.

    Models that compare classes with the table compare them with a declared distribution: that of the spec, or
    one that is measured once. Where a row has waited for `delay` further batches, all rows that can be
    released are. Rows whose values do not satisfy are suppressed with all others of their region; rows of a
    region that has too few wait, unless their time is up.

    Each emission is a folder of `output` with a release, its manifest and its checker. A batch that comes
    again changes nothing, and a process that is killed at any moment loses no row and releases none twice.

    Parameters
    ----------
    spec
        What the columns mean and what each class must satisfy. Its suppression limit is the share of the rows
        of an emission above which an alarm is raised.
    state
        The folder in which the stream remembers what waits and what was done. Only its owner may read it.
    output
        The folder of the emissions. It must exist.
    delay
        How many further batches a row may wait for.
    whole
        Release all rows that are due, or none of them: what is missing then says nothing more of anybody. If
        not given, rows are released in regions that satisfy without the others.
    reference
        A table, or its file, whose distributions are declared where the spec declares none, rounded to what
        any class needs. It is read once.
    keep_undeclared, drop_undeclared
        What to do with columns that the spec does not name; otherwise they are an error.
    listener
        Called with what happens, a `Drifted` at every alarm: see `shoal.events`.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> spec = shoal.Spec(
    ...     quasi_identifiers={"age": shoal.intervals(5, 10)},
    ...     sensitive=["disease"],
    ...     privacy=[
    ...         shoal.KAnonymity(2),
    ...         shoal.TCloseness("disease", 0.3, distribution={"flu": 0.5, "cold": 0.5}),
    ...     ],
    ... )
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "released").mkdir()
    >>> stream = shoal.Stream(spec, state=folder / "state", output=folder / "released", delay=1)
    >>> monday = pa.table({"age": [31, 42], "disease": ["flu", "flu"]})
    >>> stream.add(monday, "monday").waiting
    2
    >>> tuesday = pa.table({"age": [33, 44], "disease": ["cold", "cold"]})
    >>> outcome = stream.add(tuesday, "tuesday")
    >>> outcome.released, outcome.emission.name, stream.add(tuesday, "tuesday").repeated
    (4, '000001', True)
    """

    def __init__(
        self,
        spec: SpecForm,
        *,
        state: str | Path,
        output: str | Path,
        delay: int = 0,
        whole: bool = False,
        reference: object = None,
        keep_undeclared: bool = False,
        drop_undeclared: bool = False,
        listener: Listener | None = None,
    ) -> None:
        self._spec = Spec.of(spec)
        self._state, self._output = Path(state), Path(output)
        self._keep, self._drop = keep_undeclared, drop_undeclared
        self._listener, self._reference = listener, reference
        problems = []
        if isinstance(delay, bool) or not isinstance(delay, int | np.integer) or delay < 0:
            problems.append(f"The delay is a whole number of batches, at least 0.\nFound: {delay!r}.")
        self._delay, self._whole = delay, whole
        if keep_undeclared and drop_undeclared:
            problems.append("Undeclared columns cannot be both kept and dropped.\nChoose one.")
        try:
            require_batches(self._spec)
        except InputError as error:
            problems += [problem.message for problem in error.problems]
        if self._state.resolve().is_relative_to(self._output.resolve()):
            problems.append(
                f"The state '{self._state}' would be in '{self._output}', the folder of the emissions.\n"
                "People's rows wait in the state, and emissions are handed on.\nChoose another folder for it."
            )
        if problems:
            raise InputError(problems)
        check_path(self._output / FILE)

    @property
    def waiting(self) -> int:
        """How many rows wait."""
        with transaction(self._state) as state:
            return _count(state.waiting())

    def add(self, rows: object, batch: str | int) -> Outcome:
        """Add a batch, and release what its coming makes due.

        Parameters
        ----------
        rows
            The new rows: a data frame, or the path of a file.
        batch
            Its id. A batch with the id of an earlier one is that batch come again.

        Raises
        ------
        InputError
            With everything that is wrong about its rows; or they are others than came under that id before.
            Nothing was changed.
        """
        return self._add(*self._read(rows, self._spec), str(batch))

    def _add(self, table: pa.Table, spec: Spec, batch: str) -> Outcome:
        self._publish()
        with transaction(self._state) as state:
            before = state.batch(batch)
            if before is not None:
                _require_same(batch, before, (digest(table), table.num_rows))
                return Outcome(batch, table.num_rows, repeated=True, waiting=_count(state.waiting()))
            _require_new(batch, state.batch_of(digest(table)), table.num_rows)
            spec = self._settled(state, spec)
            state.note_batch(batch, digest(table), table.num_rows)
            waiting = [*self._waiting(state), (state.batches, table)]
            outcome = self._settle(state, spec, waiting, state.batches - self._delay)
        self._publish()
        return replace(outcome, batch=batch, rows=table.num_rows)

    def finish(self) -> Outcome:
        """Let no row wait any longer: release what can be, and suppress the rest."""
        self._publish()
        with transaction(self._state) as state:
            waiting = self._waiting(state)
            if not waiting:
                return Outcome()
            _, spec = self._read(_together(waiting, self._spec), without_identifiers(self._spec))
            outcome = self._settle(state, self._settled(state, spec), waiting, state.batches)
        self._publish()
        return outcome

    def for_each_batch(self, frame: Any, batch_id: int) -> None:
        """Add a micro-batch of Spark: `frame.writeStream.foreachBatch(stream.for_each_batch)`.

        Its rows come to the driver. Spark may deliver a batch again, which changes nothing.
        """
        from shoal.engines.spark.micro_batch import collected

        table = collected(frame, without=(*self._spec.withheld, *self._spec.drop))
        self._add(*self._read(table, without_identifiers(self._spec)), str(batch_id))

    def _read(self, rows: object, spec: Spec) -> tuple[pa.Table, Spec]:
        """Read rows as a spec says, with or without identifiers, and return the stream's spec for them."""
        table, found = read_batch(rows, spec, keep_undeclared=self._keep, drop_undeclared=self._drop)
        own = self._spec
        return table, replace(found, identifiers=own.identifiers, drop=own.drop, types=own.types)

    def _waiting(self, state: State) -> Rows:
        """Return the rows that wait, without columns that the spec did not always leave out."""
        gone = {*self._spec.identifiers, *self._spec.drop}
        return [
            (batch, table.select([name for name in table.column_names if name not in gone]))
            for batch, table in state.waiting()
        ]

    def _publish(self) -> None:
        """Publish the emission that is committed, which a process that was killed may have left staged."""
        with transaction(self._state) as state:
            emission, mark = state.unpublished, state.mark
        claim(self._output, mark)
        if emission is None:
            return
        if emission.released:
            publish_staged(self._output, emission.number)
        if emission.alarm is not None and self._listener is not None:
            self._listener(Drifted(emission.alarm))
        with transaction(self._state) as state:
            state.note_published(emission.number)

    def _settled(self, state: State, spec: Spec) -> Spec:
        """Return the spec with the distributions that were fixed when the stream began."""
        known, own = state.distributions, declared(spec)
        changed = [name for name in own if known.get(name, own[name]) != own[name]]
        if changed:
            raise InputError(
                "The distributions of a stream are fixed when it begins.\n"
                f"Found: another one of {', '.join(changed)}.\n"
                "Declare the same, or begin another stream with a state of its own."
            )
        missing = [name for name in undeclared(spec) if name not in known]
        measured = _measured(self._reference, spec, missing) if missing else {}
        state.fix({**own, **measured})
        return with_distributions(spec, {**known, **measured})

    def _settle(self, state: State, spec: Spec, waiting: Rows, until: int) -> Outcome:
        """Let rows wait, or settle them if some are of a batch up to `until` and cannot wait longer."""
        table = _together(waiting, spec)
        if not any(batch <= until and part.num_rows for batch, part in waiting):
            state.keep_waiting(waiting)
            return Outcome(waiting=table.num_rows)
        came = np.repeat([batch for batch, _ in waiting], [part.num_rows for _, part in waiting])
        known, strange = as_declared(table, spec)
        coded = code_batch(known, spec)
        found = find_regions(coded, spec.privacy, least_people(spec), strange, whole=self._whole)
        release = None
        if found.holding.any():
            release = self._release(table.filter(pa.array(found.holding)), spec)
        if release is None:
            found = Regions(np.zeros_like(found.holding), found.too_few)
        stays = found.too_few & (came > until)
        suppressed = int((~found.holding & ~stays).sum())
        number = state.emissions + 1
        released = 0 if release is None else release.rows
        if release is not None:
            require_unlinkable(release, state)
            Emission(release, spec, suppressed).stage(self._output, number)
        alarm = None
        if suppressed > suppressed_rows_allowed(spec.suppression, released + suppressed):
            alarm = describe(coded, spec, found, suppressed, released, strange)
        if released or suppressed:
            state.note_emission(SettledRows(number, released, suppressed, alarm))
        state.keep_waiting([(batch, table.filter(pa.array(stays & (came == batch)))) for batch, _ in waiting])
        return Outcome(
            released=released,
            suppressed=suppressed,
            waiting=int(stays.sum()),
            emission=None if release is None else folder_of(self._output, number),
            score=None if release is None else release.score,
            alarm=alarm,
            notes=()
            if release is None
            else _notes(release, cut=not self._whole and bool(found.at_fault.any())),
        )

    def _release(self, table: pa.Table, spec: Spec) -> Release | None:
        """Return the release of rows of which all can be released; None if they cannot after all."""
        own = replace(without_identifiers(spec), suppression=0.0, engine=AUTO)
        # Decimal places and the like were those that all rows of the batches need.
        for position, name in enumerate(table.column_names):
            if name in own.types:
                table = table.set_column(position, name, narrowest(table.column(name)))
        try:
            with Session(table, own, listener=self._listener) as session:
                return session.release()
        except InfeasibleError:
            return None


def _count(rows: Rows) -> int:
    return sum(table.num_rows for _, table in rows)


def _together(rows: Rows, spec: Spec) -> pa.Table:
    (_, found), *others = rows
    for _, table in others:
        found = joined(found, table, spec)
    return found


def _notes(release: Release, *, cut: bool) -> tuple[str, ...]:
    """Return what the summary of a release says, and what those who are not in it should know.

    Parameters
    ----------
    cut
        Whether the region of others had to be cut for it.
    """
    roles = "The roles were proposed by `shoal init` and are not yet confirmed."
    inferred = (
        "Rows are suppressed for their values, and others that were due with them released: whoever knows "
        "who came, and everybody's quasi-identifiers, can infer more of the former than that they did not "
        "satisfy, in the worst case their values. With --whole (in Python whole=True) all are released, or "
        "none."
    )
    return (*([roles] if release.spec.proposed else []), *([inferred] if cut else []), *release.notes)


def _require_new(batch: str, other: str | None, rows: int) -> None:
    """Refuse the rows of an earlier batch under another id; a few rows may be alike by chance."""
    if other is not None and rows >= LINKABLE_ROWS:
        raise InputError(
            f"Batch {batch!r} has the same rows as batch {other!r}, which came before.\nFound: {rows:,} "
            "rows, all of them the same.\n"
            "If it is a copy, leave it out: each row is released once. If these are other people, give their "
            "rows together with those of the next batch."
        )


def _require_same(batch: str, before: tuple[str, int], now: tuple[str, int]) -> None:
    if before != now:
        raise InputError(
            f"Batch {batch!r} came before, with other rows.\nFound: {now[1]:,} rows, before {before[1]:,}.\n"
            "Give new rows a batch id of their own. If Spark's checkpoint was removed, its ids begin again: "
            "begin another stream with a state of its own."
        )


def _measured(reference: object, spec: Spec, columns: list[str]) -> dict[str, Distribution]:
    """Return the distributions of a reference table."""
    if reference is None:
        raise InputError(
            f"Classes are compared with the distribution of {', '.join(columns)}, and none is declared.\n"
            "A batch is no measure of it: its distribution would be that of whoever happened to come.\n"
            "Add `distribution:` to the models, or measure it once: --reference FILE (in Python "
            "reference=...)."
        )
    source = open_source(native(reference), spec.input)
    check_wanted(columns, source.columns, "the reference")
    types = {name: kind for name, kind in spec.types.items() if name in columns}
    (table,), problems = typed([(" of the reference", source.read(columns, coded=()))], types)
    if problems:
        raise InputError(problems)
    if not table.num_rows:
        raise InputError("The reference has no rows.\nNo distribution can be measured.")
    for name in columns:
        _require_shared(table.column(name), name, spec)
    return {name: Distribution.of(table.column(name), least_people(spec)) for name in columns}


def _require_shared(values: pa.ChunkedArray, name: str, spec: Spec) -> None:
    """Refuse a reference whose values would single people out if a release had them: manifests list them."""
    unique = pc.sum(pc.equal(pc.value_counts(values).field("counts"), 1)).as_py()
    if unique >= LINKABLE_ROWS and unique > LINKABLE_SHARE * len(values) and name not in spec.accept:
        raise InputError(
            f"Column {name!r} of the reference has values of single people, and manifests list them.\n"
            f"Found: {unique:,} of {len(values):,} rows with a value that no other has.\n"
            "Round the values in the reference and in the batches, or declare a distribution of bands."
        )
