"""Classes without a lattice: sensitive values in buckets, and classes that take their share of each."""
