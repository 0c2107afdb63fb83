"""Settings of a release, and the versions of what it was made with."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from shoal.report.number_format import figure, percent
from shoal.report.sections.requirements import may_suppress

if TYPE_CHECKING:
    from shoal.release import Release

_PROGRAMS = ("shoal", "duckdb", "numpy", "pyarrow", "scikit-learn")


@dataclass(frozen=True, slots=True)
class Settings:
    """Names with their values."""

    rows: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]


def settings(release: Release, name: str, sha256: str | None) -> Settings:
    """Collect what else the release was made with; nothing that differs from run to run."""
    spec = release.spec
    # What the summary says too, but for the time that it took and what other sections say.
    facts = dict(release.facts())
    rows = (
        ("Release", name),
        *([] if not sha256 else [("SHA-256 of the file", sha256)]),
        ("Privacy", "; ".join(model.describe() for model in spec.privacy)),
        ("Quality measure", release.explanation.measure),
        ("Suppression limit", percent(spec.suppression if may_suppress(spec) else 0) + " of the rows"),
        ("Suppressed rows", "removed" if spec.suppressed == "remove" else "starred"),
        _recoding(release),
        ("Rows", facts["Rows"]),
        ("Classes", facts["Classes"]),
        ("Score", _score(release)),
        ("NULL", facts["NULL"]),
        ("Order of rows", facts["Order"]),
    )
    return Settings(rows, tuple(_versions()))


def _recoding(release: Release) -> tuple[str, str]:
    chosen = ", ".join(f"{choice.column} {choice.chosen}" for choice in release.choices())
    return ("Levels", chosen) if release.recoding.levels is not None else ("Recoding", release.recoding.kind)


def _score(release: Release) -> str:
    explanation = release.explanation
    score = f"{figure(release.score)} by {explanation.measure}"
    if explanation.untouched is None or explanation.suppressed is None:
        return score
    untouched, suppressed = figure(explanation.untouched), figure(explanation.suppressed)
    return f"{score}; {untouched} if untouched, {suppressed} if fully suppressed"


def _versions() -> list[tuple[str, str]]:
    found = [("Python", platform.python_version())]
    for name in _PROGRAMS:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:  # an extra that is not installed
            continue
    return found
