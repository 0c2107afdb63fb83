"""Step 1: tables from files and data frames.

A `Source` knows its columns when it is opened and reads only the requested ones. Two values are equal when
their Arrow values are; nothing is trimmed, folded or read as a number by accident.
"""

from shoal.read.source import InputFormat, Source, open_source

__all__ = ["InputFormat", "Source", "open_source"]
