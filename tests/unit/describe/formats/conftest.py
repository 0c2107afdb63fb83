"""What the tests of formats share."""

import pyarrow as pa
import pytest

from shoal.describe import formats
from shoal.errors import InputError


@pytest.fixture
def write(tmp_path):
    """Write a file and return its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def labels():
    """Read a file and return the labels of values, by level."""

    def labels(path, values, **options):
        found = formats.read_file(path, **options).levels(pa.array(values))
        return [level.to_pylist() for level in found.labels]

    return labels


@pytest.fixture
def refusal():
    """Read a file that is refused and return the message."""

    def refusal(path, **options):
        with pytest.raises(InputError) as caught:
            formats.read_file(path, **options)
        return str(caught.value)

    return refusal
