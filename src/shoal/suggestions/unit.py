"""The column that identifies the person, where a person has several rows.

Counting by such a column is never less strict than counting rows; counting by a wrong one hides nobody. So
the rows with the same person's number, e-mail address, or number of a telephone, an account, a device or a
vehicle must be alike in what a person is born with, where the table has that. Without such a column, any
serves by which rows agree in these traits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from shoal.describe.roles import Role
from shoal.errors import InputError
from shoal.suggestions.concepts import AT_WORK, OTHER_PERSON
from shoal.suggestions.kinds import Kind
from shoal.suggestions.names import is_about, is_agent, is_of_things, words
from shoal.suggestions.profile import ColumnProfile
from shoal.suggestions.roles import OF_ONE_PERSON, SOME, Proposal, is_bare_number
from shoal.suggestions.table import Table
from shoal.suggestions.words import listed

_ROWS_PER_PERSON = 1.05
_TWINS = 2
_NEARLY_ALL = 0.75
"""Share of the repeating names or numbers. Two people may share a name."""
_MOST_ROWS = 0.5
"""Share of their rows. A few remarks are in most rows, and many others in two rows of one person."""
_ALIKE = 0.6
_YEARS = (5, 1)
"""Ages of one person may differ by this much, if the rows are from several years. The first number that
separates people is used: the ages of all pupils of a school differ by five."""
_CLOSE = 0.5
_SEXES = 5
_MOST_COMPARED = 50
_MOST_RELATED = 10
_MANY = 3
_UNLIKE = 0.25
_ALIKE_IN_TRAITS = 0.75
"""Shares of a trait's variance that a column explains: below the first its rows are no more alike than those
of many people, above the second they may be one person's."""
_PERSON, _RECORD, _MAIL, _THING, _SOMEBODY = range(5)
_RANKS: Final = {"an e-mail address": _MAIL, "a case number": _RECORD}
_USERS = (
    "user userid usr username login handle staff employee employeeid emp empno empid badge personalnr "
    "personalnummer mitarbeiter mitarbeiternummer study policy"
)
_OF_USERS = frozenset(_USERS.split())
"""Whoever typed the rows, or what many share, if a table has somebody else's number too."""
_THINGS = frozenset(
    {
        "a telephone number",
        "an account number",
        "a license or passport number",
        "a vehicle's number",
        "a device's number",
        "an IP address",
    }
)
_PATTERNS: Final = {
    "social security numbers": _PERSON,
    "e-mail addresses": _MAIL,
    **dict.fromkeys(
        ("IBANs", "card numbers", "IP addresses", "MAC addresses", "UUIDs", "telephone numbers"), _THING
    ),
}
_AGES = frozenset({"age", "when somebody was born"})
_BORN_WITH = _AGES | {"sex"}
_TRAITS = _BORN_WITH | {"race or ethnicity", "a country or origin"}


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit of a table: the person whom its rows describe.

    Attributes
    ----------
    column
        The column by which people are counted, if one was found.
    proposals
        The role of every column; the unit's column is removed.
    """

    column: str | None
    proposals: dict[str, Proposal]


def find_unit(
    table: Table,
    proposals: dict[str, Proposal],
    columns: Mapping[str, ColumnProfile],
    references: Collection[str] = (),
) -> Unit:
    """Return the column by which to count people, if there is one.

    The candidates are the identifiers of people by name or form. Those whose rows are no more alike than any
    rows are left out: they number clerks or clinics. Of the others the finest is taken, or a coarser one that
    follows from it and whose rows agree in everything a person is born with. Where each row has a person's
    number of its own, rows are people. Without such candidates, agreement alone decides.

    Columns without NULL come first: a unit must have a value in every row. A person's number with NULLs is
    returned all the same, because rows would be counted otherwise.

    Parameters
    ----------
    references
        Columns that name people whom other rows are about.

    Raises
    ------
    InputError
        All rows are about one person.
    """
    traits = {
        name
        for name, what in _traits(proposals, columns).items()
        if what in _BORN_WITH and _varies(table, name)
    }
    ranks = {name: _rank(columns[name], one) for name, one in proposals.items() if name not in references}
    likeness = {
        name: _likeness(table, columns[name], [columns[trait] for trait in traits if trait != name])
        for name, rank in ranks.items()
        if rank is not None
    }
    ranked = [
        name
        for name in sorted(likeness, key=lambda name: _preference(columns[name], ranks[name]))
        if _repeats(table, columns[name], ranks[name] or 0) and min(likeness[name], default=1) >= _UNLIKE
    ]
    rows_are_people = any(
        rank == _PERSON and columns[name].distinct == columns[name].rows and columns[name].exact
        for name, rank in ranks.items()
    )
    if rows_are_people:
        ranked = [name for name in ranked if likeness[name] and min(likeness[name]) >= _ALIKE_IN_TRAITS]
    alike = [name for name in ranked[1:] if likeness[name] and min(likeness[name]) >= _ALIKE_IN_TRAITS]
    found = _coarsest(table, columns, [*ranked[:1], *alike])
    agreeing: list[str] = []
    # The cases of a person have numbers of their own.
    cases = [found] if found is not None and ranks[found] == _RECORD and not columns[found].nulls else []
    if (found is None and not rows_are_people) or (found is not None and (columns[found].nulls or cases)):
        by_agreement = dict(_by_agreement(table, proposals, columns, references))
        name = _coarsest(table, columns, [*cases, *by_agreement])
        if name is not None and (found is None or not columns[name].nulls):
            found, agreeing = name, by_agreement.get(name, [])
    if found is None and not rows_are_people:
        found = _by_number(table, proposals, columns, ranks, likeness, traits)
    if found is None:
        by_dates = None if rows_are_people else _by_dates(table, proposals, columns)
        return Unit(by_dates, proposals)
    if columns[found].distinct < 2:
        raise InputError(
            f"All rows of {table.name!r} are about one person.\n"
            f"Column {found!r} identifies the person, and has one value.\n"
            "Give a table with more people."
        )
    if agreeing and (proposals[found].role is not Role.IDENTIFIER or not proposals[found].sure):
        agreed = listed(agreeing, most=3)
        reason = f"rows with the same value agree in {agreed}: probably identifies the person; removed"
        proposals = {**proposals, found: Proposal(Role.IDENTIFIER, reason, sure=False)}
    return Unit(found, proposals)


def _rank(column: ColumnProfile, proposal: Proposal) -> int | None:
    """Return how likely an identifier is to identify the person, the likeliest 0; None if it does not."""
    if proposal.role is not Role.IDENTIFIER:
        return None
    what = proposal.about.what if proposal.about is not None else ""
    if proposal.about is not None and what in OF_ONE_PERSON and proposal.sure:
        # A customer's order has a number of its own: it does not say that each row is another customer.
        return _RANKS.get(what, _PERSON if is_about(column.name, proposal.about) else _RECORD)
    if is_bare_number(column.name):
        return _RECORD
    if is_agent(column.name):
        return None
    pattern = column.pattern
    if pattern is not None and pattern.what in _PATTERNS:
        return _PATTERNS[pattern.what]
    return _THING if what in _THINGS else _SOMEBODY if what == OTHER_PERSON else None


def _preference(column: ColumnProfile, rank: int | None) -> tuple[object, ...]:
    """Return a key by which the best candidate comes first: the finest, if they are equally likely."""
    of_users = not _OF_USERS.isdisjoint(words(column.name))
    return column.nulls > 0, rank, of_users, -column.distinct


def _likeness(table: Table, column: ColumnProfile, traits: Sequence[ColumnProfile]) -> list[float]:
    """Return for each trait how alike the rows with the same value are: 1 as one person's, 0 as any rows.

    It is the share of the trait's variance, or of its differing pairs of rows, that the column explains.
    Ages of one person differ with time, but less than those of different people.
    """
    if column.distinct < 2:
        return []
    return [found for trait in traits if (found := _explained(table, column, trait)) is not None]


def _explained(table: Table, column: ColumnProfile, trait: ColumnProfile) -> float | None:
    """Return the share of a trait's variance that a column explains; None if its values do not repeat."""
    value, of_person = table.columns[column.name], table.columns[trait.name]
    rows = f"FROM {{table}} WHERE {value} IS NOT NULL"
    if trait.kind in (Kind.INTEGER, Kind.DECIMAL):
        number = f"TRY_CAST({of_person} AS DOUBLE)"
        within, overall = table.fetch_row(
            "SELECT sum(n * spread) FILTER (n > 1) / sum(n) FILTER (n > 1), any_value(overall) FROM (SELECT "
            f"count({number})::DOUBLE AS n, var_samp({number}) AS spread, "
            f"(SELECT var_samp({number}) {rows}) AS overall {rows} GROUP BY {value})"
        )
    else:
        differ = "(1 - sum(n * (n - 1)) / (sum(n) * (sum(n) - 1)))"
        counts = f"SELECT {value} AS who, {of_person} AS trait, count(*)::DOUBLE AS n {rows} AND {of_person} "
        counts += "IS NOT NULL GROUP BY ALL"
        within, overall = table.fetch_row(
            f"WITH counts AS ({counts}) SELECT sum(total * differing) / sum(total), any_value(overall) FROM "
            f"(SELECT sum(n) AS total, {differ} AS differing, (SELECT {differ} FROM "
            "(SELECT sum(n) AS n FROM counts GROUP BY trait)) AS overall FROM counts GROUP BY who "
            "HAVING sum(n) > 1)"
        )
    return None if within is None or not overall else 1 - within / overall


