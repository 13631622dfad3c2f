"""What is timed, against what: every figure is a ratio of two ways in the same run."""
