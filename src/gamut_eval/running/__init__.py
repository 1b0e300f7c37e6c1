"""A run: what is to be asked, the journal of what was answered, and the engine between them."""
