"""Engines that take SQL: one implementation, written with Ibis, for DuckDB, PostgreSQL and Spark."""
