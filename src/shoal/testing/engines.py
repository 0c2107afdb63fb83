"""An engine gives the release that memory gives, whatever is in the table and how its columns are called."""

from __future__ import annotations

import datetime
import decimal
import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import shoal
from shoal import registry
from shoal.engines.choose import bytes_of, open_engine
from shoal.engines.kind import EngineKind, Fit, Input
from shoal.errors import InfeasibleError, InputError
from shoal.prepare.columns import settle_columns
from shoal.privacy.distribution import Distribution
from shoal.read.source import InputFormat
from shoal.search.frequency_sets import InMemory
from shoal.search.parts import Part
from shoal.strategies.abilities import Ability
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.testing.promises import promise, require, require_equal

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
AWKWARD = ["select", 'a"b', "x; DROP TABLE visits; --", "c0", "r1", "a`b", "größe", "a.b", "Robert'); --"]
_DISEASES = ["flu", "", None, "it's", "cold"]


@dataclass(frozen=True)
class EngineInput:
    """An engine with a way to put tables where it finds them.

    Attributes
    ----------
    engine
        Its name.
    put
        Takes an Arrow table, and returns the arguments of `shoal.anonymize` that lead to it.
    text
        Whether every cell becomes text there.
    """

    engine: str
    put: Callable[[pa.Table], Mapping[str, Any]]
    text: bool = False


def check_engine(engine: str, put: Callable[[pa.Table], Mapping[str, Any]], *, text: bool = False) -> None:
    """Raise AssertionError with the first promise that an engine breaks.

    It says which inputs it opens. For tables with odd values and names, of one row and of none, it gives the
    frequency sets and the release that memory gives, and refuses what memory refuses.

    Parameters
    ----------
    engine
        Its name in specs.
    put
        Takes an Arrow table, puts it where the engine finds it, and returns the arguments of
        `shoal.anonymize` that lead to it: at least `data`.
    text
        Whether every cell becomes text there, as in a CSV file.

    Examples
    --------
    >>> check_engine("memory", lambda table: {"data": table})
    """
    source = EngineInput(engine, put, text)
    for check in ENGINE_CHECKS:
        check(source)


def check_words(source: EngineInput) -> None:
    """Check what an engine says about itself, and that it opens what was put for it."""
    with promise(_whose(source), "it is registered, and has all that an engine declares"):
        kind: EngineKind = registry.resolve("engines", source.engine)()
        require(isinstance(kind, EngineKind), "It lacks name, summary, turn, abilities, fit or open.")
        require_equal(kind.name, source.engine)
        require(FullDomainSearch.needs <= kind.abilities, "It cannot serve the search of the lattice.")
        require(kind.summary.endswith(".") and "\n" not in kind.summary, kind.summary)
    given = dict(source.put(people(1, 3)))
    with promise(_whose(source), "it suits what is put for it"):
        data = Input(given["data"], InputFormat(), bytes_of(None), given.get("table"))
        require(kind.fit(data) != Fit.NO, "It cannot open it, it says.")
    with promise(_whose(source), "it opens what is put for it, under its own name"):
        opened = open_engine(given.pop("data"), InputFormat(), **given)
        require_equal(opened.name, source.engine)
        opened.close()


def check_releases(source: EngineInput) -> None:
    """Check releases with suppressed and with starred rows, of several measures and models."""
    table = people(1, 200)
    compare(source, table, spec_of_people())
    compare(source, table, spec_of_people(suppressed="star"))
    # One of these values is in no row.
    distribution = Distribution([*([value, 0.15] for value in _DISEASES), ["gout", 0.25]])
    declared = shoal.TCloseness("disease", 0.5, distribution=distribution)
    models = [shoal.KAnonymity(3), declared]
    compare(source, table, spec_of_people(suppression=0.0, quality="discernability", privacy=models))
    models = [shoal.KAnonymity(2), shoal.LDiversity("disease", 2), shoal.TCloseness("disease", 0.5)]
    compare(source, table, spec_of_people(privacy=models, suppression=0.3))


