"""Write labels as nested mappings and lists, in YAML or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.describe.formats.nested import nested_tree
from shoal.describe.hierarchy import ANYTHING, HierarchyError, Levels, as_text
from shoal.files.atomic import atomic


def nest(levels: Levels) -> Any:
    """Return the groups in the form of `taxonomy`.

    Raises
    ------
    HierarchyError
        A label occurs more than once, so nested groups would mean something else.

    Examples
    --------
    >>> towns, lands = pa.array(["Ulm", "Bonn", "Rome"]), pa.array(["D", "D", "I"])
    >>> nest(Levels.of(towns, [lands, pa.array(["*", "*", "*"])]))
    {'D': ['Ulm', 'Bonn'], 'I': ['Rome']}
    """
    columns = [as_text(level).to_pylist() for level in levels.labels]
    if not columns[0]:
        raise HierarchyError("there are no values to write.")
    groups = _group(columns, len(columns) - 1, list(range(len(columns[0]))))
    if isinstance(groups, dict) and list(groups) == [ANYTHING] and len(groups[ANYTHING]) > 1:
        groups = groups[ANYTHING]  # reading adds it above several groups
    if not _same(groups, columns):
        raise HierarchyError(
            "nested groups cannot express this hierarchy.\n"
            "Found: a label that occurs more than once, or a group of itself alone.\nWrite it as CSV."
        )
    return groups


def write(levels: Levels, path: Path) -> None:
    """Write the groups as YAML or JSON, by the suffix; the file is written whole or not at all."""
    groups = nest(levels)
    if path.suffix.lower() == ".json":
        import json

        text = json.dumps(groups, ensure_ascii=False, indent=2)
    else:
        import yaml

        text = yaml.safe_dump(groups, sort_keys=False, allow_unicode=True, default_flow_style=False)
    with atomic(path) as (hidden,):
        hidden.write_text(text.rstrip("\n") + "\n", encoding="utf-8", newline="\n")


def _group(columns: list[list[str]], level: int, rows: list[int]) -> Any:
    """Return the labels of some rows at a level with the groups below each, or a list without groups."""
    below: dict[str, list[int]] = {}
    for row in rows:
        below.setdefault(columns[level][row], []).append(row)
    if level == 0:
        return list(below)
    parts: dict[str, Any] = {}
    for label, several in below.items():
        # A label that only repeats at lower levels counts once.
        lower = level - 1
        while lower >= 0 and {columns[lower][row] for row in several} == {label}:
            lower -= 1
        parts[label] = None if lower < 0 else _group(columns, lower, several)
    if all(part is None for part in parts.values()):
        return list(parts)
    if any(part is None for part in parts.values()):
        return [label if part is None else {label: part} for label, part in parts.items()]
    return parts


def _same(groups: Any, columns: list[list[str]]) -> bool:
    try:
        listed = nested_tree(groups, "the taxonomy").listed()
    except HierarchyError:
        return False
    if len(listed.labels) != len(columns):
        return False
    order = np.argsort(np.array(columns[0], dtype=object))
    again = np.argsort(np.array(listed.labels[0].to_pylist(), dtype=object))
    return all(
        pa.array(column, pa.string()).take(pa.array(order)).equals(level.take(pa.array(again)))
        for column, level in zip(columns, listed.labels, strict=True)
    )
