"""What values look like."""

from __future__ import annotations

import pytest

from shoal.suggestions.patterns import PATTERNS, luhn, pattern_of

TRUE_FRIENDS = {
    "e-mail addresses": ["ann@example.org", "a.b+c@mail.example.co.uk"],
    "web addresses": ["https://example.org/a?b=c", "www.example.org/x"],
    "IBANs": ["DE89370400440532013000", "GB82 WEST 1234 5698 7654 32", "FR1420041010050500013M02606"],
    "card numbers": ["4111111111111111", "5500 0000 0000 0004", "3782-822463-10005"],
    "social security numbers": ["219-09-9999", "457 55 5462"],
    "IP addresses": ["10.0.0.1", "2001:db8::ff00:42:8329"],
    "MAC addresses": ["00:1B:44:11:3A:B7", "00-1b-44-11-3a-b7"],
    "UUIDs": ["123e4567-e89b-12d3-a456-426614174000"],
    "telephone numbers": ["+49 30 123456", "(555) 010-9999", "555-010-9999", "030/1234567", "0043 1 234567"],
    "free text": ["Came in with his sister, Ann, after a fall."],
    "pairs of coordinates": ["48.137, 11.575", "(-33.86; 151.2)"],
    "postcodes": ["53711-1234", "SW1A 1AA", "K1A 0B1", "1012 AB", "D-10115"],
    "ICD-10 codes": ["E11.9", "J45.0 Asthma"],
    "dates": [
        "2024-01-31", "31.12.1999", "1/2/2003", "2020-01-01T10:00:00", "5.3.2024 9:05", "05MAR2024",
        "5-Mar-24", "1. Mai 2024", "March 5, 2024", "05032024", "2024-W10",
        "05/Mar/2024:10:00:00 +0000", "3/5/24 9:05 PM",
    ],
    "times of day": ["10:30", "9:05", "23:59:59"],
}  # fmt: skip

FALSE_FRIENDS = [
    "40/12/2003", "31.13.", "05XYZ2024", "12345", "1234567", "40400", "3.14", "1,000,000", "12345-6789x",
    "DE89370400440532013001", "4111111111111112", "0000000000000000", "000-12-3456", "256.1.1.1", "1.2.3",
    "ann@home", "Upper secondary, general", "Self-emp-not-inc", "<=50K", "?", "",
    "1. Never Married", "95.5, 200.1", "Female", "CA", "P00000001", "[20, 30)", "7 8 9",
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "text"), [(what, text) for what, texts in TRUE_FRIENDS.items() for text in texts]
)
def test_what_a_value_looks_like(what, text):
    assert pattern_of([text]).what == what


@pytest.mark.parametrize("text", FALSE_FRIENDS)
def test_what_looks_like_nothing(text):
    assert pattern_of([text]) is None


def test_most_values_decide():
    mails = [f"p{number}@example.org" for number in range(8)]
    assert pattern_of([*mails, "-", "none"]).what == "e-mail addresses"
    assert pattern_of([*mails, "-", "none", "?"]) is None


@pytest.mark.parametrize("digits", ["79927398713", "4111111111111111", "0"])
def test_luhn_is_the_published_formula(digits):
    """Against the formula worked out the other way: double from the right, sum the digits of the products."""
    total = sum(
        sum(map(int, str(int(digit) * (2 if place % 2 else 1))))
        for place, digit in enumerate(reversed(digits))
    )
    assert luhn(digits) == (total % 10 == 0)
    other = digits[:-1] + str((int(digits[-1]) + 1) % 10)
    assert not luhn(other)


def test_no_pattern_stumbles():
    for pattern in PATTERNS:
        for text in (
            "",
            " ",
            "\0",
            "ß" * 5000,
            "9" * 5000,
            "-" * 5000,
            "a" * 5000 + "@",
            "١٢٣-٤٥-٦٧٨٩",
            "1.1.1.²",
        ):
            assert pattern.matches(text) in (True, False)
