"""A CSV file that programs read differently: one sees crowds, the other people who stand alone.

The attacker writes quotes inside cells, a delimiter at the end of a line, empty lines and other ends of
lines. DuckDB, which the audit asks, takes them for one thing, Python's `csv` and pandas for another. The
manifest fits what DuckDB reads.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.audit import audit_release
from shoal.audit.csv_lines import is_regular
from shoal.audit.hidden_content import HIDDEN
from shoal.errors import InputError
from tests.attacks.evidence import check, refit
from tests.unit.tampering import write

CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "a quote inside a cell": lambda text: text.replace(b"F,flu\n", b'F,fl"u\n').replace(
        b"F,cold", b'F,c"old'
    ),
    "a delimiter at the end": lambda text: text.replace(b"F,flu\n", b"F,flu,\n"),
    "a space before a quote": lambda text: text.replace(b'\n"[50', b'\n "[50'),
    "an empty line": lambda text: text.replace(b"F,flu\n", b"F,flu\n\n"),
    "other ends of lines": lambda text: text.replace(b"\n", b"\r\n"),
    "another end of a line": lambda text: text.replace(b"F,flu\n", b"F,flu\r"),
    "an end of a line in a cell": lambda text: text.replace(b"F,flu\n", b"F,fl\ru\n"),
    "a quote that closes early": lambda text: text.replace(b'60)"', b'60)"x'),
}


@pytest.mark.parametrize("kind", ["csv", "csv.gz"])
@pytest.mark.parametrize("what", CHANGES)
def test_lines_that_programs_read_differently(tmp_path: Path, what: str, kind: str) -> None:
    import zlib

    release = write(tmp_path, name=f"release.{kind}")
    text = release.read_bytes()
    text = zlib.decompress(text, 31) if kind == "csv.gz" else text
    changed = CHANGES[what](text)
    assert changed != text
    packer = zlib.compressobj(wbits=31)
    release.write_bytes(packer.compress(changed) + packer.flush() if kind == "csv.gz" else changed)
    refit(release)
    assert check(release)[0] == 1
    try:
        found = {finding.claim: finding for finding in audit_release(release).findings}
    except InputError:
        return
    assert found[HIDDEN].measured == "lines that programs read differently"
    assert not found[HIDDEN].holds


CELLS = st.sampled_from(["", "x", '"', '""', ",", "\n", "\r", " ", '"x"', '"\n"', '"x,y"', "x\n", ",x"])


@given(st.lists(CELLS, max_size=12).map("".join), st.integers(1, 7))
def test_what_is_regular_is_read_alike(text: str, block: int) -> None:
    """By Python's `csv`, loosely and strictly, and with the quotes that the file itself has."""
    data = f"a,b\n{text}\n".encode()
    blocks = [data[start : start + block] for start in range(0, len(data), block)]
    regular = is_regular(blocks, ",", '"', 2)
    assert regular == is_regular([data], ",", '"', 2)
    if regular:
        strict, loose = (
            list(csv.reader(io.StringIO(data.decode(), newline=""), strict=strict))
            for strict in (True, False)
        )
        assert strict == loose
        assert {len(row) for row in strict} == {2}
        assert strict == list(csv.reader(io.StringIO(data.decode(), newline=""), skipinitialspace=False))


@given(st.lists(st.tuples(*[st.text(st.sampled_from('x",\n '), max_size=4)] * 2), max_size=5))
def test_what_is_written_well_is_regular(rows: list[tuple[str, str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows([("a", "b"), *rows])
    assert is_regular([file.getvalue().encode()], ",", '"', 2)
