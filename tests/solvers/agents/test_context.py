"""What a coding model is shown: which code comes next, and that a prompt keeps within its room."""

from pathlib import Path
from typing import Any

import pytest
from workbenches import FakeBench, failed, idea, scored

from actors.prompt import Request, prompt_bytes
from solvers.agents.context import clipped, given, line_of, standing, values
from solvers.agents.solver import Exhibit, Hint
from solvers.measuring.score import End, Score
from solvers.tasks.task import Description, Task, read_task
from solvers.workspace.solution import Solution

TWICE = Path(__file__).parent.parent / "toys" / "twice"
START = Solution(files={"twice.c": b"int start;\n"})


def code(number: int) -> Solution:
    return Solution(files={"twice.c": f"int version_{number};\n".encode()})


async def tried(*scores: Score, **more: Any) -> FakeBench:
    """A bench that has measured versions 1, 2, ..."""
    rows = list(scores)
    bench = FakeBench(read_task(TWICE), idea("Shift left"), lambda *_: rows.pop(0), len(rows) + 3, start=START, **more)
    for number in range(1, len(rows) + 1):
        await bench.evaluate(code(number), about=f"version {number}")
    return bench


WRONG = failed(End.WRONG, "case 3: not twice")


@pytest.mark.parametrize(
    ("scores", "parent", "version", "back"),
    [
        ([], None, 0, False),
        ([scored(0.2)], None, 1, False),
        ([scored(0.2), scored(0.1)], None, 2, False),
        ([scored(0.2), scored(0.1), WRONG], None, 1, True),
        ([scored(0.2), WRONG, scored(0.2), WRONG], None, 4, False),  # the second chance begins with the best
        ([scored(0.2), WRONG, scored(0.3), WRONG], None, 4, False),
        ([scored(0.2), WRONG, failed(End.LOST), failed(End.ENGINE)], None, 2, False),
        ([WRONG, failed(End.REJECTED)], None, 0, True),
        ([scored(0.2), scored(0.1)], 0.4, 0, True),
        ([scored(0.2), scored(0.5)], 0.4, 2, False),
    ],
)
async def test_the_next_change_begins_with_the_last_code_or_again_with_the_best(
    scores: list[Score], parent: float | None, version: int, back: bool
) -> None:
    bench = await tried(*scores, hint=Hint(parent_score=parent))
    now = standing(bench, patience=2)
    assert now.files == (code(version) if version else START)
    assert (now.back, now.of and now.of.index) == (back, version or None)


def rendered(bench: FakeBench, chars: int, mistake: str = "") -> str:
    shown = values(bench, given(bench), standing(bench, 2), mistake, chars)
    return "\n".join(message["content"] for message in Request("edit", shown, None, 1.0).messages())


async def test_all_that_matters_is_shown() -> None:
    hint = Hint(lessons=("Shifts are cheap.",), parent_score=0.25, brief="On doubling.")
    log = "\n".join(["twice.c:1: error: no", *(f"line {n}" for n in range(2, 60))])
    bench = await tried(scored(0.5), failed(End.REJECTED, "twice.c:1: error: no", log), hint=hint)
    text = rendered(bench, 50_000, "twice.c: no such line")
    for words in (
        "Shift left",
        "Hypothesis: It helps.",
        "- Shifts are cheap.",
        "On doubling.",
        "seconds, less is better. A score of 0",
        "--- twice.c begins\nint version_2;\n--- twice.c ends",
        "--- twice.h begins",
        "files are those of measurement 2.",
        "1. version 1: right, scores 50.0, 0.75 (the best so far)",
        "2. version 2: rejected: twice.c:1: error: no",
        "line 40\n",
        "twice.c: no such line",
        "3 measurements are left",
    ):
        assert words in text
    assert "line 41" not in text
    assert (TWICE / "instruction.md").read_text().strip()[:200] in text


@pytest.mark.parametrize("chars", [0, 500, 3000, 8000, 20_000, 200_000])
async def test_a_prompt_keeps_within_its_room(chars: int) -> None:
    long = "many words " * 3000
    rows = [failed(End.CRASH, long, "log\n" * 5000) if n % 2 else scored(n / 100) for n in range(60)]
    exhibit = Exhibit(idea="Other", code=Solution(files={"a": long.encode()}), baseline=START, error=long)
    hint = Hint(lessons=(long,) * 5, brief=long, parent_score=1.0, exhibits=(exhibit,) * 2)  # back at the start
    bench = await tried(*rows, hint=hint)
    bench.assignment = bench.assignment.model_copy(update={"instruction": long})
    names = [f"folder/file_{n:03d}.c" for n in range(150)]
    bench.start = Solution(files={name: b"int x;\n" * n * 9 for n, name in enumerate(names)} | {"b": b"\xff"})
    assert standing(bench, 2).files == bench.start
    assert len(rendered(bench, chars, long)) <= chars + prompt_bytes("edit")


