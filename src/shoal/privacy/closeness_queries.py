"""The audit queries of t-closeness, one for each ground distance.

Each gives a row per class: n, everybody (those of the table), and what it costs to move the class's values to
where the table has them, times n and everybody, so that it is made of whole numbers. Where people are
counted, n and everybody count the values that they have, and two columns more say what that costs (`start`).
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.privacy.model import Tables
from shoal.privacy.queries import histograms, originally, text, totals


def start(tables: Tables, column: str) -> str:
    """Return the beginning of the queries: it defines `shapes` (class, n, everybody) beside the counts.

    Where people are counted it has also `alike`, the least of the values per person in the class and in the
    table, and `apart`, the difference of these.
    """
    counted = f"{histograms(tables, column)}{totals(tables, column)}, "
    if tables.unit is None:
        return (
            f"{counted}shapes AS (\n"
            "  SELECT class, sum(c)::DOUBLE AS n, (SELECT sum(total) FROM totals)::DOUBLE AS everybody\n"
            "  FROM counts GROUP BY class\n"
            ")"
        )
    # In whole numbers, so that a class that is like the table is at distance 0.
    return (
        f"{counted}shapes AS (\n"
        "  SELECT class, n, everybody, least(n / people, everybody / all_people) AS alike,\n"
        "    abs(n * all_people - everybody * people) / (people * all_people) AS apart\n"
        "  FROM (\n"
        "    SELECT class, sizes.n::DOUBLE AS people, sum(c)::DOUBLE AS n,\n"
        "      (SELECT sum(total) FROM totals)::DOUBLE AS everybody,\n"
        f"      (SELECT {originally(tables)} FROM {tables.original})::DOUBLE AS all_people\n"
        "    FROM counts JOIN sizes USING (class) GROUP BY class, sizes.n\n"
        "  ) AS numbers\n"
        ")"
    )


def shaped(tables: Tables) -> str:
    """Return the columns of `shapes` that a query gives beside what is moved."""
    return "class, n, everybody" if tables.unit is None else "class, n, everybody, alike, apart"


def equal(tables: Tables) -> str:
    return f"""
SELECT {shaped(tables)},
  CASE WHEN count(total) < count(*) THEN 'infinity'::DOUBLE
    ELSE sum(greatest(c * everybody - total * n, 0)) END AS moved
FROM shapes JOIN counts USING (class)
LEFT JOIN totals ON totals.value IS NOT DISTINCT FROM counts.value
GROUP BY {shaped(tables)}"""


def ordered(tables: Tables, number: str, order: Sequence[str | None] | None) -> str:
    """Return the query for values in order: a given one, or their own, for text by `number` if all match."""
    listed, keyed, keys = _keyed("totals", number, order)
    listed = f", {listed}" if listed else ""
    # Between two values of a class only the table's cumulated counts grow. So where they pass those of the
    # class, differences change their sign, and sums of cumulated counts tell the rest. To find the last place
    # that they have not passed, both are put in one order.
    return f"""{listed}, places AS (
  SELECT *, sum(cumulated) OVER (ORDER BY place) - cumulated AS before
  FROM (
    SELECT value, row_number() OVER (ORDER BY {keys}) AS place, count(*) OVER () AS m,
      (sum(total) OVER (ORDER BY {keys}))::DOUBLE AS cumulated
    FROM (
      {keyed}
    ) AS keyed
  ) AS in_order
), runs AS (
  SELECT class, n, everybody, m, c, place, before,
    (sum(c) OVER by_place)::DOUBLE * everybody AS held,
    lag(place) OVER by_place IS NULL AS is_first,
    coalesce(lead(place) OVER by_place, m) AS next
  FROM shapes JOIN counts USING (class) JOIN places ON places.value IS NOT DISTINCT FROM counts.value
  WINDOW by_place AS (PARTITION BY class ORDER BY place)
), reached AS (
  SELECT *, max(at_place) OVER (ORDER BY held_share, is_run ROWS UNBOUNDED PRECEDING) AS last_place
  FROM (
    SELECT class, n, everybody, m, c, place, before, held, is_first, next,
      held / n AS held_share, 1 AS is_run, 0 AS at_place
    FROM runs
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, cumulated, 0, place
    FROM places
  ) AS both_counts
), passed AS (
  SELECT *, greatest(place, least(last_place + 1, next)) AS crossing FROM reached WHERE is_run = 1
), moves AS (
  SELECT class, sum(c) AS known, sum(
    CASE WHEN is_first THEN n * passed.before ELSE 0 END
    + held * (crossing - passed.place) - n * (middle.before - passed.before)
    + n * (last.before - middle.before) - held * (next - crossing)
  ) / greatest(max(passed.m) - 1, 1) AS cost
  FROM passed
  JOIN places AS middle ON middle.place = crossing
  JOIN places AS last ON last.place = next
  GROUP BY class
)
SELECT {shaped(tables)},
  CASE WHEN coalesce(known, 0) < n THEN 'infinity'::DOUBLE ELSE cost END AS moved
