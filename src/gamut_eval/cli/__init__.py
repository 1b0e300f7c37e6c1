"""The command line: only glue between options and the package."""
