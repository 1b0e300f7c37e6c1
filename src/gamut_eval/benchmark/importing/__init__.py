"""What the outside data sets in `gamut_eval.benchmark.sources` share: reading tables, finding columns, writing."""
