"""Which columns name a game, and the order in which a reader meets models and conditions."""

import pandas as pd

from actors.survey import Condition

CONDITIONS = tuple(str(condition) for condition in Condition)
GAME = ("game", "paper", "model", "condition", "replicate")
GROUP = ("model", "condition", "questions")


def arrange(frame: pd.DataFrame) -> pd.DataFrame:
    """``frame`` by condition (none, dummy, decoy, full), then by its other leading columns; the index starts at 0."""
    keys = [name for name in ("condition", "questions", "model", "stage_end", "judge", "t") if name in frame]
    if not keys:
        return frame.reset_index(drop=True)
    rank = {condition: place for place, condition in enumerate(CONDITIONS)}
    ranked = frame.assign(_rank=frame["condition"].map(rank).astype("float64")) if "condition" in frame else frame
    by = ["_rank", *keys] if "condition" in frame else keys
    return ranked.sort_values(by, kind="stable").drop(columns="_rank", errors="ignore").reset_index(drop=True)