def _coarsest(table: Table, columns: Mapping[str, ColumnProfile], candidates: Iterable[str]) -> str | None:
    """Return the first candidate, or one that follows from it, without NULL where the first has none.

    A patient may have several numbers, one for each stay, and a sample has one for several results.
    """
    found = None
    for name in candidates:
        if found is None or (
            (columns[found].nulls or not columns[name].nulls)
            and _agreeing(table, found, [name])
            and not _agreeing(table, name, [found])
        ):
            found = name
    return found


def _by_number(
    table: Table,
    proposals: dict[str, Proposal],
    columns: Mapping[str, ColumnProfile],
    ranks: Mapping[str, int | None],
    likeness: Mapping[str, Sequence[float]],
    traits: Collection[str],
) -> str | None:
    """Return the number of a person or of a person's account, or else what names or numbers something alike.

    The former has rows that are not alike; but the age may be that of something else, a sex may have several
    spellings, and if only rows were counted, a class could be one person. The latter is any identifier whose
    rows are alike in all that people are born with; where that is at most the sex, an address or a number of
    unknown meaning whose rows are alike in another column too. Likeness counts pairs of rows, so that a few
    wrong cells do not matter.
    """
    possible = sorted(
        (
            column
            for name, column in columns.items()
            if proposals[name].role is Role.IDENTIFIER
            and column.distinct > SOME
            and _repeats(table, column, _RECORD)
        ),
        key=lambda column: (column.nulls > 0, -column.distinct),
    )
    for column in sorted(possible, key=lambda column: _preference(column, ranks.get(column.name) or 0)):
        of_person = proposals[column.name].about is not None and column.name in likeness
        if of_person and _OF_USERS.isdisjoint(words(column.name)):
            return column.name
    sexes = {name for name in traits if _is_about_sex(proposals[name])}
    born_with = [name for name in traits if name not in sexes or columns[name].categories <= _SEXES]
    others = [
        name
        for name, column in columns.items()
        if column.categories > 1 and column.kind is not Kind.OTHER and name not in traits
    ][:_MOST_COMPARED]
    others = [name for name in others if _varies(table, name)]
    only_sex = sexes.issuperset(born_with)
    found: list[str] = []
    for column in possible:
        about = proposals[column.name].about
        if column.name in likeness or is_of_things(column.name):
            continue
        if only_sex if about is None else about.what == AT_WORK:
            continue
        compared = [columns[name] for name in others if name != column.name]
        if all(_alike(table, column, [columns[name] for name in born_with])) and (
            not only_sex or any(_alike(table, column, compared))
        ):
            found.append(column.name)
    return _coarsest(table, columns, found)


