"""What an agent that has evaluated is told."""

from typing import NamedTuple

from solvers.attempt import Execution

NOT_YET = 75
LOG = 6000  # characters of a compiler's log


class Verdict(NamedTuple):
    """code: evaluate's exit code; 0 is right, 1 not, 2 was not counted, 75 is not known yet. last: none may follow."""

    code: int
    text: str
    last: bool = False


def verdict_of(execution: Execution, left: int, seconds: float) -> Verdict:
    """An execution in words."""
    lines = [f"verdict: {execution.verdict.value}", f"correct: {'yes' if execution.correct else 'no'}"]
    if execution.score is not None:
        lines.append(f"score: {100 * execution.score:.2f} of 100")
    if execution.metric is not None:
        lines.append(f"time: {execution.metric:.6g} s a case{anchors(execution)}")
    if execution.why:
        lines.append(f"why: {execution.why}")
    if execution.log:
        lines.append(f"log:\n{execution.log[:LOG].rstrip()}")
    lines.append(f"executions left: {left}; minutes left: {seconds / 60:.1f}")
    return Verdict(0 if execution.correct else 1, "\n".join(lines) + "\n", last=left <= 0)


def anchors(execution: Execution) -> str:
    """The scale's two ends, where they are known; metric is seconds for tasks of ours alone."""
    if execution.baseline is None or execution.reference is None:
        return ""
    return f" (baseline {execution.baseline:.6g} s, reference {execution.reference:.6g} s)"
