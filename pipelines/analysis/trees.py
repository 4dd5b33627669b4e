"""Question trees: what each question follows from, down to the problem, and the shape that gives a game (Figure 8).

The problem is the root, at depth 0; a question that follows from it opens a top-level branch. A parent is valid if it
is 0 or an earlier question of the game. A question with an invalid parent (NULL, itself, a later one, one that the game
lacks) has no place, nor has any question below it: depth and branch are NULL. Those are left out of every measure that
needs a place, and counted as ``unplaced``. So any list of parents gives a result, whoever wrote it.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pipelines.analysis.annotators import numbers
from pipelines.analysis.intervals import mean_interval
from pipelines.analysis.order import GAME, arrange

FEW, MANY, MOST = 5, 10, 0.6
"""Balanced: 5-10 branches, none with over 60% of the questions (the paper's gallery)."""
DROPPED = 3
RUN = 3
PATTERNS = ("over-exploitation", "balanced", "over-exploration")
TREE = ["game", "annotator"]
BY = ["annotator", "model", "questions"]
SHAPES = ["branches", "largest", "dropped", "deepest", "enumerated", *PATTERNS]
DESCRIPTIVE = "descriptive, no test"

Whole = NDArray[np.int64]
Values = NDArray[np.float64]


def default_trees(parents: pd.DataFrame, condition: str = "none", replicate: int = 0) -> pd.DataFrame:
    """The rows of one game per model and paper: as in the paper, the first replicate, played without a survey."""
    return parents.loc[(parents["condition"] == condition) & (parents["replicate"] == replicate)]


def place(tree: Whole, t: Whole, parent: Values) -> tuple[Values, Values]:
    """Depth and top-level branch (the t of the question that opens it) of each question; NaN without a place.

    ``tree`` tells trees apart; ``parent`` may hold NaN. What follows from a question that stands twice follows from its
    first row. All trees are walked at once, each step twice as far up as the one before.
    """
    n = len(t)
    span = int(t.max(initial=0)) + 1
    known = np.isfinite(parent) & (parent >= 0) & (parent < t)
    above = np.where(known, parent, 0).astype(np.int64)
    keys = tree * span + t
    order = np.argsort(keys, kind="stable")
    wanted = tree * span + above
    spot = np.minimum(np.searchsorted(keys[order], wanted), max(n - 1, 0))
    found = order[spot] if n else spot
    opens = known & (above == 0)
    follows = known & (above > 0) & (keys[found] == wanted)
    jump = np.where(follows, found, np.arange(n))
    steps = follows.astype(np.int64)
    while (steps[jump] > 0).any():
        steps, jump = steps + steps[jump], jump[jump]
    placed = opens[jump]
    return np.where(placed, steps + 1.0, np.nan), np.where(placed, t[jump].astype(np.float64), np.nan)


def place_questions(parents: pd.DataFrame, turns: pd.DataFrame) -> pd.DataFrame:
    """One row per question that was read, in order: the game's keys, annotator, t, and what follows.

    Columns answer (from ``turns``), parent (NULL unless 0 or earlier), depth, branch (t of the question that opens it),
    and of the step to question t + 1: child (1 if that one's parent is this one, else 0), leaves (1 if its branch is
    another). Both are NULL where one of the two questions has no place, and after the last question.
    """
    rows = parents.sort_values([*TREE, "t"], kind="stable", ignore_index=True)[[*GAME, "annotator", "t", "parent"]]
    tree = np.asarray(rows.groupby(TREE, sort=False, observed=True).ngroup(), dtype=np.int64)
    t, parent = rows["t"].to_numpy(dtype=np.int64), numbers(rows["parent"])
    depth, branch = place(tree, t, parent)
    n = len(rows)
    child, leaves = np.full(n, np.nan), np.full(n, np.nan)
    both = np.isfinite(branch[:-1]) & np.isfinite(branch[1:]) & (tree[:-1] == tree[1:]) & (t[1:] == t[:-1] + 1)
    child[:-1] = np.where(both, parent[1:] == t[:-1], np.nan)
    leaves[:-1] = np.where(both, branch[1:] != branch[:-1], np.nan)
    valid = np.isfinite(parent) & (parent >= 0) & (parent < t)
    told = rows.assign(parent=np.where(valid, parent, np.nan), depth=depth, branch=branch, child=child, leaves=leaves)
    answers = turns.rename(columns={"unit": "game"})[["game", "t", "answer"]]
    return told.merge(answers, on=["game", "t"], how="left")


def enumerations(placed: pd.DataFrame) -> pd.Series:
    """For each question 1 if it belongs to an enumeration, else 0; NULL without a place. The definition is ours.

    An enumeration is a run of at least three consecutive questions that follow from one and the same question.
    Questions put to the problem itself open branches, and are none.
    """
    parent, t = placed["parent"], placed["t"]
    follows = placed["branch"].notna() & (parent > 0)
    same = (parent == parent.shift()) & (t == t.shift() + 1)
    for name in TREE:
        same &= placed[name] == placed[name].shift()
    run = (~(same & follows & follows.shift(fill_value=False))).cumsum()
    length = run.map(run.value_counts())
    return ((length >= RUN) & follows).astype("float64").where(placed["branch"].notna())


def tree_games(placed: pd.DataFrame) -> pd.DataFrame:
    """One row per tree; ``placed`` from ``place_questions``. Measures are NULL where no question has a place.

    Columns the game's keys, annotator, questions (read), unplaced, branches (top-level), largest (share of the placed
    questions that the largest has), dropped (share of branches that got at most three questions, that of the last
    question not among them), deepest, enumerated (share of questions in enumerations), pattern and, for each
    pattern, 1 or 0. over-exploitation: fewer than 5 branches, or one with over 60%; over-exploration: more than 10;
    else balanced. The paper names the patterns, the limits of the outer two are ours.
    """
    marked = placed.assign(enumerated=enumerations(placed), unplaced=placed["branch"].isna())
    keys = [*GAME, "annotator"]
    trees = marked.groupby(TREE, sort=False, observed=True)
    found = trees.agg(
        **{name: (name, "first") for name in GAME[1:]},
        questions=("t", "max"),
        unplaced=("unplaced", "sum"),
        deepest=("depth", "max"),
        enumerated=("enumerated", "mean"),
    )
    sizes = marked.dropna(subset=["branch"]).groupby([*TREE, "branch"], sort=False, observed=True)["t"]
    branches = pd.DataFrame({"size": sizes.size(), "last": sizes.max()}).reset_index()
    ends = branches.groupby(TREE, observed=True)["last"].transform("max")
    branches = branches.assign(dropped=(branches["size"] <= DROPPED) & (branches["last"] < ends))
    shape = branches.groupby(TREE, sort=False, observed=True).agg(
        branches=("size", "size"), most=("size", "max"), all=("size", "sum"), dropped=("dropped", "mean")
    )
    shape = shape.assign(largest=shape["most"] / shape["all"]).drop(columns=["most", "all"])
    whole = found.join(shape).reset_index()
    return arrange(_patterned(whole)[[*keys, "questions", "unplaced", *SHAPES[:5], "pattern", *PATTERNS]])


def _patterned(games: pd.DataFrame) -> pd.DataFrame:
    """``games`` with their pattern, and a column of 1 and 0 for each."""
    known = games["branches"].notna()
    narrow = (games["branches"] < FEW) | (games["largest"] > MOST)
    wide = games["branches"] > MANY
    pattern = pd.Series(np.select([narrow, wide], [PATTERNS[0], PATTERNS[2]], PATTERNS[1]), index=games.index)
    flags = {name: (pattern == name).astype("float64").where(known) for name in PATTERNS}
    return games.assign(pattern=pattern.astype("str").where(known), **flags)


def tree_shapes(games: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Mean of each measure by annotator, model and T, over papers, from ``tree_games``; the patterns' are shares.

    Column ``measure``: branches, largest, dropped, deepest, enumerated (defined by us), and the three patterns;
    unplaced: questions without a place. The paper: 5.2-5.5 branches, 7.2-8.2 and 13.7; enumerations 23% for the
    two over-exploiting models.
    """
    parts = [mean_interval(games, BY, name, DESCRIPTIVE, seed).assign(measure=name) for name in SHAPES]
    found = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    lost = games.groupby(BY, observed=True)["unplaced"].sum().reset_index()
    found = found.merge(lost, on=BY, how="left")
    return arrange(found[["measure", *[name for name in found.columns if name != "measure"]]])
