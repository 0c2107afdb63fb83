"""A CSV file that programs read differently: one sees crowds, the other people who stand alone.

The attacker writes quotes inside cells, a delimiter at the end of a line, empty lines and other ends of
lines. DuckDB, which the audit asks, takes them for one thing, Python's `csv` and pandas for another. Or the
manifest says that the quote is `'` or a letter, so that `'F'` is F for who reads the manifest. It fits what
DuckDB reads.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.audit import audit_release
from shoal.audit.csv_lines import is_regular
from shoal.audit.hidden_content import HIDDEN
from shoal.errors import InputError
from shoal.read.source import InputFormat
from shoal.read.sql import splits_well
from tests.attacks.evidence import check, refit
from tests.unit.tampering import PEOPLE, manifest_of, rewrite, spec, write

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


def refused(release: Path) -> bool:
    """Return whether audit and checker say no, with the queries that an audit derives."""
    try:
        derived = [finding.sql for finding in audit_release(release).findings]
    except InputError:
        return check(release)[0] == 1
    said = manifest_of(release)
    for claim, sql in zip(said["claims"], derived, strict=False):
        claim["sql"] = sql
    rewrite(release, said)
    return audit_release(release).fails and check(release)[0] == 1


@pytest.mark.parametrize(
    ("quote", "told"),
    [
        ("'", {"dialect": {"delimiter": ",", "quote": "'"}}),
        ("z", {"dialect": {"delimiter": ",", "quote": "z"}}),
        ('"', {"dialect": {"delimiter": ",", "quote": '"'}}),
        ("'", {}),  # the spec in the manifest says so of the input
    ],
)
def test_a_quote_that_only_the_manifest_knows(
    tmp_path: Path, quote: str, told: dict[str, dict[str, str]]
) -> None:
    """One crowd of twelve for who believes it, two of six for pandas; or `"F"` and F as bytes."""
    asked = spec(quasi_identifiers={"age": "suppress", "sex": "suppress"}, suppression=0)
    release = shoal.anonymize(PEOPLE, asked.adjust(levels={"age": 1, "sex": 1})).write(tmp_path / "r.csv")
    assert not refused(release)
    text = release.read_text(encoding="utf-8")
    release.write_text(text.replace("*,*,flu", f"*,{quote}*{quote},flu"), encoding="utf-8", newline="\n")

    def change(said: dict[str, Any]) -> None:
        del said["dialect"]
        said.update(told)
        said["spec"]["input"] = {"quote": quote}

    refit(release, change)
    assert refused(release)


@pytest.mark.parametrize("delimiter", ["Q", "\x1f", " "])
def test_a_delimiter_that_only_the_manifest_knows(tmp_path: Path, delimiter: str) -> None:
    release = write(tmp_path)
    text = release.read_text(encoding="utf-8").replace('"[', "[").replace(')"', ")").replace(", ", "-")
    release.write_text(text.replace(",", delimiter), encoding="utf-8", newline="\n")
    refit(release, lambda said: said["dialect"].update(delimiter=delimiter))
    assert refused(release)


@pytest.mark.parametrize(("delimiter", "written"), [(";", ";"), ("\t", "\t"), ("|", "|"), ("^", ",")])
def test_what_shoal_writes_all_programs_read(tmp_path: Path, delimiter: str, written: str) -> None:
    """Whatever delimiter and quote the input has, `#` and line ends in cells included."""
    people = tmp_path / "people.csv"
    cells = ["it's", "'a;b,c|d^e'", "'#1'", "'x\ny'", "'\"q\"'", "''"] * 3
    text = "".join(f"{30 + place % 2}{delimiter}{cell}\n" for place, cell in enumerate(cells))
    people.write_text(f"age{delimiter}note\n{text}".replace("it's", "its"), encoding="utf-8", newline="\n")
    asked = spec(
        quasi_identifiers={"age": "suppress"},
        sensitive=["note"],
        identifiers=[],
        privacy=[shoal.KAnonymity(3)],
        input=InputFormat(delimiter, "'"),
    )
    for engine in ("memory", "duckdb"):
        release = tmp_path / f"{engine}.csv"
        shoal.anonymize(people, asked, engine=engine, output=release)
        assert manifest_of(release)["dialect"] == {"delimiter": written, "quote": '"'}
        assert not refused(release)
        with release.open(encoding="utf-8", newline="") as file:
            _, *rows = csv.reader(file, delimiter=written)
        assert {row[1] for row in rows} == {"its", "a;b,c|d^e", "#1", "x\ny", '"q"', ""}


CELLS = st.sampled_from(["", "x", '"', '""', ",", "\n", "\r", " ", '"x"', '"\n"', '"x,y"', "x\n", ",x"])


@given(st.lists(CELLS, max_size=12).map("".join), st.integers(1, 7), st.booleans())
def test_what_is_regular_is_read_alike(text: str, block: int, ours: bool) -> None:
    """By Python's `csv`, loosely and strictly, and with the quotes that the file itself has."""
    data = f"a,b\n{text}\n".encode()
    blocks = [data[start : start + block] for start in range(0, len(data), block)]
    regular = is_regular(blocks, ",", '"', 2, written_by_shoal=ours)
    assert regular == is_regular([data], ",", '"', 2, written_by_shoal=ours)
    if regular:
        strict, loose = (
            list(csv.reader(io.StringIO(data.decode(), newline=""), strict=strict))
            for strict in (True, False)
        )
        assert strict == loose
        assert {len(row) for row in strict} <= ({2} if ours else {0, 2})
        assert strict == list(csv.reader(io.StringIO(data.decode(), newline=""), skipinitialspace=False))


