"""A suggestion as a spec: what it holds, and as a YAML file with comments."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import yaml

from shoal.describe.roles import LINKABLE_ROWS, LINKABLE_SHARE, Role
from shoal.suggestions.suggestion import ColumnSuggestion, Suggestion
from shoal.suggestions.words import count, listed, percent, printable, written

_WIDTH = 110
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_MISREAD = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])


def mapping(suggestion: Suggestion) -> dict[str, Any]:
    """Return what the spec's YAML file holds."""
    given = {
        name.replace("_", "-"): list(value) if isinstance(value, tuple) else value
        for name, value in asdict(suggestion.input).items()
        if value is not None
    }
    return {
        **({} if suggestion.confirmed else {"proposed": True}),
        **({"input": given} if given else {}),
        "columns": {column.name: _settings(column) for column in suggestion.columns},
        **({"unit": suggestion.unit} if suggestion.unit else {}),
        "privacy": [{"k-anonymity": suggestion.k}],
        "suppression": suggestion.suppression,
    }


def text(suggestion: Suggestion) -> str:
    r"""Return the spec as a YAML file.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from shoal.suggestions.suggestion import suggest
    >>> people = pa.table({"age": list(range(20, 60)), "no": ["F", "M"] * 20, "income": [1, 2, 3, 4] * 10})
    >>> print(re.sub(" *#.*\n", "", text(suggest(people))), end="")
    <BLANKLINE>
    proposed: true
    <BLANKLINE>
    columns:
      age: {role: quasi-identifier, hierarchy: {intervals: [5, 10, 20]}}
    <BLANKLINE>
      "no": {role: quasi-identifier, hierarchy: suppress}
    <BLANKLINE>
      income: {role: sensitive}
    <BLANKLINE>
    <BLANKLINE>
    privacy:
      - k-anonymity: 2
    <BLANKLINE>
    suppression: 0.02
    <BLANKLINE>
    """
    _ = suggestion.spec  # nothing is written that would not run
    return "\n".join(_lines(suggestion)) + "\n"


def key(name: str) -> str:
    """Return a column's name as it stands in YAML: in quotes if a reader could take it for something else.

    Examples
    --------
    >>> print(key("age"), key("no"), key("zip code"), key("1"), key("a: b"))
    age "no" "zip code" "1" "a: b"
    """
    if _PLAIN.fullmatch(name) and name.lower() not in _MISREAD:
        return name
    return _one_line(name, default_style='"')


def in_one_line(written: object) -> str:
    """Return a part of a spec as YAML on one line.

    Examples
    --------
    >>> in_one_line({"order": {"values": ["1. low", "no"], "runs": [2]}})
    "{order: {values: [1. low, 'no'], runs: [2]}}"
    """
    return _one_line(written)


def _one_line(written: object, **style: Any) -> str:
    dumped: str = yaml.safe_dump(
        written, default_flow_style=True, sort_keys=False, width=float("inf"), allow_unicode=True, **style
    )
    return dumped.removesuffix("...\n").rstrip("\n")


def _settings(column: ColumnSuggestion) -> dict[str, Any]:
    settings: dict[str, Any] = {"role": column.role.value}
    if column.role is Role.QUASI_IDENTIFIER:
        settings["hierarchy"] = column.hierarchy
        if column.missing_values:
            settings["missing-values"] = column.missing_values
    if column.type is not None:
        settings["type"] = column.type
    return settings


def _lines(suggestion: Suggestion) -> Iterator[str]:
    name, rows = printable(suggestion.table), count(suggestion.rows, "row")
    yield from _comment(f"What the columns of {name} ({rows}) probably are.")
    yield from _comment(
        "It is a beginning: nobody but you knows what others know about the people in the table. Read the "
        "reason of each role, and change what is wrong."
    )
    if suggestion.unsure:
        yield from _comment(f"Unsure, look at these first: {listed(suggestion.unsure)}.")
    held = mapping(suggestion)
    if "proposed" in held:
        yield ""
        yield from _comment(
            "Remove this line once you have checked every role: until then summaries and reports say that "
            "nobody has confirmed them."
        )
        yield "proposed: true"
    if "input" in held:
        yield ""
        yield f"input: {in_one_line(held['input'])}"
    if suggestion.null_like:
        yield ""
        yield from _null_lines(suggestion, held.get("input", {}))
    yield ""
    yield "columns:"
    for place, column in enumerate(suggestion.columns):
        if place:
            yield ""
        yield from _column_lines(column, held["columns"][column.name])
    yield ""
    yield from _unit_lines(suggestion)
    yield ""
    yield from _privacy_lines(suggestion)
    yield ""
    yield from _comment("Share of the rows that may be left out, so that the others keep more.")
    yield f"suppression: {suggestion.suppression}"
    yield ""
    yield from _comment(
        "Next: a `hierarchy:` of your own where you know better (`shoal hierarchy --help`), `weight: 3` "
        "beside the columns that matter most to those who will use the data, `max-level:` where anything "
        "coarser is useless."
    )


