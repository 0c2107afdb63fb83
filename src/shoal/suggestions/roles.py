"""The role of a column, with the reason in words.

A column of unknown meaning becomes a quasi-identifier: classes hide its values, while `insensitive` would
release them unchanged. So only columns that distinguish nobody, being empty or the same in every row, become
`insensitive`. Columns that cannot be generalized usefully, such as free text, are removed as identifiers, and
so is what may be names or numbers of people: a class of five rows may be one person, or have one doctor.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import log2
from typing import Final

from shoal.describe.roles import Role
from shoal.suggestions.concepts import (
    AT_WORK,
    CONCEPTS,
    NAME,
    NUMBER_OF_A_PERSON,
    OTHER_PERSON,
    Concept,
)
from shoal.suggestions.kinds import Kind
from shoal.suggestions.names import (
    NUMBER_WORDS,
    concepts_of,
    head,
    is_about,
    is_agent,
    is_numbered,
    is_of_things,
    words,
)
from shoal.suggestions.patterns import DATES, ILLNESSES, TIMES
from shoal.suggestions.profile import DECIMAL_COMMAS, UNCLEAR_COMMAS, ColumnProfile

_FEW = 50
_SMALL_SHARE = 0.05
_KEY_SHARE = 0.95
_MANY_SHARE = 0.5
_CATEGORIES = 5
SOME: Final = 20
"""More values than this of unknown meaning may be those of people."""
_FLAT = 0.9
"""Share of the largest entropy. People have about as many rows each; a few illnesses have most."""
_LONG = 6
_ONCE = 0.1
_RECORD = next(concept for concept in CONCEPTS if concept.what == "a record's number")
_NUMBERED = next(concept for concept in CONCEPTS if concept.what == NUMBER_OF_A_PERSON)
_MONEY = "income or wealth"
_SERIAL_DAYS = (32_874, 55_153)
"""The days from 1990 to 2050, counted from the end of 1899."""
_YEAR = next(concept for concept in CONCEPTS if concept.what == "the year of something")
_YEARS = (1900, 2100)
_OF_FEW_VALUES = frozenset({"sex", "marital status", "family and household"})
_BARE_NUMBERS = frozenset({"id", "uid", "uuid", "guid", "pid"})
_REMARKS = frozenset(
    [
        "comment",
        "comments",
        "note",
        "notes",
        "remark",
        "remarks",
        "text",
        "kommentar",
        "bemerkung",
        "bemerkungen",
        "notiz",
        "freitext",
        "commentaire",
        "remarque",
        "comentario",
        "observaciones",
    ]
)
_DATE_WORDS = frozenset(["date", "datum", "fecha", "timestamp", "datetime", "dt", "day", "month", "monat"])
_NUMBER = re.compile(r".*(id|nr|no|num|number|nummer)")
OF_ONE_PERSON = frozenset(
    {
        NUMBER_OF_A_PERSON,
        "a medical record number",
        "a case number",
        "a social security or tax number",
        "a number at a health plan",
        "an e-mail address",
    }
)
_NEVER_CATEGORIES = frozenset({NAME, "a social security or tax number", "an e-mail address"})

_SENTENCES = {
    Role.IDENTIFIER: "identifies one person",
    Role.QUASI_IDENTIFIER: "others may know it",
    Role.SENSITIVE: "nobody should learn it",
}
_SENTENCES_ON_VALUES = {
    Role.IDENTIFIER: "each identifies one person",
    Role.QUASI_IDENTIFIER: "others may know them",
    Role.SENSITIVE: "nobody should learn them",
}

_NO_NUMBERS = {
    DECIMAL_COMMAS: ", but some values are not numbers; removed unless you correct them or make them NULL",
    UNCLEAR_COMMAS: ", which may be decimal marks or thousands separators; removed unless you set which",
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A role, and why.

    Attributes
    ----------
    sure
        Whether name or values settled it. Otherwise somebody who knows the table should check it.
    about
        The concept that the column's name matched, if the name settled the role.
    """

    role: Role
    reason: str
    sure: bool = True
    about: Concept | None = None


def is_bare_number(name: str) -> bool:
    """Return whether a name is `id` or the like, without a word for whose.

    Examples
    --------
    >>> is_bare_number("ID"), is_bare_number("visit_id"), is_bare_number("#")
    (True, False, False)
    """
    found = words(name)
    return bool(found) and _BARE_NUMBERS.issuperset(found)