@pytest.mark.parametrize("text", [' "F"', '"F" ', 'F"'])
def test_without_a_manifest_too(tmp_path: Path, text: str) -> None:
    """DuckDB drops spaces around quotes, so that it finds one class of four, and pandas two of two."""
    path = tmp_path / "theirs.csv"
    path.write_text("sex,note\n" + "F,x\n" * 2 + f"{text},x\n" * 2, encoding="utf-8", newline="\n")
    asked = shoal.Spec(
        quasi_identifiers={"sex": "suppress"}, insensitive=["note"], privacy=[shoal.KAnonymity(4)]
    )
    assert audit_release(path, asked).fails


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_forms_of_other_tools_are_no_other_readings(tmp_path: Path, encoding: str, end: str) -> None:
    """Quotes around all cells, a line end within one, and an empty line at the end."""
    path = tmp_path / "theirs.csv"
    text = '"sex","note"\n' + '"F","ä, ""b""\n\nc"\n' * 2 + "F,é\nF,\n\n"
    path.write_text(text.replace("\n", end), encoding=encoding, newline="")
    asked = shoal.Spec(
        quasi_identifiers={"sex": "suppress"}, insensitive=["note"], privacy=[shoal.KAnonymity(4)]
    )
    audit = audit_release(path, asked, InputFormat(encoding="cp1252" if encoding == "cp1252" else None))
    assert audit.holds, audit.render()
    assert audit.class_sizes == {4: 1}


@pytest.mark.parametrize("cell", ['"x"', '"x y"', '"x"\n"y"', '"a,b"\n"x"'])
def test_a_cell_in_needless_quotes_is_not_regular(cell: str) -> None:
    assert not is_regular([f"a\n{cell}\n".encode()], ",", '"', 1)
    assert is_regular([b'a\n""\n"x,"\n"#x"\n"\r"\n"x\ny"\n"x"""\n""""\n'], ",", '"', 1)


@given(st.lists(st.tuples(*[st.text(st.sampled_from('x",\n '), max_size=4)] * 2), max_size=5))
def test_what_is_written_well_is_regular(rows: list[tuple[str, str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows([("a", "b"), *rows])
    assert is_regular([file.getvalue().encode()], ",", '"', 2)


@pytest.mark.parametrize("packed", [False, True])
def test_cells_of_many_lines_that_look_like_rows(tmp_path: Path, packed: bool) -> None:
    """DuckDB let a thread begin within such a cell, so that an honest release of 8 MB was refused."""
    cell = '"' + "99,z\n" * 500 + '"\n'
    rows = 4000
    text = "age,note\n" + "".join(f"{30 + place % 2},{cell}" for place in range(rows))
    people = tmp_path / ("people.csv.gz" if packed else "people.csv")
    people.write_bytes(gzip.compress(text.encode(), 1) if packed else text.encode())
    asked = shoal.Spec(
        quasi_identifiers={"age": "suppress"}, sensitive=["note"], privacy=[shoal.KAnonymity(3)]
    ).adjust(levels={"age": 0})
    for engine in ("memory", "duckdb"):
        release = tmp_path / f"{engine}.csv"
        shoal.anonymize(people, asked, engine=engine, output=release)
        audit = audit_release(release)
        assert audit.holds
        assert audit.class_sizes == {rows // 2: 2}


@pytest.mark.parametrize(
    ("text", "well"),
    [
        ('a,b\n1,"x"\n', True),
        ('a,b\n1,"x""y"\n"","z"\n', True),
        ('a,b\n1,"x\ny"\n', False),
        ('a,b\n1,"x""\r"\n', False),
        ('a,b\n1,"""\n"\n', False),
        ('"a\n",b\n1,2\n', False),
    ],
)
@pytest.mark.parametrize("start", [0, (1 << 20) - 8, (1 << 20) - 9, (1 << 20) - 10])
def test_which_files_are_read_by_several_threads(tmp_path: Path, text: str, well: bool, start: int) -> None:
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(b"x" * start + text.encode()))
    assert splits_well([path], '"') == well
