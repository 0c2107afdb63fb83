"""The meaning of column names: `zip_code` is a postcode, `dob` a date of birth, `Gehalt` a salary.

Names are split into words first (`zipCode`, `zip-code` and `ZIPCODE` alike), in whatever letters, and whole
words are compared: `age` is not in `language`, `page` or `postage`. Most words are English, some German,
French and Spanish. The head of a name is what its values are: `patient_no` is about a patient, `patient_type`
about a type, `loan_applicant` about a person and `age_at_diagnosis` about an age.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from shoal.describe.roles import Role
from shoal.suggestions.concepts import AT_WORK, CONCEPTS, OTHER_PERSON, Concept

_WORD = re.compile(r"A+(?=Aa)|A?a+|A+|0+")
"""In a name of which each letter is replaced by its kind: see `_kind`."""
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
_KINDS = "group kind status level grade rank stage band segment size color colour art typ klasse gruppe stufe"
_CATEGORIES = _NOT_OF_PEOPLE | frozenset(_KINDS.split())
_NUMBERS = "id ids uid no nr nro num number nummer numer numero ref reference card pass key token номер"
NUMBER_WORDS: Final = frozenset(_NUMBERS.split())
_FIRST_NUMBER_WORDS = frozenset({"numero", "dossier", "compte", "номер"})
"""In French or Spanish the number comes first; `number_of_visits` and `num_children` are counts."""
_NUMBER_ENDINGS = ("number", "nummer", "numero")
_NAME_WORDS = frozenset({"name", "names", "nm", "nom", "nombre", "nome", "initials"})
_CODE_WORDS = frozenset({"code", "codes", "description", "text"})
_AGENTS = frozenset({"by", "von", "durch", "par", "por", "door"})
_BEFORE_MORE = """
    at of in on for from per to when before after during since until under with
    bei beim im am zu zum zur an auf vor nach seit waehrend mit der dem den
    de du des a au aux en avant apres pendant lors del al con antes despues desde
    di da do dal dalla alla allo nel nella dopo prima ao na bij van voor tijdens op vid ved w przy przed
