"""Readers of files take anything, and refuse with errors of their own.

This takes some seconds; `make fuzz` goes on for minutes, guided by coverage.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.parsers import TARGETS, run

_QUIET = {"deadline": None, "suppress_health_check": list(HealthCheck)}

_WORDS = [
    *(sign.encode() for sign in "\n\r\t\0 ;,:-\"'{}[]<>/\\*&|#abx01~"),
    *(b"\r\n", b"", b"\xff", b"\xef\xbb\xbf", "ä\u2028".encode(), b"\\ud800"),
    *(b"10", b"-1", b"1e999", b"9" * 400, b"0.5", b"2000", b"31/12/2000", b"00/00/0000"),
    *(b"has", b"null", b"NaN", b"NULL", b"true", b"distinct", b"range", b"name", b"type", b"height"),
    *(b"int", b"date", b"level1", b"level2", b"hierType", b"cat", b"subcats", b"<MISSING>", b"<CODELIST>"),
    *(b"<!DOCTYPE x>", b"criterion", b"-anonymity", b"role", b"columns", b"privacy", b"hierarchy"),
    *(b"quasi-identifier", b"intervals", b"file", b"!!python/object", b"&a", b"*a", b"<<", b"---"),
    *(b"[" * 200, b"{a: " * 200),
]


@st.composite
def _changed(draw: st.DrawFn, seed: bytes) -> bytes:
    """Draw a content that differs from another in a few places."""
    content = seed
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 12)))
        content = content[:start] + draw(st.sampled_from(_WORDS) | st.binary(max_size=4)) + content[end:]
    return content


def _contents(name: str) -> st.SearchStrategy[bytes]:
    _, seeds = TARGETS[name]
    drawn = st.lists(st.sampled_from(_WORDS), max_size=30).map(b"".join)
    return st.sampled_from(seeds).flatmap(_changed) | drawn | st.binary(max_size=200)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_accepted_or_refused(name):
    _, seeds = TARGETS[name]
    accepted = [run(name, seed) for seed in seeds]
    assert any(accepted)


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_errors_of_our_own(name):
    @settings(derandomize=True, **_QUIET)
    @given(_contents(name))
    def check(content: bytes) -> None:
        run(name, content)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_errors_of_our_own_at_length(name):
    @settings(max_examples=3000, **_QUIET)
    @given(_contents(name))
    def check(content: bytes) -> None:
        run(name, content)

    check()