FROM shapes LEFT JOIN moves USING (class)"""


def places(values: str, number: str, order: Sequence[str | None] | None) -> str:
    """Return a query on distinct values with the columns `value` and `place`, in their order."""
    listed, keyed, keys = _keyed(values, number, order)
    start = f"WITH {listed} " if listed else ""
    return f"{start}SELECT value, row_number() OVER (ORDER BY {keys}) AS place FROM (\n{keyed}\n) AS keyed"


def _keyed(values: str, number: str, order: Sequence[str | None] | None) -> tuple[str, str, str]:
    """Return what a query on values in order begins with, the values with a `number`, and the keys."""
    if order is None:
        keyed = (
            "SELECT *,\n"
            f"        CASE WHEN bool_and(regexp_matches(value::VARCHAR, '^{number}$')) OVER ()\n"
            "        THEN TRY_CAST(value::VARCHAR AS DOUBLE) END AS number\n"
            f"      FROM {values}"
        )
        return "", keyed, "value IS NULL, number, value"
    labels = ", ".join(f"({text(value)}::VARCHAR, {position})" for position, value in enumerate(order))
    listed = f"listed AS (\n  SELECT * FROM (VALUES {labels}) AS listed (label, place)\n)"
    null = order.index(None) if None in order else len(order) + 1
    # A whole number with a fraction is written without it.
    keyed = (
        f"SELECT {values}.*, CASE WHEN value IS NULL THEN {null}\n"
        "        ELSE coalesce(as_it_is.place, without_fraction.place) END AS number\n"
        f"      FROM {values}\n"
        "      LEFT JOIN listed AS as_it_is ON as_it_is.label = value::VARCHAR\n"
        "      LEFT JOIN listed AS without_fraction\n"
        "        ON without_fraction.label || '.0' = value::VARCHAR"
    )
    return listed, keyed, "number"


def hierarchical(tables: Tables, taxonomy: str, levels: int) -> str:
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
        "    ) AS below\n"
        f"    GROUP BY class, n, everybody, height, label_{level}, total_{level}\n"
        "  ) AS here"
        for level in range(1, levels + 1)
    )
    return f""", labels AS (
  SELECT *, {sums}
  FROM (
    SELECT value, total, greatest({top} + {torn}::INTEGER, 1) AS height,
      {", ".join(labels)}
    FROM totals LEFT JOIN {taxonomy} AS taxonomy ON taxonomy.level_0 IS NOT DISTINCT FROM totals.value
  ) AS labelled
), known AS (
  SELECT class, n, everybody, c, labels.*
  FROM shapes JOIN counts USING (class) JOIN labels ON labels.value IS NOT DISTINCT FROM counts.value
), steps AS (
{steps}
)
SELECT {shaped(tables)},
  CASE WHEN coalesce(known, 0) < n THEN 'infinity'::DOUBLE ELSE cost END AS moved
FROM shapes
LEFT JOIN (SELECT class, sum(c) AS known FROM known GROUP BY class) AS found USING (class)
LEFT JOIN (SELECT class, sum(cost) AS cost FROM steps GROUP BY class) AS moves USING (class)"""
