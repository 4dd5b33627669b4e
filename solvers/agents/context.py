"""What a coding model is shown, within a number of characters: what it needs most is put in first, newest before older.

First the mistake to be mended, then what is asked for, the files, what failed last, code that the idea refers to; then
one line for each execution; lessons and background have what is left. Texts are in one piece each, so that the template
adds nothing that grows.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import unified_diff
from typing import Any, NamedTuple

from solvers.agents.solver import Exhibit, Workbench
from solvers.attempt import Execution
from solvers.idea import Idea
from solvers.measuring.score import End
from solvers.workspace.solution import Solution

UNSAID = {End.LOST, End.ENGINE}
"""Ends that say nothing about the code."""
NOTE = 60  # characters that a note on what is left out may take
LOG_LINES = 40
FAILURES = 2  # that are told in full
DIFF_LINES = 4000  # of a file, above which comparing takes too long
OURS = (
    "A score of 0 is that of the slow code which the task brings, 50 that of a good solution; there is room above it."
)
THEIRS = "Scores are what the task's own verifier gives, times 100."


class Standing(NamedTuple):
    """The code that the next change begins with. of: the execution that measured it; None is the start."""

    files: Solution
    of: Execution | None
    back: bool


class Given(NamedTuple):
    """What the task says, read once."""

    instruction: str
    protected: Mapping[str, bytes]


def given(bench: Workbench) -> Given:
    """The task's instruction and the files that belong to it; a foreign task protects none."""
    task = bench.task
    names = task.description.measure.protected if task.description.measure else ()
    protected = {name: (task.environment / name).read_bytes() for name in names}
    return Given((task.folder / "instruction.md").read_text(errors="replace"), protected)


def standing(bench: Workbench, patience: int) -> Standing:
    """The code of the last execution, right or not, so that it can be mended or built on.

    But that of the best so far, or the start, where ``patience`` executions in a row brought nothing better. What was
    lost does not count: its change can be made again.
    """
    best: Execution | None = None
    now, worse, back = best, 0, False
    top = bench.hint.parent_score
    for row in bench.executions:
        if row.solution is None or row.verdict in UNSAID:
            continue
        if row.correct and (top is None or (row.score or 0.0) > top):
            best, now, worse, back, top = row, row, 0, False, row.score or 0.0
            continue
        now, worse, back = row, worse + 1, False
        if worse >= patience:
            now, worse, back = best, 0, True
    code = bench.start if now is None or now.solution is None else bench.solution(now.solution)
    return Standing(code, now, back)


class Room:
    """Characters that are left."""

    def __init__(self, chars: int) -> None:
        self.left = max(chars, 0)

    def take(self, text: str, share: float = 1.0) -> str:
        """``text``, or what a share of the room holds of it."""
        shown = clipped(text, int(self.left * share))
        self.left -= len(shown)
        return shown


def clipped(text: str, most: int) -> str:
    """``text`` in ``most`` characters: its beginning and end, and a note between them; nothing where they are few."""
    if len(text) <= most:
        return text
    if most < 2 * NOTE:
        return ""
    head, tail = (most - NOTE) * 2 // 3, (most - NOTE) // 3
    return f"{text[:head]}\n[... {len(text) - head - tail} characters are left out here ...]\n{text[-tail:]}"


def values(bench: Workbench, told: Given, now: Standing, mistake: str, chars: int) -> dict[str, Any]:
    """The values of the prompt ``edit``, of ``chars`` characters in all at most."""
    room = Room(chars)
    description, hint, assignment = bench.task.description, bench.hint, bench.assignment
    minimised = description.optimization.direction == "minimize"
    return {
        "left": bench.left,
        "metric": room.take(description.optimization.metric, 0.05),
        "direction": "less" if minimised else "more",
        "scale": room.take(OURS if description.measure else THEIRS),
        "title": room.take(description.metadata.title or bench.task.name, 0.05),
        "language": room.take(description.metadata.language or "", 0.05),
        "mistake": room.take(mistake, 0.15),
        "instruction": room.take(told.instruction, 0.3),
        "order": room.take(assignment.instruction, 0.2),
        "idea": room.take(in_words(assignment.idea), 0.2) if assignment.idea else "",
        "standing": room.take(where(now, hint.parent_score)),
        "files": files_in(room, now.files.files, 0.7),
        "protected": files_in(room, told.protected, 0.4),
        "failures": room.take("\n\n".join(failures(bench.executions)), 0.6),
        "exhibits": exhibits_in(room, hint.exhibits, 0.6),
        "history": history_in(room, bench.executions, bench.best, 0.5),
        "lessons": room.take("\n".join(f"- {lesson}" for lesson in hint.lessons), 0.5),
        "brief": room.take(hint.brief),
    }


