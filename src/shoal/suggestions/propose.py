"""From a table to a suggestion: profile, roles, separations, hierarchies."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import pyarrow as pa

from shoal import registry
from shoal.describe.hierarchy import FromData, Hierarchy, HierarchyError, known
from shoal.describe.roles import LINKABLE_ROWS, LINKABLE_SHARE, NO_UNIT, Role
from shoal.errors import InputError, nearest
from shoal.events import Listener, StepStarted
from shoal.privacy.k_anonymity import KAnonymity
from shoal.read.source import InputFormat
from shoal.read.types import column_type
from shoal.suggestions.hierarchies import RARE, SUPPRESS, HierarchyProposal, propose_hierarchy
from shoal.suggestions.kinds import Kind
from shoal.suggestions.null_like import null_like, to_list
from shoal.suggestions.patterns import DATES, ILLNESSES
from shoal.suggestions.profile import DECIMAL_COMMAS, UNCLEAR_COMMAS, ColumnProfile, profile_table
from shoal.suggestions.references import find_references
from shoal.suggestions.roles import Proposal, propose_role
from shoal.suggestions.separation import Separation, find_separations, find_twins
from shoal.suggestions.suggestion import ColumnSuggestion, Suggestion
from shoal.suggestions.table import Table, open_table
from shoal.suggestions.unit import Unit, find_unit, given_unit
from shoal.suggestions.words import percent, printable

MOST_QUASI_IDENTIFIERS: Final = 15
"""More quasi-identifiers leave little detail: almost all of their information would be generalized away."""

_K = 5
_SMALL_TABLE = 50
_CLEAR = 0.75
_MANY_TEXTS = 0.5
_TELLING = 0.05
_RELEASED_UNCHANGED = (
    "The column is released unchanged: anyone who knows a value that only one row has finds that row. If "
    "others may know it, make it a quasi-identifier."
)
_COMMAS = {
    DECIMAL_COMMAS: (
        "Most but not all values are numbers with a decimal comma, so the column is read as text. Correct "
        'the others or list them as `null-values`, and set `type: {decimal: ","}`.'
    ),
    UNCLEAR_COMMAS: (
        "Commas may be decimal marks or thousands separators, so the column is read as text. If they are "
        'decimal marks, set `type: {decimal: ","}`; if not, write the numbers without them.'
    ),
}
_TIMES = frozenset({"when somebody was born", "when something happened"})
_LAST_YEAR = 2100
"""Larger numbers, under a heading for times, count days or are written as 20240305."""
_TWIN_ROWS = 5_000
_MOST_CHECKED = 200_000
_NUMBERED = re.compile(r"\(?([0-9]{1,3})[.):\- ].*", re.DOTALL)


def propose(
    data: object, k: int | None, unit: str | None, input: InputFormat, listener: Listener | None
) -> Suggestion:
    """Propose roles and hierarchies for a table; see `suggest`."""
    if k is not None:
        KAnonymity(k)  # refuses an invalid k
    report = listener or (lambda event: None)
    report(StepStarted("reading"))
    with open_table(data, input) as table:
        if table.rows < 2:
            rows = "no rows" if table.rows == 0 else "one row"
            raise InputError(
                f"The table {table.name!r} has {rows}.\nAnonymization needs at least two.\n"
                "Give a table with more rows."
            )
        if k is not None and k > table.rows:
            raise InputError(
                f"The table {table.name!r} has {table.rows:,} rows, less than k = {k:,}.\nChoose a smaller k."
            )
        profile = profile_table(table, listener)
        proposals = {name: propose_role(column) for name, column in profile.columns.items()}
        report(StepStarted("comparing"))
        proposals = _with_twins(table, proposals, profile.columns)
        references = find_references(table, proposals, profile.columns)
        proposals = _with_references(proposals, references)
        people = _people(table, proposals, profile.columns, references, unit)
        proposals = _without_linkable(table, people.proposals, profile.columns, people.column)
        if not people.sure:
            proposals = _without_days(proposals, profile.columns)
        candidates = [name for name, one in proposals.items() if one.role is Role.QUASI_IDENTIFIER]
        proposals = _limited(proposals, profile.columns)
        wanted = k or (_K if table.rows >= _SMALL_TABLE else 2)
        kept = [name for name in candidates if proposals[name].role is Role.QUASI_IDENTIFIER]
        separations = find_separations(table, candidates, each=kept)
        report(StepStarted("hierarchies"))
        columns = tuple(
            _column(table, column, proposals[name], separations, people)
            for name, column in profile.columns.items()
        )
    like_null = null_like(profile.columns.values())
    is_file = isinstance(data, str | os.PathLike)
    return Suggestion(
        table=table.name,
        rows=table.rows,
        sampled_rows=profile.sampled_rows,
        columns=columns,
        separations=_best(separations),
        k=wanted,
        unit=people.column,
        undecided=people.undecided,
        why_undecided=people.why,
        input=input,
        null_like=like_null,
        # A spec does not list the NULL values of a data frame.
        null_values=to_list(like_null, input.null_values, delimited=table.dialect is not None)
        if is_file
        else (),
    )


def _people(
    table: Table,
    proposals: dict[str, Proposal],
    columns: Mapping[str, ColumnProfile],
    references: Mapping[str, str],
    given: str | None,
) -> Unit:
    """Return how people are counted, by what a person decided or else by what the table shows."""
    if given is None:
        return find_unit(table, proposals, columns, references)
    if given in columns:
        return given_unit(proposals, given)
    if given == NO_UNIT:
        return given_unit(proposals, None)
    raise InputError(
        f"Column {given!r}, by which to count people, is not in the table.\n"
        f"Columns: {', '.join(columns)}.{nearest(given, list(columns))}"
    )


def _with_twins(
    table: Table, proposals: dict[str, Proposal], columns: Mapping[str, ColumnProfile]
) -> dict[str, Proposal]:
    """Give a column that maps one to one to an identifier or a sensitive column the role of that column."""
    names = [
        name
        for name, column in columns.items()
        if column.kind is not Kind.OTHER and 2 < column.categories <= 0.9 * column.rows
    ]
    if not names:
        return proposals
    changed = dict(proposals)
    for pair in find_twins(table.codes(names, _TWIN_ROWS)):
        one, other = (names[index] for index in pair)
        for role in (Role.IDENTIFIER, Role.SENSITIVE):
            for known_one, unknown in ((one, other), (other, one)):
                settled, open_ = proposals[known_one], proposals[unknown]
                if settled.role is role and settled.sure and open_.role is not role and not open_.sure:
                    reason = f"maps one to one to {printable(known_one)}, so it reveals the same"
                    if role is Role.SENSITIVE and columns[known_one].kind in (Kind.INTEGER, Kind.DECIMAL):
                        # If each person has a salary of their own, this may be a person's number.
                        changed[unknown] = Proposal(Role.IDENTIFIER, f"{reason}; removed", sure=False)
                        continue
                    changed[unknown] = Proposal(role, reason, sure=True)
    return changed


def _with_references(proposals: dict[str, Proposal], references: Mapping[str, str]) -> dict[str, Proposal]:
    """Remove the columns whose values are people's numbers or names in another column."""
    changed = dict(proposals)
    for name, of in references.items():
        if proposals[name].role is not Role.IDENTIFIER:
            reason = f"most of its values are in {printable(of)} too: names or numbers people; removed"
            changed[name] = Proposal(Role.IDENTIFIER, reason, sure=False)
    return changed


