"""Step 5: recodings (the label of every cell), released classes, suppression, and the order of rows."""
