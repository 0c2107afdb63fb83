"""Import of an ARX project as a spec, a table and hierarchies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.describe.formats import arx
from shoal.describe.formats.arx_project import Project, read_project, read_table
from shoal.errors import InputError, OutputError
from shoal.files.atomic import atomic

SPEC, DATA = "spec.yaml", "data.csv"


@dataclass(frozen=True, slots=True)
class ImportedProject:
    """The files and notes from an import.

    Attributes
    ----------
    spec
        The YAML file.
    data
        The table, if the project had one.
    hierarchies
        The CSV file of each column.
    read, unread
        Imported settings; settings not imported, with the reason.
    """

    spec: Path
    data: Path | None
    hierarchies: Mapping[str, Path]
    read: tuple[str, ...]
    unread: tuple[str, ...]


def import_arx_project(path: str | Path, folder: str | Path, *, force: bool = False) -> ImportedProject:
    """Import an ARX project as a spec, a table and hierarchies.

    Either all files are written or none.

    Parameters
    ----------
    path
        The `.deid` file.
    folder
        Folder for the files; created if missing.
    force
        Replace existing files.

    Raises
    ------
    InputError
        The file is not an ARX project, or is not safe to read.
    OutputError
        The files cannot be written, or would replace others.
    """
    path, folder = Path(path), Path(folder)
    project = read_project(path)
    hierarchies = {
        name: folder / file for name, file in _file_names(project.hierarchies, Path(DATA).stem).items()
    }
    spec, data = folder / SPEC, folder / DATA if project.has_data else None
    targets = [spec, *hierarchies.values(), *([data] if data else [])]
    _make(folder, targets, force)
    with atomic(*targets) as hidden:
        temporary = dict(zip(targets, hidden, strict=True))
        if data is not None:
            with temporary[data].open("wb") as target:
                target.writelines(read_table(path))
        unread = list(project.unread)
        for name, file in hierarchies.items():
            temporary[file].write_bytes(project.hierarchies[name])
            unread += _flaws(name, temporary[file], project.delimiter)
        mapping = _with_files(project, {name: file.name for name, file in hierarchies.items()})
        unread += _spec_flaws(mapping, folder)
        temporary[spec].write_text(_yaml(project, mapping, unread), encoding="utf-8", newline="\n")
    return ImportedProject(spec, data, hierarchies, project.read, tuple(unread))


def _make(folder: Path, targets: Iterable[Path], force: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The folder '{folder}' cannot be created.\n"
            f"System error: {error.strerror or type(error).__name__}.\nChoose another folder."
        ) from error
    there = [target.name for target in targets if target.exists()]
    if there and not force:
        raise OutputError(
            f"The folder '{folder}' already has files of these names.\nFound: {', '.join(there)}.\n"
            "Choose another folder, or replace them with --force."
        )


def _file_names(columns: Iterable[str], data: str) -> dict[str, str]:
    """Return file names in the style of ARX, `<data>_hierarchy_<column>.csv`, valid on every system.

    Examples
    --------
    >>> _file_names(["age", "../age", "AGE"], "data")
    {'age': 'data_hierarchy_age.csv', '../age': 'data_hierarchy_age-2.csv', 'AGE': 'data_hierarchy_AGE-3.csv'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for number, column in enumerate(columns, start=1):
        safe = re.sub(r"[^A-Za-z0-9_-]+", "_", column).strip("_")[:60] or "column"
        if safe.lower() in taken:
            safe = f"{safe}-{number}"
        taken.add(safe.lower())
        names[column] = f"{data}_hierarchy_{safe}.csv"
    return names


def _with_files(project: Project, files: Mapping[str, str]) -> dict[str, Any]:
    columns: dict[str, dict[str, Any]] = {}
    for name, column in project.spec["columns"].items():
        columns[name] = {"role": column["role"]}
        if name in files:
            columns[name]["hierarchy"] = {"file": {"path": files[name], "delimiter": project.delimiter}}
        columns[name] |= column
    return {**project.spec, "columns": columns}


def _flaws(name: str, file: Path, delimiter: str) -> list[str]:
    try:
        arx.read(file, delimiter)
    except InputError as error:
        found = " ".join(problem.message.replace("\n", " ") for problem in error.problems)
        return [f"the hierarchy of {name!r} was copied, but cannot be used: {found}"]
    return []


def _spec_flaws(mapping: Mapping[str, Any], folder: Path) -> list[str]:
    from shoal.spec.spec import Spec

    if not mapping["privacy"]:
        return []  # reported already
    try:
        Spec.from_mapping(mapping, folder)
    except InputError as error:
        return [
            f"the spec is not complete: {problem.message}".replace("\n", " ") for problem in error.problems
        ]
    return []


def _yaml(project: Project, mapping: Mapping[str, Any], unread: Iterable[str]) -> str:
    import yaml

    lines = [
        f"Imported from the ARX project {project.name}.",
        "Not imported:",
        *(f"- {each}" for each in unread),
    ]
    comment = "\n".join(f"# {' '.join(line.split())}" for line in lines)
    text: str = yaml.safe_dump(
        dict(mapping), sort_keys=False, allow_unicode=True, default_flow_style=None, width=110
    )
    return f"{comment}\n{text}"