def _alike(table: Table, column: ColumnProfile, compared: Sequence[ColumnProfile]) -> list[bool]:
    """Return for each column whether rows with the same value are alike in it, as those of one person."""
    return [found >= _ALIKE_IN_TRAITS for found in _likeness(table, column, compared)]


def _is_about_sex(proposal: Proposal) -> bool:
    return proposal.about is not None and proposal.about.what == "sex"


def _repeats(table: Table, column: ColumnProfile, rank: int) -> bool:
    """Return whether people have several rows, and not just a second one by mistake.

    One repetition of a person's number is enough. A column that is NULL in most rows does not count, nor one
    with NULL whose values hardly repeat, such as the telephones that some families share.
    """
    rows_each = 1.0 if rank == _PERSON else _TWINS
    if column.nulls and (column.values < rows_each * column.distinct or 2 * column.nulls > column.rows):
        return False
    if column.values >= _ROWS_PER_PERSON * column.distinct:
        return True
    if not column.exact or column.values == column.distinct:
        return False
    if rank == _PERSON:
        return True
    value = table.columns[column.name]
    (most,) = table.fetch_row(
        f"SELECT max(n) FROM (SELECT count(*) AS n FROM {{table}} WHERE {value} IS NOT NULL GROUP BY {value})"
    )
    return bool(most > _TWINS)