def _without_linkable(
    table: Table, proposals: dict[str, Proposal], columns: Mapping[str, ColumnProfile], unit: str | None
) -> dict[str, Proposal]:
    """Keep unchanged only what is known to be harmless: measurements, and categories that many people share.

    Whatever else is sensitive is generalized, or removed if it can hardly be.
    """
    changed = dict(proposals)
    for name, proposal in proposals.items():
        column = columns[name]
        if proposal.role is not Role.SENSITIVE or column.categories < 2:
            continue
        what = "sensitive" if proposal.about is None else proposal.about.what
        share = _singled_out(table, column, unit)
        # Suppressed rows can leave others unique, so stay below the limit.
        linkable = share > _CLEAR * LINKABLE_SHARE and share * table.rows >= _CLEAR * LINKABLE_ROWS
        texts = column.kind is Kind.TEXT and not column.harmless and table.rows >= LINKABLE_ROWS
        looks = column.looks_like or ""
        of_form = proposal.about is not None and looks.startswith(ILLNESSES)
        if linkable:
            unique = "a unique value" if unit is None else "a value that only one person has"
            reason = f"{what}: nobody should learn it, but {percent(share)} of the rows have {unique}; "
        elif texts and not of_form and (fewest := _fewest_people(table, column, unit)) < _K:
            shared = "once" if fewest == 1 else f"for only {fewest:,} people"
            reason = (
                f"{what}: nobody should learn it, but some of its texts occur {shared} and may name them; "
            )
        else:
            continue
        if column.kind is Kind.TEXT and column.distinct >= _MANY_TEXTS * column.values:
            changed[name] = Proposal(Role.IDENTIFIER, f"{reason}removed", sure=False)
        else:
            role = Role.QUASI_IDENTIFIER
            changed[name] = Proposal(role, f"{reason}generalized", sure=False, about=proposal.about)
    return changed


