"""The audit queries of t-closeness, one for each ground distance.

Each gives a row per class: n, everybody (those of the table), and what it costs to move the class's values to
where the table has them, times n and everybody, so that it is made of whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.privacy.model import Tables
from shoal.privacy.queries import histograms, text, totals

# Per class and value of the table, by how much the class has too many; values that it lacks are there too.
# What the table does not have cannot be moved: then fewer than n are known.
_EXTRAS = """, extras AS (
  SELECT class, n, everybody, {columns},
    coalesce(c, 0) AS known, coalesce(c, 0) * everybody - total * n AS extra
  FROM (SELECT * FROM shapes CROSS JOIN {source})
  LEFT JOIN (SELECT class AS of_class, value AS of_value, c FROM counts)
    ON of_class = class AND of_value IS NOT DISTINCT FROM value
)"""


def start(tables: Tables, column: str) -> str:
    """Return the beginning of the queries: it defines `shapes` (class, n, everybody) beside the counts."""
    return (
        f"{histograms(tables, column)}{totals(tables, column)}, shapes AS (\n"
        "  SELECT class, sum(c)::DOUBLE AS n, (SELECT sum(total) FROM totals)::DOUBLE AS everybody\n"
        "  FROM counts GROUP BY class\n"
        ")"
    )


def equal() -> str:
    return """
SELECT class, n, everybody, sum(greatest(c * everybody - coalesce(total, 0) * n, 0)) AS moved
FROM shapes JOIN counts USING (class)
LEFT JOIN totals ON totals.value IS NOT DISTINCT FROM counts.value
GROUP BY class, n, everybody"""


def ordered(number: str, order: Sequence[str | None] | None) -> str:
    """Return the query for values in order: a given one, or their own, for text by `number` if all match."""
    if order is None:
        keys = "value IS NULL, number, value"
        key = (
            f"CASE WHEN bool_and(regexp_full_match(value::VARCHAR, '{number}')) OVER ()\n"
            "      THEN TRY_CAST(value::VARCHAR AS DOUBLE) END"
        )
    else:
        keys = "number"
        written = ", ".join(text(value) for value in order if value is not None)
        null = order.index(None) + 0.5 if None in order else len(order) + 1
        # A whole number with a fraction is written without it.
        key = (
            f"CASE WHEN value IS NULL THEN {null} ELSE list_position([{written}],\n"
            "      CASE WHEN typeof(value) IN ('DOUBLE', 'FLOAT')\n"
            "      THEN regexp_replace(value::VARCHAR, '[.]0$', '') ELSE value::VARCHAR END) END"
        )
    return f""", places AS (
  SELECT value, total, row_number() OVER (ORDER BY {keys}) AS place,
    greatest(count(*) OVER () - 1, 1) AS steps
  FROM (
    SELECT value, total, {key} AS number
    FROM totals
  )
){_EXTRAS.format(columns="place, steps", source="places")}, cumulated AS (
  SELECT *, abs(sum(extra) OVER (PARTITION BY class ORDER BY place)) AS carried FROM extras
)
SELECT class, n, everybody,
  CASE WHEN sum(known) < n THEN 'infinity'
    ELSE coalesce(sum(carried) FILTER (place <= steps), 0) / steps END AS moved
FROM cumulated GROUP BY class, n, everybody, steps"""


def hierarchical(taxonomy: str, levels: int) -> str:
    """Return the query for values with labels at so many levels, the value itself included.

    Where the labels of the last level are several, one more above them joins all. NULL has a label of its own
    at all levels but the last.
    """
    top = levels - 1
    torn = f"(min(level_{top}) OVER () IS DISTINCT FROM max(level_{top}) OVER ())"
    labels = ["value AS label_0", *(f"level_{level} AS label_{level}" for level in range(1, top))]
    if top:
        labels.append(f"CASE WHEN {torn} THEN level_{top} END AS label_{top}")
    labels.append(f"'*' AS label_{levels}")
    columns = ", ".join(["height", *(f"label_{level}" for level in range(levels + 1))])
    steps = "\n  UNION ALL\n".join(
        "  SELECT class,\n"
        f"    {level} / height * least(sum(greatest(extra, 0)), sum(greatest(-extra, 0))) AS cost\n"
        "  FROM (\n"
        f"    SELECT class, height, label_{level}, sum(extra) AS extra\n"
        f"    FROM extras GROUP BY class, height, label_{level - 1}, label_{level}\n"
        "  )\n"
        f"  GROUP BY class, height, label_{level}"
        for level in range(1, levels + 1)
    )
    return f""", labels AS (
  SELECT value, total, greatest({top} + {torn}::INTEGER, 1) AS height,
    {", ".join(labels)}
  FROM totals LEFT JOIN {taxonomy} AS taxonomy ON taxonomy.level_0 IS NOT DISTINCT FROM totals.value
){_EXTRAS.format(columns=columns, source="labels")}, steps AS (
{steps}
)
SELECT class, n, everybody, CASE WHEN known < n THEN 'infinity' ELSE cost END AS moved
FROM (SELECT class, n, everybody, sum(known) AS known FROM extras GROUP BY class, n, everybody)
JOIN (SELECT class, sum(cost) AS cost FROM steps GROUP BY class) USING (class)"""