def propose_role(column: ColumnProfile) -> Proposal:
    """Propose the role of a column from its name, the form of its values and their number.

    Examples
    --------
    >>> from shoal.suggestions.profile import profile
    >>> import pyarrow as pa
    >>> people = profile(pa.table({"dob": ["1.2.1980"] * 3 + ["3.4.1975"], "mail": ["a@b.de", "c@d.fr"] * 2}))
    >>> [propose_role(column).role.value for column in people.columns.values()]
    ['quasi-identifier', 'identifier']
    >>> propose_role(people["mail"]).reason
    'e-mail addresses: each identifies one person (HIPAA F)'
    """
    if not column.values:
        return Proposal(Role.INSENSITIVE, "empty")
    if column.kind is Kind.OTHER:
        reason = "lists, structures or bytes cannot be generalized; removed"
        return Proposal(Role.IDENTIFIER, reason, sure=False)
    concepts = concepts_of(column.name)
    about = next((concept for concept in concepts if concept.role is not Role.IDENTIFIER), None)
    if about is not None and about.role is Role.SENSITIVE and _is_year(column):
        about = _YEAR
    return (
        _identifier(column, concepts)
        or _constant(column, about)
        or _by_name(column, about)
        or _by_values(column)
        or _by_numbers(column, concepts)
    )


def _identifier(column: ColumnProfile, concepts: list[Concept]) -> Proposal | None:
    """Return the proposal for a column whose values or name identify one person, else None."""
    pattern = column.pattern
    few = column.distinct <= _FEW and column.distinct < _SMALL_SHARE * column.values
    if pattern is not None and pattern.role is Role.IDENTIFIER:
        if pattern.what == "free text":
            # Sentences that do not repeat are not categories, however few they are.
            repeat = column.once <= _ONCE * column.distinct
            if not few or not repeat or not _REMARKS.isdisjoint(words(column.name)):
                reason = "free text may name people and cannot be generalized; removed"
                return Proposal(Role.IDENTIFIER, reason)
        else:
            reason = f"{pattern.what}: {_SENTENCES_ON_VALUES[Role.IDENTIFIER]}{_hipaa(pattern.hipaa)}"
            of_people = OF_ONE_PERSON | {OTHER_PERSON, AT_WORK}
            about = next((one for one in concepts if one.what in of_people), None)
            return Proposal(Role.IDENTIFIER, reason, about=about)
    if column.kind is Kind.BOOLEAN:
        return None
    first = concepts[0].role if concepts else None
    for rank, concept in enumerate(concepts):
        if concept is _RECORD:
            found = _record(column, concept)
        elif concept.what == AT_WORK or (concept.role is Role.IDENTIFIER and first is Role.IDENTIFIER):
            found = _person(column, concept, few=few)
        else:
            found = None
        if found is not None and (rank == 0 or found.sure or concept.what == AT_WORK):
            return found
    return _number(column, concepts)


def _number(column: ColumnProfile, concepts: list[Concept]) -> Proposal | None:
    """Return the proposal for people's numbers and names beside a word for something else.

    The values of `pension_no` are not pensions, those of `vaccinated_by` are no vaccinations.
    """
    first = concepts[0].role if concepts else None
    if first is Role.QUASI_IDENTIFIER or column.kind not in (Kind.INTEGER, Kind.TEXT):
        return None
    if is_numbered(column.name) and column.distinct > SOME:
        reason = "a number, by its name: identifies one person"
        return Proposal(Role.IDENTIFIER, reason, sure=bool(concepts), about=_RECORD)
    if is_agent(column.name) and column.distinct > _CATEGORIES:
        return Proposal(Role.IDENTIFIER, "who did something, by its name; removed", sure=False)
    flat = column.distinct > 1 and column.entropy >= _FLAT * log2(column.distinct)
    may_be_an_amount = bool(concepts) and concepts[0].what == _MONEY
    if concepts and _are_codes(column, whole=not may_be_an_amount) and column.pattern is None and flat:
        reason = f"{column.distinct:,} codes of one form, which may be numbers of people; removed"
        return Proposal(Role.IDENTIFIER, reason, sure=False, about=_RECORD)
    return None


