"""The parts of best-first: what it explores, how it improves and proves, and its budget."""
