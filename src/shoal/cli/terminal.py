"""Text on its way to the terminal: characters that would act on it are shown, not sent.

Names, labels and manifests come from others. An escape sequence in one of them could erase a line, set the
clipboard, or turn the order of letters around. Every command prints through here.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import typer

from shoal.invisible_letters import INVISIBLE

_LINES = "\n\t"


def visible(text: str, keep: str = _LINES) -> str:
    r"""Return a text whose control characters, and all that is invisible, are escapes as in JSON.

    Parameters
    ----------
    keep
        The control characters that stay; a cell of a table has none.

    Examples
    --------
    >>> print(visible("a\x1b[2Kb\u202ec"))
    a\u001b[2Kb\u202ec
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if letter in keep or not _acts(letter) else _escaped(letter) for letter in text)


def _acts(letter: str) -> bool:
    """Return whether a character is a control, bidi, invisible, a line end, or half a character."""
    in_class = unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp", "Cs")
    return in_class or INVISIBLE.match(letter) is not None


def _escaped(letter: str) -> str:
    pairs = letter.encode("utf-16-be", "surrogatepass")
    return "".join(
        f"\\u{pairs[position]:02x}{pairs[position + 1]:02x}" for position in range(0, len(pairs), 2)
    )


def echo(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text."""
    typer.echo(visible(str(text)), err=err, nl=nl)


def secho(text: object = "", *, err: bool = False, nl: bool = True, **style: Any) -> None:
    """Print a text in a style."""
    typer.secho(visible(str(text)), err=err, nl=nl, **style)


def echo_styled(text: str) -> None:
    """Print what rich made of cells that are visible already: its own sequences stay."""
    typer.echo(text)
