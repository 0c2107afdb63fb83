"""The benchmark data of the literature by name: the real files if available, otherwise their shapes.

`SHOAL_DATA` is the folder with `<name>.csv`, delimited by `;`, and its hierarchies with ARX's names,
`hierarchies/<name>_hierarchy_<column>.csv`. Its default is `../shared/datasets`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shoal.data.files import hierarchy_name
from shoal.data.published import SHAPES
from shoal.data.shapes import shape
from shoal.describe.hierarchies.file import hierarchy_file
from shoal.describe.roles import QuasiIdentifier
from shoal.encode.table import CodedTable, code_table
from shoal.errors import InputError, nearest
from shoal.read import InputFormat, open_source

DELIMITER = ";"

# The training and the test part of Adult together, as LeFevre et al. use it: more rows, and age first.
_LARGER_ADULT = "adult45222"
_ROWS_OF_LARGER_ADULT = 45_222


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The source of a benchmark's data.

    Attributes
    ----------
    name
        One of `benchmark_names()`.
    columns
        In the order of the file, or of the publication.
    file
        The real data, delimited by `;`; None if they are generated.
    hierarchies
        The hierarchy files of the real data, by column.
    shape, rows
        Arguments of `shape` for generating the data.
    """

    name: str
    columns: tuple[str, ...]
    file: Path | None = None
    hierarchies: Mapping[str, Path] = field(default_factory=dict)
    shape: str = ""
    rows: int | None = None

    @property
    def real(self) -> bool:
        """Whether the rows are the published ones."""
        return self.file is not None

    @property
    def description(self) -> str:
        """The name, and whether it is real or generated: for a line of a table."""
        return f"{self.name} (real)" if self.real else f"{self.name} (generated)"


def benchmark_names() -> tuple[str, ...]:
    """Return the names for `load_benchmark`: the published shapes, and the data sets of the folder."""
    found = sorted(path.stem for path in data_folder().glob("*.csv") if _hierarchies(path.stem))
    return tuple(dict.fromkeys([*SHAPES, _LARGER_ADULT, *found]))


def data_folder() -> Path:
    """Return the folder of the real data, which may be missing."""
    return Path(os.environ.get("SHOAL_DATA") or "../shared/datasets")


def find_benchmark(name: str) -> Benchmark:
    """Return the source of a benchmark's data, real or generated, without reading them.

    Raises
    ------
    InputError
        If the benchmark is unknown; the message lists the known ones.

    Examples
    --------
    >>> find_benchmark("lands-end").description
    'lands-end (generated)'
    """
    file = data_folder() / f"{name}.csv"
    if Path(name).name == name and file.is_file() and (known := _hierarchies(name)):
        order = open_source(file, InputFormat(delimiter=DELIMITER)).columns
        if columns := tuple(column for column in order if column in known):
            return Benchmark(name, columns, file, known)
    if name in SHAPES:
        return Benchmark(name, tuple(SHAPES[name].columns), shape=name)
    if name == _LARGER_ADULT:
        columns = ("age", *(column for column in SHAPES["adult"].columns if column != "age"))
        return Benchmark(name, columns, shape="adult", rows=_ROWS_OF_LARGER_ADULT)
    names = benchmark_names()
    raise InputError(
        f"Unknown benchmark '{name}'.\n"
        f"Benchmarks: {', '.join(names)}.{nearest(name, names)}\n"
        f"Others need '{name}.csv' and 'hierarchies/{hierarchy_name(name, '<column>')}' "
        "in the folder SHOAL_DATA."
    )


def load_benchmark(name: str, columns: Sequence[str] | None = None) -> CodedTable:
    """Read or generate a benchmark whose columns are all quasi-identifiers; see `find_benchmark`.

    Parameters
    ----------
    name
        One of `benchmark_names()`.
    columns
        The columns to use, in order. Default: all, in the order of the file.

    Examples
    --------
    >>> load_benchmark("fars", ["isex", "iage"]).names
    ('isex', 'iage')
    """
    benchmark = find_benchmark(name)
    chosen = _checked(benchmark, columns)
    if benchmark.file is None:
        table = shape(benchmark.shape, benchmark.rows)
        return CodedTable(tuple(table.columns[table.names.index(column)] for column in chosen), table.rows)
    source = open_source(benchmark.file, InputFormat(delimiter=DELIMITER))
    return code_table(
        source.read(chosen, coded=chosen),
        {c: QuasiIdentifier(hierarchy=hierarchy_file(benchmark.hierarchies[c])) for c in chosen},
    )


def _hierarchies(name: str) -> dict[str, Path]:
    """Return the hierarchy files of a data set by column."""
    owner = "adult" if name == _LARGER_ADULT else name
    prefix, suffix = hierarchy_name(owner, "\0").split("\0")
    return {
        path.name.removeprefix(prefix).removesuffix(suffix): path
        for path in sorted((data_folder() / "hierarchies").glob(f"*{suffix}"))
        if path.name.startswith(prefix)
    }


def _checked(benchmark: Benchmark, requested: Sequence[str] | None) -> Sequence[str]:
    known = benchmark.columns
    if requested is None:
        return known
    problems = [
        f"The benchmark '{benchmark.name}' has no column '{column}' with a hierarchy.\n"
        f"Columns: {', '.join(known)}.{nearest(column, known)}"
        for column in requested
        if column not in known
    ]
    if problems:
        raise InputError(problems)
    if not requested or len(set(requested)) < len(requested):
        raise InputError(
            "A benchmark needs at least one column, each once.\n"
            f"Found: {', '.join(requested) or 'none'}.\n"
            "Omit `columns` to use all of them."
        )
    return requested
