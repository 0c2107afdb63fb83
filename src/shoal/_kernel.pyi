"""The types of cpp/bindings.

Several threads may use every object at once. Arrays of results cannot be written to. Arrays passed in must
not change until the call returns.
"""

from collections.abc import Callable, Sequence
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

bitmap_block_rows: int
full_cost: int
small_part: int
least_shared_work: int
max_columns: int
max_nodes: int
no_class: int

class Stopped(Exception):  # noqa: N818 - what happened, no error
    """A call was ended by a `StopSignal`."""

class StopSignal:
    """Ends the kernel calls of a thread from another one.

    Calls inside `with signal:` raise `Stopped` soon after any thread has called `signal.stop()`, and so does
    every later one there. A signal that was set stays set.
    """

    def __init__(self) -> None: ...
    def stop(self) -> None: ...
    @property
    def stopped(self) -> bool: ...
    def check(self) -> None:
        """Raise `Stopped` if the signal was set."""
    def __enter__(self) -> StopSignal: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

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

class Attribute:
    """What is counted in classes beside their rows.

    `codes` has an entry per row, or 2^32 - 1 for none. A row adds its weight to the entry, or else what it
    counts in the table. With `once` an entry counts once in a class. `value_of` has the value of each entry,
    where that is not the entry itself.
    """

    def __init__(
        self,
        codes: NDArray[np.uint32],
        entries: int,
        values: int,
        once: bool = False,
        weights: NDArray[np.uint64] | None = None,
        value_of: NDArray[np.uint32] | None = None,
    ) -> None: ...
    @property
    def entries(self) -> int: ...
    @property
    def values(self) -> int: ...
    @property
    def once(self) -> bool: ...

class SearchOutcome:
    """The best node that a search found, and what it did for it. `satisfying` has a row per node."""

    @property
    def levels(self) -> tuple[int, ...] | None: ...
    @property
    def score(self) -> float | None: ...
    @property
    def suppressed_rows(self) -> int: ...
    @property
    def classes(self) -> int: ...
    @property
    def checked(self) -> int: ...
    @property
    def tagged_satisfying(self) -> int: ...
    @property
    def tagged_failing(self) -> int: ...
    @property
    def rollups(self) -> int: ...
    @property
    def scans(self) -> int: ...
    @property
    def touched(self) -> int: ...
    @property
    def satisfying(self) -> NDArray[np.uint8] | None: ...

class CheckerCounters:
    """How much work a checker did until it was asked."""

    @property
    def checked(self) -> int: ...
    @property
    def rollups(self) -> int: ...
    @property
    def scans(self) -> int: ...
    @property
    def touched(self) -> int: ...
    @property
    def snapshots(self) -> int: ...
    @property
    def evicted(self) -> int: ...

class Evaluations:
    """Nodes that were judged, one entry each in the order they were given."""

    @property
    def suppressed_rows(self) -> NDArray[np.uint64]: ...
    @property
    def classes(self) -> NDArray[np.uint64]: ...
    @property
    def scores(self) -> NDArray[np.float64]: ...
    def __len__(self) -> int: ...

class ClassCounts:
    """The classes of a node: their labels, one row each, and their rows."""

    @property
    def labels(self) -> NDArray[np.uint32]: ...
    @property
    def rows(self) -> NDArray[np.uint64]: ...
    def __len__(self) -> int: ...

class RowIndex:
    """Rows by their distinct tuples."""

    @property
    def tuple_of_row(self) -> NDArray[np.uint32]: ...
    @property
    def rows_of_tuple(self) -> NDArray[np.uint64]: ...
    def __len__(self) -> int: ...

class TupleClasses:
    """The class of each tuple of F0, from 0 without gaps, or `no_class`; how many classes there are."""

    @property
    def class_of(self) -> NDArray[np.uint32]: ...
    def __len__(self) -> int: ...

class CheapestClasses(TupleClasses):
    """Classes, and what all cells cost in them; those of tuples without a class cost all that they can."""

    @property
    def cost(self) -> int: ...

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
    def evaluate(self, nodes: Sequence[Sequence[int]]) -> Evaluations: ...
    @property
    def counters(self) -> CheckerCounters: ...

