"""The role of a column, with the reason in words.

What is not known is taken for a quasi-identifier: that hides it in a crowd, while `insensitive` would release
it as it is. So `insensitive` is proposed only for columns that tell nobody apart, being empty or the same in
every row. What cannot be generalized usefully, such as free text, is left out as an identifier.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from shoal.describe.roles import Role
from shoal.suggestions.concepts import Concept
from shoal.suggestions.kinds import Kind
from shoal.suggestions.names import concepts_of, words
from shoal.suggestions.patterns import DATES
from shoal.suggestions.profile import DECIMAL_COMMAS, UNCLEAR_COMMAS, ColumnProfile

_FEW = 50
_SMALL_SHARE = 0.05
_KEY_SHARE = 0.95
_MANY_SHARE = 0.5
_CATEGORIES = 5
_ONCE = 0.1
_NAME = "the name of a person"
_RECORD = "a record's number"
BARE_NUMBERS = frozenset({"id", "uid", "uuid", "guid", "pid"})
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
        "a person's number",
        "a medical record number",
        "a case number",
        "a social security or tax number",
        "a number at a health plan",
        "an e-mail address",
    }
)
_NEVER_CATEGORIES = frozenset({_NAME, "a social security or tax number", "an e-mail address"})

_SENTENCES = {
    Role.IDENTIFIER: "points at one person",
    Role.QUASI_IDENTIFIER: "others may know it",
    Role.SENSITIVE: "nobody should learn it",
}
_SENTENCES_ON_VALUES = {
    Role.IDENTIFIER: "each points at one person",
    Role.QUASI_IDENTIFIER: "others may know them",
    Role.SENSITIVE: "nobody should learn them",
}

_NO_NUMBERS = {
    DECIMAL_COMMAS: ", but some values are none; left out, unless these are corrected, or NULL",
    UNCLEAR_COMMAS: ", which may be decimal marks or stand between thousands; left out, unless that is known",
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A role, and why.

    Attributes
    ----------
    sure
        Whether name or values told it. Otherwise somebody who knows the table should look.
    about
        What the name says the column is about, if it was what told.
    """

    role: Role
    reason: str
    sure: bool = True
    about: Concept | None = None


def propose_role(column: ColumnProfile) -> Proposal:
    """Propose the role of a column by its name, the look of its values and how many there are.

    Examples
    --------
    >>> from shoal.suggestions.profile import profile
    >>> import pyarrow as pa
    >>> people = profile(pa.table({"dob": ["1.2.1980"] * 3 + ["3.4.1975"], "mail": ["a@b.de", "c@d.fr"] * 2}))
    >>> [propose_role(column).role.value for column in people.columns.values()]
    ['quasi-identifier', 'identifier']
    >>> propose_role(people["mail"]).reason
    'e-mail addresses: each points at one person (HIPAA F)'
    """
    if not column.values:
        return Proposal(Role.INSENSITIVE, "it is empty")
    if column.kind is Kind.OTHER:
        reason = "lists, structures or bytes cannot be generalized; left out"
        return Proposal(Role.IDENTIFIER, reason, sure=False)
    concepts = concepts_of(column.name)
    told = next((concept for concept in concepts if concept.role is not Role.IDENTIFIER), None)
    return (
        _identifier(column, concepts)
        or _constant(column, told)
        or _by_name(column, told)
        or _by_values(column)
        or _by_numbers(column, concepts)
    )


def _identifier(column: ColumnProfile, concepts: list[Concept]) -> Proposal | None:
    """Return the proposal for what points at one person by the look of the values or by name, else None."""
    pattern = column.pattern
    few = column.distinct <= _FEW and column.distinct < _SMALL_SHARE * column.values
    if pattern is not None and pattern.role is Role.IDENTIFIER:
        if pattern.what == "free text":
            # Sentences that do not repeat are no categories, however few they are.
            repeat = column.once <= _ONCE * column.distinct
            if not few or not repeat or not _REMARKS.isdisjoint(words(column.name)):
                reason = "free text may name people, and cannot be generalized; left out"
                return Proposal(Role.IDENTIFIER, reason)
        else:
            reason = f"{pattern.what}: {_SENTENCES_ON_VALUES[Role.IDENTIFIER]}{_hipaa(pattern.hipaa)}"
            about = next((one for one in concepts if one.what in OF_ONE_PERSON), None)
            return Proposal(Role.IDENTIFIER, reason, about=about)
    if column.kind is Kind.BOOLEAN:
        return None
    for place, concept in enumerate(concepts):
        if concept.what == _RECORD:
            found = _record(column, concept)
        elif concept.role is Role.IDENTIFIER and concepts[0].role is Role.IDENTIFIER:
            found = _person(column, concept, few=few)
        else:
            found = None
        if found is not None and (place == 0 or found.sure):
            return found
    return None


