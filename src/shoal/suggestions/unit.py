"""Who a row is about: one person each, the person of a column, or a question that only a person can answer.

Two readings are certain: a person's number that is unique in each row makes rows people, and one that repeats
is the unit. Otherwise every column that repeats may number people, whatever it is called, until something in
the table refutes it: rows with the same value differ in age, sex or birth as those of any people do. Counting
by a column is safe if each person has one value of it, so of several candidates that follow from each other
the coarsest is counted by. If they do not, nothing is guessed: the spec asks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from shoal.describe.roles import Role
from shoal.errors import InputError
from shoal.suggestions.concepts import AT_WORK, CONCEPTS, NAME, NUMBER_OF_A_PERSON, OTHER_PERSON
from shoal.suggestions.kinds import Kind
from shoal.suggestions.likeness import NUMBERS, ROWS_PER_PERSON, Beginning, Rows
from shoal.suggestions.names import head, is_about, is_agent, is_of_staff, words
from shoal.suggestions.patterns import NAMES
from shoal.suggestions.profile import ColumnProfile
from shoal.suggestions.roles import OF_ONE_PERSON, SOME, Proposal, is_bare_number
from shoal.suggestions.table import Table
from shoal.suggestions.words import listed, percent

_TWINS = 2
_SEXES = 5
_MOST_COMPARED = 50
_MANY = 3
_ENOUGH = 10
"""Fewer values than this hide nobody: a column of unknown meaning that has fewer is asked about."""
_UNLIKE = 0.25
_ALIKE = 0.75
"""Shares of a trait's variance that a column explains: below the first its rows are no more alike than those
of many people, above the second they may be one person's."""
_HALF = 0.5
"""Several columns together, such as a first name and a surname, may still be those of two people."""
_RETURNING = 5
_BLANK = 0.05
_MOST_BEGUN = 4
_MOST_JOINED = 15
_BY_CHANCE = 10
_OFTEN = 0.1
_PERSON, _RECORD, _MAIL, _THING, _SOMEBODY = range(5)
_RANKS: Final = {"an e-mail address": _MAIL, "a case number": _RECORD}
_USERS = (
    "user userid usr username login handle staff employee employeeid emp empno empid badge personalnr "
    "personalnummer mitarbeiter mitarbeiternummer study policy"
)
_OF_USERS = frozenset(_USERS.split())
"""Whoever typed the rows, or what many share, if a table has somebody else's number too."""
_SOMEBODY_BY_NAME = tuple(
    concept for concept in CONCEPTS if concept.what in (NAME, NUMBER_OF_A_PERSON, OTHER_PERSON)
)
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
_AGE = "age"
_BIRTH = "when somebody was born"
_BORN_WITH = frozenset({_AGE, _BIRTH, "sex"})
_KEPT = frozenset({"race or ethnicity", "marital status", "education"})
"""Traits that few people change, for tables without age, sex and birth."""
_STABLE = _BORN_WITH | {"race or ethnicity", "a country or origin", "a postcode", "a place"}
_DAYS = (Kind.DATE, Kind.TIMESTAMP)
_TOGETHER = "rows that agree in all of them are alike as one person's, so make one column of them"


@dataclass(frozen=True, slots=True)
class Unit:
    """How the people of a table are counted.

    Attributes
    ----------
    column
        The column by which people are counted; None if each row is one.
    proposals
        The role of every column.
    sure
        Whether a name or a person says so, or rows with the same value are alike as those of one person.
    undecided
        The columns that may say who a row is about, if nothing in the table shows which.
    why
        What shows that people may have several rows.
    """

    column: str | None
    proposals: dict[str, Proposal]
    sure: bool = False
    undecided: tuple[str, ...] = ()
    why: str = ""


