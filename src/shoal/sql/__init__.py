"""Tables as SQL sees them, and the little that queries need of a database."""
