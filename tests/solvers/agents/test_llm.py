"""The solver that asks a model: edits that land, are mended, are measured; what ends a branch; replay."""

import json
from pathlib import Path
from typing import Any

import pytest
from asking import answering, spec
from loopback import Loopback
from workbenches import FakeBench, SayingModel, failed, idea, scored

from actors.endpoint import EndpointModel
from actors.errors import ErrorKind, UnitFault
from actors.model import Model, Reply
from actors.recorded import Recorded
from solvers.agents.llm import LlmSettings, LlmSolver
from solvers.agents.solver import Exhibit, Hint, Over
from solvers.measuring.score import End, Score
from solvers.tasks.task import Description, Task, read_task
from solvers.workspace.solution import Solution

TWICE = Path(__file__).parent.parent / "toys" / "twice"
START = Solution(files={"twice.c": b"int f(int x)\n{\n    return x + x;\n}\n"})


def to(new: str, old: str = "    return x + x;", change: str = "another return") -> str:
    return f"CHANGE: {change}\nFILE: twice.c\n<<<<<<< SEARCH\n{old}\n=======\n    {new}\n>>>>>>> REPLACE\n"


def measure(solution: Solution, _: str) -> Score:
    """A shift is best; what is not C fails to build; three times x is wrong."""
    code = solution.files["twice.c"].decode()
    if "return x << 1;" in code:
        return scored(0.9)
    if "return 2 * x;" in code:
        return scored(0.4)
    if "return 3 * x;" in code:
        return failed(End.WRONG, "case 1: 3 is not 2")
    return failed(End.REJECTED, "twice.c:3: error: what", "twice.c:3: error: what\n    3 |    rubbish")


def bench_of(model: Model | None, executions: int = 4, recorded: Recorded | None = None) -> FakeBench:
    return FakeBench(
        read_task(TWICE), idea("Shift left"), measure, executions, start=START, model=model, recorded=recorded
    )


async def solved(bench: FakeBench, **settings: Any) -> list[tuple[str, float | None, str]]:
    await LlmSolver(LlmSettings(**settings)).solve(bench)
    return [(row.verdict.value, row.score, row.about) for row in bench.executions]


async def test_an_edit_lands_and_the_next_one_builds_on_it() -> None:
    model = SayingModel([to("return 2 * x;"), to("return x << 1;", "    return 2 * x;", "a shift")])
    bench = bench_of(model, executions=2)
    assert await solved(bench) == [("right", 0.4, "another return"), ("right", 0.9, "a shift")]
    assert bench.best
    assert bench.solution(bench.best.solution or "").files["twice.c"] == b"int f(int x)\n{\n    return x << 1;\n}\n"
    assert [request.reply for request in model.asked] == [None, None]
    assert [(call.seat, call.turn, call.attempt) for call in bench.tape.calls] == [("edit", 1, 0), ("edit", 2, 0)]
    assert "2 measurements are left" in model.prompt(0)
    assert "return x + x;" in model.prompt(0)
    assert "1. another return: right, scores 40.0" in model.prompt(1)
    assert "return 2 * x;" in model.prompt(1)
    assert "last measurement" in model.prompt(1)


async def test_the_model_reads_code_that_the_idea_refers_to_and_changes_its_own() -> None:
    other = Solution(files={"twice.c": START.files["twice.c"].replace(b"x + x", b"3 * x")})
    model = SayingModel([to("return 2 * x;")])
    bench = bench_of(model, executions=1)
    bench.hint = Hint(exhibits=(Exhibit(idea="Thrice", code=other, baseline=START, error="wrong: 3 is not 2"),))
    assert await solved(bench) == [("right", 0.4, "another return")]
    assert 'The code of "Thrice", which this idea is to mend, failed:\nwrong: 3 is not 2\n' in model.prompt(0)
    assert "return 3 * x;" in model.prompt(0)


