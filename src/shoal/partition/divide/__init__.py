"""How rows are put into classes that keep the mix of buckets: one way per file."""
