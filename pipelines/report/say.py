"""A report in a few lines for a terminal."""

from rich.console import Console

from pipelines.report.make import ReportResult


def say_report(made: ReportResult, screen: Console) -> None:
    """The numbers, what to beware of, where it lies."""
    screen.print(made.summary)
    for warning in made.warnings:
        screen.print(f"beware: {warning}")
    screen.print(f"page: {made.page}")
