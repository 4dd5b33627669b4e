"""Search policies: what to try next, and what to learn from it."""