"""
_OFTEN_BESIDE = frozenset({"a state or region", "the year of something"})
"""A state of health is no region, and what somebody did last year is no year."""
_PREPOSITIONS = frozenset(_BEFORE_MORE.split())


def words(name: str) -> tuple[str, ...]:
    """Split a name into words, in lower case and without accents.

    Examples
    --------
    >>> words("dateOfBirth"), words("ZIP_code"), words("PLZ-Größe"), words("language")
    (('date', 'of', 'birth'), ('zip', 'code'), ('plz', 'groesse'), ('language',))
    >>> words("lastname"), words("logwage"), words("postage")
    (('lastname',), ('log', 'wage'), ('postage',))
    >>> words("НомерПациента"), words("患者ID")
    (('номер', 'пациента'), ('患者', 'id'))
    """
    for umlaut, plain in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), *_STROKES):
        name = name.replace(umlaut, plain)
    letters = unicodedata.normalize("NFKD", name)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    found = _WORD.finditer("".join(map(_kind, bare)))
    return tuple(part for word in found for part in _parts(bare[slice(*word.span())].casefold()))


def _kind(letter: str) -> str:
    """Return `A` for a capital, `a` for any other letter or vowel sign, `0` for a digit, else a space."""
    if letter.isdigit():
        return "0"
    if letter.isupper():
        return "A"
    return "a" if letter.isalnum() or unicodedata.category(letter).startswith("M") else " "


def is_numbered(name: str) -> bool:
    """Return whether a name says that its values are numbers of something.

    Examples
    --------
    >>> is_numbered("health_insurance_no"), is_numbered("Rentenversicherungsnummer"), is_numbered("crime_ref")
    (True, True, True)
    >>> is_numbered("number_of_visits"), is_numbered("hospital_id"), is_numbered("diabetes")
    (False, False, False)
    """
    parts = [part for part in words(name) if not part.isdigit()]
    if not parts or _CATEGORIES & set(parts):
        return False
    last = parts[-1]
    return last in NUMBER_WORDS or last.endswith(_NUMBER_ENDINGS) or parts[0] in _FIRST_NUMBER_WORDS


def is_of_things(name: str) -> bool:
    """Return whether a name says that its values are things or categories.

    Examples
    --------
    >>> is_of_things("product"), is_of_things("account_type"), is_of_things("attendee")
    (True, True, False)
    """
    return not _CATEGORIES.isdisjoint(words(name))


def head(name: str) -> str:
    """Return the word that says what the values of a column are, or whose name or number.

    Examples
    --------
    >>> head("patient_id"), head("Patient Name"), head("patient_type"), head("id")
    ('patient', 'patient', 'type', '')
    >>> head("age_at_diagnosis"), head("name of the patient"), head("diagnosis_code")
    ('age', 'patient', 'diagnosis')
    """
    of_whom = NUMBER_WORDS | _NAME_WORDS | _CODE_WORDS
    found = ""
    for part in words(name):
        if part in _PREPOSITIONS:
            if found:
                break
        elif part not in of_whom and not part.isdigit():
            found = part
    return found


def is_about(name: str, concept: Concept) -> bool:
    """Return whether the head of a name is a word of a concept.

    Examples
    --------
    >>> [is_about(name, concepts_of("diagnosis")[0]) for name in ("main diagnosis", "diagnosis made by")]
    [True, False]
    """
    return any(head(name) in phrase.split() for phrase in concept.phrases)


def is_agent(name: str) -> bool:
    """Return whether a name says who did something.

    Examples
    --------
    >>> is_agent("vaccinated_by"), is_agent("by_age")
    (True, False)
    """
    return head(name) in _AGENTS


def is_of_staff(name: str) -> bool:
    """Return whether a name has a word for somebody at work.

    Examples
    --------
    >>> is_of_staff("officer_gender"), is_of_staff("gender")
    (True, False)
    """
    return any(concept.what == AT_WORK and any(_fits(concept.phrases, words(name))) for concept in CONCEPTS)


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
    >>> [concept.what for concept in concepts_of("age_at_diagnosis")]
    ['age', 'health']
    >>> concepts_of("age first arrest")[0].what, concepts_of("arrests last year")[0].what
    ('age', 'crime or punishment')
    """
    parts = words(name)
    of_people = not _NOT_OF_PEOPLE & set(parts)
    found = []
    for order, concept in enumerate(CONCEPTS):
        if concept.hipaa == "A" and not of_people:
            continue
        if concept.what in (OTHER_PERSON, AT_WORK) and head(name) not in concept.phrases:
            continue
        if fit := max(_fits(concept.phrases, parts), default=0):
            found.append((-fit, _PRECEDENCE[concept.role], order, concept))
    ranked = [concept for *_, concept in sorted(found, key=lambda one: one[:3])]
    if any(concept.hint == "age" for concept in ranked):
        # An age is one wherever it is in the name, as in `age first arrest` and `Alter b. Erkrankung`.
        ranked.sort(key=lambda concept: concept.role is Role.SENSITIVE)
    elif any(_is_known_to_others(name, concept) for concept in ranked):
        # The city of an arrest is a city, and who applies for a loan is a person: both single people out.
        ranked.sort(key=lambda concept: concept.role is Role.SENSITIVE and not is_about(name, concept))
    return ranked


def _is_known_to_others(name: str, concept: Concept) -> bool:
    """Return whether the values themselves are what others know or what names people."""
    if concept.what in _OFTEN_BESIDE:
        return False
    return (concept.hipaa is not None or concept.role is Role.QUASI_IDENTIFIER) and is_about(name, concept)


# Of two concepts in a name, the one that is worse to reveal counts, unless the other one is what the values
# are.
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
