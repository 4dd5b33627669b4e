"""What the analyses make of the twin's tables, paper by paper: the numbers that they give means and intervals of.

All through the functions of pipelines.analysis up to the paper's value. ``effect`` names a row of a table of theirs.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import pandas as pd
from twin.study import Cast, Tables

from pipelines.analysis.agreement import deviations
from pipelines.analysis.answerers import is_flip
from pipelines.analysis.breadth import breadth_games
from pipelines.analysis.curves import stage_gains
from pipelines.analysis.forks import continuations, fork_papers
from pipelines.analysis.lines import line_games
from pipelines.analysis.paired import by_paper, pair_up
from pipelines.analysis.panel import final_grades
from pipelines.analysis.pools import BY, pool_games, solo_games
from pipelines.analysis.surveys import final_cards
from pipelines.analysis.tree_steps import per_game, with_length
from pipelines.analysis.trees import place_questions, tree_games

GAINS = (("full", "decoy"), ("decoy", "none"))
NAMES = ["effect", "paper", "value"]


def paper_values(cast: Cast, tables: Tables) -> pd.DataFrame:
    """Columns effect, paper, value; a paper without a value has no row."""
    parts = [*surveyed(tables.scores), *stages(tables.scores), *forked(tables)]
    parts += [*pooled(tables), *judged(cast.own, tables.graded)]
    if len(tables.readings.lines):
        parts += lined(tables.readings.lines)
    if len(tables.readings.answers):
        parts += answered(tables.readings.answers)
    if len(tables.readings.parents):
        parts += grown(tables)
    return pd.concat(parts, ignore_index=True).dropna(subset=["value"])


def named(frame: pd.DataFrame, value: str, label: str, *keys: str) -> pd.DataFrame:
    """``frame`` as values of effects called ``label``, and after it what the keys say."""
    effect = pd.Series(label, index=frame.index, dtype="str")
    for key in keys:
        effect = effect + ", " + frame[key].astype("str")
    return pd.DataFrame({"effect": effect, "paper": frame["paper"], "value": frame[value].astype("float64")})


def surveyed(scores: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Final scores, what a survey adds, and the first card's control."""
    final, by = final_cards(scores), ["model", "questions"]
    none = final.loc[final["condition"] == "none"]
    yield named(by_paper(none, ["model"], "score"), "score", "score at T", "model")
    for condition, against in GAINS:
        sides = [final.loc[final["condition"] == name] for name in (condition, against)]
        yield named(pair_up(sides[0], sides[1], by), "difference", f"{condition} less {against}", "model")
    start = scores.loc[(scores["t"] == 0) & (scores["kind"] == "game")]
    sides = [start.loc[start["condition"] == name] for name in ("full", "decoy")]
    yield named(pair_up(sides[0], sides[1], by), "difference", "first card, full less decoy", "model")


def stages(scores: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """What each stage of a game gains."""
    plain = scores.loc[(scores["kind"] == "game") & (scores["condition"] == "none")]
    gains = stage_gains(plain)
    gains = gains.assign(stage=(gains["stage_start"] + 1).astype("str") + "-" + gains["stage_end"].astype("str"))
    yield named(by_paper(gains, ["stage", "model"], "gain"), "gain", "gain in questions", "stage", "model")


def forked(tables: Tables) -> Iterator[pd.DataFrame]:
    """Gaps at the cut and the end, and who is ahead."""
    papers = fork_papers(continuations(tables.units, tables.scores))
    for value, label in (("difference_cut", "gap at cut"), ("difference_end", "gap at end"), ("ahead", "ahead")):
        yield named(papers, value, f"fork, {label}", "model")


def pooled(tables: Tables) -> Iterator[pd.DataFrame]:
    """What a pool adds to solo, and two selectors against each other."""
    games = pool_games(tables.units, tables.scores)
    yield named(pair_up(games, solo_games(tables.scores, games), BY), "difference", "pool less solo", *BY[:2])
    own = games.loc[games["selection"] == "model"]
    for one, other in combinations(sorted(own["model"].unique()), 2):
        sides = [own.loc[own["model"] == name] for name in (one, other)]
        yield named(pair_up(sides[0], sides[1], ["questions"]), "difference", f"selectors, {one} less {other}")


def judged(own_family: Mapping[str, Sequence[str]], graded: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """A judge's deviation on its own family's cards less that on others', of plain games without a survey."""
    rated = deviations(final_grades(plain_grades(graded)))
    for judge, models in own_family.items():
        by_judge = rated.loc[rated["judge"] == judge]
        own = by_judge["model"].isin(models)
        pairs = pair_up(by_judge.loc[own], by_judge.loc[~own], ["judge"], "deviation")
        yield named(pairs, "difference", "own family less others", "judge")


def plain_grades(graded: pd.DataFrame) -> pd.DataFrame:
    """Ratings of plain games without a survey."""
    return graded.loc[(graded["kind"] == "game") & (graded["condition"] == "none")]


def lined(lines: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The inserted line less its neighbours, and what naming the core adds."""
    games = line_games(lines)
    whole = games.loc[games["window"] == "all"]
    papers = by_paper(whole, ["model", "condition"], "difference")
    yield named(papers, "difference", "line less neighbours", "condition", "model")
    sides = [whole.loc[whole["condition"] == name] for name in ("full", "decoy")]
    yield named(pair_up(sides[0], sides[1], ["model"], "difference"), "difference", "naming the core", "model")


def answered(answers: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Shares of flips and of UNKNOWN among questions that YES or NO is true of."""
    definite = answers.loc[answers["label"] != "UNKNOWN"]
    marks = definite.assign(
        flips=is_flip(definite["answer"], definite["label"]).astype("float64"),
        unknown=(definite["answer"] == "UNKNOWN").astype("float64"),
    )
    for value in ("flips", "unknown"):
        yield named(by_paper(marks, ["answerer"], value), value, f"answerer, {value}", "answerer")


def grown(tables: Tables) -> Iterator[pd.DataFrame]:
    """Top-level branches, and the share of children after YES less that after NO."""
    placed = place_questions(tables.readings.parents, tables.readings.turns)
    yield named(by_paper(tree_games(placed), ["model"], "branches"), "branches", "branches", "model")
    shares = per_game(with_length(placed), ["answer"], "child")
    yes, no = (shares.loc[shares["answer"] == answer] for answer in ("YES", "NO"))
    yield named(pair_up(yes, no, ["model"], "child"), "difference", "child after YES less NO", "model")


def breadth_of(tables: Tables) -> pd.DataFrame:
    """Branches and final scores of the games whose trees are read."""
    return breadth_games(tree_games(place_questions(tables.readings.parents, tables.readings.turns)), tables.scores)
