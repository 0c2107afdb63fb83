"""Delimited text files: data tables and hierarchies.

The format of a file is detected from its beginning with Python's `csv` module; Arrow reads the cells in
parallel. If Arrow refuses a file, `csv` reads it again line by line to report the wrong lines: Arrow's own
messages quote cells.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, cast

import pyarrow as pa
import pyarrow.csv

from shoal.errors import InputError, nearest
from shoal.read.source import DELIMITERS, InputFormat, check_content, check_file

_SAMPLE_CHARACTERS = 128 * 1024 - 1  # below the `csv` module's limit for one cell
_SAMPLE_RECORDS = 200
_MOST_RECORDS = 1000
_FEW_LINES = 50
_LONGEST_FIRST_ROW = 1 << 22  # characters: some hundred thousand names
_LONGEST_LINE_BYTES = 64 << 20
_BLOCK_BYTES = 1 << 20
_LARGEST_BLOCK_BYTES = (1 << 31) - 1
_LARGE_BYTES = 256 << 20
_MOST_PACKED = 200
_SMALL_FILE_BYTES = 8 << 20
_GZIP = b"\x1f\x8b"
_LINE_END = re.compile(r"\r\n|\r|\n")
_END_NAMES = {"\r\n": "CR LF, as on Windows", "\n": "LF", "\r": "CR, as on old Macs"}
_END_OF_FILE = "end of file"
_BYTE_ORDER_MARKS = (  # longest first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Delimited:
    """A file in a known format, with its first records.

    Attributes
    ----------
    first, below
        The first record, and some of those after it.
    blank_lines
        Number of lines before the first record.
    more
        Whether anything follows the first record.
    """

    path: Path
    delimiter: str
    quote: str
    encoding: str
    first: tuple[str, ...]
    below: tuple[tuple[str, ...], ...]
    blank_lines: int
    more: bool

    def read(
        self,
        names: Sequence[str],
        types: Mapping[str, pa.DataType],
        *,
        header: bool,
        null_values: Sequence[str],
        quoted_nulls: bool = False,
        empty_lines: bool = False,
    ) -> pa.Table:
        """Read the columns of `types`, each into one chunk.

        Parameters
        ----------
        names
            The names of all columns of the file.
        empty_lines
            Whether an empty line is a cell in a file of one column; otherwise it is skipped.
        """
        if header and not self.more:
            return pa.schema(types.items()).empty_table().combine_chunks()
        quotes = self._count_quotes()
        if quotes % 2:
            self._check_records()
        parse = pyarrow.csv.ParseOptions(
            delimiter=self.delimiter,
            quote_char=self.quote,
            newlines_in_values=quotes > 0,  # slower, so only where a cell can contain one
            ignore_empty_lines=len(names) > 1 or not empty_lines,
        )
        convert = pyarrow.csv.ConvertOptions(
            column_types=dict(types),
            include_columns=list(types),
            null_values=list(null_values),
            strings_can_be_null=bool(null_values),
            quoted_strings_can_be_null=quoted_nulls,
        )
        block_bytes = _BLOCK_BYTES
        while True:
            try:
                return self._read_blocks(names, header, block_bytes, parse, convert)
            except UnicodeError:
                raise self._undecodable() from None
            except pa.ArrowInvalid as error:
                if "straddl" in str(error) and block_bytes < _LARGEST_BLOCK_BYTES:
                    block_bytes = min(16 * block_bytes, _LARGEST_BLOCK_BYTES)  # a row longer than a block
                    continue
                self._check_records()
                self._check_encoding()
                raise InputError(
                    f"File {self.path.name!r} could not be read as CSV.\n{self._assumptions()}"
                ) from None
            except OSError:
                raise _damaged(self.path) from None

    def check(self) -> None:
        """Raise what another reader may have refused: rows, quotes, encoding, or several line ends."""
        self._check_records()
        with _open_text(self.path, self.encoding) as text:
            ends = Counter(found[0] for line in text if (found := _LINE_END.search(line)))
        if len(ends) > 1:
            counts = ", ".join(f"{count:,} end in {_END_NAMES[end]}" for end, count in ends.most_common())
            raise InputError(
                f"File {self.path.name!r} has lines that end in several ways.\nFound: {counts}.\n"
                "Save it with one kind, as `dos2unix` does, or read it into memory (--engine memory)."
            )

    def blocks(self) -> Iterator[bytes]:
        """Yield the text of the file in UTF-8, without a byte order mark."""
        try:
            with _open_text(self.path, self.encoding) as text:
                for block in iter(lambda: text.read(_BLOCK_BYTES), ""):
                    yield block.encode()
        except UnicodeError:
            raise self._undecodable() from None
        except (OSError, EOFError, zlib.error):
            raise _damaged(self.path) from None

    def _read_blocks(
        self,
        names: Sequence[str],
        header: bool,
        block_bytes: int,
        parse: pyarrow.csv.ParseOptions,
        convert: pyarrow.csv.ConvertOptions,
    ) -> pa.Table:
        # For a small file, threads and Arrow's allocator take more memory than the table.
        small = self.path.stat().st_size <= _SMALL_FILE_BYTES
        pool = pa.system_memory_pool() if small else pa.default_memory_pool()
        options = pyarrow.csv.ReadOptions(
            use_threads=not small,
            column_names=list(names),
            skip_rows=self.blank_lines,
            skip_rows_after_names=int(header),
            block_size=block_bytes,
            encoding="utf8" if self.encoding == "utf-8" else self.encoding,
        )
        with pa.input_stream(str(self.path), compression="gzip" if _is_gzip(self.path) else None) as stream:
            table = pyarrow.csv.read_csv(stream, options, parse, convert, memory_pool=pool)
        return table.unify_dictionaries(memory_pool=pool).combine_chunks(memory_pool=pool)

    def _count_quotes(self) -> int:
        """Count the quotes of the file, and refuse a line that does not end: it would fill the memory."""
        quote = self.quote.encode()
        quotes = lines = length = size = 0
        packed = self.path.stat().st_size
        try:
            with _open(self.path) as file:
                for block in _blocks(file):
                    quotes += block.count(quote)
                    size += len(block)
                    if size > _LARGE_BYTES and size > _MOST_PACKED * packed:
                        raise InputError(
                            f"File {self.path.name!r} unpacks to more than {_MOST_PACKED} times its size.\n"
                            f"Found: {packed / 1e6:,.1f} MB, and more than {size / 1e6:,.0f} MB unpacked.\n"
                            "If you expect that, unpack it first."
                        )
                    if b"\n" in block or b"\r" in block:
                        lines += 1
                        length = 0
                    length += len(block)
                    if length > _LONGEST_LINE_BYTES:
                        raise _endless(self.path, f"{_LONGEST_LINE_BYTES >> 20} MB", first=lines == 0)
        except (OSError, EOFError, zlib.error):
            raise _damaged(self.path) from None
        return quotes

    def _check_records(self) -> None:
        """Raise with every line whose number of cells differs, and with a quote that is never closed."""
        width = len(self.first)
        ragged = []
        record: list[str] = []
        start = line = 1
        try:
            with _open_text(self.path, self.encoding) as text:
                # The added line ends up inside the last cell where that is still open.
                reader = csv.reader(
                    chain(text, [_END_OF_FILE]), delimiter=self.delimiter, quotechar=self.quote
                )
                for record in reader:
                    start, line = line, reader.line_num + 1
                    if record and len(record) != width and record != [_END_OF_FILE]:
                        ragged.append((start, len(record)))
        except UnicodeError:
            raise self._undecodable() from None
        except csv.Error:
            start, record = line, []
        if record != [_END_OF_FILE]:
            raise InputError(
                f"File {self.path.name!r} has a quoted cell without an end.\n"
                f"Found: in the row that starts in line {start:,}.\n{self._assumptions()}"
            )
        if ragged:
            lines = ", ".join(f"line {start:,} has {_cells(found)}" for start, found in ragged[:5])
            more = f" and {len(ragged) - 5:,} more" if len(ragged) > 5 else ""
            rows = "1 row" if len(ragged) == 1 else f"{len(ragged):,} rows"
            raise InputError(
                f"File {self.path.name!r} has {rows} with another number of cells than the first row, "
                f"which has {width}.\nFound: {lines}{more}.\n{self._assumptions()}"
            )

    def _check_encoding(self) -> None:
        try:
            with _open_text(self.path, self.encoding) as text:
                for _ in iter(lambda: text.read(_BLOCK_BYTES), ""):
                    pass
        except UnicodeError:
            raise self._undecodable() from None

    def _undecodable(self) -> InputError:
        return _undecodable(self.path, self.encoding)

    def _assumptions(self) -> str:
        return (
            f"Assumed: delimiter {self.delimiter!r}, quote {self.quote}, encoding {self.encoding}. "
            "Correct the file, or set its format."
        )


def open_delimited(
    path: Path, input_format: InputFormat, *, delimiters: str = DELIMITERS, widest: bool = True
) -> Delimited:
    """Detect the format of a file, as far as `input_format` does not set it.

    Parameters
    ----------
    delimiters
        The possible delimiters, the likelier first.
    widest
        Of several delimiters that split the file well, use the one that makes the most cells;
        otherwise the first one.
    """
    check_file(path)
    check_content(path, *([_GZIP] if _is_gzip(path) else []))
    _check_format(input_format)
    try:
        encoding = input_format.encoding or _sniff_encoding(path)
        encoding = codecs.lookup(encoding).name.replace("utf-8-sig", "utf-8")
        with _open_text(path, encoding) as text:
            sample = text.read(_SAMPLE_CHARACTERS)
            if len(sample) == _SAMPLE_CHARACTERS and not _LINE_END.search(sample.lstrip("\r\n")):
                sample += text.read(_LONGEST_FIRST_ROW)
            if len(sample) >= _SAMPLE_CHARACTERS and 0 < sample.strip("\r\n").count("\n") < _FEW_LINES:
                sample += text.read(_LONGEST_FIRST_ROW)  # a wide table: some of its rows
            truncated = bool(text.read(1))
    except UnicodeError:
        raise _undecodable(path, encoding) from None
    except (OSError, EOFError, zlib.error):
        raise _damaged(path) from None
    if not sample.strip("\r\n"):
        raise InputError(f"File {path.name!r} is empty.")
    if "\0" in sample:
        raise InputError(
            f"File {path.name!r} is not text in the encoding {encoding}: it has zero bytes.\n"
            "If it is text, set its encoding, for example `encoding: utf-16-le`."
        )
    if truncated and not _LINE_END.search(sample.lstrip("\r\n")):
        raise _endless(path, f"{len(sample):,} characters", first=True)
    blank = len(sample) - len(sample.lstrip("\r\n"))
    blank_lines = len(_LINE_END.findall(sample[:blank]))
    sample = sample[blank:]
    quote = input_format.quote or _sniff_quote(sample)
    try:
        delimiter = input_format.delimiter or _sniff_delimiter(sample, quote, delimiters, truncated, widest)
        records = _records(sample, delimiter, quote)
        first = next(records)
    except csv.Error:  # a cell longer than any name
        raise _endless(path, f"{_SAMPLE_CHARACTERS:,} characters", first=True) from None
    below = _some(records)
    more = truncated or bool(below)
    if truncated and 1 < len(below) < _MOST_RECORDS:
        below.pop()
    if not more and len(first) == 1:
        more = len(_LINE_END.findall(sample)) > 1  # an empty line is a cell in a file of one column
    return Delimited(path, delimiter, quote, encoding, tuple(first), tuple(below), blank_lines, more)


def _check_format(given: InputFormat) -> None:
    problems = []
    for what, value in (("delimiter", given.delimiter), ("quote", given.quote)):
        if value is not None and (len(value) != 1 or not value.isascii() or value in "\r\n\0"):
            problems.append(
                f"The {what} must be one ASCII character.\nFound: {value!r}.\n"
                'In YAML, put it in double quotes, for example ";" or "\\t".'
            )
    if given.delimiter is not None and given.delimiter == given.quote:
        problems.append(f"The delimiter and the quote must differ.\nFound: {given.quote!r} for both.")
    if given.encoding is not None:
        try:
            "".encode(given.encoding)
        except (LookupError, ValueError):
            known = ("utf-8", "utf-16", "utf-16-le", "latin-1", "cp1252", "iso-8859-15", "ascii")
            problems.append(
                f"Unknown encoding {given.encoding!r}.\nFor example: {', '.join(known)}.\n"
                f"{nearest(given.encoding, known).strip()}".rstrip()
            )
    if problems:
        raise InputError(problems)


def _sniff_encoding(path: Path) -> str:
    with _open(path) as file:
        beginning = file.read(4)
    return next((name for mark, name in _BYTE_ORDER_MARKS if beginning.startswith(mark)), "utf-8")


def _sniff_quote(sample: str) -> str:
    """Return ' only if it opens as many cells as it closes and " opens none."""
    opened, closed, double = (
        len(re.findall(pattern, sample, re.MULTILINE))
        for pattern in (r"(?:^|[,;\t|])'", r"'(?:\r?$|[,;\t|])", r'(?:^|[,;\t|])"')
    )
    return "'" if opened == closed > double == 0 else '"'


