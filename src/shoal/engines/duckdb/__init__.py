"""The engine for files and DuckDB's own databases: out of core, within a limit of memory."""
