"""Solver branches: an assignment in, an attempt out, on whatever node has room."""
