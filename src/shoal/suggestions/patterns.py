"""The form of values: e-mail addresses, card numbers, free text. Check digits are verified."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from math import ceil
from typing import Final

from shoal.describe.roles import Role
from shoal.suggestions.first_names import has_name

MOST = 0.8
"""Share of the values that must have a form before the column is assigned it."""

_SOME_NAMES = 0.4
SOME = 0.1
"""Share of the values that must have the sign of a form that has one."""
DATES = "dates"
NAMES = "names of people"
TIMES = "times of day"
_EMAIL = re.compile(r"[^@\s,;]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_CARD = re.compile(r"[0-9]{4}([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{1,7}|3[47][0-9]{2}([ -]?)[0-9]{6}\2[0-9]{5}")
_SSN = re.compile(r"(?!000|666|9)[0-9]{3}([- ])(?!00)[0-9]{2}\1(?!0000)[0-9]{4}")
_URL = re.compile(r"(https?|ftp)://\S+|www\.[A-Za-z0-9-]+\.\S+", re.IGNORECASE)
_MAC = re.compile(r"[0-9A-Fa-f]{2}([:-])[0-9A-Fa-f]{2}(\1[0-9A-Fa-f]{2}){4}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PHONE = re.compile(
    r"(\+|00)[0-9][0-9 ()./-]{6,18}|\(0?[0-9]{2,4}\)[0-9 ./-]{5,12}|0?[0-9]{2,5}([ ./-][0-9]{2,8}){1,4}"
)
_DATE = re.compile(r"[0-9]{1,4}([./-])[0-9]{1,2}\1[0-9]{1,4}.*|[0-9]{4}[-/.][0-9]{1,2}")
_ICD = re.compile(r"[A-TV-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?([ :-].*)?")
_ICD_AND_TEXT = re.compile(r"[A-TV-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?[ :-]+[^\W\d_].*")
_POSTCODE = re.compile(
    r"[0-9]{5}-[0-9]{4}"  # United States
    r"|[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}"  # United Kingdom
    r"|[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]"  # Canada
    r"|[1-9][0-9]{3} ?[A-Z]{2}"  # Netherlands
    r"|(D|A|CH|F)-[0-9]{4,5}"
)
_COORDINATES = re.compile(r"\(?\s*(-?[0-9]{1,2}\.[0-9]+)\s*[,; ]\s*(-?[0-9]{1,3}\.[0-9]+)\s*\)?")
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH = (
    r"(?:jan|ene|feb|f[eé]v|m[aä]r|mrz|apr|avr|abr|ma[iy]|jun|jui|jul|aug|ago|ao[uû]|sep|oct|okt|nov|dec|d[eé]c"
    r"|dez|dic)[^\W\d_]{0,7}"
)
_WRITTEN_DATES = (
    rf"{_DAY}([./-]){_DAY}\1(?:[0-9]{{4}}|[0-9]{{2}})",  # 5.3.2024, 3/5/24
    rf"[12][0-9]{{3}}([./-])(?:0?[1-9]|1[0-2])\2{_DAY}",  # 2024/3/5
    rf"{_DAY}[. /-]{{0,2}}{_MONTH}[. ,/-]{{0,2}}(?:[0-9]{{4}}|[0-9]{{2}})",  # 5. März 2024, 05MAR2024
    rf"{_MONTH}[. -]{{0,2}}{_DAY}[ ,-]{{1,2}}[0-9]{{4}}",  # March 5, 2024
    r"(?:0[1-9]|[12][0-9]|3[01])(?:0[1-9]|1[0-2])(?:19|20)[0-9]{2}",  # 05032024
    rf"{_DAY}\.(?:0?[1-9]|1[0-2])\.",  # 5.3.
    r"(?:19|20)[0-9]{2}-?(?:W[0-5][0-9](?:-?[1-7])?|[0-3][0-9]{2})",  # 2024-W10, 2024-065
)
_TIME = r"[T ,:]+[0-9]{1,2}(?:[:.h][0-9]{2}.*|\s*[ap]\.?m.*)"
_WRITTEN_DATE = re.compile(rf"(?:{'|'.join(_WRITTEN_DATES)})(?:{_TIME})?", re.IGNORECASE)
_RUN = re.compile(r"([0-9]+)|([^\W\d_]+)")
_CLOCK = re.compile(r"(?:[01]?[0-9]|2[0-4]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?")
_DIGITS = re.compile("[0-9]+")
_MONTH_NAME = re.compile(_MONTH, re.IGNORECASE)
_LONGEST_DAY = 2
_WHOLE_DATES = (6, 7, 8)
_FREE_TEXT_WORDS = 5
_FREE_TEXT_LENGTH = 25


ILLNESSES = "ICD-10 codes"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A form that values may have.

    Attributes
    ----------
    what
        Its name in reasons.
    role
        The proposed role of a column of such values.
    matches
        Whether one value has the form.
    hipaa
        Its letter among the eighteen identifiers of Safe Harbor.
    sign
        What some values must have where other codes may have the form too.
    share
        Share of the values that must have the form.
    """

    what: str
    role: Role
    matches: Callable[[str], bool]
    hipaa: str | None = None
    sign: Callable[[str], bool] | None = None
    share: float = MOST


