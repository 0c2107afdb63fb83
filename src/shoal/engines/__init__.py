"""Where a table lives: its values are counted there, and its rows are recoded there.

A full-domain search needs of the rows only the frequency set F0, one GROUP BY. So an engine counts, the
search runs on the counts in memory, and the engine recodes: rows stay where they are.
"""
