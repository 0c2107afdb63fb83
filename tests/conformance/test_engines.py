"""Every engine gives the same release for the same spec, whatever is in the table and how it is called."""

from __future__ import annotations

import datetime
import itertools
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.engines.choose import open_engine
from shoal.engines.relational import recode, repeat
from shoal.errors import InfeasibleError, InputError
from shoal.prepare.columns import settle_columns
from shoal.search.frequency_sets import InMemory as CountedInMemory
from tests.conformance.places import NAMES, Opened, opened  # noqa: F401

OTHERS = NAMES[1:]
ODD = [
    "it's",
    '"quoted"',
    "",
    None,
    "naïve 東京 🐟",
    "a,b;c",
    "line\nbreak",
    "back\\slash",
    "%s {0} $1",
    " x ",
]
DISEASES = ["flu", "", None, "it's", "cold"]
AWKWARD = ["select", 'a"b', "x; DROP TABLE visits; --", "c0", "r1", "a`b", "größe", "a.b", "Robert'); --"]


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    """Return the rows sorted."""
    columns = [table.column(name) for name in table.column_names]
    plain = [c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in columns]
    lists = [c.to_pylist() for c in plain]
    return sorted(zip(*lists, strict=True), key=lambda row: [(cell is not None, str(cell)) for cell in row])


def assert_same(place: Any, table: pa.Table, spec: shoal.Spec, **how: Any) -> None:
    """Compare the release from a place with that from memory, both found, or both refused alike."""
    given = place.put(table)
    try:
        # Where every cell becomes text, memory is given the same text.
        expected = shoal.anonymize(given["data"] if place.text else table, spec, engine="memory", **how)
    except InfeasibleError as error:
        with pytest.raises(InfeasibleError) as refused:
            shoal.anonymize(spec=spec, **given, **how)
        assert str(refused.value) == str(error)
        return
    release = shoal.anonymize(spec=spec, **given, **how)
    assert release.engine == place.engine
    assert release.levels == expected.levels
    assert release.score == pytest.approx(expected.score, rel=1e-12)
    assert release.suppressed_rows == expected.suppressed_rows
    assert release.class_sizes == expected.class_sizes
    assert release.optimal and expected.optimal
    assert release.table.column_names == expected.table.column_names
    assert rows_of(release.table) == rows_of(expected.table)
    assert [c.labels for c in release.choices()] == [c.labels for c in expected.choices()]
    assert [f.claim for f in release.audit.findings] == [f.claim for f in expected.audit.findings]
    assert all(finding.holds for finding in release.audit.findings)


def people(seed: int, rows: int) -> pa.Table:
    draw = random.Random(seed)
    return pa.table(
        {
            "name": [f"p{number}" for number in range(rows)],
            "age": pa.array([draw.choice([None, *range(20, 60)]) for _ in range(rows)], pa.int64()),
            "town": pa.array([draw.choice(ODD) for _ in range(rows)], pa.string()),
            "born": pa.array(
                [datetime.date(1990, 1, 1) + datetime.timedelta(draw.randrange(400)) for _ in range(rows)]
            ),
            "disease": pa.array([draw.choice(DISEASES) for _ in range(rows)], pa.string()),
            "cost": pa.array([draw.choice([None, 1.5, -2.25, 1e10]) for _ in range(rows)], pa.float64()),
        }
    )


def spec_of_people(**how: Any) -> shoal.Spec:
    settings: dict[str, Any] = {
        "privacy": [shoal.KAnonymity(3)],
        "suppression": 0.2,
        "types": {"age": "integer", "born": "date"},
        **how,
    }
    return shoal.Spec(
        identifiers=["name"],
        quasi_identifiers={"age": shoal.intervals(10, 20), "town": "suppress", "born": shoal.dates("year")},
        sensitive=["disease"],
        insensitive=["cost"],
        **settings,
    )


@pytest.mark.parametrize("name", OTHERS)
def test_releases_are_those_of_memory(name: str, opened: Opened) -> None:  # noqa: F811
    place = opened(name)
    table = people(1, 200)
    assert_same(place, table, spec_of_people())
    assert_same(place, table, spec_of_people(suppressed="star"))
    assert_same(place, table, spec_of_people(suppression=0.0, quality="discernability"))
    models = [shoal.KAnonymity(2), shoal.LDiversity("disease", 2), shoal.TCloseness("disease", 0.5)]
    assert_same(place, table, spec_of_people(privacy=models, suppression=0.3))


@pytest.mark.parametrize("name", OTHERS)
def test_people_are_counted_where_they_have_several_rows(name: str, opened: Opened) -> None:  # noqa: F811
    table = people(2, 120)
    draw = random.Random(3)
    table = table.set_column(0, "name", pa.array([f"p{draw.randrange(60)}" for _ in range(120)]))
    assert_same(opened(name), table, spec_of_people(unit="name", privacy=[shoal.KAnonymity(4)]))


