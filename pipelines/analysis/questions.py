"""What was asked, counted: how the answers fall, and how many questions break a rule."""

import pandas as pd

from actors.dialogue import Answer, Flag
from pipelines.analysis.order import arrange

ANSWERS = tuple(str(answer) for answer in Answer)
FLAGS = tuple(str(flag) for flag in Flag)


def question_counts(turns: pd.DataFrame) -> pd.DataFrame:
    """By model and condition: ``asked``, shares of each answer and of each flag, ``samples`` per question."""
    keys = ["model", "condition"]
    marks = turns[[*keys, *FLAGS, "samples"]].assign(**{name: turns["answer"] == name for name in ANSWERS})
    grouped = marks.groupby(keys, observed=True)
    shares = grouped[[*ANSWERS, *FLAGS, "samples"]].mean()
    found = grouped.size().to_frame("asked").join(shares).reset_index()
    return arrange(found.astype({"model": "str", "condition": "str"}))
