"""Rows that come in batches: they wait, are judged against a declared distribution, and are released once."""
