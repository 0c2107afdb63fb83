"""The report that is handed on with a release: a function of its manifest and its released rows alone.

Recipients have both already. So the page tells them nothing new, and nothing about suppressed rows or the
original table: it says in words what the release has, what is claimed of it and how to check that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.audit.published_findings import WITHHELD
from shoal.describe.roles import Role
from shoal.draw.histogram import binned
from shoal.recode.class_labels import is_average
from shoal.recode.full_domain import FullDomain
from shoal.report.glossary import link
from shoal.report.markup import columns as named
from shoal.report.number_format import count, listed, percent
from shoal.report.page import render
from shoal.report.sections.claims import (
    POPULATION,
    CheckedClaim,
    Claims,
    audit_command,
    checker_command,
    needed,
)
from shoal.report.sections.columns import folded_beyond, place
from shoal.report.sections.distinguishing import distinguishing_words
from shoal.report.sections.gains import gain_tables
from shoal.report.sections.verdict import headline

if TYPE_CHECKING:
    from shoal.risk.gains import Gain

_CONTENTS = (
    ("columns", "Columns"),
    ("classes", "Classes"),
    ("claims", "Claims and checks"),
    ("settings", "Settings"),
    ("glossary", "Glossary"),
)
_ROLES = {
    Role.QUASI_IDENTIFIER: ("quasi-identifier", "quasi-identifier"),
    Role.SENSITIVE: ("sensitive column", "sensitive"),
    Role.INSENSITIVE: ("insensitive column", "insensitive"),
    Role.IDENTIFIER: ("identifier", "identifier"),
    Role.PSEUDONYM: ("pseudonym", "pseudonym"),
    Role.DROP: ("dropped column", "dropped"),
}
_LEFT_OUT = (Role.IDENTIFIER, Role.DROP)


@dataclass(frozen=True, slots=True)
class PublicColumn:
    """A column: its role, and what the release has of it."""

    name: str
    kind: Role | None
    role: Markup
    released: str
    labels: str


@dataclass(frozen=True, slots=True)
class PublicClasses:
    """The released classes by size, in words."""

    summary: tuple[str, ...]
    rows: tuple[tuple[str, str, str], ...]


def public_html(
    manifest: Mapping[str, Any],
    labels: Mapping[str, str],
    overlapping: Collection[str] = (),
    beside: Collection[str] = (),
    gains: Mapping[str, Sequence[Gain]] | None = None,
    distinguishing: Collection[str] = (),
) -> str:
    """Return the report on a release for its recipients, as one HTML page.

    Parameters
    ----------
    manifest
        The manifest of the release, as plain values.
    labels
        For each quasi-identifier some of the labels that released rows have, in words.
    overlapping
        The quasi-identifiers whose released labels overlap.
    beside
        The other columns on which the class of a row may depend. They are not named: the measure, which is
        not published, may be among what reads them.
    gains
        How much more likely classes make the values of sensitive columns, from the released rows and the
        hierarchies of the manifest.
    distinguishing
        The quasi-identifiers that are not the same in all released rows, those apart that were suppressed.
    """
    claims = tuple(_claims(manifest))
    averages = _averages(manifest)
    name = _name(manifest)
    rows = sorted(_columns(manifest, labels, overlapping), key=lambda each: place(each.kind))
    shown, rest = folded_beyond(rows, sum(each.kind is Role.QUASI_IDENTIFIER for each in rows))
    return render(
        "public.html.jinja",
        name=name,
        contents=_CONTENTS,
        holds=all(claim.holds for claim in claims),
        headline=headline(claims),
        released=_released(manifest),
        left_open=tuple(_left_open(manifest)),
        first=_first(manifest, distinguishing),
        shown=shown,
        rest=rest,
        has_levels=_levels(manifest) is not None,
        averages=averages,
        averaged=named(list(averages)),
        labels=any(
            _role(settings) is Role.QUASI_IDENTIFIER and name not in averages
            for name, settings in manifest["spec"]["columns"].items()
        ),
        overlapping=bool(overlapping),
        beside=bool(beside),
        classes=_classes(manifest),
        gains=gain_tables(gains or {}),
        people=manifest["spec"].get("unit") is not None,
        claims=Claims(
            claims,
            None if "table" in manifest else checker_command(name),
            audit_command(name),
            needed([*_needs(manifest)]),
        ),
        settings=tuple(_settings(manifest)),
        versions=((manifest["tool"]["name"], manifest["tool"]["version"]), *manifest["versions"].items()),
    )


def _name(manifest: Mapping[str, Any]) -> str:
    if "file" in manifest:
        return str(manifest["file"]["name"])
    return str(manifest["folder"] if "folder" in manifest else manifest["table"]["name"])


def _claims(manifest: Mapping[str, Any]) -> Iterator[CheckedClaim]:
    for claim in manifest["claims"]:
        yield CheckedClaim.of(
            claim["claim"],
            claim["holds"],
            claim.get("checkable", True) and claim["measured"] not in WITHHELD,
            claim["measured"],
            claim.get("sql", ""),
        )


def _needs(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Describe what else an audit needs. Nobody hands on the original table."""
    models = (settings for model in manifest["spec"]["privacy"] for settings in model.values())
    if any(isinstance(settings, Mapping) and "population" in settings for settings in models):
        yield POPULATION