def _record(column: ColumnProfile, concept: Concept) -> Proposal | None:
    """Return the proposal for `id` or `visit_id`: of a record, or of a person who has several rows."""
    if column.kind not in (Kind.INTEGER, Kind.TEXT):
        return None
    bare = BARE_NUMBERS.issuperset(words(column.name))
    if column.distinct >= _MANY_SHARE * column.values:
        reason = f"{concept.what}: {_SENTENCES[Role.IDENTIFIER]}{_hipaa(concept.hipaa)}"
    elif bare and column.distinct > _CATEGORIES:
        reason = "a number that repeats: probably that of a person who has several rows (HIPAA R)"
    else:
        return None
    return Proposal(Role.IDENTIFIER, reason, about=concept)


def _person(column: ColumnProfile, concept: Concept, *, few: bool) -> Proposal | None:
    """Return the proposal for a column whose name promises an identifier.

    Few values are no reason to release one: thirty patients with forty rows each have few numbers too. But
    `account_type` with three values is a category.
    """
    numbered = concept.what in OF_ONE_PERSON and _NUMBER.fullmatch(words(column.name)[-1])
    reason = f"{concept.what}: {_SENTENCES[Role.IDENTIFIER]}{_hipaa(concept.hipaa)}"
    if not few or numbered or concept.what in _NEVER_CATEGORIES:
        return Proposal(Role.IDENTIFIER, reason, about=concept)
    if column.distinct > _CATEGORIES:
        reason = f"{concept.what}, by its name; left out, although it has few values"
        return Proposal(Role.IDENTIFIER, reason, sure=False, about=concept)
    return None


def _constant(column: ColumnProfile, told: Concept | None) -> Proposal | None:
    """Return the proposal for a column that is the same in every row."""
    if column.categories > 1:
        return None
    if told is not None and told.role is Role.SENSITIVE:
        return Proposal(Role.SENSITIVE, f"{told.what}: everybody in the table has the same", about=told)
    return Proposal(Role.INSENSITIVE, "the same in every row: it tells nobody apart")


def _by_name(column: ColumnProfile, told: Concept | None) -> Proposal | None:
    if told is None:
        return None
    if told.role is Role.SENSITIVE and _is_date(column):
        # Released as it is, the day of an arrest or of surgery would single people out.
        reason = f"a date ({told.what}): others may know when something happened{_hipaa('C')}"
        return Proposal(Role.QUASI_IDENTIFIER, reason, about=told)
    return Proposal(told.role, f"{told.what}: {_SENTENCES[told.role]}{_hipaa(told.hipaa)}", about=told)


def _is_date(column: ColumnProfile) -> bool:
    """Tell whether a column says when something happened, in whatever form."""
    if column.kind in (Kind.DATE, Kind.TIMESTAMP) or (column.pattern and column.pattern.what == DATES):
        return True
    parts = words(column.name)
    return "per" not in parts and not _DATE_WORDS.isdisjoint(parts) and column.kind is not Kind.BOOLEAN


def _by_values(column: ColumnProfile) -> Proposal | None:
    """Return the proposal for what values look like, where that does not point at one person."""
    pattern = column.pattern
    if pattern is not None and pattern.what == DATES and column.distinct >= _MANY_SHARE * column.values:
        if column.kind is Kind.TEXT:
            reason = f"dates in a form that is not known{_hipaa('C')}; left out"
            return Proposal(Role.IDENTIFIER, reason, sure=False)
    elif pattern is not None and pattern.role is not Role.IDENTIFIER:
        sentence = f"{pattern.what}: {_SENTENCES_ON_VALUES[pattern.role]}"
        return Proposal(pattern.role, f"{sentence}{_hipaa(pattern.hipaa)}")
    if column.kind in (Kind.DATE, Kind.TIMESTAMP):
        return Proposal(Role.QUASI_IDENTIFIER, f"dates: others may know them{_hipaa('C')}")
    if column.kind is Kind.TEXT and column.distinct > _FEW and column.looks_like in _NO_NUMBERS:
        # As text they are too many to be hidden one by one.
        return Proposal(Role.IDENTIFIER, f"{column.looks_like}{_NO_NUMBERS[column.looks_like]}", sure=False)
    return None


def _by_numbers(column: ColumnProfile, concepts: list[Concept]) -> Proposal:
    """Propose a role for a column whose name and values tell nothing."""
    share = column.distinct / column.values
    if column.distinct > 10 and share >= _KEY_SHARE and column.kind in (Kind.TEXT, Kind.INTEGER):
        reason = "almost every row has its own value: points at one person"
        return Proposal(Role.IDENTIFIER, reason, sure=column.kind is Kind.TEXT)
    if column.distinct > _FEW and share >= _MANY_SHARE and column.kind is Kind.TEXT:
        reason = f"{share:.0%} of the values differ, text that may name people; left out"
        return Proposal(Role.IDENTIFIER, reason, sure=False)
    if concepts:
        unlike = "too few values for" if share < _MANY_SHARE else "its values do not look like"
        reason = f"{unlike} {concepts[0].what}; taken as known to others, the safe side"
    else:
        reason = "its name tells nothing; taken as known to others, the safe side"
    return Proposal(Role.QUASI_IDENTIFIER, reason, sure=False)


def _hipaa(letter: str | None) -> str:
    return f" (HIPAA {letter})" if letter else ""
