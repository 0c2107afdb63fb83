"""Figures as people read them.

What is summed in another order differs in the last bits. So figures are rounded to twelve digits or so before
they are rounded for people: a half then always goes the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan

UNKNOWN = "not known"


def count(number: float, singular: str = "", plural: str = "") -> str:
    """Write a count, and what is counted.

    Examples
    --------
    >>> count(30162), count(1, "row"), count(0, "row"), count(2, "class", "classes")
    ('30,162', '1 row', '0 rows', '2 classes')
    """
    if not singular:
        return f"{number:,.0f}"
    return f"{number:,.0f} {singular if number == 1 else plural or singular + 's'}"


def counted(number: float, unit: str | None) -> str:
    """Write a count of people where a unit says who a row is about, and of rows otherwise.

    Examples
    --------
    >>> counted(1, "patient"), counted(5, "patient"), counted(5, None)
    ('1 person', '5 people', '5 rows')
    """
    return count(number, "row") if unit is None else count(number, "person", "people")


def percent(share: float | None) -> str:
    """Write a share; nothing that is not 0 or all is rounded to that.

    Examples
    --------
    >>> [percent(share) for share in (0, 0.2, 0.0213, 0.00041, 0.0000001, 0.5, 0.99996, 1, None)]
    ['0%', '20%', '2.1%', '0.04%', '<0.01%', '50%', '>99.9%', '100%', 'not known']
    """
    if share is None or not isfinite(share):
        return UNKNOWN
    hundred = round(100 * share, 9)
    if 0 < hundred < 0.01:
        return "<0.01%"
    if 99.9 < hundred < 100:
        return ">99.9%"
    digits = 2 if 0 < abs(hundred) < 0.1 else 1
    return f"{_without_zeros(f'{hundred:,.{digits}f}')}%"


def figure(number: float | None) -> str:
    """Write any other number with three or four digits that count.

    Examples
    --------
    >>> [figure(number) for number in (0, 0.0312499, 2.5, 1234567.8, 35, float("inf"), None)]
    ['0', '0.0312', '2.5', '1,234,568', '35', 'infinite', 'not known']
    """
    if number is None or isnan(number):
        return UNKNOWN
    if not isfinite(number):
        return "infinite"
    number = float(f"{number:.12g}")
    if abs(number) >= 1000 or number == round(number):
        return f"{number:,.0f}"
    if abs(number) >= 1:
        return _without_zeros(f"{number:.2f}")
    if abs(number) < 1e-4:
        return f"{number:.1e}"
    return f"{number:.3g}"


def decimal(number: float | None) -> str:
    """Write a number between -1 and 1, or not much beyond, so that many of them stand in line.

    Examples
    --------
    >>> decimal(0.0975), decimal(1.0), decimal(-0.001), decimal(None)
    ('0.10', '1.00', '0.00', 'not known')
    """
    if number is None or isnan(number):
        return UNKNOWN
    text = f"{round(number, 9):.2f}"
    return "0.00" if text == "-0.00" else text


def one_in(risk: float | None) -> str:
    """Write a probability as one in so many, where that is easy to read.

    Examples
    --------
    >>> one_in(0.2), one_in(1.0), one_in(0.001234), one_in(0.0)
    ('1 in 5', '1 in 1', '1 in 810', '')
    """
    if risk is None or not 0 < risk <= 1:
        return ""
    return f"1 in {_without_zeros(f'{1 / risk:,.1f}') if risk > 0.1 else f'{1 / risk:,.0f}'}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Join words as in a sentence.

    Examples
    --------
    >>> listed(["age"]), listed(["age", "sex"]), listed(["age", "sex", "zip"])
    ('age', 'age and sex', 'age, sex and zip')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
