"""Columns as what the spec says that they hold."""

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

import shoal
from shoal.errors import InputError
from shoal.read.typed_tables import typed
from shoal.read.types import NAMES, Date, Integer, Timestamp, column_type, narrowest

DAY = datetime.date(2026, 1, 31)
NOON = datetime.datetime(2026, 1, 31, 12)

READ = {
    "text": ([" a ", "", "007"], [" a ", "", "007"], pa.string()),
    "integer": (["34", "034", "+34", " 34 ", "34.0", "-0"], [34, 34, 34, 34, 34, 0], pa.int64()),
    "unsigned integer": (["18446744073709551615", "007"], [2**64 - 1, 7], pa.uint64()),
    "decimal": (["1000", "1000.0", ".5", "1e3", "-0.25"], None, pa.decimal128(6, 2)),
    "float": (["1000", "1e3", " .5", "-0", "inf"], [1000.0, 1000.0, 0.5, 0.0, float("inf")], pa.float64()),
    "boolean": (["true", "TRUE", "yes", "1", "False", "no", "0"], [True] * 4 + [False] * 3, pa.bool_()),
    "date": (["2026-01-31", " 2026-01-31"], [DAY, DAY], pa.date32()),
    "timestamp": (["2026-01-31 12:00", "2026-01-31T12:00:00"], [NOON, NOON], pa.timestamp("s")),
    "fine timestamp": (["2026-01-31 12:00:00.250"], [NOON.replace(microsecond=250_000)], pa.timestamp("ms")),
}
EXPECTED = {"decimal": [Decimal(text) for text in ("1000", "1000", "0.5", "1000", "-0.25")]}


@pytest.mark.parametrize("what", READ)
@pytest.mark.parametrize("coded", [False, True])
def test_text_is_read_as_values(what, coded):
    texts, values, kind = READ[what]
    column = pa.array([*texts, None])
    table = pa.table({"a": column.dictionary_encode() if coded else column})
    (read,), problems = typed([("", table)], {"a": column_type(what.split()[-1])})
    assert problems == []
    assert read["a"].to_pylist() == [*(values or EXPECTED[what]), None]
    assert (read["a"].type.value_type if coded else read["a"].type) == kind
    if coded:  # values that differ as text may be one
        dictionary = read["a"].chunk(0).dictionary
        assert len(dictionary) == len(dictionary.unique())
        assert dictionary.null_count == 0


NOT_READ = {
    "integer": ["", "3.5", "1e3", "1,000", "1 000", "0x10", "x", "99999999999999999999", "٣"],
    "decimal": ["", "1,5", "nan", "inf", "--1", "."],
    "float": ["", "1,5", "0x10", "1e999", "one"],
    "boolean": ["", "t", "maybe", "2", "wahr"],
    "date": ["", "2026-02-30", "31.1.2026", "2026-1-31", "2026-01-31 00:00:00"],
    "timestamp": ["", "12:00", "2026-01-31 25:00:00", "today"],
}


@pytest.mark.parametrize("name", NOT_READ)
def test_what_is_not_of_a_type_is_counted_and_not_shown(name):
    good = READ[name][0][0]
    table = pa.table({"a": [good, *NOT_READ[name], *NOT_READ[name], None]})
    _, (problem,) = typed([("", table)], {"a": column_type(name)})
    count = len(NOT_READ[name])
    assert f"Column 'a': {count} different values are not of the type {name}, in {2 * count} rows." in (
        problem.message
    )
    assert problem.values == tuple(NOT_READ[name])
    assert not any(value in problem.message for value in NOT_READ[name] if len(value) > 4)
    assert "null-values" in problem.message


def test_all_columns_at_once():
    table = pa.table({"a": ["x"], "b": ["1"], "c": ["y"]})
    _, problems = typed([("", table)], {name: column_type("integer") for name in "abc"})
    assert [problem.values for problem in problems] == [("x",), ("y",)]
    assert "1 value is not of the type integer, in 1 row." in problems[0].message


def test_given_forms():
    table = pa.table({"a": ["31.1.2026", "31.01.2026", "1.2.2026"]})
    (read,), _ = typed([("", table)], {"a": Date("%d.%m.%Y")})
    assert read["a"].to_pylist() == [DAY, DAY, datetime.date(2026, 2, 1)]
    _, (problem,) = typed([("", pa.table({"a": ["2026-01-31"]}))], {"a": Date("%d.%m.%Y")})
    assert "dates in the form '%d.%m.%Y'" in problem.message
    (read,), _ = typed([("", pa.table({"a": ["1/31/2026 12h"]}))], {"a": Timestamp("%m/%d/%Y %Hh")})
    assert read["a"].to_pylist() == [NOON]
    (read,), _ = typed([("", pa.table({"a": ["31.1.2026 +0100"]}))], {"a": Timestamp("%d.%m.%Y %z")})
    assert read["a"].cast(pa.string()).to_pylist() == ["2026-01-30 23:00:00Z"]


