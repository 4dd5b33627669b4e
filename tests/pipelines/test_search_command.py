"""A whole search whose branches are worked on by a program: its executions and its calls stand in the run's tables."""

from collections.abc import Callable, Sequence
from pathlib import Path

from conftest import Bench
from talkers import Talker

from solvers.containers.engine import Engine

TOY = Path(__file__).parents[1] / "solvers" / "toys" / "twice"
NONSENSE = "I would rather talk about the weather, which is {not} JSON."
SCRIPT = r"""
exec 3<>/dev/tcp/127.0.0.1/4000;
printf "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nx-api-key: $TOKEN\r\nConnection: close\r\n" >&3;
body="{\"messages\":[{\"role\":\"user\",\"content\":\"an agent asks\"}]}";
printf "Content-Length: ${#body}\r\n\r\n$body" >&3;
cat <&3;
sed -i s/steps.=.300/steps=1/ twice.c;
evaluate fewer steps;
echo done
"""


def overrides(url: str, command: str, *more: str) -> tuple[str, ...]:
    return (
        *(f"task={TOY}", "task.profile=tiny", "experiment=idea_search", "policy=best_of_n", "cast=endpoint"),
        *("models.endpoint.model=openai/talker", f"models.endpoint.api_base={url}", "audit=skip"),
        *("budget.executions=2", "branches=2", "iterations=1", "branch_minutes=10", "solver=command"),
        *(f"solver.command=[bash,-c,'{command}']", "solver.memory_mb=256", "solver.spare_seconds=0", *more),
    )


def test_a_search_with_an_agent_in_each_branch(bench: Bench, engine: Engine) -> None:
    script = " ".join(SCRIPT.split("\n")).replace("${#body}", '$(printf %s "$body" | wc -c)')
    with Talker(lambda _: NONSENSE) as server:
        words = overrides(server.url, script, '+solver.environment.TOKEN="{token}"')
        assert bench.run(*words) == 0
        asked = [body for body in server.bodies if "an agent asks" in str(body)]
    executions = bench.table("executions", *words)
    executions = executions[executions.seeding == "search"]
    assert sorted(executions.about) == ["fewer steps"] * 2
    assert set(executions.verdict) == {"right"}
    attempts = bench.table("attempts", *words)
    assert attempts.success.tolist() == [True, True]
    assert attempts.executions.tolist() == [1, 1]
    assert (attempts.tokens > 0).all()
    calls = bench.table("calls", *words)
    agents = calls[calls.seat == "agent"]
    assert agents.turn.tolist() == [1, 1]
    assert agents.used.all()
    assert len(asked) == 2
    assert {body["model"] for body in asked} == {"talker"}


def test_an_image_that_is_not_there_is_bad_input(
    bench: Bench, engine: Engine, refusal: Callable[[Sequence[str]], str]
) -> None:
    with Talker(lambda _: NONSENSE) as server:
        words = overrides(server.url, "x", "solver.image=heuresis-test/none:1")
        assert "solver.image=heuresis-test/none:1: not here" in refusal(["run", *bench.overrides(*words)])
