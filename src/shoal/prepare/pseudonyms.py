"""The columns of a table that become pseudonyms."""

from __future__ import annotations

import pyarrow as pa

from shoal.describe.pseudonyms import Pseudonyms
from shoal.errors import InputError, Problem
from shoal.spec.spec import Spec


def pseudonyms_of(spec: Spec) -> Pseudonyms:
    """Return what makes the tokens of a spec.

    Raises
    ------
    InputError
        The spec names no key, or a file that cannot be one.
    """
    if spec.key is None:
        raise InputError(
            f"Pseudonyms need a key.\nColumns: {', '.join(spec.pseudonyms)}. Found: no key.\n"
            "Make one with `shoal key FILE` and use --key FILE, or `key: FILE` in the spec (in Python "
            "key=FILE)."
        )
    return Pseudonyms.by_key(spec.key)


def key_problems(spec: Spec) -> list[Problem]:
    """Return what is wrong about the key of a spec that has pseudonyms."""
    try:
        if spec.pseudonyms:
            pseudonyms_of(spec)
    except InputError as error:
        return list(error.problems)
    return []


def with_tokens(table: pa.Table, spec: Spec) -> pa.Table:
    """Return a table with tokens in the columns that are pseudonyms."""
    if not spec.pseudonyms:
        return table
    made = pseudonyms_of(spec)
    for name in spec.pseudonyms:
        position = table.schema.get_field_index(name)
        table = table.set_column(position, name, made.of(table.column(name), name))
    return table