def test_instants_are_compared_in_utc_and_need_an_offset_everywhere():
    same = ["2026-01-31 12:00:00+01:00", "2026-01-31T11:00Z", "2026-01-31 06:00-0500"]
    (read,), _ = typed([("", pa.table({"a": same}))], {"a": Timestamp()})
    assert len(read["a"].unique()) == 1
    _, (problem,) = typed([("", pa.table({"a": [*same, "2026-01-31 11:00"]}))], {"a": Timestamp()})
    assert "3 of its 4 different timestamps have an offset" in problem.message


@pytest.mark.parametrize(
    ("values", "name", "expected"),
    [
        (pa.array([34.0, 35.0]), "integer", [34, 35]),
        (pa.array([Decimal("34.00")]), "integer", [34]),
        (pa.array([1, 0]), "boolean", [True, False]),
        (pa.array([NOON.replace(hour=0)]), "date", [DAY]),
        (pa.array([DAY]), "timestamp", [NOON.replace(hour=0)]),
        (pa.array([0.1]), "decimal", [Decimal("0.1")]),
        (pa.array([34, 7]), "text", ["34", "7"]),
        (pa.array([DAY]), "text", ["2026-01-31"]),
        (pa.array([7], pa.int8()), "integer", [7]),
        (pa.array([2**60]), "float", [2.0**60]),
    ],
)
def test_values_of_other_types_go_by_their_text(values, name, expected):
    (read,), problems = typed([("", pa.table({"a": values}))], {"a": column_type(name)})
    assert problems == []
    assert read["a"].to_pylist() == expected


def test_what_is_of_the_type_stays_as_it_is():
    table = pa.table({"a": pa.array([7], pa.int8())})
    (read,), _ = typed([("", table)], {"a": column_type("integer")})
    assert read is table


def test_tables_with_a_column_in_common_get_one_type():
    tables = [("", pa.table({"a": ["1.5"]})), (" of the population", pa.table({"a": ["1.25", "1.50"]}))]
    read, _ = typed(tables, {"a": column_type("decimal")})
    assert {table["a"].type for table in read} == {pa.decimal128(3, 2)}
    mixed = [("", pa.table({"a": [1.5]})), (" of the population", pa.table({"a": ["1.25", "x"]}))]
    _, (problem,) = typed(mixed, {"a": column_type("decimal")})
    assert problem.message.startswith("Column 'a' of the population: 1 value is not")


def test_decimals_that_are_too_long():
    table = pa.table({"a": ["1e30", "1e-10"]})
    _, (problem,) = typed([("", table)], {"a": column_type("decimal")})
    assert problem.message.startswith("Column 'a': its decimal numbers need 41 digits")


def test_bytes_are_no_text():
    _, (problem,) = typed([("", pa.table({"a": [b"\xff"]}))], {"a": column_type("text")})
    assert "not of the type text" in problem.message


@pytest.mark.parametrize("name", NAMES)
def test_types_come_back_from_what_they_are_in_a_spec(name):
    assert column_type(column_type(name).to_spec()) == column_type(name)
    assert column_type(column_type(name)) == column_type(name)


@pytest.mark.parametrize("name", ["decimal", "float"])
def test_decimal_commas(name):
    texts = ["1,70", "1.288,15", "1288,15", " +12.345.678 ", "-,5", "7", "7,", "1,5e3", "1.288"]
    numbers = ["1.70", "1288.15", "1288.15", "12345678", "-0.5", "7", "7", "1500", "1288"]
    (read,), problems = typed([("", pa.table({"a": texts}))], {"a": column_type({name: ","})})
    assert problems == []
    kind = Decimal if name == "decimal" else float
    assert read["a"].to_pylist() == [kind(number) for number in numbers]