def _released(manifest: Mapping[str, Any]) -> str:
    spec = manifest["spec"]
    rows = count(manifest["rows"]["out"], "row")
    columns = [name for name, settings in spec["columns"].items() if _role(settings) not in _LEFT_OUT]
    sentence = f"The release has {rows} and {count(len(columns), 'column')}."
    suppressed = manifest["rows"]["suppressed"]
    if not suppressed:
        return f"{sentence} No row was suppressed."
    if manifest["suppressed"] == "star":
        have = "row has" if suppressed == 1 else "rows have"
        return (
            f"{sentence} {count(suppressed)} {have} * in every quasi-identifier; their other columns are "
            "not generalized."
        )
    more = "more was" if suppressed == 1 else "more were"
    return (
        f"{sentence} {count(suppressed)} {more} suppressed and removed, so the release need not be a random "
        "sample of the original table."
    )


def _first(manifest: Mapping[str, Any], distinguishing: Collection[str]) -> Markup | None:
    """Describe which quasi-identifiers are left, unless there is no row to have them."""
    starred = manifest["rows"]["suppressed"] if manifest["suppressed"] == "star" else 0
    if manifest["rows"]["out"] == starred:
        return None
    columns = manifest["spec"]["columns"]
    names = [name for name, settings in columns.items() if _role(settings) is Role.QUASI_IDENTIFIER]
    return distinguishing_words(names, distinguishing, starred=starred > 0)


