"""`gamut view`: runs to walk through in a browser, question by question and verdict by verdict."""
