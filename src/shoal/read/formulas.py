"""Cells that a spreadsheet computes as formulas when it opens a released CSV file.

A spreadsheet computes a cell that begins with `=`, `+`, `-` or `@`, and a formula can send the content of
other cells to a web page (OWASP, "CSV Injection", https://owasp.org/www-community/attacks/CSV_Injection). An
apostrophe before such a cell makes it text. Numbers such as -5 stay unchanged. A cell that begins with
apostrophes followed by a formula gets one more, so that no two cells become equal, and audits can remove
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import Problem
from shoal.read.columns import is_text

ESCAPE = "'"
_FORMULA = "^'*[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]"  # and the first four in full width
_NUMBER = (
    "^'*[+-]?(([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?|[Ii]nf(inity)?|[Nn]a[Nn]|PT[0-9]+(.[0-9]+)?S)$"
)
_ESCAPED = "^'"
_MATCHES = {
    "duckdb": "regexp_matches({cell}, {pattern})",
    "postgres": "({cell} ~ {pattern})",
    "pyspark": "({cell} RLIKE {pattern})",
}
"""SQL for matching a text with a pattern, by Ibis' name of the dialect."""
_SUFFIXES = (".csv", ".csv.gz", ".xlsx")


def opens_in_spreadsheets(path: Path) -> bool:
    """Return whether people open such a file with a spreadsheet.

    Examples
    --------
    >>> opens_in_spreadsheets(Path("release.csv.gz")), opens_in_spreadsheets(Path("release.parquet"))
    (True, False)
    """
    return path.name.lower().endswith(_SUFFIXES)


def formula_names(names: Iterable[str]) -> list[str]:
    """Return the names of columns that would be computed."""
    listed = pa.array(list(names), pa.string())
    found: list[str] = listed.filter(_are_formulas(listed)).to_pylist()
    return found


def name_problems(names: Iterable[str]) -> list[Problem]:
    """Return a problem if column names are like formulas: these cannot be escaped, others use the names."""
    if found := formula_names(names):
        return [
            Problem(
                f"Column names begin like formulas.\nFound: {', '.join(map(repr, found))}.\n"
                "Cells can be escaped, but names cannot: rename these columns."
            )
        ]
    return []


def formula_cells(table: pa.Table) -> dict[str, int]:
    """Return for each column of text how many of its cells would be computed, if any.

    Examples
    --------
    >>> formula_cells(pa.table({"note": ["=1+1", "-5", None, "'@x"], "age": [1, -2, 3, 4]}))
    {'note': 2}
    """
    found = {}
    for name in text_columns(table.schema):
        column = table.column(name)
        count = sum(pc.sum(_are_formulas(_plain(chunk))).as_py() or 0 for chunk in column.chunks)
        if count:
            found[name] = int(count)
    return found


def escaped(table: pa.Table) -> pa.Table:
    """Return a table with an apostrophe before each cell that would be computed.

    Examples
    --------
    >>> escaped(pa.table({"note": ["=1+1", "-5", None, "'@x", "a=b"]}))["note"].to_pylist()
    ["'=1+1", '-5', None, "''@x", 'a=b']
    """
    return _changed(table, _escape)


def restored(table: pa.Table) -> pa.Table:
    """Return a table without the apostrophes of `escaped`.

    Examples
    --------
    >>> restored(pa.table({"note": ["'=1+1", "-5", None, "''@x", "'tis"]}))["note"].to_pylist()
    ['=1+1', '-5', None, "'@x", "'tis"]
    """
    return _changed(table, _restore)