def _by_agreement(
    table: Table,
    proposals: dict[str, Proposal],
    columns: Mapping[str, ColumnProfile],
    references: Collection[str],
) -> Iterator[tuple[str, list[str]]]:
    """Yield the columns whose values agree with what a person is born with, and the agreeing columns.

    They may be names, or numbers under any name. The one with the most values comes first: a family has one
    surname, and each of its members a number.
    """
    traits = {name: what for name, what in _traits(proposals, columns).items() if _varies(table, name)}
    ages = {name: what for name, what in traits.items() if what == "age"}
    years = {name: _years(table, name) for name in ages if columns[name].kind is Kind.INTEGER}
    sexes = {name for name, what in traits.items() if what == "sex" and columns[name].categories <= _SEXES}
    enough = len(traits) > 1 or not _AGES.isdisjoint(traits.values())  # first names agree in the sex
    others = [
        name
        for name, column in columns.items()
        if name not in traits and column.categories > 1 and column.kind is not Kind.OTHER
    ][:_MOST_COMPARED]
    for name in _possible(proposals, columns, traits, references):
        proposal = proposals[name]
        if len(traits) == 1 and any(_age_and_birth(table, columns[name], columns[one]) for one in traits):
            continue
        if len(ages) == len(traits) and any(_is_band(table, columns[name], columns[age]) for age in ages):
            continue
        agreeing = _agreeing(table, name, traits, years=years)
        if not sexes.issubset(agreeing):  # a form at school, a firm
            continue
        if enough and len(agreeing) == len(traits):
            yield name, agreeing
            continue
        # Age or birth may have unknown column names, so check what else agrees beside the sex.
        if agreeing and not (proposal.sure and proposal.role is Role.QUASI_IDENTIFIER):
            rest = [other for other in others if other != name]
            agreeing += [other for other in _agreeing(table, name, rest) if _varies(table, other)]
            if len(agreeing) > (1 if proposal.about is None else 2):
                yield name, agreeing
    if not traits:
        yield from _by_many(table, proposals, columns, others, references)


