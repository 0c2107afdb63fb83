"""The manifest of a release: read, of the right form, and believed in nothing.

Whatever it says about the file is measured again and compared: see `manifest_check.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, Self

from shoal.errors import InputError, Problem, one_line
from shoal.read.source import InputFormat, check_file
from shoal.spec.spec import Spec

if TYPE_CHECKING:
    from shoal.audit.manifest_form import Manifest

MANIFEST = ".manifest.json"
_LARGEST = 1 << 28
"""Bytes of a manifest that are read: the largest honest ones have a spec with long lists of values."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a manifest says."""

    path: Path
    manifest: Manifest
    written: bytes = field(repr=False)
    """All of its bytes, which a signature is of: the file may be another one by the time that is checked."""

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a manifest.

        Raises
        ------
        InputError
            The file cannot be read, or is no manifest.
        """
        from pydantic import ValidationError

        from shoal.audit.manifest_form import Manifest

        path = Path(path)
        check_file(path)
        if path.stat().st_size > _LARGEST:
            raise _no_manifest(path, f"It is larger than {_LARGEST >> 20} MB")
        try:
            written = path.read_bytes()
            content = read_json(written.decode("utf-8"))
            json.dumps(content, ensure_ascii=False).encode("utf-8")  # half a character may stand in JSON
            return cls(path, Manifest.model_validate(content), written)
        except ValidationError as error:
            key_paths = dict.fromkeys(".".join(map(str, detail["loc"])) for detail in error.errors())
            wrong = ", ".join(one_line(key_path) for key_path in key_paths if key_path)
            raise _no_manifest(path, f"Missing or wrong: {wrong or 'everything'}") from None
        except RepeatedKeyError:
            raise _no_manifest(path, "It has a key twice, and programs differ in which they read") from None
        except (ValueError, RecursionError):
            raise _no_manifest(path, "It is not a JSON file") from None

    @property
    def input_format(self) -> InputFormat:
        """How the file is said to be written."""
        dialect = self.manifest.dialect
        if dialect is None:
            return InputFormat(quote='"', header=True)
        return InputFormat(dialect.delimiter, dialect.quote, header=True)

    def spec(self) -> Spec:
        """Return the spec in it, as far as claims need it.

        Files are named in it without their folders. Claims need none of them, unless they compare with a
        population or by a taxonomy.

        Raises
        ------
        InputError
            It is not a spec.
        """
        folder = self.path.parent
        self.check_paths()
        try:
            return Spec.from_mapping(self.manifest.spec, folder)
        except InputError as error:
            try:
                # What only Python can say, hierarchies and measures by functions, no claim needs.
                spec = Spec.from_mapping(_without_searching(self.manifest.spec), folder)
            except InputError:
                spec = None
            if spec is None or spec.populations:
                raise InputError(
                    Problem(
                        f"In the manifest {self.path.name!r}: {self._in_one_line(problem.message)}\n"
                        f"{_ADVICE}",
                        problem.values,
                    )
                    for problem in error.problems
                ) from None
            return spec

    def _in_one_line(self, message: str) -> str:
        """Return a message in which no name of the spec, and no other text in it, goes over several lines."""
        for text in sorted(_lines_in(self.manifest.spec), key=len, reverse=True):
            message = message.replace(text, one_line(text))
        return message

    def check_paths(self, folder: Path | None = None) -> None:
        """Refuse a spec that names files anywhere but in the manifest's folder, or in another that is given.

        Whoever wrote the manifest would otherwise choose what is opened here.

        Raises
        ------
        InputError
            It has a path, or the file of a name is a link.
        """
        beside = self.path.parent if folder is None else folder
        if "key" in self.manifest.spec:
            raise InputError(
                f"The manifest {self.path.name!r} names a key, which none has.\n"
                f"Found: `key` in its spec. It was not opened.\n{_ADVICE}"
            )
        names = list(_file_names(self.manifest.spec))
        outside = [
            name
            for name in names
            if PureWindowsPath(name).name != name or name == ".." or _is_link(beside / name)
        ]
        if outside:
            raise InputError(
                f"The manifest {self.path.name!r} names files outside its folder, or links.\n"
                f"Found: {', '.join(map(repr, outside))}. None of them was opened.\n{_ADVICE}"
            )

    def missing_files(self, spec: Spec) -> list[Problem]:
        """Return a problem for files of a manifest's spec that are not beside it."""
        lost = [file.name for file in spec.files if not file.exists()]
        if not lost:
            return []
        return [
            Problem(
                f"The manifest {self.path.name!r} names files without their folders.\n"
                f"Not beside it: {', '.join(map(one_line, lost))}.\n{_ADVICE}"
            )
        ]


