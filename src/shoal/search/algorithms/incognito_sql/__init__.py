"""Incognito as its paper has it, in a database: a star schema, and nodes and edges as relations."""

from shoal.search.algorithms.incognito_sql.search import IncognitoSql

__all__ = ["IncognitoSql"]
