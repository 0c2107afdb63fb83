"""The meaning of column names: `zip_code` is a postcode, `dob` a date of birth, `Gehalt` a salary.

Names are split into words first (`zipCode`, `zip-code` and `ZIPCODE` alike), and whole words are compared:
`age` is not in `language`, `page` or `postage`. Most words are English, some German, French and Spanish.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

from shoal.describe.roles import Role
from shoal.suggestions.concepts import CONCEPTS, Concept

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_STROKES = (("ł", "l"), ("Ł", "L"), ("ø", "o"), ("Ø", "O"), ("đ", "d"), ("\u0131", "i"))
_SHORT_PARTS = frozenset({"zip", "log", "dob", "ssn", "mrn", "net"})
_OTHER_PARTS = frozenset({"code", "number", "group", "class", "level", "type", "years", "status", "amount"})
_NEVER_A_PART = frozenset({"mail", "party", "post", "land"})
_THINGS = (
    "product company file brand hospital clinic store shop item course school field column table "
    "variable event project department team group device model bank firm drug sample domain class "
    "type category"
)
_NOT_OF_PEOPLE = frozenset(_THINGS.split())


def words(name: str) -> tuple[str, ...]:
    """Split a name into words, in lower case and without accents.

    Examples
    --------
    >>> words("dateOfBirth"), words("ZIP_code"), words("PLZ-Größe"), words("language")
    (('date', 'of', 'birth'), ('zip', 'code'), ('plz', 'groesse'), ('language',))
    >>> words("lastname"), words("logwage"), words("postage")
    (('lastname',), ('log', 'wage'), ('postage',))
    """
    for umlaut, plain in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), *_STROKES):
        name = name.replace(umlaut, plain)
    letters = unicodedata.normalize("NFKD", name)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    found = [word.lower() for word in _WORD.findall(bare)]
    return tuple(part for word in found for part in _parts(word))


def concepts_of(name: str) -> list[Concept]:
    """Return the concepts that a name may mean, the most likely first.

    Examples
    --------
    >>> [concept.what for concept in concepts_of("native-country")]
    ['a country or origin']
    >>> [concept.what for concept in concepts_of("sexualOrientation")]
    ['sexual orientation']
    >>> concepts_of("language_page") == concepts_of("language"), concepts_of("usage")
    (True, [])
    """
    parts = words(name)
    of_people = not _NOT_OF_PEOPLE & set(parts)
    found = []
    for order, concept in enumerate(CONCEPTS):
        if concept.hipaa == "A" and not of_people:
            continue
        if fit := max(_fits(concept.phrases, parts), default=0):
            found.append((-fit, _PRECEDENCE[concept.role], order, concept))
    return [concept for *_, concept in sorted(found, key=lambda one: one[:3])]


# Of two concepts in a name, the one that is worse to reveal counts.
_PRECEDENCE = {Role.IDENTIFIER: 2, Role.SENSITIVE: 0, Role.QUASI_IDENTIFIER: 1}


def _fits(phrases: Iterable[str], parts: Sequence[str]) -> Iterable[int]:
    """Yield the number of words of each phrase that is in a name."""
    for phrase in phrases:
        wanted = phrase.split()
        if set(wanted) <= set(parts) or "".join(wanted) in parts:
            yield len(wanted)


@cache
def _vocabulary() -> frozenset[str]:
    listed = {word for concept in CONCEPTS for phrase in concept.phrases for word in phrase.split()}
    return frozenset(listed | _OTHER_PARTS)


@cache
def _parts(word: str) -> tuple[str, ...]:
    """Split a word such as `birthcountry` into known words, if they cover all of it."""
    known = _vocabulary()
    if word in known or not word.isalpha():
        return (word,)
    for end in range(len(word) - 3, 2, -1):
        head = word[:end]
        if head in known and _may_be_a_part(head):
            rest = _parts(word[end:])
            if all(part in known and _may_be_a_part(part) for part in rest):
                return (head, *rest)
    return (word,)


def _may_be_a_part(word: str) -> bool:
    return word in _SHORT_PARTS or (len(word) >= 4 and word not in _NEVER_A_PART)
