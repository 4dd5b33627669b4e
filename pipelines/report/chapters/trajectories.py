"""Two trajectories of one paper, and what of its solution their final cards hold, word by word (Figure 1)."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from actors.errors import BadInput
from actors.paper import Paper, read_paper
from actors.survey import Condition
from pipelines.analysis.curves import ends
from pipelines.report.chapters.chapter import Chapter, Evidence, Tables
from pipelines.report.chapters.terms import PARTS, Pair, pair, terms
from pipelines.report.figures import SCALE, Drawing
from pipelines.report.grid import LENGTH, MODEL, Show
from pipelines.report.load import Runs, settings_of
from pipelines.report.theme import SERIES
from pipelines.report.words import Record, real, records, whole

KIND = "trajectories"
POINTS = ["whose", "game", "paper", "model", "replicate", "questions", "t", "score"]
TEXTS = ["whose", "game", "paper", "model", "replicate", "score", "part", "text", "terms", "matched", "of_solution"]
TONES = {"best": 2, "worst": 1}  # as the games to read are coloured
RULE = (
    "Chosen by rule: the model and paper whose plain games without a survey, at the longest T, differ most in final"
    " score, and of these games the best and the worst. Ties go by model, then paper, then replicate."
)


def tables(evidence: Evidence) -> Tables:
    """trajectories: a row a card; trajectory_texts: a row a part of both final cards and of the solution.

    No rows where no two games without a survey differ, or where the paper's file cannot be read.
    """
    plain = evidence.plain
    games = widest(ends(plain.loc[plain["condition"] == Condition.NONE]))
    paper = paper_of(evidence.runs.dirs, str(games["paper"].iloc[0])) if len(games) else None
    if paper is None:
        return {"trajectories": pd.DataFrame(columns=POINTS), "trajectory_texts": pd.DataFrame(columns=TEXTS)}
    points = (
        plain.loc[plain["game"].isin(games["game"])].merge(games[["game", "whose"]], on="game").dropna(subset=["score"])
    )
    return {
        "trajectories": points.sort_values(["whose", "t"], kind="stable")[POINTS].reset_index(drop=True),
        "trajectory_texts": texts(evidence.runs, games, paper),
    }


def widest(games: pd.DataFrame) -> pd.DataFrame:
    """Of rows of ``curves.ends`` the best and the worst game of one model and paper, by `RULE`; with ``whose``."""
    scored: pd.DataFrame = games.dropna(subset=["final"])
    scored = scored.loc[scored["questions"] == scored["questions"].max()]
    spread = scored.groupby(["model", "paper"], observed=True)["final"].agg(lambda final: final.max() - final.min())
    spread = spread.sort_index()
    if not len(spread) or spread.max() <= 0:
        return scored.iloc[:0].assign(whose="")
    top = max(records(spread.reset_index()), key=lambda row: float(str(row["final"])))
    own = scored.loc[(scored["model"] == top["model"]) & (scored["paper"] == top["paper"])].sort_values(
        ["replicate", "game"]
    )
    chosen: pd.DataFrame = own.loc[[own["final"].idxmax(), own["final"].idxmin()]]
    return chosen.assign(whose=["best", "worst"])


def paper_of(dirs: Sequence[Path], name: str) -> Paper | None:
    """The paper from the first folder of the runs' settings that holds it whole."""
    for folder in dict.fromkeys(one.papers_folder for one in settings_of(dirs)[0]):
        path = folder / f"{name}.md"
        if path.parent != folder or not path.is_file():
            continue
        try:
            return read_paper(path)
        except BadInput:
            continue
    return None


def texts(runs: Runs, games: pd.DataFrame, paper: Paper) -> pd.DataFrame:
    """Columns TEXTS: of a card or the solution, ``terms`` counts its content words, ``matched`` those that it shares.

    ``of_solution``: the content words of the solution. Each word counts once.
    """
    solution = paper.solution
    parts = {**solution.model_dump(), "components": "\n".join(solution.components)}
    wanted = terms("\n".join(parts.values()))
    cards = {(card["unit"], card["t"]): card for card in records(runs.whole("cards", list(games["game"])))}
    rows: list[Record] = []
    for head in records(games):
        own = cards[head["game"], head["questions"]]
        words = terms("\n".join(str(own[name]) for name in PARTS))
        found = {"terms": len(words), "matched": len(words & wanted), "score": head["final"]}
        rows += [{**head, **found, "part": name, "text": str(own[name])} for name in PARTS]
    same = {"paper": paper.id, "model": rows[0]["model"], "whose": "solution", "terms": len(wanted)}
    rows += [{**same, "part": name, "text": parts[name]} for name in PARTS]
    return pd.DataFrame(rows).assign(of_solution=len(wanted))[TEXTS]


def marked(found: Tables) -> Pair | None:
    """Both cards and the solution with their words marked."""
    return pair(records(found["trajectory_texts"]))


def drawings(found: Tables) -> list[Drawing]:
    """Both score curves in one figure."""
    points = found["trajectories"]
    label = "score after each card of the best and the worst game of one paper"
    return [Drawing(KIND, KIND, label, partial(_curves, points))] if len(points) else []


def _curves(points: pd.DataFrame, figure: Figure) -> None:
    axes = figure.add_subplot()
    for whose, rows in points.groupby("whose"):
        tone, _, marker = SERIES[TONES[str(whose)]]
        axes.plot(rows["t"], rows["score"], color=tone, marker=marker, markersize=5)
        last = rows.iloc[-1]
        said = f"{whose} {real(float(last['score']))}"
        axes.annotate(said, (last["t"], last["score"]), (7, 0), textcoords="offset points", va="center", fontsize=9.5)
    axes.margins(x=0.14)
    axes.set_ylim(*SCALE)
    axes.set_xlabel("questions asked")
    axes.set_ylabel("score (panel mean, 1–10)")


CHAPTER = Chapter(
    name="trajectories",
    title="Two games of one paper",
    asks="The same model on the same paper, once well and once badly: what did the final cards hold of the solution?",
    needs="heuresis run replicates=2",
    besides=(
        "two judged games of one model and paper without a survey that end differently, and the paper's file where the"
        " runs' config.yaml says"
    ),
    tables=tables,
    shown={
        "trajectories": (
            *(Show("game", "whose"), MODEL, Show("paper", "paper"), LENGTH, Show("replicate", "replicate", whole)),
            *(Show("t", "t", whole), Show("score", "score", real)),
        )
    },
    captions={"trajectories": "Score (panel mean, 1–10) of every card of both games that has one."},
    drawings=drawings,
    figures={KIND: f"Score after t questions. {RULE} An example at the extremes, not a typical pair."},
    folded=("trajectories",),
    pair=marked,
)
