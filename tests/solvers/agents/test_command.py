"""A coding agent in its container: it edits, evaluates, asks models through our gateway, and can do nothing else."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from agents_at_work import UID, Work, agent, by_speed, spec
from loopback import Loopback

from actors.budget import Caps
from actors.channel import Stopped
from actors.errors import BadInput, ErrorKind, UnitFault
from solvers.agents.command import CommandSolver
from solvers.agents.command_settings import CommandSettings
from solvers.containers.engine import Engine
from solvers.measuring.anchors import baseline
from solvers.measuring.evaluator import Evaluator
from solvers.measuring.score import End, Score
from solvers.tasks.task import Task
from solvers.workspace.solution import Refused, Solution


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture
async def work(tmp_path: Path, engine: Engine, toy: Task, server: Loopback) -> AsyncIterator[Work]:
    made = Work(tmp_path, engine, toy, spec(server.url))
    yield made
    await made.desk.close()
    assert made.containers() == []


def said(bench: object) -> dict[str, object]:
    """What is kept of the agent's life."""
    facts = bench.tape.facts  # type: ignore[attr-defined]
    (fact,) = [fact for fact in facts if fact.kind == "agent" and fact.value is not None]
    value: dict[str, object] = fact.value
    return value


EDITS = """
grep -q 'Make it faster' "$1" && grep -q '3 executions' "$1" || exit 9
sed -i 's/speed = 1/speed = 20/' twice.c
evaluate first try; echo "code $?"
sed -i 's/speed = 20/speed = x/' twice.c
bash -lc 'evaluate broken'; echo "code $?"
said=$(ask /v1/chat/completions '{"model":"any","messages":[{"role":"user","content":"how fast?"}],"max_tokens":9999}')
number=$(printf %s "$said" | tail -1 | grep -o '[0-9]*' | tail -1)
echo "$said" | head -1
echo "int speed = 50; // $(printf %s "$said" | grep -o '"content": *"[^"]*"')" >twice.c
evaluate what the model said; echo "code $?"
sleep 100
"""


async def test_it_edits_evaluates_and_asks_models(work: Work, server: Loopback) -> None:
    bench = work.bench()
    await CommandSolver(agent(EDITS)).solve(bench)
    assert [row.verdict for row in bench.executions] == [End.RIGHT, End.WRONG, End.RIGHT]
    assert [row.about for row in bench.executions] == ["first try", "broken", "what the model said"]
    best = bench.best
    assert best is not None
    assert best.score == 0.5
    (body,) = server.bodies
    assert (body["model"], body["max_tokens"]) == ("served-name", 100)
    (call,) = work.calls()
    assert (call.seat, call.turn, call.caller, call.part) == ("agent", 1, "coder", "b01")
    assert call.reply.text
    assert call.reply.text.encode() in bench.solution(best.solution or "").files["twice.c"]
    assert (call.reply.prompt_tokens, call.reply.completion_tokens) == (2, 2)
    assert said(bench)["ended"] == "-9"  # nothing is left to evaluate, so it is over
    assert "code 0" in str(said(bench)["said"])
    assert "HTTP/1.1 200 OK" in str(said(bench)["said"])


async def test_what_it_never_evaluated_is_measured_once_when_it_ends(work: Work) -> None:
    bench = work.bench()
    await CommandSolver(agent("echo 'int speed = 30;' >twice.c; mkdir more; echo x >more/notes")).solve(bench)
    (row,) = bench.executions
    assert (row.score, row.about) == (0.3, "what the agent left")
    assert sorted(bench.solution(row.solution or "").files) == ["more/notes", "twice.c", "twice.h"]
    assert said(bench)["ended"] == "0"


async def test_one_that_never_ends_is_stopped_in_time_for_a_last_measurement(work: Work) -> None:
    bench, began = work.bench(seconds=6.0), time.monotonic()
    script = "echo 'int speed = 30;' >twice.c; (trap '' TERM; while :; do sleep 1; done) & while :; do :; done"
    await CommandSolver(agent(script, spare_seconds=3.0)).solve(bench)
    assert time.monotonic() - began < 6
    assert [row.score for row in bench.executions] == [0.3]
    assert said(bench)["ended"] == "late"


