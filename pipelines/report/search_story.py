"""The searches that a reader opens on the page: iteration by iteration, branch by branch, with code as it changed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from pipelines.analysis.search_operators import fallbacks
from pipelines.report.search_load import Searches
from pipelines.report.words import Record, records
from pipelines.search_story import diff

CODE_CHARACTERS = 60_000  # of one branch's diff

Rows = Mapping[str, list[Record]]


@dataclass(frozen=True)
class Branch:
    """One branch: ``row`` of the table branches, and what belongs to it.

    diff: of its best code to what it began with; None where it has no code. code_of: which code that is, in words.
    """

    row: Record
    given: Record
    idea: Record | None
    counts_for: Record | None
    executions: list[Record]
    audits: list[Record]
    children: list[Record]
    expansion: Record | None
    diff: str | None
    code_of: str

    @property
    def worth(self) -> tuple[bool, float]:
        """How early a reader wants its code: the result's first, then by score."""
        score = self.row["score"]
        return bool(self.row["is_result"]), float(str(score)) if score is not None else -1.0


@dataclass(frozen=True)
class Iteration:
    """One iteration: its clusters with their ideas, its branches, its lessons, and the plan that stood before it."""

    number: int
    clusters: list[Record]
    branches: list[Branch]
    lessons: list[Record]
    plan: list[Record]


@dataclass(frozen=True)
class Story:
    """One search; ``head`` is its row of search_results. held_out: verifications. stood_in: (operator, fallbacks)."""

    head: Record
    iterations: list[Iteration]
    held_out: list[Record]
    stood_in: list[tuple[str, int]]

    @property
    def branches(self) -> list[Branch]:
        """Of all iterations."""
        return [branch for iteration in self.iterations for branch in iteration.branches]


def stories(runs: Searches, tables: dict[str, pd.DataFrame]) -> list[Story]:
    """All finished searches, in the order of search_results."""
    found = []
    made = fallbacks(dict(runs.tables))
    for head in records(tables["search_results"]):
        unit = str(head["unit"])
        own = {name: records(_of(table, unit)) for name, table in runs.tables.items() if name != "calls"}
        shown = {name: records(_of(tables[name], unit)) for name in ("branches", "cluster_scores")}
        counted = _of(made, unit)["operator"].value_counts(sort=False).items()
        stood_in = [(str(name), int(n)) for name, n in counted]
        held = [row for row in own["executions"] if row["seeding"] == "held_out"]
        found.append(Story(head, _iterations(runs, unit, own, shown), held, stood_in))
    return found


def _of(table: pd.DataFrame, unit: str) -> pd.DataFrame:
    return table.loc[table["unit"] == unit]


def _iterations(runs: Searches, unit: str, own: Rows, shown: Rows) -> list[Iteration]:
    branches = _branches(runs, unit, own, shown["branches"])
    clusters = _clusters(own, shown["cluster_scores"])
    numbers = sorted({_int(row["iteration"]) for row in (*shown["branches"], *shown["cluster_scores"])})
    return [
        Iteration(
            number=number,
            clusters=[one for one in clusters if one["iteration"] == number],
            branches=[one for one in branches if one.row["iteration"] == number],
            lessons=[one for one in own["lessons"] if one["iteration"] == number],
            plan=[one for one in own["plans"] if one["after_iteration"] == number - 1],
        )
        for number in numbers
    ]


def _clusters(own: Rows, scores: Sequence[Record]) -> list[Record]:
    """Rows of cluster_scores with theme, rationale, why it has its rank, and its ideas with title, rank and score."""
    titles = {row["id"]: row["title"] for row in own["ideas"]}
    members: defaultdict[object, list[Record]] = defaultdict(list)
    for row in own["clusters"]:
        members[row["iteration"], row["cluster"]].append(row)
    ranks = {(row["iteration"], row["cluster"], row["idea_id"]): row for row in own["ranks"]}
    found = []
    for row in scores:
        place = (row["iteration"], row["cluster"])
        ideas = [
            {
                "id": one["idea_id"],
                "title": titles.get(one["idea_id"]),
                "rank": ranks.get((*place, one["idea_id"])),
                "score": _tried(own, one["idea_id"], _int(row["iteration"])),
            }
            for one in members[place]
        ]
        first = members[place][0]
        more = {"theme": first["theme"], "rationale": first["rationale"], "ranked": ranks.get((*place, None))}
        found.append({**row, **more, "members": ideas})
    return sorted(found, key=lambda row: _int(row["cluster"]))


def _tried(own: Rows, idea: object, iteration: int) -> Record | None:
    """The best attempt at an idea before an iteration."""
    tried = [row for row in own["attempts"] if row["idea_id"] == idea and _int(row["iteration"]) < iteration]
    return max(tried, key=lambda row: float(str(row["score"] if row["score"] is not None else -1)), default=None)


def _branches(runs: Searches, unit: str, own: Rows, rows: Sequence[Record]) -> list[Branch]:
    ideas = {row["id"]: row for row in own["ideas"]}
    given = {row["branch"]: row for row in own["assignments"]}
    expansions = {row["branch"]: row for row in own["expansions"]}
    last = {row["branch"]: row["solution"] for row in own["executions"] if row["solution"]}
    wanted = [str(one) for row in rows for one in (row["solution"] or last.get(row["branch"]), row["parent_solution"])]
    code = runs.code(unit, wanted)
    found = []
    for row in rows:
        number = row["branch"]
        best = row["solution"] or last.get(number)
        after, before = code.get(str(best)), code.get(str(row["parent_solution"]), {})
        names = {row["idea_id"], row["counts_for"]} - {None}
        children = [one for one in own["ideas"] if one["parent_id"] in names and one["iteration"] == row["iteration"]]
        found.append(
            Branch(
                row=row,
                given=given[number],
                idea=ideas.get(row["idea_id"]),
                counts_for=ideas.get(row["counts_for"]) if row["counts_for"] != row["idea_id"] else None,
                executions=[one for one in own["executions"] if one["branch"] == number],
                audits=[one for one in own["audits"] if one["branch"] == number],
                children=children,
                expansion=expansions.get(number),
                diff=None if after is None else cut(diff(before, after)),
                code_of=_code_of(row),
            )
        )
    return found


def _code_of(row: Record) -> str:
    """Which code a diff is of."""
    which = "Its best right code" if row["solution"] else "The last code that it tried, none of which was right,"
    parents = str(row["parents"] or "")
    start = f"the code of branch {parents.split(',')[0]}" if parents else "the baseline"
    return f"{which} against {start}"


def cut(text: str) -> str:
    """The diff, its end left out where it is very long."""
    more = len(text) - CODE_CHARACTERS
    return (
        text
        if more <= 0
        else f"{text[:CODE_CHARACTERS]}\n... and {more:,} characters more: see the run's table solutions\n"
    )


def _int(value: object) -> int:
    return int(str(value))
