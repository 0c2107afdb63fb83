"""A suggestion as a spec: as a mapping, and as a YAML file with comments."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from shoal.describe.roles import LINKABLE_ROWS, LINKABLE_SHARE, Role
from shoal.spec.yaml_edit import in_one_line
from shoal.suggestions.suggestion import ColumnSuggestion, Suggestion
from shoal.suggestions.words import count, listed, percent, printable, written

_WIDTH = 110
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_MISREAD = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])


def mapping(suggestion: Suggestion) -> dict[str, Any]:
    """Return the content of the spec's YAML file."""
    given = {
        name.replace("_", "-"): list(value) if isinstance(value, tuple) else value
        for name, value in asdict(suggestion.input).items()
        if value is not None
    }
    return {
        **({} if suggestion.confirmed else {"proposed": True}),
        **({"input": given} if given else {}),
        "columns": {column.name: settings(column) for column in suggestion.columns},
        **({"unit": suggestion.unit} if suggestion.unit else {}),
        **({"unit": {"undecided": list(suggestion.undecided)}} if suggestion.undecided else {}),
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
    _ = suggestion.with_unit(None).spec  # nothing is written that would not run once the question is answered
    return "\n".join(_lines(suggestion)) + "\n"


def key(name: str) -> str:
    """Return a column's name as a YAML key, quoted if YAML could read it as something else.

    Examples
    --------
    >>> print(key("age"), key("no"), key("zip code"), key("1"), key("a: b"))
    age "no" "zip code" "1" "a: b"
    """
    if _PLAIN.fullmatch(name) and name.lower() not in _MISREAD:
        return name
    return in_one_line(name, default_style='"')


def settings(column: ColumnSuggestion) -> dict[str, Any]:
    """Return what the spec says of a column."""
    written: dict[str, Any] = {"role": column.role.value}
    if column.role is Role.QUASI_IDENTIFIER:
        written["hierarchy"] = column.hierarchy
        if column.min_level:
            written["min-level"] = column.min_level
        if column.missing_values:
            written["missing-values"] = column.missing_values
    if column.type is not None and column.role is not Role.PSEUDONYM:
        written["type"] = column.type
    return written


def _lines(suggestion: Suggestion) -> Iterator[str]:
    name, rows = printable(suggestion.table), count(suggestion.rows, "row")
    yield from _comment(f"Proposed roles for the columns of {name} ({rows}).")
    yield from _comment(
        "This is a starting point: only you know what others may know about the people in the table. Read "
        "the reason for each role, and change what is wrong."
    )
    if suggestion.unsure:
        yield from _comment(f"Unsure; check these first: {listed(suggestion.unsure)}.")
    held = mapping(suggestion)
    if "proposed" in held:
        yield ""
        yield from _comment(
            "Remove this line once you have checked every role. Until then, summaries and reports state that "
            "nobody has confirmed the roles."
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
    for number, column in enumerate(suggestion.columns):
        if number:
            yield ""
        yield from _column_lines(column, held["columns"][column.name])
    yield ""
    yield from _unit_lines(suggestion)
    yield ""
    yield from _privacy_lines(suggestion)
    yield ""
    yield from _comment("Share of the rows that may be suppressed so that the others keep more detail.")
    yield f"suppression: {suggestion.suppression}"
    yield ""
    yield from _comment(
        "Next: add a `hierarchy:` of your own where you know a better one (`shoal hierarchy --help`), "
        "`weight: 3` for the columns that matter most to the users of the data, and `max-level:` where "
        "coarser labels are useless."
    )


def _unit_lines(suggestion: Suggestion) -> Iterator[str]:
    if suggestion.undecided:
        yield from _comment(
            f"{_sentence(suggestion.question)} The spec does not run before you answer: write "
            "`unit: COLUMN` with the column that identifies the person, or remove the line if no person has "
            "several rows."
        )
        yield f"unit: {in_one_line({'undecided': list(suggestion.undecided)})}"
        return
    if suggestion.unit is None:
        yield from _comment(
            "Without `unit` each row counts as one person. If a person may have several rows, name the "
            "column that identifies the person; otherwise all rows of a class may be about one person:"
        )
        yield "# unit: COLUMN"
        return
    yield from _comment(
        "Rows with the same value of `unit` count as one person. If that column is not the person's, name "
        "the one that is, or remove the line if each row is a person."
    )
    profile = suggestion[suggestion.unit].profile
    if profile.distinct < suggestion.k:
        yield from _comment(
            f"It has only {count(profile.distinct, 'value')}, so `shoal anonymize` finds no release with "
            f"k = {suggestion.k}: nobody can hide among so few people."
        )
    if nulls := profile.nulls:
        yield from _comment(
            f"It is NULL in {count(nulls, 'row')}, which `shoal anonymize` refuses. Fill it in, or remove "
            "these rows."
        )
    yield f"unit: {key(suggestion.unit)}"


def _null_lines(suggestion: Suggestion, given: dict[str, Any]) -> Iterator[str]:
    found = "; ".join(f"{written(one.text)} in {listed(list(one.columns))}" for one in suggestion.null_like)
    if not suggestion.null_values:
        yield from _comment(f"Possible missing values: {found}. If so, make them NULL in the table.")
        return
    instead = ", which replaces the line above" if given else ""
    yield from _comment(
        f"Possible missing values: {found}. If so, uncomment the next line{instead}. Remove real values "
        "from its list."
    )
    yield f"# input: {in_one_line({**given, 'null-values': list(suggestion.null_values)})}"


def _column_lines(column: ColumnSuggestion, settings: dict[str, Any]) -> Iterator[str]:
    unsure = "" if column.sure else "Unsure. "
    yield from _comment(f"{unsure}{_sentence(column.reason)} {_facts(column)}", indent=2)
    if column.overruled is not None:
        yield from _comment(overruled(column), indent=2)
    if column.remark:
        yield from _comment(column.remark, indent=2)
    if column.role in (Role.SENSITIVE, Role.INSENSITIVE) and _linkable(column):
        yield from _comment(
            f"More than {LINKABLE_SHARE:.0%} of the rows have a unique value here, and the column would be "
            "released unchanged: `shoal anonymize` refuses that. Make it a quasi-identifier, round it in the "
            "table, or, if nobody outside can know its values, add `accept: linkable` beside its role.",
            indent=2,
        )
    if column.type is not None:
        yield from _comment("Commas are read as decimal marks; the release uses points.", indent=2)
    if column.min_level:
        yield from _comment(
            "Exact values are not released, since they may be people's numbers or birthdays: if they are "
            "not, remove `min-level`.",
            indent=2,
        )
    if column.missing_values:
        yield from _comment(
            "Values that its hierarchy does not cover stay unchanged below the top level. If they are "
            "missing values, list them: `input: {null-values: [...]}`.",
            indent=2,
        )
    yield f"  {key(column.name)}: {in_one_line(settings)}"


def overruled(column: ColumnSuggestion) -> str:
    """Return what a person decided against the proposal, in a sentence."""
    assert column.overruled is not None
    words = {Role.QUASI_IDENTIFIER: "generalized", Role.PSEUDONYM: "released as tokens"}
    released = words.get(column.role, "released unchanged")
    return f"It is {released}, though {column.overruled.role.value} was proposed: {column.overruled.reason}."


def _linkable(column: ColumnSuggestion) -> bool:
    profile = column.profile
    return profile.once >= LINKABLE_ROWS and profile.unique_rows > LINKABLE_SHARE


def _facts(column: ColumnSuggestion) -> str:
    profile = column.profile
    about = "about " if not profile.exact else ""
    parts = [f"{about}{count(profile.distinct, 'value')}"]
    if profile.once:
        parts.append(f"{percent(profile.unique_rows)} of the rows have a unique value")
    if profile.nulls:
        parts.append(f"{percent(profile.nulls / profile.rows)} NULL")
    return f"{_sentence(', '.join(parts))}"


def _privacy_lines(suggestion: Suggestion) -> Iterator[str]:
    yield "privacy:"
    yield from _comment(
        "Each class, the rows equal on all quasi-identifiers, has at least this many people.", indent=2
    )
    yield f"  - k-anonymity: {suggestion.k}"
    sensitive = [column for column in suggestion.in_role(Role.SENSITIVE) if column.profile.categories > 1]
    if not sensitive:
        return
    yield from _comment(
        "A class whose rows all share a sensitive value reveals it. Uncomment a line to require different "
        "values (`shoal models l-diversity`):",
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
