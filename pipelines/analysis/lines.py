"""Whether the line that was inserted into a survey is asked about more than the lines beside it (the paper's Table 8).

A question asks about the line that all of its annotators name, at least two; where they differ it asks about none and
is counted as disputed. Neighbours are the lines within two positions in the flat order of the survey, whatever
dimension they belong to: four, fewer at either end. A game with a question that some annotator did not validly read is
left out of each window that the question lies in, and counted.
"""

import pandas as pd

from pipelines.analysis.annotators import agreed
from pipelines.analysis.contrast import contrast
from pipelines.analysis.intervals import mean_interval
from pipelines.analysis.order import GAME, GROUP, arrange
from pipelines.analysis.paired import pair_up

REACH = 2
EARLY = 10
WINDOWS = ("all", "first ten")
BY = ["window", *GROUP]
DESCRIPTIVE = "descriptive, no test"
LINE_GAMES = [
    *(*GAME, "questions", "window", "own", "neighbours", "difference", "beside", "of"),
    *("unread", "disputed"),
]


def line_games(lines: pd.DataFrame) -> pd.DataFrame:
    """Two rows per game whose lines were read, one a ``window`` (all its questions, the first ten).

    Columns own (1 where the inserted line was asked about, else 0), neighbours (share of those beside it), difference
    (own less neighbours), beside (how many there are), of (lines of the survey), unread and disputed (questions). The
    three are NULL where the window was not wholly read, or no line stands beside.
    """
    marks = agreed(lines, ["game", "t"], ["line"])
    facts = lines.drop_duplicates("game")[[*GAME, "inserted", "of"]]
    length = marks.groupby("game", sort=False)["t"].max().rename("questions")
    games = facts.merge(length, on="game")
    parts = [
        _window(games, marks, "all"),
        _window(games, marks.loc[marks["t"] <= EARLY], "first ten"),
    ]
    return arrange(pd.concat(parts, ignore_index=True)[LINE_GAMES])


def _window(games: pd.DataFrame, marks: pd.DataFrame, window: str) -> pd.DataFrame:
    """``line_games`` of the questions ``marks``."""
    asked = marks.loc[marks["line"] > 0, ["game", "line"]].drop_duplicates().assign(asked=1.0)
    offsets = pd.DataFrame({"offset": range(-REACH, REACH + 1)})
    beside = games[["game", "inserted", "of"]].merge(offsets, how="cross")
    beside = beside.assign(line=(beside["inserted"] + beside["offset"]).astype("float64"))
    beside = beside.loc[beside["line"].between(1, beside["of"])].merge(asked, on=["game", "line"], how="left")
    beside = beside.assign(asked=beside["asked"].fillna(0.0))
    own = beside.loc[beside["offset"] == 0].set_index("game")["asked"]
    others = beside.loc[beside["offset"] != 0].groupby("game")["asked"]
    counts = marks.assign(unread=marks["line"].isna()).groupby("game")[["unread", "line_disputed"]].sum()
    found = pd.DataFrame({"own": own, "neighbours": others.mean(), "beside": others.size()})
    found = found.join(counts.rename(columns={"line_disputed": "disputed"}))
    usable = (found["unread"] == 0) & (found["beside"] > 0)
    found = found.assign(own=found["own"].where(usable), neighbours=found["neighbours"].where(usable))
    found = found.assign(difference=found["own"] - found["neighbours"], beside=found["beside"].fillna(0))
    return games.merge(found.reset_index(), on="game").assign(window=window)


def line_rates(games: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Table 8: own line, its neighbours and the difference by window, model, condition and T; from ``line_games``.

    Under full the own line names the core, under decoy the decoy. Shares of games, averaged by paper; low, high,
    boot_low, boot_high, p and p_holm are those of the difference (sign-flip permutation over papers, Holm over the
    inquisitors); own_low, ... those of the parts. left_out: games that were not wholly read.
    """
    tested = contrast(games, BY, "difference", "flip", seed).rename(columns={"mean": "difference"})
    for value in ("own", "neighbours"):
        part = mean_interval(games, BY, value, DESCRIPTIVE, seed).rename(columns={"mean": value})
        bounds = {name: f"{value}_{name}" for name in ("low", "high", "boot_low", "boot_high")}
        tested = tested.merge(part.rename(columns=bounds)[[*BY, value, *bounds.values()]], on=BY)
    left_out = games["difference"].isna().groupby([games[name] for name in BY], observed=True).sum()
    return arrange(tested.merge(left_out.rename("left_out").reset_index(), on=BY))


def naming(games: pd.DataFrame, seed: int) -> pd.DataFrame:
    """What naming the core adds: the difference under full less that under decoy, by window, model and T.

    Both surveys have the same line in the same place, one naming the core, one the decoy; so what makes the line
    likely in itself falls out. Paired by paper; sign-flip permutation, Holm over the inquisitors.
    """
    by = ["window", "model", "questions"]
    full, decoy = (games.loc[games["condition"] == name] for name in ("full", "decoy"))
    return arrange(contrast(pair_up(full, decoy, by, "difference"), by, "difference", "flip", seed))