@pytest.mark.parametrize("name", OTHERS)
def test_no_name_of_a_column_is_too_odd(name: str, opened: Opened) -> None:  # noqa: F811
    draw = random.Random(4)
    table = pa.table({column: [draw.choice(ODD) for _ in range(40)] for column in AWKWARD})
    roles = dict.fromkeys(AWKWARD[:4], "suppress")
    spec = shoal.Spec(
        quasi_identifiers=roles,
        sensitive=AWKWARD[4:6],
        insensitive=AWKWARD[6:],
        accept=dict.fromkeys(AWKWARD[6:], "linkable"),
        privacy=[shoal.KAnonymity(2), shoal.LDiversity(AWKWARD[4], 2)],
        suppression=0.5,
    )
    assert_same(opened(name), table, spec)


@pytest.mark.parametrize("name", OTHERS)
def test_one_row_is_a_table(name: str, opened: Opened) -> None:  # noqa: F811
    place = opened(name)
    assert_same(place, people(5, 1), spec_of_people(privacy=[shoal.KAnonymity(1)]))
    assert_same(place, people(5, 1), spec_of_people(privacy=[shoal.KAnonymity(2)]))


@pytest.mark.parametrize("name", NAMES)
def test_no_rows_are_told(name: str, opened: Opened) -> None:  # noqa: F811
    with pytest.raises(InputError, match="has no rows"):
        shoal.anonymize(spec=spec_of_people(), **opened(name).put(people(6, 2).slice(0, 0)))


@pytest.mark.parametrize("name", NAMES)
def test_all_that_is_wrong_comes_at_once(name: str, opened: Opened) -> None:  # noqa: F811
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10), "town": shoal.taxonomy({"north": ["x"]})},
        sensitive={"disease": shoal.Sensitive(null="forbid")},
        privacy=[shoal.KAnonymity(2)],
    )
    with pytest.raises(InputError) as error:
        shoal.anonymize(spec=spec, drop_undeclared=True, **opened(name).put(people(7, 80)))
    assert len(error.value.problems) == 2
    assert "東京" not in str(error.value)


@pytest.mark.parametrize("name", NAMES)
def test_frequency_sets_are_the_same(name: str, opened: Opened) -> None:  # noqa: F811
    place = opened(name)
    spec = spec_of_people(privacy=[shoal.KAnonymity(2), shoal.LDiversity("disease", 2)])
    table = people(8, 90)
    engine, counted = _counts(place.put(table), spec)
    _, exact = _counts({"data": table, "engine": "memory"}, spec)
    heights = [column.height for column in exact.domain.columns]
    for levels in itertools.islice(itertools.product(*(range(height + 1) for height in heights)), 0, None, 7):
        mine, theirs = counted.at(levels), exact.at(levels)
        assert _entries(mine) == _entries(theirs)
        assert counted.below(levels, 3) == exact.below(levels, 3)
    assert counted.below([1], 10, columns=[0]) == exact.below([1], 10, columns=[0])
    assert _entries(counted.at([1, 0], columns=[0, 1])) == _entries(exact.at([1, 0], columns=[0, 1]))
    (about,) = counted.estimate([[0] * len(heights)])
    assert about == pytest.approx(exact.at([0] * len(heights)).entries, rel=0.3)
    prepared = counted.for_many()
    for levels in ([0] * len(heights), [1] * len(heights)):
        assert _entries(prepared.at(levels)) == _entries(exact.at(levels))
    assert prepared.below([1, 0, 1], 3) == exact.below([1, 0, 1], 3)
    assert prepared.estimate([[0] * len(heights), heights]) == pytest.approx([about, 5], rel=0.3)
    engine.close()