def _is_band(table: Table, column: ColumnProfile, age: ColumnProfile) -> bool:
    """Return whether a column follows from the age, as bands of ages and teams by year of birth do.

    A person's number follows from it too where all people differ in age, but then has as many values.
    """
    return 2 * column.distinct <= age.distinct and bool(_agreeing(table, age.name, [column.name]))


def _by_many(
    table: Table,
    proposals: dict[str, Proposal],
    columns: Mapping[str, ColumnProfile],
    others: list[str],
    references: Collection[str],
) -> Iterator[tuple[str, list[str]]]:
    """Yield the columns whose values agree with several others that do not follow from each other.

    They are for tables in an unknown language; for what may name or number people two other columns are
    enough.
    A doctor's rows agree in the clinic, its town and its country too, but the town follows from the clinic.
    """
    varied = [name for name in others if _varies(table, name)]
    for name in _possible(proposals, columns, {}, references):
        named = proposals[name].role is Role.IDENTIFIER
        if proposals[name].sure and not named:
            continue
        agreeing = _agreeing(table, name, [other for other in varied if other != name])
        agreeing = [one for one in agreeing if not _agreeing(table, one, [name])][:_MOST_RELATED]
        follow = {
            other
            for one in agreeing
            for other in _agreeing(table, one, [other for other in agreeing if other != one], beyond=name)
        }
        agreeing = [one for one in agreeing if one not in follow]
        if len(agreeing) >= _MANY - named:
            yield name, agreeing


def _by_dates(
    table: Table, proposals: dict[str, Proposal], columns: Mapping[str, ColumnProfile]
) -> str | None:
    """Return a date, such as that of birth, or an age by which rows agree in the sex and another column.

    Where numbers and names were removed from a table of visits, such a column still links a person's rows.
    It is generalized like other dates and ages.
    """
    about = {name: one.about.what for name, one in proposals.items() if one.about is not None}
    traits = [name for name, what in about.items() if what in _TRAITS and what not in _AGES]
    possible = [
        column
        for name, column in columns.items()
        if (column.kind in (Kind.DATE, Kind.TIMESTAMP) or about.get(name) in _AGES)
        and proposals[name].role is Role.QUASI_IDENTIFIER
        and not column.nulls
        and column.distinct > 1
        and column.values >= _ROWS_PER_PERSON * column.distinct
    ]
    for column in sorted(possible, key=lambda column: -column.distinct)[:_MOST_COMPARED]:
        if not _agreeing(table, column.name, traits):
            continue
        others = [
            name
            for name, other in columns.items()
            if name != column.name and other.categories > 1 and other.kind is not Kind.OTHER
        ]
        agreeing = _agreeing(table, column.name, others[:_MOST_COMPARED])
        varied = [name for name in agreeing if _varies(table, name)]
        if len(varied) > 1 and not set(traits).isdisjoint(varied):
            return column.name
    return None


def _varies(table: Table, name: str) -> bool:
    """Return whether two rows often differ in a column; otherwise their agreement means nothing."""
    (alike,) = table.fetch_row(
        "SELECT sum(n * n)::DOUBLE / (sum(n) * sum(n)) FROM (SELECT count(*)::DOUBLE AS n FROM {table} "
        f"GROUP BY {table.columns[name]})"
    )
    return bool(alike <= _ALIKE)


def _years(table: Table, name: str) -> int:
    """Return the largest difference of ages in rows of one person for which few rows of two people agree."""
    number = f"TRY_CAST({table.columns[name]} AS DOUBLE)"
    for years in _YEARS:
        (close,) = table.fetch_row(
            "SELECT sum(n * near) / (sum(n) * sum(n)) FROM (SELECT n, sum(n) OVER (ORDER BY age RANGE "
            f"BETWEEN {years} PRECEDING AND {years} FOLLOWING) AS near FROM (SELECT {number} AS age, "
            "count(*)::DOUBLE AS n FROM {table} GROUP BY 1) WHERE age IS NOT NULL)"
        )
        if close is not None and close <= _CLOSE:
            return years
    return 0


