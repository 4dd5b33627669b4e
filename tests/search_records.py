"""A search's record made by hand, with rows in every table that a search fills: two iterations, three branches."""

from typing import Any

from actors.model import Reply
from actors.record import Outcome, Record
from actors.recorded import Call, Fact
from actors.row import Row
from solvers.assignment import Action, Assignment
from solvers.attempt import Attempt, AttemptRole, Audit, Execution, Flag, Reconstructed
from solvers.branches.order import Kept
from solvers.idea import Cluster, Experiment, Idea, Kind, Lesson, Rank, Source
from solvers.measuring.score import End, Seeding
from solvers.operators.allocate import Plan
from solvers.operators.distill import Consolidation
from solvers.operators.expand import Expansion
from solvers.operators.ideate import Ideation
from solvers.verification import SearchResult

BASELINE, FIRST, BEST = "0" * 64, "1" * 64, "2" * 64
CODE = {BASELINE: "int a;\nint b;\n", FIRST: "int a;\nint c;\n", BEST: "int a;\nint d;\n"}
NOW = 1_700_000_000.25


def idea(name: str, title: str, **more: Any) -> Idea:
    values = {"source": Source.IDEATOR, "kind": Kind.SEED, "iteration": 0, **more}
    steps = Experiment(hypothesis="it is\nfaster", steps=("build", "time"))
    written = {"short_hypothesis": "faster", "abstract": "Make it faster.", "experiments": (steps,), "risks": "none"}
    return Idea(id=name, title=title, techniques=("tiles", "unroll"), **written, **values)


IDEAS = (
    idea("i001", "Tiles"),
    idea("i002", "Prefetch"),
    idea("i003", "Smaller tiles", source=Source.REFINED, kind=Kind.PUSH_SCORE, iteration=1, parent_id="i001"),
)


def execution(branch: int, index: int, solution: str | None, score: float | None, **more: Any) -> Execution:
    right = {"verdict": End.RIGHT, "correct": True, "metric": 0.5} if score is not None else {"verdict": End.WRONG}
    values = {"seeding": Seeding.SEARCH, "score": score, "started_at": NOW, "about": "a try", **right, **more}
    return Execution(branch=branch, index=index, solution=solution, **values)


def attempt(branch: int, iteration: int, name: str, score: float | None, solution: str | None, **more: Any) -> Attempt:
    measured = {"score": score, "score_local": score, "score_basis": "local", "success": score is not None}
    values = {"parent_solution": BASELINE, "executions": 2, "seconds": 9.5, "host": "node", **measured, **more}
    return Attempt(iteration=iteration, branch=branch, idea_id=name, assigned_idea_id=name, solution=solution, **values)


def audit(branch: int, name: str, flags: tuple[Flag, ...] = (), **more: Any) -> Audit:
    values = {"phase": "before", "mechanical": (), "confidence": 0.9, "reasoning": "It is so.", "fallback": False}
    about = {"iteration": 1, "branch": branch, "idea_id": name, "flags": flags, "reconstructed_idea": None}
    return Audit(**{**about, **values, **more})


REWRITTEN = Reconstructed(
    title="Tiles of 8", short_hypothesis="h", twist=None, grounded_in="line 2", addresses="caches", mode="conservative"
)


