"""Step 4: find the best node of the generalization lattice, one algorithm per file."""
