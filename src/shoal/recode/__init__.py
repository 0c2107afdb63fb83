"""Step 5: apply the choice to the rows, one way of recoding per file."""
