"""What can be learnt of a sensitive column without finding anybody: it is enough to know somebody's class.

The figures are those of the privacy models: each is the strongest requirement that the table keeps. For a
class of n rows with the share q of a value, and its share p in the whole table:

- `distinct`: the fewest different values that account for everybody in a class (distinct l-diversity);
- `entropy`: the least exp(- sum of q ln q), the number of equally frequent values with the same uncertainty
  (entropy l-diversity); its logarithm to the base 2 is the entropy in bits;
- `highest_posterior`: the largest q, how sure one can be of a value (alpha);
- `average_posterior`: the mean over rows of the largest q of their class, how often a guess is right;
- `prior`: the largest share of a value in all classes together, how often a guess is right on the same rows
  without knowing the class; so it is never above `average_posterior`;
- `certain`: the share of the rows in classes with a single value, or of the people in classes where all have
  a value in common;
- `closeness`: the largest sum of max(0, q - p) over values (t-closeness with equal distance);
- `closeness_ordered`: the same with the ordered distance, for numbers, dates and truth values;
- `beta`: the largest q / p - 1 (basic beta-likeness);
- `delta`: the largest |ln(q / p)| (delta-disclosure privacy), infinite where a class lacks a value.

Where people are counted (a unit), n and q count people, and somebody may have several values: `distinct` and
`entropy` are those of the worst reading, and the distances add how many more values people have in a class
than in the table, or fewer (`shoal.privacy.people`). For `average_posterior` somebody with rows in several
classes counts in each; for `certain` once.

NULL is a value. The whole table is the original one, where the classes are those of a release.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from shoal.privacy.model import Tables
from shoal.privacy.queries import counted
from shoal.privacy.t_closeness import TCloseness
from shoal.risk.grouped_table import GroupedTable


@dataclass(frozen=True, slots=True)
class AttributeRisk:
    """What classes tell of one sensitive column; see above for what each figure is."""

    distinct: int
    entropy: float
    highest_posterior: float
    average_posterior: float
    prior: float
    certain: float
    closeness: float
    closeness_ordered: float | None
    beta: float
    delta: float

    def to_mapping(self) -> dict[str, Any]:
        """Return the figures as plain values, ready for JSON, where what is infinite is null."""
        return {
            name: None if isinstance(value, float) and math.isinf(value) else value
            for name, value in asdict(self).items()
        }


def attribute_risks(
    classes: GroupedTable, sensitive: Sequence[str], tables: Tables
) -> dict[str, AttributeRisk]:
    """Return what the classes tell of each sensitive column.

    Parameters
    ----------
    tables
        Where `original` is the whole table to compare with; empty if that is the table itself.
    """
    if not sensitive or not classes.rows:
        return {}
    tables = _members(classes, sensitive, tables)
    return {name: _risk(classes, tables, name) for name in sensitive}


def _members(classes: GroupedTable, sensitive: Sequence[str], tables: Tables) -> Tables:
    """Have the sensitive values of all rows beside the number of their class: labels are joined once."""
    relation = classes.relation
    columns = [relation.columns[name] for name in sensitive]
    if classes.unit is not None and classes.unit not in columns:
        columns.append(classes.unit)
    number = "class"
    while f'"{number}"' in map(str.lower, columns):
        number += "_"
    same = " AND ".join(
        f"classes.{label} IS NOT DISTINCT FROM whole.{relation.columns[name]}"
        for label, name in zip(classes.label_columns, classes.quasi_identifiers, strict=True)
    )
    relation.rows(
        "CREATE OR REPLACE TEMP TABLE members AS\n"
        f"SELECT classes.class AS {number}, {', '.join(f'whole.{column}' for column in columns)}\n"
        f"FROM {relation.source} AS whole JOIN classes ON {same}"
    )
    return replace(
        tables,
        kept="members",
        quasi_identifiers=[number],
        columns=relation.columns,
        original=tables.original or "members",
        unit=classes.unit,
    )


def _risk(classes: GroupedTable, tables: Tables, name: str) -> AttributeRisk:
    relation = classes.relation
    found = relation.fetch_row(_query(tables, tables.columns[name]))
    ordered = None
    if _ordered(classes, tables, name):
        _, ordered = relation.fetch_row(TCloseness(name, 1, distance="ordered").sql(tables))
    distinct, entropy, highest, average, prior, certain, closeness, beta, delta = map(float, found)
    return AttributeRisk(
        distinct=int(distinct),
        entropy=entropy,
        highest_posterior=highest,
        average_posterior=average,
        prior=prior,
        certain=certain,
        closeness=closeness,
        closeness_ordered=None if ordered is None else float(ordered),
        beta=beta,
        delta=delta,
    )


def _query(tables: Tables, column: str) -> str:
    """Return one query for all figures but the ordered distance: of many classes each pass takes its time.

    Where people are counted, somebody with several values counts for each. So shares of people add up to more
    than 1; diversity and distance are as the models have them (`shoal.privacy.people`).
    """
    number, count = tables.quasi_identifiers[0], counted(tables)
    together, earlier = "n", "0"
    certain = "coalesce(sum(n) FILTER (most = n), 0) / sum(n)"
    if tables.unit is not None:
        together = "sum(c) OVER (PARTITION BY class)"
        earlier = "sum(c) OVER (PARTITION BY class ORDER BY c DESC ROWS UNBOUNDED PRECEDING) - c"
        certain = (
            "(SELECT count(DISTINCT person) FILTER (most = n) / count(DISTINCT person)\n"
            "    FROM memberships JOIN told USING (class))"
        )
    return f"""
