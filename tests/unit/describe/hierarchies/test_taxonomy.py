"""Taxonomies: in place, in nested files, in tables."""

from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe.hierarchies.taxonomy import Taxonomy, taxonomy
from shoal.describe.hierarchy import HierarchyError, check_nested
from shoal.errors import InputError

PLACES = {"Europe": {"North": ["SE", "NO"], "South": "IT"}, "Asia": ["JP"]}


def labels(hierarchy, values):
    return [level.to_pylist() for level in hierarchy.levels(pa.array(values)).labels]


def refusal(make):
    with pytest.raises(InputError) as caught:
        make()
    return caught.value


def test_uneven_depth_is_filled_from_below():
    assert labels(taxonomy(PLACES), ["SE", "NO", "IT", "JP"]) == [
        ["SE", "NO", "IT", "JP"],
        ["North", "North", "South", "JP"],
        ["Europe", "Europe", "Europe", "Asia"],
        ["*"] * 4,
    ]


def test_a_single_root_is_the_top():
    assert labels(taxonomy({"World": {"Asia": ["JP"], "Europe": ["IT"]}}), ["JP", "IT"])[-1] == ["World"] * 2
    assert labels(taxonomy(["a", "b"]), ["a"]) == [["a"], ["*"]]
    assert labels(taxonomy(["a"]), ["a"]) == [["a"], ["*"]]


def test_leaves_and_lacking_values():
    levels = taxonomy(PLACES).levels(pa.array(["SE", "JP"]))
    assert [counts.tolist() for counts in levels.leaves] == [[1, 1], [2, 1], [3, 1], [4, 4]]
    assert taxonomy(PLACES).knows(pa.array(["SE", "Europe"])).to_pylist() == [True, False]
    with pytest.raises(HierarchyError, match="the taxonomy lacks 1 value"):
        taxonomy(PLACES).levels(pa.array(["secret"]))


def test_numbers_are_known_by_their_text():
    hierarchy = taxonomy({"odd": [1, 3], "even": [2]})
    assert labels(hierarchy, [1, 2])[1] == ["odd", "even"]
    assert hierarchy.to_spec() == {"taxonomy": {"odd": ["1", "3"], "even": ["2"]}}


@pytest.mark.parametrize(
    ("scalar", "kind"),
    [(False, "a truth value"), (1.5, "decimal point"), (date(2026, 1, 31), "a date"), (None, "nothing")],
)
def test_scalars_that_are_not_text(scalar, kind):
    error = refusal(lambda: taxonomy({"a": ["b", scalar]}))
    assert kind in str(error)
    assert "quotes" in str(error)


def test_all_that_is_wrong_in_place():
    error = refusal(lambda: taxonomy({"a": ["x", "y", "y"], "b": ["x", {"c": ["a"]}, True, ["z"]]}))
    messages = [problem.message for problem in error.problems]
    for part in ("not text", "1 list is directly in a list", "both a value and a group"):
        assert any(part in message for message in messages)
    assert any("1 label has more than one parent" in message for message in messages)
    assert any("1 label occurs more than once in the same group" in message for message in messages)
    assert [problem.values for problem in error.problems if problem.values] == [("a",), ("x",), ("y",)]


def test_groups_without_a_line_are_named_and_values_are_not():
    error = refusal(lambda: taxonomy({"a": {"other": ["x"]}, "b": {"other": ["y"]}, "c": ["x"]}))
    assert "2 labels have more than one parent.\nFound: 'other'.\n" in str(error)
    assert "'x'" not in str(error)


def test_what_holds_itself_or_is_very_deep():
    endless = ["a"]
    endless.append({"b": endless})
    assert "used twice" in str(refusal(lambda: taxonomy(endless)))
    deep = "leaf"
    for number in range(100_000):
        deep = {f"g{number}": deep}
    assert "deeper than 255" in str(refusal(lambda: taxonomy(deep)))
    while isinstance(deep, dict):  # taken apart from outside: freeing it would recurse
        deep = next(iter(deep.values()))


trees = st.recursive(
    st.just(None),
    lambda below: st.lists(below, min_size=1, max_size=3),
    max_leaves=12,
)


