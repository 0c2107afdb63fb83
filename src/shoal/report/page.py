"""What both reports share: the templates, and what is done to a page before it is written."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from shoal.draw.svg import theme, writable
from shoal.report.glossary import GLOSSARY, anchor, link
from shoal.report.markup import column

# They reverse the text after them: a name could make a sentence read otherwise than it is.
_UNSEEN = re.compile("[\\u202a-\\u202e\\u2066\\u2067]")


def render(template: str, **sections: object) -> str:
    """Return a page, with a glossary of the words that it links to."""
    environment = _environment()
    body = environment.get_template(template).render(**sections)
    linked = {word: meaning for word, meaning in GLOSSARY.items() if f'href="#{anchor(word)}"' in body}
    glossary = environment.get_template("glossary.html.jinja").render(glossary=linked)
    return _UNSEEN.sub("\ufffd", writable(body.replace(_GLOSSARY_HERE, glossary)))


_GLOSSARY_HERE = "<!-- glossary -->"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("shoal.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style = files("shoal.report").joinpath("templates", "report.css").read_text(encoding="utf-8")
    environment.globals.update(
        column=column,
        term=link,
        anchor=anchor,
        theme=Markup(theme()),
        style=Markup(style),
        glossary_here=Markup(_GLOSSARY_HERE),
    )
    return environment