class RepeatedKeyError(ValueError):
    """A JSON text has a key twice in one object."""


def read_json(text: str) -> Any:
    """Return what a JSON text holds, if every reader finds the same in it.

    Raises
    ------
    ValueError
        It is not JSON, or has numbers that JSON does not have, such as NaN.
    RepeatedKeyError
        It has a key twice: some programs read the first, some the last.

    Examples
    --------
    >>> read_json('{"k": 5}')
    {'k': 5}
    """
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RepeatedKeyError
    return found


def _no_number(name: str) -> None:
    raise ValueError(name)


_ADVICE = "Give the spec itself, --spec FILE (in Python spec=...); a population, --population FILE."


def is_own_file(path: Path) -> bool:
    """Return whether a path that a manifest names is a file, and no link; no name of a file is too long."""
    try:
        return path.is_file() and not path.is_symlink()
    except OSError:
        return False


def _is_link(path: Path) -> bool:
    """Return whether a path leads elsewhere, or cannot be the name of a file."""
    try:
        return path.is_symlink()
    except OSError:
        return True


def manifest_path(path: Path) -> Path:
    """Return where the manifest of a release goes.

    Examples
    --------
    >>> manifest_path(Path("release.csv")).name
    'release.csv.manifest.json'
    """
    return path.parent / f"{path.name}{MANIFEST}"


def escapes_formulas(spec: Spec, evidence: Evidence | None) -> bool:
    """Return whether a release that is a file of text has to have no cells that spreadsheets compute."""
    return spec.escape_formulas or (
        evidence is not None and evidence.manifest.spec.get("escape-formulas") is True
    )


def portable(spec: Spec) -> dict[str, Any]:
    """Return a spec as a manifest has it: files by name only, no key, nothing that only steers the search."""
    mapping: dict[str, Any] = _without_folders(spec.to_mapping())
    for column in mapping["columns"].values():
        column.pop("weight", None)
    return {key: value for key, value in mapping.items() if key not in _PUBLISHERS_OWN}


_PUBLISHERS_OWN = ("key", "quality", "recoding", "engine")
_FILE_KEYS = ("file", "path", "population", "taxonomy")
"""Keys of a spec whose texts name files; `{taxonomy: towns.yaml}` has no other key for it."""


def _file_names(value: Any) -> Iterator[str]:
    """Return all that a spec in a manifest names files by."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in _FILE_KEYS and isinstance(inner, str):
                yield inner
            else:
                yield from _file_names(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _file_names(inner)


def _lines_in(value: Any) -> Iterator[str]:
    """Return all texts of several lines in a manifest, names of keys too."""
    if isinstance(value, str):
        if "\n" in value:
            yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from chain(_lines_in(key), _lines_in(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _lines_in(inner)


def _without_folders(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: PureWindowsPath(inner).name
            if key in _FILE_KEYS and isinstance(inner, str)
            else _without_folders(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_without_folders(inner) for inner in value]
    return value


def _without_searching(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a spec without what only a search needs: the quasi-identifiers' hierarchies, the measure."""
    columns = spec.get("columns")
    if not isinstance(columns, Mapping):
        return dict(spec)
    bare = {
        name: {key: value for key, value in column.items() if key != "hierarchy"}
        if isinstance(column, Mapping) and column.get("role") == "quasi-identifier"
        else column
        for name, column in columns.items()
    }
    return {**{key: value for key, value in spec.items() if key != "quality"}, "columns": bare}


def _no_manifest(path: Path, found: str) -> InputError:
    return InputError(
        f"File {path.name!r} is not the manifest of a release.\n{found}.\n"
        "Give the file that was written beside the release, RELEASE.manifest.json."
    )