async def test_an_agent_that_cannot_even_start_is_an_error_that_says_why(work: Work) -> None:
    bench = work.bench()
    settings = agent("").model_copy(update={"command": ("no-such-agent", "{prompt}")})
    with pytest.raises(UnitFault, match="exit code 127 and changed nothing; it said: no-such-agent: No such file"):
        await CommandSolver(settings).solve(bench)
    assert bench.executions == []


async def test_a_workspace_that_is_no_solution_is_told_and_not_counted(work: Work) -> None:
    bench = work.bench(allowed=1)
    script = """
    ln -s /etc/passwd link; evaluate; echo "code $?"; rm link
    head -c 5000000 /dev/zero >large; evaluate; echo "code $?"; rm large
    mkfifo pipe; evaluate; echo "code $?"; rm pipe
    for i in 1 2 3 4 5 6 7; do head -c 4000000 /dev/zero >large$i; done; evaluate; echo "code $?"
    """
    with pytest.raises(UnitFault, match="evaluated nothing, and left no solution: the workspace is larger than"):
        await CommandSolver(agent(script)).solve(bench)
    assert (bench.executions, bench.left) == ([], 1)
    bench = work.bench(allowed=1)
    await CommandSolver(agent(script + "rm large*; echo 'int speed = 30;' >twice.c; evaluate again")).solve(bench)
    told = str(said(bench)["said"])
    assert told.count("refused, and not counted") == 4
    assert "link: a symbolic link, not a regular file" in told
    assert "large: larger than 4194304 bytes" in told
    assert told.count("code 2") == 4
    assert [row.about for row in bench.executions] == ["again"]


async def test_two_that_evaluate_at_once_wait_for_each_other(work: Work) -> None:
    bench = work.bench(allowed=4)
    script = "for i in 1 2 3; do (evaluate number $i; echo code $?) & done; wait"
    await CommandSolver(agent(script)).solve(bench)
    assert sorted(row.about for row in bench.executions) == ["number 1", "number 2", "number 3"]
    assert str(said(bench)["said"]).count("code 0") == 3


async def test_a_long_measurement_is_heard_of_later(work: Work) -> None:
    async def slow(solution: Solution | Refused) -> Score:
        await asyncio.sleep(1.0)
        return await by_speed(solution)

    work.measure = slow
    bench = work.bench()
    script = """
    evaluate --wait; echo "first $?"
    evaluate; echo "second $?"; evaluate; echo "third $?"
    while evaluate --wait; code=$?; [ $code = 75 ]; do :; done; echo "last $code"
    evaluate --wait | grep -c score
    """
    await CommandSolver(agent(script, evaluate_seconds=0.3)).solve(bench)
    told = str(said(bench)["said"])
    assert len(bench.executions) == 1
    assert [word for word in ("first 2", "second 75", "third 75", "last 0") if word not in told] == []
    assert told.endswith("minutes left: 1.0\nlast 0\n1\n")  # it can be heard of once more
    assert "score: 1.00 of 100" in told


