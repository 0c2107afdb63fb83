"""`shoal algorithms`: the ways to search, with one line each."""

from __future__ import annotations

import json

from shoal.cli.console import print_table
from shoal.cli.options import AsJson
from shoal.cli.terminal import echo


def algorithms(as_json: AsJson = False) -> None:
    """List the search algorithms for `shoal anonymize --algorithm NAME`.

    The exact ones prove their optimum and all find the same release; they differ in the work that it takes.
    """
    from shoal import registry

    known = [registry.resolve("algorithms", name) for name in registry.names("algorithms")]
    if as_json:
        listed = [
            {
                "name": kind.name,
                "exact": kind.exact,
                "all_nodes": kind.complete,
                "measures": list(kind.measures or registry.names("measures")),
                "summary": kind.summary,
            }
            for kind in known
        ]
        echo(json.dumps(listed, indent=2))
        return
    print_table(
        [
            (
                kind.name,
                "exact" if kind.exact else "heuristic",
                "yes" if kind.complete else "no",
                ", ".join(kind.measures) or "any",
                kind.summary,
            )
            for kind in known
        ],
        header=("Algorithm", "Answer", "All nodes", "Measure", "How"),
    )
