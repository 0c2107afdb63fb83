"""Built-in samples, and generators with the shapes of published data sets."""

from shoal.data.files import Sample
from shoal.data.sample import sample_names, write_sample
from shoal.data.shapes import shape, shape_names

__all__ = ["Sample", "sample_names", "shape", "shape_names", "write_sample"]