def _sniff_delimiter(sample: str, quote: str, delimiters: str, truncated: bool, widest: bool) -> str:
    """Return the delimiter that splits the records most evenly; it must split the first record."""
    widths, alike = {}, {}
    for delimiter in delimiters:
        try:
            counts = [len(record) for record in islice(_records(sample, delimiter, quote), _SAMPLE_RECORDS)]
        except csv.Error:  # it leaves a long row in one cell
            counts = [1, 0]
        if truncated and 1 < len(counts) < _SAMPLE_RECORDS:
            counts.pop()
        widths[delimiter] = counts[0]
        alike[delimiter] = counts.count(counts[0]) / len(counts)
    splitting = [delimiter for delimiter in delimiters if widths[delimiter] > 1] or list(delimiters)
    likely = [delimiter for delimiter in splitting if alike[delimiter] > 0.5]
    if not likely or max(widths.values()) == 1:
        return max(splitting, key=lambda delimiter: alike[delimiter])
    return max(likely, key=lambda delimiter: widths[delimiter]) if widest else likely[0]


def _records(sample: str, delimiter: str, quote: str) -> Iterator[list[str]]:
    lines = io.StringIO(sample, newline="")
    return (record for record in csv.reader(lines, delimiter=delimiter, quotechar=quote) if record)


