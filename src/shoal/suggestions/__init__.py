"""What a table's columns probably are: profiles, roles with reasons, hierarchies, a spec to begin with."""