def text_columns(schema: pa.Schema) -> list[str]:
    """Return the names of the columns of text."""
    return [
        field.name
        for field in schema
        if is_text(field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
    ]


def counting_sql(cell: str, dialect: str) -> str:
    """Return the SQL that counts the cells of a column that would be computed."""
    return f"SUM(CASE WHEN {_condition(cell, dialect)} THEN 1 ELSE 0 END)"


def escaping_sql(cell: str, dialect: str) -> str:
    """Return the SQL of a cell with an apostrophe before it, where it would be computed."""
    return f"CASE WHEN {_condition(cell, dialect)} THEN concat(chr(39), {cell}) ELSE {cell} END"


def restoring_sql(cell: str, dialect: str) -> str:
    """Return the SQL of a cell as it was before `escaping_sql`."""
    marked = f"{_condition(cell, dialect)} AND {_matches(cell, _ESCAPED, dialect)}"
    return f"CASE WHEN {marked} THEN substr({cell}, 2) ELSE {cell} END"


def unescaped_sql(cell: str, dialect: str) -> str:
    """Return the SQL that counts the cells that `escaping_sql` would have changed."""
    marked = f"{_condition(cell, dialect)} AND NOT {_matches(cell, _ESCAPED, dialect)}"
    return f"SUM(CASE WHEN {marked} THEN 1 ELSE 0 END)"


def note(cells: Mapping[str, int], names: Iterable[str], *, escaping: bool) -> tuple[str, ...]:
    """Return notes on the columns with cells that spreadsheets compute, without the cells."""
    listed = ", ".join(f"{name} {count:,}" for name, count in cells.items())
    strange = formula_names(names)
    notes = []
    if cells and escaping:
        notes.append(f"Cells like formulas get an apostrophe in CSV and Excel files: {listed}.")
    elif cells:
        notes.append(
            f"Spreadsheets may compute cells as formulas: {listed}. For a CSV file, "
            "--escape-formulas (in a spec escape-formulas: true) puts an apostrophe before them."
        )
    if strange:
        notes.append(f"Spreadsheets may compute column names as formulas: {', '.join(map(repr, strange))}.")
    return tuple(notes)


def _changed(table: pa.Table, change: Callable[[pa.Array], pa.Array]) -> pa.Table:
    for name in text_columns(table.schema):
        index = table.schema.get_field_index(name)
        chunks = [change(chunk) for chunk in table.column(index).chunks]
        table = table.set_column(index, name, pa.chunked_array(chunks, table.schema.field(index).type))
    return table


def _escape(cells: pa.Array) -> pa.Array:
    if isinstance(cells, pa.DictionaryArray):
        return pa.DictionaryArray.from_arrays(cells.indices, _escape(cells.dictionary))
    marked = pc.binary_join_element_wise(pa.scalar(ESCAPE, cells.type), cells, pa.scalar("", cells.type))
    return pc.if_else(_are_formulas(cells), marked, cells)


def _restore(cells: pa.Array) -> pa.Array:
    if isinstance(cells, pa.DictionaryArray):
        return pa.DictionaryArray.from_arrays(cells.indices, _restore(cells.dictionary))
    marked = pc.and_(_are_formulas(cells), pc.starts_with(cells, ESCAPE))
    return pc.if_else(marked, pc.utf8_slice_codeunits(cells, 1), cells)


def _plain(cells: pa.Array) -> pa.Array:
    return cells.cast(cells.type.value_type) if isinstance(cells, pa.DictionaryArray) else cells


def _are_formulas(cells: pa.Array) -> pa.Array:
    found = pc.and_not(pc.match_substring_regex(cells, _FORMULA), pc.match_substring_regex(cells, _NUMBER))
    return found.fill_null(False)


def _condition(cell: str, dialect: str) -> str:
    return f"({_matches(cell, _FORMULA, dialect)} AND NOT {_matches(cell, _NUMBER, dialect)})"


def _matches(cell: str, pattern: str, dialect: str) -> str:
    # Spark before version 4 drops '' within a text, but accepts double quotes around texts.
    literal = f'"{pattern}"' if dialect == "pyspark" else "'" + pattern.replace("'", "''") + "'"
    return _MATCHES[dialect].format(cell=cell, pattern=literal)
