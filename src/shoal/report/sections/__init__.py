"""The sections of a report, one per file: from figures to what its template writes."""
