"""The publisher's own report: everything that is known about a release, beside the table it was made of.

It is not for recipients: figures that compare with the original table tell something about suppressed rows.
It shows no original values all the same, no folders and no time. It needs no network and no scripts.
Whatever comes from data is escaped, by the templates in text and by the canvas in pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.files.atomic import atomic, check_path
from shoal.report.page import render
from shoal.report.sections.claims import claims
from shoal.report.sections.columns import columns_section
from shoal.report.sections.neighbours import neighbours
from shoal.report.sections.recoding import done
from shoal.report.sections.requirements import requirements
from shoal.report.sections.risk import risk
from shoal.report.sections.settings import settings
from shoal.report.sections.suppression import suppression
from shoal.report.sections.utility import utility
from shoal.report.sections.verdict import verdict

if TYPE_CHECKING:
    from shoal.audit import Audit
    from shoal.events import Listener
    from shoal.release import Release

_SUFFIX = ".internal.html"


def internal_html(
    release: Release,
    *,
    name: str | None = None,
    audit: Audit | None = None,
    sha256: str | None = None,
    models: bool = True,
    sampling_fraction: float | None = None,
    listener: Listener | None = None,
) -> str:
    """Return the publisher's own report on a release as one HTML page.

    Parameters
    ----------
    release
        What `anonymize` returned.
    name
        The name of the released file; `release.csv` if not given.
    audit
        The audit of that file, if it is written already; otherwise that of the result in memory.
    sha256
        The SHA-256 of that file, if it is written already.
    models
        Also train machine learning models on the release, which takes a while. Where scikit-learn is not
        installed, the report says so.
    sampling_fraction
        The share of the population that is in the original table, if known: then people who are unique in the
        population are estimated too.
    listener
        Called with what happens: see `shoal.events`.
    """
    name = name or "release.csv"
    audit = audit or release.audit
    installed = find_spec("sklearn") is not None
    risks = release.risk(sampling_fraction=sampling_fraction, listener=listener)
    usable = release.utility(models=models and installed, listener=listener)
    required = requirements(release.spec, release.source.columns)
    return render(
        "internal.html.jinja",
        name=name,
        contents=tuple(_contents(release)),
        notes=release.notes,
        verdict=verdict(release, audit, risks, usable),
        requirements=required,
        columns=columns_section(release, required, usable),
        done=done(release),
        risk=risk(release, risks),
        utility=utility(usable, models=models, installed=installed, averages=release.averages),
        neighbours=None
        if release.recoding.node is None
        else neighbours(release, release.neighbours(), release.lattice()),
        suppression=suppression(release),
        claims=claims(audit, release.spec, name),
        settings=settings(release, name, sha256),
    )


def _contents(release: Release) -> Iterator[tuple[str, str]]:
    """Return the sections: those about levels and neighbours only where the recoding has them."""
    if release.notes:
        yield "notes", "Notes"
    yield "columns", "Columns"
    yield "requirements", "Requirements"
    yield "done", "Recoding" if release.recoding.rungs is None else "Levels"
    yield "risk", "Risk"
    yield "utility", "Utility"
    if release.recoding.node is not None:
        yield "neighbours", "Neighbours"
    yield "suppression", "Suppressed rows"
    yield "claims", "Claims and checks"
    yield "settings", "Settings"
    yield "glossary", "Glossary"


def write_internal_report(
    release: Release,
    path: str | Path,
    *,
    name: str | None = None,
    audit: Audit | None = None,
    models: bool = True,
    sampling_fraction: float | None = None,
    listener: Listener | None = None,
) -> Path:
    """Write the publisher's own report on a release to a file, which appears whole or not at all.

    Parameters
    ----------
    path
        Where it goes. A file that is there already is replaced.
    name
        The name of the released file. If not given, a path such as `people.csv.internal.html` gives it.
    audit, models, sampling_fraction, listener
        As in `internal_html`.

    Raises
    ------
    OutputError
        The file cannot be written there.
    """
    path = Path(path)
    check_path(path, apart_from=release.inputs)
    if name is None and path.name.endswith(_SUFFIX):
        name = path.name.removesuffix(_SUFFIX)
    text = internal_html(
        release,
        name=name,
        audit=audit,
        models=models,
        sampling_fraction=sampling_fraction,
        listener=listener,
    )
    with atomic(path) as (hidden,):
        hidden.write_text(text, encoding="utf-8", newline="\n")
    return path
