"""How all HTML is made: by templates, which escape every text but `Markup`.

Each package keeps its own in a folder `templates`. The small pieces here are for notebooks and for pages with
one picture.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.draw.svg import Canvas, theme, writable

if TYPE_CHECKING:
    from jinja2 import Environment

# They reverse the text after them: a name could make a sentence read otherwise than it is.
_REVERSING = re.compile("[\\u202a-\\u202e\\u2066\\u2067]")


def templates(package: str, style: str) -> Environment:
    """Return the templates of a package; they know the theme and one style sheet that is beside them."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    sheet = files(package).joinpath("templates", style).read_text(encoding="utf-8")
    environment.globals.update(theme=Markup(theme()), style=Markup(sheet))
    return environment


def readable(html: str) -> str:
    r"""Return HTML without signs that no page can hold or that reverse the text after them.

    Examples
    --------
    >>> readable("<b>a\u202eb</b>")
    '<b>a\ufffdb</b>'
    """
    return _REVERSING.sub("\ufffd", writable(html))


def picture(canvas: Canvas) -> Markup:
    """Return a drawing as markup; the canvas escapes every text in it."""
    return Markup(canvas.svg())


def heading(words: str) -> Markup:
    return Markup(_pieces().heading(words))


def paragraph(words: str, *, note: bool = False) -> Markup:
    """Return a paragraph; a note is quieter.

    Examples
    --------
    >>> paragraph("a < b", note=True)
    Markup('<p class="note">a &lt; b</p>')
    """
    return Markup(_pieces().paragraph(words, note))


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()) -> Markup:
    """Return a table.

    Parameters
    ----------
    header
        The names of its columns; without any, the first cell of each row is its name.
    numbers
        The positions of columns that hold numbers.

    Examples
    --------
    >>> print(table([], [("k", "5")]))
    <div class="wide"><table><tbody><tr><th scope="row">k</th><td>5</td></tr></tbody></table></div>
    """
    return Markup(_pieces().table(header, rows, numbers))


def framed(*parts: Markup) -> str:
    """Return parts as one piece for a notebook, with the theme; it holds no scripts."""
    return readable(_pieces().framed(parts))


def page(title: str, *parts: Markup) -> str:
    """Return parts as a page of its own."""
    return readable(_pieces().page(title, parts))


@cache
def _pieces() -> Any:
    return templates("shoal.draw", "piece.css").get_template("pieces.html.jinja").module
