"""Every phrase that the reports can print: the text of their templates and of the code that words them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment

import shoal.report

_FOLDER = Path(shoal.report.__file__).parent
_LEAST_WORDS = 4
GAP = "…"
"""Where a figure or a name goes."""


def phrases() -> set[str]:
    """Return the phrases of at least four words, without markup."""
    return {phrase for text in (*_of_templates(), *_of_code()) if (phrase := _plain(text))}


def pattern(phrase: str) -> re.Pattern[str]:
    """Return what finds a phrase in the text of a page, whatever is in its gaps."""
    # Gaps beside each other are one: trying all ways to share a text between them takes minutes.
    parts = [re.escape(part.strip()) for part in phrase.split(GAP) if part.strip()]
    return re.compile(r".{0,120}?".join(parts))


def _plain(text: str) -> str:
    words = re.sub(r"\{[^}]*\}", f" {GAP} ", re.sub(r"<[^>]*>", " ", text)).strip(' "#~').split()
    return " ".join(words) if sum(word[:1].isalpha() for word in words) >= _LEAST_WORDS else ""


def _of_templates() -> Iterator[str]:
    environment = Environment(trim_blocks=True, lstrip_blocks=True)
    for path in sorted(_FOLDER.joinpath("templates").glob("*.jinja")):
        source = re.sub(r"\{\{.*?\}\}", "{}", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for _, kind, text in environment.lex(source):
            if kind == "data":
                yield from re.split(
                    r"</?(?:p|li|ol|ul|h1|h2|h3|div|section|title|figcaption|th|td)\b[^>]*>", text
                )
            elif kind == "string":
                yield text


def _of_code() -> Iterator[str]:
    for path in sorted(_FOLDER.rglob("*.py")):
        if path.name == "glossary.py":  # definitions, which no table makes false
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        attributes = {
            id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
        }  # texts that document an attribute
        inner: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                inner |= {id(part) for part in node.values}
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
                )
            elif (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in documented | attributes | inner
            ):
                yield node.value
