"""The same numbers by the analyses alone, from one study's tables: what `twin.recovery` has to agree with."""

import numpy as np
import pandas as pd
from twin.effects import GAINS, paper_values, plain_grades
from twin.recovery import by_study
from twin.study import Cast, Tables, play_studies

from pipelines.analysis.contrast import p_of
from pipelines.analysis.curves import gains
from pipelines.analysis.forks import fork_table
from pipelines.analysis.intervals import bootstrap_interval, t_interval
from pipelines.analysis.lines import line_games, line_rates, naming
from pipelines.analysis.mentions import first_card_differences
from pipelines.analysis.panel import judge_families
from pipelines.analysis.pools import pool_gains, selector_differences
from pipelines.analysis.surveys import condition_gains, condition_scores
from pipelines.analysis.tree_steps import yes_against_no
from pipelines.analysis.trees import place_questions, tree_games, tree_shapes

SHOWN = ["mean", "low", "high", "boot_low", "boot_high", "p"]
RATES = ("line", "naming", "child")
"""Effects that are tested by sign flips."""


def of_study(tables: Tables, study: int, papers: int) -> Tables:
    """The part of the tables that one study has."""

    def own(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.loc[frame["paper"] // papers == study].reset_index(drop=True)

    readings = type(tables.readings)(*map(own, tables.readings))
    return Tables(own(tables.units), own(tables.graded), own(tables.scores), readings)


def whole(cast: Cast, tables: Tables, seed: int) -> pd.DataFrame:
    """``SHOWN`` by effect, as the analyses give it for one study; p is NULL where they have no test."""
    scores, units, readings = tables.scores, tables.units, tables.readings
    final = condition_scores(scores, seed)
    parts = [labelled(final.loc[final["condition"] == "none"], "score at T", "model")]
    survey = condition_gains(scores, seed)
    for condition, against in GAINS:
        own = survey.loc[(survey["condition"] == condition) & (survey["against"] == against)]
        parts.append(labelled(own, f"{condition} less {against}", "model"))
    first = first_card_differences(scores.loc[scores["kind"] == "game"], seed)
    parts.append(labelled(first.loc[first["condition"] == "full"], "first card, full less decoy", "model"))
    stage = gains(scores.loc[(scores["kind"] == "game") & (scores["condition"] == "none")], seed)
    parts.append(labelled(stage, "gain in questions", "stage", "model"))
    parts.append(labelled(fork_table(units, scores, seed), "fork", "measure", "model"))
    parts.append(labelled(pool_gains(units, scores, seed), "pool less solo", "selection", "model"))
    between = selector_differences(units, scores, seed)
    between = between.assign(pair=between["model"] + " less " + between["other"])
    parts.append(labelled(between, "selectors", "pair"))
    family = judge_families(plain_grades(tables.graded), cast.own, seed)
    parts.append(labelled(family.loc[family["whose"] == "own family less others"], "own family less others", "judge"))
    if len(readings.lines):
        games = line_games(readings.lines)
        rates, names = line_rates(games, seed), naming(games, seed)
        rates = rates.loc[rates["window"] == "all"].rename(columns={"difference": "mean"})
        parts.append(labelled(rates, "line less neighbours", "condition", "model"))
        parts.append(labelled(names.loc[names["window"] == "all"], "naming the core", "model"))
    if len(readings.parents):
        placed = place_questions(readings.parents, readings.turns)
        shapes, steps = tree_shapes(tree_games(placed), seed), yes_against_no(placed, seed)
        parts.append(labelled(shapes.loc[shapes["measure"] == "branches"], "branches", "model"))
        parts.append(labelled(steps.loc[steps["measure"] == "child"], "child after YES less NO", "model"))
    return pd.concat(parts).set_index("effect")


def labelled(frame: pd.DataFrame, label: str, *keys: str) -> pd.DataFrame:
    """``frame`` with effects called as `twin.effects` calls them."""
    effect = pd.Series(label, index=frame.index, dtype="str")
    for key in keys:
        effect = effect + ", " + frame[key].astype("str")
    return frame.reindex(columns=SHOWN).assign(effect=effect)


def compared(cast: Cast, studies: int, papers: int) -> tuple[int, float]:
    """How many effects the analyses have of so many studies, and the furthest that a number of theirs is from ours."""
    tables = play_studies(cast, studies * papers, np.random.default_rng(0))
    values = paper_values(cast, tables)
    own, furthest, effects = by_study(values.assign(study=values["paper"] // papers)), 0.0, 0
    for study in range(studies):
        theirs = whole(cast, of_study(tables, study, papers), study)
        effects = len(theirs)
        for effect, row in theirs[SHOWN].astype("float64").iterrows():
            sample = own[str(effect)][study]
            mine = (sample.mean(), *t_interval(sample), *bootstrap_interval(sample, study))
            p = p_of(sample, "flip" if str(effect).startswith(RATES) else "t", study)
            mine = (*mine, p if row["p"] >= 0 else np.nan)
            furthest = max(furthest, float(np.nanmax(np.abs(row.to_numpy() - mine))))
    return effects, furthest
