"""Solutions as sets of small files: read from folders and tars, refused where they are more than that, compared."""
