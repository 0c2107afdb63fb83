r"""ARX's hierarchies: a CSV file without a header.

Column 0 is the value as in the table, column i its label at level i; all rows have the same width. The
delimiter is `;`, `,` or a tab, a cell may be quoted with `"`, lines end in LF, CRLF or CR. The file may have
rows that the table does not need. Of several rows for one value ARX uses the last; here they are an error if
they differ, and a note if they do not.

`*` is an ordinary label, and the usual one at the top. `NULL`, which ARX reads as a missing value, is the
text `NULL` here. If `null-values: [NULL]` makes it NULL, its row is not needed: NULL keeps its own label
below the top, like `NULL;NULL;*`.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from shoal.describe.hierarchies.listed_values import Listed
from shoal.describe.hierarchy import HierarchyError, Levels, as_text
from shoal.files.atomic import atomic
from shoal.read.delimited import Delimited, open_delimited
from shoal.read.source import InputFormat

SUMMARY = "ARX: a CSV file without a header, column i is level i"
SUFFIXES = (".csv", ".tsv", ".txt")

_ROWS_AT_ONCE = 10_000


def sniff(path: Path, beginning: str) -> bool:
    """Return True: any file of no other format is read as CSV."""
    return True


def read(path: Path, delimiter: str | None = None, column: str | None = None) -> Listed:
    """Read a file.

    Raises
    ------
    InputError
        Rows differ in width, rows of one value differ, or labels have more than one parent.
    """
    file = open_delimited(path, InputFormat(delimiter, '"'), delimiters=";,\t", widest=False)
    names = [str(level) for level in range(len(file.first))]
    table = file.read(names, dict.fromkeys(names, pa.string()), header=False, null_values=[])
    return Listed.of(
        [level.chunk(0) for level in table.columns], f"the hierarchy {path.name!r}", lambda: _lines(file)
    )


def write(levels: Levels, path: Path, delimiter: str = ";") -> None:
    r"""Write the labels of values, in their order; the file is written whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> values, kinds = pa.array(["cat", "eel"]), pa.array(["furry", "wet; slimy"])
    >>> file = Path(tempfile.mkdtemp()) / "pets.csv"
    >>> write(Levels.of(values, [kinds, pa.array(["*", "*"])]), file)
    >>> file.read_text()
    'cat;furry;*\neel;"wet; slimy";*\n'
    """
    if not len(levels.labels[0]):
        raise HierarchyError("there are no values to write.")
    columns = [as_text(level) for level in levels.labels]
    with atomic(path) as (hidden,), hidden.open("w", encoding="utf-8", newline="") as file:
        for start in range(0, len(columns[0]), _ROWS_AT_ONCE):
            rows = zip(*(column.slice(start, _ROWS_AT_ONCE).to_pylist() for column in columns), strict=True)
            file.writelines(f"{delimiter.join(_cell(text, delimiter) for text in row)}\n" for row in rows)


def _cell(text: str, delimiter: str) -> str:
    """Return a cell, quoted where it would be misread.

    Python's csv writer quotes neither a carriage return nor a byte order mark.
    """
    if text and not any(sign in text for sign in (delimiter, '"', "\r", "\n", "\ufeff")):
        return text
    return '"' + text.replace('"', '""') + '"'


def _lines(file: Delimited) -> Sequence[int]:
    """Return the line in which each row begins."""
    encoding = "utf-8-sig" if file.encoding == "utf-8" else file.encoding
    opened = gzip.open if file.path.suffix.lower() == ".gz" else open
    lines, line = [], 1
    with opened(file.path, "rt", encoding=encoding, newline="") as text:
        reader = csv.reader(text, delimiter=file.delimiter, quotechar=file.quote)
        try:
            for record in reader:
                if record:
                    lines.append(line)
                line = reader.line_num + 1
        except csv.Error:  # a cell too long for this reader: report no lines
            return []
    return lines
