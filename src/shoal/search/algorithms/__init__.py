"""The search algorithms, one per file."""
