"""Profiles against a few lines of numpy."""

from __future__ import annotations

import datetime as dt
import gzip

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import shoal
from shoal.errors import InputError
from shoal.read.source import InputFormat
from shoal.suggestions import table as tables
from shoal.suggestions.kinds import Kind


@pytest.fixture
def people() -> pa.Table:
    random = np.random.default_rng(3)
    ages = random.integers(18, 90, 500)
    towns = random.choice(["Ulm", "Bonn", "Rome", None], 500, p=[0.6, 0.2, 0.1, 0.1])
    codes = [f"{number:05}" for number in random.integers(0, 400, 500)]
    return pa.table({"age": ages, "town": towns, "code": codes})


def test_figures(people):
    found = shoal.profile(people)
    assert (found.rows, found.sampled_rows) == (500, None)
    for name in people.column_names:
        values = [value for value in people[name].to_pylist() if value is not None]
        counts = np.unique(np.array(values, dtype=object).astype(str), return_counts=True)[1]
        shares = counts / counts.sum()
        column = found[name]
        assert column.nulls == 500 - len(values)
        assert column.distinct == len(counts)
        assert column.once == (counts == 1).sum()
        assert column.unique_rows == pytest.approx((counts == 1).sum() / 500)
        assert column.unique_values == pytest.approx((counts == 1).mean())
        assert column.entropy == pytest.approx(-(shares * np.log2(shares)).sum())
        assert column.relative_entropy == pytest.approx(column.entropy / np.log2(len(values)))
        lengths = [len(str(value)) for value in values]
        assert (column.shortest, column.longest) == (min(lengths), max(lengths))
        assert column.mean_length == pytest.approx(np.mean(lengths))
        assert column.rarest == counts.min()
    assert [column.kind.value for column in found.columns.values()] == ["integer", "text", "text"]
    assert [column.leading_zeros for column in found.columns.values()] == [False, False, True]


def test_every_source_gives_the_same(people, tmp_path):
    pa.parquet.write_table(people, tmp_path / "p.parquet")
    lines = [
        ";".join("" if cell is None else str(cell) for cell in row)
        for row in zip(*people.to_pydict().values(), strict=True)
    ]
    text = "\n".join(["age;town;code", *lines]) + "\n"
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    (tmp_path / "p.csv.gz").write_bytes(gzip.compress(text.encode()))
    expected = shoal.profile(people).columns
    sources = [
        tmp_path / "p.parquet",
        tmp_path / "p.csv",
        str(tmp_path / "p.csv.gz"),
        pl.from_arrow(people),
        people.to_pandas(),
    ]
    for source in sources:
        found = shoal.profile(source).columns
        assert list(found) == list(expected)
        for name, column in found.items():
            other = expected[name]
            assert (column.kind, column.distinct, column.nulls, column.once) == (
                other.kind, other.distinct, other.nulls, other.once,
            )  # fmt: skip
            assert column.entropy == pytest.approx(other.entropy)


def test_numbers_with_strangers_among_them():
    found = shoal.profile(pa.table({"age": [str(age) for age in range(95)] + ["?"] * 5}))["age"]
    assert (found.kind, found.fits) == (Kind.INTEGER, 0.95)


def test_decimal_commas():
    texts = [f"{number % 7}.{number:03},5" if number % 7 else f"{number},25" for number in range(100)]
    found = shoal.profile(pa.table({"cost": texts, "other": [*texts[:-1], "?"]}))
    cost = found["cost"]
    assert (cost.kind, cost.decimal_mark, cost.fits, cost.type) == (Kind.DECIMAL, ",", 1, {"decimal": ","})
    assert cost.looks_like == "numbers with a decimal comma"
    numbers = [float(text.replace(".", "").replace(",", ".")) for text in texts]
    assert cost.quantiles[3] == pytest.approx(np.median(numbers))
    other = found["other"]
    assert (other.kind, other.decimal_mark, other.type) == (Kind.TEXT, None, None)
    assert other.looks_like == "numbers with a decimal comma"


def test_what_looks_like_null(tmp_path):
    texts = [
        "?",
        "NA",
        "N/A",
        "n/a",
        "NULL",
        "null",
        "None",
        "-",
        "--",
        ".",
        "Unknown",
        "nan",
        "k.A.",
        "#N/A",
    ]
    people = pa.table(
        {
            "a": [*texts, " ?", "?", "Nana", "-1", "..", "unknown1", None],
            "b": pa.array([*["NA"] * 5, *["x"] * 16]).dictionary_encode(),
            "c": [float("nan"), *range(20)],
            "d": ["x", *["y"] * 20],
        }
    )
    pyarrow.parquet.write_table(people, tmp_path / "p.parquet")
    for data in (people, tmp_path / "p.parquet"):
        found = shoal.profile(data)
        assert found["a"].null_like == {**dict.fromkeys(texts, 1), "?": 2, " ?": 1}
        assert next(iter(found["a"].null_like)) == "?"
        assert [dict(found[name].null_like) for name in "bcd"] == [{"NA": 5}, {}, {}]
    told = shoal.profile(tmp_path / "p.parquet", input=InputFormat(null_values=("?", "NA")))
    assert (told["a"].nulls, told["b"].nulls) == (4, 5)
    assert "?" not in told["a"].null_like


