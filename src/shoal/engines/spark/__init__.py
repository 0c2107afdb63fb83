"""Spark: data frames, tables and folders of files, counted and recoded on a cluster.

Nothing of Shoal runs on the executors: they get SQL alone, without functions in Python.
"""
