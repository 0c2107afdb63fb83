"""Buckets of sensitive values that classes take in proportion, one bucketizer per file."""