async def test_an_edit_that_cannot_be_made_is_told_and_costs_nothing() -> None:
    model = SayingModel(
        [to("return 1;", "    return x+x;"), "FILE: twice.h\n<<<<<<< WHOLE\n>>>>>>> END", to("return 2 * x;")]
    )
    bench = bench_of(model, executions=1)
    assert await solved(bench) == [("right", 0.4, "another return")]
    assert "twice.c: what is searched for does not stand there" in model.prompt(1)
    assert "the nearest are lines 3 to 5:\n        return x + x;" in model.prompt(1)
    assert "twice.h: belongs to the task and stays as it is" in model.prompt(2)
    first, _, last = bench.tape.calls
    assert (first.reply.error_kind, last.reply.error_kind) == ("invalid", None)
    assert first.reply.error == "cannot be followed: twice.c: what is searched for does not stand there:"


async def test_a_build_error_and_a_wrong_result_are_shown() -> None:
    model = SayingModel(
        [
            to("rubbish"),
            to("return 3 * x;", "    rubbish"),
            to("return 2 * x;"),
            to("return x << 1;", "    return 2 * x;"),
        ]
    )
    bench = bench_of(model)
    assert [verdict for verdict, *_ in await solved(bench)] == ["rejected", "wrong", "right", "right"]
    assert "twice.c:3: error: what\n    3 |    rubbish" in model.prompt(1)
    assert "    rubbish\n}" in model.prompt(1)
    assert "2. another return: wrong: case 1: 3 is not 2" in model.prompt(2)
    assert "you are back at the best code so far" in model.prompt(
        2
    )  # after two in a row; the third edit fits the start
    assert "    return x + x;\n}" in model.prompt(2)


async def test_code_that_is_known_is_not_measured_again() -> None:
    model = SayingModel(
        [
            to("return x + x;"),
            to("return 2 * x;"),
            to("return x << 1;", "    return 2 * x;"),
            to("return 2 * x;", "    return x << 1;"),
            to("return 3 * x;", "    return x << 1;"),
        ]
    )
    bench = bench_of(model, executions=3)
    assert [score for _, score, _ in await solved(bench)] == [0.4, 0.9, 0.0]
    assert "the changes leave the files as they are" in model.prompt(1)
    assert "the changes make the files those of measurement 1 again" in model.prompt(4)


async def test_replies_that_cannot_be_followed_end_a_branch() -> None:
    with pytest.raises(UnitFault, match="no reply in 3 could be followed: the reply holds no edit") as fault:
        await solved(bench_of(SayingModel(["I will not."] * 3)))
    assert fault.value.kind is ErrorKind.INVALID
    later = bench_of(SayingModel([to("return 2 * x;"), "Done.", "Really."]))
    assert await solved(later, rounds=2) == [("right", 0.4, "another return")]


def trouble(kind: ErrorKind, **more: Any) -> Reply:
    return Reply(text=None, latency=0.0, error_kind=kind, error=f"m: {kind}", **more)


@pytest.mark.parametrize("kind", [ErrorKind.CONNECTION, ErrorKind.AUTH, ErrorKind.RATE, ErrorKind.TIMEOUT])
async def test_an_endpoint_in_trouble_ends_the_branch_and_a_later_life_goes_on(kind: ErrorKind) -> None:
    first = bench_of(SayingModel([to("return 2 * x;"), trouble(kind)]))
    with pytest.raises(UnitFault, match=f"edit 2: m: {kind}") as fault:
        await solved(first)
    assert fault.value.kind is kind
    model = SayingModel([to("return x << 1;", "    return 2 * x;")])
    second = bench_of(model, executions=2, recorded=first.recorded)
    assert [score for _, score, _ in await solved(second)] == [0.4, 0.9]
    assert (second.measured, [call.attempt for call in second.tape.calls]) == (1, [0, 0, 1])


