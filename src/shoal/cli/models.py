"""`shoal models`: what a release can be asked to satisfy."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from shoal.cli.console import print_table, reporting
from shoal.cli.options import AsJson
from shoal.cli.terminal import echo


def models(
    name: Annotated[str | None, typer.Argument(help="Explain this model.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List the privacy models for `privacy:` in a spec, which may require several; or explain one.

    Without suppression all are monotone: what satisfies them still does when values are generalized
    further, where rows are counted. With suppression, and where people are counted, that holds for those
    that say `always`; with suppression alone for `where rows are counted` too. The others are searched for
    as exactly, with more work.
    """
    from shoal import registry

    with reporting():
        wanted = registry.names("models") if name is None else (name,)
        known = [registry.resolve("models", each) for each in wanted]
    if as_json:
        listed = [_as_mapping(kind) for kind in known]
        echo(json.dumps(listed if name is None else listed[0], indent=2))
    elif name is not None:
        _page(known[0])
    else:
        print_table(
            [
                (kind.name, _needs(kind), _monotone(kind), ", ".join(kind.parameters), kind.summary)
                for kind in known
            ],
            header=("Model", "Needs", "Monotone", "Parameters", "What"),
        )


def _page(kind: Any) -> None:
    from shoal.cli.plugins import in_one_line, show_page

    forms = [
        (
            f"privacy: [{in_one_line(model.to_spec())[1:-1]}]",
            f"# monotone {_when(model)}" if _monotone(kind) == _DIFFERS else "",
        )
        for model in _examples(kind)
    ]
    facts = [
        ("Needs", _needs(kind)),
        ("Monotone", _monotone(kind)),
        ("Audit compares with", _listed(_compared(kind)) or "nothing: the release alone is enough"),
    ]
    show_page(kind, facts, forms)


def _as_mapping(kind: Any) -> dict[str, Any]:
    examples = _examples(kind)
    return {
        "name": kind.name,
        "sensitive_column": "column" in kind.parameters,
        "population": "population" in kind.parameters,
        "compared_with": _compared(kind),
        "parameters": dict(kind.parameters),
        "spec": [
            {
                "written": model.to_spec(),
                "monotone_with_suppression": model.absorbing,
                "monotone_with_people": model.absorbing_people,
            }
            for model in examples
        ],
        "summary": kind.summary,
    }


_DIFFERS = "it depends"


def _examples(kind: Any) -> list[Any]:
    return [kind.from_spec(argument) for argument in kind.examples]


def _needs(kind: Any) -> str:
    needs = {"column": "a sensitive column", "population": "a population"}
    return ", ".join(words for parameter, words in needs.items() if parameter in kind.parameters) or "-"


def _compared(kind: Any) -> list[str]:
    """Return which tables an audit of the model needs beside the release."""
    reads = [model.reads for model in _examples(kind)]
    return [table for table in ("original", "population") if any(getattr(each, table) for each in reads)]


def _listed(tables: list[str]) -> str:
    words = {"original": "the original table", "population": "the population"}
    return ", ".join(words[table] for table in tables)


def _monotone(kind: Any) -> str:
    found = {_when(model) for model in _examples(kind)}
    return found.pop() if len(found) == 1 else _DIFFERS


def _when(model: Any) -> str:
    if model.absorbing_people:
        return "always"
    return "where rows are counted" if model.absorbing else "without suppression"