def check_recodings(source: EngineInput) -> None:
    """Check recodings whose labels differ from class to class, where the engine can join them."""
    if Ability.RECODE_BY_CLASSES not in registry.resolve("engines", source.engine).abilities:
        return
    table = people(1, 200)
    for recoding in ("cells", {"mondrian": {"labels": "ranges"}}):
        compare(source, table, spec_of_people(recoding=recoding, suppression=0.0))
    models = [shoal.KAnonymity(2), shoal.LDiversity("disease", 2)]
    compare(source, table, spec_of_people(recoding="cells", suppressed="star", privacy=models))
    compare(source, several_rows(), spec_of_people(unit="name", recoding="starred"))
    for value, beside in ("mean", ["disease"]), ("median", []):
        compare(source, numbers(9, 90), spec_of_numbers(value, beside), drop_undeclared=True)


def check_people(source: EngineInput) -> None:
    """Check that people are counted where they have several rows."""
    compare(source, several_rows(), spec_of_people(unit="name", privacy=[shoal.KAnonymity(4)]))


def check_names(source: EngineInput) -> None:
    """Check that no name of a column is too odd."""
    draw = random.Random(4)
    table = pa.table({column: [draw.choice(ODD) for _ in range(40)] for column in AWKWARD})
    spec = shoal.Spec(
        quasi_identifiers=dict.fromkeys(AWKWARD[:4], "suppress"),
        sensitive=AWKWARD[4:6],
        insensitive=AWKWARD[6:],
        accept=dict.fromkeys(AWKWARD[6:], "linkable"),
        privacy=[shoal.KAnonymity(2), shoal.LDiversity(AWKWARD[4], 2)],
        suppression=0.5,
    )
    compare(source, table, spec)


def check_one_row(source: EngineInput) -> None:
    """Check a table of one row, which may be released or not."""
    compare(source, people(5, 1), spec_of_people(privacy=[shoal.KAnonymity(1)]))
    compare(source, people(5, 1), spec_of_people(privacy=[shoal.KAnonymity(2)]))


def check_no_rows(source: EngineInput) -> None:
    """Check that a table without rows is refused."""
    given = source.put(people(6, 2).slice(0, 0))
    with promise(_whose(source), "a table without rows is refused with an InputError that says so"):
        error = _refused(InputError, spec_of_people(), given)
        require("has no rows" in str(error), f"Found: {error}")


def check_problems(source: EngineInput) -> None:
    """Check that all that is wrong about a table comes at once, without values."""
    spec = shoal.Spec(
        quasi_identifiers={"age": shoal.intervals(10), "town": shoal.taxonomy({"north": ["x"]})},
        sensitive={"disease": shoal.Sensitive(null="forbid")},
        privacy=[shoal.KAnonymity(2)],
    )
    given = source.put(people(7, 80))
    with promise(_whose(source), "all that is wrong about a table comes in one InputError, without values"):
        error = _refused(InputError, spec, given, drop_undeclared=True)
        require_equal(len(error.problems), 2, f"{error}\n")
        require("東京" not in str(error), "A value is shown.")


