"""What classes hold, counted by the kernel, against the models' own definitions on the rows.

The tables are large enough for every representation: dense and sparse sets, cells and lists of entries.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from shoal import _kernel
from shoal.encode.column import CodedColumn
from shoal.encode.table import CodedPopulation, CodedTable
from shoal.measure.classification import Classification
from shoal.measure.discernability import Discernability
from shoal.measure.loss import Loss
from shoal.measure.measure import Measure
from shoal.privacy.alpha_k import AlphaK
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.delta_disclosure import DeltaDisclosure
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_map import KMap
from shoal.privacy.l_diversity import LDiversity
from shoal.privacy.model import PrivacyModel
from shoal.privacy.population import Population
from shoal.privacy.reidentification_risk import Risk
from shoal.privacy.t_closeness import TCloseness
from shoal.search.algorithms.exhaustive import node_of
from shoal.search.problem import SearchProblem

EVERYBODY = Population(pa.table({"everybody": [1]}))


def column(name: str, codes: np.ndarray, values: int, fans: tuple[int, ...]) -> CodedColumn:
    """A column whose labels at each level are runs of those below."""
    maps = [np.arange(values, dtype=np.uint32)]
    for fan in fans:
        maps.append(maps[-1] // np.uint32(fan))
    return CodedColumn(
        name=name,
        codes=codes.astype(np.uint32),
        counts=np.bincount(codes, minlength=values),
        maps=tuple(maps),
        labels=tuple(pa.array([f"{m}" for m in range(int(labels.max()) + 1)]) for labels in maps),
        leaves=tuple(np.bincount(labels) for labels in maps),
        total_leaves=values,
        max_level=len(fans),
    )


def skewed(random: np.random.Generator, values: int, rows: int) -> np.ndarray:
    """Some values are frequent and most are rare; each occurs."""
    codes = np.minimum(random.geometric(4 / values, rows) - 1, values - 1)
    codes[:values] = np.arange(values)
    return random.permutation(codes)


def table_of(rows: int, wide: bool, seed: int, *, units: bool = False, others: int = 0) -> CodedTable:
    random = np.random.default_rng(seed)
    shapes = (
        [(40, (4, 10)), (90, (9, 10)), (60, (6, 10)), (200, (20, 10))]
        if wide
        else [(12, (3, 4)), (9, (3, 3))]
    )
    columns = [
        column(f"q{i}", skewed(random, values, rows), values, fans) for i, (values, fans) in enumerate(shapes)
    ]
    return CodedTable(
        tuple(columns),
        rows,
        attributes={
            "few": column("few", skewed(random, 14, rows), 14, (3, 5)),
            "two": column("two", random.integers(0, 2, rows), 2, (2,)),
            "many": column("many", skewed(random, 900, rows), 900, (30, 30)),
        },
        units=(random.integers(0, rows // 3, rows) if units else None),
        populations={
            EVERYBODY.key: CodedPopulation(
                tuple(
                    np.concatenate([c.codes, random.integers(0, len(c.counts), others).astype(np.uint32)])
                    for c in columns
                ),
                rows + others,
            )
        }
        if others
        else {},
    )


MODELS: list[PrivacyModel] = [
    LDiversity("few", 3),
    LDiversity("few", 2.5, "entropy"),
    LDiversity("few", 3, "recursive", 2.0),
    LDiversity("many", 4),
    LDiversity("many", 3, "entropy"),
    LDiversity("many", 4, "recursive", 1.0),
    TCloseness("few", 0.3),
    TCloseness("few", 0.2, "ordered"),
    TCloseness("few", 0.2, "hierarchical"),
    TCloseness("two", 0.1),
    TCloseness("many", 0.6),
    TCloseness("many", 0.1, "ordered"),
    TCloseness("many", 0.4, "hierarchical"),
    BetaLikeness("few", 1.0),
    BetaLikeness("many", 20.0, "basic"),
    DeltaDisclosure("two", 0.5),
    DeltaDisclosure("few", 2.5),
    AlphaK("few", 0.4, 3),
    AlphaK("many", 0.2, 3),
    Risk(average=0.05),
]


@pytest.fixture(params=_kernel.instruction_sets())
def instruction_set(request: pytest.FixtureRequest) -> Iterator[str]:
    _kernel.use_instruction_set(request.param)
    yield request.param
    _kernel.use_instruction_set(_kernel.instruction_sets()[-1])


def check(table: CodedTable, models: tuple[PrivacyModel, ...], measure: Measure, seed: int = 0) -> None:
    """Compare suppressed rows and scores at nodes on the way up, each rolled up from those before."""
    problem = SearchProblem(table, models, measure, 1.0)
    random = np.random.default_rng(seed)
    nodes = {tuple(random.integers(0, c.height + 1) for c in table.columns) for _ in range(12)}
    nodes |= {(0,) * len(table.columns), tuple(c.height for c in table.columns)}
    ordered = [tuple(map(int, node)) for node in sorted(nodes)]
    found = problem.ground.evaluate(ordered, problem.requirement, problem.objective)
    suppressed, scores = found.suppressed_rows, found.scores
    references = [node_of(problem, node) for node in ordered]
    assert suppressed.tolist() == [node.suppressed_rows for node in references]
    np.testing.assert_allclose(scores, [measure.score(node) for node in references], rtol=1e-11)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.describe())
@pytest.mark.parametrize("wide", [False, True])
def test_conditions_are_those_of_the_models(model: PrivacyModel, wide: bool) -> None:
    check(table_of(3000, wide, 1), (KAnonymity(2), model), Discernability())


def test_counts_of_all_widths_and_instruction_sets(instruction_set: str) -> None:
    models = (TCloseness("few", 0.3), TCloseness("two", 0.3), LDiversity("many", 3), BetaLikeness("few", 2.0))
    for rows in (2_000, 70_000):
        check(table_of(rows, True, rows), (KAnonymity(3), *models), Loss())


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    "models",
    [
        (KAnonymity(4),),
        (AlphaK("few", 0.5, 3), LDiversity("two", 2)),
        (TCloseness("few", 0.4), LDiversity("many", 3, "entropy")),
        (TCloseness("many", 0.5, "ordered"), BetaLikeness("few", 2.0)),
        (Risk(0.5, 0.2),),
    ],
)
def test_units_count_once_in_a_class(models: tuple[PrivacyModel, ...], wide: bool) -> None:
    table = table_of(2500, wide, 5, units=True)
    assert table.units is not None
    units = np.unique(table.units, return_inverse=True)[1].reshape(-1).astype(np.uint32)
    check(CodedTable(table.columns, table.rows, table.attributes, units), models, Classification("two"))


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize(
    "models",
    [
        (KMap(6, EVERYBODY),),
        (KAnonymity(2), DeltaPresence(EVERYBODY, 0.0, 0.6), LDiversity("few", 2)),
        (KMap(4, EVERYBODY), TCloseness("few", 0.4)),
    ],
)
def test_populations_are_counted_beside_the_rows(models: tuple[PrivacyModel, ...], wide: bool) -> None:
    check(table_of(1500, wide, 7, others=4000), models, Discernability())
    # More people than a 16-bit count holds, in a table that does with one.
    check(table_of(1500, wide, 8, others=70_000), models, Loss())


def test_a_class_that_only_the_population_has_can_fail_the_node() -> None:
    table = table_of(1500, False, 9, others=4000)
    problem = SearchProblem(table, (DeltaPresence(EVERYBODY, 0.05, 1.0),), Loss(), 1.0)
    checker = problem.ground.checker(
        problem.requirement, problem.objective, True, True, False, 0, 0, 0.5, 1 << 30
    )
    assert problem.limit == 0
    assert not checker.check([0, 0]).satisfies
    assert checker.check([2, 2]).satisfies
