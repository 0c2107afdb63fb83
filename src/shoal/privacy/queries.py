"""The parts that the audit queries of several models have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shoal.privacy.model import Tables


def double(number: float) -> str:
    """Write a number so that SQL takes it as a DOUBLE, not as a DECIMAL of a few digits.

    Examples
    --------
    >>> double(0.2), double(3), double(1e-12)
    ('0.2e0', '3.0e0', '1e-12')
    """
    text = repr(float(number))
    return text if "e" in text else f"{text}e0"


def text(value: str | None) -> str:
    """Write a text as SQL does.

    Examples
    --------
    >>> text("it's"), text(None)
    ("'it''s'", 'NULL')
    """
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


def all_stars(labels: Sequence[str]) -> str:
    """Return the condition that all labels are `*`; with NULL they are not.

    Examples
    --------
    >>> all_stars(["q1", "q2"])
    "q1::VARCHAR = '*' AND q2::VARCHAR = '*'"
    """
    return " AND ".join(f"{label}::VARCHAR = '*'" for label in labels)


def counted(tables: Tables) -> str:
    """Return what counts people: rows, or units where these count."""
    if tables.unit is not None:
        return f"count(DISTINCT {tables.unit})"
    return "count(*)" if tables.weight is None else f"sum({tables.weight})::BIGINT"


def originally(tables: Tables) -> str:
    """Return what counts people of the original table."""
    if tables.original_weight is not None:
        return f"sum({tables.original_weight})::BIGINT"
    return counted(replace(tables, weight=None))


def histograms(tables: Tables, column: str) -> str:
    """Return the beginning of a query on a sensitive column.

    It defines `sizes` (class, n) and `counts` (class, value, c). NULL is a value, and a class that differs
    from another only by NULL is one of its own.
    """
    if tables.number is not None:
        return (
            "WITH sizes AS (\n"
            f"  SELECT {tables.number} AS class, {counted(tables)} AS n FROM {tables.kept} GROUP BY 1\n"
            "), counts AS (\n"
            f"  SELECT {tables.number} AS class, {tables.columns[column]} AS value, {counted(tables)} AS c\n"
            f"  FROM {tables.kept} GROUP BY 1, 2\n"
            ")"
        )
    labels = ", ".join(
        f"{name} AS label_{position}" for position, name in enumerate(tables.quasi_identifiers)
    )
    # Ranked after counting, since classes are fewer than rows. Both parts have the same, so the same numbers.
    order = ", ".join(f"label_{position}" for position in range(len(tables.quasi_identifiers)))
    positions = ", ".join(str(position) for position in range(1, len(tables.quasi_identifiers) + 1))
    return (
        "WITH sizes AS (\n"
        f"  SELECT dense_rank() OVER (ORDER BY {order}) AS class, n\n"
        f"  FROM (SELECT {labels}, {counted(tables)} AS n\n"
        f"    FROM {tables.kept} GROUP BY {positions}) AS classes\n"
        "), counts AS (\n"
        f"  SELECT dense_rank() OVER (ORDER BY {order}) AS class, value, c\n"
        f"  FROM (SELECT {labels}, {tables.columns[column]} AS value, {counted(tables)} AS c\n"
        f"    FROM {tables.kept} GROUP BY {positions}, {len(tables.quasi_identifiers) + 1}) AS cells\n"
        ")"
    )


def readings(tables: Tables, column: str) -> tuple[str, str]:
    """Return the beginning of a query on values of which each person has one, and the relation that has them.

    That is `counts`, where rows are counted. Where people are, it is `readings` (class, c), the worst reading
    of the class: the most frequent values first, until each person has one (`shoal.privacy.people`).
    """
    start = histograms(tables, column)
    if tables.unit is None:
        return start, "counts"
    return (
        f"{start}, readings AS (\n"
        "  SELECT class, least(c, n - earlier)::BIGINT AS c\n"
        "  FROM (\n"
        "    SELECT class, n, c,\n"
        "      sum(c) OVER (PARTITION BY class ORDER BY c DESC ROWS UNBOUNDED PRECEDING) - c AS earlier\n"
        "    FROM sizes JOIN counts USING (class)\n"
        "  ) AS falling\n"
        "  WHERE earlier < n\n"
        ")",
        "readings",
    )


def totals(tables: Tables, column: str) -> str:
    """Return a further part of it: `totals` (value, total), how often each value is in the original table."""
    name = tables.columns[column]
    return (
        f", totals AS (\n  SELECT {name} AS value, {originally(tables)} AS total\n"
        f"  FROM {tables.original} GROUP BY {name}\n)"
    )


def by_label(tables: Tables, column: str, level: int, in_order: str) -> tuple[str, Tables]:
    """Return the beginning of a query on labels of a level above 0, and the tables with these.

    A label is the number of the first value under it, so that labels are in the order of their values. What
    the original table does not have gets 0, which no label is. NULL is a label of its own, but under a single
    label on top.

    Parameters
    ----------
    in_order
        A query on `distinct_values` with the columns `value` and `place`, from 1.
    """
    taxonomy, levels = tables.taxonomies[column]
    top = levels - 1
    label = f"level_{level}"
    if level == top:
        torn = f"min(level_{top}) OVER () IS DISTINCT FROM max(level_{top}) OVER ()"
        label = f"CASE WHEN {torn} THEN level_{top} END"
    above = "".join(f", level_{upper}" for upper in range(level + 1, levels))
    # Any name may be taken by a column, so all get others.
    renamed: Mapping[str, str | None] = {"number": tables.number, "unit": tables.unit}
    if tables.unit is None:
        renamed = {**renamed, "weight": tables.weight}
    own = {name: column for name, column in renamed.items() if column is not None}
    identifiers: dict[str, str] = {}
    if tables.number is None:
        identifiers = {
            f"q{position}": name for position, name in enumerate(tables.quasi_identifiers, start=1)
        }
    people = {} if tables.unit is None else {"unit": tables.unit}
    if tables.original_weight is not None:
        people = {"people": tables.original_weight}

    def labelled(rows: str, columns: Mapping[str, str]) -> str:
        names = "".join(f"{name}, " for name in columns)
        given = "".join(f"{column} AS {name}, " for name, column in columns.items())
        return (
            f"  SELECT {names}coalesce(label, 0) AS label\n"
            f"  FROM (SELECT {given}{tables.columns[column]} AS own FROM {rows}) AS given\n"
            "  LEFT JOIN labels_of_values ON labels_of_values.value IS NOT DISTINCT FROM given.own\n"
        )

    start = (
        "WITH distinct_values AS (\n"
        f"  SELECT {tables.columns[column]} AS value FROM {tables.original} GROUP BY 1\n"
        "), labels_of_values AS (\n"
        f"  SELECT value, min(place) OVER (PARTITION BY label) AS label{above}\n"
        "  FROM (\n"
        f"    SELECT value, place, {label} AS label{above}\n"
        f"    FROM ({in_order}) AS places\n"
        f"    LEFT JOIN {taxonomy} AS taxonomy ON taxonomy.level_0 IS NOT DISTINCT FROM places.value\n"
        "  ) AS labelled\n"
        "), kept_by_label AS (\n"
        f"{labelled(tables.kept, {**identifiers, **own})}"
        "), original_by_label AS (\n"
        f"{labelled(tables.original, people)})"
    )
    higher = "".join(f", level_{upper} AS level_{upper - level}" for upper in range(level + 1, levels))
    return start, replace(
        tables,
        kept="kept_by_label",
        quasi_identifiers=list(identifiers),
        columns={column: "label"},
        original="original_by_label",
        original_weight=None if tables.original_weight is None else "people",
        taxonomies={
            column: (f"(SELECT DISTINCT label AS level_0{higher} FROM labels_of_values)", levels - level)
        },
        number="number" if "number" in own else None,
        unit="unit" if "unit" in own else None,
        weight="weight" if "weight" in own else None,
    )


def with_shares(tables: Tables, column: str) -> str:
    """Return the beginning of a query that compares classes with the table.

    It adds `compared` (class, n, value, c, p), where p is the share of the value in the table: 0 if the table
    does not have it.
    """
    return (
        f"{histograms(tables, column)}{totals(tables, column)}, compared AS (\n"
        "  SELECT class, n, counts.value, c,\n"
        f"    coalesce(total, 0)::DOUBLE / (SELECT {originally(tables)} FROM {tables.original}) AS p\n"
        "  FROM sizes JOIN counts USING (class)\n"
        "  LEFT JOIN totals ON totals.value IS NOT DISTINCT FROM counts.value\n"
        ")"
    )


def populations(tables: Tables, key: str) -> str:
    """Return a relation with one row per class: n released people, and the people of the population.

    A class that only one of the two has is there too, with 0 of the other. Where rows are starred, people
    whom no released class has may be any of those. Where labels may overlap, `matches` says in how many
    classes some person of the class is.
    """
    columns = ", ".join(tables.quasi_identifiers)
    # Any name may be taken by a quasi-identifier, so they get others.
    positions = [f"q{position}" for position in range(1, len(tables.quasi_identifiers) + 1)]
    renamed = ", ".join(
        f"{column} AS {q}" for column, q in zip(tables.quasi_identifiers, positions, strict=True)
    )
    members, none, most, matches = "count(*)", "", "", ""
    if tables.matched is not None:
        number, classes_of_one = tables.matched
        members, most = f"sum({number})::BIGINT", f", max({classes_of_one})"
        none, matches = ", 0 AS matches", ", max(matches) AS matches"
    classes = (
        "(\n"
        f"  SELECT {', '.join(positions)}, sum(n)::BIGINT AS n, sum(people)::BIGINT AS people{matches}\n"
        "  FROM (\n"
        f"    SELECT {renamed}, {counted(tables)} AS n, 0 AS people{none}\n"
        f"    FROM {tables.kept} GROUP BY {columns}\n"
        "    UNION ALL\n"
        f"    SELECT {columns}, 0, {members}{most}\n"
        f"    FROM {tables.populations[key]} GROUP BY {columns}\n"
        "  ) AS both_tables\n"
        f"  GROUP BY {', '.join(positions)}\n"
        ")"
    )
    if not tables.starred:
        return classes
    return (
        "(\n"
        f"SELECT n, people + CASE WHEN {all_stars(positions)}\n"
        "  THEN sum(CASE WHEN n = 0 THEN people ELSE 0 END) OVER () ELSE 0 END AS people"
        f"{', matches' if matches else ''}\n"
        f"FROM {classes} AS compared\n"
        ")"
    )
