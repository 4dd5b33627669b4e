"""How much the outcome hangs on the answerer: against what people say, and against the answers that were played.

``labels`` has one row per question and annotator, as `pipelines.labels` keeps them: item, game, t, paper, annotator,
label. A flip is a YES for a NO or a NO for a YES. This does not guard against people that had not the evidence.
"""

from itertools import combinations

import pandas as pd

from pipelines.analysis.annotators import cohen
from pipelines.analysis.people import counts, majority
from pipelines.analysis.questions import ANSWERS
from pipelines.analysis.shares import share_interval

PLAYED = "played"
DEFINITE, EVERY = "YES+NO", "all"
LABELS = (*ANSWERS, DEFINITE, EVERY)
PEOPLE = ["game", "t", "paper", *ANSWERS, "annotators", "label"]
PAIRS = [
    *("answerer", "other", "agree", "kappa", "flips", "flipped", "unknown", "other_unknown", "n", "n_games"),
    *("left_out", "method", "family"),
]


def people_answers(labels: pd.DataFrame) -> pd.DataFrame:
    """One row per question: its votes, annotators, and ``label``, the majority's (NULL: no answer has it)."""
    table = counts(labels, "item", "label", ANSWERS)
    voted = table.assign(annotators=table.sum(axis=1), label=majority(table)).reset_index()
    facts = labels.drop_duplicates("item")[["item", "game", "t", "paper"]]
    return facts.merge(voted, on="item").sort_values(["game", "t"], kind="stable")[PEOPLE].reset_index(drop=True)


def played_answers(turns: pd.DataFrame) -> pd.DataFrame:
    """The answers that were played, as rows of table ``answers`` by an answerer called played."""
    return turns.rename(columns={"unit": "game"})[["game", "t", "answer"]].assign(answerer=PLAYED)


def against_people(people: pd.DataFrame, answers: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Table 9: each answerer against the people's ``label``, over questions that have one.

    ``people``: `people_answers`; ``answers``: that table, and `played_answers` if wanted. Rows: answerer and label
    (YES, NO, UNKNOWN, YES+NO pooled, all). Columns share, count and n with its interval: answers that are right; YES,
    NO, UNKNOWN: how often each was said; flips and flipped (share of n); unknown (share of n); left_out: questions
    with a label that the answerer did not validly answer. The paper: flips 1.1% (Gemma; 7 of YES+NO's 633). Its UNKNOWN
    share of 24% (Gemma) is not of these: its counts leave 137 + 4 + 19 of 795 at most, 20.1%.
    """
    labelled = people.dropna(subset=["label"])[["game", "t", "paper", "label"]]
    names = answers[["answerer"]].drop_duplicates()
    said = labelled.merge(names, how="cross").merge(
        answers[["game", "t", "answerer", "answer"]], on=["game", "t", "answerer"], how="left"
    )
    marks = said.assign(
        right=(said["answer"] == said["label"]).astype("float64").where(said["answer"].notna()),
        flips=is_flip(said["answer"], said["label"]),
        left_out=said["answer"].isna(),
        **{name: said["answer"] == name for name in ANSWERS},
    )
    definite = marks.loc[marks["label"] != "UNKNOWN"].assign(label=DEFINITE)
    whole = pd.concat([marks, definite, marks.assign(label=EVERY)], ignore_index=True)
    keys = ["answerer", "label"]
    sums = whole.groupby(keys, observed=True)[[*ANSWERS, "flips", "left_out"]].sum().astype("int64").reset_index()
    found = share_interval(whole, keys, "right", seed).merge(sums, on=keys, how="left")
    found = found.assign(flipped=found["flips"] / found["n"], unknown=found["UNKNOWN"] / found["n"])
    order = found["label"].map({label: place for place, label in enumerate(LABELS)})
    return found.assign(_order=order).sort_values(["answerer", "_order"]).drop(columns="_order").reset_index(drop=True)


def is_flip(one: pd.Series, other: pd.Series) -> pd.Series:
    """Where one says YES and the other NO."""
    return ((one == "YES") & (other == "NO")) | ((one == "NO") & (other == "YES"))


def between_answerers(answers: pd.DataFrame, turns: pd.DataFrame) -> pd.DataFrame:
    """Table 10: each pair of answerers on the same questions; the answers that were played are one (``played``).

    Columns answerer, other, agree (share of n), kappa (Cohen's; NULL where both say one and the same throughout),
    flips, flipped (share of n, UNKNOWN included), unknown and other_unknown (shares of n), n (questions that both
    validly answered), n_games, left_out (that one of them did not), method, family.
    """
    read = answers[["game", "t"]].drop_duplicates()
    stored = played_answers(turns).merge(read, on=["game", "t"])
    both = pd.concat([answers[["game", "t", "answer", "answerer"]], stored], ignore_index=True).astype(
        {"answerer": "str"}
    )
    table = both.set_index(["game", "t", "answerer"])["answer"].unstack("answerer")
    names = [PLAYED, *sorted(set(table.columns) - {PLAYED})] if len(table) else []
    rows = []
    for answerer, other in combinations(names, 2):
        pair = table[[answerer, other]].dropna()
        rows.append((answerer, other, *_compared(pair), len(table) - len(pair)))
    found = pd.DataFrame(rows, columns=PAIRS[:-2])
    return found.assign(method="Cohen's kappa over questions that both answered", family="descriptive, no test")


def _compared(pair: pd.DataFrame) -> tuple[float, float, int, float, float, float, int, int]:
    """agree, kappa, flips, flipped, both shares of UNKNOWN, n, n_games of two columns of answers."""
    kappa, agree = cohen(pair)
    first, second = (pair.iloc[:, place] for place in (0, 1))
    flips, unknown = is_flip(first, second), [float((said == "UNKNOWN").mean()) for said in (first, second)]
    games = pair.index.get_level_values("game").nunique()
    return agree, kappa, int(flips.sum()), float(flips.mean()), unknown[0], unknown[1], len(pair), games
