"""The house: the way of a row from file to release, and which package may import which."""

from __future__ import annotations

import tomllib
from pathlib import Path

from drawing.hasse import BLUE, GREEN, GREY, INK, PINK, VIOLET, YELLOW, Canvas, Pen
from shoal.search.problem import SearchProblem

ROOT = Path(__file__).parents[2]

STEPS = (
    ("read", "read/  prepare/", "open the file, table or frame;", "take what the spec names", YELLOW),
    ("encode", "describe/  encode/", "values become codes,", "hierarchies become level maps", YELLOW),
    (
        "search",
        "engines/  search/  cpp/",
        "count the distinct tuples (F0);",
        "choose a recoding on them",
        BLUE,
    ),
    ("recode", "recode/  engines/", "labels replace values where the", "rows are; suppress; shuffle", GREEN),
    ("audit", "audit/  sql/", "check every claim on the", "released values, by SQL", PINK),
    ("write", "write/  report/", "manifest, checker, signature;", "all files appear at once", VIOLET),
)
"""The steps that events name, the packages that do them, and two lines of what happens."""

WORDS = {
    "cli": "one file per command",
    "bench": "algorithms compared",
    "anonymizer": "for scikit-learn",
    "trial": "what would come out",
    "flow": "anonymize()",
    "tradeoff": "compare()",
    "stream": "rows in batches",
    "session": "steps to hold on to",
    "notes": "what readers should know",
    "release": "what comes out",
    "report": "pages for people",
    "incremental": "extend()",
    "engines": "where the rows are",
    "data": "samples",
    "write": "publish",
    "risk": "who can be found",
    "utility": "what is left to use",
    "audit": "check from the file alone",
    "explore": "look at what was found",
    "search": "lattice and algorithms",
    "strategies": "who chooses a recoding",
    "partition": "buckets of sensitive values",
    "recode": "values to labels",
    "suggestions": "shoal init",
    "sql": "tables as SQL sees them",
    "prepare": "spec meets table",
    "spec": "what must hold",
    "measure": "information lost",
    "privacy": "models",
    "encode": "values to codes",
    "notebook": "results in notebooks",
    "describe": "roles and hierarchies",
    "draw": "SVG",
    "read": "files and frames",
    "files": "all or nothing",
    "testing": "suites for plug-ins",
}


def flow(_: SearchProblem) -> Canvas:
    """Draw the steps of a run."""
    said = "; ".join(f"{name}: {first} {second}" for name, _, first, second, _ in STEPS)
    canvas = Canvas(1140, 290, "The way of a row from file to release", said)
    canvas.heading("a run", "session.py holds these steps; flow.py runs them one after the other")
    width, gap, top = 168, 18, 64
    for number, (name, packages, first, second, pen) in enumerate(STEPS):
        left = 24 + number * (width + gap)
        canvas.rect((left, top), width, 132, rx=12, fill=pen.light, stroke=pen.dark, stroke_width=1.4)
        middle = left + width / 2
        canvas.text((middle, top + 24), name, 16, font_weight="bold")
        canvas.text((middle, top + 52), packages, 12, fill=INK, font_style="italic")
        canvas.text((middle, top + 82), first, 11)
        canvas.text((middle, top + 98), second, 11)
        if number:
            canvas.arrow((left - gap + 2, top + 66), (left - 3, top + 66))
    canvas.text(
        (24, 232),
        "Only F0, the distinct tuples of quasi-identifiers with their counts, comes to the search. "
        "Rows stay where they are: memory, DuckDB, PostgreSQL or Spark.",
        13,
        "start",
        fill=GREY,
    )
    canvas.text(
        (24, 254),
        "If the audit fails, nothing is written. A cancelled or interrupted run leaves nothing behind.",
        13,
        "start",
        fill=GREY,
    )
    return canvas


def imports(_: SearchProblem) -> Canvas:
    """Draw the layers that import-linter keeps, as pyproject.toml has them."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    layers = [[name.strip() for name in layer.replace("|", ":").split(":")] for layer in contract["layers"]]
    height, top = 34, 52
    said = ", above ".join(" beside ".join(layer) for layer in layers)
    canvas = Canvas(760, top + height * len(layers) + 40, "Who may import whom", f"{said}.")
    canvas.heading("who may import whom", "each package only what is below it; make check keeps it")
    for number, layer in enumerate(layers):
        y = top + number * height
        width = 712 / len(layer)
        for position, name in enumerate(layer):
            pen = _pen(name)
            left = 24 + position * width
            canvas.rect(
                (left, y), width - 4, height - 4, rx=7, fill=pen.light, stroke=pen.dark, stroke_width=1.1
            )
            words = WORDS.get(name, "")
            if words and len(layer) <= 2:
                canvas.text((left + 14, y + height / 2 - 2), name, 13, "start", font_weight="bold")
                canvas.text((left + width - 20, y + height / 2 - 2), words, 12, "end", fill=GREY)
            else:
                canvas.text((left + width / 2 - 2, y + height / 2 - 2), name, 12, fill=INK)
    canvas.text(
        (24, top + height * len(layers) + 18),
        "audit/ imports nothing that makes a release: no search, recode, engines, explore, encode.",
        13,
        "start",
        fill=GREY,
    )
    return canvas


def _pen(name: str) -> Pen:
    if name == "audit":
        return PINK
    for pen, names in (
        (VIOLET, "cli bench flow tradeoff session notes release report incremental testing"),
        (GREEN, "engines data write risk utility"),
        (BLUE, "explore search strategies recode"),
        (YELLOW, "suggestions sql prepare spec measure privacy encode notebook describe draw read files"),
    ):
        if name in names.split():
            return pen
    return Pen("#f1f4f7", "#8d98a3")
