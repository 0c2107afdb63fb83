"""What `extend` returns: the extended release, what was added to it, and the proof that both hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.audit import Audit, References, audit_release
from shoal.audit.difference import difference_findings
from shoal.audit.linkable import Linkability
from shoal.audit.published_findings import published
from shoal.errors import InputError
from shoal.events import Steps
from shoal.incremental.earlier_release import Earlier
from shoal.incremental.extended_before import recorded_extension, require_only_extension
from shoal.incremental.new_people import NewPeople
from shoal.incremental.remembered_people import remember
from shoal.read.source import InputFormat
from shoal.recode.full_domain import FullDomain
from shoal.spec.for_recipients import HandedOn
from shoal.spec.spec import Spec
from shoal.write.audited_file import write_table_file
from shoal.write.output import FileOutput
from shoal.write.publish import publish
from shoal.write.table_formats import check_writable, suffix_of

_TEXT = (".csv", ".csv.gz")


@dataclass(frozen=True, eq=False)
class Extension:
    """An extended release: the rows of the earlier one as they stand there, and those that were added.

    Attributes
    ----------
    table
        All its rows, shuffled.
    spec, levels
        What it satisfies, and the level of each quasi-identifier, as in the earlier release.
    rows, suppressed_rows
        Rows of the original tables and the new ones together, and how many of them it does not have.
    allowed_rows
        How many it may not have.
    new_rows, waiting_rows
        How many rows are new, and how many of these it does not have yet.
    added_rows, returned_rows
        How many rows it has beside those of the earlier release, and how many of these are not new but were
        suppressed before.
    difference_sizes
        For each size that occurs, the number of classes that got so many rows.
    added_linkable
        How many of the added rows the columns that are released unchanged single out among these.
    audit
        What an independent check found: of all its rows, and of the difference between the releases.
    new_people
        What is known about the people of the new rows.
    earlier
        The release that it extends.
    replaces
        Whether it may extend a release that another one extends, of which nobody knows.
    inputs
        The files that it was made of, and those that its spec names.
    """

    table: pa.Table
    spec: Spec
    rows: int
    suppressed_rows: int
    allowed_rows: int
    new_rows: int
    waiting_rows: int
    added_rows: int
    returned_rows: int
    difference_sizes: Mapping[int, int]
    added_linkable: Linkability | None
    audit: Audit
    notes: tuple[str, ...]
    new_people: NewPeople = field(repr=False)
    earlier: Earlier = field(repr=False)
    references: References = field(repr=False)
    steps: Steps = field(repr=False)
    replaces: bool = False
    inputs: tuple[Path, ...] = field(default=(), repr=False)

    @property
    def levels(self) -> dict[str, int]:
        return self.earlier.levels

    @property
    def recoding(self) -> FullDomain:
        """How values became labels in the earlier release, and do in this one."""
        return FullDomain(self.levels)

    @property
    def handed_on(self) -> HandedOn:
        """Its spec and recoding, which were in a manifest before."""
        return HandedOn(self.spec, self.recoding.to_manifest())

    @property
    def shuffled(self) -> bool:
        return True

    @property
    def dialect(self) -> InputFormat:
        """How its file is written: as that of the earlier release."""
        return self.earlier.evidence.input_format

    def write(self, path: str | Path, *, sign: str | Path | None = None) -> Path:
        """Write it with its evidence beside it, once the audits of the written file hold.

        The second audit is of the difference between this file and that of the earlier release. It is in
        the manifest, under `extends`, for whoever has both files.

        Parameters
        ----------
        path
            Ends in `.csv` or `.csv.gz` if the earlier release does, otherwise in `.parquet`. It is another
            file than the earlier release, which is needed to check this one.
        sign
            A file with the private key that signs the manifest.
        """
        path = Path(path)
        self.check_path(path)
        output = FileOutput(path).like(self.dialect, self.spec.input)

        def extends(files: Sequence[Path]) -> dict[str, Any]:
            (data,) = files
            (findings,) = difference_findings(
                data,
                self.earlier.path,
                output.dialect,
                self.spec,
                self._audit_of_rows,
                escaped=self.spec.escape_formulas,
                names=[(path.name, self.earlier.name)],
            )
            Audit(findings, self.added_rows, 0).require(self.added_rows)
            file = {"name": self.earlier.name, "sha256": self.earlier.sha256}
            people = self.new_people.to_mapping()
            return {"extends": {"file": file, "people": people, "claims": published(findings, self.spec)}}

        write_rows = partial(write_table_file, self.table, self.references)
        with recorded_extension(self.earlier, path, self.table):
            self.require_only()  # by now another run may have extended it
            publish(self, write_rows, output, sign=sign, stage=self.steps, further=extends)
        if self.new_people.people is not None:
            remember(path, self.new_people.people)
        return path

    def check_path(self, path: Path) -> None:
        """Raise if it cannot be written there.

        Raises
        ------
        InputError
            The format is another than that of the earlier release: their rows could not be compared.
        OutputError
            The path is that of the earlier release, or cannot be written to.
        """
        check_path(path, self.earlier)

    def require_only(self) -> None:
        """Raise if the earlier release was extended before, by other rows."""
        if not self.replaces:
            require_only_extension(self.earlier, self.table)

    def _audit_of_rows(self, rows: pa.Table) -> Audit:
        return audit_release(rows, self.spec, original=self.references.original)

    def facts(self) -> list[tuple[str, str]]:
        """Return all figures in words, each with its name."""
        share, allowed = self.suppressed_rows / self.rows, f"{self.allowed_rows:,} allowed"
        sizes = self.difference_sizes
        classes = sum(sizes.values())
        least, most = min(sizes, default=0), max(sizes, default=0)
        each = _rows(least) if least == most else f"{least:,} to {_rows(most)}"
        within = f" in {classes:,} {'class' if classes == 1 else 'classes'} of {each}" if classes else ""
        linkable, of_added = self.audit.linkable, self.added_linkable
        facts = [
            *(() if linkable is None else (("Linkable", linkable.words()),)),
            ("Extends", f"{self.earlier.name}, {_rows(self.earlier.table.num_rows)}"),
            ("Levels", ", ".join(f"{name} {level}" for name, level in self.levels.items()) + " (kept)"),
            ("New", f"{_rows(self.new_rows)}, {self.waiting_rows:,} of them waiting"),
            ("People", self.new_people.words),
            ("Returned", f"{self.returned_rows:,} of those that were suppressed before"),
            ("Added", f"{_rows(self.added_rows)}{within}"),
            *(() if of_added is None else (("Linkable, added", of_added.words()),)),
            ("Suppressed", f"{self.suppressed_rows:,} of {self.rows:,} rows ({share:.2%}), {allowed}"),
            *((finding.claim, finding.verdict) for finding in self.audit.findings),
        ]
        return facts + [("Note", note) for note in self.notes]

    def to_mapping(self) -> dict[str, Any]:
        """Return the result as plain values, ready for JSON."""
        return {
            "extends": {"file": self.earlier.name, "sha256": self.earlier.sha256},
            "levels": self.levels,
            "people": self.new_people.to_mapping(),
            "rows": self.rows,
            "suppressed_rows": self.suppressed_rows,
            "allowed_rows": self.allowed_rows,
            "new_rows": self.new_rows,
            "waiting_rows": self.waiting_rows,
            "added_rows": self.added_rows,
            "returned_rows": self.returned_rows,
            "released_rows": self.table.num_rows,
            "linkable": None if self.audit.linkable is None else self.audit.linkable.to_mapping(),
            "added_linkable": None if self.added_linkable is None else self.added_linkable.to_mapping(),
            "difference_sizes": {str(size): count for size, count in self.difference_sizes.items()},
            "claims": [
                {"claim": finding.claim, "holds": finding.holds, "measured": finding.measured}
                for finding in self.audit.findings
            ],
            "notes": list(self.notes),
        }


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def check_path(path: Path, earlier: Earlier) -> None:
    """Raise if an extended release cannot be written to a path; see `Extension.check_path`."""
    check_writable(path, apart_from=[earlier.path, earlier.evidence.path])
    ours, theirs = suffix_of(path), suffix_of(earlier.path)
    if (ours in _TEXT) != (theirs in _TEXT) or ours == ".xlsx":
        raise InputError(
            "An extended release is written in the format of the earlier one.\n"
            f"Found: {path.name!r}, and {earlier.path.name!r}.\n"
            f"End its name in {' or '.join(_TEXT) if theirs in _TEXT else theirs}."
        )
