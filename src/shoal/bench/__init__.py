"""Comparisons of the search algorithms with each other and with what is published about them."""
