"""Figures and names in readable form."""

from __future__ import annotations

from collections.abc import Sequence


def percent(share: float) -> str:
    """Return a share as a percentage in which a little is not 0% and almost all is not 100%.

    Examples
    --------
    >>> [percent(share) for share in (0, 0.00001, 0.5, 0.99999, 1)]
    ['0%', '<0.1%', '50.0%', '>99.9%', '100%']
    """
    if share in (0, 1):
        return f"{share:.0%}"
    return "<0.1%" if share < 0.001 else ">99.9%" if share > 0.999 else f"{share:.1%}"


def count(number: int, what: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count(1, "value"), count(2000, "row")
    ('1 value', '2,000 rows')
    """
    return f"1 {what}" if number == 1 else f"{number:,} {what}s"


def printable(name: str) -> str:
    r"""Return a name that fits on one line, escaped if necessary.

    Examples
    --------
    >>> printable("größe"), printable("two\nlines")
    ('größe', "'two\\nlines'")
    """
    return name if name.isprintable() else ascii(name)


def written(text: str) -> str:
    """Return a text, quoted if it begins or ends with a space.

    Examples
    --------
    >>> print(written("?"), written(" ?"))
    ? ' ?'
    """
    return text if text == text.strip() else repr(text)


def listed(names: Sequence[str], most: int = 10) -> str:
    """Return names separated by commas, cut short if there are very many.

    Examples
    --------
    >>> listed(["age", "zip"]), listed(["v1", "v2", "v3", "v4"], most=2)
    ('age, zip', 'v1, v2 and 2 more')
    """
    shown = ", ".join(map(printable, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def shortened(text: str, longest: int = 50) -> str:
    """Return a text cut to a length, without enclosing braces.

    Examples
    --------
    >>> shortened("{intervals: [5, 10]}"), shortened("{order: {values: [low, middle, high]}}", 24)
    ('intervals: [5, 10]', 'order: {values: [low,...')
    """
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    return text if len(text) <= longest else f"{text[: longest - 3].rstrip()}..."
