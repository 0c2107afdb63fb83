"""What a release must satisfy, one model per file."""