def find_unit(
    table: Table,
    proposals: dict[str, Proposal],
    columns: Mapping[str, ColumnProfile],
    references: Collection[str] = (),
) -> Unit:
    """Return how people are counted.

    Parameters
    ----------
    references
        Columns that name people whom other rows are about.

    Raises
    ------
    InputError
        All rows are about one person.
    """
    search = _Search(Rows(table, columns), proposals, columns, references)
    unit = _found(search, table)
    begun = None if unit.undecided else search.begun(unit.column)
    if begun is None:
        return unit
    reason = "its values begin with what may be a person's number, so make a column of that"
    return _question([begun], proposals, reason)


def _found(search: _Search, table: Table) -> Unit:
    """Return how people are counted by whole values."""
    proposals, columns = search.proposals, search.columns
    if search.are_rows_people:
        return _of_numbered_rows(search)
    if search.keys and (columns[search.keys[0]].distinct < 2):
        raise InputError(
            f"All rows of {table.name!r} are about one person.\n"
            f"Column {search.keys[0]!r} identifies the person, and has one value.\n"
            "Give a table with more people."
        )
    found = search.by_evidence()
    if found is not None:
        rivals = search.rivals(found)
        if rivals:
            return _question([found, *rivals], proposals, "any of them may be the person's")
        return Unit(found, _removed(search, found), sure=search.is_sure(found))
    if search.left_blank:
        return _question(search.naming, proposals, search.left_blank)
    if search.together:
        return _question(search.together, proposals, _TOGETHER)
    return _of_possible(search)


def _of_numbered_rows(search: _Search) -> Unit:
    """Return how people are counted where each row has a person's number of its own.

    Whoever comes again may get another number, but not another name.
    """
    found = search.coarsest(name for name in search.alike if search.names_people(name))
    if found is None and any(map(search.names_people, search.together)):
        return _question(search.together, search.proposals, _TOGETHER)
    return Unit(found, search.proposals, sure=True)


def _of_possible(search: _Search) -> Unit:
    """Return how people are counted where the table does not show it, but has columns that may."""
    proposals, columns = search.proposals, search.columns
    possible = search.possible
    if not possible:
        return search.by_repeated_traits()
    finest = sorted(possible, key=lambda name: -columns[name].distinct)
    found = search.coarsest(finest) or finest[0]
    crossing = [name for name in possible if name != found and not search.rows.determine(name, found)]
    own = found in search.own_keys
    # Nobody is a day, but a day may be all that is left of somebody.
    unclear = columns[found].distinct < _ENOUGH or columns[found].kind in _DAYS or search.is_unclear(found)
    if crossing or (unclear and not own):
        reason = "the rows with one value may be one person's, and nothing in the table shows the contrary"
        return _question(possible, proposals, reason)
    return Unit(found, proposals)


def given_unit(proposals: dict[str, Proposal], column: str | None) -> Unit:
    """Return the unit that a person decided on."""
    if column is None:
        return Unit(None, proposals, sure=True)
    one = proposals[column]
    if one.about is None or one.about.what not in _BORN_WITH:
        one = Proposal(Role.IDENTIFIER, "identifies the person, as given", about=one.about)
    return Unit(column, {**proposals, column: one}, sure=True)


def _question(columns: Sequence[str], proposals: dict[str, Proposal], why: str) -> Unit:
    return Unit(None, proposals, undecided=tuple(columns), why=why)


def _removed(search: _Search, found: str) -> dict[str, Proposal]:
    """Remove a column of unknown meaning, or of texts, by whose values people are counted."""
    proposal = search.proposals[found]
    agreed = search.alike.get(found)
    column = search.columns[found]
    names = column.kind is Kind.TEXT and not column.leading_zeros and column.pattern is None
    if not agreed or (proposal.sure and not (names and proposal.role is not Role.IDENTIFIER)):
        return search.proposals
    reason = f"rows with the same value agree in {listed(agreed, most=3)}: may identify the person"
    return {**search.proposals, found: Proposal(Role.IDENTIFIER, f"{reason}; removed", sure=False)}


