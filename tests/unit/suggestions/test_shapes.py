"""What the values of a column look like."""

from __future__ import annotations

import pyarrow as pa

from shoal.suggestions.shapes import shapes_of
from shoal.suggestions.suggestion import suggest
from shoal.suggestions.table import open_table

ROWS = 40
PEOPLE = pa.table(
    {
        "who": [f"p{n % 20}" for n in range(ROWS)],
        "ward": ["Ä1-x"] * 8 + ["B 22"] * 4 + [f"{'z' * n}" for n in range(ROWS - 12)],
        "mail": ["Jo.Doe@example.org"] * 10 + [None] * 30,
    }
)


def test_only_values_and_shapes_that_five_people_share():
    with open_table(PEOPLE) as table:
        suggestion = suggest(PEOPLE, unit="none")
        ward = suggestion.with_column("ward", role="sensitive")["ward"]
        found = shapes_of(table, ward, None)
        assert (found.shapes, found.values) == ((("A9-a", 8),), (("Ä1-x", 8),))
        assert found.others == 1 + ROWS - 12
        assert shapes_of(table, ward, "who").values == (("Ä1-x", 8),)
        mail = suggestion["mail"]
        assert shapes_of(table, mail, None).words == "Aa.Aaa@aaaaaaa.aaa (10 rows)"


def test_rows_of_few_people_show_nothing():
    rows = pa.table({"who": ["a", "b"] * 20, "town": ["Bonn"] * 40})
    with open_table(rows) as table:
        town = suggest(rows, unit="who").with_column("town", role="insensitive")["town"]
        assert shapes_of(table, town, None).values == (("Bonn", 40),)
        assert shapes_of(table, town, "who").words == "1 shape"
