"""Pages in a browser, served to this computer alone."""