@pytest.mark.parametrize("name", ["parquet", "postgres"])
def test_people_are_told_apart_also_where_rows_are_numbers(name: str, opened: Opened) -> None:  # noqa: F811
    table = people(2, 120)
    draw = random.Random(3)
    table = table.set_column(0, "name", pa.array([f"p{draw.randrange(60)}" for _ in range(120)]))
    spec = spec_of_people(unit="name", privacy=[shoal.KAnonymity(4)])
    engine, counted = _counts(opened(name).put(table), spec)
    once, prepared = counted.at([2, 1, 1]), counted.for_many().at([2, 1, 1])
    assert sorted(once.weights.tolist()) == sorted(prepared.weights.tolist())
    assert np.bincount(once.units).tolist() == np.bincount(prepared.units).tolist()
    engine.close()


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("suppressed", ["remove", "star"])
def test_quasi_identifiers_alone_are_released_as_classes(
    name: str,
    suppressed: str,
    opened: Opened,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = random.Random(9)
    rows = 400
    table = pa.table(
        {
            "town": pa.array([draw.choice([*ODD[:5], None, None]) for _ in range(rows)], pa.string()),
            "age": pa.array([draw.randrange(20, 60) for _ in range(rows)], pa.int32()),
            "size": pa.array([draw.choice([None, 0.0, -0.0, 1.5]) for _ in range(rows)], pa.float64()),
            "born": pa.array([datetime.date(1990 + draw.randrange(2), 1, 1) for _ in range(rows)]),
            "rare": pa.array([draw.random() < 0.01 for _ in range(rows)]),
        }
    )
    spec = shoal.Spec(
        quasi_identifiers={
            "age": shoal.intervals(40),
            **dict.fromkeys(["town", "size", "born", "rare"], "suppress"),
        },
        types={"age": "integer"},
        privacy=[shoal.KAnonymity(2)],
        suppression=0.1,
        suppressed=suppressed,
    )
    monkeypatch.setattr(repeat, "_MOST_COPIES", 5)
    monkeypatch.setattr(repeat, "_ROWS_OF_A_CLASS", 1)
    repeated: list[str] = []

    def watched(*given: Any, **how: Any) -> str:
        repeated.append(repeat.repeated(*given, **how))
        return repeated[-1]

    monkeypatch.setattr(recode, "repeated", watched)
    assert_same(opened(name), table, spec)
    assert len(repeated) == 1


def _counts(how: dict[str, Any], spec: shoal.Spec) -> tuple[Any, Any]:
    data = how.pop("data")
    engine = open_engine(data, spec.input, **how)
    settled, _ = settle_columns(spec, engine.source, False, False)
    _, counts = engine.profile(settled, {}, settled.attributes).encode(settled)
    # What is in memory has rows for entries at level 0: counted, it has tuples as the others do.
    if isinstance(counts, CountedInMemory):
        return engine, _Grouped(counts)
    return engine, counts


class _Grouped:
    """Frequency sets in memory, with the rows grouped at level 0 too."""

    def __init__(self, counts: CountedInMemory) -> None:
        self._counts = counts
        self.domain, self.below, self.estimate = counts.domain, counts.below, counts.estimate

    def for_many(self) -> _Grouped:
        return self

    def at(self, levels: Any, columns: Any = None) -> Any:
        return self._counts.at(levels, range(len(levels)) if columns is None else columns)


def _entries(table: Any) -> list[tuple[object, ...]]:
    """Return the entries by their labels at the bottom, and the rows of each."""
    bottom = table.bottom or [0] * len(table.columns)
    columns = [
        column.labels[level].take(pa.array(column.maps[level][column.codes])).to_pylist()
        for column, level in zip(table.columns, bottom, strict=True)
    ]
    others = [
        column.labels[0].take(pa.array(column.codes)).to_pylist() for column in table.attributes.values()
    ]
    rows = zip(*columns, *others, table.weights.tolist(), strict=True)
    return sorted((tuple(row) for row in rows), key=str)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "csv"])
def test_the_two_zeros_are_one_value(name: str, opened: Opened) -> None:  # noqa: F811
    table = pa.table({"x": pa.array([0.0, -0.0, 0.0, -0.0, 1.5, 1.5, None, None], pa.float64())})
    spec = shoal.Spec(quasi_identifiers={"x": "suppress"}, privacy=[shoal.KAnonymity(2)])
    release = shoal.anonymize(spec=spec, **opened(name).put(table))
    assert release.levels == {"x": 0}
    # The sign of a zero would tell people of a class apart.
    assert sorted(map(str, release.table["x"].to_pylist())) == ["0.0"] * 4 + ["1.5"] * 2 + ["None"] * 2


@pytest.mark.parametrize("name", ["postgres", "spark"])
def test_whole_numbers_that_an_engine_has_no_type_for_are_refused(
    name: str,
    opened: Opened,  # noqa: F811
) -> None:
    """The error of a library would show the number, which is somebody's."""
    numbers = ["7"] * 8 + ["18446744073709551615"]
    table = pa.table({"town": ["Ulm"] * 8 + ["Bonn"], "cost": numbers})
    spec = shoal.Spec(
        quasi_identifiers={"town": "suppress"},
        sensitive=["cost"],
        types={"cost": "integer"},
        privacy=[shoal.KAnonymity(2)],
    )
    with pytest.raises(InputError, match="has no whole numbers of that size") as refused:
        shoal.anonymize(spec=spec, **opened(name).put(table))
    assert "18446744073709551615" not in str(refused.value)
