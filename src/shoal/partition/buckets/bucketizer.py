"""What every bucketizer offers: buckets of the sensitive values, from their counts, groups and order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from shoal.partition.buckets.buckets import Buckets
from shoal.partition.sensitive_values import SensitiveValues
from shoal.settings import NamedSettings


class BucketizerDefaults(NamedSettings):
    """What most bucketizers have in common, for dataclasses whose fields are the settings."""

    __slots__ = ()

    def require(self, values: SensitiveValues, column: str) -> None:
        """Serve all values."""


@runtime_checkable
class Bucketizer(Protocol):
    """A way to make buckets; implementations are frozen dataclasses whose fields are its parameters.

    Attributes
    ----------
    name, summary
        Its name in the registry, and what it does, in one line.
    parameters
        What each parameter means.
    examples
        What may stand after its name in a spec; None is nothing.
    """

    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, str]: ...
    @property
    def examples(self) -> tuple[object, ...]: ...

    def to_spec(self) -> object:
        """Return it as it is written in a spec."""
        ...

    def require(self, values: SensitiveValues, column: str) -> None:
        """Raise what keeps it from making buckets of the values of a column.

        Raises
        ------
        InputError
            With everything that it lacks, and what to do.
        """
        ...

    def buckets(self, values: SensitiveValues) -> Buckets:
        """Return the buckets: every value that rows have in one of them."""
        ...
