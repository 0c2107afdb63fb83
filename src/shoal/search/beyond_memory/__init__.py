"""Searching a table whose tuples do not all fit into memory: parts of the lattice, one after the other."""
