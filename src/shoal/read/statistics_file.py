"""Files of Stata, SPSS and SAS, read by pyreadstat.

Values are the codes in the files, not their labels. Values marked as missing, including user-defined missing
values of SPSS, are NULL. None of the three has NULL for text, so an empty text stays empty unless the spec
lists it under `null-values`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import InputError
from shoal.read.columns import as_null, plain
from shoal.read.columns import coded as as_coded
from shoal.read.source import InputFormat, check_content, check_installed, check_names, check_wanted

_READERS = {
    ".dta": ("read_dta", "Stata"),
    ".sav": ("read_sav", "SPSS"),
    ".zsav": ("read_sav", "SPSS"),
    ".por": ("read_por", "SPSS"),
    ".sas7bdat": ("read_sas7bdat", "SAS"),
    ".xpt": ("read_xport", "SAS"),
}


class StatisticsFile:
    """A file of Stata (`.dta`), SPSS (`.sav`, `.zsav`, `.por`) or SAS (`.sas7bdat`, `.xpt`)."""

    dialect = None
    doubtful = False

    def __init__(self, path: Path, input_format: InputFormat = InputFormat()) -> None:  # noqa: B008 (frozen)
        reader, self._kind = _READERS[path.suffix.lower()]
        check_installed("pyreadstat", "statistics", f"Reading files of {self._kind}")
        import pyreadstat

        check_content(path)
        self.name = path.name
        self.files = (path,)
        self._path = path
        self._null_values = input_format.null_values
        self._read: Callable[..., Any] = getattr(pyreadstat, reader)
        _, about = self._reading(metadataonly=True)
        self.columns = check_names(about.column_names, f"File {path.name!r}")

    def read(self, columns: Sequence[str], coded: Collection[str]) -> pa.Table:
        check_wanted(columns, self.columns, f"file {self.name!r}")
        found, about = self._reading(usecols=list(columns))
        arrays = []
        for name in columns:
            kind = pa.string() if about.readstat_variable_types[name] == "string" else None
            column = pa.chunked_array([pa.array(found[name], kind, from_pandas=True)])
            if pa.types.is_null(column.type):  # only NULL
                column = column.cast(pa.float64())
            array = as_coded(column, name) if name in coded else plain(column, name)
            arrays.append(as_null(array, self._null_values))
        return pa.table(arrays, names=list(columns))

    def restore(self, table: pa.Table) -> pa.Table:
        return table

    def _reading(self, **options: Any) -> Any:
        import pyreadstat

        try:
            return self._read(str(self._path), output_format="dict", **options)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, OverflowError):
            raise InputError(
                f"File {self.name!r} is not a complete file of {self._kind}.\n"
                "Check its suffix, or get it again from its source."
            ) from None