def _are_codes(column: ColumnProfile, *, whole: bool = True) -> bool:
    """Return whether a column has many codes of one form, which may be whole numbers of the same length."""
    digits = whole and column.kind is Kind.INTEGER and column.shortest == column.longest >= _LONG
    return column.distinct > (_CATEGORIES if digits else _FEW) and (
        column.coded or column.leading_zeros or digits
    )


def _record(column: ColumnProfile, concept: Concept) -> Proposal | None:
    """Return the proposal for `id` or `visit_id`: the number of a record, or of a person in several rows."""
    decimal = column.kind is Kind.DECIMAL and words(column.name)[-1] in NUMBER_WORDS
    if not decimal and column.kind not in (Kind.INTEGER, Kind.TEXT):
        return None
    bare = is_bare_number(column.name)
    if column.distinct >= _MANY_SHARE * column.values:
        reason = f"{concept.what}: {_SENTENCES[Role.IDENTIFIER]}{_hipaa(concept.hipaa)}"
    elif bare and column.distinct > _CATEGORIES:
        reason = "a repeating number: probably identifies a person with several rows (HIPAA R)"
    else:
        return None
    return Proposal(Role.IDENTIFIER, reason, about=concept)


def _person(column: ColumnProfile, concept: Concept, *, few: bool) -> Proposal | None:
    """Return the proposal for a column with the name of an identifier.

    Few values do not make it safe to release: four patients with a hundred rows each have few names too. But
    `account_type` with three values is a category, and `victim` with 0 and 1 says whether somebody was one.
    """
    numbered = concept.what in OF_ONE_PERSON and _NUMBER.fullmatch(words(column.name)[-1])
    flag = column.kind is Kind.INTEGER and column.distinct <= 2
    named = head(column.name) in concept.phrases and not flag
    reason = f"{concept.what}: {_SENTENCES[Role.IDENTIFIER]}{_hipaa(concept.hipaa)}"
    if concept.what == AT_WORK:
        reason = f"{concept.what}: names or numbers people"
    if (
        not few
        or numbered
        or concept.what in _NEVER_CATEGORIES
        or (named and concept.what == NUMBER_OF_A_PERSON)
    ):
        return Proposal(Role.IDENTIFIER, reason, about=concept)
    if column.distinct > _CATEGORIES or (named and concept.what in (OTHER_PERSON, AT_WORK)):
        reason = f"{concept.what}, by its name; removed although it has few values"
        return Proposal(Role.IDENTIFIER, reason, sure=False, about=concept)
    return None


def _constant(column: ColumnProfile, about: Concept | None) -> Proposal | None:
    """Return the proposal for a column that is the same in every row."""
    if column.categories > 1:
        return None
    if about is not None and about.role is Role.SENSITIVE:
        return Proposal(
            Role.SENSITIVE, f"{about.what}: everybody in the table has the same value", about=about
        )
    return Proposal(Role.INSENSITIVE, "the same in every row: it distinguishes nobody")


def _by_name(column: ColumnProfile, about: Concept | None) -> Proposal | None:
    if about is None or (about.numbers and column.kind not in (Kind.INTEGER, Kind.DECIMAL, Kind.BOOLEAN)):
        return None
    # `family` may have names, and so may `student`.
    names = column.kind is Kind.TEXT and (about.what in _OF_FEW_VALUES or is_about(column.name, _NUMBERED))
    # The numbers of citizens and households are no origins and sizes.
    numbers = about.role is Role.QUASI_IDENTIFIER and not about.hipaa and is_numbered(column.name)
    if column.distinct > SOME and (names or numbers):
        return None
    if about.role is Role.SENSITIVE and (_is_date(column) or (about.what != _MONEY and _is_serial(column))):
        # Released unchanged, the day of an arrest or of surgery would single people out.
        reason = f"a date ({about.what}): others may know when something happened{_hipaa('C')}"
        return Proposal(Role.QUASI_IDENTIFIER, reason, about=about)
    bands = about.hint == "age" and column.coded  # `18 to 29`
    if about.hipaa == "C" and column.kind is Kind.TEXT and not (column.pattern or column.harmless or bands):
        return None  # names, under the word for a day
    known = is_about(column.name, about) or (column.looks_like or "").startswith(ILLNESSES)
    known = known or column.harmless or (column.coded and is_of_things(column.name))
    if about.role is Role.SENSITIVE and column.kind is Kind.TEXT and not known:
        reason = f"{about.what}, in {column.distinct:,} texts that may name people or days"
        return Proposal(Role.IDENTIFIER, f"{reason}; removed unless you know what they are", sure=False)
    return Proposal(about.role, f"{about.what}: {_SENTENCES[about.role]}{_hipaa(about.hipaa)}", about=about)


