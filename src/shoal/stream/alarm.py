"""Why somebody should look at a stream, in words."""

from __future__ import annotations

from shoal.encode.table import CodedTable
from shoal.privacy.figures import whole
from shoal.privacy.passing_classes import holding
from shoal.spec.spec import Spec
from shoal.stream.regions import Regions


def describe(
    table: CodedTable, spec: Spec, regions: Regions, suppressed: int, released: int, strange: int
) -> str:
    """Return what was suppressed, what that says of the distribution, and what to do. It shows no values."""
    settled = suppressed + released
    found = (
        f"{suppressed:,} of {settled:,} rows were suppressed ({suppressed / settled:.1%}); the spec allows "
        f"{spec.suppression:.1%}."
    )
    if strange:
        found += f"\nThe declared distribution lacks the values of {strange:,} of all rows."
    if regions.too_few.all():
        return f"{found}\nFewer rows came than any class needs.\nLet rows wait for more batches."
    everybody = whole(table)
    failing = [
        model.describe() for model in spec.privacy if model.column and not holding([model], everybody)[0]
    ]
    if failing:
        return (
            f"{found}\nAll {table.rows:,} rows together do not satisfy {' and '.join(failing)}: sensitive "
            "values "
            "are not distributed as declared.\nCheck the source of the rows. If the change is real, begin "
            "another "
            "stream with the new distribution."
        )
    return (
        f"{found}\nAll {table.rows:,} rows together satisfy the models, and some regions of "
        f"{', '.join(table.names)} do not: sensitive values are distributed otherwise there.\n"
        "Let rows wait for more batches, or ask for less."
    )
