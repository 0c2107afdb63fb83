"""The types of cpp/bindings/module.cpp."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AttributeArrays: TypeAlias = tuple[
    NDArray[np.uint32], NDArray[np.uint64] | None, int, int, bool, NDArray[np.uint32] | None
]

bitmap_block_rows: int
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
        constant: float = 0.0,
        scale: float = 1.0,
        attribute: int = 0,
        aggregate: str = "mean",
    ) -> None: ...

class Condition:
    def __init__(
        self,
        kind: str,
        attribute: int,
        absorbing: bool,
        least: int,
        bound: float,
        lower: Sequence[float],
        upper: Sequence[float],
        totals: Sequence[float],
        people: float,
        order: Sequence[int],
        tree: Sequence[Sequence[int]],
    ) -> None: ...

class Requirement:
    def __init__(
        self,
        k: int,
        limit: int,
        conditions: Sequence[Condition] = ...,
        average_risk: float = ...,
        units: int | None = None,
        judges_empty: bool = False,
    ) -> None: ...
    @property
    def k(self) -> int: ...
    @property
    def limit(self) -> int: ...
    @property
    def sizes_only(self) -> bool: ...
    @property
    def monotone(self) -> bool: ...

class Checked:
    @property
    def satisfies(self) -> bool: ...
    @property
    def hopeless(self) -> bool: ...
    @property
    def bound(self) -> float: ...
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
        attributes: Sequence[AttributeArrays] = ...,
    ) -> None: ...
    @property
    def rows(self) -> int: ...
    @property
    def tuples(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    def search(
        self,
        requirement: Requirement,
        objective: Objective,
        all_nodes: bool = False,
        threads: int = 1,
        least_shared_work: int = ...,
        progress: Callable[[int, int, float | None], None] | None = None,
    ) -> dict[str, Any]: ...
    def evaluate(
        self, nodes: Sequence[Sequence[int]], requirement: Requirement, objective: Objective
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.float64]]: ...
    def checker(
        self,
        requirement: Requirement,
        objective: Objective,
        project: bool,
        rollup: bool,
        hand_out: bool,
        snapshots: int,
        snapshot_classes: int,
        kept_share: float,
        memory: int,
    ) -> Checker: ...
    @property
    def peak_bytes(self) -> int: ...
    def reset_peak_bytes(self) -> None: ...
    def classes(self, path: Sequence[Sequence[int]]) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]: ...

class BitmapTally:
    @property
    def failing_rows(self) -> int: ...
    @property
    def classes(self) -> int: ...
    @property
    def operations(self) -> int: ...
    @property
    def words(self) -> int: ...
    @property
    def cut(self) -> bool: ...

class ClassBitmaps:
    @property
    def columns(self) -> list[int]: ...
    @property
    def levels(self) -> list[int]: ...
    @property
    def bytes(self) -> int: ...
    def __len__(self) -> int: ...
    def sizes(self) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]: ...

class BitmapTable:
    def __init__(
        self, codes: Sequence[NDArray[np.uint32]], maps: Sequence[Sequence[NDArray[np.uint32]]]
    ) -> None: ...
    @property
    def rows(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def bitmap(self, column: int, level: int, label: int) -> NDArray[np.uint64]: ...
    def count(
        self,
        columns: Sequence[int],
        levels: Sequence[int],
        k: int,
        limit: int,
        reusing: bool = True,
        pruning: bool = True,
    ) -> BitmapTally: ...
    def everything(self) -> ClassBitmaps: ...
    def extend(
        self, source: ClassBitmaps, column: int, level: int, k: int, limit: int, pruning: bool = True
    ) -> tuple[BitmapTally, ClassBitmaps]: ...
    def generalize(
        self, source: ClassBitmaps, levels: Sequence[int], k: int, limit: int, pruning: bool = True
    ) -> tuple[BitmapTally, ClassBitmaps]: ...

def bitmap_intersect(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def bitmap_subtract(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def bitmap_unite(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def bitmap_intersect_and_count(
    a: NDArray[np.uint64], b: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], int]: ...
def bitmap_count_common(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> int: ...
def index_rows(
    codes: Sequence[NDArray[np.uint32]], cardinalities: Sequence[int]
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]: ...
def instruction_sets() -> list[str]: ...
def use_instruction_set(name: str) -> None: ...