@given(trees)
def test_labels_by_the_definition(shape):
    """Draw a shape, name its nodes, and find the label of each value by walking down from the top."""
    paths = []
    counter = iter(range(1000))

    def named(node, path):
        label = f"n{next(counter)}"
        if node is None:
            paths.append([*path, label])
            return label
        return {label: [named(child, [*path, label]) for child in node]}

    content = [named(shape, []), named(None, [])]
    hierarchy = taxonomy(content)
    height = max(map(len, paths))
    levels = hierarchy.levels(pa.array([path[-1] for path in paths]))
    assert not check_nested(levels.labels)
    assert levels.labels[-1].to_pylist() == ["*"] * len(paths)
    for level in range(height):
        expected = [path[min(len(path), height - level) - 1] for path in paths]
        assert levels.labels[level].to_pylist() == expected


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_nested_files(write):
    in_yaml = write("a.yaml", "Europe:\n  North: [SE, NO]\n  South: IT\nAsia:\n- JP\n")
    in_json = write("a.json", '{"Europe": {"North": ["SE", "NO"], "South": "IT"}, "Asia": ["JP"]}')
    values = ["SE", "NO", "IT", "JP"]
    assert (
        labels(taxonomy(in_yaml), values)
        == labels(taxonomy(in_json), values)
        == labels(taxonomy(PLACES), values)
    )


def test_mosaicrown(write):
    path = write(
        "a.json",
        '{"cat": "Any", "subcats": [{"cat": "x", "subcats": [{"cat": "a", "subcats": null},'
        ' {"cat": "b", "subcats": []}]}, {"cat": "c", "subcats": null}]}',
    )
    assert labels(taxonomy(path), ["a", "b", "c"]) == [["a", "b", "c"], ["x", "x", "c"], ["Any"] * 3]


def test_a_group_that_is_called_cat(write):
    assert labels(taxonomy({"pets": {"cat": ["tabby"], "dog": ["pug"]}}), ["tabby"])[1] == ["cat"]
    assert labels(taxonomy({"cat": ["tabby"]}), ["tabby"]) == [["tabby"], ["cat"]]


def test_scalars_of_files_are_kept_as_written(write):
    written = ["no", "1.50", "2026-01-31", "null", "0x10", "1_000", "12:30", "yes"]
    path = write("a.yaml", f"a: [{', '.join(written)}]\nb:\nNull: [x]\n")
    assert labels(taxonomy(path), [*written, "b", "x"])[1] == ["a"] * len(written) + ["b", "Null"]
    path = write("a.json", '{"a": [1.50, true, 1e5, "\\ud83d\\ude00"]}')
    assert labels(taxonomy(path), ["1.50", "true", "1e5", "😀"])[1] == ["a"] * 4


def test_all_that_is_wrong_with_a_nested_file(write):
    path = write("a.yaml", "a:\n- x\n- x\nb:\n- c: [a, x]\n-\n- [z]\n")
    error = refusal(lambda: taxonomy(path).levels(pa.array(["x"])))
    assert isinstance(error, HierarchyError)
    assert "in the taxonomy 'a.yaml', 1 entry is not text.\nFound: nothing in line 6, column 2." in str(error)
    assert "1 list is directly in a list.\nFound: line 7, column 4." in str(error)
    assert "Found: line 1, column 1 and line 5, column 7." in str(error)
    assert "Found: line 2, column 3 and line 3, column 3 and line 5, column 10." in str(error)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.yaml", "", "is empty"),
        ("a.json", "{}", "is empty"),
        ("a.json", "", "not valid JSON in line 1, column 1"),
        ("a.json", '{"a": [1,\n 2 3]}', "not valid JSON in line 2, column 4"),
        ("a.json", '{"a": [1, null]}', "nothing in line 1, column 11"),
        ("a.json", '{"a": "\\ud800"}', "half a character"),
        ("a.yaml", "a: [b", "not valid YAML in line"),
        ("a.yaml", "a: [\x01]", "not valid YAML"),
        ("a.yaml", "a: &x [b]\nc: *x\n", "alias(.|\n)*line 2, column 4"),
        ("a.yaml", "[a]: b\n", "list or a mapping for a label(.|\n)*line 1, column 1"),
        ("a.yaml", "a: b\n---\nc: d\n", "more than one document"),
        ("a.yaml", "[" * 100_000, "deeper than 255"),
        ("a.json", "[" * 100_000, "deeper than 255|not valid JSON"),
        ("a.json", "[" * 100_000 + "]" * 100_000, "deeper than 255"),
        ("a.yaml", "{a: " * 600 + "b" + "}" * 600, "deeper than 255"),
        (
            "a.yaml",
            "".join(f"{' ' * depth}k{depth}:\n" for depth in range(300)),
            "deeper than 255(.|\n)*line 257",
        ),
    ],
)
def test_files_that_are_none(write, name, text, message):
    path = write(name, text)
    with pytest.raises(HierarchyError, match=message):
        taxonomy(path).levels(pa.array(["x"]))