def _some(records: Iterator[list[str]]) -> list[tuple[str, ...]]:
    """Return the first records, up to a cell that is too long."""
    found: list[tuple[str, ...]] = []
    with suppress(csv.Error):
        found.extend(map(tuple, islice(records, _MOST_RECORDS)))
    return found


def _is_gzip(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _open(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path)) if _is_gzip(path) else path.open("rb")


@contextmanager
def _open_text(path: Path, encoding: str) -> Iterator[IO[str]]:
    with (
        _open(path) as file,
        io.TextIOWrapper(file, encoding="utf-8-sig" if encoding == "utf-8" else encoding, newline="") as text,
    ):
        yield text


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: file.read(_BLOCK_BYTES), b"")


def _undecodable(path: Path, encoding: str) -> InputError:
    decoder = codecs.getincrementaldecoder(encoding)()
    line = column = 1
    try:
        with _open(path) as file:
            for block in _blocks(file):
                line, column = _after(decoder.decode(block), line, column)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(encoding, errors="ignore")
        line, column = _after(before, line, column)
    except UnicodeError:  # UTF-16 or UTF-32 that does not begin with a byte order mark
        pass
    return InputError(
        f"File {path.name!r} is not {encoding} text.\n"
        f"Found: the first invalid byte in line {line:,}, character {column:,}.\n"
        "Set its encoding: `--encoding cp1252`, or `encoding: cp1252` under `input:` in the spec. "
        "Others are latin-1 and utf-16."
    )


def _after(text: str, line: int, column: int) -> tuple[int, int]:
    r"""Return the line and column after some text that begins at a line and column.

    Examples
    --------
    >>> _after("ab\ncd", 1, 5), _after("ab", 1, 5)
    ((2, 3), (1, 7))
    """
    ends = list(_LINE_END.finditer(text))
    return (line + len(ends), len(text) - ends[-1].end() + 1) if ends else (line, column + len(text))


def _endless(path: Path, length: str, *, first: bool) -> InputError:
    row = "first line" if first else "line"
    return InputError(
        f"File {path.name!r} has a {row} that does not end within {length}.\n"
        "A table has one line for each row, and the first is a header.\n"
        "Check that it is a CSV file, and check its line ends."
    )


def _damaged(path: Path) -> InputError:
    kind = "a complete gzip file" if _is_gzip(path) else "readable"
    return InputError(f"File {path.name!r} is not {kind}.\nGet it again from its source.")


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"
