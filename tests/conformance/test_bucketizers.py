"""Every registered bucketizer keeps what it promises, with each of its examples of parameters."""

from __future__ import annotations

import pytest

from shoal import registry
from shoal.testing import check_bucketizer


@pytest.mark.parametrize("name", registry.names("bucketizers"))
def test_bucketizers(name: str) -> None:
    kind = registry.resolve("bucketizers", name)
    assert kind.name == name
    for example in kind.examples:
        bucketizer = kind.from_spec(example)
        assert bucketizer.to_spec() == (name if example is None else {name: example})
        check_bucketizer(bucketizer)