def _age_and_birth(table: Table, one: ColumnProfile, other: ColumnProfile) -> bool:
    """Return whether of two numbers one is the age and one the year of birth: together they make one year."""
    if not one.kind is other.kind is Kind.INTEGER:
        return False
    year = " + ".join(f"TRY_CAST({table.columns[each.name]} AS DOUBLE)" for each in (one, other))
    (spread,) = table.fetch_row(f"SELECT max({year}) - min({year}) FROM {{table}}")
    return spread is not None and bool(spread <= 1)


def _agreeing(
    table: Table,
    name: str,
    compared: Collection[str],
    *,
    years: Mapping[str, int] = MappingProxyType({}),
    beyond: str | None = None,
) -> list[str]:
    """Return the columns in which rows with the same value agree, for nearly all values and most rows.

    Parameters
    ----------
    years
        Largest difference of ages that agree.
    beyond
        Compare only rows that differ in this column.
    """
    if not compared:
        return []
    counted = ", ".join(
        f"count(*) FILTER (a{index}) / count(*), sum(n) FILTER (a{index}) / sum(n)"
        for index, _ in enumerate(compared)
    )
    agree = ", ".join(
        f"{_agreement(table.columns[other], years.get(other))} AS a{index}"
        for index, other in enumerate(compared)
    )
    value = table.columns[name]
    several = "count(*)" if beyond is None else f"count(DISTINCT {table.columns[beyond]})"
    shares = table.fetch_row(
        f"SELECT {counted} FROM (SELECT count(*)::DOUBLE AS n, {agree} FROM {{table}} "
        f"WHERE {value} IS NOT NULL GROUP BY {value} HAVING {several} > 1)"
    )
    return [
        other
        for other, of_values, of_rows in zip(compared, shares[::2], shares[1::2], strict=True)
        if of_values and of_values >= _NEARLY_ALL and of_rows >= _MOST_ROWS
    ]


def _traits(proposals: dict[str, Proposal], columns: Mapping[str, ColumnProfile]) -> dict[str, str]:
    """Return the columns that are the same in all rows of a person. A date of birth is enough."""
    about = {name: one.about.what for name, one in proposals.items() if one.about is not None}
    traits = {name: what for name, what in about.items() if what in _TRAITS and columns[name].categories > 1}
    born = {name: what for name, what in traits.items() if columns[name].kind is Kind.DATE}
    return born or traits


def _possible(
    proposals: dict[str, Proposal],
    columns: Mapping[str, ColumnProfile],
    traits: Mapping[str, str],
    references: Collection[str],
) -> Iterator[str]:
    """Yield the columns that may name or number people, without NULL first, then by the number of values."""
    possible = [
        column
        for name, column in columns.items()
        if name not in traits
        and name not in references
        and column.kind in (Kind.TEXT, Kind.INTEGER, Kind.DECIMAL)
        and 2 * column.nulls <= column.rows
        and column.distinct > 1
        and column.values >= _ROWS_PER_PERSON * column.distinct
        and proposals[name].role is not Role.INSENSITIVE
    ]
    possible.sort(key=lambda column: (column.nulls > 0, -column.distinct))
    yield from (column.name for column in possible[:_MOST_COMPARED])


def _agreement(value: str, years: int | None) -> str:
    """Return SQL that is true if the rows of a group may be about one person, by one column."""
    if years is not None:
        number = f"TRY_CAST({value} AS DOUBLE)"
        return f"(coalesce(max({number}) - min({number}), 0) <= {years})"
    return f"coalesce(min({value}) = max({value}), true)"
