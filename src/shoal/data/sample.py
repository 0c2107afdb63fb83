"""The built-in samples by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from shoal.data import census, patients
from shoal.data.files import Sample
from shoal.data.shapes import shape_names, write_shape
from shoal.errors import InputError, nearest

_WRITERS: dict[str, Callable[[int | None, int, Path], Sample]] = {
    "census": census.write,
    "patients": patients.write,
    **{f"{name}-shape": partial(write_shape, name) for name in shape_names()},
}


def sample_names() -> tuple[str, ...]:
    """Return the names of the built-in samples.

    Examples
    --------
    >>> sample_names()[:3]
    ('census', 'patients', 'adult-shape')
    """
    return tuple(_WRITERS)


def write_sample(name: str, rows: int | None = None, seed: int = 0, folder: str | Path = ".") -> Sample:
    """Write a sample table, the hierarchies of its columns and a spec that is ready to run.

    Parameters
    ----------
    name
        One of `sample_names()`.
    rows
        Number of rows. Default: the sample's own number.
    seed
        The same seed gives the same files.
    folder
        Created if missing.

    Returns
    -------
    Sample
        The paths written: `data`, `spec` and `hierarchies`.

    Examples
    --------
    >>> import tempfile
    >>> sample = write_sample("patients", folder=tempfile.mkdtemp())
    >>> print(sample.data.read_text(encoding="utf-8").splitlines()[1])
    1/21/76,Male,53715,Flu
    """
    if name not in _WRITERS:
        raise InputError(
            f"Unknown sample '{name}'.\nSamples: {', '.join(_WRITERS)}.{nearest(name, list(_WRITERS))}"
        )
    return _WRITERS[name](rows, seed, Path(folder))
