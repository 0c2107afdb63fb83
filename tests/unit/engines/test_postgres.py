"""A table in PostgreSQL, on a real server: what is read of it, what is made of it, what others see."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path

import psycopg
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.engines.postgres import copy, open_postgres
from shoal.engines.postgres.database import Postgres
from shoal.errors import InputError, OutputError
from shoal.read.source import InputFormat, open_source
from shoal.write.output import FileOutput, TableOutput
from tests.postgres_server import Clinic

ODD_TEXTS = [
    "plain",
    "",
    " ",
    "two\nlines",
    "\r\n",
    "\\.",
    "before\n\\.\nafter",
    "\\N",
    "back\\slash",
    'a "quoted" word',
    "it's",
    "tab\there",
    "a,b;c|d",
    "NULL",
    "null",
    "NA",
    "ÄÖß, 東京, \N{GRINNING FACE}, e\u0301",
    "\u2028\x0b\x0c\x1f\x7f",
    "%s {0} $1",
    None,
]
ODD_NAMES = ["age", "Age", "select", "a b", 'say "hi"', "x'); DROP TABLE people; --", "c0", "größe", "%s"]


@contextmanager
def opened(clinic: Clinic, table: str | None = "visits", **how: object) -> Iterator[Postgres]:
    with closing(open_postgres(clinic.url, table=table, **how)) as database:  # type: ignore[arg-type]
        yield database


def whole(database: Postgres) -> pa.Table:
    return database.fetch(f"SELECT * FROM {database.input}")


def left_behind(clinic: Clinic) -> list[str]:
    """Tables and views that a run made, temporary ones of all connections included."""
    found = clinic.execute(
        "SELECT relname FROM pg_class WHERE relname LIKE 'shoal%' OR relnamespace IN "
        "(SELECT oid FROM pg_namespace WHERE nspname LIKE 'pg\\_temp%')"
    )
    return [name for (name,) in found]


@pytest.fixture
def visits(clinic: Clinic) -> Clinic:
    """Four visits, and an older release of them."""
    clinic.execute(
        "CREATE TABLE visits (age int, zip text)",
        "INSERT INTO visits VALUES (34, '53715'), (37, NULL), (51, ''), (51, '53703')",
        "CREATE TABLE visits_release AS SELECT 'old' AS age",
    )
    return clinic


# What is read


def test_values_come_in_their_own_types(clinic):
    clinic.execute(
        """CREATE TABLE visits (
            small smallint, medium int, big bigint, single real, double double precision, price numeric(9, 2),
            yes boolean, day date, moment timestamp, instant timestamptz, words text, short varchar(5))""",
        """INSERT INTO visits VALUES
            (-32768, 2147483647, -9223372036854775808, 0.1, 1e-300, 1234567.80, true, '0001-01-01',
             '2024-02-29 23:59:59.123456', '2024-06-01 12:00:00.5+02', 'x', 'abc'),
            (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
            (1, 2, 3, 'infinity', 'nan', -0.01, false, '9999-12-31', '1969-12-31', '1969-12-31Z', '', '')""",
        "ALTER ROLE shoal SET TimeZone = 'Asia/Tokyo'",
        "ALTER ROLE shoal SET DateStyle = 'German, DMY'",
    )
    try:
        with opened(clinic) as database:
            table, schema = whole(database), database.schema
    finally:
        clinic.execute("ALTER ROLE shoal RESET ALL")
    utc = datetime.UTC
    assert table.drop(["c3", "c4"]).equals(
        pa.table(
            {
                "c0": pa.array([-32768, None, 1], pa.int16()),
                "c1": pa.array([2147483647, None, 2], pa.int32()),
                "c2": pa.array([-(2**63), None, 3], pa.int64()),
                "c5": pa.array([Decimal("1234567.80"), None, Decimal("-0.01")], pa.decimal128(9, 2)),
                "c6": pa.array([True, None, False]),
                "c7": pa.array([datetime.date(1, 1, 1), None, datetime.date(9999, 12, 31)]),
                "c8": pa.array(
                    [
                        datetime.datetime(2024, 2, 29, 23, 59, 59, 123456),
                        None,
                        datetime.datetime(1969, 12, 31),
                    ],
                    pa.timestamp("us"),
                ),
                "c9": pa.array(
                    [
                        datetime.datetime(2024, 6, 1, 10, 0, 0, 500_000, utc),
                        None,
                        datetime.datetime(1969, 12, 31, tzinfo=utc),
                    ],
                    pa.timestamp("us", "UTC"),
                ),
                "c10": ["x", None, ""],
                "c11": ["abc", None, ""],
            }
        )
    )
    assert str(table["c3"].combine_chunks()) == str(pa.array([0.1, None, float("inf")], pa.float32()))
    assert str(table["c4"].combine_chunks()) == str(pa.array([1e-300, None, float("nan")]))
    assert schema == {
        "c0": "int16",
        "c1": "int32",
        "c2": "int64",
        "c3": "float32",
        "c4": "float64",
        "c5": "decimal(9, 2)",
        "c6": "boolean",
        "c7": "date",
        "c8": "timestamp(6)",
        "c9": "timestamp('UTC', 6)",
        "c10": "string",
        "c11": "string",
    }


def test_ibis_knows_the_names_of_the_types(clinic):
    ibis = pytest.importorskip("ibis")
    clinic.execute(
        "CREATE TABLE visits (a smallint, b real, c numeric(9, 2), d boolean, e date, f timestamp, "
        "g timestamptz, h text)",
    )
    with opened(clinic) as database:
        kinds = ibis.schema(dict(database.schema)).types
    short, real, decimal, boolean, date, timestamp, zoned, text = kinds
    assert (
        short.is_int16()
        and real.is_float32()
        and boolean.is_boolean()
        and date.is_date()
        and text.is_string()
    )
    assert (decimal.precision, decimal.scale) == (9, 2)
    assert timestamp.timezone is None and zoned.timezone == "UTC"


def test_what_arrow_has_no_type_for_is_its_text(clinic):
    clinic.execute(
        "CREATE TYPE mood AS ENUM ('well', 'ill')",
        "CREATE DOMAIN years AS int CHECK (VALUE >= 0)",
        """CREATE TABLE visits (id uuid, mood mood, doc json, padded char(5), free numeric, stay interval,
            codes int[], at time, net inet, wide numeric(60, 2), years years)""",
        """INSERT INTO visits VALUES ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'ill', '{"a": 1}', 'ab',
            1.500, '1 day', '{1,2}', '12:30', '10.0.0.1', 1.10, 7)""",
    )
    with opened(clinic) as database:
        (row,) = database.rows(f"SELECT * FROM {database.input}")
        assert database.schema["c10"] == "int32"
    assert row == (
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "ill",
        '{"a": 1}',
        "ab",
        "1.5",
        "1 day",
        "{1,2}",
        "12:30:00",
        "10.0.0.1/32",
        "1.1",
        7,
    )


def test_values_are_equal_where_arrow_says_so(clinic):
    clinic.execute(
        "CREATE COLLATION careless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE EXTENSION citext SCHEMA public",
        """CREATE TABLE visits (careless text COLLATE careless, citext citext, padded char(4), free numeric,
            double double precision, single real, stay interval)""",
        """INSERT INTO visits VALUES
            ('a', 'a', 'a', 1.0, 0.0, 0.0, '1 month'),
            ('A', 'A', 'a ', 1.00, '-0.0', '-0.0', '30 days'),
            ('A', 'A', 'A', 1, 'NaN', 'NaN', '30 days'),
            (NULL, NULL, NULL, NULL, 'NaN', 'NaN', NULL)""",
    )
    with opened(clinic) as database:
        values = whole(database)
        for name in database.schema:
            counted = database.rows(f"SELECT {name}, count(*) FROM {database.input} GROUP BY {name}")
            in_memory = {str(v["values"]): v["counts"].as_py() for v in values[name].value_counts()}
            assert {str(pa.scalar(v, values[name].type)): n for v, n in counted} == in_memory
        assert [len(values[name].unique()) for name in database.schema] == [3, 3, 3, 2, 2, 2, 3]


def test_odd_text_goes_in_and_comes_out_as_it_is(clinic):
    clinic.execute("CREATE TABLE visits (note text)")
    with clinic.server.connect(clinic.database) as connection:
        connection.cursor().executemany("INSERT INTO visits VALUES (%s)", [[text] for text in ODD_TEXTS])
    with opened(clinic) as database:
        assert whole(database)["c0"].to_pylist() == ODD_TEXTS
        made = database.put(pa.table({"value": ODD_TEXTS, "n": range(len(ODD_TEXTS))}), "odd")
        found = database.fetch(f"SELECT value, n FROM {made} ORDER BY n")
        assert found["value"].to_pylist() == ODD_TEXTS
        assert found["n"].to_pylist() == list(range(len(ODD_TEXTS)))
        ((matched,),) = database.rows(
            f"SELECT count(*) FROM {database.input} AS i JOIN {made} AS d ON i.c0 = d.value"
        )
        assert matched == len(ODD_TEXTS) - 1


def test_whatever_is_put_is_fetched(clinic):
    clinic.execute("CREATE TABLE visits (note text)")
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
    days = st.dates()
    moments = st.datetimes()
    columns = st.fixed_dictionaries(
        {
            "text": st.none() | text,
            "whole": st.none() | st.integers(-(2**63), 2**63 - 1),
            "double": st.none() | st.floats(allow_nan=False),
            "single": st.none() | st.floats(width=32, allow_nan=False),
            "exact": st.none() | st.decimals(-99999, 99999, places=3),
            "yes": st.none() | st.booleans(),
            "day": st.none() | days,
            "moment": st.none() | moments,
        }
    )
    schema = pa.schema(
        {
            "text": pa.string(),
            "whole": pa.int64(),
            "double": pa.float64(),
            "single": pa.float32(),
            "exact": pa.decimal128(9, 3),
            "yes": pa.bool_(),
            "day": pa.date32(),
            "moment": pa.timestamp("us"),
        }
    )
    with opened(clinic) as database:

        @given(st.lists(columns, max_size=4))
        def check(rows):
            table = pa.Table.from_pylist(rows, schema)
            made = database.put(table, "anything")
            assert database.fetch(f"SELECT * FROM {made}").equals(table)
            database.drop(made)

        check()


def test_every_arrow_type_of_a_dimension_table_is_put(clinic):
    clinic.execute("CREATE TABLE visits (note text)")
    table = pa.table(
        {
            "label": pa.array(["b", None, "a\nb"]).dictionary_encode(),
            "code": pa.array([0, 1, 2**32 - 1], pa.uint32()),
            "byte": pa.array([0, None, 255], pa.uint8()),
            "instant": pa.array([0, None, 1], pa.timestamp("s", "Europe/Berlin")),
            "nothing": pa.nulls(3),
        }
    )
    with opened(clinic) as database:
        found = database.fetch(f"SELECT * FROM {database.put(table, 'Odd Name; --')}")
    assert found["label"].to_pylist() == ["b", None, "a\nb"]
    assert found["code"].to_pylist() == [0, 1, 2**32 - 1]
    assert found["byte"].to_pylist() == [0, None, 255]
    assert found["instant"].cast(pa.timestamp("s", "UTC")).to_pylist() == table["instant"].to_pylist()
    assert found["nothing"].to_pylist() == [None, None, None]


def test_large_results_come_in_blocks(visits, monkeypatch):
    monkeypatch.setattr(copy, "_BLOCK", 10_000)
    text = "CASE WHEN n % 3 = 0 THEN NULL ELSE repeat(E'\\n', n % 5) END"
    query = f"SELECT n, {text} AS text FROM generate_series(1, 50000) n"
    with opened(visits) as database:
        found = database.fetch(query)
    assert found["n"].to_pylist() == list(range(1, 50_001))
    assert found["text"].to_pylist() == [None if n % 3 == 0 else "\n" * (n % 5) for n in range(1, 50_001)]


def test_a_cell_may_be_larger_than_what_is_parsed_at_once(visits):
    with opened(visits) as database:
        found = database.fetch("SELECT repeat('ab', 2000000) AS long, 7 AS n UNION ALL SELECT NULL, 8")
    assert [len(text or "") for text in found["long"].to_pylist()] == [4_000_000, 0]


def test_an_empty_result_has_columns(visits):
    with opened(visits) as database:
        found = database.fetch(
            f"SELECT c0, c1, sum(c0) AS s FROM {database.input} WHERE c0 > 99 GROUP BY c0, c1"
        )
    assert found.schema.equals(pa.schema({"c0": pa.int32(), "c1": pa.string(), "s": pa.int64()}))


def test_sums_are_whole_numbers(visits):
    sums = "sum(n) AS s, sum(n) * 10000000000 AS large, sum(n) / 8 AS part"
    query = f"SELECT {sums} FROM (VALUES (5::bigint)) AS v (n)"
    with opened(visits) as database:
        table, ((s, large, part),) = database.fetch(query), database.rows(query)
    assert (s, type(s), large) == (5, int, 50_000_000_000)
    assert table["s"].type == pa.int64()
    assert part == Decimal("0.625")
    assert table["part"].to_pylist() == [0.625]


def test_null_values_are_texts_that_stand_for_null(clinic):
    clinic.execute(
        "CREATE TABLE visits (age int, note text, kind char(2))",
        "INSERT INTO visits VALUES (9, 'NA', 'NA'), (9, '', 'x'), (9, 'it''s \\', 'y')",
    )
    with opened(clinic, null_values=["NA", "it's \\", "9"]) as database:
        assert whole(database).to_pydict() == {
            "c0": [9, 9, 9],
            "c1": [None, "", None],
            "c2": [None, "x", "y"],
        }


def test_names_of_columns_stay_out_of_the_way(clinic):
    listed = ", ".join('"' + name.replace('"', '""') + '" int' for name in ODD_NAMES)
    clinic.execute(f"CREATE TABLE visits ({listed})", f"INSERT INTO visits VALUES ({', '.join('1' * 9)})")
    clinic.execute("CREATE TABLE people ()")
    with opened(clinic) as database:
        assert database.columns == tuple(ODD_NAMES)
        assert whole(database).column_names == [f"c{place}" for place in range(9)]
        select = ", ".join(f"c{place} AS r{place}" for place in range(9))
        stored = database.store(f"SELECT {select} FROM {database.input}", ODD_NAMES, TableOutput("out"))
        stored.publish()
        assert database.fetch(f"SELECT * FROM {stored.relation}").column_names == ODD_NAMES
    assert clinic.execute("SELECT to_regclass('people')::text") == [("people",)]


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ("visits", "visits"),
        ("visits", "Visits"),
        ('"Visits"', "Visits"),
        ('"Visits"', '"Visits"'),
        ("ward.visits", "ward.visits"),
        ("ward.visits", "WARD.Visits"),
        ('ward."a.b ""c"" d"', 'ward."a.b ""c"" d"'),
        ('"select"', "select"),
    ],
)
def test_tables_are_found_by_their_names(clinic, made, asked):
    clinic.execute("CREATE SCHEMA ward", f"CREATE TABLE {made} AS SELECT 1 AS age")
    with opened(clinic, asked) as database:
        assert database.rows(f"SELECT c0 FROM {database.input}") == [(1,)]
        assert database.title == asked


@pytest.mark.parametrize("kind", ["VIEW", "MATERIALIZED VIEW"])
def test_a_view_is_read_like_a_table(visits, kind):
    visits.execute(f"CREATE {kind} seen AS SELECT age FROM visits WHERE age > 40")
    with opened(visits, "seen") as database:
        assert database.rows(f"SELECT c0 FROM {database.input}") == [(51,), (51,)]


def test_a_partitioned_table_is_read_whole(clinic):
    clinic.execute(
        "CREATE TABLE visits (age int) PARTITION BY RANGE (age)",
        "CREATE TABLE young PARTITION OF visits FOR VALUES FROM (0) TO (40)",
        "CREATE TABLE old PARTITION OF visits FOR VALUES FROM (40) TO (200)",
        "INSERT INTO visits VALUES (20), (60)",
    )
    with opened(clinic) as database:
        assert sorted(database.rows(f"SELECT c0 FROM {database.input}")) == [(20,), (60,)]


def test_a_query_is_read_like_a_table(visits):
    query = "SELECT age AS \"Age\", '100%' AS share FROM visits WHERE age > 40 -- the old; all of them\n;"
    with opened(visits, None, query=query) as database:
        assert (database.title, database.columns) == ("query", ("Age", "share"))
        assert database.rows(f"SELECT c0, c1 FROM {database.input}") == [(51, "100%"), (51, "100%")]


def test_a_query_may_stand_in_parentheses_for_a_table(visits):
    with opened(visits, " (SELECT zip FROM visits WHERE age = 34)") as database:
        assert database.rows(f"SELECT c0 FROM {database.input}") == [("53715",)]


def test_a_query_that_gives_other_rows_each_time_is_kept(visits):
    query = "SELECT random() AS r FROM generate_series(1, 100)"
    with opened(visits, None, query=query) as database:
        assert database.rows(f"SELECT * FROM {database.input}") == database.rows(
            f"SELECT * FROM {database.input}"
        )


# One snapshot


def test_all_is_one_snapshot(visits):
    with opened(visits) as database:
        before = database.rows(f"SELECT count(*) FROM {database.input}")
        visits.execute("INSERT INTO visits SELECT 99, 'new' FROM generate_series(1, 10)")
        assert database.rows(f"SELECT count(*) FROM {database.input}") == before == [(4,)]
        stored = database.store(f"SELECT c0 AS r0 FROM {database.input}", ["age"], TableOutput("out"))
        assert stored.rows == 4
        stored.publish()
    assert visits.execute("SELECT count(*) FROM out") == [(4,)]


def test_columns_stay_while_a_table_is_open(visits):
    with opened(visits) as database:
        with pytest.raises(psycopg.errors.LockNotAvailable):
            visits.execute("SET lock_timeout = '50ms'", "ALTER TABLE visits DROP COLUMN zip")
        assert whole(database).num_columns == 2
    visits.execute("ALTER TABLE visits DROP COLUMN zip")


def test_the_server_may_use_memory_unless_told_otherwise(visits):
    shown = "SELECT current_setting('work_mem'), current_setting('jit')"
    with opened(visits) as database:
        assert database.rows(shown) == [("256MB", "off")]
    url = f"{visits.url}?options=-c%20work_mem%3D16MB"
    with closing(open_postgres(url, table="visits")) as database:
        assert database.rows(shown) == [("16MB", "off")]


def test_a_star_is_joined_by_hashing(visits):
    with opened(visits) as database:
        side = database.put(pa.table({"value": pa.array(range(500), pa.int32()), "fails": [1] * 500}), "side")
        plan = database.rows(
            f"EXPLAIN SELECT a.c0, c.fails FROM {database.input} AS a "
            f"LEFT JOIN {side} AS b ON a.c0 = b.value LEFT JOIN {side} AS c ON a.c0 = c.value "
            "WHERE b.fails IS NULL"
        )
        kinds = " ".join(line for (line,) in plan)
        assert "Hash" in kinds
        assert "Nested Loop" not in kinds
    shown = "SELECT current_setting('enable_nestloop')"
    with opened(visits, None, query=f"{shown} AS s") as database:
        assert database.rows(f"SELECT c0 FROM {database.input}") == [("on",)]
        assert database.rows(shown) == [("off",)]


# What is stored


def recoded(database: Postgres) -> str:
    return f"SELECT c0::text || '+' AS r0, c1 AS r1 FROM {database.input} ORDER BY random()"


def test_a_table_is_there_for_others_when_it_is_published(visits):
    with opened(visits) as database:
        stored = database.store(recoded(database), ["age", "Zip code"], TableOutput("visits_release"))
        assert (stored.rows, list(stored.files)) == (4, [])
        assert database.rows(f'SELECT count("Zip code") FROM {stored.relation}') == [(3,)]
        assert visits.execute("SELECT * FROM visits_release") == [("old",)]
        assert left_behind(visits) == []
        stored.publish()
        assert sorted(visits.execute("SELECT age FROM visits_release")) == [
            ("34+",),
            ("37+",),
            ("51+",),
            ("51+",),
        ]
        # What is asked afterwards is another transaction; the input is still there.
        assert database.rows(f"SELECT count(*) FROM {stored.relation}") == [(4,)]
        assert whole(database).num_rows == 4
        stored.discard()
    assert visits.execute("SELECT count(*) FROM visits_release") == [(4,)]
    assert left_behind(visits) == []


def test_text_has_the_order_of_the_database_again(visits):
    with opened(visits) as database:
        database.store(recoded(database), ["age", "zip"], TableOutput("out")).publish()
    assert visits.execute(
        "SELECT DISTINCT collation_name IS NULL, data_type FROM information_schema.columns "
        "WHERE table_name = 'out'"
    ) == [(True, "text")]


@pytest.mark.parametrize("end", ["discard", "close"])
def test_what_is_not_published_leaves_the_old_table(visits, end):
    with opened(visits) as database:
        stored = database.store(recoded(database), ["age", "zip"], TableOutput("visits_release"))
        if end == "discard":
            stored.discard()
            assert database.rows("SELECT 1") == [(1,)]
    assert visits.execute("SELECT * FROM visits_release") == [("old",)]
    assert left_behind(visits) == []


def test_only_the_published_one_of_two_is_left(visits):
    with opened(visits) as database:
        database.store(recoded(database), ["age", "zip"], TableOutput("first"))
        second = database.store(recoded(database), ["age", "zip"], TableOutput("second"))
        second.publish()
    assert visits.execute("SELECT to_regclass('first'), to_regclass('second')::text") == [(None, "second")]
    assert left_behind(visits) == []


@pytest.mark.parametrize("name", ["ward.out", 'ward."Odd ""name"".x"', "WARD.OUT"])
def test_a_table_goes_into_its_schema(visits, name):
    visits.execute("CREATE SCHEMA ward")
    with opened(visits) as database:
        for _ in range(2):
            stored = database.store(recoded(database), ["age", "zip"], TableOutput(name))
            stored.publish()
    found = visits.execute("SELECT relname FROM pg_class WHERE relnamespace = 'ward'::regnamespace")
    assert found == [("out",)] if "out" in name.lower() else [('Odd "name".x',)]


def test_without_a_target_it_is_a_temporary_table(visits):
    with opened(visits) as database:
        stored = database.store(recoded(database), ["age", "zip"], None)
        assert database.rows(f"SELECT count(*), count(zip) FROM {stored.relation}") == [(4, 3)]
        stored.publish()
        assert database.rows(f"SELECT count(*), count(zip) FROM {stored.relation}") == [(4, 3)]
    assert left_behind(visits) == []


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet", "out"])
def test_files_are_written_as_from_memory(visits, tmp_path, name):
    place = tmp_path / name
    with opened(visits) as database:
        for _ in range(2):
            stored = database.store(recoded(database), ["age", "zip"], FileOutput(place))
            assert all(path.exists() for path in stored.files)
            stored.publish()
        (path,) = stored.files
        assert sorted(path.name for path in tmp_path.iterdir()) == [name]
        kept = database.fetch(f"SELECT * FROM {stored.relation}")
    table = open_source(path, InputFormat()).read(["age", "zip"], coded=())
    assert table.to_pydict() == kept.to_pydict()
    assert sorted(table["zip"].to_pylist(), key=str) == ["", "53703", "53715", None]


@pytest.mark.parametrize("name", ["out.csv", "out"])
def test_files_that_are_not_published_leave_the_old_ones(visits, tmp_path, name):
    place = tmp_path / name
    if name == "out":
        place.mkdir()
    with opened(visits) as database:
        stored = database.store(recoded(database), ["age", "zip"], FileOutput(place))
        (hidden,) = stored.files
        assert hidden.exists()
    assert list(tmp_path.rglob("*")) == ([place] if name == "out" else [])


def test_rows_are_kept_for_later_queries(visits):
    with opened(visits) as database:
        kept = database.keep(
            f"SELECT c0 AS age, count(*) AS n FROM {database.input} GROUP BY c0", "frequency set"
        )
        assert kept.isidentifier()
        assert sorted(database.rows(f"SELECT * FROM {kept}")) == [(34, 1), (37, 1), (51, 2)]
        database.run(f"DELETE FROM {kept} WHERE n = 1")
        assert database.rows(f"SELECT * FROM {kept}") == [(51, 2)]
        database.run(f"CREATE TEMPORARY VIEW seen AS SELECT * FROM {kept}")
        database.drop("seen")
        database.drop("never_there")
        database.drop(kept)
        with pytest.raises(InputError, match="There is no table of that name"):
            database.rows(f"SELECT * FROM {kept}")
    assert left_behind(visits) == []


# Where it cannot go


@pytest.mark.parametrize(
    ("setup", "name", "message"),
    [
        ("SELECT 1", "visits", "The input is read from it"),
        ("SELECT 1", "Visits", "The input is read from it"),
        ("SELECT 1", "wardd.out", "There is no schema 'wardd'.\nDid you mean 'ward'"),
        ("CREATE VIEW out AS SELECT 1", "out", "A view of that name already exists"),
        ("CREATE SEQUENCE out", "out", "Another object of that name"),
        (
            "CREATE VIEW v AS SELECT * FROM visits_release",
            "visits_release",
            "Views or other tables depend on",
        ),
        ("SELECT 1", "a.b.c", "is not the name of a table"),
        ("SELECT 1", "", "is not the name of a table"),
        ("SELECT 1", '"open', "is not the name of a table"),
        ("SELECT 1", "x" * 64, "too long"),
    ],
)
def test_a_table_is_refused_before_any_work(visits, setup, name, message):
    visits.execute("CREATE SCHEMA ward", setup)
    with opened(visits) as database:
        with pytest.raises((InputError, OutputError), match=message):
            database.check(TableOutput(name))
        with pytest.raises((InputError, OutputError), match=message):
            database.store(recoded(database), ["age", "zip"], TableOutput(name))
    assert visits.execute("SELECT count(*) FROM visits") == [(4,)]
    assert visits.execute("SELECT * FROM visits_release") == [("old",)]


def test_a_table_behind_a_view_or_query_is_not_replaced(visits):
    visits.execute("CREATE VIEW seen AS SELECT * FROM visits")
    for how in ({"table": "seen"}, {"table": None, "query": "SELECT age FROM seen LIMIT 3"}):
        with opened(visits, **how) as database, pytest.raises(OutputError, match="The input is read from it"):
            database.check(TableOutput("visits"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.xlsx", "cannot be written from a database"),
        ("out.doc", "format of"),
        ("missing/out.csv", "does not exist"),
    ],
)
def test_a_file_is_refused_before_any_work(visits, tmp_path, name, message):
    with opened(visits) as database, pytest.raises((InputError, OutputError), match=message):
        database.check(FileOutput(tmp_path / name))


def test_a_folder_with_other_files_is_not_replaced(visits, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "letter.txt").write_text("dear", encoding="utf-8")
    with opened(visits) as database, pytest.raises(OutputError, match="not Parquet"):
        database.store(recoded(database), ["age", "zip"], FileOutput(Path(tmp_path / "notes")))
    assert (tmp_path / "notes" / "letter.txt").exists()


@pytest.mark.parametrize(
    ("kind", "said", "values"),
    [
        ("bigint", "integer", ["1000", "-7"]),
        ("double precision", "float", ["1.5", "1000"]),
        ("numeric(8, 2)", "decimal", ["1000.00", "0.10"]),
        ("numeric", "decimal", ["1000.125", "2"]),
        ("boolean", "boolean", ["true", "false"]),
        ("date", "date", ["2026-01-31", "2026-02-01"]),
        ("timestamp", "timestamp", ["2026-01-31 12:30:00", "2026-02-01 00:00:00.25"]),
        ("timestamptz", "timestamp", ["2026-01-31 12:30:00+01", "2026-02-01 00:00:00+00"]),
    ],
)
def test_a_csv_release_of_typed_columns_passes_its_audit(
    clinic: Clinic, tmp_path: Path, kind: str, said: str, values: list[str]
) -> None:
    """In the file all is text, and its queries cast; the manifest had those of the database, which do not."""
    clinic.execute(f"CREATE TABLE typed (sex text, found {kind})")
    for value in values:
        clinic.execute(f"INSERT INTO typed SELECT 'F', '{value}' FROM generate_series(1, 4)")
    asked = shoal.Spec(
        quasi_identifiers={"sex": "suppress"},
        sensitive=["found"],
        types={"found": said},
        privacy=[shoal.KAnonymity(4), shoal.LDiversity("found", 2)],
    )
    shoal.anonymize(clinic.url, asked, engine="postgres", table="typed", output=tmp_path / "release.csv")
    assert [f.measured for f in shoal.audit_release(tmp_path / "release.csv").findings if not f.holds] == []


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO out VALUES ('53703')",
        "UPDATE out SET zip = '53704'",
        "DELETE FROM out WHERE zip = '53703'",
        "TRUNCATE out",
        "DROP TABLE out",
        "BEGIN; DROP TABLE out; CREATE TABLE out AS SELECT zip FROM visits; COMMIT",
    ],
)
def test_a_table_with_other_rows_gets_no_evidence(visits, tmp_path, monkeypatch, change):
    """The rows of a published table are known by who wrote them."""
    monkeypatch.chdir(tmp_path)
    asked = shoal.Spec(quasi_identifiers={"zip": "suppress"}, privacy=[shoal.KAnonymity(1)])
    release = shoal.anonymize(visits.url, asked, table="visits", output_table="out", drop_undeclared=True)
    with pytest.raises(OutputError, match="published already, as the table 'out'"):
        release.write(TableOutput("out"))
    release.released.queries.database.run("COMMIT")  # a transaction sees no later change
    visits.execute(*change.split("; "))
    for again in (
        lambda: release.write(TableOutput("out")),
        lambda: release.write("x.csv"),
        lambda: release.data,
    ):
        with pytest.raises(OutputError, match="changed or replaced"):
            again()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.manifest.json"]


def test_rows_that_went_with_the_transaction_of_another_release(visits, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = shoal.Spec(quasi_identifiers={"zip": "suppress"}, privacy=[shoal.KAnonymity(1)])
    with shoal.Session(visits.url, asked, table="visits", drop_undeclared=True, output_table="a") as session:
        found = session.search()
        first = session.release(found)
        second = session.release(found, output_table="b")
        third = session.release(found, output="c.csv")
        first.write(TableOutput("a"))
        third.write("c.csv")
        for again in (
            lambda: second.write(TableOutput("b")),
            lambda: second.write("b.csv"),
            lambda: second.data,
            lambda: third.data,
        ):
            with pytest.raises(OutputError, match="the database has removed them since"):
                again()
        third.write("c.csv", report=False)
        session.close()
    assert visits.execute("SELECT to_regclass('b')") == [(None,)]
    assert not (tmp_path / "b.manifest.json").exists()
    assert shoal.audit_release("c.csv").holds