WITH counts AS (
  SELECT {number} AS class, {column} AS value, {count} AS c FROM {tables.kept} GROUP BY ALL
), totals AS (
  SELECT {column} AS value, {count} AS total FROM {tables.original} GROUP BY ALL
), whole AS (
  SELECT (SELECT {count} FROM {tables.original})::DOUBLE AS people,
    sum(total)::DOUBLE AS everybody, count(*) AS different
  FROM totals
), compared AS (
  SELECT class, n, c, {together} AS m, different, people, everybody,
    greatest(least(c, n - ({earlier})), 0) AS r,
    coalesce(total, 0) / people AS p, coalesce(total, 0) / everybody AS share
  FROM counts JOIN classes USING (class) CROSS JOIN whole
  LEFT JOIN totals ON totals.value IS NOT DISTINCT FROM counts.value
), told AS (
  SELECT class, n, count(*) FILTER (r > 0) AS found, max(c) AS most,
    ln(n) - sum(r * ln(greatest(r, 1))) / n AS entropy,
    sum(greatest(c / m - share, 0)) * least(any_value(m / n), any_value(everybody / people))
      + abs(any_value(m / n) - any_value(everybody / people)) AS moved,
    max(CASE WHEN p > 0 THEN c / n / p - 1 ELSE 'infinity' END) AS gain,
    CASE WHEN count(*) < any_value(different) OR min(p) = 0 THEN 'infinity'
      ELSE max(abs(ln(c / n) - ln(p))) END AS change
  FROM compared GROUP BY class, n
)
SELECT min(found), exp(min(entropy)), max(told.most / n), sum(told.most) / sum(n),
  (SELECT max(together) FROM (SELECT sum(c) AS together FROM counts GROUP BY value)) / sum(n), {certain},
  max(moved), max(gain), max(change)
FROM told"""


def _ordered(classes: GroupedTable, tables: Tables, name: str) -> bool:
    """Return whether the values have their own order: they are not text, or text that is all numbers."""
    if name not in classes.relation.text:
        return True
    column = tables.columns[name]
    (numbers,) = classes.relation.fetch_row(
        "SELECT coalesce(bool_and(TRY_CAST(value AS DOUBLE) IS NOT NULL), false)\n"
        f"FROM (SELECT DISTINCT {column} AS value FROM {tables.original} WHERE {column} IS NOT NULL)"
    )
    return bool(numbers)
