"""The interface of all inputs, and the function that opens them."""

from __future__ import annotations

import importlib.util
import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast

from shoal.errors import InputError, MissingFileError, Problem, nearest

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITERS = ",;\t|"
"""What may stand between the cells of a text file whose delimiter nobody gives, the likelier first."""
FileKind: TypeAlias = Literal["text", "parquet", "excel", "statistics"]

_TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".data", "")
_PARQUET_SUFFIXES = (".parquet", ".pq")
_EXCEL_SUFFIXES = (".xlsx", ".xlsm")
_STATISTICS_SUFFIXES = (".dta", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt")
_TAB = 9  # no text has characters below it
_SIGNATURES = (
    (b"PK\x03\x04", "a zip archive, such as an Excel workbook", "Unpack it, or end its name in .xlsx."),
    (b"\xd0\xcf\x11\xe0", "an old or protected Office file", "Save it without a password as .xlsx or .csv."),
    (b"\x1f\x8b", "compressed by gzip", "End its name in .csv.gz."),
    (b"BZh", "compressed by bzip2", "Unpack it."),
    (b"\xfd7zXZ\0", "compressed by xz", "Unpack it."),
    (b"\x28\xb5\x2f\xfd", "compressed by Zstandard", "Unpack it."),
    (b"PAR1", "a Parquet file", "End its name in .parquet."),
    (b"ARROW1", "an Arrow file", "Save it as .parquet."),
    (b"SQLite format 3", "an SQLite database", "Save its table as .csv or .parquet."),
    (b"%PDF-", "a PDF document", "Save its table as .csv."),
)


@dataclass(frozen=True, slots=True)
class InputFormat:
    """The format of a file. Settings that are None are detected from the file's beginning.

    Attributes
    ----------
    delimiter, quote, encoding
        Format of a CSV file.
    null_values
        The texts that mean NULL, quoted or not, in files of any kind. By default an empty cell without quotes
        is NULL.
    sheet
        Name of a sheet of an Excel workbook. Default: the first sheet.
    header
        Whether the first row of a CSV file or an Excel sheet has the column names. If not, these are
        `column_1`, `column_2` and so on. If not given, the row must not look like data (`read/header.py`).
    """

    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    null_values: tuple[str, ...] | None = None
    sheet: str | None = None
    header: bool | None = None

    def __post_init__(self) -> None:
        given: object = self.null_values
        if given is None:
            return
        listed = isinstance(given, list | tuple)
        if not listed or not all(isinstance(text, str) for text in cast("Sequence[object]", given)):
            raise InputError(
                "NULL values must be a list of texts.\n"
                f"Found: {given!r}.\n"
                'Put each in quotes, for example ["", "NA"].'
            )
        object.__setattr__(self, "null_values", tuple(dict.fromkeys(self.null_values or ())))

    def over(self, other: InputFormat) -> InputFormat:
        """Return these settings, completed by those of `other`.

        Examples
        --------
        >>> InputFormat(header=False).over(InputFormat(delimiter=";", header=True))
        InputFormat(delimiter=';', quote=None, encoding=None, null_values=None, sheet=None, header=False)
        """
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(other, **{name: value for name, value in given.items() if value is not None})

    def of_release(self) -> InputFormat:
        """Return how a release is written whose input has this format.

        Every program takes `"` for the quote, and one of a few for the delimiter. There always is a header;
        if nothing is said of that of the input, the release may also be a file of another tool.

        Examples
        --------
        >>> InputFormat("^", "'", "cp1252", header=False).of_release()
        InputFormat(delimiter=',', quote='"', encoding=None, null_values=None, sheet=None, header=True)
        """
        common = self.delimiter is None or self.delimiter in DELIMITERS
        return InputFormat(
            delimiter=self.delimiter if common else ",",
            quote='"',
            header=None if self.header is None else True,
        )


class Source(Protocol):
    """A table that can be read, column by column."""

    @property
    def name(self) -> str:
        """Its name in messages: the file's name or the kind of frame."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The names in order: text, not empty, without repetitions."""
        ...

    @property
    def files(self) -> tuple[Path, ...]:
        """The files on this machine that it reads: no release may replace them."""
        ...

    @property
    def dialect(self) -> InputFormat | None:
        """The format of a text file, given or detected."""
        ...

    @property
    def doubtful(self) -> bool:
        """Whether its names may be a person's values in a first row; then messages do not show them."""
        ...

    def read(self, columns: Sequence[str], coded: Collection[str]) -> pa.Table:
        """Return the wanted columns in that order, each in one chunk.

        Those in `coded` are dictionary arrays with int32 indices. Their dictionary has each occurring value
        once, without NULL. The others are plain columns of their type.
        """
        ...

    def restore(self, table: pa.Table) -> Any:
        """Return a table as the kind of frame of the input; for files the Arrow table itself."""
        ...


def open_source(data: object, input_format: InputFormat = InputFormat()) -> Source:
    """Open a file (its path) or a data frame.

    Parameters
    ----------
    data
        Path of a CSV (`.csv`, `.tsv`, `.txt`, also with `.gz`), Parquet, Excel (`.xlsx`), Stata (`.dta`),
        SPSS (`.sav`, `.zsav`, `.por`) or SAS (`.sas7bdat`, `.xpt`) file; or a pandas, polars or Arrow table,
        or a relation of DuckDB.
    input_format
        Format of the file (detected by default).

    Examples
    --------
    >>> import pyarrow as pa
    >>> source = open_source(pa.table({"zip": ["01234", None], "age": [34, 51]}))
    >>> source.columns
    ('zip', 'age')
    >>> source.read(["zip"], coded=["zip"])["zip"].chunk(0).dictionary.to_pylist()
    ['01234']
    """
    if not isinstance(data, str | os.PathLike):
        from shoal.read.frames import Frame

        return Frame(data)
    path = Path(data)
    check_file(path)
    kind = file_kind(path)
    if kind == "parquet":
        from shoal.read.parquet_file import ParquetFile

        return ParquetFile(path, input_format)
    if kind == "excel":
        from shoal.read.excel_file import ExcelFile

        return ExcelFile(path, input_format)
    if kind == "statistics":
        from shoal.read.statistics_file import StatisticsFile

        return StatisticsFile(path, input_format)
    if kind == "text":
        from shoal.read.csv_file import CsvFile

        return CsvFile(path, input_format)
    raise InputError(
        f"{path.suffix.lower()!r} files are not supported.\nFound: {path.name!r}.\n"
        "Supported: .csv, .tsv, .txt (also with .gz), .parquet, .xlsx, .dta, .sav, .por, .sas7bdat, .xpt."
    )


def file_kind(path: Path) -> FileKind | None:
    """Return what a file is read as, by its name; None if it is not read.

    Examples
    --------
    >>> file_kind(Path("people.TSV.gz")), file_kind(Path("people.xlsm")), file_kind(Path("people.ods"))
    ('text', 'excel', None)
    """
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return "text" if path.with_suffix("").suffix.lower() in _TEXT_SUFFIXES else None
    kinds: dict[FileKind, tuple[str, ...]] = {
        "text": _TEXT_SUFFIXES,
        "parquet": _PARQUET_SUFFIXES,
        "excel": _EXCEL_SUFFIXES,
        "statistics": _STATISTICS_SUFFIXES,
    }
    return next((kind for kind, suffixes in kinds.items() if suffix in suffixes), None)


def check_file(path: Path) -> None:
    """Raise unless a path is a readable file."""
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as error:  # a name too long, a folder without permission
        raise MissingFileError(
            f"File {str(path)!r} cannot be accessed.\nSystem error: {error.strerror}.\nCheck the path."
        ) from None
    if is_folder:
        raise MissingFileError(f"{str(path)!r} is a folder.\nGive the path of a file.")
    if not exists:
        folder = path.parent
        if not folder.is_dir():
            raise MissingFileError(
                f"File {str(path)!r} does not exist.\nIts folder does not exist either.\nCheck the path."
            )
        advice = nearest(path.name, [entry.name for entry in folder.iterdir()]).strip()
        message = f"File {str(path)!r} does not exist.\n{advice or 'Check the path.'}"
        raise MissingFileError(message)
    if not path.is_file():
        raise MissingFileError(
            f"{str(path)!r} is not a regular file.\nShoal reads a file more than once: save it first."
        )
    if not os.access(path, os.R_OK):
        raise MissingFileError(f"File {str(path)!r} is not readable.\nCheck its permissions.")


def check_content(path: Path, *expected: bytes) -> None:
    """Raise if a file is empty, or if its first bytes do not match its suffix.

    The signatures in `expected` are accepted.
    """
    try:
        with path.open("rb") as file:
            beginning = file.read(512)
    except OSError as error:
        raise InputError(
            f"File {path.name!r} cannot be read.\nSystem error: {error.strerror}.\nGet it again."
        ) from None
    if not beginning:
        raise InputError(f"File {path.name!r} is empty.")
    if min(beginning) >= _TAB:  # text, which may begin with any letters
        return
    for signature, kind, advice in _SIGNATURES:
        if beginning.startswith(signature) and signature not in expected:
            raise InputError(
                f"File {path.name!r} does not match its suffix.\nIts content is {kind}.\n{advice}"
            )


def check_installed(module: str, extra: str, what: str) -> None:
    """Raise unless the module of an extra is installed."""
    if importlib.util.find_spec(module) is None:
        raise InputError(
            f"{what} needs the package {module}, which is not installed.\n"
            f"Install it: pip install 'shoal[{extra}]'."
        )


def check_names(names: Iterable[object], source: str, *, shown: bool = True) -> tuple[str, ...]:
    """Return column names unchanged, or raise with all their problems.

    Parameters
    ----------
    shown
        Whether messages may show the names; if not, they show the numbers of the columns.
    """
    names = list(names)
    texts = [name for name in names if isinstance(name, str)]
    problems = []
    if not names:
        problems.append(Problem(f"{source} has no columns."))
    if others := [name for name in names if not isinstance(name, str)]:
        numbers = (str(number) for number, name in enumerate(names, start=1) if not isinstance(name, str))
        listed = ", ".join(map(repr, others)) if shown else f"number {', '.join(numbers)}"
        problems.append(
            Problem(f"{source} has column names that are not text: {listed}.\nRename the columns.")
        )
    if empty := [str(number) for number, name in enumerate(names, start=1) if name == ""]:
        problems.append(
            Problem(f"{source} has columns without a name: number {', '.join(empty)}.\nName them.")
        )
    counts = {name: count for name, count in Counter(texts).items() if name and count > 1}
    if counts:
        twice = [f"{name!r} ({count} times)" for name, count in counts.items()]
        if not shown:
            twice = ["columns " + _numbers(names, name) for name in counts]
        problems.append(Problem(f"{source} repeats column names: {', '.join(twice)}.\nRename them."))
    if problems:
        raise InputError(problems)
    return tuple(texts)


def _numbers(names: Sequence[object], name: str) -> str:
    *before, last = (str(number) for number, other in enumerate(names, start=1) if other == name)
    return f"{', '.join(before)} and {last}"


def check_wanted(columns: Sequence[str], known: Sequence[str], source: str, *, shown: bool = True) -> None:
    """Raise with every wanted column that a source lacks.

    Parameters
    ----------
    shown
        Whether messages may show the existing columns, even if none of them is wanted.
    """
    there = set(known)
    missing = [name for name in columns if name not in there]
    if not missing:
        return
    none_found = len(missing) == len(columns)
    if none_found and not (shown and any(nearest(name, known) for name in missing)):
        # The first line of a file without a header is a person's row, so it is not shown.
        raise InputError(
            f"None of the required columns is in {source}.\n"
            f"Required: {', '.join(missing)}.\n"
            "Check that its first line is a header, and check its delimiter."
        )
    raise InputError(
        Problem(
            f"Column {name!r} is not in {source}.\nColumns: {', '.join(known)}.\n"
            f"{nearest(name, known).strip()}".rstrip()
        )
        for name in missing
    )
