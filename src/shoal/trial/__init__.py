"""What would come out: a spec is tried on a table before anybody releases anything."""
