"""How values generalize: one builder of hierarchies per file."""
