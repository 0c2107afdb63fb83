"""Hierarchies in files, as ARX writes them.

No header; column 0 is the value as in the data, column i its label at level i; all rows have the same
width. Values of a table are looked up by their text. Rows that the table does not need are fine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.describe.hierarchy import HierarchyError, IntArray, Levels, as_text, check_nested, codes_of
from shoal.errors import InputError, Problem
from shoal.read.delimited import open_delimited
from shoal.read.source import InputFormat, check_file

_JAVA_OBJECT = b"\xac\xed\x00\x05"


@dataclass(frozen=True)
class HierarchyFile:
    """The hierarchy in a CSV file, which is read when it is first needed.

    Attributes
    ----------
    path
        As it stands in the spec, relative to `folder`.
    delimiter
        `;`, `,` or tab, found out if not given.
    """

    path: str | Path
    delimiter: str | None = None
    folder: Path = field(default=Path(), repr=False, compare=False)

    @property
    def file(self) -> Path:
        return self.folder / self.path

    def levels(self, values: pa.Array) -> Levels:
        labels, leaves = self._whole
        text = as_text(values)
        rows = pc.index_in(text, labels[0])
        if rows.null_count:
            count = "1 value" if rows.null_count == 1 else f"{rows.null_count:,} values"
            raise HierarchyError(
                Problem(
                    f"the hierarchy in {self._name!r} lacks {count} that the table has.\n"
                    "Add a row for each of them.",
                    tuple(text.filter(rows.is_null()).to_pylist()),
                )
            )
        places = rows.to_numpy()
        return Levels(
            labels=(values, *(level.take(rows) for level in labels[1:])),
            leaves=tuple(counts[places] for counts in leaves),
            total=len(labels[0]),
        )

    def to_spec(self) -> object:
        path = Path(self.path).as_posix()
        if self.delimiter is None:
            return {"file": path}
        return {"file": {"path": path, "delimiter": self.delimiter}}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        delimiter = None
        if isinstance(argument, Mapping):
            if unknown := set(argument) - {"path", "delimiter"}:
                raise InputError(
                    f"Unknown for a hierarchy file: {', '.join(sorted(map(str, unknown)))}.\n"
                    "Known: path, delimiter."
                )
            delimiter = argument.get("delimiter")
            argument = argument.get("path")
        if not isinstance(argument, str) or not argument:
            raise InputError(f"A hierarchy file needs its path.\nFound: {argument!r}.")
        if not isinstance(delimiter, str | None):
            raise InputError(f"The delimiter of a hierarchy file is one character.\nFound: {delimiter!r}.")
        return cls(argument, delimiter, folder)

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls.from_spec(text, Path())

    @property
    def _name(self) -> str:
        return Path(self.path).name

    @cached_property
    def _whole(self) -> tuple[list[pa.Array], list[IntArray]]:
        """The labels of all values of the file, one row for each, and the leaves under each label."""
        path = self.file
        try:
            _check_kind(path)
            file = open_delimited(path, InputFormat(self.delimiter), delimiters=";,\t", widest=False)
            names = [str(level) for level in range(len(file.first))]
            table = file.read(names, dict.fromkeys(names, pa.string()), header=False, null_values=[])
        except InputError as error:
            raise HierarchyError(error.problems) from None
        labels = [column.chunk(0) for column in table.columns]
        codes = [codes_of(level) for level in labels]

        # Of rows with the same value all but the first go; they must say the same.
        first = np.unique(codes[0], return_index=True)[1]
        differs = np.zeros(len(table), dtype=bool)
        for level in codes:
            differs |= level != level[first][codes[0]]
        problems = []
        if torn := labels[0].filter(pa.array(differs)).unique().to_pylist():
            have = "1 value has" if len(torn) == 1 else f"{len(torn):,} values have"
            problems.append(
                Problem(f"{have} several rows with different labels.\nKeep one of them.", tuple(torn))
            )
        kept = [level.take(pa.array(first)) for level in labels]
        problems.extend(check_nested(kept))
        if problems:
            raise HierarchyError(
                Problem(f"in the hierarchy {self._name!r}, {problem.message}", problem.values)
                for problem in problems
            )
        whole = Levels.of(kept[0], kept[1:])
        return kept, list(whole.leaves)


def _check_kind(path: Path) -> None:
    check_file(path)
    with path.open("rb") as file:
        if file.read(4) == _JAVA_OBJECT:
            raise HierarchyError(
                f"the hierarchy {path.name!r} is in ARX's own binary form (.ahs).\n"
                "Open it in ARX and export it as CSV."
            )


def hierarchy_file(path: str | Path, delimiter: str | None = None) -> HierarchyFile:
    r"""Take the labels from a CSV file: no header, column i is level i, as in ARX.

    Parameters
    ----------
    path
        The file.
    delimiter
        `;`, `,` or tab, found out if not given.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "sex.csv")
    ...     _ = file.write_text("Male;*\nFemale;*\n")
    ...     hierarchy_file(file).levels(pa.array(["Female"])).labels[1].to_pylist()
    ['*']
    """
    return HierarchyFile(path, delimiter)
