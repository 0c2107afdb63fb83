"""The files of a sample: a table, its hierarchies and its spec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from filecmp import cmp
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from shoal.errors import OutputError
from shoal.files.atomic import atomic
from shoal.read.source import InputFormat
from shoal.write.table_formats import write_csv

Taxonomy = Sequence[Sequence[str]]
"""One row per value: the value, then its label at each level."""


class Sample(NamedTuple):
    """The paths of a sample's files."""

    data: Path
    spec: Path
    hierarchies: tuple[Path, ...]


def hierarchy_name(sample: str, column: str) -> str:
    """Return the file name that ARX gives a hierarchy."""
    return f"{sample}_hierarchy_{column}.csv"


def write_files(
    folder: Path,
    sample: str,
    *,
    header: Sequence[str],
    tables: Iterable[pa.Table],
    taxonomies: Mapping[str, Taxonomy],
    spec: str,
) -> Sample:
    """Write all files of a sample, or none: files with other contents are not replaced.

    Raises
    ------
    OutputError
        The folder cannot be created, or has such files: nobody named `spec.yaml`, which may be somebody's.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The folder '{folder}' cannot be created.\n"
            f"System error: {error.strerror}.\n"
            "Choose another folder."
        ) from error
    paths = Sample(
        data=folder / f"{sample}.csv",
        spec=folder / "spec.yaml",
        hierarchies=tuple(folder / hierarchy_name(sample, column) for column in taxonomies),
    )
    with atomic(paths.data, paths.spec, *paths.hierarchies) as (data, spec_file, *hierarchies):
        write_csv(data, tables, header=header)
        spec_file.write_text(spec, encoding="utf-8", newline="\n")
        for path, taxonomy in zip(hierarchies, taxonomies.values(), strict=True):
            levels = pa.table(
                {str(level): labels for level, labels in enumerate(zip(*taxonomy, strict=True))}
            )
            write_csv(path, [levels], header=None, dialect=InputFormat(delimiter=";"))
        targets = (paths.data, paths.spec, *paths.hierarchies)
        _require_apart(folder, zip(targets, (data, spec_file, *hierarchies), strict=True))
    return paths


def _require_apart(folder: Path, files: Iterable[tuple[Path, Path]]) -> None:
    others = [path.name for path, new in files if path.exists() and not cmp(path, new, shallow=False)]
    if others:
        raise OutputError(
            f"The folder '{folder}' already has files of these names, with other contents.\n"
            f"Found: {', '.join(others)}.\nChoose another folder, or remove them."
        )
