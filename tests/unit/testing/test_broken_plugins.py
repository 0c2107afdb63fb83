"""Plug-ins that break one promise each are caught, and the message says which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import Phase, settings

import shoal
from shoal import registry
from shoal.describe.hierarchies.prefix import Prefix
from shoal.describe.hierarchy import Levels
from shoal.encode.cells import Cells
from shoal.engines.kind import Fit
from shoal.engines.memory import Memory, MemoryKind
from shoal.measure.height import Height
from shoal.measure.loss import Loss
from shoal.partition.buckets.value import ValueBuckets
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel, Reads, Tables
from shoal.privacy.t_closeness import TCloseness
from shoal.recode.full_domain import FullDomain
from shoal.recode.recoding import Choices
from shoal.search.algorithms.flash import Flash
from shoal.strategies.full_domain_search import FullDomainSearch
from shoal.testing import (
    check_algorithm,
    check_bucketizer,
    check_engine,
    check_hierarchy,
    check_measure,
    check_model,
    check_recoding,
    check_strategy,
)


@pytest.fixture(autouse=True)
def first_counterexample() -> Iterator[None]:
    """Take the first table that breaks a promise; to look for a simpler one takes minutes."""
    before = settings.default
    settings.register_profile("first", before, phases=[Phase.generate])
    settings.load_profile("first")
    yield
    settings.register_profile("before", before)
    settings.load_profile("before")


def broken(kind: type, /, **promises: Any) -> Any:
    """Return a class that says or does something else."""
    return type(kind.__name__, (kind,), {"__doc__": kind.__doc__, **promises})


def wrong_query(self: Any, tables: Tables) -> str:
    return KAnonymity.sql(self, tables).replace(f"n < {self.k}", f"n < {self.k - 1}")


def query_without_weights(self: Any, tables: Tables) -> str:
    return KAnonymity.sql(self, replace(tables, weight=None))


def query_that_ignores_weights(self: Any, tables: Tables) -> str:
    named = "" if tables.unit is not None else f" -- {tables.weight}"
    return KAnonymity.sql(self, replace(tables, weight=None)) + named


MODELS = {
    "its query counts the classes for which `holds` is false": broken(KAnonymity, sql=wrong_query)(3),
    "it is `absorbing`: a class that passes does so after any merger": broken(LDiversity, absorbing=True)(
        "value", 2, "entropy"
    ),
    "it is `absorbing_people`": broken(LDiversity, absorbing_people=True)("value", 2),
    "Declared: unit=False. The query reads it where people are counted": broken(
        KAnonymity, reads=Reads(weight=True)
    )(2),
    "Declared: original=True. The query does not read it where rows are": broken(
        LDiversity, reads=Reads(column=True, original=True, unit=True, weight=True)
    )("value", 2),
    "Declared: original=False. The query reads it": broken(
        TCloseness, reads=Reads(column=True, unit=True, weight=True)
    )("value", 0.3),
    "Declared: weight=True. The query does not read it": broken(KAnonymity, sql=query_without_weights)(2),
    "finds the same where the rows of a release are weighted": broken(
        KAnonymity, sql=query_that_ignores_weights
    )(2),
    "no class passes that has fewer rows than `minimum_size`": broken(KAnonymity, minimum_size=4)(3),
    "`conditions` and `minimum_size` let the classes pass that `holds` does": broken(
        LDiversity, conditions=lambda self, table: ()
    )("value", 3),
    "a class without rows passes if and only if": broken(KAnonymity, suppressible=False)(2),
    "its spec holds all of it": broken(KAnonymity, to_spec=lambda self: {"k-anonymity": 2})(3),
    "a spec that it does not know is refused": broken(
        KAnonymity,
        from_spec=classmethod(lambda cls, argument, folder=".": cls(argument if argument == 5 else 3)),
    )(3),
    "it says what it is": broken(KAnonymity, summary="At least k")(3),
    "it has all that a privacy model has": object(),
}


@pytest.mark.parametrize("promise", MODELS)
def test_models(promise: str) -> None:
    with pytest.raises(AssertionError) as caught:
        check_model(MODELS[promise], examples=300)
    told = " ".join(str(caught.value).split())
    assert promise in told


def test_a_definition_is_compared_with() -> None:
    model: PrivacyModel = KAnonymity(2)

    def strictly(members: Any, table: Any, population: int, taxonomy: Any) -> bool:
        return len({row.unit for row in members}) != 2

    with pytest.raises(AssertionError, match="`holds` is its definition"):
        check_model(model, definition=strictly)


MEASURES = {
    "it is `monotone`": broken(Loss, monotone=True)(),
    "`costs` is the score as data": broken(
        Height, costs=lambda self, table, k: replace(Height.costs(self, table, k), weights=(0.5,) * 9)
    )(),
    "column weights count if it is `weighted`": broken(Loss, weighted=False)(),
    "scores lie between its `ends`": broken(Height, ends=lambda self, table, k: (0.0, 0.5))(),
    "its spec holds all of it": broken(Loss, to_spec=lambda self: "loss")(aggregate="max"),
}


@pytest.mark.parametrize("promise", MEASURES)
def test_measures(promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_measure(MEASURES[promise], examples=100)


def torn(self: Any, values: pa.Array) -> Levels:
    """Give the lower of two labels to values of different upper ones."""
    labels = pa.array([str(place) for place in range(len(values))], pa.string())
    same = pa.array(["same"] * len(values), pa.string())
    return Levels.of(values, [same, labels, same])


def by_place(self: Any, values: pa.Array) -> Levels:
    labels = pa.array([str(place // 2) for place in range(len(values))], pa.string())
    return Levels.of(values, [labels, pa.array(["*"] * len(values), pa.string())])


HIERARCHIES = {
    "not nested": broken(Prefix, levels=torn, steady=False)(),
    "labels do not depend on the order of values": broken(Prefix, levels=by_place, steady=False)(),
    "it is `steady`": broken(Prefix, steady=True)(),
    "its spec holds all of it": broken(Prefix, to_spec=lambda self: {"prefix": 3})(),
}


@pytest.mark.parametrize("promise", HIERARCHIES)
def test_hierarchies(promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_hierarchy(HIERARCHIES[promise], values=["53715", "53710", "5371", "90210"])


def first_found(self: Any, problem: Any, **how: Any) -> Any:
    """Answer with the top of the lattice, if it satisfies, and call that the best."""
    found = Flash.search(self, problem, **how)
    top = tuple(column.height for column in problem.table.columns)
    return found if found.levels is None else replace(found, levels=top)


def one_too_many(self: Any, problem: Any, **how: Any) -> Any:
    found = Flash.search(self, problem, **how)
    return replace(found, counters=replace(found.counters, pruned=found.counters.pruned + 1))


ALGORITHMS = {
    "it is `exact`": broken(Flash, search=first_found)(),
    "a heuristic does not call its result optimal": broken(Flash, exact=False, complete=False)(),
    "it lists all nodes only if it is exact": broken(Flash, exact=False)(),
    "what it counts of its work adds up": broken(
        Flash,
        search=one_too_many,
    )(),
}


@pytest.mark.parametrize("promise", ALGORITHMS)
def test_algorithms(promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_algorithm(ALGORITHMS[promise], rows=15, columns=2, examples=40)


def other_cells(**changes: Any) -> Any:
    """Return `cells` of which one thing is changed, by a function of the true cells."""

    def cells(self: Any, table: Any) -> Any:
        found = FullDomain.cells(self, table)
        return tuple(replace(own, **{key: change(own) for key, change in changes.items()}) for own in found)

    return cells


RECODINGS = {
    "has labels for every column": {"cells": other_cells(numbers=lambda own: own.numbers[1:])},
    "what `nodes` says of labels is true": {
        "cells": other_cells(nodes=lambda own: own.nodes._replace(levels=own.nodes.levels + 1))
    },
    "the recoding in a manifest is the same": {
        "to_manifest": lambda self: {"kind": "full-domain", "levels": {}}
    },
    "`choices` has words for every quasi-identifier": {"choices": lambda self, table: Choices("Level", {})},
    "it has all that a recoding has": {"kind": "Full Domain"},
}


@pytest.mark.parametrize("promise", RECODINGS)
def test_recodings(promise: str) -> None:
    kind = broken(FullDomain, **RECODINGS[promise])
    with pytest.raises(AssertionError, match=promise):
        check_recoding(lambda table: kind(dict.fromkeys(table.names, 0)), examples=40)


@dataclass(frozen=True)
class _ByRow:
    """A recoding that gives every row a label of its own."""

    kind = "by-row"
    levels = node = rungs = None
    choices = for_recipients = to_manifest = from_manifest = FullDomain.to_manifest

    def cells(self, table: Any) -> Any:
        numbers = np.arange(table.entries, dtype=np.uint32)
        labels = pa.array([f"row {row}" for row in numbers.tolist()], pa.string())
        return tuple(Cells(labels, numbers, np.ones(len(numbers), dtype=np.int64)) for _ in table.columns)


def test_a_recoding_looks_at_values_alone() -> None:
    with pytest.raises(AssertionError, match="rows that have the same values get the same labels"):
        check_recoding(lambda table: _ByRow())  # type: ignore[return-value]


def chosen_with(**changes: Any) -> Any:
    def choose(self: Any, question: Any) -> Any:
        found = FullDomainSearch.choose(self, question)
        return replace(found, **{key: change(found) for key, change in changes.items()})

    return choose


STRATEGIES = {
    # Whichever is found first: the score is that of the recoding that was chosen before.
    "what it chooses satisfies the models|`score` is what the measure gives": chosen_with(
        recoding=lambda found: FullDomain(dict.fromkeys(found.problem.table.names, 0))
    ),
    "`score` is what the measure gives": chosen_with(score=lambda found: found.score / 2 + 0.1),
    "`bound` is no more than the score": chosen_with(bound=lambda found: found.score + 1),
}


@pytest.mark.parametrize("promise", STRATEGIES)
def test_strategies(promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_strategy(broken(FullDomainSearch, choose=STRATEGIES[promise])())


def test_a_strategy_says_whether_it_has_levels() -> None:
    with pytest.raises(AssertionError, match="recodings have levels if it `has_levels`"):
        check_strategy(broken(FullDomainSearch, has_levels=False)())


def buckets_with(**changes: Any) -> Any:
    def buckets(self: Any, values: Any) -> Any:
        found = ValueBuckets.buckets(self, values)
        return replace(found, **{key: change(found) for key, change in changes.items()})

    return buckets


BUCKETIZERS = {
    "every value that rows have is in one bucket, and no other": buckets_with(
        of_value=lambda found: np.maximum(found.of_value, 0) if len(found) else found.of_value
    ),
    "every row is in one bucket": buckets_with(rows=lambda found: found.rows + 1),
    "buckets are numbered by their first values, without gaps": buckets_with(
        of_value=lambda found: np.where(found.of_value < 0, -1, len(found) - 1 - found.of_value),
        rows=lambda found: found.rows[::-1],
    ),
    "the table itself is within the bounds, which are shares": buckets_with(
        bounds=lambda found: found.bounds / 10
    ),
}


@pytest.mark.parametrize("promise", BUCKETIZERS)
def test_bucketizers(promise: str) -> None:
    with pytest.raises(AssertionError, match=promise):
        check_bucketizer(broken(ValueBuckets, buckets=BUCKETIZERS[promise])())


class _Forgetful(Memory):
    """An engine that loses a row."""

    name = "forgetful"

    def profile(self, spec: Any, populations: Any, attributes: Any) -> Any:
        found = super().profile(spec, populations, attributes)
        table, others = found._tables
        found._tables = (table.slice(0, max(table.num_rows - 1, 1)), others)
        return found


@dataclass(frozen=True)
class _ForgetfulKind:
    name = "forgetful"
    summary = "Tables in memory, but for their last row."
    turn = 1
    abilities = MemoryKind.abilities

    def fit(self, given: Any) -> Fit:
        return Fit.BEST if isinstance(given.data, pa.Table) else Fit.NO

    def open(self, given: Any) -> Any:
        return _Forgetful(MemoryKind().open(given).source)


def test_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    real_names, real = registry.names, registry.resolve
    monkeypatch.setattr(
        registry, "names", lambda kind: (*real_names(kind), *(["forgetful"] if kind == "engines" else []))
    )
    monkeypatch.setattr(
        registry, "resolve", lambda kind, name: _ForgetfulKind if name == "forgetful" else real(kind, name)
    )
    with pytest.raises(
        AssertionError, match="'forgetful' breaks a promise: it gives the release that memory"
    ):
        check_engine("forgetful", lambda table: {"data": table})
    with pytest.raises(AssertionError, match="'nowhere' breaks a promise: it is registered"):
        check_engine("nowhere", lambda table: {"data": table})


def test_a_declaration_is_all_that_a_query_gets() -> None:
    """A model that reads the original without saying so would publish figures of suppressed rows."""
    sly = broken(TCloseness, reads=Reads(column=True, unit=True, weight=True))("disease", 1.0)
    table = pa.table({"age": [1, 1, 2, 2], "disease": ["flu", "cold", "flu", "cold"]})
    spec = shoal.Spec(
        quasi_identifiers={"age": "suppress"},
        sensitive=["disease"],
        privacy=[TCloseness("disease", 1.0), sly],
    )
    with pytest.raises(Exception, match=r"(?i)syntax|parser"):
        shoal.anonymize(table, spec)
    assert np.isfinite(shoal.anonymize(table, replace(spec, privacy=[TCloseness("disease", 1.0)])).score)
