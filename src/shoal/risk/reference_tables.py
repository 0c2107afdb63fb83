"""What a table is compared with: the sensitive values of its original, and a population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shoal.audit.reference import (
    HeldOriginal,
    add_references,
    claims,
    original_columns,
    read_references,
    with_hierarchies,
)
from shoal.describe.hierarchies.suppress import Suppress
from shoal.describe.roles import QuasiIdentifier
from shoal.errors import InputError
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.k_map import KMap
from shoal.privacy.model import PrivacyModel, Tables
from shoal.risk.grouped_table import GroupedTable, is_open, opened
from shoal.spec.spec import Spec


def add_compared(
    classes: GroupedTable,
    spec: Spec,
    unit: str | None,
    population: object,
    original: object,
    levels: Mapping[str, int] | None,
    released: bool,
) -> Tables:
    """Let queries read the original's sensitive values and the population, as far as they are given.

    They are read as an audit reads them. So the claims are made up that would ask for them.
    """
    nothing = Tables("classes", (), original="")
    models: list[PrivacyModel] = []
    if original is not None:
        models += [BetaLikeness(name, 1) for name in spec.sensitive]
    if population is not None:
        models.append(KMap(1, population))
    if not models:
        return nothing
    claimed = replace(spec, privacy=tuple(models), unit=unit and spec.unit)
    if not released:
        # Values as they are, so that no hierarchy has to know them.
        plain = {name: QuasiIdentifier(hierarchy=Suppress()) for name in spec.quasi_identifiers}
        claimed = replace(claimed, quasi_identifiers=plain)
        levels = dict.fromkeys(plain, 0)
    to_check = claims(claimed)
    source = _as_table(original, original_columns(claimed, to_check))
    references, problems = read_references(claimed, to_check, source, None, levels)
    if problems:
        raise InputError(problems)
    relation = classes.relation
    made = with_hierarchies(claimed, references)
    own = None if references.original is None else HeldOriginal(references.original)
    tables, _ = add_references(
        relation, made, to_check, own, references.populations, levels or {}, classes.unit
    )
    return replace(tables, original=tables.original if original is not None else "")


def _as_table(data: object, columns: Sequence[str]) -> object:
    """Return data that can be opened again: the wanted columns of a source that is open already."""
    if data is None or not is_open(data):
        return data
    source = opened(data)
    return source.read([name for name in columns if name in source.columns], coded=())