def rows() -> list[tuple[str, Row, dict[str, Any]]]:
    """All of them, as a search's state keeps them."""
    first = Cluster(
        iteration=1, index=1, label="Memory", theme="caches", idea_ids=("i001", "i002"), rationale="w", fallback=False
    )
    chosen = Assignment(
        branch=1, iteration=1, operator="build", idea=IDEAS[0], cluster=1, cluster_action=Action.EXPLORE,
        idea_action_asked=Action.EXPLORE, idea_action_done=Action.EXPLOIT, rank=1, of=2, rationale="most promising",
    )  # fmt: skip
    again = Assignment(branch=3, iteration=2, operator="build", idea=IDEAS[2], parents=(1,), deviation="a good parent")
    kept = [Kept(solution=name, files={"sort.c": code.encode()}) for name, code in CODE.items()]
    binary = Kept(solution="3" * 64, files={"data.bin": b"\xff\x00"}, choice='{"techniques": {}}')
    held = {"seeding": Seeding.HELD_OUT, "seed": "ab"}
    result = SearchResult(
        executions=20, each=6, left_over=2, started=5, branches_planned=3, branches_done=3, iterations_done=2,
        best_branch=3, best_idea="i003", score=0.75, held_out_score=0.74, held_out_metric=0.5, failed_verifications=1,
        seconds=3600.0, ended_by="branches",
    )  # fmt: skip
    counts = {"asked": 3, "proposed": 4, "dropped": 1, "refused": 1, "kept": 2}
    ideation = Ideation(iteration=1, round=1, fallback=False, critic_fallback=True, **counts)
    expansion = Expansion(iteration=1, branch=1, proposed=3, kept=1, dropped=2, fallback=False)
    learnt = Lesson(iteration=1, tag="works", lesson="Tiles help.", context_idea="i001", fallback=False)
    ranks = {"iteration": 1, "cluster": 1, "rank": 1, "of": 2, "rationale": "w", "fallback": False}
    bare: list[tuple[str, Row]] = [
        ("ideations", ideation),
        *(("ideas", one) for one in IDEAS),
        ("plans", Plan(after_iteration=0, plan=(2, 1), rationale="as asked", fallback=True)),
        ("clusters", first),
        ("ranks", Rank(idea_id=None, **ranks)),
        ("ranks", Rank(idea_id="i001", **ranks)),
        ("assignments", chosen),
        ("assignments", Assignment(branch=2, iteration=1, operator="draft", idea=None, instruction="Try anything.")),
        ("assignments", again),
        ("attempts", attempt(1, 1, "i001", 0.5, FIRST, audit_flags=(Flag.IDEA_MISMATCH, Flag.TRIVIAL))),
        (
            "attempts",
            attempt(
                2,
                1,
                "i002",
                None,
                None,
                role=AttemptRole.DISCARDED,
                status="error",
                error_kind="lost",
                error="it broke",
            ),
        ),
        ("attempts", attempt(3, 2, "i003", 0.75, BEST, parent_solution=FIRST)),
        ("executions", execution(1, 1, FIRST, 0.5)),
        ("executions", execution(1, 2, FIRST, None, why="an output was wrong")),
        ("executions", execution(2, 1, None, None, verdict=End.LOST)),
        ("executions", execution(3, 1, BEST, 0.7)),
        ("executions", execution(3, 2, BEST, 0.75)),
        ("executions", execution(3, 1, BEST, 0.74, **held)),
        ("audits", audit(1, "i001", (Flag.IDEA_MISMATCH, Flag.TRIVIAL), mechanical=("same_as_parent", "timing"))),
        ("audits", audit(1, "i003", phase="after", reconstructed_idea=REWRITTEN)),
        ("expansions", expansion),
        ("consolidations", Consolidation(iteration=2, lessons=41, cap=40, kept=40, fallback=True)),
        *(("solutions", one) for one in (*kept, binary)),
        ("searches", result),
    ]
    return [*((table, row, {}) for table, row in bare), ("lessons", learnt, {"kept": True})]


def record(unit: str) -> Record:
    """The whole record of a search that went well, with a call of an operator and one of a branch."""
    outcome = Outcome()
    for table, row, more in rows():
        outcome.add(table, row, **more)
    reply = Reply(text="{}", prompt_tokens=10, completion_tokens=5, cost=0.0, latency=0.1)
    about = {"turn": 0, "attempt": 0, "round": 0, "prompt": "abc", "reply": reply, "started_at": NOW}
    calls = [
        Call(seat="dispatch", caller="manager", part="01.dispatch", **about),
        Call(seat="edit", caller="coder", part="b01", **about),
    ]
    return Record(unit=unit, status="ok", round=0, rows=outcome.rows, calls=calls, seconds=12.0)


def facts() -> list[Fact]:
    """What a search that goes on has in the journal: three executions started, one lost, and a held-out one."""
    measured = [execution(1, 1, FIRST, 0.25), execution(1, 2, FIRST, 0.5)]
    found = [
        Fact(part="b01", kind="execution", index=row.index, about=FIRST, round=0, value=value(row), at=NOW)
        for row in measured
    ]
    lost = Fact(part="b02", kind="execution", index=1, about=BEST, round=0, value=None, at=NOW)
    held = execution(1, 1, FIRST, 0.9, seeding=Seeding.HELD_OUT)
    return [
        *found, lost, Fact(part="", kind="held_out", index=1, about=FIRST, round=0, value=value(held), at=NOW)
    ]  # fmt: skip


def value(row: Execution) -> dict[str, Any]:
    """An execution as a fact holds it."""
    return {"execution": row.model_dump(mode="json"), "choice": "", "clock": 1.0}
