"""Choosing a recoding that is a function of single values: the values of each column are put into blocks."""
