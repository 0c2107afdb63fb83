"""Hierarchies that are built from the table."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pytest

import shoal
from shoal.describe.hierarchy import ColumnData, HierarchyError
from shoal.describe.roles import QuasiIdentifier
from shoal.prepare.fit import column_data, fitted
from shoal.privacy.k_anonymity import KAnonymity
from shoal.spec.spec import Spec

TABLE = pa.table(
    {
        "town": pa.array(["Ulm", "Bonn", None, "Ulm", "Rome", "Ulm"]).dictionary_encode(),
        "rich": pa.array([True, False, True, None, False, True]),
    }
)


@dataclass(frozen=True)
class Common:
    """What it was shown is kept; values that begin with R have no place."""

    seen: ColumnData | None = None
    target: str | None = None
    broken: bool = False

    def knows(self, values):
        return pa.array([not value.startswith("R") for value in values.to_pylist()])

    def levels(self, values):
        assert self.seen is not None
        return shoal.suppress().levels(values)

    def to_spec(self):
        return "common"

    def fit(self, column):
        if self.broken:
            raise HierarchyError("it cannot be made.")
        return Common(column)


def data(**settings):
    hierarchy = Common(target=settings.pop("target", None))
    return column_data(TABLE["town"], QuasiIdentifier(hierarchy=hierarchy, **settings), TABLE)


def test_values_are_counted_without_null():
    column = data()
    assert dict(zip(column.values.to_pylist(), column.counts.tolist(), strict=True)) == {
        "Ulm": 3,
        "Bonn": 1,
        "Rome": 1,
    }


def test_what_is_missing_and_no_error_is_left_out():
    assert "Rome" not in data(missing_values="own").values.to_pylist()


def test_how_the_target_behaves():
    column = data(target="rich")
    found = {
        (value, kind): count
        for value, counts in zip(column.values.to_pylist(), column.by_target.tolist(), strict=True)
        for kind, count in zip(column.target_values.to_pylist(), counts, strict=True)
    }
    rows = [pair for pair in zip(*TABLE.to_pydict().values(), strict=True) if pair[0] is not None]
    assert {pair: count for pair, count in found.items() if count} == {
        pair: rows.count(pair) for pair in rows
    }


def test_it_is_made_once_and_written_as_asked_for():
    spec = Spec(quasi_identifiers={"town": Common()}, insensitive=["rich"], privacy=[KAnonymity(2)])
    made = fitted(spec, TABLE)
    assert made.to_mapping() == spec.to_mapping()
    assert made.quasi_identifiers["town"].levels(pa.array(["Ulm"])).labels[1].to_pylist() == ["*"]


def test_what_keeps_it_from_being_made_comes_with_all_else():
    spec = Spec(
        quasi_identifiers={"town": Common(broken=True), "rich": shoal.intervals(5)}, privacy=[KAnonymity(2)]
    )
    with pytest.raises(shoal.InputError) as caught:
        shoal.anonymize(pa.table({"town": ["a", "b"], "rich": ["x", "y"]}), spec)
    assert [problem.message.partition("\n")[0] for problem in caught.value.problems] == [
        "Column 'town': it cannot be made.",
        "Column 'rich': intervals need numbers.",
    ]


def test_its_target_must_be_released():
    with pytest.raises(shoal.InputError, match="The hierarchy of column 'town' cannot use column 'rich'"):
        Spec(quasi_identifiers={"town": Common(target="rich")}, identifiers=["rich"], privacy=[KAnonymity(2)])


def test_not_for_sensitive_columns():
    with pytest.raises(shoal.InputError, match="cannot be built from the table"):
        Spec(quasi_identifiers={"sex": "suppress"}, sensitive={"town": Common()}, privacy=[KAnonymity(2)])


def test_values_that_are_no_numbers_keep_quantiles_from_being_made():
    people = pa.table({"age": ["31", "45", "?", "52", "?", "38"]})
    spec = Spec(quasi_identifiers={"age": shoal.quantiles(2)}, privacy=[KAnonymity(2)])
    with pytest.raises(shoal.InputError, match="set `missing-values: own`"):
        shoal.anonymize(people, spec)
    release = shoal.anonymize(people, spec.adjust(missing_values="own"))
    assert sorted(release.data["age"].to_pylist()) == ["< 40", "< 40", ">= 40", ">= 40", "?", "?"]
