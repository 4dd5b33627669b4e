"""A manager that plays AIM's operators by rule: no model, and the same game for the same seed."""
