"""What a manifest tells about a release, beside what is measured: a manifest that lies is found out."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import registry
from shoal.audit.finding import COLUMNS_PRESENT, Audit, Figure, Finding
from shoal.audit.hidden_content import hidden_finding
from shoal.audit.manifest_file import Evidence, portable
from shoal.audit.published_findings import withheld_claims
from shoal.files.folder import differing_files
from shoal.privacy.queries import all_stars
from shoal.read.sql import file_text, quoted, text
from shoal.spec.for_recipients import unknown_limits
from shoal.spec.spec import Spec

if TYPE_CHECKING:
    from shoal.audit.manifest_form import SaidClaim

_ROUNDING = 1e-6  # of a row: 0.29 times 100 is a little less than 29
_PERCENT = 1  # a cell that is written as text may be equal to fewer or more others
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
_NOT_CLAIMED = ("input", "quality", "engine", "choose-by", "proposed", "escape-formulas")
"""Keys of a spec that may differ: what the input was like, and which of the good releases is the best."""
_NOT_CLAIMED_OF_COLUMNS = ("hierarchy", "weight", "min-level", "max-level", "missing-values", "accept")


def check_manifest(
    evidence: Evidence, audit: Audit, spec: Spec, release: Path, given: Spec | None
) -> tuple[Finding, ...]:
    """Compare all that a manifest says with the file and what was found in it.

    Parameters
    ----------
    evidence
        The manifest.
    audit
        What was found in the file.
    spec
        What the audit went by.
    release
        The file.
    given
        The spec that was given in place of the manifest's, if one was.
    """
    other = given is not None
    return (
        *_other_writer(evidence),
        *_unknown_keys(evidence),
        same_file(evidence, release),
        hidden_finding(release, written_by_shoal=True, dialect=evidence.input_format),
        _rows(evidence, audit, spec),
        _class_sizes(evidence, audit),
        _claims(evidence, audit.findings, spec, release.name, given=other),
        *_linkable(evidence, audit, given=other),
        *_linked(evidence, audit),
        *_recoding(evidence, spec, () if given is None else unknown_limits(given, spec)),
        _spec(evidence, spec, given=other),
    )


def _other_writer(evidence: Evidence) -> Iterator[Finding]:
    """Report a manifest that another tool or version wrote, which may have meant another thing by it."""
    tool, own = evidence.manifest.tool, version("shoal")
    name = "manifest of this version of Shoal"
    if tool.name != "shoal":
        yield Finding(name, False, f"of another tool, {tool.name!r}", "")
    elif tool.version != own:
        yield Finding(name, False, f"of version {tool.version!r}, and this is {own}", "", checkable=False)


def _unknown_keys(evidence: Evidence) -> Iterator[Finding]:
    """Report keys that nobody checks here. One like a known key is read in its place by some programs."""
    found = dict(evidence.manifest.unknown_keys())
    if not found:
        return
    alike = [key for key in found if found[key]]
    words = f"spelled like others: {_some(alike)}" if alike else f"not known here: {_some([*found])}"
    yield Finding("keys of the manifest", False, words, "", checkable=bool(alike))


def same_file(evidence: Evidence, release: Path) -> Finding:
    """Find whether the file is the one that a manifest is about; another name does not matter.

    Of a folder all files are compared, by name.
    """
    if evidence.manifest.one_file is None or release.is_dir():
        return _same_folder(evidence, release)
    with release.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    recorded = evidence.manifest.one_file
    measured = f"{digest[:16]}..."
    other = "" if recorded.name == release.name else f" of {recorded.name!r}"
    if digest != recorded.sha256:
        measured = f"the file has {measured} and the manifest {recorded.sha256[:16]}...{other}"
    elif other:  # whoever asked for another release sees that this is an older one, or a weaker one
        measured += f", the manifest is that{other}"
    return Finding("SHA-256 as in the manifest", digest == recorded.sha256, measured, "", figure=digest)


def _same_folder(evidence: Evidence, release: Path) -> Finding:
    """Find whether a folder is the one that a manifest is about."""
    recorded = evidence.manifest
    if recorded.files is None or not release.is_dir():
        kinds = {"a file": recorded.one_file, "a folder of files": recorded.folder, "a table": recorded.table}
        own = next(kind for kind, what in kinds.items() if what is not None)
        wrong = [f"the manifest is that of {own}, {recorded.name!r}"]
    else:
        wrong = differing_files(release, {file.name: file.sha256 for file in recorded.files})
    number = len(recorded.files or ())
    measured = _some(wrong) or ("1 file" if number == 1 else f"{number:,} files")
    return Finding("SHA-256 as in the manifest", not wrong, measured, "", figure=len(wrong))


def _rows(evidence: Evidence, audit: Audit, spec: Spec) -> Finding:
    """Compare rows in, suppressed and out, with each other, the file and the limit."""
    rows = evidence.manifest.rows
    starred = evidence.manifest.suppressed == "star"
    wrong = []
    if rows.out != audit.rows:
        wrong.append(f"{audit.rows:,} in the file")
    if rows.out != rows.before - (0 if starred else rows.suppressed):
        wrong.append("which does not add up")
    if rows.suppressed > spec.suppression * rows.before + _ROUNDING:
        wrong.append(f"more suppressed than the share of {spec.suppression:g} that the spec allows")
    if starred and rows.suppressed > audit.starred_rows:
        wrong.append(f"{audit.starred_rows:,} starred in the file")
    fate = "starred" if starred else "removed"
    measured = f"{rows.before:,} in, {rows.suppressed:,} suppressed and {fate}, {rows.out:,} out"
    if wrong:
        measured += f"; {'; '.join(wrong)}"
    return Finding("rows as in the manifest", not wrong, measured, "", figure=audit.rows)


def _class_sizes(evidence: Evidence, audit: Audit) -> Finding:
    recorded = evidence.manifest.class_sizes
    found = {str(size): count for size, count in audit.class_sizes.items()}
    classes = sum(found.values())
    differing = [size for size in dict.fromkeys([*found, *recorded]) if found.get(size) != recorded.get(size)]
    measured = f"{classes:,} {'class' if classes == 1 else 'classes'} of {len(found):,} sizes"
    if differing:
        measured = f"{len(differing):,} sizes have another number of classes: {_some(differing)}"
    elif classes != evidence.manifest.classes:
        measured = f"{classes:,} classes in the file, {evidence.manifest.classes:,} in the manifest"
    same = not differing and classes == evidence.manifest.classes
    return Finding("class sizes as in the manifest", same, measured, "", figure=classes)


def _linkable(evidence: Evidence, audit: Audit, *, given: bool) -> Iterator[Finding]:
    """Compare the shares of unique rows, which are whole percents, with those of the file.

    A spec that is given need not name all columns that were kept: then those that it names are compared.
    """
    recorded = evidence.manifest.linkable
    if recorded is None:
        return
    found = {"columns": {}} if audit.linkable is None else audit.linkable.for_recipients()
    measured, claimed = found["columns"], recorded.columns
    wrong = [
        name
        for name in (measured.keys() & claimed.keys() if given else dict.fromkeys([*measured, *claimed]))
        if abs(measured.get(name, -100) - claimed.get(name, -100)) > _PERCENT
    ]
    if not wrong and measured.keys() == claimed.keys():
        wrong = [
            what.replace("_", " ")
            for what in ("together", "with_quasi_identifiers")
            if abs((found[what] or 0) - (getattr(recorded, what) or 0)) > _PERCENT
        ]
    words = "1 column" if len(measured) == 1 else f"{len(measured):,} columns"
    if wrong:
        words = f"other shares in the manifest: {_some(wrong)}"
    yield Finding("unique rows as in the manifest", not wrong, words, "", figure=len(wrong))


def _linked(evidence: Evidence, audit: Audit) -> Iterator[Finding]:
    """Compare what the manifest says of pseudonyms with the tokens of the file."""
    found = {linked.column: linked.to_mapping() for linked in audit.linked}
    said = {name: linked.model_dump() for name, linked in evidence.manifest.linked.items()}
    if found or said:
        wrong = [name for name in dict.fromkeys([*found, *said]) if found.get(name) != said.get(name)]
        words = "; ".join(linked.words() for linked in audit.linked)
        measured = f"other figures in the manifest: {_some(wrong)}" if wrong else words
        yield Finding("linked rows as in the manifest", not wrong, measured, "", figure=len(wrong))


def _claims(
    evidence: Evidence, findings: Sequence[Finding], spec: Spec, name: str, *, given: bool
) -> Finding:
    """Compare the claims of the manifest with those of the spec, each with what is measured now.

    Its query is compared too, as text with the one that the claim leads to: it is never run. Of a table the
    database has a dialect of its own.
    """
    comparable = evidence.manifest.table is None
    ours, theirs = (_as_source(own, evidence) for own in (name, evidence.manifest.name))
    renamed = [replace(finding, sql=finding.sql.replace(ours, theirs)) for finding in findings]
    wrong = differing_claims(
        as_now(evidence.manifest.claims, spec),
        renamed,
        queries=comparable,
        given=given,
        withheld=withheld_claims(spec),
    )
    measured = f"{len(findings)} of {len(findings)}" if not wrong else "; ".join(wrong)
    return Finding("claims as in the manifest", not wrong, measured, "", figure=len(wrong))


def as_now(claims: Sequence[SaidClaim], spec: Spec) -> list[SaidClaim]:
    """Return claims of a manifest with queries of version 0.1.0 in their form of today.

    Those left starred rows out. What they measure is measured now with these rows, whatever they say.
    """
    stars = all_stars([quoted(name) for name in spec.quasi_identifiers])
    start, end = "WITH kept AS (\n  SELECT * FROM ", f"\n  WHERE NOT coalesce({stars}, false)\n)\n"

    def now(sql: str) -> str:
        if not sql.startswith(start) or end not in sql:
            return sql
        return sql.replace(start, "WITH kept AS (SELECT * FROM ", 1).replace(end, ")\n", 1)

    return [claim.model_copy(update={"sql": now(claim.sql)}) for claim in claims]


def differing_claims(
    claims: Sequence[SaidClaim],
    findings: Sequence[Finding],
    *,
    queries: bool,
    withheld: Mapping[str, str],
    given: bool = False,
) -> list[str]:
    """Return how claims of a manifest differ from what is found now.

    Parameters
    ----------
    queries
        Whether the queries are compared too.
    withheld
        Names of claims whose figures a manifest need not give, and what it says instead; older ones give one.
    given
        Whether the spec is another one than that of the manifest.
    """
    recorded = list(claims)
    wrong = []
    for finding in findings:
        # In order, since models with other parameters may have the same name.
        claim = next((claim for claim in recorded if claim.claim == finding.claim), None)
        if claim is not None:
            recorded.remove(claim)
        own_name = finding.claim.removeprefix("difference: ")
        is_withheld = claim is not None and claim.measured == withheld.get(own_name)
        if claim is None:
            wrong.append(f"{finding.claim}: not in the manifest")
        elif not claim.holds:
            wrong.append(f"{finding.claim}: does not hold by the manifest")
        elif not finding.checkable or (given and finding.claim == COLUMNS_PRESENT):
            continue  # the number of columns is that of the spec, which need not name those that were kept
        elif not claim.checkable:
            wrong.append(f"{finding.claim}: not checkable by the manifest")
        elif is_withheld and claim.figure is not None:
            wrong.append(f"{finding.claim}: a figure in the manifest, which is said to be withheld")
        elif not is_withheld and not _alike(claim.measured, finding.measured):
            wrong.append(f"{finding.claim}: {claim.measured} by the manifest")
        elif claim.figure is not None and not _close(claim.figure, finding.figure):
            wrong.append(f"{finding.claim}: another figure in the manifest")
        elif queries and claim.sql != finding.sql:
            wrong.append(f"{finding.claim}: another query in the manifest")
    return [*wrong, *(f"{claim.claim}: not in the spec" for claim in recorded)]


def _recoding(evidence: Evidence, spec: Spec, unknown: Sequence[str]) -> Iterator[Finding]:
    """Find whether the recoding is one that the spec allows, as far as its kind is known here.

    Parameters
    ----------
    unknown
        Columns with limits that do not count the levels of the manifest.
    """
    levels = evidence.manifest.levels
    if levels is None:
        kind = evidence.manifest.recoding.kind
        if kind in registry.names("strategies"):
            yield from _without_levels(kind, spec)
            return
        words = f"of the kind {kind!r}, which this version does not know; the released labels were checked"
        yield Finding("recoding that the spec allows", False, words, "", checkable=False)
        return
    wrong = []
    if lost := [name for name in spec.quasi_identifiers if name not in levels]:
        wrong.append(f"without {', '.join(lost)}")
    if strange := [name for name in levels if name not in spec.quasi_identifiers]:
        wrong.append(f"of no quasi-identifiers: {', '.join(strange)}")
    outside = [
        name
        for name, qi in spec.quasi_identifiers.items()
        if name in levels
        and not qi.min_level <= levels[name] <= (levels[name] if qi.max_level is None else qi.max_level)
    ]
    if outside or any(level < 0 for level in levels.values()):
        wrong.append(f"not among those of the spec: {', '.join(outside) or 'below 0'}")
    columns = ", ".join(f"{name} {level}" for name, level in levels.items())
    if unknown and not wrong:
        words = f"{columns}; the manifest counts the levels of {', '.join(unknown)} in another way"
        yield Finding("levels that the spec allows", False, words, "", checkable=False)
        return
    yield Finding("levels that the spec allows", not wrong, "; ".join(wrong) or columns, "")


def _without_levels(kind: str, spec: Spec) -> Iterator[Finding]:
    """Report limits on levels, which labels without levels cannot show. A kind alone is nothing to check."""
    limited = [
        name for name, qi in spec.quasi_identifiers.items() if qi.min_level or qi.max_level is not None
    ]
    if limited:
        words = f"{kind}, whose labels do not show the limits of {', '.join(limited)}"
        yield Finding("levels that the spec allows", False, words, "", checkable=False)


def _spec(evidence: Evidence, spec: Spec, *, given: bool) -> Finding:
    """Compare the manifest's spec with itself, and with another one that is given."""
    recorded = evidence.manifest
    wrong = [
        f"{key} differs from its spec"
        for key, value, to_check in (
            ("null", recorded.null, spec.nulls),
            ("suppressed", recorded.suppressed, spec.suppressed),
        )
        if value != to_check
    ]
    ours = json.loads(json.dumps(portable(spec)))
    differing = list(_differing(ours, recorded.spec)) if given else []
    bearing = [key_path for key_path in differing if _is_claimed(key_path)]
    if bearing:
        wrong.append(f"another than the manifest's: {_some(bearing)}")
    others = [key_path for key_path in differing if key_path not in bearing]
    measured = "that of the manifest"
    if given:
        measured = f"the same apart from {_some(others)}" if others else "the same"
    return Finding("spec as in the manifest", not wrong, "; ".join(wrong) or measured, "")


