"""How paths tell what they lead to."""

from __future__ import annotations

import re

DATABASES = (".duckdb", ".ddb", ".db")
PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
REMOTE = re.compile(r"(?i)(s3a?|gs|gcs|r2|https?|hf|azure|az|abfss?)://")
WILDCARDS = re.compile(r"[*?\[]")
