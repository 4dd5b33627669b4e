"""What an agent is told of other branches' code."""

from pathlib import Path

from workbenches import FakeBench, idea, scored

from solvers.agents.briefing import EXHIBIT_CHARS, Begin, briefing
from solvers.agents.command_settings import CommandSettings
from solvers.agents.solver import Exhibit, Hint
from solvers.tasks.task import read_task
from solvers.workspace.solution import Solution

TWICE = Path(__file__).parent.parent / "toys" / "twice"
START = Solution(files={"twice.c": b"int start;\n"})


def told(*exhibits: Exhibit) -> str:
    hint = Hint(exhibits=exhibits)
    bench = FakeBench(read_task(TWICE), idea("Shift left"), lambda *_: scored(0.1), start=START, hint=hint)
    bench.deadline = 1e12
    return briefing(bench, CommandSettings(command=("true",)), Begin(START, {}, (), 3, False))


def test_an_agent_reads_the_code_that_its_idea_takes_from_and_the_failure_that_it_is_to_mend() -> None:
    code = Solution(files={"twice.c": b"int table;\n"})
    text = told(
        Exhibit(idea="A table", code=code, baseline=START, score=0.5),
        Exhibit(idea="Lanes", code=None, baseline=START, error="rejected: no such lane"),
    )
    assert 'The code of "A table", which this idea takes from, is right and scores 50.0:' in text
    assert "--- twice.c begins\nint table;\n--- twice.c ends" in text
    assert 'The code of "Lanes", which this idea is to mend, failed:\nrejected: no such lane\n' in text
    assert "Code that the idea refers to" not in told()


def test_what_is_shown_of_other_code_is_cut_to_its_room() -> None:
    long = Solution(files=dict.fromkeys(("a.c", "b.c"), b"int many;\n" * 9000))
    shown = told(*[Exhibit(idea="Long", code=long, baseline=START, error="no\n" * 9000)] * 3)
    assert EXHIBIT_CHARS // 2 < len(shown) - len(told()) < EXHIBIT_CHARS + 500
