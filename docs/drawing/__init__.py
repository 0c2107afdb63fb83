"""The drawings of docs/algorithms.md; docs/draw.py makes them."""
