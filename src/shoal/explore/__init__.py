"""After the search: all satisfying nodes, the neighbours of one, a drawing of the lattice."""
