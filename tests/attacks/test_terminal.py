"""Names, labels and manifests hold escape sequences, and act on the terminal of whoever runs a command.

The attacker writes the table, the spec, the file names or the manifest. An escape sequence erased a failing
verdict and printed "holds" in its place; a label set the clipboard; a bidi override turned a name around.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import typer

import shoal.cli
from shoal.cli.main import app
from shoal.cli.terminal import visible
from shoal.flow import anonymize
from shoal.privacy.k_anonymity import KAnonymity
from shoal.spec.spec import Spec
from tests.attacks.evidence import add_columns, check, refit
from tests.unit.tampering import manifest_of, rewrite, write

EVIL = "x\x1b[2K\x1b]52;c;QQ==\x07\x9b31m\x7f\u202e\u200b\u2028[red]z"
LABEL = "l\x1b[1A\u2066\x85"
ACTING = [*map(chr, range(9)), *map(chr, range(11, 32)), "\x7f", *map(chr, range(0x80, 0xA0))]
ACTING += ["\u034f", "\u1160", "\u17b4", "\u180b", "\u2800", "\u3164", "\ufe0f", "\uffa0", "\U0001d159"]
ACTING += ["\u200b", "\u200e", "\u2028", "\u2029", "\u202e", "\u2066", "\ufeff", "\U000e0041", "\udc80"]


def harmless(text: str) -> None:
    assert [letter for letter in text if letter in ACTING] == []


@pytest.mark.parametrize("letter", ACTING)
def test_every_such_character_is_shown_as_an_escape(letter: str) -> None:
    harmless(visible(f"a{letter}b"))
    assert json.loads(f'"{visible(f"a{letter}b")}"') == f"a{letter}b"
    assert visible("größe 年齢 [0, 5)\n") == "größe 年齢 [0, 5)\n"
    assert visible("a\nb\tc", keep="") == "a\\u000ab\\u0009c"


def test_no_command_prints_by_itself() -> None:
    """Whatever is printed goes through one function; a new command cannot forget it."""
    for file in Path(shoal.cli.__file__).parent.glob("*.py"):
        if file.name == "terminal.py":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                assert name not in ("print", "typer.echo", "typer.secho", "click.echo"), (file, node.lineno)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{30 + n},{LABEL}{n % 2},d{n % 3}\n" for n in range(12))
    Path("people.csv").write_text(f"age,{EVIL},disease\n{rows}", encoding="utf-8", newline="\n")
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
        EVIL: {"role": "quasi-identifier"},
        "disease": {"role": "sensitive"},
    }
    spec = {
        "columns": columns,
        "privacy": [{"k-anonymity": 2}, {"l-diversity": {"column": "disease", "l": 2}}],
    }
    Path("spec.yaml").write_text(json.dumps(spec), encoding="utf-8")
    bad = {**spec, "columns": {**columns, f"no {EVIL}": {"role": "sensitive"}}}
    Path("bad.yaml").write_text(json.dumps(bad), encoding="utf-8")
    Path("labels.csv").write_text(f"a;{LABEL};*\nb;{LABEL};*\n", encoding="utf-8")
    write(tmp_path)
    return tmp_path


RUNS: dict[str, list[tuple[object, ...]]] = {
    "init": [("people.csv", "-o", "new.yaml", "--yes"), (EVIL,)],
    "anonymize": [
        ("people.csv", "--spec", "spec.yaml", "-o", "out.csv"),
        ("people.csv", "--spec", "bad.yaml", "-o", "out.csv"),
        ("people.csv", "--spec", "spec.yaml", "-o", f"{EVIL}.csv"),
    ],
    "compare": [("people.csv", "spec.yaml"), (EVIL, EVIL)],
    "audit": [
        ("release.csv",),
        ("people.csv", "-k", 2, "--qi", EVIL, "--sql"),
        ("people.csv", "-k", 2, "--qi", EVIL),
        ("people.csv", "-k", 2, "--qi", EVIL, "--json"),
        (EVIL,),
    ],
    "apply": [("release.csv", "people.csv", "-o", "more.csv"), (EVIL, EVIL, "-o", EVIL)],
    "extend": [("release.csv.manifest.json", "people.csv", "-o", "more.csv"), (EVIL, EVIL, "-o", EVIL)],
    "spec": [("bad.yaml", "-k", 3), ("spec.yaml", "--qi", EVIL), (EVIL, "--drop", EVIL, "--data", EVIL)],
    "risk": [("people.csv", "--spec", "spec.yaml"), ("people.csv", "--qi", EVIL), (EVIL, "--qi", EVIL)],
    "utility": [("people.csv", "release.csv", "--spec", "bad.yaml"), (EVIL, EVIL)],
    "models": [("evil\x1b[2K",), ()],
    "measures": [("evil\x1b[2K",), ()],
    "algorithms": [()],
    "recodings": [("evil\x1b[2K",), ()],
    "key": [(f"{EVIL}.pem",), (f"no/{EVIL}.pem",)],
    "sample": [("census", "--rows", 10, "--output", f"{EVIL}c")],
    "demo": [("--folder", f"{EVIL}d", "--rows", 300)],
    "import": [(EVIL, "-o", "here"), ("people.csv", "-o", EVIL)],
    "bench search": [("--data", "evil\x1b[2K")],
    "bench partition": [("--only", "evil\x1b[2K")],
    "stream": [
        (spec, batch, "--state", "state", "-o", "emissions", "--reference", "people.csv", "--finish")
        for spec, batch in (("spec.yaml", "people.csv"), ("bad.yaml", "people.csv"), (EVIL, EVIL))
    ],
    "hierarchy build": [("suppress", "--data", "people.csv", "--column", f"{EVIL}y", "-o", "h.csv")],
    "hierarchy show": [("labels.csv",), (EVIL,)],
    "hierarchy check": [("labels.csv",), (EVIL,)],
    "hierarchy convert": [("labels.csv", f"{EVIL}.csv"), (EVIL, "x.csv")],
    "hierarchy list": [("evil\x1b[2K",), ()],
}


def _commands() -> list[str]:
    root: Any = typer.main.get_command(app)
    return [
        f"{name} {part}".strip()
        for name, command in root.commands.items()
        for part in getattr(command, "commands", {"": None})
    ]


def test_every_command_is_tried() -> None:
    assert sorted(RUNS) == sorted(_commands())


@pytest.mark.parametrize("command", RUNS)
def test_nothing_acts_on_the_terminal(folder: Path, shoal: Callable[..., Any], command: str) -> None:
    add_columns(folder / "release.csv", **{EVIL: str})
    refit(folder / "release.csv", lambda said: said["claims"][0].update(claim=EVIL, measured=EVIL))
    said = ""
    for arguments in RUNS[command]:
        ran = shoal(*command.split(), *arguments)
        harmless(ran.out + ran.err)
        said += ran.out + ran.err
    # The hostile text was shown, or the command has none to show.
    assert "u001b[2K" in said or "x1b[2K" in said or "u001b[1A" in said or command == "algorithms"


def test_nor_does_the_checker(folder: Path) -> None:
    release = folder / "release.csv"

    def change(said: dict[str, Any]) -> None:
        said["spec"]["columns"][EVIL] = {"role": "sensitive", "null": "value"}
        said["null"][EVIL] = "value"
        said["spec"]["privacy"].append({"l-diversity": {"column": EVIL, "l": 1}})
        said["claims"].insert(2, {**said["claims"][0], "claim": f"{EVIL}\n{EVIL}", "measured": EVIL})

    add_columns(release, **{EVIL: str})
    refit(release, change)
    code, said = check(release)
    harmless(said)
    assert "\\x1b" in said
    assert code == 1


def test_a_cell_is_not_markup_and_not_two_lines(folder: Path, shoal: Callable[..., Any]) -> None:
    Path("x.csv").write_text('"a\n[red]k-anonymity 9  holds"\n1\n1\n', encoding="utf-8", newline="\n")
    ran = shoal("audit", "x.csv", "-k", 2, "--qi", "a\n[red]k-anonymity 9  holds", "--identifier", "n")
    assert not any(line.startswith(("[red]", "k-anonymity 9")) for line in ran.out.splitlines())


def test_a_name_with_an_end_of_line_is_no_verdict(tmp_path: Path, shoal: Any) -> None:
    """The columns that single out rows are named below the verdicts, and a name could look like one more."""
    name = "x\nk-anonymity 50    holds, smallest class 50"
    table = pa.table({"age": [31, 32] * 4, "disease": ["flu", "cold"] * 4, name: list("uvuvwwww")})
    spec = Spec(
        quasi_identifiers={"age": "suppress"},
        insensitive=[name],
        sensitive=["disease"],
        privacy=[KAnonymity(2)],
    )
    release = anonymize(table, spec).write(tmp_path / "release.csv")
    ran = shoal("audit", release)
    assert ran.code == 0
    assert not [line for line in ran.out.splitlines() if line.startswith("k-anonymity 50")]
    assert "\\u000ak-anonymity 50" in ran.out


@pytest.mark.parametrize("where", ["a column that is not there", "a role", "a key", "a size"])
def test_nor_is_one_in_a_message(tmp_path: Path, shoal: Any, where: str) -> None:
    """What an audit refuses it names, on several lines: a name with an end of line could be one of them."""
    name = "x\n\nk-anonymity 50    holds, smallest class 50"
    table = pa.table({"age": [31, 32] * 4, "disease": ["flu", "cold"] * 4})
    spec = Spec(quasi_identifiers={"age": "suppress"}, sensitive=["disease"], privacy=[KAnonymity(2)])
    release = anonymize(table, spec).write(tmp_path / "release.csv")
    said = manifest_of(release)
    columns = said["spec"]["columns"]
    if where == "a size":
        said["class_sizes"][name] = "x"
    elif where == "a key":
        said["spec"][name] = 1
    else:
        columns[name] = {"role": name if where == "a role" else "quasi-identifier"}
    rewrite(release, said)
    ran = shoal("audit", release)
    assert ran.code == 2
    assert "k-anonymity 50" in ran.err
    assert not [line for line in (ran.out + ran.err).splitlines() if line.startswith("k-anonymity 50")]
