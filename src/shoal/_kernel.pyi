"""The types of cpp/bindings/module.cpp."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

least_shared_work: int
max_columns: int
max_nodes: int

class Objective:
    def __init__(
        self,
        term: str,
        rows: float,
        divisor: float = 1.0,
        weights: Sequence[float] = ...,
        level_costs: Sequence[Sequence[float]] = ...,
        label_costs: Sequence[Sequence[Sequence[float]]] = ...,
    ) -> None: ...

class Checked:
    @property
    def satisfies(self) -> bool: ...
    @property
    def suppressed_rows(self) -> int: ...
    @property
    def classes(self) -> int: ...
    @property
    def score(self) -> float: ...
    @property
    def kept(self) -> bool: ...

class Checker:
    def check(self, node: Sequence[int], source: Checked | None = None) -> Checked: ...
    def prepare(self, node: Sequence[int], source: Checked | None = None) -> Checked: ...
    def evaluate(
        self, nodes: Sequence[Sequence[int]]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]]: ...
    @property
    def counters(self) -> dict[str, int]: ...

class CodedTable:
    def __init__(
        self,
        codes: Sequence[NDArray[np.uint32]],
        maps: Sequence[Sequence[NDArray[np.uint32]]],
        user_levels: Sequence[Sequence[int]],
        heights: Sequence[int],
        weights: NDArray[np.uint64] | None = None,
    ) -> None: ...
    @property
    def rows(self) -> int: ...
    @property
    def tuples(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    def search(
        self,
        k: int,
        limit: int,
        objective: Objective,
        all_nodes: bool = False,
        threads: int = 1,
        least_shared_work: int = ...,
        progress: Callable[[int, int, float | None], None] | None = None,
    ) -> dict[str, Any]: ...
    def evaluate(
        self, nodes: Sequence[Sequence[int]], k: int, objective: Objective
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]]: ...
    def checker(
        self,
        k: int,
        limit: int,
        objective: Objective,
        project: bool,
        rollup: bool,
        snapshots: int,
        snapshot_classes: int,
        memory: int,
    ) -> Checker: ...
    @property
    def peak_bytes(self) -> int: ...
    def reset_peak_bytes(self) -> None: ...
    def classes(self, path: Sequence[Sequence[int]]) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]: ...

def index_rows(
    codes: Sequence[NDArray[np.uint32]], cardinalities: Sequence[int]
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]: ...
def instruction_sets() -> list[str]: ...
def use_instruction_set(name: str) -> None: ...
