"""Is the answerer right: other answerers on the same questions (Tables 9, 10), and what answers can tell at most."""

from pipelines.analysis.answerers import between_answerers
from pipelines.analysis.bound import answer_bounds
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables
from pipelines.report.grid import CONDITION, LENGTH, MODEL, N, Show, text
from pipelines.report.words import real, share, whole


def tables(evidence: Evidence) -> Tables:
    """answerers, answer_bounds."""
    runs = evidence.runs
    answers = runs.frame("answers")
    read = runs.frame("turns", where=("unit", set(answers["game"])))
    return {
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
        "answerers": (
            "Each pair of answerers over the questions that both validly answered; played is the answer of the game"
            " itself. A flip is a YES against a NO. Left out: questions that one of the two did not validly answer."
        ),
        "answer_bounds": (
            "T log2|A| in bits, and the plug-in entropy of a game's answers, each by itself; brackets are 95%"
            " t-intervals over papers. With a survey, what it tells of the idea comes on top of the bound."
        ),
    },
    reported=("Table 10", "Bound"),
)
