"""Level 1, the meta-rubric that people write, and level 2, the checks that judges grade."""
