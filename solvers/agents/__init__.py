"""Solvers: who writes the code of a branch."""
