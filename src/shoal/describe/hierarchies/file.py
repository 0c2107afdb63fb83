"""Hierarchies in files: in the format of ARX and of other tools (`shoal.describe.formats`).

Values of a table are looked up by their text, or in ranges of numbers or dates if the file has ranges.
A file may have entries that the table does not need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

import pyarrow as pa

from shoal.describe.hierarchies.arguments import keyed
from shoal.describe.hierarchy import HierarchyDefaults, Levels
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.describe.formats import Read

_KEYS = ("path", "format", "delimiter", "column")


@dataclass(frozen=True)
class HierarchyFile(HierarchyDefaults):
    """The hierarchy in a file, which is read when first needed.

    Attributes
    ----------
    path
        Path as in the spec, relative to `folder`.
    delimiter
        Delimiter of a CSV file: `;`, `,` or tab (detected by default).
    format
        `arx`, `amnesia`, `anjana`, `argus` or `nested` (detected by default).
    column
        Column to read, if a file has the hierarchies of several.
    """

    path: str | Path
    delimiter: str | None = None
    format: str | None = None
    column: str | None = None
    folder: Path = field(default=Path(), repr=False, compare=False)

    name: ClassVar[str] = "file"
    summary: ClassVar[str] = "Labels from a file: ARX, Amnesia, anjana, mu-Argus, nested YAML or JSON."
    parameters: ClassVar[Mapping[str, str]] = {
        "path": "the file, relative to the spec",
        "format": "amnesia, anjana, argus, arx or nested (detected by default)",
        "delimiter": "delimiter of a CSV file: ; , or a tab (detected by default)",
        "column": "the column to read from an anjana file with several hierarchies",
    }
    examples: ClassVar[tuple[object, ...]] = ("job.csv", {"path": "job.txt", "format": "amnesia"})
    sample: ClassVar[tuple[object, ...]] = ()

    def __post_init__(self) -> None:
        if self.format is not None:
            from shoal.describe import formats

            formats.find(self.format)

    @property
    def file(self) -> Path:
        return self.folder / self.path

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.file,)

    def levels(self, values: pa.Array) -> Levels:
        return self.read.levels(values)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return self.read.knows(values)

    @property
    def steady(self) -> bool:
        return True

    def to_spec(self) -> object:
        written = {
            "path": Path(self.path).as_posix(),
            "format": self.format,
            "delimiter": self.delimiter,
            "column": self.column,
        }
        written = {key: value for key, value in written.items() if value is not None}
        return {"file": written["path"] if len(written) == 1 else written}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        given = keyed("file", argument, _KEYS) if isinstance(argument, Mapping) else {"path": argument}
        path = given.pop("path", None)
        problems = []
        if not isinstance(path, str) or not path:
            problems.append(f"A hierarchy file needs its path.\nFound: {path!r}.")
        problems += (
            f"`{key}` of a hierarchy file must be text.\nFound: {value!r}."
            for key, value in given.items()
            if not isinstance(value, str | None)
        )
        if problems:
            raise InputError(problems)
        return cls(str(path), **given, folder=folder)

    @cached_property
    def read(self) -> Read:
        """The content of the file."""
        from shoal.describe import formats

        return formats.read_file(self.file, self.format, self.delimiter, self.column)


def hierarchy_file(
    path: str | Path, delimiter: str | None = None, format: str | None = None, column: str | None = None
) -> HierarchyFile:
    r"""Read the labels from a file of this or another tool.

    Parameters
    ----------
    path
        The file.
    delimiter
        Delimiter of a CSV file: `;`, `,` or tab (detected by default).
    format
        `arx` (CSV without a header, column i is level i), `amnesia` (text or JSON), `anjana` (JSON), `argus`
        (`.grc`) or `nested` (YAML or JSON); detected by default.
    column
        Column to read from an anjana file with several hierarchies.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "sex.csv")
    ...     _ = file.write_text("Male;*\nFemale;*\n")
    ...     hierarchy_file(file).levels(pa.array(["Female"])).labels[1].to_pylist()
    ['*']
    """
    return HierarchyFile(path, delimiter, format, column)
