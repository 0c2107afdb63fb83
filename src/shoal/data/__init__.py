"""Built-in samples, the shapes of published data sets, and these data sets themselves if available."""

from shoal.data.benchmark import Benchmark, benchmark_names, find_benchmark, load_benchmark
from shoal.data.files import Sample
from shoal.data.sample import sample_names, write_sample
from shoal.data.shapes import shape, shape_names, write_shape

__all__ = [
    "Benchmark",
    "Sample",
    "benchmark_names",
    "find_benchmark",
    "load_benchmark",
    "sample_names",
    "shape",
    "shape_names",
    "write_sample",
    "write_shape",
]
