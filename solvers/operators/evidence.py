"""What an auditor sees of an attempt: its code, what it changed, what it measured, and what rules found."""

import json
from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from actors.row import Row
from solvers.attempt import Attempt, Execution
from solvers.operators.mechanical import Finding, findings, language, own
from solvers.operators.views import percent
from solvers.tasks.task import Task
from solvers.workspace.solution import Solution
from solvers.workspace.source import is_source

FILES, LETTERS, ALL_LETTERS, DIFF_LETTERS = 20, 24_000, 60_000, 24_000
"""The most that is shown: files, letters of one, of all, of the differences."""
DIFF_LINES = 4_000
"""Above this, in either version, comparing takes too long."""
ROWS, WORDS = 40, 300
"""Executions in the table, and letters of what one says."""


class Evidence(Row):
    """What is shown of an attempt. code: texts by name, shortened; a shortened one says so where it is.

    diff: to the code that the branch began with, in unified form; against: which that was. executions: rows with few
    columns. choice: of the best execution, as JSON (a catalogue's Choice), or "".
    """

    code: dict[str, str]
    diff: str
    against: str
    executions: tuple[dict[str, Any], ...]
    findings: tuple[Finding, ...]
    choice: str = ""

    @property
    def techniques(self) -> tuple[str, ...]:
        """The catalogue's techniques that the best execution's choice names."""
        return chosen(self.choice)


def chosen(choice: str) -> tuple[str, ...]:
    """The techniques of a choice in JSON; none where it is no such thing."""
    try:
        said = json.loads(choice) if choice else {}
    except ValueError:
        return ()
    on = said.get("techniques", {}) if isinstance(said, dict) else {}
    return tuple(map(str, on)) if isinstance(on, dict | list) else ()


def gathered(
    task: Task,
    attempt: Attempt,
    code: Solution | None,
    baseline: Solution,
    parent: Solution | None,
    executions: Sequence[Execution],
    choice: str = "",
) -> Evidence:
    """The evidence of an attempt, rules applied; arguments as in `mechanical.findings`."""
    before, against = (baseline, "the baseline") if parent is None else (parent, "the parent's code")
    shown = shortened(task, code) if code is not None else {}
    return Evidence(
        code=shown,
        diff=difference(task, before, code) if code is not None else "",
        against=against,
        executions=tuple(row(one) for one in executions[-ROWS:]),
        findings=tuple(findings(task, attempt, code, baseline, parent, executions)),
        choice=choice,
    )


def row(execution: Execution) -> dict[str, Any]:
    """An execution in the table: what it tried, how it ended, what it measured, its score x 100."""
    numbers = {"metric": execution.metric, "spread": execution.spread, "score": percent(execution.score)}
    return {
        "index": execution.index,
        "seeds": execution.seeding.value,
        "solution": (execution.solution or "")[:8],
        "verdict": execution.verdict.value,
        **{name: None if value is None else float(f"{value:.4g}") for name, value in numbers.items()},
        "about": clipped(execution.about, WORDS),
        "why": clipped(execution.why or "", WORDS),
    }


def shortened(task: Task, code: Solution) -> dict[str, str]:
    """The files as text, sources first, the task's own left out where they are as they were."""
    spoken = language(task)
    files = own(task, code).files if spoken else code.files
    order = sorted(files, key=lambda name: (spoken is not None and not is_source(name, spoken), name))
    shown: dict[str, str] = {}
    left = ALL_LETTERS
    for name in order[:FILES]:
        shown[name] = clipped(text_of(files[name]), min(LETTERS, left))
        left = max(0, left - len(shown[name]))
    if len(order) > FILES:
        shown["(more)"] = f"[{len(order) - FILES} more files are not shown]"
    return shown


def difference(task: Task, before: Solution, after: Solution) -> str:
    """The files that differ, in unified form, shortened."""
    found = []
    for name in sorted(before.files.keys() | after.files.keys()):
        old, new = (text_of(one.files.get(name, b"")).splitlines() for one in (before, after))
        if name not in after.files and (language(task) is None or name in task.measure.protected):
            continue  # not brought along, which changes nothing
        if max(len(old), len(new)) > DIFF_LINES:
            found.append(f"[{name}: too long to compare]")
        else:
            found += unified_diff(old, new, f"before/{name}", f"after/{name}", lineterm="")
    return clipped("\n".join(found), DIFF_LETTERS)


def text_of(content: bytes) -> str:
    """A file as text, or how long it is."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return f"[{len(content)} bytes that are no text]"


def clipped(text: str, most: int) -> str:
    """At most ``most`` letters, from both ends, with what was left out said in between."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} letters are not shown ...]\n{text[len(text) - half :]}"