def _without_days(
    proposals: dict[str, Proposal], columns: Mapping[str, ColumnProfile]
) -> dict[str, Proposal]:
    """Remove days that are not read as dates and so cannot become months: one may be one person's."""
    changed = dict(proposals)
    for name, proposal in proposals.items():
        column = columns[name]
        if proposal.role is Role.QUASI_IDENTIFIER and column.days and _is_time(column, proposal):
            reason = (
                "days in an unknown format (HIPAA C), and nothing shows surely who a row is about; removed"
            )
            changed[name] = Proposal(Role.IDENTIFIER, reason, sure=False)
    return changed


def _is_time(column: ColumnProfile, proposal: Proposal) -> bool:
    """Return whether heading or values of a quasi-identifier say when something happened."""
    if column.looks_like == DATES or proposal.about is None:
        return column.looks_like == DATES
    # What is sensitive by its heading and known to others is a date.
    return proposal.about.what in _TIMES or (proposal.sure and proposal.about.role is Role.SENSITIVE)


def _fewest_people(table: Table, column: ColumnProfile, unit: str | None) -> int:
    """Return the least number of people, or of rows, that share a value."""
    value = table.columns[column.name]
    people = "count(*)" if unit is None else f"count(DISTINCT {table.columns[unit]})"
    (fewest,) = table.fetch_row(
        f"SELECT min(n) FROM (SELECT {people} AS n FROM {{table}} WHERE {value} IS NOT NULL GROUP BY {value})"
    )
    return int(fewest)


def _singled_out(table: Table, column: ColumnProfile, unit: str | None) -> float:
    """Return the share of the rows whose value belongs to one row only, or to one person only."""
    if unit is None:
        return column.unique_rows
    value = table.columns[column.name]
    (rows,) = table.fetch_row(
        "SELECT coalesce(sum(n), 0)::BIGINT FROM (SELECT count(*) AS n FROM {table} "
        f"WHERE {value} IS NOT NULL GROUP BY {value} HAVING count(DISTINCT {table.columns[unit]}) = 1)"
    )
    return float(rows) / table.loaded


def _limited(proposals: dict[str, Proposal], columns: Mapping[str, ColumnProfile]) -> dict[str, Proposal]:
    """Remove surplus quasi-identifiers, the most varied first: the least varied cost least to keep."""
    wanted = [name for name, one in proposals.items() if one.role is Role.QUASI_IDENTIFIER]
    if len(wanted) <= MOST_QUASI_IDENTIFIERS:
        return proposals
    ranked = sorted(wanted, key=lambda name: (not proposals[name].sure, columns[name].entropy))
    reason = (
        f"removed: others may know {len(wanted):,} columns, and more than {MOST_QUASI_IDENTIFIERS} "
        "quasi-identifiers leave little detail"
    )
    removed = dict.fromkeys(ranked[MOST_QUASI_IDENTIFIERS:], Proposal(Role.IDENTIFIER, reason, sure=False))
    return {**proposals, **removed}