def _is_date(column: ColumnProfile) -> bool:
    """Return whether a column holds dates or times, in whatever form."""
    if column.kind in (Kind.DATE, Kind.TIMESTAMP):
        return True
    if column.pattern is not None and column.pattern.what in (DATES, TIMES):
        return True
    parts = words(column.name)
    return "per" not in parts and not _DATE_WORDS.isdisjoint(parts) and column.kind is not Kind.BOOLEAN


def _is_year(column: ColumnProfile) -> bool:
    """Return whether all values are years that people alive remember: amounts are hardly ever so near."""
    numbers = column.kind is Kind.INTEGER and column.distinct > _CATEGORIES and column.quantiles
    return bool(numbers) and _YEARS[0] <= column.quantiles[0] <= column.quantiles[-1] <= _YEARS[1]


def _is_serial(column: ColumnProfile) -> bool:
    """Return whether whole numbers may be days as spreadsheets count them."""
    numbers = column.kind is Kind.INTEGER and column.distinct > SOME and column.quantiles
    return bool(numbers) and _SERIAL_DAYS[0] <= column.quantiles[0] <= column.quantiles[-1] <= _SERIAL_DAYS[1]


def _by_values(column: ColumnProfile) -> Proposal | None:
    """Return the proposal by the form of the values, where the form does not identify one person."""
    pattern = column.pattern
    if pattern is not None and pattern.what == DATES and column.distinct >= _MANY_SHARE * column.values:
        if column.kind is Kind.TEXT:
            reason = f"dates in an unknown format{_hipaa('C')}; removed"
            return Proposal(Role.IDENTIFIER, reason, sure=False)
    elif pattern is not None and pattern.role is not Role.IDENTIFIER:
        sentence = f"{pattern.what}: {_SENTENCES_ON_VALUES[pattern.role]}"
        return Proposal(pattern.role, f"{sentence}{_hipaa(pattern.hipaa)}")
    if column.kind in (Kind.DATE, Kind.TIMESTAMP):
        return Proposal(Role.QUASI_IDENTIFIER, f"dates: others may know them{_hipaa('C')}")
    if column.kind is Kind.TEXT and column.distinct > _FEW and column.looks_like in _NO_NUMBERS:
        # As text, the values are too many for a useful hierarchy.
        return Proposal(Role.IDENTIFIER, f"{column.looks_like}{_NO_NUMBERS[column.looks_like]}", sure=False)
    return None


def _by_numbers(column: ColumnProfile, concepts: list[Concept]) -> Proposal:
    """Propose a role for a column whose name and values give no hint."""
    share = column.distinct / column.values
    if column.distinct > 10 and share >= _KEY_SHARE and column.kind in (Kind.TEXT, Kind.INTEGER):
        reason = "almost every row has a unique value: identifies one person"
        return Proposal(Role.IDENTIFIER, reason, sure=column.kind is Kind.TEXT)
    if _are_codes(column):
        reason = f"{column.distinct:,} codes of one form, which may be numbers of people; removed"
        return Proposal(Role.IDENTIFIER, reason, sure=False, about=_RECORD)
    if column.kind is Kind.TEXT and not (column.harmless or column.leading_zeros):
        reason = f"{column.distinct:,} texts that may name people; removed unless you know what they are"
        return Proposal(Role.IDENTIFIER, reason, sure=False)
    if concepts:
        unlike = "too few values for" if share < _MANY_SHARE else "its values do not look like"
        reason = f"{unlike} {concepts[0].what}; treated as known to others, to be safe"
    else:
        reason = "its name gives no hint; treated as known to others, to be safe"
    return Proposal(Role.QUASI_IDENTIFIER, reason, sure=False)


def _hipaa(letter: str | None) -> str:
    return f" (HIPAA {letter})" if letter else ""
