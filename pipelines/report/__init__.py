"""The page, figures and tables that one or more runs come to, made from their Parquet tables alone."""
