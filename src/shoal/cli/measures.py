"""`shoal measures`: what a search can optimize."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from shoal.cli.console import print_table, reporting
from shoal.cli.options import AsJson
from shoal.cli.terminal import echo


def measures(
    name: Annotated[str | None, typer.Argument(help="Explain this measure.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List the quality measures for `quality:` in a spec and `--quality`; or explain one.

    Smaller is better. One that is monotone never falls when values are generalized further, whatever is
    suppressed; the others are searched for as exactly, with a little more work.
    """
    from shoal import registry

    with reporting():
        wanted = registry.names("measures") if name is None else (name,)
        known = [registry.resolve("measures", each) for each in wanted]
    if as_json:
        listed = [_as_mapping(kind) for kind in known]
        echo(json.dumps(listed if name is None else listed[0], indent=2))
    elif name is not None:
        _page(known[0])
    else:
        print_table(
            [
                (
                    kind.name,
                    kind.extent,
                    _yes(kind.monotone),
                    ", ".join(_aggregates(kind)) or "-",
                    ", ".join(kind.parameters) or "-",
                    kind.summary,
                )
                for kind in known
            ],
            header=("Measure", "Range", "Monotone", "Over columns", "Parameters", "What"),
        )
        echo("\nN is the number of rows. To add your own measure in Python, use shoal.CustomMeasure.")


def _page(kind: Any) -> None:
    from shoal.cli.plugins import in_one_line, show_page

    facts = [
        ("Range", kind.extent),
        ("Monotone", _yes(kind.monotone)),
        ("Column weights", "count" if kind.weighted else "do not count"),
    ]
    show_page(kind, facts, [(f"quality: {in_one_line(written)}",) for written in _forms(kind)])


def _as_mapping(kind: Any) -> dict[str, Any]:
    return {
        "name": kind.name,
        "range": kind.extent,
        "monotone": kind.monotone,
        "weighted": kind.weighted,
        "aggregates": list(_aggregates(kind)),
        "parameters": dict(kind.parameters),
        "spec": _forms(kind),
        "summary": kind.summary,
    }


def _forms(kind: Any) -> list[object]:
    return [kind.from_spec(argument).to_spec() for argument in kind.examples]


def _aggregates(kind: Any) -> tuple[str, ...]:
    from shoal.measure.cells import AGGREGATES

    return AGGREGATES if "aggregate" in kind.parameters else ()


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
