"""How much a release keeps. Quality measures are also what a search minimises."""
