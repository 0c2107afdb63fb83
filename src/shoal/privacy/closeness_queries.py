"""The audit queries of t-closeness, one for each ground distance.

Each gives a row per class: n, everybody (those of the table), and what it costs to move the class's values to
where the table has them, times n and everybody, so that it is made of whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.privacy.model import Tables
from shoal.privacy.queries import histograms, text, totals


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
    # Between two values of a class only the table's cumulated counts grow. So where they pass those of the
    # class, differences change their sign, and sums of cumulated counts tell the rest.
    return f""", places AS (
  SELECT *, sum(cumulated) OVER (ORDER BY place) - cumulated AS before
  FROM (
    SELECT value, row_number() OVER (ORDER BY {keys}) AS place, count(*) OVER () AS m,
      (sum(total) OVER (ORDER BY {keys}))::DOUBLE AS cumulated
    FROM (
      SELECT value, total, {key} AS number
      FROM totals
    )
  )
), runs AS (
  SELECT class, n, everybody, m, c, place, before,
    (sum(c) OVER by_place)::DOUBLE * everybody AS held,
    lag(place) OVER by_place IS NULL AS is_first,
    coalesce(lead(place) OVER by_place, m) AS next
  FROM shapes JOIN counts USING (class) JOIN places ON places.value IS NOT DISTINCT FROM counts.value
  WINDOW by_place AS (PARTITION BY class ORDER BY place)
), passed AS (
  SELECT runs.*, greatest(runs.place, least(coalesce(places.place, 0) + 1, next)) AS crossing
  FROM runs ASOF LEFT JOIN places ON runs.held / runs.n >= places.cumulated
), moves AS (
  SELECT class, sum(c) AS known, sum(
    CASE WHEN is_first THEN n * passed.before ELSE 0 END
    + held * (crossing - passed.place) - n * (middle.before - passed.before)
    + n * (last.before - middle.before) - held * (next - crossing)
  ) / greatest(any_value(passed.m) - 1, 1) AS cost
  FROM passed
  JOIN places AS middle ON middle.place = crossing
  JOIN places AS last ON last.place = next
  GROUP BY class
)
SELECT class, n, everybody, CASE WHEN coalesce(known, 0) < n THEN 'infinity' ELSE cost END AS moved
FROM shapes LEFT JOIN moves USING (class)"""


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
    sums = ", ".join(
        f"sum(total) OVER (PARTITION BY label_{level}) AS total_{level}" for level in range(levels + 1)
    )
    # A label that none of the class's values has gives nothing, so only the others are looked at. What a
    # label's children lack is what they have too much, less what the label itself has.
    steps = "\n  UNION ALL\n".join(
        f"  SELECT class, {level} / height * least(given, given - extra) AS cost\n"
        "  FROM (\n"
        f"    SELECT class, height, sum(greatest(c * everybody - total_{level - 1} * n, 0)) AS given,\n"
        f"      sum(c) * everybody - total_{level} * n AS extra\n"
        "    FROM (\n"
        f"      SELECT class, n, everybody, height, label_{level}, total_{level - 1}, total_{level},\n"
        "        sum(c)::DOUBLE AS c\n"
        "      FROM known\n"
        f"      GROUP BY class, n, everybody, height, label_{level - 1}, label_{level}, "
        f"total_{level - 1}, total_{level}\n"
        "    )\n"
        f"    GROUP BY class, n, everybody, height, label_{level}, total_{level}\n"
        "  )"
        for level in range(1, levels + 1)
    )
    return f""", labels AS (
  SELECT *, {sums}
  FROM (
    SELECT value, total, greatest({top} + {torn}::INTEGER, 1) AS height,
      {", ".join(labels)}
    FROM totals LEFT JOIN {taxonomy} AS taxonomy ON taxonomy.level_0 IS NOT DISTINCT FROM totals.value
  )
), known AS (
  SELECT class, n, everybody, c, labels.*
  FROM shapes JOIN counts USING (class) JOIN labels ON labels.value IS NOT DISTINCT FROM counts.value
), steps AS (
{steps}
)
SELECT class, n, everybody, CASE WHEN coalesce(known, 0) < n THEN 'infinity' ELSE cost END AS moved
FROM shapes
LEFT JOIN (SELECT class, sum(c) AS known FROM known GROUP BY class) USING (class)
LEFT JOIN (SELECT class, sum(cost) AS cost FROM steps GROUP BY class) USING (class)"""
