"""The release of some waiting rows: staged where nobody else may read it, and published by one rename."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.audit import Audit
from shoal.errors import OutputError
from shoal.files.atomic import check_link, explained
from shoal.read.source import InputFormat
from shoal.recode.recoding import Recoding
from shoal.release import Release
from shoal.spec.for_recipients import HandedOn
from shoal.spec.spec import Spec
from shoal.write.output import FileOutput
from shoal.write.publish import publish

FILE = "release.csv"
_MARK = ".shoal-stream"


@dataclass(frozen=True)
class Emission:
    """A release with the rows that were suppressed beside it, as its manifest states them."""

    release: Release
    spec: Spec
    suppressed_rows: int

    @property
    def recoding(self) -> Recoding:
        return self.release.recoding

    @property
    def rows(self) -> int:
        return self.release.rows + self.suppressed_rows

    @property
    def shuffled(self) -> bool:
        return self.release.shuffled

    @property
    def dialect(self) -> InputFormat | None:
        return self.release.dialect

    @property
    def audit(self) -> Audit:
        return self.release.audit

    @property
    def handed_on(self) -> HandedOn:
        """The spec states as limit what was suppressed: nobody promised less of a stream."""
        own = self.release.handed_on
        share = max(self.spec.suppression, self.suppressed_rows / self.rows)
        columns = replace(
            own.spec,
            identifiers=self.spec.identifiers,
            drop=self.spec.drop,
            types=self.spec.types,
            suppression=share,
        )
        return HandedOn(columns, own.recoding)

    @property
    def inputs(self) -> tuple[Path, ...]:
        return self.spec.files

    def stage(self, output: Path, number: int) -> None:
        """Write it, with its evidence, where `publish_staged` finds it.

        Raises
        ------
        AuditError
            It does not keep what it claims. Nothing stays.
        OutputError
            The output has such an emission, of a later state.
        """
        if folder_of(output, number).exists():
            raise OutputError(
                f"The folder '{output}' has an emission {number}, which the state does not know.\n"
                "The state is an older one, perhaps from a backup.\n"
                "Use that which belongs to the output: with an older one, rows are released twice."
            )
        hidden = _hidden(output, number)
        shutil.rmtree(hidden, ignore_errors=True)  # of a process that was killed before it could commit
        with explained(hidden):
            hidden.mkdir(mode=0o700)
        try:
            folder = hidden / folder_of(output, number).name
            folder.mkdir()
            publish(self, self.release.released.write, FileOutput(folder / FILE).like(None, self.spec.input))
            _flush(folder)
            _flush(hidden)
        except BaseException:
            shutil.rmtree(hidden, ignore_errors=True)
            raise


def claim(output: Path, mark: str) -> None:
    """Make a folder the output of the stream with this mark.

    Raises
    ------
    OutputError
        It is that of another stream.
    """
    file = output / _MARK
    check_link(file)
    with explained(file):
        if not file.exists() or not file.stat().st_size:
            file.write_text(mark, encoding="ascii")
        if file.read_text(encoding="ascii") == mark:
            return
    raise OutputError(
        f"The folder '{output}' is the output of another stream.\n"
        "Its emissions belong to another state.\n"
        "Use that state: with a new one, rows could be released twice. A new stream needs a folder of its "
        "own."
    )


def folder_of(output: Path, number: int) -> Path:
    """Return the folder of an emission."""
    return output / f"{number:06}"


def publish_staged(output: Path, number: int) -> None:
    """Let an emission appear that is committed, unless it has.

    Raises
    ------
    OutputError
        It is neither staged nor published there.
    """
    hidden, folder = _hidden(output, number), folder_of(output, number)
    staged = hidden / folder.name
    if staged.is_dir():
        with explained(folder):
            staged.rename(folder)
            _flush(output)
    if not folder.is_dir():
        raise OutputError(
            f"Emission {number} of the stream is not in '{output}'.\n"
            "Its rows are settled, and its files are not there.\n"
            "Use the folder that was the output when it was made."
        )
    shutil.rmtree(hidden, ignore_errors=True)


def _hidden(output: Path, number: int) -> Path:
    return output / f".{number:06}"


def _flush(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where a system can do that."""
    if os.name == "nt":
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
