"""The requirements: the columns with their roles, the models in words, the limits."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.describe.fitted_hierarchy import Fitted
from shoal.describe.roles import Role, Sensitive
from shoal.recode.class_labels import form_of, is_average
from shoal.report.glossary import link
from shoal.report.number_format import figure, listed, percent
from shoal.spec.spec import Spec
from shoal.strategies.label_settings import LabelSettings

if TYPE_CHECKING:
    from shoal.privacy.model import PrivacyModel


@dataclass(frozen=True, slots=True)
class RequiredColumn:
    """A column with its role, and what becomes of it."""

    name: str
    role: Markup
    fate: str


@dataclass(frozen=True, slots=True)
class RequiredModel:
    """A model: what it requires, what it stops and what it does not."""

    claim: str
    summary: str
    protection: str


@dataclass(frozen=True, slots=True)
class RequirementsSection:
    """The spec, in words."""

    origin: Markup
    columns: tuple[RequiredColumn, ...]
    models: tuple[RequiredModel, ...]
    sentences: tuple[str | Markup, ...]


def requirements(spec: Spec, names: Sequence[str]) -> RequirementsSection:
    """Put a spec into words, for somebody who has not written it.

    Parameters
    ----------
    names
        All columns of the table.
    """
    return RequirementsSection(
        _origin(spec), tuple(_columns(spec, names)), tuple(map(_model, spec.privacy)), tuple(_sentences(spec))
    )


def _origin(spec: Spec) -> Markup:
    """Describe where the roles come from: roles that nobody confirmed are not called decisions."""
    if spec.proposed:
        roles = Markup("The roles were proposed by <code>shoal init</code> and are not yet confirmed.")
        return roles if spec.unit is None else roles + " So was the column by which people are counted."
    return Markup("The roles are those of the spec.")


def _columns(spec: Spec, names: Sequence[str]) -> Iterator[RequiredColumn]:
    for name, role in spec.roles.items():
        if role is Role.QUASI_IDENTIFIER:
            yield RequiredColumn(name, link("quasi-identifier"), _generalized(name, spec))
        elif role is Role.SENSITIVE:
            yield RequiredColumn(
                name,
                link("sensitive column", "sensitive"),
                _sensitive(spec.sensitive[name]) + _accepted(name, spec),
            )
        elif role is Role.INSENSITIVE:
            yield RequiredColumn(
                name, link("insensitive column", "insensitive"), _UNCHANGED + _accepted(name, spec)
            )
        else:
            if role is Role.PSEUDONYM:
                yield RequiredColumn(name, link("pseudonym"), _TOKENS + _accepted(name, spec))
                continue
            word = "dropped column" if role is Role.DROP else "identifier"
            yield RequiredColumn(name, link(word), _NOT_RELEASED)
    if spec.unit is not None and spec.unit not in spec.roles:
        yield RequiredColumn(spec.unit, link("unit"), _NOT_RELEASED)
    for name in names:
        if name not in spec.roles and name != spec.unit:
            yield RequiredColumn(name, Markup("not in the spec"), _NOT_RELEASED)


_FORMS = {
    "ranges": "Numbers and dates may become ranges instead.",
    "sets": "Values may become sets of values instead.",
    "fitting": "Numbers and dates may become ranges instead; other values may become sets of values.",
}
"""What labels a recoding may write that are none of the hierarchy."""

_UNCHANGED = "Released with its values unchanged."
_NOT_RELEASED = "Not released."
_TOKENS = "Tokens are released in place of its values, the same token for the same value."


def _form(spec: Spec, name: str) -> str:
    """Return the form of a column's labels; nothing where the recoding has none."""
    if isinstance(spec.recoding, LabelSettings):
        return form_of(spec.recoding.labels_of([name]), name)
    return getattr(spec.recoding, "labels", "")


def _generalized(name: str, spec: Spec) -> str:
    column = spec.quasi_identifiers[name]
    # The settings of a hierarchy may list values of the table; its name and what it does never do.
    kind = column.hierarchy.declared if isinstance(column.hierarchy, Fitted) else column.hierarchy
    summary = getattr(kind, "summary", "").replace("`", "").partition(":")[0].rstrip(".")
    # A summary is about every hierarchy of its kind: what became of this column is in the next section.
    about = (
        f"Hierarchy {getattr(kind, 'name', type(kind).__name__)}: {summary[0].lower()}{summary[1:]}"
        if summary
        else ""
    )
    words = [f"{about or 'Has a hierarchy without a description'}."]
    form = _form(spec, name)
    if is_average(form):
        words.append(f"Rows get the {form} of their class instead.")
    elif form in _FORMS:
        words.append(_FORMS[form])
    if column.min_level or column.max_level is not None:
        highest = "the highest" if column.max_level is None else f"{column.max_level}"
        words.append(
            f"Only level {column.min_level} is allowed."
            if column.min_level == column.max_level
            else f"Levels {column.min_level} to {highest} are allowed."
        )
    if column.weight != 1 and spec.quality.weighted:
        words.append(f"Its weight is {figure(column.weight)}.")
    if column.null == "forbid":
        words.append("It may not be NULL.")
    return " ".join(words)


def _sensitive(column: Sensitive) -> str:
    return _UNCHANGED + (" It may not be NULL." if column.null == "forbid" else "")


def _accepted(name: str, spec: Spec) -> str:
    return " Accepted, although its values may single people out." if name in spec.accept else ""


def _model(model: PrivacyModel) -> RequiredModel:
    return RequiredModel(model.describe(), model.summary, protection(model))


def protection(model: PrivacyModel) -> str:
    """Return what a model stops and what it does not, as its own description says.

    Examples
    --------
    >>> from shoal.privacy.k_anonymity import KAnonymity
    >>> protection(KAnonymity(5)).partition(":")[0]
    'It stops re-identification by joining on the quasi-identifiers'
    """
    for paragraph in re.split(r"\n\s*\n", inspect.getdoc(type(model)) or ""):
        words = " ".join(paragraph.split())
        if (start := words.find("It stops")) >= 0:
            return words[start:].replace("`", "")
    return ""


def _sentences(spec: Spec) -> Iterator[str | Markup]:
    if may_suppress(spec):
        fate = "removed" if spec.suppressed == "remove" else "given * in every quasi-identifier"
        yield Markup("At most {} of the rows may be {}, that is {}.").format(
            percent(spec.suppression), link("suppression", "suppressed"), fate
        )
    else:
        yield Markup("No row may be {}.").format(link("suppression", "suppressed"))
    yield Markup("The {} is {}: the smaller, the better. {}").format(
        link("score"), spec.quality.describe(), spec.quality.summary
    )
    if spec.unit is not None:
        yield Markup("The models count people, not rows: <bdi>{}</bdi> says who a row is about.").format(
            spec.unit
        )
    else:
        yield Markup("The models count rows, and take each for one person: the spec names no {}.").format(
            link("unit")
        )
    forbidding = [name for name, meaning in spec.nulls.items() if meaning == "forbid"]
    if forbidding:
        yield Markup("{} counts as a value, but is not allowed in <bdi>{}</bdi>.").format(
            link("NULL"), listed(forbidding)
        )
    else:
        yield Markup("{} counts as a value.").format(link("NULL"))


def may_suppress(spec: Spec) -> bool:
    """Whether rows may be suppressed: the spec allows it, and so does every model."""
    return spec.suppression > 0 and all(model.suppressible for model in spec.privacy)