def luhn(digits: str) -> bool:
    """Return whether the last digit is the check digit of Luhn's formula, as on cards.

    Examples
    --------
    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for position, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + position % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def is_iban(text: str) -> bool:
    """Return whether a text is an IBAN with correct check digits (ISO 13616).

    Examples
    --------
    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB82 WEST 1234 5698 7654 33")
    (True, False)
    """
    bare = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(bare):
        return False
    return int("".join(str(int(letter, 36)) for letter in bare[4:] + bare[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """Return whether a text is the number of a payment card, by its form and check digit.

    Examples
    --------
    >>> is_card("4111 1111 1111 1111"), is_card("4111111111111112"), is_card("0000000000000000")
    (True, False, False)
    """
    if not _CARD.fullmatch(text):
        return False
    digits = re.sub("[ -]", "", text)
    return digits[0] in "23456" and luhn(digits)


def is_phone(text: str) -> bool:
    """Return whether a text has the form of a telephone number: with `+`, brackets or gaps.

    Examples
    --------
    >>> is_phone("+49 30 123456"), is_phone("(555) 010-9999"), is_phone("555-010-9999")
    (True, True, True)
    >>> is_phone("5550109999"), is_phone("2024-01-31"), is_phone("12345-6789"), is_phone("192.168.1.1")
    (False, False, False, False)
    """
    if not _PHONE.fullmatch(text) or _DATE.fullmatch(text) or _SSN.fullmatch(text) or is_ip(text):
        return False
    digits = sum(letter.isdigit() for letter in text)
    gaps = sum(letter in " ()./-" for letter in text)
    return 7 <= digits <= 15 and (text[0] in "+(0" or gaps >= 2)


def is_ip(text: str) -> bool:
    """Return whether a text is an IP address.

    Examples
    --------
    >>> is_ip("192.168.1.1"), is_ip("2001:db8::1"), is_ip("1.2.3"), is_ip("17")
    (True, True, False, False)
    """
    if text.count(".") != 3 and text.count(":") < 2:
        return False
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def is_free_text(text: str) -> bool:
    """Return whether a text is a sentence rather than a label.

    Examples
    --------
    >>> is_free_text("Came in with his sister, Ann, after a fall."), is_free_text("Upper secondary, general")
    (True, False)
    """
    return len(text) >= _FREE_TEXT_LENGTH and len(text.split()) >= _FREE_TEXT_WORDS


def is_date(text: str) -> bool:
    """Return whether a text has the form of a date, with or without a time, in whatever order.

    Examples
    --------
    >>> is_date("5.3.2024 9:05"), is_date("05MAR2024"), is_date("5. März 2024"), is_date("2024-W10")
    (True, True, True, True)
    >>> is_date("1.2.3"), is_date("12ABC2024"), is_date("45356"), is_date("40-47-84")
    (False, False, False, False)
    """
    return _WRITTEN_DATE.fullmatch(text) is not None


def may_be_a_day(text: str) -> bool:
    """Return whether a text has a day of the month beside a month, or digits that may be a whole date.

    Examples
    --------
    >>> may_be_a_day("Tue, 5 March"), may_be_a_day("24/03"), may_be_a_day("15.3."), may_be_a_day("150354")
    (True, True, True, True)
    >>> may_be_a_day("March 2024"), may_be_a_day("Q1 2024"), may_be_a_day("2023/24"), may_be_a_day("9:30")
    (False, False, False, False)
    """
    if _CLOCK.fullmatch(text):
        return False
    runs = [len(run) for run in _DIGITS.findall(text)]
    short = sum(length <= _LONGEST_DAY for length in runs)
    month = short and _MONTH_NAME.search(text)
    return short > 1 or bool(month) or any(length in _WHOLE_DATES for length in runs)


def _is_pair_of_coordinates(text: str) -> bool:
    found = _COORDINATES.fullmatch(text)
    return found is not None and abs(float(found[1])) <= 90 and abs(float(found[2])) <= 180


def _full(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


_I, _Q, _S = Role.IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE

PATTERNS: Final = (
    Pattern("e-mail addresses", _I, _full(_EMAIL), "F"),
    Pattern("web addresses", _I, _full(_URL), "N"),
    Pattern("IBANs", _I, is_iban, "J"),
    Pattern("card numbers", _I, is_card, "J"),
    Pattern("social security numbers", _I, _full(_SSN), "G"),
    Pattern("IP addresses", _I, is_ip, "O"),
    Pattern("MAC addresses", _I, _full(_MAC), "M"),
    Pattern("UUIDs", _I, _full(_UUID), "R"),
    Pattern("telephone numbers", _I, is_phone, "D"),
    Pattern("free text", _I, is_free_text),
    Pattern(NAMES, _I, has_name, "A", share=_SOME_NAMES),
    Pattern("pairs of coordinates", _I, _is_pair_of_coordinates, "B"),
    Pattern("postcodes", _Q, _full(_POSTCODE), "B"),
    Pattern(ILLNESSES, _S, _full(_ICD), sign=lambda text: "." in text),
    Pattern(f"{ILLNESSES} with texts", _Q, _full(_ICD_AND_TEXT)),
    Pattern(DATES, _Q, is_date, "C"),
    Pattern(TIMES, _Q, _full(_CLOCK), "C"),
)
"""In order of precedence: of two that fit, the first counts."""


def are_codes(values: Iterable[str]) -> bool:
    """Return whether most values are codes of one form: digits and letters in the same order.

    Examples
    --------
    >>> are_codes(["P017", "P4", "P230"]), are_codes(["EXP-1", "EXP-22"]), are_codes(["Ann 1", "flu", "3"])
    (True, True, False)
    >>> are_codes(["Rome", "Paris"]), are_codes(["007", "012"])
    (False, False)
    """
    forms = Counter(_RUN.sub(lambda run: "0" if run[1] else "a", value.strip()) for value in values)
    if not forms:
        return False
    form, number = forms.most_common(1)[0]
    return "0" in form and len(form) > 1 and number >= MOST * forms.total()


def pattern_of(values: Iterable[str]) -> Pattern | None:
    """Return the form of most of some values, if they have one.

    Examples
    --------
    >>> pattern_of(["ann@example.org", "bob@example.org"]).what
    'e-mail addresses'
    >>> pattern_of(["red", "green"]), pattern_of([])
    (None, None)
    >>> pattern_of(["I10", "E11.9"]).what, pattern_of(["P01", "P17"])
    ('ICD-10 codes', None)
    """
    values = list(values)
    for pattern in PATTERNS:
        if pattern.sign is not None and sum(map(pattern.sign, values)) < SOME * len(values):
            continue
        misses_left = len(values) - ceil(pattern.share * len(values))
        for value in values:
            if not pattern.matches(value.strip()):
                misses_left -= 1
                if misses_left < 0:
                    break
        else:
            if values:
                return pattern
    return None