def _column(
    table: Table,
    column: ColumnProfile,
    proposal: Proposal,
    separations: list[Separation],
    people: Unit,
) -> ColumnSuggestion:
    commas = _remark_on_commas(column)
    suggestion = ColumnSuggestion(column, proposal.role, proposal.reason, proposal.sure, remark=commas)
    if proposal.role is Role.SENSITIVE and column.unique_rows >= _TELLING:
        return replace(suggestion, remark=f"{_RELEASED_UNCHANGED} {commas}".rstrip())
    if proposal.role is not Role.QUASI_IDENTIFIER:
        return suggestion
    hierarchy = propose_hierarchy(column, proposal.about, _numbered(table, column, proposal))
    hierarchy, missing = _checked(table, column, hierarchy)
    with_it = next((one for one in separations if column.name in one.columns), None)
    reason = proposal.reason
    if not proposal.sure and with_it is not None and len(with_it.columns) > 1:
        others = " and ".join(printable(name) for name in with_it.columns if name != column.name)
        reason += f"; with {others} it singles out {percent(with_it.unique_rows)} of the rows"
    # What is of unknown meaning may name or number people, so that no value is released as it is.
    unknown = not proposal.sure and column.distinct > 2 and not column.harmless
    if column.kind is Kind.INTEGER and column.quantiles[-1:] > (_LAST_YEAR,) and not people.sure:
        unknown = unknown or _is_time(column, proposal)
    # A day may be that somebody was born, and where rows are counted, the rows with it may be one person's.
    born = proposal.about is not None and proposal.about.what == "when somebody was born"
    hidden = {Kind.DATE: int(column.format != "%Y-%m"), Kind.TIMESTAMP: 2 - (not born and people.sure)}
    least = max(int(unknown), 0 if people.sure else hidden.get(column.kind, 0))
    return replace(
        suggestion,
        reason=reason,
        hierarchy=hierarchy.written,
        min_level=least if hierarchy.height > 1 else 0,
        missing_values=missing,
        remark=f"{hierarchy.remark} {commas}".strip(),
        separation=with_it,
    )


def _remark_on_commas(column: ColumnProfile) -> str:
    """Return what to do about numbers that are read as text because of their commas."""
    return _COMMAS.get(column.looks_like or "", "") if column.kind is Kind.TEXT else ""


def _numbered(table: Table, column: ColumnProfile, proposal: Proposal) -> tuple[str, ...]:
    """Return categories such as `1. low` in order, if they have one and many people share each."""
    ordinal = proposal.about is not None and proposal.about.hint == "ordinal"
    if not ordinal or not column.stored_as_text or column.rarest < RARE or not 2 < column.distinct <= 30:
        return ()
    values: list[str] = table.values(column.name).to_pylist()
    numbers = [_NUMBERED.fullmatch(value) for value in values]
    if not all(numbers):
        return ()
    return tuple(sorted(values, key=lambda value: int(_NUMBERED.fullmatch(value)[1])))  # type: ignore[index]


def _checked(
    table: Table, column: ColumnProfile, proposal: HierarchyProposal
) -> tuple[HierarchyProposal, str | None]:
    """Return a hierarchy that works on the column, and the setting for values that it does not cover."""
    if column.distinct > _MOST_CHECKED:
        return proposal, "own" if column.fits < 1 else None
    values = table.values(column.name)
    if column.type is not None:
        values = column_type(column.type).read(values).unique()
    try:
        hierarchy = _build(proposal.written)
        if isinstance(hierarchy, FromData):
            return proposal, "own" if column.fits < 1 else None
        fitting = known(hierarchy, values)
        hierarchy.levels(values.filter(fitting))
    except HierarchyError:
        return SUPPRESS, None
    return proposal, None if pa.compute.all(fitting).as_py() in (True, None) else "own"


def _build(written: object) -> Hierarchy:
    name, argument = next(iter(written.items())) if isinstance(written, dict) else (written, None)
    hierarchy: Hierarchy = registry.resolve("hierarchies", str(name)).from_spec(argument, Path())
    return hierarchy


def _best(separations: list[Separation]) -> tuple[Separation, ...]:
    """Return for each size the set that separates rows best, if it beats the smaller ones."""
    best: list[Separation] = []
    for one in sorted(separations, key=lambda one: (len(one.columns), -one.unique_rows, -one.separation)):
        if not best or (len(one.columns) > len(best[-1].columns) and one.separation > best[-1].separation):
            best.append(one)
    return tuple(best)
