"""The numbers: one idea a file, DataFrames in, DataFrames out, from the run's tables alone."""
