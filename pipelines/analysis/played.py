"""What happened to the games: how many ended well, why the others did not, what the models may have known."""

import pandas as pd

from pipelines.analysis.order import arrange


def games_by_status(units: pd.DataFrame) -> pd.DataFrame:
    """Games by model, condition, T, status and error_kind (NULL unless status is error)."""
    return _count(
        units.loc[units["kind"] == "game"], ["model", "condition", "questions", "status", "error_kind"], "games"
    )


def judgings_by_status(units: pd.DataFrame) -> pd.DataFrame:
    """Judged games by judge, status and error_kind."""
    judgings = units.loc[units["kind"] == "judging"].rename(columns={"reader": "judge"})
    return _count(judgings, ["judge", "status", "error_kind"], "games")


def contamination(units: pd.DataFrame) -> pd.DataFrame:
    """Games and papers by model and ``contaminated``: true, false, or NULL where the model's cutoff is not known."""
    games = units.loc[units["kind"] == "game"]
    grouped = games.groupby(["model", "contaminated"], observed=True, dropna=False)
    return grouped.agg(games=("game", "nunique"), papers=("paper", "nunique")).reset_index()


def truncation(units: pd.DataFrame) -> pd.DataFrame:
    """Games and papers by what the answerer's context left out of the evidence."""
    games = units.loc[units["kind"] == "game"]
    grouped = games.groupby("truncated", observed=True, dropna=False)
    return grouped.agg(games=("game", "nunique"), papers=("paper", "nunique")).reset_index()


def _count(frame: pd.DataFrame, keys: list[str], name: str) -> pd.DataFrame:
    return arrange(frame.groupby(keys, observed=True, dropna=False).size().reset_index(name=name))