async def test_a_prompt_that_did_not_fit_is_made_shorter() -> None:
    large = Solution(files={"twice.c": START.files["twice.c"] + b"// filling\n" * 9000})
    model = SayingModel([trouble(ErrorKind.CONTEXT), trouble(ErrorKind.FILTERED), to("return 2 * x;")])
    bench = bench_of(model, executions=1)
    bench.start = large
    assert [score for _, score, _ in await solved(bench)] == [0.4]
    lengths = [len(model.prompt(number)) for number in range(3)]
    assert lengths[1] < 0.6 * lengths[0] < 0.6 * 60_000
    assert abs(lengths[2] - lengths[1]) < 200
    small = SayingModel([to("return 2 * x;")], context_tokens=8000, max_tokens=4000)
    bench = bench_of(small, executions=1)
    bench.start = large
    await solved(bench)
    assert len(small.prompt(0)) <= 12_000


async def test_a_recorded_branch_is_replayed_without_asking_or_measuring() -> None:
    replies = [to("rubbish"), "no edit", to("return 2 * x;", "    rubbish"), to("return x << 1;", "    return 2 * x;")]
    first = bench_of(SayingModel(replies), executions=3)
    told = await solved(first)
    assert [score for _, score, _ in told] == [0.0, 0.4, 0.9]
    silent = SayingModel([])
    second = bench_of(silent, executions=3, recorded=first.recorded)
    assert await solved(second) == told
    assert (silent.asked, second.measured) == ([], 0)
    assert second.recorded == first.recorded
    assert second.tape.rest() == []


async def test_an_interrupted_branch_goes_on_where_it_stopped() -> None:
    replies = [to("rubbish"), "no edit", to("return 2 * x;", "    rubbish")]
    whole = bench_of(SayingModel(replies), executions=2)
    told = await solved(whole)
    left = whole.recorded.model_copy(update={"calls": whole.recorded.calls[:2]})
    model = SayingModel(replies[2:])
    cut = bench_of(model, executions=2, recorded=left.model_copy(update={"facts": left.facts[:1]}))
    assert await solved(cut) == told
    assert (len(model.asked), cut.measured) == (1, 1)
    assert "the reply holds no edit" in model.prompt(0)


async def test_a_reply_that_was_cut_off_says_so() -> None:
    short = Reply(text=to("return 2 * x;")[:-20], latency=0.0, finish_reason="length", completion_tokens=4096)
    model = SayingModel([short, to("return 2 * x;")])
    await solved(bench_of(model, executions=1))
    assert "cut off at 4096 tokens: write less in one reply\ntwice.c: a block lacks its line >>>>>>>" in model.prompt(1)


async def test_nothing_is_asked_where_no_time_is_left_and_a_model_is_needed() -> None:
    model = SayingModel([to("return 2 * x;")])
    late = bench_of(model)
    late.deadline = 0.0
    with pytest.raises(Over):
        await solved(late)
    assert model.asked == []
    with pytest.raises(UnitFault, match="the llm solver has no model"):
        await solved(bench_of(None))


async def test_a_foreign_task_without_any_files_is_worked_on(tmp_path: Path) -> None:
    (tmp_path / "instruction.md").write_text("Write 42 to answer.txt.")
    model = SayingModel(["FILE: answer.txt\n<<<<<<< WHOLE\n42\n>>>>>>> END"])
    bench = FakeBench(Task(tmp_path, Description()), "Go.", lambda *_: scored(1.0), executions=1, model=model)
    assert await solved(bench) == [("right", 1.0, "edits answer.txt")]
    assert bench.solution(bench.executions[0].solution or "").files == {"answer.txt": b"42\n"}


async def test_an_endpoint_answers_in_plain_text() -> None:
    message = {"role": "assistant", "content": f"<think>FILE: x</think>{to('return x << 1;')}"}
    said = {"choices": [{"finish_reason": "stop", "message": message}], "usage": {"prompt_tokens": 9}}
    async with answering(json.dumps(said).encode()) as base:
        bench = bench_of(EndpointModel(spec(base)), executions=1)
        assert await solved(bench) == [("right", 0.9, "another return")]
    with Loopback() as server, pytest.raises(UnitFault, match="could be followed"):
        await solved(bench_of(EndpointModel(spec(server.url))))
    assert len(server.bodies) == 3
    assert all("response_format" not in body for body in server.bodies)
    assert len({body["seed"] for body in server.bodies}) == 3
