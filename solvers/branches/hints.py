"""What a branch's solver is told beside its assignment. It hangs on earlier iterations alone, so a replay tells it too.

Not told: what branches beside it in the same iteration find.
"""

from collections.abc import Mapping, Sequence

from solvers.agents.context import LOG_LINES, UNSAID
from solvers.agents.solver import Exhibit, Hint, Known
from solvers.assignment import Assignment
from solvers.attempt import Attempt, AttemptRole
from solvers.idea import Idea, Kind
from solvers.state import State
from solvers.workspace.solution import Solution

LESSONS = 8  # the newest


def hint_of(
    state: State,
    given: Assignment,
    beside: Sequence[Assignment],
    begun: Attempt | None,
    solutions: Mapping[str, Solution],
    choices: Mapping[str, str],
    baseline: Solution,
) -> Hint:
    """The hint of one branch. beside: its iteration, itself among them; begun: the attempt whose code it begins with.

    solutions, choices: of the search, by hash; baseline: what branches without a parent begin with.
    """
    return Hint(
        lessons=tuple(f"[{one.tag}] {one.lesson}" for one in state.lessons[-LESSONS:]),
        parent_score=begun.score if begun else None,
        parent_choice=choices.get((begun.solution if begun else None) or "", ""),
        brief=state.task.brief,
        measured=measured(state, choices),
        share=share(given, beside),
        exhibits=exhibits(state, given.idea, begun, solutions, baseline) if given.idea else (),
    )


def measured(state: State, choices: Mapping[str, str]) -> dict[str, Known]:
    """Every solution with a verdict, by hash, as it came out first. None of a discarded attempt counts as right."""
    discarded = {one.branch for one in state.attempts if one.role is AttemptRole.DISCARDED}
    found: dict[str, Known] = {}
    for branch, rows in sorted(state.evidence.items()):
        for row in rows:
            if row.solution is not None and row.verdict not in UNSAID:
                right = row.correct and branch not in discarded
                choice = choices.get(row.solution, "")
                known = Known(correct=right, score=row.score, metric=row.metric, choice=choice)
                found.setdefault(row.solution, known)
    return found


def share(given: Assignment, beside: Sequence[Assignment]) -> tuple[int, int]:
    """Which of how many a branch is, from 0, among those of its iteration that were given the very same work."""
    alike = [one.branch for one in beside if unnamed(one) == unnamed(given)]
    return alike.index(given.branch), len(alike)


def unnamed(given: Assignment) -> Assignment:
    """The work without its number and the id of its idea."""
    idea = given.idea.model_copy(update={"id": ""}) if given.idea else None
    return given.model_copy(update={"branch": 0, "idea": idea})


def exhibits(
    state: State, idea: Idea, begun: Attempt | None, solutions: Mapping[str, Solution], baseline: Solution
) -> tuple[Exhibit, ...]:
    """What an idea refers to: the sibling's best code that it takes from, the parent's failure that it is to mend."""
    found = []
    best = state.best_of(idea.sibling_referenced) if idea.sibling_referenced else None
    code = solutions.get(best.solution or "") if best is not None else None
    if best is not None and code is not None and (begun is None or begun.solution != best.solution):
        title = state.ideas[str(best.idea_id)].title
        found.append(Exhibit(idea=title, code=code, baseline=baseline, score=best.score))
    tried = [one for one in state.counted if one.idea_id == idea.parent_id] if idea.kind is Kind.FIX_ERROR else []
    if tried:
        title, (wrong, error) = state.ideas[str(idea.parent_id)].title, failure(state, tried[-1])
        found.append(Exhibit(idea=title, code=solutions.get(wrong or ""), baseline=baseline, error=error))
    return tuple(found)


def failure(state: State, tried: Attempt) -> tuple[str | None, str]:
    """The last code of an attempt that was not right, and what was said of it; or what ended the branch."""
    wrong = [row for row in state.evidence.get(tried.branch, ()) if not row.correct and row.verdict not in UNSAID]
    if not wrong:
        return None, tried.error or "it measured nothing"
    last = wrong[-1]
    return last.solution, "\n".join([f"{last.verdict}: {last.why or ''}", *(last.log or "").splitlines()[:LOG_LINES]])
