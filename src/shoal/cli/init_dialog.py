"""`shoal init --interactive`: questions about each column, with a way back."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from shoal.cli.terminal import echo, secho
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.suggestions.suggestion import Suggestion
    from shoal.suggestions.table import Table

_ABOUT = (
    "\nFor each column: identifier (id), quasi-identifier (q), sensitive (s), insensitive (in) or drop (d). "
    "Enter keeps the value in brackets. `back` returns to the question before; `rest` keeps the proposals "
    "of all columns that are left, `s rest` makes them sensitive. Ctrl-C stops without writing.\n"
)
_BACK, _REST = "back", "rest"


class _BackError(Exception):
    """The question before is wanted."""


@dataclass(frozen=True, slots=True)
class _State:
    """The questions answered so far: the number of the next, what came of them, and whether all were read."""

    number: int
    suggestion: Suggestion
    read: bool = True


def confirmed(suggestion: Suggestion, table: Table, *, prompt_k: bool, err: bool) -> Suggestion:
    """Ask about each column on the terminal; questions go to stderr if `err`."""
    echo(_ABOUT, err=err)
    dialog = _Dialog(suggestion, table, prompt_k=prompt_k, err=err)
    try:
        return dialog.run()
    except (EOFError, typer.Abort):
        raise KeyboardInterrupt from None


class _Dialog:
    def __init__(self, suggestion: Suggestion, table: Table, *, prompt_k: bool, err: bool) -> None:
        self._first = suggestion
        self._table = table
        self._err = err
        self._names = [column.name for column in suggestion.columns]
        self._asks_unit = bool(suggestion.undecided)
        self._count = self._asks_unit + len(self._names) + prompt_k

    def run(self) -> Suggestion:
        states = [_State(0, self._first)]
        while states[-1].number < self._count:
            try:
                states.append(self._ask(states[-1]))
            except _BackError:
                if len(states) > 1:
                    states.pop()
                else:
                    echo("  This is the first question.", err=self._err)
        last = states[-1]
        return replace(last.suggestion, confirmed=last.read)

    def _ask(self, state: _State) -> _State:
        """Ask one question, and return what comes of it."""
        number, suggestion = state.number, state.suggestion
        column = number - self._asks_unit
        if column < 0:
            echo(suggestion.question, err=self._err)
            return replace(state, number=1, suggestion=self._decided(suggestion))
        if column >= len(self._names):
            return replace(state, number=number + 1, suggestion=self._with_k(suggestion))
        return self._about_column(state, self._names[column:])

    def _about_column(self, state: _State, left: list[str]) -> _State:
        """Ask about the first of the columns that are left; an answer may be for all of them."""
        from shoal.describe.roles import Role
        from shoal.suggestions.shapes import shapes_of
        from shoal.suggestions.words import count, printable

        suggestion = state.suggestion
        column = suggestion[left[0]]
        echo(f"{printable(column.name)}, {count(column.profile.distinct, 'value')}", err=self._err)
        if words := shapes_of(self._table, column, suggestion.unit).words:
            echo(f"  {words}", err=self._err)
        echo(f"  {column.reason}", err=self._err)
        while True:
            changed, for_rest, chosen = self._role(suggestion, left)
            if for_rest:
                what = f"become {changed[left[0]].role.value}" if chosen else "keep their proposals"
                echo(f"  {count(len(left), 'column')}: {what}.", err=self._err)
                return _State(state.number + len(left), changed, state.read and chosen)
            try:
                if changed[column.name].role is Role.QUASI_IDENTIFIER:
                    changed = self._hierarchy(changed, column.name)
            except _BackError:
                continue
            return _State(state.number + 1, changed, state.read)

    def _role(self, suggestion: Suggestion, left: list[str]) -> tuple[Suggestion, bool, bool]:
        """Ask for a role; also return whether it is for all columns left, and whether one was given."""
        last = False, True

        def with_role(text: str) -> Suggestion:
            nonlocal last
            answer, for_rest = _for_rest(text)
            last = for_rest, bool(answer)
            return _with_roles(suggestion, left if for_rest else left[:1], answer) if answer else suggestion

        changed = self._again("  role", suggestion[left[0]].role.value, with_role)
        return changed, *last

    def _hierarchy(self, suggestion: Suggestion, name: str) -> Suggestion:
        from shoal.spec.spec import hierarchy_from_text
        from shoal.spec.yaml_edit import in_one_line

        default = in_one_line(suggestion[name].hierarchy)

        def with_hierarchy(text: str) -> Suggestion:
            if text == default:
                return suggestion  # with the lowest level that was proposed
            return suggestion.with_column(name, hierarchy=hierarchy_from_text(text).to_spec())

        return self._again("  hierarchy", default, with_hierarchy)

    def _decided(self, suggestion: Suggestion) -> Suggestion:
        """Ask who a row is about until the answer can be used."""
        from shoal.describe.roles import NO_UNIT, unit_of

        def with_unit(answer: str) -> Suggestion:
            return suggestion.with_unit(unit_of(answer, self._names))

        return self._again(f"  the person's column, or {NO_UNIT}", None, with_unit)

    def _with_k(self, suggestion: Suggestion) -> Suggestion:
        def with_k(answer: str) -> Suggestion:
            from shoal.privacy.k_anonymity import KAnonymity

            number = int(answer) if answer.isascii() and answer.isdigit() else answer
            return replace(suggestion, k=KAnonymity(number).k)  # type: ignore[arg-type]

        return self._again("k, people per class", str(suggestion.k), with_k)

    def _again(self, what: str, default: str | None, use: Callable[[str], Suggestion]) -> Suggestion:
        """Ask until the answer can be used."""
        while True:
            answer: str = typer.prompt(what, default=default, err=self._err)
            if answer.strip() == _BACK and _BACK not in self._names:
                raise _BackError
            try:
                return use(answer.strip())
            except InputError as error:
                secho(textwrap.indent(error.render(), "  "), fg="red", err=self._err)


def _for_rest(answer: str) -> tuple[str, bool]:
    """Split `s rest` into the role and whether it is for all columns that are left.

    Examples
    --------
    >>> _for_rest("s rest"), _for_rest("rest"), _for_rest("sensitive")
    (('s', True), ('', True), ('sensitive', False))
    """
    role, _, rest = answer.rpartition(" ")
    return (role.strip(), True) if rest == _REST else (answer, False)


def _with_roles(suggestion: Suggestion, names: list[str], answer: str) -> Suggestion:
    from shoal.describe.roles import Role

    meant = [role for role in Role if role.value.startswith(answer.lower())]
    for name in names:
        suggestion = suggestion.with_column(name, role=meant[0] if len(meant) == 1 else answer)
    return suggestion
