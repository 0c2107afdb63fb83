"""Step 3: values become codes, hierarchies become level maps."""
