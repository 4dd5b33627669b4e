"""All tables of a report, by the name of their file."""

import pandas as pd

from pipelines.analysis import agreement, correlation, cost, curves, played, questions, scores
from pipelines.report.chapters.all import chapter_tables
from pipelines.report.chapters.chapter import Evidence
from pipelines.report.load import Runs
from pipelines.report.rows import as_words


def make_tables(runs: Runs, seed: int) -> dict[str, pd.DataFrame]:
    """Every analysis of ``runs``, those of the chapters last; a table that nothing fills has no rows."""
    cards = scores.cards_to_score(runs.units, runs.cards, runs.ratings)
    graded = scores.grades(cards, runs.ratings, runs.panel)
    scored = scores.panel_scores(cards, graded)
    plain = scored.loc[scored["kind"] == "game"]
    games = runs.units.loc[runs.units["kind"] == "game", "unit"]
    of_plain = graded.loc[graded["kind"] == "game"]
    found = {
        "outcome": curves.outcome(plain, seed),
        "curves": curves.curves(plain, seed),
        "gains": curves.gains(plain, seed),
        "correlation": correlation.early_and_late(plain, seed),
        "rank_agreement": agreement.rank_agreement(of_plain),
        "leniency": agreement.leniency(of_plain, seed),
        "missing_ratings": agreement.missing_ratings(graded),
        "status": played.games_by_status(runs.units),
        "judgings": played.judgings_by_status(runs.units),
        "contamination": played.contamination(runs.units),
        "truncation": played.truncation(runs.units),
        "questions": questions.question_counts(runs.turns.loc[runs.turns["unit"].isin(games)]),
        "cost": cost.with_share(runs.calls),
        "scores": scored,
        **chapter_tables(Evidence(runs, scored, graded, seed, runs.own_family, runs.left_out)),
    }
    return {name: as_words(frame) for name, frame in found.items()}
