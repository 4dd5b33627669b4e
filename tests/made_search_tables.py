"""Small runs of searches made by hand: their tables with the real schemas, for tests of analysis and report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import pandas as pd
from made_tables import NOW, Made, Record

from pipelines.table import OF_SEARCHES

BASELINE = "int sort;\n/* slow */\n"


@dataclass
class MadeSearches(Made):
    """Rows by table of a run of searches."""

    rows: dict[str, list[Record]] = field(default_factory=lambda: {name: [] for name in OF_SEARCHES})

    def frames(self) -> dict[str, pd.DataFrame]:
        """All tables, each with the column variant that the loader adds."""
        return {name: self.frame(name).assign(variant="") for name in self.rows}

    def search(self, policy: str = "aim", replicate: int = 0, status: str = "ok", **result: object) -> Record:
        """A search with its row of units, and of searches where it is done; returns its keys."""
        unit = f"search/sort/{policy}/catalog/boss/r{replicate}/{result.pop('make', '00')}"
        keys: Record = {"unit": unit, "task": "sort", "profile": "small", "policy": policy, "solver": "catalog"}
        keys |= {"model": "boss", "replicate": replicate}
        failed = {"error_kind": "server", "error": "it broke"} if status == "error" else {}
        self.add("units", **keys, kind="search", status=status, round=0, seconds=60.0, **failed)
        if status == "ok":
            done: Record = {"executions": 14, "each": 3, "left_over": 2, "started": 6, "branches_planned": 4}
            done |= {"branches_done": 2, "iterations_done": 2, "failed_verifications": 0, "seconds": 120.0}
            self.add("searches", **{**keys, **done, "ended_by": "branches", **result})
        return keys

    def branch(
        self,
        keys: Record,
        branch: int,
        scores: Sequence[float | None],
        *,
        iteration: int = 1,
        title: str = "Tiles",
        code: str = "int sort;\n/* fast */\n",
        role: str = "attempt",
        given: Mapping[str, object] | None = None,
        start: float = 0.0,
        **attempt: object,
    ) -> None:
        """A branch whose executions score so, a minute apart from ``start`` minutes on; None: lost."""
        idea, best = f"i{branch:03d}", max((one for one in scores if one is not None), default=None)
        about: Record = {"title": title, "short_hypothesis": "it holds", "abstract": "Do it.", "risks": "none"}
        self.add("ideas", **keys, id=idea, source="ideator", kind="seed", iteration=0, **about)
        chosen: Record = {"operator": "dispatch", "idea_id": idea, "parents": "", "fallback": False, **(given or {})}
        self.add("assignments", **keys, branch=branch, iteration=iteration, **chosen)
        for index, score in enumerate(scores, 1):
            self.execution(keys, branch, index, score, start + index - 1)
        solution = f"{branch:064x}" if best is not None else None
        done: Record = {"score": best, "success": best is not None, "role": role, "audit_flags": "", "status": "ok"}
        done |= {"idea_id": idea, "assigned_idea_id": idea, "executions": len(scores), "seconds": 9.0, "host": "node"}
        done |= {"solution": solution, "parent_solution": "0" * 64}
        self.add("attempts", **{**keys, "iteration": iteration, "branch": branch, **done, **attempt})
        self.code(keys, f"{branch:064x}", code)
        self.code(keys, "0" * 64, BASELINE)

    def code(self, keys: Record, solution: str, content: str) -> None:
        """A solution of one file."""
        known = {(row["unit"], row["solution"]) for row in self.rows["solutions"]}
        if (keys["unit"], solution) not in known:
            self.add("solutions", **keys, solution=solution, file="sort.c", content=content, encoding="text")

    def execution(
        self, keys: Record, branch: int, index: int, score: float | None, minute: float, **more: object
    ) -> None:
        """One that took ten seconds, right unless it was lost."""
        ran: Record = {"verdict": "lost" if score is None else "right", "correct": score is not None, "score": score}
        ran |= {"seeding": "search", "seconds": None if score is None else 10.0, "about": f"try {index}"}
        ran |= {"metric": score, "solution": f"{branch:064x}", "started_at": NOW + timedelta(minutes=minute)}
        self.add("executions", **{**keys, "branch": branch, "index": index, **ran, **more})

    def asked(self, keys: Record, seat: str, tokens: int | None, minute: float = 0.0, **more: object) -> None:
        """A call that came back at once."""
        told: Record = {"prompt_tokens": tokens, "completion_tokens": None if tokens is None else 0, "latency": 0.0}
        told |= {"attempt": 0, "turn": 0, "round": 0, "tries": 1, "lost": 0, "part": "", "caller": "boss", "cost": 0.01}
        self.add("calls", **{**keys, **told, "seat": seat, "started_at": NOW + timedelta(minutes=minute), **more})

    def clusters(self, keys: Record, iteration: int, *ideas: Sequence[int], fallback: bool = False) -> None:
        """The clusters of an iteration, by the numbers of their ideas."""
        for cluster, members in enumerate(ideas, 1):
            about: Record = {"label": f"L{iteration}.{cluster}", "theme": "a theme", "rationale": "they are alike"}
            for number in members:
                row: Record = {**keys, **about, "iteration": iteration, "cluster": cluster, "fallback": fallback}
                self.add("clusters", **row, idea_id=f"i{number:03d}")


def one_search(title: str = "Tiles", code: str = "int sort;\n/* fast */\n") -> MadeSearches:
    """A finished search: two branches in two iterations, one verified, one discarded, audits, clusters, lessons."""
    made = MadeSearches()
    keys = made.search(best_branch=1, best_idea="i001", score=0.5, held_out_score=0.48, failed_verifications=1)
    picked: Record = {"cluster": 1, "cluster_action": "exploit", "idea_action_asked": "explore", "rank": 2, "of": 3}
    picked |= {"idea_action_done": "exploit", "rationale": "it is close", "deviation": "a good parent"}
    made.branch(keys, 1, [0.3, None, 0.5], title=title, code=code, given=picked)
    made.branch(keys, 2, [0.9], iteration=2, title=title, code=code, role="discarded", start=5.0)
    made.execution(keys, 1, 1, 0.48, 9.0, seeding="held_out")
    made.clusters(keys, 1, [1, 2])
    made.clusters(keys, 2, [2], [1], fallback=True)
    for phase, flags in (("before", "idea_mismatch"), ("after", "")):
        said: Record = {"reasoning": f"{title} is not there", "confidence": 0.8, "mechanical": "same_as_parent"}
        said |= {"reconstructed_title": f"Really {title}", "reconstructed_mode": "conservative", "fallback": False}
        made.add("audits", **keys, iteration=1, branch=1, idea_id="i001", phase=phase, flags=flags, **said)
    made.add("expansions", **keys, iteration=1, branch=1, proposed=3, kept=1, dropped=2, fallback=True)
    made.add("plans", **keys, after_iteration=0, iteration=1, branches=2, rationale="wide first", fallback=False)
    learnt: Record = {"tag": "works", "lesson": f"{title} help", "context_idea": "i001", "kept": True}
    made.add("lessons", **keys, iteration=1, fallback=False, **learnt)
    made.asked(keys, "organize", 100)
    made.asked(keys, "expand", 50, minute=4.0)
    return made
