"""A job for spark-submit: anonymize a table and write the release as a folder of Parquet files.

    spark-submit examples/spark_job.py INPUT SPEC OUTPUT

The session is the one that spark-submit is told about: local, or on a cluster.
"""

import sys

import shoal

source, spec, output = sys.argv[1:]
release = shoal.anonymize(source, spec, engine="spark", output=output)
print(f"{release.rows:,} rows in, {release.suppressed_rows:,} suppressed, levels {release.levels}")