def in_words(idea: Idea) -> str:
    """An idea, as whoever builds it reads it."""
    parts = [idea.title, f"Hypothesis: {idea.short_hypothesis}", idea.abstract]
    for experiment in idea.experiments:
        parts.append("\n".join([f"Experiment: {experiment.hypothesis}", *(f"- {step}" for step in experiment.steps)]))
    parts += [f"Risks: {idea.risks}"] if idea.risks else []
    parts += [f"Techniques: {', '.join(idea.techniques)}"] if idea.techniques else []
    return "\n\n".join(parts)


def where(now: Standing, parent_score: float | None) -> str:
    """Which code the files are."""
    if now.of is None:
        score = "" if parent_score is None else f", which scores {100 * parent_score:.1f}"
        found = f"The files are those of the code to begin with{score}."
    else:
        found = f"The files are those of measurement {now.of.index}."
    back = " The last changes brought nothing better, so you are back at the best code so far." if now.back else ""
    return found + back


def line_of(row: Execution) -> str:
    """One execution in one line."""
    what = f"{row.index}. {row.about}:" if row.about else f"{row.index}."
    if row.correct:
        score = "" if row.score is None else f" scores {100 * row.score:.1f},"
        return f"{what} right,{score} {'not timed' if row.metric is None else f'{row.metric:.6g}'}"
    return f"{what} {row.verdict}{': ' + ' '.join(row.why.split())[:200] if row.why else ''}"


def failures(rows: Iterable[Execution]) -> list[str]:
    """The newest failures in full, newest first: what the compiler or the check said."""
    failed = [row for row in rows if not row.correct and row.verdict not in UNSAID]
    found = []
    for row in failed[::-1][:FAILURES]:
        log = (row.log or "").splitlines()[:LOG_LINES]
        found.append("\n".join([f"{line_of(row)[:400]}", *log]))
    return found


def history_in(room: Room, rows: list[Execution], best: Execution | None, share: float) -> str:
    """A line for each execution, in order; where not all fit, the best and the newest."""
    most = room.left * share
    lines = {
        row.index: line_of(row) + (" (the best so far)" if best is not None and row.index == best.index else "")
        for row in rows
    }
    kept: list[int] = []
    for index in sorted(lines, key=lambda index: (best is None or index != best.index, -index)):
        most -= len(lines[index]) + 1
        if most < 0:
            break
        kept.append(index)
    return room.take("\n".join(lines[index] for index in sorted(kept)))


def files_in(room: Room, files: Mapping[str, bytes], share: float) -> str:
    """Files with their names; the smallest are whole where not all fit, and those that are not text are named."""
    own = Room(int(room.left * share))
    shown = {}
    waiting = sorted(files, key=lambda name: (len(files[name]), name))
    for count, name in enumerate(waiting):
        text = readable(files[name])
        frame = len(framed(name, "")) + 1
        own.left = max(own.left - frame, 0)
        shown[name] = framed(name, own.take(text, 1 / (len(waiting) - count)))
    return room.take("\n".join(shown[name] for name in files))


def readable(content: bytes) -> str:
    """A file's text, or that it has none."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return f"[{len(content)} bytes that are no text]"


def framed(name: str, text: str) -> str:
    """A file as it is shown."""
    return f"--- {name} begins\n{text if text.endswith(chr(10)) or not text else text + chr(10)}--- {name} ends"


def exhibits_in(room: Room, exhibits: Sequence[Exhibit], share: float) -> str:
    """Other branches' code: what it is, and what it changes or, where that is shorter, its files."""
    own = Room(int(room.left * share))
    shown = []
    for count, one in enumerate(exhibits):
        each = Room(own.left // (len(exhibits) - count))
        parts = [each.take(said_of(one), 0.4)]
        if one.code is not None:
            changes = difference(one.baseline, one.code)
            whole = changes is None or len(changes) > sum(map(len, one.code.files.values()))
            parts.append(files_in(each, one.code.files, 0.95) if whole else each.take(changes or "", 0.95))
        shown.append("\n".join(part for part in parts if part))
        own.left -= len(shown[-1]) + 2
    return room.take("\n\n".join(shown))


def said_of(exhibit: Exhibit) -> str:
    """Whose code it is, and what came of it."""
    if exhibit.error:
        return f'The code of "{exhibit.idea}", which this idea is to mend, failed:\n{exhibit.error}'
    scores = f"is right and scores {100 * (exhibit.score or 0.0):.1f}"
    return f'The code of "{exhibit.idea}", which this idea takes from, {scores}:'


def difference(before: Solution, after: Solution) -> str | None:
    """What a solution changes of another, in unified form; None where it is too long to say."""
    found: list[str] = []
    for name in sorted(before.files.keys() | after.files.keys()):
        old, new = (readable(one.files.get(name, b"")).splitlines() for one in (before, after))
        if max(len(old), len(new)) > DIFF_LINES:
            return None
        found += unified_diff(old, new, f"the task's {name}", f"its {name}", lineterm="")
    return "\n".join(found)