async def test_the_newest_and_the_best_outlast_the_others_in_little_room() -> None:
    bench = await tried(scored(0.1), scored(0.6), *(scored(0.2) for _ in range(200)))
    text = rendered(bench, 9000)
    assert "2. version 2: right, scores 60.0, 0.7 (the best so far)" in text
    assert "202. version 202:" in text
    assert "201. version 201:" in text
    assert "1. version 1:" not in text.splitlines()
    assert "3. version 3: right, scores 20.0, 0.9" not in text.splitlines()


async def test_a_file_that_is_too_long_is_cut_in_the_middle_and_small_ones_stay_whole() -> None:
    bench = FakeBench(read_task(TWICE), idea("i"), lambda *_: scored(0.1))
    large = "first line\n" + "middle\n" * 9000 + "last line\n"
    bench.start = Solution(files={"large.c": large.encode(), "small.c": b"int small;\n"})
    text = rendered(bench, 20_000)
    assert "--- small.c begins\nint small;\n--- small.c ends" in text
    assert "--- large.c begins\nfirst line\n" in text
    assert "last line\n--- large.c ends" in text
    assert "characters are left out here" in text
    assert len(rendered(bench, 20_000)) > 10_000


async def test_code_that_an_idea_takes_from_is_shown_as_what_it_changes() -> None:
    lines = [f"int line_{number};" for number in range(50)]
    before, after = ("\n".join(some).encode() for some in (lines, [*lines[:25], "int table;", *lines[26:]]))
    code, baseline = Solution(files={"twice.c": after}), Solution(files={"twice.c": before})
    exhibit = Exhibit(idea="A table", code=code, baseline=baseline, score=0.625)
    text = rendered(await tried(hint=Hint(exhibits=(exhibit,))), 50_000)
    assert 'The code of "A table", which this idea takes from, is right and scores 62.5:\n--- the task' in text
    assert "-int line_25;\n+int table;\n" in text
    assert "int line_5;" not in text


async def test_code_that_is_all_new_is_shown_whole_and_with_what_was_said_of_it() -> None:
    exhibit = Exhibit(idea="Lanes", code=code(9), baseline=START, error="rejected: no such lane\ntwice.c:7: error")
    bare = Exhibit(idea="Nothing", code=None, baseline=START, error="no reply could be followed")
    text = rendered(await tried(hint=Hint(exhibits=(exhibit, bare))), 50_000)
    assert "which this idea is to mend, failed:\nrejected: no such lane\ntwice.c:7: error\n--- twice.c begins" in text
    assert "int version_9;\n--- twice.c ends" in text
    assert 'The code of "Nothing", which this idea is to mend, failed:\nno reply could be followed\n' in text


def test_clipping_keeps_both_ends() -> None:
    assert clipped("abc", 3) == "abc"
    assert clipped("a" * 1000, 100) == ""
    cut = clipped("a" * 500 + "b" * 500, 300)
    assert len(cut) <= 300
    assert (cut[:100], cut[-60:]) == ("a" * 100, "b" * 60)


async def test_a_foreign_task_has_no_protected_files_and_no_scale_of_ours(tmp_path: Path) -> None:
    (tmp_path / "instruction.md").write_text("Write the answer to answer.txt.")
    bench = FakeBench(Task(tmp_path, Description()), "Try the obvious.", lambda *_: scored(0.1))
    text = rendered(bench, 20_000)
    assert "reward, more is better. Scores are what the task's own verifier gives" in text
    assert "Try the obvious." in text
    assert "belong to the task" not in text
    assert "There are none yet" in text


async def test_a_line_says_how_it_ended() -> None:
    bench = await tried(scored(0.123), failed(End.TIME, "too\n long"), failed(End.LOST))
    assert [line_of(row) for row in bench.executions] == [
        "1. version 1: right, scores 12.3, 0.9385",
        "2. version 2: time: too long",
        "3. version 3: lost",
    ]