def check_frequency_sets(source: EngineInput) -> None:
    """Check what the search counts by."""
    spec = spec_of_people(privacy=[shoal.KAnonymity(2), shoal.LDiversity("disease", 2)])
    table = people(8, 90)
    engine, counted = counts_of(source.put(table), spec)
    _, exact = counts_of({"data": table, "engine": "memory"}, spec)
    heights = [column.height for column in exact.domain.columns]
    bottom = [0] * len(heights)
    with promise(_whose(source), "its frequency sets have the tuples and the row counts that memory's have"):
        for levels in itertools.islice(itertools.product(*(range(h + 1) for h in heights)), 0, None, 7):
            require_equal(_entries(counted.at(levels)), _entries(exact.at(levels)))
        some = counted.at([1, 0], columns=[0, 1])
        require_equal(_entries(some), _entries(exact.at([1, 0], columns=[0, 1])))
        prepared = counted.for_many()
        for level in (0, 1):
            at = [level] * len(heights)
            require_equal(_entries(prepared.at(at)), _entries(exact.at(at)))
    with promise(_whose(source), "it counts the rows in small classes as memory does"):
        for levels in itertools.islice(itertools.product(*(range(h + 1) for h in heights)), 0, None, 7):
            require_equal(counted.below(levels, 3), exact.below(levels, 3))
        require_equal(counted.below([1], 10, columns=[0]), exact.below([1], 10, columns=[0]))
        require_equal(prepared.below([1, 0, 1], 3), exact.below([1, 0, 1], 3))
    with promise(_whose(source), "it counts some of the rows as memory does"):
        upper = (*(min(1, height) for height in heights),)
        labels = tuple(
            np.arange(len(column.labels[level])) % 3 != 1
            for column, level in zip(exact.domain.columns, upper, strict=True)
        )
        own = exact.within(Part(upper, labels, 0))
        part = Part(upper, labels, int(own.at(upper).weights.sum()))
        for counts in (counted.within(part), prepared.within(part)):
            require_equal(_entries(counts.at(bottom)), _entries(own.at(bottom)))
        for position in range(len(heights)):
            boxes, expected = (each.boxes(position, upper) for each in (counts, own))
            for array in ("labels", "rows", "low", "high"):
                require_equal(getattr(boxes, array).tolist(), getattr(expected, array).tolist())
    with promise(_whose(source), "its estimates of how many tuples there are err by at most 30 percent"):
        (about,) = counted.estimate([bottom])
        require(math.isclose(about, exact.at(bottom).entries, rel_tol=0.3), f"Found: {about}.")
        for found, expected in zip(prepared.estimate([bottom, heights]), (about, 5), strict=True):
            require(math.isclose(found, expected, rel_tol=0.3), f"Found: {found}, not {expected}.")
    engine.close()


def check_zeros(source: EngineInput) -> None:
    """Check that the two zeros are one value: the sign would tell people of a class apart."""
    if source.text:
        return
    table = pa.table({"x": pa.array([0.0, -0.0, 0.0, -0.0, 1.5, 1.5, None, None], pa.float64())})
    spec = shoal.Spec(quasi_identifiers={"x": "suppress"}, privacy=[shoal.KAnonymity(2)])
    given = source.put(table)
    with promise(_whose(source), "0.0 and -0.0 are one value, released as 0.0"):
        release = shoal.anonymize(spec=spec, **given)
        require_equal(release.levels, {"x": 0})
        expected = ["0.0"] * 4 + ["1.5"] * 2 + ["None"] * 2
        require_equal(sorted(map(str, release.table["x"].to_pylist())), expected)


ENGINE_CHECKS: Sequence[Callable[[EngineInput], None]] = (
    check_words,
    check_releases,
    check_recodings,
    check_people,
    check_names,
    check_one_row,
    check_no_rows,
    check_problems,
    check_frequency_sets,
    check_zeros,
)


def compare(source: EngineInput, table: pa.Table, spec: shoal.Spec, **how: Any) -> None:
    """Compare the release of an engine with that of memory, both found, or both refused alike."""
    given = source.put(table)
    try:
        # Where every cell becomes text, memory is given the same text.
        expected = shoal.anonymize(given["data"] if source.text else table, spec, engine="memory", **how)
    except InfeasibleError as error:
        with promise(_whose(source), "what has no release in memory is refused in the same words"):
            require_equal(str(_refused(InfeasibleError, spec, given, **how)), str(error))
        return
    with promise(_whose(source), "it gives the release that memory gives"):
        release = shoal.anonymize(spec=spec, **given, **how)
        require_equal(release.engine, source.engine)
        require_equal(release.recoding.levels, expected.recoding.levels)
        require(math.isclose(release.score, expected.score, rel_tol=1e-12), f"Score: {release.score}.")
        require_equal(release.suppressed_rows, expected.suppressed_rows, "Suppressed rows. ")
        require_equal(release.class_sizes, expected.class_sizes, "Sizes of classes. ")
        require_equal(release.optimal, expected.optimal, "Proved optimal. ")
        require_equal(release.table.column_names, expected.table.column_names, "Columns. ")
        require_equal(rows_of(release.table), rows_of(expected.table), "Rows. ")
        labels = [choice.labels for choice in expected.choices()]
        require_equal([choice.labels for choice in release.choices()], labels, "Labels. ")
    with promise(_whose(source), "its audit finds what memory's finds"):
        require_equal([f.claim for f in release.audit.findings], [f.claim for f in expected.audit.findings])
        require(all(finding.holds for finding in release.audit.findings), release.audit.render())


