"""`shoal recodings`: the ways in which values become labels, with one line each."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from shoal.cli.console import print_table, reporting
from shoal.cli.options import AsJson
from shoal.cli.terminal import echo


def recodings(
    name: Annotated[str | None, typer.Argument(help="Explain this recoding.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List the recodings for `recoding:` in a spec and `--recoding`; or explain one.

    The first choice is between reading and detail: full-domain labels are the same in the whole release;
    most others keep more, and labels of one column differ in width.
    """
    from shoal import registry

    with reporting():
        wanted = registry.names("strategies") if name is None else (name,)
        known = [registry.resolve("strategies", each) for each in wanted]
    if as_json:
        listed = [_as_mapping(kind) for kind in known]
        echo(json.dumps(listed if name is None else listed[0], indent=2))
    elif name is not None:
        _page(known[0])
    else:
        print_table(
            [(kind.name, ", ".join(kind.parameters) or "-", kind.summary) for kind in known],
            header=("Recoding", "Settings", "What"),
        )


def _page(kind: Any) -> None:
    from shoal.cli.plugins import in_one_line, show_page
    from shoal.strategies.resolve import engines_for

    facts = [
        ("One level per column", "yes" if kind.has_levels else "no"),
        ("Engines", ", ".join(engines_for(kind()))),
    ]
    show_page(kind, facts, [(f"recoding: {in_one_line(written)}",) for written in _forms(kind)])


def _as_mapping(kind: Any) -> dict[str, Any]:
    return {
        "name": kind.name,
        "has_levels": kind.has_levels,
        "parameters": dict(kind.parameters),
        "spec": _forms(kind),
        "summary": kind.summary,
    }


def _forms(kind: Any) -> list[object]:
    return [kind.from_spec(argument).to_spec() for argument in kind.examples]