def _unit_lines(suggestion: Suggestion) -> Iterator[str]:
    if suggestion.unit is None:
        yield from _comment(
            "Each row is taken for one person. If somebody may have several rows, name the column that says "
            "who a row is about; otherwise a class of rows may be one person:"
        )
        yield "# unit: COLUMN"
        return
    yield from _comment("Somebody may have several rows: people are counted by this column, not rows.")
    if nulls := suggestion[suggestion.unit].profile.nulls:
        yield from _comment(
            f"It is NULL in {count(nulls, 'row')}: `shoal anonymize` refuses that. Say whom they are about, "
            "or remove them."
        )
    yield f"unit: {key(suggestion.unit)}"


def _null_lines(suggestion: Suggestion, given: dict[str, Any]) -> Iterator[str]:
    found = "; ".join(f"{written(one.text)} in {listed(list(one.columns))}" for one in suggestion.null_like)
    if not suggestion.null_values:
        yield from _comment(f"These may stand for NULL: {found}. If they do, make them NULL in the table.")
        return
    instead = " in place of the line above" if given else ""
    yield from _comment(
        f"These may stand for NULL: {found}. If they do, take the mark away from the next line{instead}. "
        "Take out of it what is a value."
    )
    yield f"# input: {in_one_line({**given, 'null-values': list(suggestion.null_values)})}"


def _column_lines(column: ColumnSuggestion, settings: dict[str, Any]) -> Iterator[str]:
    unsure = "" if column.sure else "Unsure. "
    yield from _comment(f"{unsure}{_sentence(column.reason)} {_facts(column)}", indent=2)
    if column.remark:
        yield from _comment(column.remark, indent=2)
    if column.role in (Role.SENSITIVE, Role.INSENSITIVE) and _linkable(column):
        yield from _comment(
            f"More than {LINKABLE_SHARE:.0%} of the rows are unique by it, and it is released as it is: "
            "`shoal anonymize` refuses that. Make it a quasi-identifier, round it in the table, or, if "
            "nobody outside can know its values, put `accept: linkable` beside its role.",
            indent=2,
        )
    if column.type is not None:
        yield from _comment("Its commas are taken for decimal marks; the release has points.", indent=2)
    if column.missing_values:
        yield from _comment(
            "Values that its hierarchy has no place for stay what they are until the top. If they stand for "
            "NULL, say so: `input: {null-values: [...]}`.",
            indent=2,
        )
    yield f"  {key(column.name)}: {in_one_line(settings)}"


def _linkable(column: ColumnSuggestion) -> bool:
    profile = column.profile
    return profile.once >= LINKABLE_ROWS and profile.unique_rows > LINKABLE_SHARE


def _facts(column: ColumnSuggestion) -> str:
    profile = column.profile
    about = "about " if not profile.exact else ""
    parts = [f"{about}{count(profile.distinct, 'value')}"]
    if profile.once:
        parts.append(f"{percent(profile.unique_rows)} of the rows are unique by it")
    if profile.nulls:
        parts.append(f"{percent(profile.nulls / profile.rows)} NULL")
    return f"{_sentence(', '.join(parts))}"


def _privacy_lines(suggestion: Suggestion) -> Iterator[str]:
    yield "privacy:"
    yield from _comment(
        "Everybody is in a crowd of at least so many that look alike in all quasi-identifiers.", indent=2
    )
    yield f"  - k-anonymity: {suggestion.k}"
    sensitive = [column for column in suggestion.in_role(Role.SENSITIVE) if column.profile.categories > 1]
    if not sensitive:
        return
    yield from _comment(
        "Where all in a crowd have the same value of a sensitive column, the crowd tells it. Take the mark "
        "away from a line to ask for different ones (`shoal models l-diversity`):",
        indent=2,
    )
    for column in sensitive:
        different = 3 if column.profile.categories >= 10 else 2
        yield f"  # - l-diversity: {in_one_line({'column': column.name, 'l': different})}"


def _comment(sentence: str, indent: int = 0) -> Iterator[str]:
    mark = " " * indent + "# "
    yield from textwrap.wrap(
        sentence,
        _WIDTH,
        initial_indent=mark,
        subsequent_indent=mark,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