async def test_a_later_life_goes_on_from_the_best(work: Work, server: Loopback) -> None:
    bench = work.bench()
    script = """
    sed -i 's/speed = 1/speed = 40/' twice.c; evaluate good
    ask /v1/chat/completions '{"messages":[{"role":"user","content":"one"}]}'
    sed -i 's/speed = 40/speed = 2/' twice.c; evaluate bad; sleep 100
    """
    life = asyncio.create_task(CommandSolver(agent(script)).solve(bench))
    while len(bench.executions) < 2:
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.1)
    life.cancel()
    with pytest.raises(asyncio.CancelledError):
        await life
    assert work.containers() == []
    again = work.bench()
    script = """
    grep -q 'begun before' "$1" && grep -q 'good: right, score 40.00' "$1" && grep -q '1 execution ' "$1" || exit 8
    ask /v1/chat/completions '{"messages":[{"role":"user","content":"two"}]}'
    sed -i 's/speed = 40/speed = 60/' twice.c; evaluate better
    """
    await CommandSolver(agent(script)).solve(again)
    assert [(row.about, row.score) for row in again.executions] == [("good", 0.4), ("bad", 0.02), ("better", 0.6)]
    assert [call.turn for call in again.tape.calls] == [2]
    assert [(call.turn, call.used) for call in again.tape.rest()] == [(1, False)]
    third = work.bench()  # its agent is done: no other one begins
    await CommandSolver(agent("exit 7")).solve(third)
    assert third.executions == again.executions
    assert server.total == 2


async def test_only_the_branchs_token_and_three_paths_are_served(work: Work, server: Loopback) -> None:
    script = """
    body='{"messages":[{"role":"user","content":"x"}]}'
    right=$TOKEN
    TOKEN=wrong; ask /v1/chat/completions "$body" | head -1
    TOKEN=; ask /v1/chat/completions "$body" | head -1
    TOKEN=$right; ask /v1/embeddings "$body" | head -1
    ask /v1/chat/completions/../../counts "$body" | head -1
    ask http://127.0.0.1/v1/chat/completions "not json" | head -1
    ask /chat/completions "$body" | head -1
    (exec 3<>/dev/tcp/1.1.1.1/80) 2>&1 | grep -o unreachable
    id -u; grep -i capeff /proc/self/status; env | grep -ic key; touch /heuresis/x 2>&1 | grep -o Read-only
    """
    bench = work.bench()
    await CommandSolver(agent(script)).solve(bench)
    told = str(said(bench)["said"]).splitlines()
    statuses = [line.split()[1] for line in told if line.startswith("HTTP")]
    assert statuses == ["401", "401", "404", "404", "400", "200"]
    assert told[-5:] == ["unreachable", str(UID), "CapEff:\t0000000000000000", "0", "Read-only"]
    assert server.total == len(work.calls()) == 1


async def test_endless_output_ends_the_branch_and_not_the_driver(work: Work) -> None:
    bench = work.bench()
    with pytest.raises(UnitFault, match="the agent said more than 64 MiB") as fault:
        await CommandSolver(agent("evaluate once; yes")).solve(bench)
    assert fault.value.kind is ErrorKind.INVALID
    assert [row.about for row in bench.executions] == ["once"]


async def test_one_that_ends_its_own_container_is_a_failure(work: Work) -> None:
    bench = work.bench()
    with pytest.raises(UnitFault, match="the agent ended its own container"):
        await CommandSolver(agent("kill -9 -1; kill -9 $PPID")).solve(bench)


async def test_one_without_memory_is_told_what_it_was(work: Work) -> None:
    bench = work.bench()
    with pytest.raises(UnitFault, match="the agent ran out of memory and changed nothing"):
        await CommandSolver(agent("cat /dev/zero | tail -c 2000m", memory_mb=128)).solve(bench)


async def test_a_cap_stops_the_agent(work: Work, tmp_path: Path, server: Loopback) -> None:
    other = Work(tmp_path / "capped", work.engine, work.task, work.coder, Caps(calls=2))
    bench = other.bench()
    script = """
    for i in 1 2 3; do ask /v1/chat/completions '{"messages":[{"role":"user","content":"x"}]}' | head -1; done; sleep 60
    """
    with pytest.raises(Stopped, match=r"budget\.calls=2"):
        await CommandSolver(agent(script)).solve(bench)
    await other.desk.close()
    assert other.containers() == []
    assert server.total == len(other.calls()) == 2


async def test_an_image_that_is_not_there_is_said_in_a_line(work: Work) -> None:
    settings = CommandSettings(command=("x",), image="heuresis-test/no-such-image:1")
    with pytest.raises(BadInput, match=r"^solver.image=heuresis-test/no-such-image:1: not here, .* build it"):
        await CommandSolver(settings).solve(work.bench())
    with pytest.raises(BadInput, match=r"^solver.install: building the image .* mend the line, or build an image"):
        await CommandSolver(agent("", install="exit 3")).solve(work.bench())


