"""The inputs of the kernel beside the rows: attributes, units and populations that are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal import _kernel
from shoal.encode.table import CodedTable
from shoal.privacy.classes import Classes
from shoal.privacy.condition import Condition
from shoal.privacy.model import PrivacyModel

UIntArray = NDArray[np.uint32]
Counted: TypeAlias = tuple[Literal["attribute", "units", "population", "target"], str, int]
"""What is counted, its name, and the level of an attribute's hierarchy."""

_NO_VALUE = np.uint32(0xFFFFFFFF)
_UNITS: Counted = ("units", "", 0)


@dataclass(frozen=True)
class KernelInputs:
    """The columns that models and a measure count, in the order in which the kernel counts them.

    The kernel's rows are the entries of the table, and then the rows of the populations, which count 0.
    """

    table: CodedTable
    models: tuple[PrivacyModel, ...]
    target: str = ""

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        return tuple(condition for model in self.models for condition in model.conditions(self.table))

    @cached_property
    def counted(self) -> list[Counted]:
        """Return everything that is counted, each once."""
        found: list[Counted] = [_counted(condition) for condition in self.conditions]
        if self.table.units is not None and (found or self.average_risk < np.inf):
            found.append(_UNITS)
        if self.target:
            found.append(self._target)
        return list(dict.fromkeys(found))

    @property
    def average_risk(self) -> float:
        return min((model.average_risk for model in self.models), default=np.inf)

    @property
    def _target(self) -> Counted:
        # A measure counts rows also where models count units.
        return ("attribute" if self.table.units is None else "target", self.target, 0)

    @property
    def target_index(self) -> int:
        return self.counted.index(self._target) if self.target else 0

    def requirement(self, k: int, limit: int, *, rows_only: bool = False) -> _kernel.Requirement:
        """Return the models as the kernel takes them.

        With `rows_only` nothing is asked of classes that only a population has.
        """
        counted = self.counted
        return _kernel.Requirement(
            k=k,
            limit=limit,
            conditions=[
                self._condition(condition, counted.index(_counted(condition)))
                for condition in self.conditions
            ],
            average_risk=self.average_risk,
            units=counted.index(_UNITS) if _UNITS in counted else None,
            judges_empty=not rows_only and not all(model.suppressible for model in self.models),
        )

    @property
    def weights(self) -> NDArray[np.uint64] | None:
        """What each of the kernel's rows counts; None where all count 1."""
        others = sum(population.rows for population in self.table.populations.values())
        if not others:
            return self.table.weights
        own = self.table.weights
        if own is None:
            own = np.ones(self.table.entries, dtype=np.uint64)
        return np.concatenate([own, np.zeros(others, dtype=np.uint64)])

    def rows(self, position: int) -> UIntArray:
        """Return the codes of a quasi-identifier for the kernel's rows."""
        codes = self.table.columns[position].codes
        if not self.table.populations:
            return codes
        return np.concatenate(
            [codes, *(population.codes[position] for population in self.table.populations.values())]
        )

    def attributes(self) -> list[_kernel.Attribute]:
        """Return what is counted of the kernel's rows."""
        return [self._attribute(*counted) for counted in self.counted]

    def _attribute(self, source: str, name: str, level: int) -> _kernel.Attribute:
        table = self.table
        if source == "population":
            own = [(key == name, population.rows) for key, population in table.populations.items()]
            mine = np.repeat(
                [False, *(is_own for is_own, _ in own)], [table.entries, *(rows for _, rows in own)]
            )
            return _kernel.Attribute(
                np.where(mine, np.uint32(0), _NO_VALUE), entries=1, values=1, weights=mine.astype(np.uint64)
            )
        if source == "units":
            assert table.units is not None
            units = int(table.units.max(initial=0)) + 1
            return _kernel.Attribute(self._padded(table.units), entries=units, values=units, once=True)
        codes, values = table.attributes[name].labelled(level)
        if source == "target" or table.units is None:
            return _kernel.Attribute(self._padded(codes), entries=values, values=values)
        # Pairs of a value and a unit: in a class, each counts once.
        units = int(table.units.max(initial=0)) + 1
        pairs, entries = np.unique(codes.astype(np.int64) * units + table.units, return_inverse=True)
        return _kernel.Attribute(
            self._padded(entries.reshape(-1).astype(np.uint32)),
            entries=len(pairs),
            values=values,
            once=True,
            value_of=(pairs // units).astype(np.uint32),
        )

    def _padded(self, codes: UIntArray) -> UIntArray:
        others = sum(population.rows for population in self.table.populations.values())
        return np.concatenate([codes, np.full(others, _NO_VALUE)]) if others else codes

    def _condition(self, condition: Condition, position: int) -> _kernel.Condition:
        totals: Sequence[int] = condition.totals.tolist()
        people = sum(totals)
        if condition.kind in ("equal", "ordered", "tree") and not totals:
            whole = Classes(self.table, np.zeros(self.table.entries, dtype=np.int64), 1)
            totals = whole.totals(condition.name, condition.level).tolist()
            people = int(whole.people[0])
        # No more is ever counted than there are rows, here or in a population.
        least = min(condition.least, 1 << 62)
        if condition.kind == "shares":
            least = int(np.count_nonzero(condition.lower > 0))
        return _kernel.Condition(
            kind=condition.kind,
            attribute=position,
            absorbing=condition.absorbing,
            least=least,
            bound=condition.bound,
            lower=condition.lower.tolist(),
            upper=condition.upper.tolist(),
            totals=totals,
            people=people,
            order=np.argsort(condition.order).tolist(),
            tree=_steps(condition.tree),
        )


def _counted(condition: Condition) -> Counted:
    return condition.source, condition.name, condition.level


def _steps(tree: tuple[UIntArray, ...]) -> list[list[int]]:
    """Turn labels of values at each level into labels of the labels one level below."""
    steps = []
    below: UIntArray | None = None
    for labels in tree:
        if below is None:
            steps.append(labels.tolist())
        else:
            step = np.zeros(int(below.max(initial=0)) + 1, dtype=np.uint32)
            step[below] = labels
            steps.append(step.tolist())
        below = labels
    return steps