@pytest.mark.parametrize(
    "text",
    [
        "12.88,15", "1.5", "0.288", "1288.150", "1.28.815", "1.288.15", "1,288.15", "1,2,3", "1.288e3", ",",
        ".", "1 288,15", "1'288,15", ".288", "1..288", "0001.288",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["decimal", "float"])
def test_points_that_do_not_stand_between_thousands(name, text):
    _, (problem,) = typed([("", pa.table({"a": ["1,5", text]}))], {"a": column_type({name: ","})})
    assert "1 value is not of the type" in problem.message
    assert "with a decimal comma, like 1288,15" in problem.message
    assert problem.values == (text,)


def test_numbers_that_are_no_text_have_points_whatever_the_mark():
    comma = column_type({"decimal": ","})
    (read,), problems = typed([("", pa.table({"a": [1.288, 0.5]}))], {"a": comma})
    assert (read["a"].to_pylist(), problems) == ([Decimal("1.288"), Decimal("0.5")], [])
    mixed = [("", pa.table({"a": ["1.288", "0,5"]})), (" of the population", pa.table({"a": [1.288, 0.5]}))]
    read, problems = typed(mixed, {"a": comma})
    assert problems == []
    assert [table["a"].to_pylist() for table in read] == [
        [Decimal(1288), Decimal("0.5")],
        [Decimal("1.288"), Decimal("0.5")],
    ]


@pytest.mark.parametrize("name", ["decimal", "float"])
def test_a_point_is_the_default_mark(name):
    assert column_type({name: "."}) == column_type(name)
    assert column_type({name: "."}).to_spec() == name


@pytest.mark.parametrize("form", [{"decimal": ","}, {"float": ","}])
def test_marks_come_back_from_a_spec(form):
    spec = shoal.Spec(quasi_identifiers={"a": "suppress"}, types={"a": form}, privacy=[shoal.KAnonymity(2)])
    assert spec.to_mapping()["columns"]["a"]["type"] == form
    assert shoal.Spec.from_mapping(spec.to_mapping()) == spec


def test_a_comma_without_quotes(tmp_path):
    text = "columns:\n  a: {role: quasi-identifier, type: {decimal: ,}}\nprivacy: [k-anonymity: 2]\n"
    (tmp_path / "spec.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(
        InputError, match=r"columns.a.type: The decimal mark .*\nFound: None.\n.*with the quotes"
    ):
        shoal.Spec.from_yaml(tmp_path / "spec.yaml")


@pytest.mark.parametrize("form", [{"date": "%d.%m.%Y"}, {"timestamp": "%d.%m.%Y %H:%M"}, {"decimal": ","}])
def test_forms_come_back(form):
    assert column_type(form).to_spec() == form


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("intger", "'intger' is not a column type.\nKnown: text, integer.*\nDid you mean 'integer'?"),
        (5, "A type must be a name, or a name with its format.\nFound: 5."),
        (None, "Found: None"),
        ({"integer": "%d"}, "The type integer has no form"),
        ({"decimal": ";"}, "The decimal mark of the type decimal must be a point or a comma.\nFound: ';'"),
        ({"float": 5}, "The decimal mark of the type float must be a point or a comma.\nFound: 5"),
        ({"date": "%m.%Y"}, "must contain day, month and year, each once.\nFound: '%m.%Y'"),
        ({"date": "%d%d.%m.%Y"}, "Use each part once"),
        ({"date": "\udc80%d.%m.%Y"}, "invalid characters"),
        ({"date": "d.m.y"}, "must have exactly one of %Y and %y"),
        ({"timestamp": 3}, "The format of a timestamp"),
        ({"timestamp": "%Y-%m-%d %H:%M %Z"}, "Names of time zones do not determine the instant."),
        ({"date": "%d.%m.%Y", "text": ""}, "A type must be a name"),
    ],
)
def test_types_that_are_none(written, message):
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        column_type(written)


def test_values_that_python_lacks_or_that_have_no_text():
    year_0 = pa.table({"day": pa.array([-719_528, -719_528], pa.date32())})
    _, (problem,) = typed([("", year_0)], {"day": Integer()})
    assert problem.values == ("0000-01-01",)
    _, (problem,) = typed([("", pa.table({"code": [b"\xff", b"a"]}))], {"code": Integer()})
    assert problem.message.startswith("Column 'code': its values have no text")
    spec = shoal.Spec(quasi_identifiers={"day": "suppress"}, privacy=[shoal.KAnonymity(2)])
    assert shoal.anonymize(year_0, spec).choices()[0].labels == "0000-01-01"


def test_numbers_of_many_digits_keep_all_of_them() -> None:
    kind = pa.decimal128(34, 2)
    values = pa.array([Decimal("9" * 32 + ".50"), Decimal("-7")], kind)
    assert narrowest(values).to_pylist() == [Decimal("9" * 32 + ".5"), Decimal("-7.0")]
    assert narrowest(values).type == pa.decimal128(33, 1)
