"""Texts that often mean a missing value, and the `null-values` list if they do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from shoal.suggestions.profile import ColumnProfile

NULL_LIKE: Final = (
    "?", "-", "--", ".", "na", "n/a", "#n/a", "n.a.", "k.a.", "nan", "<na>", "null", "none", "missing",
    "unknown",
)  # fmt: skip
"""In lower case."""

LOOKS_LIKE_NULL: Final = "trim(lower(value)) IN ({})".format(", ".join(f"'{text}'" for text in NULL_LIKE))
"""SQL that is true of a `value` that often means NULL. It describes no person, so it may be shown."""


@dataclass(frozen=True, slots=True)
class NullLike:
    """A text that often means NULL.

    Attributes
    ----------
    text
        The text as in the table.
    columns
        The columns that have it, with their number of rows.
    """

    text: str
    columns: Mapping[str, int]

    @property
    def cells(self) -> int:
        """Number of cells with this text."""
        return sum(self.columns.values())

    def to_mapping(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {"text": self.text, "cells": self.cells, "columns": dict(self.columns)}


def null_like(columns: Iterable[ColumnProfile]) -> tuple[NullLike, ...]:
    """Return the texts of a table that often mean NULL, the most frequent first.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.suggestions.profile import profile
    >>> people = profile(pa.table({"age": ["31", "?", "35", "n/a"], "job": ["?", "cook", "?", "smith"]}))
    >>> [(one.text, dict(one.columns)) for one in null_like(people.columns.values())]
    [('?', {'age': 1, 'job': 2}), ('n/a', {'age': 1})]
    """
    found: dict[str, dict[str, int]] = {}
    for column in columns:
        for text, rows in column.null_like.items():
            found.setdefault(text, {})[column.name] = rows
    all_of_them = (NullLike(text, rows) for text, rows in found.items())
    return tuple(sorted(all_of_them, key=lambda one: (-one.cells, one.text)))


def to_list(found: Iterable[NullLike], given: tuple[str, ...] | None, *, delimited: bool) -> tuple[str, ...]:
    """Return the full `null-values` list for the case that these texts mean NULL.

    Parameters
    ----------
    given
        The list so far.
    delimited
        Whether the table is a text file, in which an empty cell is NULL only while the list is not given.

    Examples
    --------
    >>> to_list([NullLike("?", {"age": 3})], None, delimited=True)
    ('', '?')
    >>> to_list([], None, delimited=True)
    ()
    """
    texts = [one.text for one in found]
    if not texts:
        return ()
    listed = given if given is not None else ("",) if delimited else ()
    return (*listed, *texts)
