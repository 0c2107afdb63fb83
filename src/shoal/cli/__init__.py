"""The command line: one file per command. Commands parse, call and render; the work is done elsewhere."""