def people(seed: int, rows: int) -> pa.Table:
    """Return a table about people, with NULL and odd text in it."""
    draw = random.Random(seed)
    return pa.table(
        {
            "name": [f"p{number}" for number in range(rows)],
            "age": pa.array([draw.choice([None, *range(20, 60)]) for _ in range(rows)], pa.int64()),
            "town": pa.array([draw.choice(ODD) for _ in range(rows)], pa.string()),
            "born": pa.array(
                [datetime.date(1990, 1, 1) + datetime.timedelta(draw.randrange(400)) for _ in range(rows)]
            ),
            "disease": pa.array([draw.choice(_DISEASES) for _ in range(rows)], pa.string()),
            "cost": pa.array([draw.choice([None, 1.5, -2.25, 1e10]) for _ in range(rows)], pa.float64()),
        }
    )


def numbers(seed: int, rows: int) -> pa.Table:
    """Return a table with numbers of all types, and dates."""
    draw = random.Random(seed)
    last = datetime.date(2024, 2, 3)
    return pa.table(
        {
            "age": pa.array([draw.choice([None, *range(20, 60)]) for _ in range(rows)], pa.int64()),
            "born": pa.array([last - datetime.timedelta(draw.randrange(9999)) for _ in range(rows)]),
            "paid": pa.array([decimal.Decimal(draw.randrange(9999)) / 100 for _ in range(rows)]),
            "height": pa.array([draw.randrange(1500, 2000) / 10 for _ in range(rows)], pa.float64()),
            "disease": pa.array([draw.choice(_DISEASES) for _ in range(rows)], pa.string()),
        }
    )


def spec_of_numbers(average: str, sensitive: Sequence[str]) -> shoal.Spec:
    """Return a spec for `numbers`, with the averages of classes."""
    types = {"age": "integer", "born": "date", "paid": "decimal", "height": "float"}
    return shoal.Spec(
        quasi_identifiers=dict.fromkeys(types, "suppress"),
        sensitive=sensitive,
        types=types,
        privacy=[shoal.KAnonymity(4)],
        recoding={"microaggregation": {"labels": average}},
    )


def several_rows() -> pa.Table:
    """Return a table in which people have several rows."""
    draw = random.Random(3)
    return people(2, 120).set_column(0, "name", pa.array([f"p{draw.randrange(60)}" for _ in range(120)]))


def spec_of_people(**how: Any) -> shoal.Spec:
    """Return a spec for `people`."""
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


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    """Return the rows sorted."""
    columns = [table.column(name) for name in table.column_names]
    plain = [c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c for c in columns]
    lists = [c.to_pylist() for c in plain]
    return sorted(zip(*lists, strict=True), key=lambda row: [(cell is not None, str(cell)) for cell in row])


def counts_of(given: Mapping[str, Any], spec: shoal.Spec) -> tuple[Any, Any]:
    """Open a table; return the engine, and what counts its tuples."""
    how = dict(given)
    engine = open_engine(how.pop("data"), spec.input, **how)
    settled, _ = settle_columns(spec, engine.source, False, False)
    _, counts = engine.profile(settled, {}, settled.attributes).encode(settled)
    # What is in memory has rows for entries at level 0: counted, it has tuples as the others do.
    return engine, _Grouped(counts) if isinstance(counts, InMemory) else counts


class _Grouped:
    """Frequency sets in memory, with the rows grouped at level 0 too."""

    def __init__(self, counts: InMemory) -> None:
        self._counts = counts
        self.domain, self.below, self.estimate = counts.domain, counts.below, counts.estimate
        self.boxes = counts.boxes

    def for_many(self) -> _Grouped:
        return self

    def within(self, part: Part) -> _Grouped:
        return _Grouped(self._counts.within(part))

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


def _refused(
    kind: type[InputError] | type[InfeasibleError], spec: shoal.Spec, given: Mapping[str, Any], **how: Any
) -> Any:
    try:
        shoal.anonymize(spec=spec, **given, **how)
    except kind as error:
        return error
    require(False, "It is not refused.")
    return None


def _whose(source: EngineInput) -> str:
    return f"The engine {source.engine!r}"
