"""Tasks: their folders, images and catalogues of techniques."""