def test_not_utf_8_and_not_there(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes(b"a: [\xff]\n")
    with pytest.raises(HierarchyError, match="not UTF-8"):
        taxonomy(path).levels(pa.array(["x"]))
    with pytest.raises(HierarchyError, match="does not exist"):
        taxonomy(tmp_path / "no.yaml").levels(pa.array(["x"]))


PARENTS = (
    "job,group,size\nclerk,office,5\ncook,kitchen,7\nbaker,kitchen,1\noffice,indoors,2\nkitchen,indoors,3\n"
)


def parents(path):
    return taxonomy(path, child="job", parent="group")


def test_parents_in_a_table(write):
    hierarchy = parents(write("a.csv", PARENTS + "farmer,outdoors,1\noutdoors,,\n"))
    assert labels(hierarchy, ["clerk", "baker", "farmer"]) == [
        ["clerk", "baker", "farmer"],
        ["office", "kitchen", "farmer"],
        ["indoors", "indoors", "outdoors"],
        ["*"] * 3,
    ]
    assert labels(parents(write("a.csv", PARENTS)), ["cook"])[-1] == ["indoors"]


def test_repeated_rows(write):
    levels = parents(write("a.csv", PARENTS + "cook,kitchen,7\n")).levels(pa.array(["cook"]))
    assert "1 row of the taxonomy 'a.csv' is a repetition." in levels.notes


def test_all_that_is_wrong_with_parents(write):
    path = write("a.csv", PARENTS + '"a",b,1\n\nb,"c\n",1\nc,a,1\nd,d,2\ncook,office,1\n,x,1\n"c\n",a,1\n')
    error = refusal(lambda: parents(path).levels(pa.array(["cook"])))
    nameless, torn, circles = error.problems
    assert "1 row has no label in column 'job'.\nFound: line 14." in nameless.message
    assert "1 label has more than one parent.\nFound: line 3 and line 13." in torn.message
    assert torn.values == ("cook",)
    assert "labels form 2 cycles" in circles.message
    assert "line 7 and line 9 and line 15; line 12" in circles.message
    assert "cook" not in str(error)


def test_a_very_long_line_of_parents(write):
    rows = "".join(f"n{number},n{number + 1}\n" for number in range(50_000))
    with pytest.raises(HierarchyError, match="at most 255"):
        parents(write("a.csv", "job,group\n" + rows)).levels(pa.array(["n0"]))
    with pytest.raises(HierarchyError, match="some labels form a cycle"):
        parents(write("a.csv", f"job,group\n{rows}n50000,n0\n")).levels(pa.array(["n0"]))


def test_columns_of_a_table(write):
    path = write("a.csv", "sector,job,group\ns,clerk,office\ns,cook,\nt,judge,court\n,pilot,\n")
    hierarchy = taxonomy(path, columns=["job", "group", "sector"])
    assert labels(hierarchy, ["clerk", "cook", "judge", "pilot"]) == [
        ["clerk", "cook", "judge", "pilot"],
        ["office", "cook", "court", "pilot"],
        ["s", "s", "t", "pilot"],
        ["*"] * 4,
    ]
    one = write("b.csv", "job;all\nclerk;any\ncook;any\n")
    assert labels(taxonomy(one, columns=["job", "all"], delimiter=";"), ["cook"]) == [["cook"], ["any"]]
    assert labels(taxonomy(one, columns=["job"]), ["cook"]) == [["cook"], ["*"]]


def test_all_that_is_wrong_with_columns(write):
    path = write("a.csv", "job,group,sector\na,x,s\nb,x,t\nc,y,s\nc,z,s\n")
    error = refusal(lambda: taxonomy(path, columns=["job", "group", "sector"]).levels(pa.array(["a"])))
    torn, nested = error.problems
    assert "1 value has several rows with different labels" in torn.message
    assert "lines 4 and 5" in torn.message
    assert "levels 1 and 2 are not nested" in nested.message
    assert "Found: 'x' under 's' and 't'." in nested.message
    path = write("a.csv", "job,group\na,x\n,y\n")
    assert "no value in column 'job'.\nFound: line 3." in str(
        refusal(lambda: taxonomy(path, columns=["job", "group"]).levels(pa.array(["a"])))
    )
    path = write("a.csv", "job\na\n\nb\n")
    assert "line 3" in str(refusal(lambda: taxonomy(path, columns=["job"]).levels(pa.array(["a"]))))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("job,group\n", "no rows|is empty"),
        ("job,gruop\na,b\n", "Did you mean 'gruop'"),
        ("job,group\na,b,c\n", "another number of cells"),
        ("", "is empty"),
    ],
)
def test_tables_that_are_none(write, text, message):
    path = write("a.csv", text)
    for hierarchy in (parents(path), taxonomy(path, columns=["job", "group"])):
        with pytest.raises(HierarchyError, match=message):
            hierarchy.levels(pa.array(["a"]))


