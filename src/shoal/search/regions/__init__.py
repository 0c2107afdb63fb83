"""Searching a table whose tuples do not all fit into memory: parts of the lattice, one after the other."""

from shoal.search.regions.plan import Plan as Plan
from shoal.search.regions.plan import Step as Step
from shoal.search.regions.search import Counted as Counted
from shoal.search.regions.search import explain as explain
from shoal.search.regions.search import search_counted as search_counted
