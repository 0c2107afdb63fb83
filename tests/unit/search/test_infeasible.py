"""What an infeasible answer says binds, and what it proposes can be satisfied."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.describe import intervals, suppress
from shoal.encode.column import code_column
from shoal.encode.table import CodedPopulation, CodedTable
from shoal.measure.height import Height
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.population import Population
from shoal.privacy.t_closeness import TCloseness
from shoal.search.algorithms.best_first import BestFirst
from shoal.search.algorithms.exhaustive import Exhaustive
from shoal.search.infeasible import infeasible
from shoal.search.problem import SearchProblem
from shoal.testing.problems import requirements
from shoal.testing.tables import described_tables

POPULATION = Population(pa.table({"everybody": [1]}))
AGES = [31, 35, 38, 52, 58, 88]


def problem_of(
    *models: PrivacyModel, suppression: float = 0.0, max_level: int = 1, table: CodedTable | None = None
) -> SearchProblem:
    age = code_column("age", pa.array(AGES).dictionary_encode(), intervals(10), max_level=max_level)
    disease = code_column("disease", pa.array(list("ffffgf")).dictionary_encode(), suppress())
    coded = CodedTable((age,), len(AGES), attributes={"disease": disease})
    return SearchProblem(table or coded, models, Height(), suppression)


def test_of_one_requirement_the_rows_that_fail_are_told() -> None:
    assert str(infeasible(problem_of(KAnonymity(3), suppression=0.2))).splitlines() == [
        "No release satisfies k-anonymity 3 with a suppression limit of 0.2.",
        "Even at the highest levels 3 rows of 6 are in classes that fail, and 1 may be suppressed.",
        "Nearest requirements that can be satisfied: k = 2 with this limit, or a suppression limit of 0.5 "
        "with k = 3.",
        "The spec holds age below the top level; raising it helps too.",
    ]


def test_of_several_it_says_which_binds() -> None:
    problem = problem_of(KAnonymity(2), LDiversity("disease", 2), suppression=0.2)
    assert str(infeasible(problem)).splitlines()[1:4] == [
        "Even at the highest levels 4 rows of 6 are in classes that fail, and 1 may be suppressed.",
        "What binds is distinct 2-diversity of disease: alone, k-anonymity 2 fails 1 row, "
        "distinct 2-diversity of disease fails 4 rows.",
        "Nearest requirements that can be satisfied: a suppression limit of 0.667 with these requirements.",
    ]


def test_requirements_that_only_together_ask_too_much() -> None:
    problem = problem_of(KAnonymity(2), TCloseness("disease", 0.2), suppression=0.34)
    assert "Only together do they bind: alone, k-anonymity 2 fails 1 row, " in str(infeasible(problem))


def test_where_a_missing_class_tells_something_no_limit_is_proposed() -> None:
    table = problem_of(KAnonymity(1)).table
    codes = np.concatenate([table.columns[0].codes, table.columns[0].codes[:3]])
    table = replace(table, populations={POPULATION.key: CodedPopulation((codes,), len(codes))})
    problem = problem_of(DeltaPresence(POPULATION, 0.6, 1.0), suppression=0.5, table=table)
    assert str(infeasible(problem)).splitlines()[:4] == [
        "No release satisfies delta-presence 0.6 to 1 in a table given in Python.",
        "Even at the highest levels 3 rows of 6 are in classes that fail, and 0 may be suppressed.",
        "No row may be suppressed: under delta-presence 0.6 to 1 in a table given in Python a missing class "
        "reveals something.",
        "Ask for less.",
    ]


def test_units_are_counted_where_the_table_counts_them() -> None:
    table = replace(problem_of(KAnonymity(1)).table, units=np.array([0, 0, 1, 1, 2, 2], dtype=np.uint32))
    message = str(infeasible(problem_of(KAnonymity(4), table=table)))
    assert "The table has only 3 units." in message
    assert "k = 1 with this limit" in message


@given(
    table=described_tables(population=POPULATION),
    models=requirements(population=POPULATION),
    suppression=st.sampled_from([0.0, 0.05, 0.2, 0.5]),
)
def test_what_is_proposed_can_be_satisfied(
    table: CodedTable, models: tuple[PrivacyModel, ...], suppression: float
) -> None:
    problem = SearchProblem(table, models, Height(), suppression)
    if Exhaustive().search(problem).levels is not None:
        return
    message = str(infeasible(problem))
    assert BestFirst(seconds=None).search(problem).levels is None
    if found := re.search(r"k = (\d+) with this limit", message):
        k = int(found[1])
        asked = tuple(KAnonymity(k) if isinstance(model, KAnonymity) else model for model in models)
        assert Exhaustive().search(replace(problem, models=asked)).levels is not None
    if found := re.search(r"a suppression limit of ([\d.]+)( |$)", message.split("Nearest", 1)[-1]):
        assert Exhaustive().search(replace(problem, suppression=float(found[1]))).levels is not None


@pytest.mark.parametrize("seconds", [None, 1e-6])
def test_that_there_is_no_release_is_an_answer_within_any_budget(seconds: float | None) -> None:
    result = BestFirst(seconds=seconds).search(problem_of(KAnonymity(4)))
    assert (result.levels, result.optimal) == (None, True)
