"""The specs that are compared: those that are given, each with every k and every limit that is asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from shoal import registry
from shoal.errors import InputError, Problem
from shoal.privacy.k_anonymity import KAnonymity
from shoal.spec.spec import Spec, SpecForm, recoding_of

if TYPE_CHECKING:
    from shoal.measure.measure import Measure, Node
    from shoal.privacy.model import PrivacyModel
    from shoal.strategies.strategy import Strategy


@dataclass(frozen=True, slots=True)
class Candidate:
    """A spec to be compared.

    Attributes
    ----------
    spec_name
        What the spec is called that it comes from.
    changes
        What was changed in that, such as `k=5`.
    """

    spec_name: str
    changes: tuple[str, ...]
    spec: Spec

    @property
    def name(self) -> str:
        """The spec and what was changed in it."""
        return " ".join((self.spec_name, *self.changes))

    @property
    def k(self) -> int | None:
        """The k of k-anonymity, if that is asked for."""
        return max((model.k for model in self.spec.privacy if isinstance(model, KAnonymity)), default=None)


def candidates(
    specs: SpecForm | Sequence[SpecForm] | Mapping[str, SpecForm],
    *,
    ks: Sequence[object] = (),
    suppressions: Sequence[object] = (),
    recodings: str | Sequence[object] = (),
    quality: Measure | str | Mapping[str, object] | Callable[[Node], float] | None = None,
    unit: str | None = None,
    problems: list[Problem],
) -> list[Candidate]:
    """Return what is to be compared; what is wrong goes into `problems`.

    Parameters
    ----------
    specs
        Specs or paths of their YAML files; as a mapping, specs by what they are called.
    ks
        Values of k that take the place of the spec's k-anonymity, or come beside its other models.
    suppressions
        Limits that take the place of the spec's.
    recodings
        Recodings that take the place of the spec's; `"all"` are all that are registered.
    quality
        A measure that takes the place of the spec's.
    unit
        The column that identifies the person, in place of the spec's, or `none`.

    Examples
    --------
    >>> spec = Spec(quasi_identifiers={"sex": "suppress"}, privacy=[KAnonymity(3)])
    >>> [candidate.name for candidate in candidates({"ours": spec}, ks=[2, 5], problems=[])]
    ['ours k=2', 'ours k=5']
    """
    sizes = _sizes(ks, problems)
    limits = _limits(suppressions, problems)
    kinds = _recodings(recodings, problems)
    found = []
    for name, spec in _named(specs, unit, problems):
        if quality is not None:
            try:
                spec = spec.adjust(quality=quality)  # noqa: PLW2901
            except InputError as error:
                problems += prefixed(name, error)
                continue
        for k in sizes or (None,):
            models = spec.privacy if k is None else _with_k(spec.privacy, k)
            for limit, recoding in product(limits or (None,), kinds or (None,)):
                changes = [] if recoding is None else [in_one_line(recoding.to_spec())]
                changes += [] if k is None else [f"k={k.k}"]
                changes += [] if limit is None else [f"suppression={limit:g}"]
                changed = replace(
                    spec,
                    privacy=models,
                    suppression=spec.suppression if limit is None else limit,
                    recoding=spec.recoding if recoding is None else recoding,
                )
                found.append(Candidate(name, tuple(changes), changed))
    if not found and not problems:
        problems.append(Problem("There is no spec to compare.\nGive at least one."))
    return found


def prefixed(name: str, error: InputError) -> list[Problem]:
    """Return the problems of an error, each with the spec that it is about."""
    return [Problem(f"{name}: {problem.message}", problem.values) for problem in error.problems]


def _named(specs: object, unit: str | None, problems: list[Problem]) -> list[tuple[str, Spec]]:
    """Return the specs with names that differ; files are read."""
    given: list[tuple[str | None, object]]
    if isinstance(specs, Mapping) and not isinstance(specs.get("columns"), Mapping):
        given = [(str(name), spec) for name, spec in specs.items()]
    elif isinstance(specs, Spec | str | os.PathLike | Mapping):
        given = [(None, specs)]
    else:
        given = [(None, spec) for spec in specs]  # type: ignore[attr-defined]
    names: set[str] = set()
    found: list[tuple[str, Spec]] = []
    for position, (given_name, spec) in enumerate(given, start=1):
        name = given_name or (_stem(spec) if isinstance(spec, str | os.PathLike) else "spec")
        if given_name is None and len(given) > 1 and (name in names or isinstance(spec, Spec | Mapping)):
            name = f"{name} {position}"
        names.add(name)
        try:
            found.append((name, Spec.of(spec, unit=unit)))  # type: ignore[arg-type]
        except InputError as error:
            problems += prefixed(name, error)
    return found


def _stem(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without what says that it is a spec.

    Examples
    --------
    >>> _stem("data/people.spec.yaml")
    'people'
    """
    name = Path(path).name
    return re.sub(r"(?<=.)\.ya?ml$", "", re.sub(r"(?<=.)[.]spec(?=[.]ya?ml$)", "", name)) or name


def _sizes(ks: Sequence[object], problems: list[Problem]) -> list[KAnonymity]:
    found: list[KAnonymity] = []
    for k in dict.fromkeys(ks):
        try:
            found.append(KAnonymity(k))  # type: ignore[arg-type]
        except InputError as error:
            problems += error.problems
    return found


def _recodings(recodings: str | Sequence[object], problems: list[Problem]) -> list[Strategy]:
    given = registry.names("strategies") if recodings == "all" else recodings
    found: list[Strategy] = []
    for recoding in [given] if isinstance(given, str) else given:
        try:
            found.append(recoding_of(recoding))
        except InputError as error:
            problems += error.problems
    return found


def in_one_line(written: object) -> str:
    """Return a recoding as it stands in a spec, short enough for the name of a point.

    Examples
    --------
    >>> in_one_line("cells"), in_one_line({"mondrian": {"cut": "gain", "labels": "sets"}})
    ('cells', 'mondrian(cut=gain, labels=sets)')
    """
    if not isinstance(written, Mapping):
        return str(written)
    ((name, settings),) = written.items()
    return f"{name}({', '.join(f'{key}={value}' for key, value in settings.items())})"


def _limits(suppressions: Sequence[object], problems: list[Problem]) -> list[float]:
    found: list[float] = []
    for limit in dict.fromkeys(suppressions):
        if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit <= 1:
            problems.append(
                Problem(
                    f"The suppression limit must be a share of the rows, from 0 to 1.\nFound: {limit!r}.\n"
                    "For 2 percent write 0.02."
                )
            )
        else:
            found.append(float(limit))
    return found


def _with_k(models: Sequence[PrivacyModel], k: KAnonymity) -> tuple[PrivacyModel, ...]:
    """Put a k-anonymity in the place of those that are there, or before all."""
    return (k, *(model for model in models if not isinstance(model, KAnonymity)))
