"""The evidence that travels beside a release.

It says what is claimed, what was done and what was measured, with the queries that check it. It holds
nothing that a check does not need: no original values, no folders, no time, not whether the order can be made
again, and nothing of the search (score, bound, measure, notes), from which one could conclude what the
original table was like: see docs/minimality.md. Its figures are those of the audit.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from shoal.audit import Audit
from shoal.audit.manifest_file import Evidence, portable
from shoal.audit.published_findings import published
from shoal.errors import InputError
from shoal.files.folder import digests
from shoal.read.source import InputFormat
from shoal.recode.recoding import Recoding
from shoal.spec.for_recipients import HandedOn
from shoal.spec.spec import Spec
from shoal.write.output import FileOutput, Output, TableOutput

FORMAT = "shoal-manifest/2"
_LIBRARIES = ("duckdb", "numpy", "pyarrow")


class Releasable(Protocol):
    """What a result must know to be written."""

    @property
    def spec(self) -> Spec: ...
    @property
    def recoding(self) -> Recoding: ...
    @property
    def rows(self) -> int: ...
    @property
    def suppressed_rows(self) -> int: ...
    @property
    def shuffled(self) -> bool: ...
    @property
    def dialect(self) -> InputFormat | None: ...
    @property
    def audit(self) -> Audit: ...
    @property
    def handed_on(self) -> HandedOn: ...
    @property
    def inputs(self) -> tuple[Path, ...]: ...


def manifest(
    release: Releasable,
    audit: Audit,
    files: Sequence[Path],
    output: Output,
) -> dict[str, Any]:
    """Return the manifest of a release, as plain values.

    Parameters
    ----------
    release
        The result that was written.
    audit
        Its audit, of these very files, or of the table.
    files
        The file, or the files in a folder: their bytes are what the SHA-256 is of. Of a table none.
    output
        Where they go, or the table.
    """
    spec = release.handed_on.spec
    return {
        "format": FORMAT,
        "tool": {"name": "shoal", "version": version("shoal")},
        "versions": {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}},
        **_contents(files, output),
        **_dialect(output),
        "claims": published(audit.findings, spec),
        "rows": {"in": release.rows, "suppressed": release.suppressed_rows, "out": audit.rows},
        "classes": sum(audit.class_sizes.values()),
        "class_sizes": {str(size): count for size, count in sorted(audit.class_sizes.items())},
        **({} if audit.linkable is None else {"linkable": audit.linkable.for_recipients()}),
        **({"linked": {each.column: each.to_mapping() for each in audit.linked}} if audit.linked else {}),
        "recoding": dict(release.handed_on.recoding),
        "suppressed": spec.suppressed,
        "null": spec.nulls,
        "shuffled": release.shuffled,
        "spec": portable(spec),
    }


def _contents(files: Sequence[Path], output: Output) -> dict[str, Any]:
    """Return what a release consists of."""
    if isinstance(output, TableOutput):
        return {"table": {"name": output.name}}
    found = digests(files)
    if is_file(files, output):
        return {"file": {"name": output.title, "sha256": found[output.title]}}
    listed = [{"name": name, "sha256": digest} for name, digest in sorted(found.items())]
    return {"folder": output.title, "files": listed}


def _dialect(output: Output) -> dict[str, Any]:
    """Return how a release is written, if it is CSV."""
    if not isinstance(output, FileOutput) or not output.is_csv:
        return {}
    return {"dialect": {"delimiter": output.delimiter, "quote": output.quote}}


def is_file(files: Sequence[Path], output: Output) -> bool:
    """Return whether the file is the output itself, and not one in a folder of that name."""
    if isinstance(output, TableOutput):
        return False
    return not output.folder and [file.name for file in files] == [output.path.name]


def levels_in(path: Path) -> dict[str, int]:
    """Return the levels that a manifest gives, by quasi-identifier.

    Raises
    ------
    InputError
        The file is no manifest, or that of a recoding without levels.
    """
    form = Evidence.read(path).manifest
    if form.levels is None:
        raise InputError(
            f"The release {form.name!r} has no levels at which a population could be generalized.\n"
            f"Found: a recoding of the kind {form.recoding.kind!r}.\nLeave the population out."
        )
    return form.levels
