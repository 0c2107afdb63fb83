"""The kernel's checker: whatever it rolls up from, a node has the classes that numpy finds."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from shoal import _kernel

from .test_frequency_sets import SHAPES, classes_by_numpy, kernel_table, random_codes, random_maps

EVERYTHING = {
    "rollup": True,
    "hand_out": True,
    "snapshots": 5,
    "snapshot_classes": 10**9,
    "kept_share": 1e9,
    "memory": 1 << 40,
}
NOTHING = {
    "rollup": False,
    "hand_out": False,
    "snapshots": 0,
    "snapshot_classes": 0,
    "kept_share": 1e9,
    "memory": 0,
}


def checker_of(
    table: _kernel.CodedTable, k: int, limit: int, project: bool, **options: int
) -> _kernel.Checker:
    objective = _kernel.Objective(term="squares", rows=float(table.rows))
    return table.checker(
        requirement=_kernel.Requirement(k, limit),
        objective=objective,
        project=project,
        **options,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    "options", [EVERYTHING, NOTHING, NOTHING | {"snapshots": 3, "snapshot_classes": 10**9}]
)
@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("name", [name for name in SHAPES if name != "one row"])
def test_any_order_of_nodes_gives_what_numpy_gives(
    name: str, project: bool, options: dict[str, float]
) -> None:
    cardinalities, rows, skew = SHAPES[name]
    rows = min(rows, 20_000)
    rng = np.random.default_rng(len(name))
    cardinalities = [min(cardinality, rows) for cardinality in cardinalities]
    heights = [int(h) for h in rng.integers(1, 4, size=len(cardinalities))]
    maps, codes = random_maps(rng, cardinalities, heights), random_codes(rng, cardinalities, rows, skew)
    k, limit = 3, rows // 100
    checker = checker_of(kernel_table(codes, maps), k, limit, project, **options)
    for _ in range(12):
        node = tuple(int(rng.integers(0, h + 1)) for h in heights)
        sizes = list(classes_by_numpy(codes, maps, node).values())
        failing = sum(n for n in sizes if n < k)
        for _ in range(2):  # the second time it may be at hand
            checked = checker.check(node)
            assert (checked.suppressed_rows, checked.classes) == (failing, len(sizes))
            assert checked.satisfies == (failing <= limit)
            if checked.satisfies:
                assert checked.score == sum(n * n for n in sizes)
            assert checked.kept == (
                not checked.satisfies and options is not NOTHING and options["memory"] > 0
            )
    counters = checker.counters
    assert counters.checked == 24
    if not options["rollup"]:
        assert counters.rollups == 0 or options["snapshots"] > 0


def test_what_was_prepared_serves_every_node_above() -> None:
    rng = np.random.default_rng(3)
    cardinalities, heights = [50, 30, 8], [2, 2, 1]
    maps, codes = random_maps(rng, cardinalities, heights), random_codes(rng, cardinalities, 3000, 2.0)
    table = kernel_table(codes, maps)
    checker = checker_of(table, 5, 0, False, **(EVERYTHING | {"snapshots": 0}))
    base = checker.prepare((1, 0, 0))
    assert base.kept
    assert checker.counters.scans == 1
    for node in product((1, 2), range(3), range(2)):
        assert checker.check(node, base).classes == len(classes_by_numpy(codes, maps, node))
    assert checker.counters.scans == 1
    with pytest.raises(ValueError, match="from one below it"):
        checker.check((0, 2, 1), base)
    assert table.peak_bytes > 0


def test_no_more_snapshots_are_kept_than_allowed() -> None:
    rng = np.random.default_rng(4)
    maps, codes = random_maps(rng, [40, 40], [3, 3]), random_codes(rng, [40, 40], 900, 1.0)
    checker = checker_of(
        kernel_table(codes, maps), 900, 0, False, **(EVERYTHING | {"hand_out": False, "snapshots": 2})
    )
    failing = sum(not checker.check(node).satisfies for node in product(range(3), range(3)))
    assert checker.counters.snapshots == failing
    assert checker.counters.evicted == failing - 2


def test_a_set_outlives_the_names_of_its_table_and_checker() -> None:
    rng = np.random.default_rng(5)
    maps, codes = random_maps(rng, [40, 40], [2, 2]), random_codes(rng, [40, 40], 500, 1.0)
    table = kernel_table(codes, maps)
    checker = checker_of(table, 500, 0, True, **EVERYTHING)
    kept = checker.check((1, 0))
    del table
    assert checker.check((1, 1), kept).classes == len(classes_by_numpy(codes, maps, (1, 1)))
    del checker
    assert kept.kept