@pytest.mark.parametrize(
    "argument",
    [
        {"Europe": {"North": ["SE"]}, "Asia": ["JP"]},
        ["a", "b"],
        "jobs.yaml",
        {"file": "jobs.csv", "child": "job", "parent": "group"},
        {"file": "jobs.csv", "columns": ["job", "group"]},
        {"file": "jobs.csv", "delimiter": ";", "columns": ["job", "group"]},
    ],
)
def test_forms(argument):
    hierarchy = Taxonomy.from_spec(argument, Path("folder"))
    assert hierarchy.to_spec() == {"taxonomy": argument}
    assert Taxonomy.from_spec(argument, Path()) == hierarchy


def test_files_are_relative_to_the_spec():
    assert Taxonomy.from_spec("jobs.yaml", Path("folder")).files == (Path("folder/jobs.yaml"),)
    assert taxonomy(PLACES).files == ()
    assert Taxonomy.from_text("jobs.yaml") == taxonomy("jobs.yaml")


def test_a_group_that_is_called_file():
    assert labels(Taxonomy.from_spec({"file": ["a"], "folder": ["b"]}, Path()), ["a"])[1] == ["file"]


def test_a_change_outside_changes_nothing():
    groups = {"a": ["x"]}
    hierarchy = taxonomy(groups)
    groups["a"].append("y")
    assert hierarchy.to_spec() == {"taxonomy": {"a": ["x"]}}


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (None, "needs groups"),
        (5, "needs groups"),
        ([], "is empty"),
        ("jobs.csv", "the columns of 'jobs.csv'"),
        ({"file": "jobs.csv", "child": "job"}, "the columns of 'jobs.csv'"),
        ({"file": "jobs.csv", "child": "job", "columns": ["a"]}, "both `child` and `parent`"),
        ({"file": "jobs.csv", "child": "a", "parent": "b", "columns": ["a"]}, "the columns"),
        ({"file": "jobs.yaml", "child": "a", "parent": "b"}, "only with a CSV file"),
        ({"file": "jobs.csv", "columns": ["a", 5]}, "names of columns"),
        ({"file": "jobs.csv", "columns": 5}, "names of columns"),
        ({"file": "jobs.csv", "columns": ["a", "a"]}, "more than once"),
        ({"file": "jobs.csv", "child": 5, "parent": "b"}, "`child` of taxonomy must be text"),
        ({"file": "jobs.csv", "childd": "a", "parent": "b"}, "Did you mean 'child'"),
    ],
)
def test_wrong_arguments(argument, message):
    with pytest.raises(InputError, match=message):
        Taxonomy.from_spec(argument, Path())
