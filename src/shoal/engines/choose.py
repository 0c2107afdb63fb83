"""Which engine opens an input: each registered one says how well it suits."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from shoal import registry
from shoal.engines.engine import Engine
from shoal.engines.kind import EngineKind, Fit, Input
from shoal.errors import InputError
from shoal.read.source import InputFormat

AUTO = "auto"
"""In place of an engine's name: the engine goes by the input."""


def open_engine(
    data: object,
    input_format: InputFormat,
    *,
    engine: str = "auto",
    table: str | None = None,
    memory: str | None = None,
    writing: bool = False,
) -> Engine:
    """Open a table where it lives.

    Parameters
    ----------
    engine
        The name of a registered one; `auto` goes by what the data is.
    table
        The table of a database.
    memory
        How much may be used, such as `4GB`.
    writing
        Whether a table is to be written into the database.
    """
    if engine != AUTO:
        registry.require("engines", engine)
    given = Input(_address(data), input_format, bytes_of(memory), table, writing)
    kinds: list[EngineKind] = [registry.resolve("engines", name)() for name in registry.names("engines")]
    kinds.sort(key=lambda kind: (kind.turn, kind.name))
    return _chosen({kind: kind.fit(given) for kind in kinds}, engine, given).open(given)


def bytes_of(memory: str | None) -> int:
    """Return how many bytes a text such as `4GB` means; without one, half of what the computer has.

    Examples
    --------
    >>> bytes_of("2GiB"), bytes_of("500 MB")
    (2147483648, 500000000)
    """
    if memory is None:
        return _physical() // 2
    found = re.fullmatch(r"(?i)([0-9]+(?:\.[0-9]+)?) ?([KMGT])(i?)B", memory)
    if found is None:
        raise InputError(f"Memory must be a number with a unit.\nFound: {memory!r}.\nWrite 4GB, for example.")
    size = float(found[1]) * (1024 if found[3] else 1000) ** ("KMGT".index(found[2].upper()) + 1)
    if size < 200e6:
        raise InputError(f"An engine needs some memory.\nFound: {memory!r}.\nGive it at least 200MB.")
    return int(size)


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows tells it elsewhere
        return 8 * 2**30


def _address(data: Any) -> Any:
    """Return the address that an engine or URL of SQLAlchemy has; other data as it is."""
    if type(data).__module__.partition(".")[0] != "sqlalchemy":
        return data
    return getattr(data, "url", data).render_as_string(hide_password=False)


def _chosen(fits: Mapping[EngineKind, Fit], engine: str, given: Input) -> EngineKind:
    """Return the engine that is named, or the first that suits best; kinds are in the order of their turn."""
    only = [kind for kind, fit in fits.items() if fit == Fit.ONLY]
    natural = next(iter(only + [kind for kind, fit in fits.items() if fit == Fit.BEST]), None)
    if engine == AUTO:
        if natural is None:
            raise InputError(
                f"No engine can read this data.\nFound: {_type_of(given)}.\n"
                f"Engines: {', '.join(kind.name for kind in fits)}.\nSave the table as Parquet files."
            )
        return natural
    named = next(kind for kind in fits if kind.name == engine)
    if fits[named] != Fit.NO and (not only or named in only):
        return named
    if given.path is None and not only:
        raise InputError(
            f"The engine '{engine}' cannot take a table in memory.\nFound: {_type_of(given)}.\n"
            "Leave the engine out, or give the path of a file or the table of a database."
        )
    suits = f"It needs the engine '{natural.name}'.\n" if natural is not None else ""
    raise InputError(
        f"The engine '{engine}' cannot take this data.\n{suits}Leave the engine out, or use 'auto'."
    )


def _type_of(given: Input) -> str:
    """Describe data by its type alone: the text of a table has its values."""
    return f"data of type '{given.library} {type(given.data).__name__}'"
