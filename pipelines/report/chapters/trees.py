"""How broad and how deep models search: question trees (Figures 8-11), and whether middling breadth ends best."""

import pandas as pd

from pipelines.analysis import breadth, tree_steps, trees
from pipelines.analysis.breadth import breadth_curve, breadth_games, breadth_groups
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables
from pipelines.report.chapters.gallery import Gallery, choose, gallery
from pipelines.report.chapters.tree_figures import AFTER, BINS, BRANCHES, BREADTH, PATTERNS, tree_drawings
from pipelines.report.grid import LENGTH, MODEL, N, Show, signed
from pipelines.report.words import p_value, real, share, whole

PLACES = ["t", "parent", "depth", "branch"]
COUNTS = ["annotator", "model", "read", "derived", "other", "counted", "questions", "invalid", "repaired", "unplaced"]


def tables(evidence: Evidence) -> Tables:
    """tree_readings, tree_games, tree_shapes, ..., breadth_curve, breadth_groups, tree_sample, tree_questions."""
    runs, seed = evidence.runs, evidence.seed
    parents = runs.frame("parents")
    plain = parents.loc[parents["game"].isin(evidence.games)]
    own = trees.default_trees(plain)
    placed = trees.place_questions(own, runs.frame("turns", ["t", "answer"], where=("unit", set(own["game"]))))
    games = trees.tree_games(placed)
    of_one = games.loc[games["annotator"] == games["annotator"].min()]
    broad = breadth_games(of_one, evidence.plain)
    sample = choose(games)
    texts = runs.frame("turns", ["t", "question"], where=("unit", set(sample["game"])))
    return {
        "tree_readings": readings(parents, evidence.games, placed),
        "tree_games": games,
        "tree_shapes": trees.tree_shapes(games, seed),
        "steps_after": tree_steps.steps_after(placed, seed),
        "yes_against_no": tree_steps.yes_against_no(placed, seed),
        "tree_bins": tree_steps.over_bins(placed, seed),
        "breadth_games": broad,
        "breadth_curve": breadth_curve(broad, seed),
        "breadth_groups": breadth_groups(broad),
        "tree_sample": sample,
        "tree_questions": with_texts(placed, sample, texts),
    }


def readings(parents: pd.DataFrame, plain: set[str], placed: pd.DataFrame) -> pd.DataFrame:
    """How many trees were read and how many count, by annotator and model.

    Columns read (trees), derived (of forks and pooled games), other (plain, but under a survey or no first replicate),
    counted; and of those that count: questions, invalid (no valid parent, even after a repair), repaired, unplaced
    (invalid, or below such a question).
    """
    by = ["annotator", "model"]
    shown = placed[["game", "annotator", "t", "branch"]].rename(columns={"branch": "place"})
    rows = parents.merge(shown.assign(shown=True), on=["game", "annotator", "t"], how="left")
    rows = rows.assign(shown=rows["shown"].eq(True), plain=rows["game"].isin(plain))
    one = rows.drop_duplicates(["game", "annotator"])
    kinds = {"derived": ~one["plain"], "other": one["plain"] & ~one["shown"], "counted": one["shown"]}
    found = one.assign(read=True, **kinds).groupby(by, observed=True)[["read", *kinds]].sum()
    told = rows.loc[rows["shown"]]
    marks = {"invalid": told["parent"].isna(), "repaired": told["repaired"].eq(True), "unplaced": told["place"].isna()}
    counts = told.assign(questions=True, **marks).groupby(by, observed=True)[["questions", *marks]].sum()
    return found.join(counts).fillna(0).astype("int64").reset_index()[COUNTS]


