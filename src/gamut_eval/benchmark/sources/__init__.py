"""Outside data sets, one a file; see `gamut_eval.benchmark.importing.source`."""
