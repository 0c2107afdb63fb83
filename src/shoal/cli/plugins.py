"""What `shoal models`, `shoal measures` and `shoal hierarchy list` share: a page about one of them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import Any

import shoal
from shoal.cli.console import print_table
from shoal.cli.terminal import echo, secho

_SECTION = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)


def in_one_line(written: object) -> str:
    """Return a part of a spec as YAML on one line.

    Examples
    --------
    >>> in_one_line({"loss": {"aggregate": "max"}})
    '{loss: {aggregate: max}}'
    """
    import yaml

    text: str = yaml.safe_dump(written, default_flow_style=True, sort_keys=False, width=10_000)
    return text.removesuffix("...\n").rstrip()


def show_page(
    kind: Any, facts: Sequence[tuple[str, str]], forms: Sequence[tuple[str, ...]], call: Any = None
) -> None:
    """Print what a class says about itself.

    Parameters
    ----------
    kind
        Has `name` and `parameters`, and the rest in its docstring.
    facts
        What else is to be known, in words.
    forms
        Ways to ask for it in a spec, each with remarks.
    call
        What is called in Python, if not the class itself.
    """
    sections = dict(_sections(inspect.getdoc(kind) or ""))
    secho(kind.name, bold=True)
    echo(f"\n{sections['']}")
    if facts:
        echo()
        print_table(facts)
    if kind.parameters:
        _title("Parameters")
        print_table([(f"  {name}", words) for name, words in kind.parameters.items()])
    if forms:
        _title("In a spec")
        print_table([(f"  {form}", *remarks) for form, *remarks in forms])
    _title("In Python")
    echo(f"  {_call(call or kind)}")
    if "References" in sections:
        _title("References")
        echo("\n".join(f"  {line}" for line in sections["References"].splitlines()))


def _call(kind: Any) -> str:
    """Write how it is called, with the values that parameters have if they are not given."""
    parameters = inspect.signature(kind).parameters.values()
    given = []
    for parameter in parameters:
        name = f"*{parameter.name}" if parameter.kind is parameter.VAR_POSITIONAL else parameter.name
        given.append(name if parameter.default is parameter.empty else f"{name}={parameter.default!r}")
    home = "shoal" if kind.__name__ in shoal.__all__ else kind.__module__
    return f"{home}.{kind.__name__}({', '.join(given)})"


def _title(text: str) -> None:
    echo()
    secho(text, bold=True)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Split a docstring in numpydoc form: the text before the first heading has none."""
    parts = _SECTION.split(text)
    yield "", parts[0].strip()
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        yield heading, body.strip()
