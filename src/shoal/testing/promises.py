"""How checks are run, and how they report a promise that is broken."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@contextmanager
def promise(whose: str, what: str) -> Iterator[None]:
    """Report whatever fails in the block as a broken promise. Nothing may be drawn in it.

    Examples
    --------
    >>> with promise("The model 'even'", "sizes are even"):
    ...     require(3 % 2 == 0, "Found: a class of 3.")
    Traceback (most recent call last):
    AssertionError: The model 'even' breaks a promise: sizes are even.
    Found: a class of 3.
    """
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{whose} breaks a promise: {what}.\n{error}".rstrip()) from error
    except Exception as error:
        found = f"Found: {type(error).__name__}: {error}"
        raise AssertionError(f"{whose} breaks a promise: {what}.\n{found}") from error


def require(holds: object, otherwise: str = "") -> None:
    """Raise AssertionError unless something holds, also where Python leaves `assert` out."""
    if not holds:
        raise AssertionError(otherwise)


def require_equal(found: object, expected: object, what: str = "") -> None:
    """Raise AssertionError unless two values are equal, and show both."""
    require(found == expected, f"{what}Found: {found!r}.\nExpected: {expected!r}.")


def draw_and_check(check: Callable[..., None], *strategies: st.SearchStrategy[Any], examples: int) -> None:
    """Call a check with what the strategies draw; what fails is raised for the simplest example found."""

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.tuples(*strategies))
    def run(drawn: tuple[Any, ...]) -> None:
        check(*drawn)

    run()


def close(found: float, expected: float) -> bool:
    """Return whether two numbers differ by rounding alone."""
    return math.isclose(found, expected, rel_tol=1e-11, abs_tol=1e-11)
