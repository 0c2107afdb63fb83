"""Which of the compared specs `anonymize` would refuse for columns that are released unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.audit.linkable import Linkability, measure
from shoal.read.source import InputFormat, open_source
from shoal.spec.spec import Spec
from shoal.sql.relation import open_relation
from shoal.tradeoff.candidates import Candidate


def linkable_notes(data: object, candidates: Sequence[Candidate]) -> Iterator[str]:
    """Note once for each spec if its releases would be refused, whatever k and the limit are."""
    specs = {candidate.spec_name: candidate.spec for candidate in candidates}
    found: dict[object, Linkability | None] = {}
    for name, spec in specs.items():
        key = (tuple(spec.sensitive), spec.insensitive, tuple(spec.accept), spec.unit, spec.input)
        if key not in found:
            found[key] = linkability(data, spec)
        linkable = found[key]
        if linkable is not None and not linkable.holds:
            yield (
                f"{name}: {linkable.words()}. A release with such shares is refused, unless the spec accepts "
                "these columns: `accept: linkable`."
            )


def linkability(data: object, spec: Spec) -> Linkability | None:
    """Count how many rows of a table the columns that its release has unchanged single out.

    What is suppressed changes the shares by as little. None if there are no such columns.
    """
    names = [*spec.sensitive, *spec.insensitive]
    if not names:
        return None
    read = names if spec.unit is None or spec.unit in names else [*names, spec.unit]
    table = open_source(data, spec.input).read(read, coded=())
    with open_relation(table, InputFormat()) as relation:
        unit = None if spec.unit is None else relation.columns[spec.unit]
        return measure(relation, spec, rows=table.num_rows, unit=unit, labels=False)
