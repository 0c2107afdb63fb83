"""Read text and JSON files of other tools as a whole: hierarchies are small."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.read.source import check_file

_LARGEST_BYTES = 1 << 28
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LONGEST = 40


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, with lines that end in a line feed."""
    check_file(path)
    size = path.stat().st_size
    if size > _LARGEST_BYTES:
        raise InputError(
            f"File {path.name!r} is too large for a hierarchy.\nFound: {size >> 20:,} MB; at most "
            f"{_LARGEST_BYTES >> 20:,} MB are supported.\nCheck that this file is not the table."
        )
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"File {path.name!r} is not UTF-8 text.\nFound: the first invalid byte in line {line:,}.\n"
            "Save it as UTF-8."
        ) from None
    if not text.strip():
        raise InputError(f"File {path.name!r} is empty.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_json(path: Path) -> Any:
    """Return the content of a JSON file: mappings, lists, truth values, None, and all else as text.

    Numbers stay text, so that they can be compared with the text of a table.
    """
    text = read_text(path)
    repeated: list[str] = []

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            seen: set[str] = set()
            repeated.extend(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return content

    try:
        content = json.loads(
            text, object_pairs_hook=mapping, parse_int=str, parse_float=str, parse_constant=str
        )
    except json.JSONDecodeError as error:
        raise InputError(
            f"File {path.name!r} is not valid JSON in line {error.lineno:,}, column {error.colno:,}: "
            f"{error.msg}."
        ) from None
    except RecursionError:
        raise InputError(f"File {path.name!r} is nested too deep.\nWrite it flatter.") from None
    if repeated:
        listed = ", ".join(repr(shortened(key)) for key in dict.fromkeys(repeated[:5]))
        raise InputError(
            f"File {path.name!r} repeats keys in a mapping.\nFound: {listed}.\nKeep one of each."
        )
    if _SURROGATE.search(text):
        try:
            json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise InputError(
                f"File {path.name!r} has halves of characters, such as \\ud800.\nWrite them out."
            ) from None
    return content


def shortened(text: str) -> str:
    """Return a label cut to the length for messages.

    Examples
    --------
    >>> shortened("x" * 100)
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'
    """
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
