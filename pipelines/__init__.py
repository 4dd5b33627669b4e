"""Drivers: expand a config into units, fan them out, gather Parquet, analyse, report."""