def test_empty_string_and_null_differ(tmp_path):
    (tmp_path / "p.csv").write_text('a,b\n,1\n"",2\nx,3\n', encoding="utf-8")
    found = shoal.profile(tmp_path / "p.csv")["a"]
    assert (found.nulls, found.distinct, found.shortest) == (1, 2, 0)
    told = shoal.profile(tmp_path / "p.csv", input=InputFormat(null_values=("", "x")))["a"]
    assert (told.nulls, told.distinct) == (3, 0)


def test_another_encoding(tmp_path):
    (tmp_path / "p.csv").write_bytes("größe,ort\n1,Köln\n2,Zürich\n".encode("cp1252"))
    found = shoal.profile(tmp_path / "p.csv", input=InputFormat(encoding="cp1252"))
    assert list(found.columns) == ["größe", "ort"]
    assert found["ort"].longest == 6
    with pytest.raises(InputError, match="utf-8"):
        shoal.profile(tmp_path / "p.csv")


def test_whole_numbers_that_pandas_turned_into_others():
    assert shoal.profile(pa.table({"age": [31.0, None, 33.0]}))["age"].kind is Kind.INTEGER
    assert shoal.profile(pa.table({"age": [31.5, None, 33.0]}))["age"].kind is Kind.DECIMAL
    assert shoal.profile(pa.table({"age": [float("nan"), float("inf"), 33.0]}))["age"].distinct >= 2


def test_typed_columns():
    day = dt.date(2020, 1, 1)
    found = shoal.profile(
        pa.table(
            {
                "day": [day, day],
                "time": pa.array([dt.datetime(2020, 1, 1)] * 2),
                "zoned": pa.array([dt.datetime(2020, 1, 1)] * 2, pa.timestamp("us", tz="Europe/Berlin")),
                "truth": [True, False],
                "list": [[1], [2]],
                "null": pa.nulls(2),
                "category": pa.array(["a", "b"]).dictionary_encode(),
            }
        )
    ).columns
    kinds = [column.kind.value for column in found.values()]
    assert kinds == ["date", "timestamp", "timestamp", "boolean", "other", "text", "text"]
    assert (found["time"].zoned, found["zoned"].zoned) == (False, True)


def test_a_table_too_large_is_sampled(people, monkeypatch):
    monkeypatch.setattr(tables, "_MOST_CELLS", 100)
    monkeypatch.setattr(tables, "_LARGEST_SAMPLE", 200)
    found = shoal.profile(people)
    again = shoal.profile(people)
    assert (found.rows, found.sampled_rows) == (500, 200)
    assert found == again
    exact = people["town"].null_count
    assert found["town"].nulls == exact
    assert not found["town"].exact
    assert found["age"].distinct == pytest.approx(len(people["age"].unique()), rel=0.2)


def test_no_values_are_in_a_profile():
    found = shoal.profile(pa.table({"name": ["Ann", "Bob"], "income": [12345, 67890]}))
    for secret in ("Ann", "Bob", "12345", "67890"):
        assert secret not in repr(found)
        assert secret not in str([column.to_mapping() for column in found.columns.values()])


def test_names_that_databases_confuse():
    found = shoal.profile(pa.table({"age": [1, 2], "Age": [3, 3], 'a"b': ["x", "y"], "a b;--": [1, 1]}))
    assert [column.distinct for column in found.columns.values()] == [2, 1, 2, 1]


def test_nothing_in_it():
    found = shoal.profile(pa.table({"a": pa.array([], pa.string())}))
    assert (found.rows, found["a"].distinct, found["a"].unique_rows, found["a"].relative_entropy) == (
        0,
        0,
        0,
        0,
    )


def test_tables_that_are_open_at_once_do_not_see_each_other():
    one_table, other_table = pa.table({"a": [1, 2, 2]}), pa.table({"b": [7]})
    with tables.open_table(one_table) as one, tables.open_table(other_table) as other:
        assert one.fetch_row("SELECT sum(a) FROM {table}") == (5,)
        assert other.fetch_row("SELECT sum(b) FROM {table}") == (7,)
    assert shoal.profile(other_table)["b"].distinct == 1
