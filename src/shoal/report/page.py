"""What both reports share: the templates, and what is done to a page before it is written."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment
from markupsafe import Markup

from shoal.draw.html import readable, templates
from shoal.report.glossary import GLOSSARY, anchor, link
from shoal.report.markup import column


def render(template: str, **sections: object) -> str:
    """Return a page, with a glossary of the words that it links to."""
    environment = _environment()
    body = environment.get_template(template).render(**sections)
    linked = {word: meaning for word, meaning in GLOSSARY.items() if f'href="#{anchor(word)}"' in body}
    glossary = environment.get_template("glossary.html.jinja").render(glossary=linked)
    return readable(body.replace(_GLOSSARY_HERE, glossary))


_GLOSSARY_HERE = "<!-- glossary -->"


@cache
def _environment() -> Environment:
    environment = templates("shoal.report", "report.css")
    environment.globals.update(column=column, term=link, anchor=anchor, glossary_here=Markup(_GLOSSARY_HERE))
    return environment