def _left_open(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Describe what the claims do not cover."""
    spec = manifest["spec"]
    if spec.get("proposed"):
        yield "The roles of the columns are proposals of a program that nobody has confirmed."
        if spec.get("unit"):
            yield "The program also proposed the column by which people are counted."
    models = (settings for model in spec["privacy"] for settings in model.values())
    covered = {settings.get("column") for settings in models if isinstance(settings, Mapping)} - {None}
    if covered and spec.get("unit"):
        yield (
            "The claims about sensitive columns judge each class by itself. The classes of somebody who has "
            "rows in several of them can reveal more together."
        )
    sensitive = [name for name, settings in spec["columns"].items() if _role(settings) is Role.SENSITIVE]
    if others := [name for name in sensitive if name not in covered]:
        columns = f"{'column' if len(others) == 1 else 'columns'} {listed(others)}"
        yield f"No claim covers the sensitive {columns}: a class may reveal the values of its people."
    for name, linked in manifest.get("linked", {}).items():
        yield (
            f"The pseudonym {name!r} shows which rows belong together. {linked['few']:,} of its "
            f"{linked['people']:,} tokens have a combination of classes that fewer than {linked['k']} share."
        )
    unique = manifest.get("linkable")
    if unique is not None and unique["with_quasi_identifiers"] is not None:
        yield (
            f"About {unique['together']}% of the released rows are unique by the columns that are not "
            f"quasi-identifiers, {unique['with_quasi_identifiers']}% together with the quasi-identifiers."
        )


def _role(settings: Any) -> Role:
    return Role(settings["role"] if isinstance(settings, Mapping) else settings)


def _levels(manifest: Mapping[str, Any]) -> Mapping[str, int] | None:
    recoding = manifest["recoding"]
    return recoding.get("levels") if recoding["kind"] == FullDomain.kind else None


def _averages(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the quasi-identifiers that have averages of classes, and which."""
    columns, labels = manifest["spec"]["columns"], manifest["recoding"].get("labels")
    forms = labels if isinstance(labels, Mapping) else dict.fromkeys(columns, labels)
    return {
        name: forms[name]
        for name, settings in columns.items()
        if _role(settings) is Role.QUASI_IDENTIFIER and is_average(forms.get(name))
    }


def _columns(
    manifest: Mapping[str, Any], labels: Mapping[str, str], overlapping: Collection[str]
) -> Iterator[PublicColumn]:
    spec, levels, averages = manifest["spec"], _levels(manifest), _averages(manifest)
    for name, settings in spec["columns"].items():
        role = _role(settings)
        if role is Role.QUASI_IDENTIFIER:
            released = "Each row has its original value or a coarser label."
            if name in averages:
                released = f"Each row has the {averages[name]} of its class."
            elif levels is not None:
                level = levels[name]
                released = f"Generalized to level {level}." if level else "At level 0, not generalized."
            elif name in overlapping:
                released += " Some of these labels overlap."
        else:
            tokens = "Tokens in place of values, the same token for the same value."
            released = tokens if role is Role.PSEUDONYM else "Not generalized."
            released = "Not released." if role in _LEFT_OUT else released
        yield PublicColumn(name, role, link(*_ROLES[role]), released, labels.get(name, ""))
    unit = spec.get("unit")
    if unit is not None and unit not in spec["columns"]:
        yield PublicColumn(unit, None, link("unit"), "Not released.", "")


def _classes(manifest: Mapping[str, Any]) -> PublicClasses:
    sizes = {int(size): number for size, number in manifest["class_sizes"].items()}
    if not sizes:
        return PublicClasses(("The release has no classes.",), ())
    total = sum(sizes.values())
    smallest = min(sizes)
    sentence = [
        f"The release has {count(total, 'class', 'classes')}. The smallest has {count(smallest, 'row')}, the "
        f"largest {count(max(sizes), 'row')}."
        if total > 1
        else f"The release has 1 class, of {count(smallest, 'row')}."
    ]
    unit = manifest["spec"].get("unit")
    if unit is not None:
        sentence.append(
            f"These are rows. The claims count people, by the column {unit!r}: somebody may have several "
            "rows, so a class can have fewer people than rows."
        )
    else:
        sentence.append(
            "The spec names no column that says who a row is about, so each row is taken for one person. If "
            "somebody has several rows, a class has fewer people than rows."
        )
    members = {size: size * number for size, number in sizes.items()}
    bins = [each for each in binned({}, members, smallest) if each.after]
    rows = []
    for each in bins:
        within = {size: number for size, number in sizes.items() if each.least <= size <= each.most}
        rows.append((each.name, count(sum(within.values())), percent(each.after)))
    return PublicClasses(tuple(sentence), tuple(rows))


def _settings(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Release", _name(manifest)
    if "file" in manifest:
        yield "SHA-256 of the file", manifest["file"]["sha256"]
    if "folder" in manifest:
        yield "Files", count(len(manifest["files"]))
    forbidding = [name for name, meaning in manifest["null"].items() if meaning == "forbid"]
    yield (
        "NULL",
        "counted as a value" + (f"; not allowed in {listed(forbidding)}" if forbidding else ""),
    )
    yield "Order of rows", "shuffled" if manifest["shuffled"] else "as in the original table"