async def test_an_agent_is_installed_by_a_line(work: Work) -> None:
    line = "printf '#!/bin/sh\\necho int speed = 11 >twice.c\\n' >/usr/bin/tiny-agent; chmod 755 /usr/bin/tiny-agent"
    bench = work.bench()
    settings = agent("", install=line).model_copy(update={"command": ("tiny-agent",)})
    await CommandSolver(settings).solve(bench)
    assert [row.score for row in bench.executions] == [0.11]


async def test_in_the_tasks_own_image_it_compiles_and_is_really_measured(
    work: Work, toy: Task, evaluator_of: Callable[..., Evaluator]
) -> None:
    evaluator = evaluator_of(toy, "tiny")
    work.measure = lambda solution: asyncio.to_thread(evaluator.evaluate, solution)
    bench = work.bench(seconds=600)  # others may be measuring
    bench.start = baseline(toy)
    client = (Path(__file__).parent / "stand_ins" / "over_the_socket.c").read_text()
    script = f"""
    gcc -o /tmp/client -x c - <<'END' && /tmp/client $SOCKET $TOKEN; echo
{client}
END
    """
    script += """
    evaluate as it was; echo "code $?"
    sed -i 's/steps = 300/steps = 1/' twice.c
    gcc -Wall -c -o /tmp/twice.o twice.c && evaluate fewer steps; echo "code $?"
    sed -i 's/size_t i = 0/size_t i = 1/' twice.c; echo >>twice.h; evaluate a changed header; echo "code $?"
    """
    where = {"TOKEN": "{token}", "SOCKET": "{socket}"}
    await CommandSolver(agent(script, image=None, memory_mb=512, environment=where, evaluate_seconds=600)).solve(bench)
    first, second, third = bench.executions
    assert (first.verdict, second.verdict, third.verdict) == (End.RIGHT, End.RIGHT, End.PROTECTED)
    assert first.metric is not None
    assert second.metric is not None
    assert second.metric < first.metric / 3
    assert '"id": "coder"' in str(said(bench)["said"])  # over the unix socket
    assert list(bench.solution(second.solution or "").files) == ["twice.c"]  # the header is the task's, not its own
    assert str(said(bench)["said"]).count("code 0") == 2


DRIVER = """
import asyncio, sys
from pathlib import Path
from agents_at_work import Work, agent, spec
from solvers.agents.command import CommandSolver
from solvers.containers.engine import Engine
from solvers.tasks.task import read_task

async def main():
    with Engine.connect() as engine:
        work = Work(Path(sys.argv[1]), engine, read_task(Path("tests/solvers/toys/twice")), spec("http://127.0.0.1:9/v1"))
        bench = work.bench()
        solving = asyncio.create_task(CommandSolver(agent("evaluate; while :; do sleep 1; done")).solve(bench))
        while not bench.executions:
            await asyncio.sleep(0.05)
        print("at work", flush=True)
        await solving

asyncio.run(main())
"""


def test_a_killed_driver_leaves_no_container(tmp_path: Path, engine: Engine) -> None:
    environment = {**os.environ, "PYTHONPATH": "tests:."}
    command = [sys.executable, "-c", DRIVER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == "at work\n"
        wanted = {"label": f"heuresis.test={tmp_path.name}"}
        assert len(engine.client.api.containers(filters=wanted)) == 1
        os.kill(driver.pid, signal.SIGKILL)
    assert gone(engine, wanted)


def gone(engine: Engine, wanted: dict[str, str]) -> bool:
    """Whether such containers go within a few seconds."""
    ends = time.monotonic() + 5
    while there := engine.client.api.containers(all=True, filters=wanted):
        if time.monotonic() > ends:
            break
        time.sleep(0.05)
    return not there
