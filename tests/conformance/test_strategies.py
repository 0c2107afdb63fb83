"""Every registered strategy keeps what it promises, and so do its recodings."""

from __future__ import annotations

import pytest

from shoal import registry
from shoal.encode.table import CodedTable
from shoal.recode.full_domain import FullDomain
from shoal.testing import check_recoding, check_strategy


@pytest.mark.parametrize("name", registry.names("strategies"))
def test_strategies(name: str) -> None:
    strategy = registry.resolve("strategies", name)()
    assert strategy.name == name
    check_strategy(strategy, examples=15)


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.names("strategies"))
def test_strategies_at_length(name: str) -> None:
    check_strategy(registry.resolve("strategies", name)(), examples=150)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_full_domain(share: float) -> None:
    def middle(table: CodedTable) -> FullDomain:
        return FullDomain({column.name: int(share * column.height) for column in table.columns})

    check_recoding(middle)