class CodedTable:
    def __init__(
        self,
        codes: Sequence[NDArray[np.uint32]],
        maps: Sequence[Sequence[NDArray[np.uint32]]],
        user_levels: Sequence[Sequence[int]],
        heights: Sequence[int],
        weights: NDArray[np.uint64] | None = None,
        attributes: Sequence[Attribute] = ...,
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
    ) -> SearchOutcome: ...
    def evaluate(
        self, nodes: Sequence[Sequence[int]], requirement: Requirement, objective: Objective
    ) -> Evaluations: ...
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
    def classes(self, path: Sequence[Sequence[int]]) -> ClassCounts:
        """Return the classes of the last node of a path; without one, the tuples of F0 in their order.

        Tuples that only a population has are among these, with 0 rows.
        """
    def divide(
        self,
        requirement: Requirement,
        costs: Sequence[Sequence[Sequence[int]]],
        cut: str = "peel",
        threads: int = 1,
        ranges: Sequence[tuple[Sequence[int], Sequence[int]]] = (),
        bucket_of: NDArray[np.uint32] | None = None,
    ) -> TupleClasses:
        """Cut the tuples in two, and the parts again, while both halves may be released as classes.

        `costs[column][level][label]` is what a cell costs: whole numbers, no more than `full_cost` for all
        columns together. `cut` says where: `peel`, `gain`, `median`, `even`, `buckets` or `relaxed`,
        see cpp/include/shoal/mondrian.hpp. Where `ranges[column]` is not empty, its classes are printed as
        ranges: with (first, last) one from label a to label b costs last[b] - first[a], if that is less.
        Where no cut passes and `bucket_of` has the bucket of each tuple, through buckets: both halves get
        half of each.
        """
    def cheapest(
        self,
        requirement: Requirement,
        costs: Sequence[Sequence[Sequence[int]]],
        suppressible: int = 0,
        most_hashes: int = ...,
        most_cost: int = ...,
        threads: int = 1,
        effort: int = 0,
    ) -> CheapestClasses:
        """Take the labels first that cost a row the least, with all tuples that they cover.

        The rest goes to Mondrian once `most_hashes` tuples were hashed. Then classes are changed until none
        of the changes of cpp/include/shoal/refine_classes.hpp makes a cell finer, or with `effort` all cells
        together cheaper. There are no classes, and `cost` is more, once it is foreseen that all together cost
        more than `most_cost`.
        """
    def aggregate(
        self,
        requirement: Requirement,
        coordinates: Sequence[NDArray[np.float64]],
        most_tuples: int = ...,
        threads: int = 1,
    ) -> TupleClasses:
        """Put tuples that are near each other into classes, by MDAV: cpp/include/shoal/microaggregation.hpp.

        `coordinates` has an array for each dimension of space, with an entry for each tuple. Where there are
        more than `most_tuples`, they are cut into parts of fewer first.
        """
    def passing(self, requirement: Requirement, class_of: NDArray[np.uint32], classes: int) -> list[bool]:
        """Return which classes of tuples pass what is asked of single classes."""

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
    def sizes(self) -> ClassCounts: ...

class CountedClasses:
    @property
    def tally(self) -> BitmapTally: ...
    @property
    def classes(self) -> ClassBitmaps: ...

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
    ) -> CountedClasses: ...
    def generalize(
        self, source: ClassBitmaps, levels: Sequence[int], k: int, limit: int, pruning: bool = True
    ) -> CountedClasses: ...

def bitmap_intersect(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def bitmap_subtract(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def bitmap_unite(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
def bitmap_intersect_and_count(
    a: NDArray[np.uint64], b: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], int]: ...
def bitmap_count_common(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> int: ...
def index_rows(codes: Sequence[NDArray[np.uint32]], cardinalities: Sequence[int]) -> RowIndex: ...
def instruction_sets() -> list[str]: ...
def use_instruction_set(name: str) -> None: ...
