"""One report that several tests look at."""

from pathlib import Path

import pytest
from made_tables import study

from pipelines.report.make import ReportResult, make_report


@pytest.fixture(scope="session")
def study_report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ReportResult]:
    """The run folder of `study` and its report, which no test may change."""
    run = study().write(tmp_path_factory.mktemp("study") / "game-00")
    return run, make_report([run])
