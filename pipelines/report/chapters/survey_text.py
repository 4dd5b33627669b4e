"""One survey under its conditions, line by line (Figure 4), from the files that the runs' settings lead to."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from actors.errors import BadInput
from actors.survey import Condition, Survey, read_survey
from pipelines.report.load import settings_of

LINES = ["paper", "line", "under", "mark", "text"]
WRITTEN = (Condition.DUMMY, Condition.DECOY, Condition.FULL)
MAX_LINES, MAX_TEXT = 200, 600


def survey_lines(dirs: Sequence[Path], papers: pd.Series) -> pd.DataFrame:
    """Rows of the first of ``papers`` by name that has a readable survey; none where there is none.

    Columns paper, line (from 1, blank ones not counted), under (the conditions that have this text), mark (where the
    versions differ), text, cut to ``MAX_TEXT`` characters. At most ``MAX_LINES`` rows.
    """
    survey = first_survey(dirs, sorted(papers.dropna().unique()))
    if survey is None:
        return pd.DataFrame(columns=LINES)
    rows = []
    versions = [[line for line in survey.versions[name].flat if line.strip()] for name in WRITTEN]
    for number, texts in enumerate(zip(*versions, strict=False), 1):
        for text in dict.fromkeys(texts):
            under = ", ".join(name for name, own in zip(WRITTEN, texts, strict=True) if own == text)
            rows.append((survey.paper, number, under, "◆" if len(set(texts)) > 1 else "", text[:MAX_TEXT]))
    return pd.DataFrame(rows[:MAX_LINES], columns=LINES)


def first_survey(dirs: Sequence[Path], papers: Sequence[str]) -> Survey | None:
    """The first that can be read, of the folders that the settings name; a report does without if none can."""
    folders = list(dict.fromkeys(one.surveys_folder for one in settings_of(dirs)[0]))
    for paper in papers:
        for folder in folders:
            path = folder / f"{paper}.json"
            if path.parent != folder or not path.is_file():
                continue
            try:
                return read_survey(path)
            except BadInput:
                continue
    return None
