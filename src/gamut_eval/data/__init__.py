"""The bundled benchmark and the starter that `gamut init` writes."""
