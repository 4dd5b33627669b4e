"""Question trees as the page draws them: what each shows, and how many find room (Figure 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import pandas as pd
from markupsafe import escape

from pipelines.analysis.questions import ANSWERS
from pipelines.report.chapters.radial import Layout, lay_out
from pipelines.report.words import Record, records

MAX_BYTES = 6_000_000
"""Of the gallery on the page; the games to read stand below it and need room too."""
MARKUP = 600  # bytes about one question, its texts apart
HINT, TEXT = 200, 1000  # characters of a question in the drawing and in the list below it
ROLES = ("fewest branches", "most branches", "balanced", "only")
"""In the order in which trees are kept where there is no room for all."""


@dataclass(frozen=True)
class Branch:
    """A top-level branch: its number in the order of opening, its questions so that each stands below its parent."""

    number: int
    questions: list[Record]
    answers: list[tuple[str, int]]

    @property
    def opened(self) -> Record:
        """The question that opens it."""
        return self.questions[0]

    @property
    def deepest(self) -> int:
        """The depth of its deepest question."""
        return max(int(str(one["depth"])) for one in self.questions)


@dataclass(frozen=True)
class Tree:
    """One tree. head: a row of `tree_sample`; unplaced: questions without a place in it."""

    head: Record
    layout: Layout
    branches: list[Branch]
    unplaced: list[Record]


@dataclass(frozen=True)
class Gallery:
    """Trees by group; ``chosen`` of ``of`` trees were, and those that are not here found no room."""

    groups: list[tuple[str, list[Tree]]]
    chosen: int
    of: int

    @property
    def shown(self) -> int:
        """How many trees are here."""
        return sum(len(trees) for _, trees in self.groups)


def choose(games: pd.DataFrame) -> pd.DataFrame:
    """The trees to draw, from ``trees.tree_games``: for each annotator, model and T up to three, with a ``role``.

    fewest branches: that with the fewest, of these the one with the largest branch; most branches: that with the most,
    of these the one whose largest is smallest; balanced: of those of that pattern the middle one by branches (of an
    even number the lower). Ties go by paper. A tree that is two of these stands once. ``of``: trees in the group.
    """
    known = games.dropna(subset=["branches"]).sort_values(["paper", "game"], kind="stable")
    parts = []
    for _, group in known.groupby(["annotator", "model", "questions"], observed=True):
        ranked = group.sort_values(["branches", "largest"], ascending=[True, False], kind="stable")
        even = ranked.loc[ranked["pattern"] == "balanced"]
        most = ranked.sort_values(["branches", "largest"], ascending=[False, True], kind="stable")
        named = {"fewest branches": ranked.head(1), "most branches": most.head(1)}
        named["balanced"] = even.iloc[(len(even) - 1) // 2 :].head(1)
        if len(group) == 1:
            named = {"only": group}
        three = pd.concat([rows.assign(role=role, of=len(group)) for role, rows in named.items()])
        parts.append(three.drop_duplicates("game").sort_values("branches", kind="stable"))
    return pd.concat(parts, ignore_index=True) if parts else known.assign(role="", of=0)


def gallery(sample: pd.DataFrame, questions: pd.DataFrame, max_bytes: int = MAX_BYTES) -> Gallery | None:
    """The trees of ``sample`` with ``questions``: whole rows of ``place_questions`` with their text, in Int64."""
    heads = records(sample)
    if not heads:
        return None
    of = sum({_group(head): int(str(head["of"])) for head in heads}.values())
    by_tree = {key: records(rows) for key, rows in questions.groupby(["game", "annotator"], observed=True)}
    rows = {place: by_tree.get((head["game"], head["annotator"]), []) for place, head in enumerate(heads)}
    kept, room = set(), max_bytes
    for place in sorted(rows, key=lambda place: ROLES.index(str(heads[place]["role"]))):
        room -= sum(map(_bytes, rows[place]))
        if room < 0:
            break
        kept.add(place)
    trees = [_tree(heads[place], rows[place]) for place in sorted(kept)]
    groups = [(_title(key, heads), list(found)) for key, found in groupby(trees, lambda tree: _group(tree.head))]
    return Gallery(groups, len(heads), of)


def cut(text: object, limit: int) -> str:
    """The text, its end left out where it is long."""
    said = str(text or "(empty)")
    return said if len(said) <= limit else f"{said[:limit]} …"


def _bytes(question: Record) -> int:
    """About how much of the page a question takes."""
    return MARKUP + sum(len(str(escape(cut(question["question"], limit))).encode()) for limit in (HINT, TEXT))


def _tree(head: Record, rows: Sequence[Record]) -> Tree:
    ordered = sorted(rows, key=lambda row: int(str(row["t"])))
    own = {int(str(row["t"])): row for row in ordered if row["branch"] is not None}
    layout = lay_out({t: int(str(row["parent"])) for t, row in own.items()})
    branches: dict[int, list[Record]] = {}
    for t in layout.order:
        branches.setdefault(int(str(own[t]["branch"])), []).append(own[t])
    opened = sorted(branches)
    return Tree(
        head=head,
        layout=layout,
        branches=[Branch(place, branches[t], _answers(branches[t])) for place, t in enumerate(opened, 1)],
        unplaced=[row for row in ordered if row["branch"] is None],
    )


def _answers(rows: Sequence[Record]) -> list[tuple[str, int]]:
    given = [row["answer"] for row in rows]
    return [(answer, given.count(answer)) for answer in ANSWERS if answer in given]


def _group(head: Record) -> tuple[str, str, str]:
    return str(head["annotator"]), str(head["model"]), str(head["questions"])


def _title(key: tuple[str, str, str], heads: Sequence[Record]) -> str:
    """The model's name, with the length and the annotator where the trees differ in these."""
    annotator, model, questions = key
    lengths, annotators = ({str(head[name]) for head in heads} for name in ("questions", "annotator"))
    parts = [
        model,
        f"T = {questions}" if len(lengths) > 1 else "",
        f"read by {annotator}" if len(annotators) > 1 else "",
    ]
    return ", ".join(part for part in parts if part)