def _differing(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    """Return the paths of keys in which two specs differ; of columns each by itself.

    Columns that only the manifest has, released unchanged, were kept without being in the spec.
    """
    for key in dict.fromkeys([*ours, *theirs]):
        if key != "columns" and ours.get(key) != theirs.get(key):
            yield key
    mine, other = ours.get("columns", {}), theirs.get("columns", {})
    for name in dict.fromkeys([*mine, *other]):
        one, two = mine.get(name), other.get(name)
        if one is None and isinstance(two, Mapping) and two.get("role") == "insensitive":
            continue
        if not isinstance(one, Mapping) or not isinstance(two, Mapping):
            yield f"columns.{name}.role"
            continue
        yield from (
            f"columns.{name}.{key}" for key in dict.fromkeys([*one, *two]) if one.get(key) != two.get(key)
        )


def _is_claimed(key_path: str) -> bool:
    first, _, rest = key_path.partition(".")
    if first != "columns":
        return first not in _NOT_CLAIMED
    return rest.rpartition(".")[2] not in _NOT_CLAIMED_OF_COLUMNS


def _as_source(name: str, evidence: Evidence) -> str:
    """Return how queries begin to name a release, as `shown_files` and `read_xlsx` spell it."""
    if evidence.manifest.folder is not None:
        return f"{file_text(name)[:-1]}/*"
    return text(name) if evidence.manifest.name.lower().endswith(".xlsx") else file_text(name)


def _alike(recorded: str, found: str) -> bool:
    """Return whether two texts say the same, up to the last digits of their numbers.

    Examples
    --------
    >>> _alike("largest distance 0.1", "largest distance 0.1000001"), _alike("smallest class 5", "at least 5")
    (True, False)
    """
    if _NUMBER.sub("#", recorded) != _NUMBER.sub("#", found):
        return False
    numbers = zip(_NUMBER.findall(recorded), _NUMBER.findall(found), strict=True)
    return all(one == two or ("." in one + two and _near(float(one), float(two))) for one, two in numbers)


def _close(recorded: Any, found: Figure) -> bool:
    """Return whether two figures are the same, up to what adding in another order changes.

    Examples
    --------
    >>> _close(0.1 + 0.2, 0.3), _close({"size": 5}, {"size": 6}), _close(1000001, 1000000)
    (True, False, False)
    """
    if isinstance(recorded, Mapping) and isinstance(found, Mapping):
        return recorded.keys() == found.keys() and all(
            _close(recorded[name], found[name]) for name in recorded
        )
    if isinstance(recorded, float) and isinstance(found, int | float):
        return _near(recorded, found, 1e-9)
    return type(recorded) is type(found) and bool(recorded == found)


def _near(one: float, two: float, share: float = 1e-5) -> bool:
    return math.isclose(one, two, rel_tol=share, abs_tol=1e-12)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
