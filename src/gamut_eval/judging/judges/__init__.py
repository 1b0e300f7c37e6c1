"""One file a judge; the file's name is the judge's."""
