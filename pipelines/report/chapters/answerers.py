"""Is the answerer right: against people (Table 9), other answerers (Table 10), and what answers can tell at most."""

import pandas as pd

from pipelines.analysis.answerers import against_people, between_answerers, people_answers, played_answers
from pipelines.analysis.bound import answer_bounds
from pipelines.analysis.questions import ANSWERS
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables
from pipelines.report.chapters.labelled import labels_of
from pipelines.report.grid import CONDITION, LENGTH, MODEL, N, Show, text
from pipelines.report.words import real, share, whole

BOOT = ("boot_low", "boot_high")


def tables(evidence: Evidence) -> Tables:
    """people_answers, against_people, answerers, answer_bounds."""
    runs = evidence.runs
    answers = runs.frame("answers")
    people = people_answers(labels_of(runs, "answers"))
    turns = runs.frame("turns", ["t", "answer"], where=("unit", {*answers["game"], *people["game"]}))
    read = turns.loc[turns["unit"].isin(answers["game"])]
    columns = ["game", "t", "answerer", "answer"]
    said = pd.concat([answers[columns], played_answers(turns)[columns]], ignore_index=True)
    return {
        "people_answers": people,
        "against_people": against_people(people, said, evidence.seed),
        "answerers": between_answerers(answers, read),
        "answer_bounds": answer_bounds(runs.units, runs.turns, evidence.seed),
    }


def _added(value: object) -> str:
    return text("+ I(S;C|P)" if value else "")


CHAPTER = Chapter(
    name="answerers",
    title="Is the answerer right?",
    asks=(
        "Candidate answerers answered stored questions again, on the same evidence and prompt. The bound is what T"
        " answers of |A| kinds can tell at most; the entropy of the answers stands beside it and is no information"
        " gained on the idea."
    ),
    needs="heuresis run experiment=answerer",
    tables=tables,
    shown={
        "against_people": (
            *(Show("answerer", "answerer"), Show("people say", "label"), Show("right", "share", share, BOOT)),
            *(Show("right", "count", whole), Show("questions", "n", whole)),
            *(Show(f"said {answer}", answer, whole) for answer in ANSWERS),
            *(Show("YES/NO flips", "flipped", share), Show("UNKNOWN", "unknown", share)),
            *(Show("papers", "n_papers", whole), Show("left out", "left_out", whole)),
        ),
        "answerers": (
            Show("answerer", "answerer"),
            Show("other", "other"),
            Show("agree", "agree", share),
            Show("Cohen κ", "kappa", real),
            Show("YES/NO flips", "flipped", share),
            Show("UNKNOWN", "unknown", share),
            Show("other's UNKNOWN", "other_unknown", share),
            Show("questions", "n", whole),
            Show("games", "n_games", whole),
            Show("left out", "left_out", whole),
        ),
        "answer_bounds": (
            MODEL,
            CONDITION,
            LENGTH,
            Show("bound, bits a game", "bound", real),
            Show("with a survey", "survey", _added),
            Show("entropy, bits an answer", "mean", real, ("low", "high")),
            Show("T × entropy", "total", real),
            *N,
        ),
    },
    captions={
        "against_people": (
            "Table 9. Answers to the questions that people labelled, against what more than half of them said; played"
            " is the answer of the game itself. Brackets are 95% percentile bootstrap intervals over papers, 10,000"
            " draws; no test. Flips (a YES against a NO) and UNKNOWN are shares of the questions in the row. Left out:"
            " questions that the answerer did not validly answer; those without a majority are in no row."
        ),
        "answerers": (
            "Each pair of answerers over the questions that both validly answered; played is the answer of the game"
            " itself. A flip is a YES against a NO. Left out: questions that one of the two did not validly answer."
        ),
        "answer_bounds": (
            "T log2|A| in bits, and the plug-in entropy of a game's answers, each by itself; brackets are 95%"
            " t-intervals over papers. With a survey, what it tells of the idea comes on top of the bound."
        ),
    },
    reported=("Table 9", "Answerers", "Table 10", "Bound"),
)
