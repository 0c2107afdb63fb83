"""ARX's privacy criteria and measures, which a project file holds as display text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from shoal.errors import InputError

_N = r"([0-9]+(?:\.[0-9]+)?(?:[eE]-?[0-9]+)?)"
_OF = r" for attribute '(.*)'"

Parts = tuple[Any, ...]
Written = Mapping[str, object]


def _number(text: str) -> float | int:
    number = float(text)
    return int(number) if number.is_integer() else number


_CRITERIA: tuple[tuple[str, Callable[[Parts], Written | str]], ...] = (
    (rf"\(?{_N}\)?-anonymity", lambda p: {"k-anonymity": p[0]}),
    (rf"distinct-{_N}-diversity{_OF}", lambda p: {"l-diversity": {"column": p[1], "l": p[0]}}),
    (
        rf"(?:shannon-)?entropy-{_N}-diversity{_OF}",
        lambda p: {"l-diversity": {"column": p[1], "l": p[0], "kind": "entropy"}},
    ),
    (
        rf"recursive-\({_N}, ?{_N}\)-diversity{_OF}",
        lambda p: {"l-diversity": {"column": p[2], "l": p[1], "kind": "recursive", "c": p[0]}},
    ),
    (
        rf"{_N}-closeness with equal ground[- ]distance{_OF}",
        lambda p: {"t-closeness": {"column": p[1], "t": p[0]}},
    ),
    (
        rf"{_N}-closeness with (ordered|hierarchical) (?:ground[- ])?distance{_OF}",
        lambda p: {"t-closeness": {"column": p[2], "t": p[0], "distance": p[1]}},
    ),
    (
        rf"(basic|enhanced)-{_N}-likeness{_OF}",
        lambda p: {"beta-likeness": {"column": p[2], "beta": p[1], "kind": p[0]}},
    ),
    (rf"\({_N}\)-avg-reidentification-risk", lambda p: {"risk": {"average": p[0]}}),
    (r".*-avg-reidentification-risk", lambda p: "a share of rows above the highest risk is not supported"),
    (
        rf"{_N}-disclosure privacy{_OF}",
        lambda p: "ARX checks only the values in a class, delta-disclosure checks all values",
    ),
    (
        r".*-map\b.*",
        lambda p: "the research subset is not stated as text; k-map needs a file of the population",
    ),
    (
        r".*-presence",
        lambda p: "the research subset is not stated as text; delta-presence needs a file of the population",
    ),
    (r"(?:grassberger|chao).*", lambda p: "only Shannon's entropy is supported"),
)

_MEASURES = (
    (r"Height", "height"),
    (r"(?:Non-)?[Mm]onotonic precision.*|Precision.*", "precision"),
    (r"Loss\b.*", "loss"),
    (r"(?:Monotonic |Non-monotonic )?\(?[Nn]on-uniform entropy\)?(?: .*)?", "entropy"),
    (r"Monotonic discernability.*", "discernability-monotone"),
    (r"Non-monotonic discernability.*|Discernability.*", "discernability"),
    (r"Average equivalence class size.*", "average-class-size"),
)
_FACTORS = re.compile(rf"\({_N}/{_N}/{_N}\)")


def criterion(text: str) -> Written | str:
    """Return the equivalent privacy model of a spec, or the reason why there is none.

    Examples
    --------
    >>> criterion("5-anonymity")
    {'k-anonymity': 5}
    >>> criterion("0.2-closeness with ordered distance for attribute 'age'")
    {'t-closeness': {'column': 'age', 't': 0.2, 'distance': 'ordered'}}
    >>> criterion("(0.1)-population-uniqueness (SNB)")
    'not supported'
    """
    from shoal import registry

    for pattern, build in _CRITERIA:
        if found := re.fullmatch(pattern, text.strip(), re.IGNORECASE | re.DOTALL):
            parts = tuple(_number(p) if p and re.fullmatch(_N, p) else p for p in found.groups())
            written = build(parts)
            if isinstance(written, str):
                return written
            ((name, argument),) = written.items()
            try:
                registry.resolve("models", name).from_spec(argument, None)
            except InputError as error:
                return error.problems[0].message.replace("\n", " ")
            return written
    return "not supported"


def measure(text: str) -> tuple[str | None, list[str]]:
    """Return the measure of the same name with its differences, or None with the reason.

    Examples
    --------
    >>> measure("Monotonic discernability (DM*)")
    ('discernability-monotone', [])
    >>> measure("Loss (0.5/1.0/1.0)")
    ('loss', ['the aggregation over columns is not stated; Shoal uses the mean'])
    """
    for pattern, name in _MEASURES:
        if re.fullmatch(pattern, text.strip(), re.IGNORECASE | re.DOTALL):
            notes = []
            if name in ("loss", "precision"):
                notes.append("the aggregation over columns is not stated; Shoal uses the mean")
            factors = _FACTORS.search(text)
            if factors and any(float(factor) != 1 for factor in factors.groups()[1:]):
                notes.append("factors of generalization and suppression are always 1 in Shoal")
            return name, notes
    return None, ["not supported; `loss` is used instead"]
