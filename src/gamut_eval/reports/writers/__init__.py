"""Tables as files: CSV, Markdown, LaTeX, HTML for a notebook; a file a format. The terminal's is beside this folder."""
