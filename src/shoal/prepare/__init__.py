"""The spec meets the table: columns are checked and read, hierarchies made from data."""
