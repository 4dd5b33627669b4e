"""What came of branches and clusters, as operators are shown it: plain JSON values, scores x 100."""

from collections.abc import Mapping, Sequence

from solvers.assignment import Assignment
from solvers.attempt import Attempt, Execution
from solvers.idea import Cluster, Idea
from solvers.operators.views import Shown, percent
from solvers.state import State

NEWEST = 4  # executions of a branch that are shown beside its best one
WHY = 400  # characters of what an execution or a branch says went wrong


def shortened(text: str | None) -> str | None:
    """The first and the last of a long text: compilers say first what is wrong, and tracebacks last."""
    if text is None or len(text) <= WHY:
        return text
    return f"{text[: WHY // 2]} ... {text[-WHY // 2 :]}"


def executions_view(executions: Sequence[Execution]) -> list[Shown]:
    """The best execution and the newest, in order: what was tried, its verdict, its score, what went wrong."""
    best = max(executions, key=lambda one: -1.0 if one.score is None else one.score, default=None)
    newest = executions[-NEWEST:]
    return [
        {
            "index": one.index,
            "about": shortened(one.about),
            "verdict": one.verdict.value,
            "score": percent(one.score),
            "metric": one.metric,
            "baseline": one.baseline,
            "reference": one.reference,
            "why": shortened(one.why),
        }
        for one in executions
        if one is best or one in newest
    ]


def attempt_view(state: State, attempt: Attempt, executions: Sequence[Execution] = ()) -> Shown:
    """What came of a branch, under the idea that it counts for: score, error, its executions in short."""
    idea = state.ideas.get(attempt.idea_id or "")
    return {
        "iteration": attempt.iteration,
        "branch": attempt.branch,
        "idea_id": attempt.idea_id,
        "title": idea.title if idea else None,
        "short_hypothesis": idea.short_hypothesis if idea else None,
        "techniques": list(idea.techniques) if idea else [],
        "parent": parent_view(state, idea) if idea else None,
        "score": percent(attempt.score),
        "success": attempt.success,
        "error": shortened(attempt.error),
        "measured": attempt.executions,
        "executions": executions_view(executions),
    }


def parent_view(state: State, idea: Idea) -> Shown | None:
    """The parent, and its best score."""
    parent = state.ideas.get(idea.parent_id or "")
    if parent is None:
        return None
    best = state.best_of(parent.id)
    return {"id": parent.id, "title": parent.title, "score": percent(best.score) if best else None}


def clusters_view(state: State, clusters: Sequence[Cluster], ranks: Mapping[int, int]) -> list[Shown]:
    """A row per cluster: its rank where it has one, how many ideas, and what came of those that were evaluated."""
    tried = state.tried()
    rows = []
    for one in clusters:
        scores = [best.score or 0.0 for name in one.idea_ids if (best := state.best_of(name))]
        evaluated = sum(name in tried for name in one.idea_ids)
        rows.append(
            {
                "index": one.index,
                "label": one.label,
                "theme": one.theme,
                "rank": ranks.get(one.index),
                "ideas": len(one.idea_ids),
                "evaluated": evaluated,
                "unevaluated": len(one.idea_ids) - evaluated,
                "best": percent(max(scores, default=None)),
                "mean": percent(sum(scores) / len(scores)) if scores else None,
            }
        )
    return rows


def history(state: State) -> list[Shown]:
    """What was chosen before, and what came of it, branch by branch; discarded attempts are left out."""
    chosen = {row.branch: row for _, row, _ in state.rows if isinstance(row, Assignment)}
    labels: dict[tuple[int, int | None], str] = {
        (row.iteration, row.index): row.label for _, row, _ in state.rows if isinstance(row, Cluster)
    }
    rows = []
    for attempt in state.counted:
        why = chosen.get(attempt.branch)
        place = (attempt.iteration, why.cluster) if why else None
        idea = state.ideas.get(attempt.idea_id or "")
        rows.append(
            {
                "iteration": attempt.iteration,
                "branch": attempt.branch,
                "cluster": labels.get(place) if place else None,
                "cluster_action": str(why.cluster_action) if why and why.cluster_action else None,
                "idea_action": str(why.idea_action_done) if why and why.idea_action_done else None,
                "title": idea.title if idea else None,
                "score": percent(attempt.score),
                "success": attempt.success,
            }
        )
    return rows