@dataclass
class _Search:
    """The evidence on who the rows of a table are about."""

    rows: Rows
    proposals: dict[str, Proposal]
    columns: Mapping[str, ColumnProfile]
    references: Collection[str]

    @cached_property
    def about(self) -> dict[str, str]:
        """The meaning of the columns, by name."""
        return {name: one.about.what for name, one in self.proposals.items() if one.about is not None}

    @cached_property
    def traits(self) -> list[str]:
        """The columns in which the rows of a person are alike, those of different people not."""
        return self.born_with or self._traits(_KEPT)

    @cached_property
    def born_with(self) -> list[str]:
        """The columns of age, sex and birth, but not the ages that are times."""
        return [name for name in self._traits(_BORN_WITH) if name not in self.times]

    @cached_property
    def times(self) -> list[str]:
        """The ages that say when a row was written: people were observed at the same ages, or for decades.

        The rows that a clerk typed neither avoid each other in age, nor have all ages as often as another's.
        """
        ages = self._traits({_AGE})
        others = self._traits(_BORN_WITH - {_AGE}) or self._traits(_KEPT)
        possible = [
            column
            for name, column in self.columns.items()
            if ages
            and name not in (*ages, *others, *self.references)
            and column.kind in (Kind.TEXT, *NUMBERS)
            and column.distinct > _TWINS
            and self._repeats(name, self.ranks.get(name))
            and not self._is_at_work(name)
        ]
        possible.sort(key=lambda column: -column.distinct)
        for column in possible[:_MOST_COMPARED]:
            alike = min(self._likeness(column.name, others).values(), default=1.0) >= _ALIKE
            if alike and any(self.rows.avoid(column.name, age) for age in ages):
                return ages
        return []

    @cached_property
    def only_sex(self) -> bool:
        """Whether only the sex refutes: first names agree in it, so that alone it shows nothing."""
        return bool(self.born_with) and all(self.about[name] == "sex" for name in self.born_with)

    @cached_property
    def ranks(self) -> dict[str, int]:
        """How likely the identifiers that name or number people do so for the people of the rows."""
        found = {
            name: _rank(self.columns[name], one)
            for name, one in self.proposals.items()
            if name not in self.references
        }
        return {name: rank for name, rank in found.items() if rank is not None}

    @cached_property
    def are_rows_people(self) -> bool:
        """Whether each row has a person's number of its own."""
        return any(
            rank == _PERSON and self.columns[name].distinct == self.columns[name].rows
            for name, rank in self.ranks.items()
            if self.columns[name].exact
        )

    @cached_property
    def keys(self) -> list[str]:
        """The people's numbers that repeat and are not refuted, the likeliest and finest first."""
        return sorted(
            (
                name
                for name, rank in self.ranks.items()
                if self._repeats(name, rank) and not self.is_refuted(name)
            ),
            key=self._preference,
        )

    @cached_property
    def own_keys(self) -> list[str]:
        """The people's numbers that repeat, also if refuted: an age may be that of something else."""
        return [
            name
            for name, rank in self.ranks.items()
            if name in self.about
            and self.columns[name].distinct > SOME
            and _OF_USERS.isdisjoint(words(name))
            and self._repeats(name, rank)
        ]

    @cached_property
    def unknown(self) -> list[str]:
        """The columns that may name or number the people of the rows, the finest first."""
        found = [
            column
            for name, column in self.columns.items()
            if column.kind in (Kind.TEXT, *NUMBERS)
            and name not in self.born_with
            and name not in self.references
            and self.proposals[name].role is not Role.INSENSITIVE
            and column.distinct > 1
            and (self._repeats(name, self.ranks.get(name)) or self._returns(name))
            and not self._is_at_work(name)
        ]
        found.sort(key=lambda column: (column.nulls > 0, -column.distinct))
        return [column.name for column in found[:_MOST_COMPARED]]

    @cached_property
    def alike(self) -> dict[str, list[str]]:
        """The columns whose rows with the same value are alike as those of one person, and in what."""
        agreed = {name: self._agreed(name) for name in self.unknown}
        return {name: agreeing for name, agreeing in agreed.items() if agreeing}

    @cached_property
    def naming(self) -> list[str]:
        """The columns that name or number people, whether their values repeat or not."""
        return [
            name
            for name, column in self.columns.items()
            if self._names_somebody(name)
            or (
                column.nulls and self._has_names(name) and self._is_identifier(name) and not is_of_staff(name)
            )
        ]

    @cached_property
    def left_blank(self) -> str:
        """What shows that rows may be about the person of a row above, as below a merged cell."""
        who = [*self.naming, *self.born_with]
        others = [name for name in self.columns if name not in who]
        if not self.naming or not others:
            return ""
        blank = " AND ".join(f"{self.rows.table.columns[name]} IS NULL" for name in who)
        filled = " OR ".join(f"{self.rows.table.columns[name]} IS NOT NULL" for name in others)
        (rows,) = self.rows.table.fetch_row(f"SELECT count(*) FROM {{table}} WHERE ({blank}) AND ({filled})")
        share = rows / self.rows.table.loaded
        if rows < _RETURNING or share < _BLANK:
            return ""
        return (
            f"{percent(share)} of the rows name nobody; if they are about the person of a row above, fill in"
        )

    @cached_property
    def together(self) -> tuple[str, ...]:
        """The columns that only together number people, where a number begins anew in each clinic or class.

        Rows that agree in all of them are alike as those of one person, in a trait in which rows that agree
        in one of them are much less so.
        """
        usable = [
            name
            for name in self.unknown
            if self.columns[name].kind is not Kind.DECIMAL
            and (self._is_identifier(name) or self.proposals[name].role is Role.QUASI_IDENTIFIER)
            and not any(self._is_of_age(name, trait) for trait in self.born_with)
        ]
        unsure = [name for name in usable if self._is_identifier(name) or not self.proposals[name].sure]
        unsure.sort(key=lambda name: (not self._is_identifier(name), -self.columns[name].distinct))
        others = usable[::-1][:_MOST_JOINED]
        best = _HALF
        found: tuple[str, ...] = ()
        for first in unsure[:_MOST_BEGUN]:
            joined: tuple[str, ...] = (first,)
            while best < _ALIKE and len(joined) < _MANY:
                more = [(*joined, other) for other in others if other not in joined]
                fit, joined = max(((self._joined(each), each) for each in more), default=(0.0, joined))
                if fit > best:
                    best, found = fit, joined
                if fit < _UNLIKE:
                    break
        return found

    def _joined(self, names: tuple[str, ...]) -> float:
        """Return how alike the rows are that agree in several columns, as far as it needs all of these."""
        if not self.rows.repeat_together(names):
            return 0.0
        fit, needed = 1.0, False
        for trait in self.born_with:
            likeness = self.rows.likeness(names, trait) or 0.0
            alone = max(self.rows.likeness(name, trait) or 0.0 for name in names)
            fit, needed = min(fit, likeness), needed or likeness - alone >= _UNLIKE
            if fit < _UNLIKE:
                break
        return fit if needed else 0.0

    @cached_property
    def possible(self) -> list[str]:
        """The columns that may say who a row is about, as far as the table shows."""
        unrefuted = [
            name
            for name in self.unknown
            if self._is_identifier(name)
            and self.columns[name].distinct > _TWINS
            and not self.is_refuted(name)
        ]
        found = dict.fromkeys([*self.own_keys, *unrefuted])
        if not self.born_with or self.only_sex:
            anything = [name for name in self.columns if self._may_be_anything(name)]
            anything = [name for name in anything if not self.is_refuted(name) and not self.is_unclear(name)]
            # Few values beside a name or number are those of something else.
            found |= dict.fromkeys(
                name for name in anything if not found or self.columns[name].distinct >= _ENOUGH
            )
        return sorted(found, key=lambda name: (not self._is_identifier(name), -self.columns[name].distinct))

    def by_evidence(self) -> str | None:
        """Return the column that identifies people by its name or by what its rows have in common."""
        complete = [name for name in self.alike if not self.columns[name].nulls]
        if not self.keys:
            return self.coarsest(self.alike)
        first = self.keys[0]
        if self.columns[first].nulls and complete:
            return self.coarsest(complete)
        return self.coarsest([first, *self.alike])

    def is_sure(self, name: str) -> bool:
        """Return whether a person's number or all that a person is born with says so."""
        by_name = self.ranks.get(name) in (_PERSON, _MAIL) and name in self.keys
        alike = name in self.alike and not self._is_known(name) and self._repeats(name, None)
        return by_name or (alike and bool(self.born_with))

    def rivals(self, found: str) -> list[str]:
        """Return the columns that may number other people than those of the found one."""
        if self.is_sure(found) and found in self.alike and self.traits:
            return []
        return [
            name
            for name in self.unknown
            if name != found
            and self._is_identifier(name)
            and self._is_near(found, name)
            and not self.is_refuted(name)
            and not self._are_nested(name, found)
        ]

    def by_repeated_traits(self) -> Unit:
        """Return the date of birth, or a question, if more rows share what people keep than chance explains.

        Where numbers and names were removed from a table of visits, such traits still link a person's rows.
        """
        stable = [name for name in self._traits(_STABLE) if self.columns[name].kind is not Kind.DECIMAL]
        stable.sort(key=lambda name: -self.columns[name].distinct)
        kept: list[str] = []
        for name in stable:
            if not any(self.rows.determine(finer, name) for finer in kept):
                kept.append(name)
        if not kept:
            return Unit(None, self.proposals)
        chance = 1.0
        for name in kept:
            chance *= self.rows.chance(name, is_birth=self._is_birth(name))
        by = ", ".join(self.rows.table.columns[name] for name in kept)
        pairs, repeated = self.rows.table.fetch_row(
            "SELECT coalesce(sum(n * (n - 1)), 0)::DOUBLE, coalesce(sum(n) FILTER (n > 1), 0)::DOUBLE FROM "
            f"(SELECT count(*)::DOUBLE AS n FROM {{table}} GROUP BY {by})"
        )
        rows = self.rows.table.loaded
        if pairs <= _BY_CHANCE * chance * rows * (rows - 1) or repeated <= _OFTEN * rows:
            return Unit(None, self.proposals)
        births = [name for name in kept if self._is_birth(name) and not self.columns[name].nulls]
        if births:
            return Unit(births[0], self.proposals)
        share = f"{percent(repeated / rows)} of the rows equal another one in {listed(kept)}"
        return _question(kept, self.proposals, f"{share}, many more than chance explains")

    def names_people(self, name: str) -> bool:
        """Return whether a column names or numbers people by its heading, and is not refuted."""
        return name in self.keys or self._names_somebody(name)

    def begun(self, unit: str | None) -> str | None:
        """Return a column whose values begin with numbers of people that the unit does not follow from.

        The first rows of a person may be `S012-1`, `S012-2`, in samples or visits: rows whose values begin
        alike are alike in age, sex and birth, or the table has nothing like these.
        """
        coded = [
            name
            for name, column in self.columns.items()
            if column.kind in (Kind.TEXT, Kind.DECIMAL)
            and column.pattern is None
            and self._is_identifier(name)
            and name not in self.references
            and not self._is_at_work(name)
            and not self._has_names(name)
        ]
        for name in coded[:_MOST_BEGUN]:
            for runs in range(1, _MANY + 1):
                begin = Beginning(name, runs)
                if not self.rows.repeat_together(begin):
                    continue
                likeness = [self.rows.likeness(begin, trait) or 0.0 for trait in self.born_with]
                alike = min(likeness, default=1.0) >= _ALIKE
                if alike and not (unit is not None and self.rows.determine(begin, unit)):
                    return name
                if not self.born_with:
                    break  # shorter beginnings number clinics, and nothing would refute them
        return None

    def is_refuted(self, name: str) -> bool:
        """Return whether rows with the same value differ in a trait as those of any people do."""
        if any(self._is_of_age(name, trait) for trait in self.traits):
            return True
        likeness = self._likeness(name, self.traits)
        if max(likeness.get(_AGE, 0), likeness.get(_BIRTH, 0)) >= _ALIKE:
            return False  # the mother of a child of either sex
        return min(likeness.values(), default=1.0) < _UNLIKE

    def is_unclear(self, name: str) -> bool:
        """Return whether rows with the same value are neither alike in each trait nor as unlike as any."""
        likeness = self._likeness(name, self.traits)
        return any(likeness.get(self.about[trait], 0) < _ALIKE for trait in self.traits if trait != name)

    def _likeness(self, name: str, traits: Iterable[str]) -> dict[str, float]:
        """Return how alike rows with the same value are in each kind of trait.

        Of two ages, one may be the victim's: rows are alike if they are so in either.
        """
        found: dict[str, float] = {}
        for trait in traits:
            likeness = self.rows.likeness(name, trait) if trait != name else None
            if likeness is not None:
                found[self.about[trait]] = max(likeness, found.get(self.about[trait], likeness))
        return found

    def coarsest(self, names: Iterable[str]) -> str | None:
        """Return the first column, or one that follows from it, without NULL where the first has none.

        A patient may have several numbers, one for each stay, and a sample has one for several results.
        """
        found = None
        for name in names:
            if found is None or (
                (self.columns[found].nulls or not self.columns[name].nulls)
                and self.rows.determine(found, name)
                and not self.rows.determine(name, found)
            ):
                found = name
        return found

    def _are_nested(self, one: str, other: str) -> bool:
        return self.rows.determine(one, other) or self.rows.determine(other, one)

    def _is_identifier(self, name: str) -> bool:
        return self.proposals[name].role is Role.IDENTIFIER

    def _is_known(self, name: str) -> bool:
        return self.proposals[name].sure and not self._is_identifier(name)

    def _is_near(self, found: str, name: str) -> bool:
        """Return whether a column may number people as well as the found one does."""
        if self._names_somebody(name):
            return True
        of_users = not _OF_USERS.isdisjoint(words(found))
        if self.is_sure(found) and not of_users:
            return False
        if name in self.alike or name in self.ranks or found not in self.keys:
            return True
        rank = _THING if of_users else self.ranks[found]
        many = self.columns[name].distinct >= _ENOUGH
        return (rank == _THING and many) or (rank == _RECORD and self._has_names(name))

    def _names_somebody(self, name: str) -> bool:
        """Return whether a column numbers people by its heading, or names them, and not those at work."""
        if not self._is_identifier(name) or self._is_at_work(name) or is_of_staff(name):
            return False
        if self.ranks.get(name) in (_PERSON, _MAIL, _SOMEBODY):
            return True
        bare = self.about.get(name) == NAME and not head(name)
        return bare or any(is_about(name, one) for one in _SOMEBODY_BY_NAME)

    def _has_names(self, name: str) -> bool:
        """Return whether a column has names by its heading or its values, whosever they are."""
        pattern = self.columns[name].pattern
        return self.about.get(name) == NAME or (pattern is not None and pattern.what == NAMES)

    def _is_at_work(self, name: str) -> bool:
        return is_agent(name) or self.about.get(name) == AT_WORK

    def _is_birth(self, name: str) -> bool:
        return self.about.get(name) == _BIRTH and self.columns[name].kind in _DAYS

    def _may_be_anything(self, name: str) -> bool:
        """Return whether a column that is not known as a measurement, an amount or a code repeats."""
        column, proposal = self.columns[name], self.proposals[name]
        if column.distinct <= _TWINS or column.values < ROWS_PER_PERSON * column.distinct:
            return False
        settled = proposal.role in (Role.IDENTIFIER, Role.INSENSITIVE)
        if settled or name in self.references or name in self.born_with:
            return False
        if proposal.role is Role.SENSITIVE:
            if self.only_sex:
                return column.kind in (Kind.TEXT, Kind.INTEGER)
            return column.kind is Kind.TEXT and column.pattern is None and column.distinct >= _ENOUGH
        if column.kind is Kind.INTEGER or column.leading_zeros:
            hint = proposal.about.hint if proposal.about is not None else None
            return self.only_sex or hint not in ("code", "coordinate")
        return column.kind in (Kind.TEXT, *_DAYS)

    def _traits(self, wanted: Collection[str]) -> list[str]:
        """Return the columns about what people keep, as far as they tell people apart."""
        found = [name for name, what in self.about.items() if what in wanted and self._fits(name, what)]
        return [name for name in found if self.rows.vary_in(name)]

    def _fits(self, name: str, what: str) -> bool:
        if self.proposals[name].role is not Role.QUASI_IDENTIFIER or self.columns[name].categories < 2:
            return False
        if is_of_staff(name):  # whoever is at work has a sex too
            return False
        return what != "sex" or self.columns[name].categories <= _SEXES

    def _repeats(self, name: str, rank: int | None) -> bool:
        return self.rows.repeat(name, once=rank == _PERSON)

    def _returns(self, name: str) -> bool:
        """Return whether a few people may have a second row; whether they are the same, other traits show."""
        column = self.columns[name]
        few = column.exact and not column.nulls and column.values - column.distinct >= _RETURNING
        return few and self._is_identifier(name) and bool(self.born_with) and not self.only_sex

    def _preference(self, name: str) -> tuple[object, ...]:
        column = self.columns[name]
        of_users = not _OF_USERS.isdisjoint(words(name))
        return column.nulls > 0, self.ranks[name], of_users, -column.distinct

    def _agreed(self, name: str) -> list[str]:
        """Return the columns in which the rows of a value are alike, if these are enough for one person."""
        if self.is_refuted(name):
            return []
        born_with = self.born_with
        if born_with and self.is_unclear(name):
            return []
        if born_with and not self.only_sex:
            return born_with
        if self._is_known(name) and not born_with:
            return []
        agreed = [
            other
            for other in self._compared
            if other != name
            and other not in born_with
            and (self.rows.likeness(name, other) or 0) >= _ALIKE
            and (
                not self.rows.determine(other, name) or (self._is_identifier(name) and self._is_known(other))
            )
        ]
        independent = self._independent(name, agreed)
        if len(independent) < (1 if born_with or self._is_identifier(name) else _MANY):
            return []
        return [*born_with, *independent]

    @cached_property
    def _compared(self) -> list[str]:
        """The columns in which rows often differ; otherwise their agreement means nothing."""
        left_out = {*self.references, *self.times}
        named = [
            name
            for name, column in self.columns.items()
            if column.categories > 1 and column.kind is not Kind.OTHER and name not in left_out
        ]
        return [name for name in named[:_MOST_COMPARED] if self.rows.vary_in(name)]

    def _independent(self, name: str, agreed: Sequence[str]) -> list[str]:
        """Return the columns that do not follow from others: a clinic's town and country do."""
        follow = {
            other
            for one in agreed
            for other in self.rows.agreeing(one, [other for other in agreed if other != one], beyond=name)
        }
        return [one for one in agreed if one not in follow] or list(agreed[:1])

    def _is_of_age(self, name: str, trait: str) -> bool:
        """Return whether a column is a band of ages or a year of birth."""
        column, age = self.columns[name], self.columns[trait]
        if name == trait:
            return False
        if 2 * column.distinct <= age.distinct and self.rows.determine(trait, name):
            return True
        if not column.kind is age.kind is Kind.INTEGER:
            return False
        year = " + ".join(f"TRY_CAST({self.rows.table.columns[each]} AS DOUBLE)" for each in (name, trait))
        (spread,) = self.rows.table.fetch_row(f"SELECT max({year}) - min({year}) FROM {{table}}")
        return spread is not None and bool(spread <= 1)


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
