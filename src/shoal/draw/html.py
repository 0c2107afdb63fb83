"""Small pieces of HTML, for notebooks and for pages with one picture. Every text in them is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from shoal.draw.svg import FONTS, theme, writable

_LOOK = f"""
.shoal-piece {{ background: var(--paper); color: var(--ink); font: 14px/1.45 {FONTS}; padding: 0.6em 0.8em; }}
.shoal-piece h3 {{ font-size: 1.05em; margin: 0 0 0.5em; }}
.shoal-piece p {{ margin: 0.5em 0; max-width: 46em; color: var(--ink); }}
.shoal-piece p.note {{ color: var(--muted); }}
.shoal-piece .wide {{ overflow-x: auto; }}
.shoal-piece table {{ border-collapse: collapse; margin: 0.4em 0; color: var(--ink); font-size: 1em; }}
.shoal-piece th, .shoal-piece td {{ text-align: left; vertical-align: top; padding: 0.2em 0.9em 0.2em 0;
  border: 0; border-bottom: 1px solid var(--line); background: var(--paper); color: var(--ink);
  white-space: normal; max-width: 34em; }}
.shoal-piece td.number, .shoal-piece th.number {{ text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; }}
.shoal-piece svg {{ display: block; margin: 0.4em 0; }}
"""


def text(words: object) -> str:
    """Return words as they may stand in HTML.

    Examples
    --------
    >>> text("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return escape(writable(str(words)))


def paragraph(words: str, *, note: bool = False) -> str:
    """Return a paragraph; a note is quieter."""
    return f"<p{' class=' + chr(34) + 'note' + chr(34) if note else ''}>{text(words)}</p>"


def heading(words: str) -> str:
    return f"<h3>{text(words)}</h3>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()) -> str:
    """Return a table.

    Parameters
    ----------
    header
        The names of its columns; without any, the first cell of each row is its name.
    numbers
        The places of columns that hold numbers.

    Examples
    --------
    >>> table([], [("k", "5")])
    '<div class="wide"><table><tbody><tr><th scope="row">k</th><td>5</td></tr></tbody></table></div>'
    """

    def cell(tag: str, place: int, words: str) -> str:
        look = ' class="number"' if place in numbers else ""
        return f"<{tag}{look}>{text(words)}</{tag.partition(' ')[0]}>"

    head = "".join(cell('th scope="col"', place, words) for place, words in enumerate(header))
    body = "".join(
        "<tr>"
        + "".join(
            cell("td" if header or place else 'th scope="row"', place, words)
            for place, words in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if header else ""
    return f'<div class="wide"><table>{top}<tbody>{body}</tbody></table></div>'


def framed(*parts: str) -> str:
    """Return parts as one piece for a notebook, with the theme; it holds no scripts."""
    return f'<div class="shoal shoal-piece"><style>{theme()}{_LOOK}</style>{"".join(parts)}</div>'


def page(title: str, *parts: str) -> str:
    """Return parts as a page of its own."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title>"
        "<style>html { background: #ffffff } body { margin: 0 }"
        " @media (prefers-color-scheme: dark) { html { background: #12181f } }</style></head>\n"
        f"<body>{framed(*parts)}</body></html>\n"
    )
