"""A value or nothing."""

from pathlib import Path

import pyarrow as pa
import pytest

from shoal.describe.hierarchies.suppress import Suppress, suppress
from shoal.errors import InputError


def test_two_levels():
    levels = suppress().levels(pa.array([1, 2, 3]))
    assert [labels.to_pylist() for labels in levels.labels] == [[1, 2, 3], ["*", "*", "*"]]
    assert [leaves.tolist() for leaves in levels.leaves] == [[1, 1, 1], [3, 3, 3]]


def test_no_argument():
    assert Suppress.from_text("") == suppress()
    with pytest.raises(InputError, match="suppress takes no argument"):
        Suppress.from_spec(5, Path())
    with pytest.raises(InputError, match="suppress takes no argument"):
        Suppress.from_text("5")
