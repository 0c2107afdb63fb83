"""Names of columns in a report, which may be broken where they are long."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from shoal.draw.svg import shortened


def columns(names: Sequence[str]) -> Markup:
    """Return names of columns as in a sentence."""
    named = [column(shortened(name, 48)) for name in names]
    return Markup(" and ").join([Markup(", ").join(named[:-1]), *named[-1:]] if len(named) > 1 else named)


def column(name: str) -> Markup:
    """Return the name of a column, in a direction of writing of its own, which narrow tables may break.

    Examples
    --------
    >>> column("birth_country"), column("<b>")
    (Markup('<bdi>birth_<wbr>country</bdi>'), Markup('<bdi>&lt;b&gt;</bdi>'))
    """
    return Markup("<bdi>{}</bdi>").format(Markup(re.sub(r"([_.-])(?=\w)", r"\1<wbr>", str(escape(name)))))
