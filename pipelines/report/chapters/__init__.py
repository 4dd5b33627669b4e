"""The page's chapters: one file an experiment, what it asks, its tables and its figures."""
