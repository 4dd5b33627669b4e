"""Who asks better, one model or several (the paper's Table 2), and whose questions are picked (Figure 5).

A pooled game's score is that of its last card, after T_pool questions; a solo game's that of its card at the same t,
without a survey, whatever its own length. This does not guard against solo inquisitors that are told how many
questions are left, and so play a longer game otherwise.
"""

from itertools import combinations

import pandas as pd

from pipelines.analysis.intervals import mean_interval
from pipelines.analysis.order import arrange
from pipelines.analysis.paired import pair_up, paired
from pipelines.analysis.shares import share_interval

SELECTIONS = ("model", "random", "best_of")
DESCRIPTIVE = "descriptive, no test"
BY = ["selection", "model", "questions"]
PICKS = [*BY, "proposer"]
SHARES = [
    *(*PICKS, "share", "boot_low", "boot_high", "picked", "n", "proposed", "of", "n_papers", "n_games", "left_out"),
    *("method", "family", "seed"),
]


def pool_games(units: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """One row per finished pooled game: game, paper, model, replicate, questions, selection and its final ``score``."""
    own = units.loc[(units["kind"] == "pool") & (units["status"] == "ok")]
    last = scores.loc[scores["t"] == scores["questions"], ["game", "score"]]
    return own[["game", "paper", "replicate", *BY]].astype({"questions": "int64"}).merge(last, on="game", how="left")


def solo_games(scores: pd.DataFrame, games: pd.DataFrame) -> pd.DataFrame:
    """The solo cards that ``games`` (``pool_games``) are compared with: same model and papers, t = T_pool, no survey.

    One row per solo game and kind of selection; ``questions`` is T_pool.
    """
    plain = scores.loc[(scores["kind"] == "game") & (scores["condition"] == "none")]
    pooled = games[[*BY, "paper"]].drop_duplicates()
    return plain[["game", "paper", "model", "t", "score"]].merge(
        pooled, left_on=["model", "t", "paper"], right_on=["model", "questions", "paper"]
    )


def pool_scores(units: pd.DataFrame, scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Table 2's scores at T_pool, by selection, model and T_pool: the mean over papers.

    ``model``: the selector; of random its card writer. unrated: finished games without a final score, left out.
    """
    games = pool_games(units, scores)
    lost = games["score"].isna().groupby([games[name] for name in BY], observed=True).sum().rename("unrated")
    return ordered(mean_interval(games, BY, "score", DESCRIPTIVE, seed).merge(lost.reset_index(), on=BY, how="left"))


def pool_gains(units: pd.DataFrame, scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Table 2's gains over solo at the same t, by selection, model and T_pool, paired by paper.

    first: the pooled score, second: that model's solo score, on the papers that have both. Holm over the selectors;
    random (against its card writer alone) and best_of (against that model alone) are one test each. Others as
    ``paired``. The paper: GPT-OSS +1.04 [.74, 1.34], DeepSeek +1.07 [.79, 1.36], GPT-5.4 -.59 [-.90, -.28];
    random 4.43, not significant; best-of-4 4.57 against 4.16.
    """
    games = pool_games(units, scores)
    pairs = pair_up(games, solo_games(scores, games), BY)
    return ordered(paired(pairs, BY, seed, "selectors", within=["selection", "questions"]))


def selector_differences(units: pd.DataFrame, scores: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Each two selectors against each other, paired by paper, Holm over all pairs of one T_pool.

    Columns model and other (first less second), then ``paired``'s. The paper: six pairs, none significant.
    """
    games = pool_games(units, scores)
    own = games.loc[games["selection"] == "model"]
    by = ["model", "other", "questions"]
    none = own.iloc[:0].assign(other="")
    parts = []
    for model, other in combinations(sorted(own["model"].unique()), 2):
        sides = [own.loc[own["model"] == name].assign(model=model, other=other) for name in (model, other)]
        parts.append(pair_up(sides[0], sides[1], by))
    pairs = pd.concat(parts or [pair_up(none, none, by)], ignore_index=True)
    return paired(pairs, by, seed, "pairs of selectors", within=["questions"]).reset_index(drop=True)


def accounted(picks: pd.DataFrame) -> pd.DataFrame:
    """``picks`` with ``whole``: its turn has the positions 1 to M once each, a proposer for each, and one choice."""
    turns = picks.groupby(["unit", "t"], sort=False, observed=True)
    position, size = turns["position"], turns["position"].transform("size")
    once = position.transform("nunique") == size
    ends = (position.transform("min") == 1) & (position.transform("max") == size)
    named = turns["proposer"].transform("count") == size
    return picks.assign(whole=once & ends & named & (turns["chosen"].transform("sum") == 1))


def pick_shares(units: pd.DataFrame, picks: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Figure 5: which proposers' questions each selector picks, by selection, model, T_pool and proposer.

    share: picked of n (picks of that selector), so a selector's rows sum to 1; its interval over papers. proposed of
    ``of``: how many of all proposals were this proposer's, each counted once, which is what a blind pick would give.
    left_out: turns whose account does not add up (``accounted``). Finished games alone.
    """
    own = units.loc[(units["kind"] == "pool") & (units["status"] == "ok"), ["unit", "selection", "questions"]]
    rows = accounted(picks).merge(own.astype({"questions": "int64"}), on="unit")
    rows = rows.astype({"model": "str", "proposer": "str"})
    whole = rows.loc[rows["whole"]]
    counts = whole.groupby(PICKS)["t"].size().rename("proposed").reset_index()
    chosen = whole.loc[whole["chosen"].astype("bool"), ["unit", "paper", *PICKS]].rename(columns={"proposer": "taken"})
    grid = chosen.merge(counts[PICKS], on=BY)
    grid = grid.assign(taken=(grid["taken"] == grid["proposer"]).astype("float64"))
    found = share_interval(grid, PICKS, "taken", seed).rename(columns={"count": "picked"}).merge(counts, on=PICKS)
    games = whole.groupby(BY)["unit"].nunique().rename("n_games")
    lost = rows.loc[~rows["whole"]].drop_duplicates(["unit", "t"]).groupby(BY).size().rename("left_out")
    found = found.merge(games.reset_index(), on=BY).merge(lost.reset_index(), on=BY, how="left")
    found = found.assign(of=found.groupby(BY)["proposed"].transform("sum"), left_out=found["left_out"].fillna(0))
    return ordered(found.astype({"left_out": "int64"})[SHARES])


def ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """Selectors first, then the random pick, then best-of."""
    rank = frame["selection"].map({name: place for place, name in enumerate(SELECTIONS)})
    ranked = arrange(frame.assign(_place=rank)).sort_values("_place", kind="stable")
    return ranked.drop(columns="_place").reset_index(drop=True)
