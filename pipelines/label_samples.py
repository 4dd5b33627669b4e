"""What people are asked to label: a sample of a run's questions, or pairs of cards of one paper, drawn by a seed.

Only finished plain games. The sample is systematic in an order by strata: each stratum has its share of it, to within
one item. Nothing in a sheet tells which model, condition or game an item comes from; a card's text might.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from actors.errors import BadInput
from actors.paper import Paper, read_papers
from pipelines.game_settings import GameSettings
from pipelines.label_sheets import CARD, PROBLEM, PairKey, QuestionKey
from pipelines.report.folders import check_tables, distinct, file_of, is_search
from pipelines.work import read_settings, shown

QUESTION_STRATA = ["model", "condition", "answer", "paper"]
DIGITS = 10  # of an id: a sheet of thousands has no two alike

Record = dict[str, str]
Key = TypeVar("Key", QuestionKey, PairKey)


def sample_questions(run: Path, count: int, seed: int) -> tuple[list[QuestionKey], list[Record]]:
    """Keys and sheet rows of ``count`` stored questions, of all where there are fewer.

    Strata: model, condition, stored answer, paper. Empty questions are left out. BadInput where there is none.
    """
    games = finished(run)
    turns = read(run, "turns", ["unit", *QUESTION_STRATA, "t", "question", "empty"], games["game"])
    turns = turns.loc[~turns["empty"].astype("bool")].rename(columns={"unit": "game"})
    chosen = systematic(turns.sort_values(["game", "t"]), QUESTION_STRATA, count, seed)
    folder = folder_of(run)
    found, both = papers(run, folder, chosen["paper"]), []
    for game, t, paper, question in chosen[["game", "t", "paper", "question"]].itertuples(index=False):
        item = f"q{digest(seed, game, t)[:DIGITS]}"
        told = {"item": item, "source": found[paper].source, "evidence": shown(folder / f"{paper}.md")}
        key = QuestionKey(item=item, game=game, t=t, paper=paper)
        both.append((key, {**told, **problem(found[paper]), "question": question}))
    return by_id(both)


def sample_pairs(run: Path, count: int, seed: int) -> tuple[list[PairKey], list[Record]]:
    """Keys and sheet rows of ``count`` pairs: the final cards of two games of one paper, of any model and condition.

    Papers have as many pairs as their games allow; a card may stand in several pairs; which is A is for the seed.
    """
    games = finished(run).sort_values("game")
    ends = games[["game", "paper", "questions"]].rename(columns={"questions": "t"})
    cards = read(run, "cards", ["unit", "t", *CARD], ends["game"]).rename(columns={"unit": "game"})
    cards = ends.merge(cards, on=["game", "t"])
    sides = cards[["game", "t", "paper"]]
    pairs = sides.merge(sides, on="paper", suffixes=("_a", "_b"))
    pairs = pairs.loc[pairs["game_a"] < pairs["game_b"]].sort_values(["game_a", "game_b"])
    chosen = systematic(pairs, ["paper"], count, seed)
    found, both = papers(run, folder_of(run), chosen["paper"]), []
    texts = cards.set_index("game")[list(CARD)].to_dict("index")
    for paper, *ends_of in chosen[["paper", "game_a", "t_a", "game_b", "t_b"]].itertuples(index=False):
        a, b = (tuple(ends_of[:2]), tuple(ends_of[2:]))
        drawn = digest(seed, *a, *b)
        if int(drawn[-1], 16) % 2:
            a, b = b, a
        pair = f"c{drawn[:DIGITS]}"
        key = PairKey(pair=pair, paper=paper, game_a=a[0], t_a=a[1], game_b=b[0], t_b=b[1])
        sides_of = {f"{side} {name}": texts[end[0]][name] for side, end in (("A", a), ("B", b)) for name in CARD}
        both.append((key, {"pair": pair, **sides_of, **problem(found[paper]), **solution(found[paper])}))
    return by_id(both)


def by_id(both: Iterable[tuple[Key, Record]]) -> tuple[list[Key], list[Record]]:
    """Keys and rows by their id, which is as good as shuffled."""
    ordered = sorted(both, key=lambda one: next(iter(one[1].values())))
    return [key for key, _ in ordered], [row for _, row in ordered]


def systematic(frame: pd.DataFrame, strata: Sequence[str], count: int, seed: int) -> pd.DataFrame:
    """``count`` rows of ``frame``, evenly from it in the order of ``strata``, within one of them at random."""
    rng = np.random.default_rng(seed)
    ordered = frame.iloc[rng.permutation(len(frame))].sort_values(list(strata), kind="stable")
    if len(ordered) <= count:
        return ordered
    return ordered.iloc[((rng.random() + np.arange(count)) * len(ordered) / count).astype(np.int64)]


def digest(seed: int, *what: object) -> str:
    """Hex digits that stand for an item and tell nothing of it."""
    return hashlib.sha256("\n".join(map(str, (seed, *what))).encode()).hexdigest()


def finished(run: Path) -> pd.DataFrame:
    """The run's finished plain games: game, paper, questions. BadInput where it is no run of the game, or has none."""
    distinct([run])
    if is_search(run):
        raise BadInput(f"{run}: is an idea search; people label questions and cards of the game")
    check_tables(run, ("units", "turns", "cards"))
    columns = ["kind", "status", "game", "paper", "questions"]
    units = pq.read_table(file_of(run, "units"), columns=columns).to_pandas()
    games = units.loc[(units["kind"] == "game") & (units["status"] == "ok")]
    if not len(games):
        raise BadInput(f"{run}: has no finished game to label; play some, or name the run that did")
    return games.astype({"questions": "int64"})[["game", "paper", "questions"]]


def read(run: Path, table: str, columns: list[str], games: pd.Series) -> pd.DataFrame:
    """Some columns of a table, for some games."""
    found = pq.read_table(file_of(run, table), columns=columns).to_pandas()
    return found.loc[found["unit"].isin(games)]


def folder_of(run: Path) -> Path:
    """Where the run's papers are."""
    settings = read_settings(run)
    assert isinstance(settings, GameSettings)
    return settings.papers_folder


def papers(run: Path, folder: Path, wanted: pd.Series) -> Mapping[str, Paper]:
    """The papers as they were played; BadInput where one is gone or was changed since."""
    found = read_papers(folder)
    try:
        played = json.loads((run / "manifest.json").read_text())["papers"]
    except (OSError, ValueError, KeyError):
        raise BadInput(f"{run / 'manifest.json'}: is damaged; run the command that made it again") from None
    for name in wanted.unique():
        if name not in found:
            raise BadInput(f"{folder}: has no paper '{name}', which the run played; put it back")
        if played.get(name, found[name].sha256) != found[name].sha256:
            raise BadInput(f"{folder / name}.md: was changed after it was played; put it back, or play it again")
    return found


def problem(paper: Paper) -> dict[str, str]:
    """The problem's fields, with the paper's id."""
    return {"paper": paper.id, **{name: getattr(paper.problem, name) for name in PROBLEM}}


def solution(paper: Paper) -> dict[str, str]:
    """The true solution's fields; components one a line."""
    fields = {name: getattr(paper.solution, name) for name in CARD}
    return {f"solution {name}": "\n".join(v) if isinstance(v, tuple) else v for name, v in fields.items()}
