"""One file a section of the report."""