def with_texts(placed: pd.DataFrame, sample: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    """The questions of the trees in ``sample``, with what was asked; places are Int64, NULL where there is none."""
    keys = sample[["game", "annotator"]]
    found = placed.merge(keys, on=["game", "annotator"]).merge(
        texts.rename(columns={"unit": "game"}), on=["game", "t"], how="left"
    )
    return found.astype(dict.fromkeys(PLACES, "Int64"))


def drawn_trees(made: Tables) -> Gallery | None:
    """The sampled trees for the page."""
    return gallery(made["tree_sample"], made["tree_questions"])


CI, BOOT = ("low", "high"), ("boot_low", "boot_high")
READER, MEASURE = Show("annotator", "annotator"), Show("measure", "measure")
OVER_PAPERS = "Brackets are 95% t-intervals over papers."
BOOTSTRAP = (
    "Brackets are 95% percentile bootstrap intervals over papers, 10,000 draws: of shares, t-intervals leave 0 to 1."
)
TESTED = (Show("p", "p", p_value), Show("p, Holm", "p_holm", p_value))

SHOWN = {
    "tree_readings": (
        *(READER, MODEL),
        Show("trees read", "read", whole),
        Show("of forks and pooled games", "derived", whole),
        Show("other plain games", "other", whole),
        Show("counted here", "counted", whole),
        Show("their questions", "questions", whole),
        Show("without a valid parent", "invalid", whole),
        Show("repaired", "repaired", whole),
        Show("without a place", "unplaced", whole),
    ),
    "tree_shapes": (MEASURE, READER, MODEL, LENGTH, Show("mean", "mean", real, CI), *N),
    "steps_after": (
        *(MEASURE, READER, MODEL, LENGTH, Show("after", "answer")),
        Show("share", "mean", share, BOOT),
        Show("over all steps", "pooled", share),
        Show("steps", "n", whole),
        *N,
    ),
    "yes_against_no": (
        *(MEASURE, READER, MODEL, LENGTH),
        Show("after YES less after NO", "mean", signed, CI),
        *TESTED,
        *N,
    ),
    "tree_bins": (
        *(MEASURE, READER, MODEL, LENGTH, Show("from", "start", whole), Show("to", "end", whole)),
        Show("mean", "mean", real, CI),
        *N,
    ),
    "breadth_curve": (
        LENGTH,
        Show("shape", "shape"),
        Show("turns at, branches", "peak", real, BOOT),
        Show("draws with a peak", "humped", share),
        Show("b1", "b1", signed),
        Show("b2", "b2", lambda value: real(value, 4, sign=True)),
        Show("p of b2", "b2_p", p_value),
        Show("fewest B", "lowest", whole),
        Show("slope there", "slope_low", signed),
        Show("p, above 0", "slope_low_p", p_value),
        Show("most B", "highest", whole),
        Show("slope there", "slope_high", signed),
        Show("p, below 0", "slope_high_p", p_value),
        *N,
        Show("left out", "left_out", whole),
    ),
    "breadth_groups": (LENGTH, Show("branches", "group"), Show("effect on the score", "effect", signed, CI), *N),
}
CAPTIONS = {
    "tree_readings": (
        "An annotator names, for each question, the earlier question that it follows from, or the problem. Counted are"
        " plain games without a survey, first replicate: one per paper and model. A question without a valid parent,"
        " and what follows from it, has no place in its tree and is left out of what needs one."
    ),
    "tree_shapes": (
        f"Means over papers. {OVER_PAPERS} Descriptive, no test. branches: top-level ones. largest: share of the"
        " questions that the largest branch has. dropped: share of branches left for good after at most"
        f" {trees.DROPPED} questions. deepest: depth of the deepest question, the problem's is 0. enumerated: share of"
        f" questions in runs of at least {trees.RUN} that follow from one and the same question (our definition)."
        f" Patterns are shares of games: balanced with {trees.FEW}–{trees.MANY} branches, none with over"
        f" {trees.MOST:.0%} of the questions; over-exploration with more branches; over-exploitation with fewer, or"
        " with one larger."
    ),
    "steps_after": (
        "child: the next question follows from this one; leaves: it lies in another top-level branch. A game's own"
        f" share comes first, then papers are averaged. {BOOTSTRAP} Descriptive, no test; the share over all steps"
        " stands beside it. Steps without a place at either end are left out."
    ),
    "yes_against_no": (
        f"The share after YES less that after NO, within games. {OVER_PAPERS} Two-sided sign-flip permutation over"
        " papers, exact up to 2^13 draws, else 10,000; Holm over the inquisitors of one measure. Games without a step"
        " after one of the two answers are left out."
    ),
    "tree_bins": (
        f"Over bins of {tree_steps.BIN} questions: mean depth, shares of steps to a child and to another branch (in the"
        f" bin that the step starts in), share of YES. {OVER_PAPERS} Descriptive, no test."
    ),
    "breadth_curve": (
        "Final score (panel mean) on B and B², B the top-level branches of a game, with effects of models and papers;"
        " errors clustered by paper. The curve turns at −b1 / (2 b2), a peak where b2 is below 0, else a trough;"
        " brackets are the 95% percentile bootstrap over papers, 10,000 draws, and mean little where few draws have a"
        " peak. It is called an inverted U only if b2 is below 0 and the slopes at both ends pass their one-sided"
        f" tests at {breadth.ALPHA:.0%}. Trees of the first annotator by name. Left out: games without a place for any"
        " question, or without a final score. This describes games as they were played, not what a model would gain"
        " if it opened more branches."
    ),
    "breadth_groups": (
        "Effect of each number of branches on the final score, free of effects of models and papers, centred: the mean"
        " over games is zero. Brackets are 95% by Student's t, errors clustered by paper. – where models and papers"
        " tell a group not apart. Descriptive, no correction."
    ),
}
FIGURES = {
    BRANCHES: (
        "Top-level branches of each game (small dots, moved apart), and the mean over papers with its 95% t-interval."
    ),
    PATTERNS: (
        f"Share of games of each pattern. Balanced: {trees.FEW}–{trees.MANY} branches, none with over"
        f" {trees.MOST:.0%} of the questions. Papers are averaged; intervals stand in the table."
    ),
    AFTER: (
        "How often the next question follows from this one (child), and how often it lies in another top-level branch"
        " (leaves), after each answer; bars are 95% t-intervals over papers, cut at 0 and 1."
    ),
    BINS: (
        f"Over bins of {tree_steps.BIN} questions, at the bin's last: mean depth in the tree, shares of steps to a"
        " child and to another branch, share of YES; bars are 95% t-intervals over papers. Models stand side by side"
        " so that their bars can be told apart."
    ),
    BREADTH: (
        "Final score by top-level branches, free of effects of models and papers; the mean over games is zero."
        " Points: groups with 95% intervals, errors clustered by paper, the larger the more games; none where models"
        " and papers tell a group not apart. Line: the fitted quadratic. Where it peaks within the games that were"
        " played, the peak with its 95% percentile bootstrap interval over papers."
    ),
}

CHAPTER = Chapter(
    name="trees",
    title="How broad and how deep is the search?",
    asks=(
        "An annotator reads what each question follows from, down to the problem: that makes a game a tree. The"
        " questions that follow from the problem itself open its top-level branches."
    ),
    needs="heuresis run experiment=tree",
    tables=tables,
    shown=SHOWN,
    captions=CAPTIONS,
    drawings=tree_drawings,
    figures=FIGURES,
    reported=("Figures 8 to 11", "Figure 9"),
    folded=("tree_bins", "breadth_groups"),
    gallery=drawn_trees,
)
