"""Hierarchies as tables and trees."""

import pyarrow as pa

import shoal
from shoal.describe.hierarchy import Levels


def levels_of(*columns):
    values, *labels = (pa.array(column) for column in columns)
    return Levels.of(values, labels)


TOWNS = levels_of(["Ulm", "Rome", "Bonn"], ["D", "I", "D"], ["*", "*", "*"])


def test_a_table_is_in_depth_first_order():
    assert TOWNS.table().splitlines() == [
        "value  level 1  level 2",
        "Bonn   D        *",
        "Ulm    D        *",
        "Rome   I        *",
    ]
    assert TOWNS.table(rows=1).splitlines()[1:] == ["Bonn   D        *", "2 more values"]


def test_a_tree_says_what_is_under_each_label():
    assert TOWNS.tree().splitlines() == [
        "* (3 values)",
        "├─ D (2 values)",
        "│  ├─ Bonn",
        "│  └─ Ulm",
        "└─ I (1 value)",
        "   └─ Rome",
    ]
    assert TOWNS.tree(ascii=True).splitlines()[1:3] == ["|- D (2 values)", "|  |- Bonn"]


def test_numbers_are_in_their_own_order_also_as_text():
    levels = shoal.intervals(10).levels(pa.array(["100", "9", "20"]))
    assert [line.split()[0] for line in levels.table().splitlines()[1:]] == ["9", "20", "100"]


def test_large_hierarchies_are_cut():
    levels = shoal.intervals(5, 10, 100).levels(pa.array(range(10_000)))
    tree = levels.tree(lines=20).splitlines()
    assert len(tree) < 40
    assert tree[0] == "* (10,000 values)"
    assert "└─ … 92 more (9,200 values)" in tree
    many = shoal.suppress().levels(pa.array(range(1000)))
    assert many.tree().splitlines()[-1] == "└─ … 992 more"
    assert many.tree(ascii=True).splitlines()[-1] == "`- ... 992 more"


def test_labels_that_are_repeated_are_drawn_once():
    ragged = levels_of(["a", "b", "c"], ["a", "x", "x"], ["*", "*", "*"])
    assert ragged.tree().splitlines() == ["* (3 values)", "├─ a", "└─ x (2 values)", "   ├─ b", "   └─ c"]


def test_several_tops_and_none():
    assert levels_of(["a", "b"], ["x", "y"]).tree().splitlines() == [
        "x (1 value)",
        "└─ a",
        "y (1 value)",
        "└─ b",
    ]
    assert levels_of(["a", "b"]).tree().splitlines() == ["a", "b"]
    nothing = Levels.of(pa.array([], pa.string()), [])
    assert (nothing.tree(), nothing.table()) == ("", "value")


def test_values_of_people_can_be_left_out():
    from shoal.describe import hierarchy_drawing

    assert hierarchy_drawing.table(TOWNS, values=False).splitlines() == [
        "values  level 1  level 2",
        "2       D        *",
        "1       I        *",
    ]
    assert hierarchy_drawing.tree(TOWNS, values=False).splitlines() == [
        "* (3 values)",
        "├─ D (2 values)",
        "└─ I (1 value)",
    ]
    alone = levels_of(["a", "b"])
    assert (hierarchy_drawing.tree(alone, values=False), hierarchy_drawing.table(alone, values=False)) == (
        "",
        "values\n2",
    )


def test_odd_labels():
    levels = levels_of(["a\nb", "x" * 100, None, "ä"], ["\t", "*", "*", "*"])
    assert len(levels.table().splitlines()) == 5
    assert f"{'x' * 37}..." in levels.table()
    assert "NULL" in levels.tree()
    assert "b" in Levels.of(pa.array([b"\xff", b"a"]), []).table()
