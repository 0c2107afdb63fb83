"""A strategy chooses a recoding: the lattice search is one, and others come by entry points."""
