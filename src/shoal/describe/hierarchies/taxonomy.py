"""Groups of groups of values: regions, occupations, diagnoses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import pyarrow as pa

from shoal.describe.hierarchies.arguments import keyed, several
from shoal.describe.hierarchies.listed_values import Listed
from shoal.describe.hierarchy import HierarchyDefaults, HierarchyError, Levels
from shoal.errors import InputError

_NESTED_SUFFIXES = (".yaml", ".yml", ".json")
_FILE_KEYS = ("file", "child", "parent", "columns", "delimiter")
_TABLE_EXAMPLE = (
    "Use `{file: FILE, child: COLUMN, parent: COLUMN}` if each label has a row with its parent, or "
    "`{file: FILE, columns: [VALUES, GROUPS, ...]}` if each level has a column."
)


@dataclass(frozen=True)
class Taxonomy(HierarchyDefaults):
    """The groups of a nested mapping or a file, which is read when first needed.

    Values may be at different depths. Those nearer to the top stay unchanged up to the level of their
    group, so that the groups next to the top are all at one level. A single group at the top is the top
    level; above several groups the top is `*`.

    Attributes
    ----------
    tree
        The groups, as nested mappings and lists.
    file
        A file with the groups instead, relative to `folder`: YAML or JSON, nested in the same way, or CSV.
    child, parent
        In a CSV file with a row for each label, the columns of the label and of its parent.
    columns
        In a CSV file with a row for each value, the columns of the value and of its groups upwards.
    delimiter
        Delimiter of the CSV file (detected by default).
    """

    tree: Any = None
    file: str | Path | None = None
    child: str | None = None
    parent: str | None = None
    columns: tuple[str, ...] | None = None
    delimiter: str | None = None
    folder: Path = field(default=Path(), repr=False, compare=False)

    name: ClassVar[str] = "taxonomy"
    summary: ClassVar[str] = "Groups of groups of values, from nested mappings or a file."
    parameters: ClassVar[Mapping[str, str]] = {
        "file": "YAML or JSON with nested groups, or CSV; by default the groups are written here",
        "child": "the column of the labels, in a CSV file with a row for each label",
        "parent": "the column of their parents",
        "columns": "the columns of the values and their groups, in a CSV file with a row for each value",
        "delimiter": "delimiter of the CSV file (detected by default)",
    }
    examples: ClassVar[tuple[object, ...]] = (
        {"Europe": {"North": ["SE", "NO"], "South": ["IT"]}, "Asia": ["JP", "1"]},
        {"World": [{"Europe": ["SE", "NO", "IT"]}, "JP", "1"]},
        ["SE", "NO", "IT", "JP", "1"],
    )
    sample: ClassVar[tuple[object, ...]] = ("SE", "NO", "IT", "JP", "1")

    def __post_init__(self) -> None:
        if self.columns is not None:
            object.__setattr__(self, "columns", several(self.columns))
        problems = list(self._problems())
        if problems:
            raise InputError(problems)
        if self.tree is not None:
            _ = self._listed  # report problems of an inline tree at once
            object.__setattr__(self, "tree", _plain(self.tree))

    def _problems(self) -> list[str]:
        if (self.tree is None) == (self.file is None) or not isinstance(
            self.tree, Mapping | list | tuple | None
        ):
            return [
                "taxonomy needs groups, or a file with groups.\nFor example: {Europe: [SE, NO], Asia: [JP]}."
            ]
        problems = []
        for key in ("file", "child", "parent", "delimiter"):
            value = getattr(self, key)
            if value is not None and not (isinstance(value, str | Path) and str(value)):
                problems.append(f"`{key}` of taxonomy must be text.\nFound: {value!r}.")
        if self.columns is not None:
            if not self.columns or not all(isinstance(name, str) and name for name in self.columns):
                problems.append(f"`columns` of taxonomy must be names of columns.\nFound: {self.columns!r}.")
            elif len(set(self.columns)) < len(self.columns):
                problems.append("`columns` of taxonomy has a column more than once.\nKeep one of them.")
        table = [key for key in _FILE_KEYS[1:] if getattr(self, key) is not None]
        if problems:
            return problems
        if self.file is None or Path(self.file).suffix.lower() in _NESTED_SUFFIXES:
            if table:
                problems.append(f"taxonomy has {', '.join(table)} only with a CSV file.\nRemove it.")
        elif not (self._by_parents or self.columns) or {"child", "parent", "columns"} <= set(table):
            problems.append(
                f"taxonomy needs the columns of {Path(self.file).name!r}.\n"
                f"{_TABLE_EXAMPLE}\n"
                "For an ARX hierarchy, which has no header, use the hierarchy `{file: FILE}`."
            )
        elif (self.child is None) != (self.parent is None):
            problems.append(f"taxonomy needs both `child` and `parent`, or `columns`.\n{_TABLE_EXAMPLE}")
        return problems

    @property
    def _by_parents(self) -> bool:
        return self.child is not None and self.parent is not None

    @property
    def files(self) -> tuple[Path, ...]:
        return () if self.file is None else (self.folder / self.file,)

    def levels(self, values: pa.Array) -> Levels:
        return self._listed.levels(values)

    def knows(self, values: pa.Array) -> pa.BooleanArray:
        return self._listed.knows(values)

    @property
    def steady(self) -> bool:
        return True

    def to_spec(self) -> object:
        if self.file is None:
            return {"taxonomy": self.tree}
        path = Path(self.file).as_posix()
        written = {"file": path, "child": self.child, "parent": self.parent, "delimiter": self.delimiter}
        written = {key: value for key, value in written.items() if value is not None}
        if self.columns is not None:
            return {"taxonomy": {**written, "columns": list(self.columns)}}
        return {"taxonomy": path if len(written) == 1 else written}

    @classmethod
    def from_spec(cls, argument: object, folder: Path) -> Self:
        if isinstance(argument, str):
            return cls(file=argument, folder=folder)
        if isinstance(argument, Mapping) and isinstance(argument.get("file"), str):
            return cls(**keyed("taxonomy", argument, _FILE_KEYS), folder=folder)
        return cls(argument, folder=folder)

    @cached_property
    def _listed(self) -> Listed:
        from shoal.describe.formats.nested import nested_tree, read_nested
        from shoal.describe.formats.taxonomy_table import read_columns, read_parents

        if self.file is None:
            return nested_tree(self.tree, "the taxonomy").listed()
        path = self.folder / self.file
        try:
            if self.columns is not None:
                return read_columns(path, self.columns, self.delimiter)
            if self.child is not None and self.parent is not None:
                return read_parents(path, self.child, self.parent, self.delimiter)
            return read_nested(path)
        except HierarchyError:
            raise
        except InputError as error:
            raise HierarchyError(error.problems) from None


def taxonomy(
    groups: Mapping[Any, Any] | list[Any] | str | Path,
    *,
    child: str | None = None,
    parent: str | None = None,
    columns: list[str] | tuple[str, ...] | None = None,
    delimiter: str | None = None,
) -> Taxonomy:
    """Put values into groups, and these into groups.

    Parameters
    ----------
    groups
        Nested mappings and lists, or the path of a file: YAML or JSON, nested in the same way, or CSV.
    child, parent
        In a CSV file with a row for each label, the columns of the label and of its parent.
    columns
        In a CSV file with a row for each value, the columns of the value and of its groups upwards.
    delimiter
        Delimiter of the CSV file (detected by default).

    Examples
    --------
    >>> places = taxonomy({"Europe": {"North": ["SE", "NO"], "South": ["IT"]}, "Asia": ["JP"]})
    >>> for labels in places.levels(pa.array(["SE", "JP"])).labels:
    ...     print(labels.to_pylist())
    ['SE', 'JP']
    ['North', 'JP']
    ['Europe', 'Asia']
    ['*', '*']
    """
    if isinstance(groups, str | Path):
        return Taxonomy(None, groups, child, parent, columns, delimiter)  # type: ignore[arg-type]
    return Taxonomy(groups, None, child, parent, columns, delimiter)  # type: ignore[arg-type]


def _plain(tree: Any) -> Any:
    """Return a copy in the types of YAML; too deep a tree was refused before."""
    if isinstance(tree, Mapping):
        return {str(label): _plain(below) for label, below in tree.items()}
    if isinstance(tree, list | tuple):
        return [_plain(item) for item in tree]
    return tree if tree is None else str(tree)
