"""Pages in a browser, served from this machine to this machine."""
