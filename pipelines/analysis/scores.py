"""From ratings to scores: the panel's mean for each card, NULL unless every judge of that game's panel is there."""

from dataclasses import dataclass

import pandas as pd

from pipelines.analysis.order import GAME

WARN_ABOVE = 0.02
SCORED = ("game", "fork", "pool")
JUDGED = (*SCORED, "judging")


def panel_of(units: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """Who should rate each game of one run: every judge in its units or ratings. Columns game, judge."""
    readers = units.loc[units["kind"] == "judging", "reader"]
    judges = pd.concat([readers, ratings["judge"]]).dropna().drop_duplicates().sort_values()
    games = pd.concat([units.loc[units["kind"].isin(JUDGED), "game"], ratings["game"]]).dropna().drop_duplicates()
    return pd.DataFrame({"game": games}).merge(pd.DataFrame({"judge": judges}), how="cross")


def cards_to_score(units: pd.DataFrame, cards: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """One row per card that a panel should rate: those of finished games of any kind, and any that was rated.

    Columns game, paper, model, condition, replicate, t, questions (T), kind (game, fork, pool).
    """
    finished = units.loc[units["kind"].isin(SCORED) & (units["status"] == "ok"), "game"]
    own = cards.rename(columns={"unit": "game"})
    known = pd.concat([own.loc[own["game"].isin(finished), [*GAME, "t"]], ratings[[*GAME, "t"]]])
    length = units.dropna(subset=["questions"]).drop_duplicates("game")[["game", "questions"]]
    found = known.drop_duplicates(["game", "t"]).merge(length, on="game").reset_index(drop=True)
    kinds = {game: str(game).split("/")[0] for game in found["game"].unique()}
    return found.assign(kind=pd.Series(found["game"].map(kinds), index=found.index, dtype="str"))


def grades(cards: pd.DataFrame, ratings: pd.DataFrame, panel: pd.DataFrame) -> pd.DataFrame:
    """One row per card and judge that should rate it; ``score`` is NULL where there is none."""
    wanted = cards.merge(panel, on="game", how="inner")
    return wanted.merge(ratings[["game", "t", "judge", "score"]], on=["game", "t", "judge"], how="left")


def panel_scores(cards: pd.DataFrame, graded: pd.DataFrame) -> pd.DataFrame:
    """``cards`` with the panel's mean ``score`` (1-10) and ``judges``, the number of judges that make it up."""
    by_card = graded.groupby(["game", "t"], observed=True, sort=False)["score"]
    mean = pd.DataFrame({"score": by_card.mean(skipna=False), "judges": by_card.size()}).reset_index()
    joined = cards.merge(mean, on=["game", "t"], how="left")
    return joined.assign(score=joined["score"].astype("float64"), judges=joined["judges"].fillna(0).astype("int64"))


@dataclass(frozen=True)
class LeftOut:
    """How many cards have no score, of how many; the analyses leave them out by (game, t)."""

    cards: int
    of: int

    @property
    def share(self) -> float:
        """0 where there is no card."""
        return self.cards / self.of if self.of else 0.0

    @property
    def too_many(self) -> bool:
        """Above the 2% from which a reader is warned."""
        return self.share > WARN_ABOVE

    def __str__(self) -> str:
        return f"left out for want of a rating: {self.cards:,} of {self.of:,} cards ({self.share:.1%})"


def left_out(scores: pd.DataFrame) -> LeftOut:
    """Cards that no analysis can use."""
    return LeftOut(int(scores["score"].isna().sum()), len(scores))
