"""A Harbor task of somebody else's, written afresh: its own verifier runs, whatever it leaves is read with care."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines.cli import main
from solvers.containers.engine import Engine
from solvers.measuring.cores import Cores
from solvers.measuring.foreign import Foreign, verdict
from solvers.measuring.score import End
from solvers.tasks.task import Trust, read_task
from solvers.workspace.solution import Solution

TOML = """
version = "1.0"
[metadata]
author_name = "somebody"
difficulty = "hard"
[agent]
timeout_sec = 1.0
[verifier]
timeout_sec = {seconds}
[environment]
build_timeout_sec = 300.0
cpus = 1
memory_mb = 128
storage_mb = 20
gpus = 0
gpu_types = []
allow_internet = false
[optimization]
metric = "words"
direction = "maximize"
[optimization.baseline]
score = 1.0
[optimization.reference]
score = 3.0
"""
DOCKERFILE = """
FROM debian:bookworm-slim
WORKDIR /app
RUN mkdir /tests && echo 3 > /tests/oracle
COPY . /app
"""
COUNTS = """
set -e
words=$(cat /app/words.txt /app/more/words.txt | wc -w)
right=$(test "$words" = "$(cat /tests/oracle)" && echo true || echo false)
grep -q verifier /tests/notes/of.txt
echo touched > /tests/oracle
echo counted $words
cat > /logs/verifier/reward.json <<END
{"reward": 0.75, "correctness": $right, "metric": $words, "speedup": null, "notes": "as text", "device": null}
END
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A task's folder around a test.sh."""

    def written(script: str, seconds: float = 20) -> Path:
        folder = tmp_path / "word-count"
        for name, text in {
            "task.toml": TOML.format(seconds=seconds),
            "instruction.md": "Write three words.",
            "environment/Dockerfile": DOCKERFILE,
            "environment/words.txt": "one",
            "tests/test.sh": script,
            "tests/notes/of.txt": "the verifier",
        }.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder

    return written


GOOD = Solution(files={"words.txt": b"one two\n", "more/words.txt": b"three"})


def test_several_files_meet_a_verifier_with_an_oracle_in_the_image(engine: Engine, cores: Cores, write: Write) -> None:
    task = read_task(write(COUNTS))
    with Foreign(engine, task, cores) as foreign:
        first, again = foreign.evaluate(GOOD), foreign.evaluate(GOOD)
        short = foreign.evaluate(Solution(files={"words.txt": b"one", "more/words.txt": b""}))
    assert (first.end, first.trust, first.metric, first.speedup) == (End.RIGHT, Trust.FOREIGN, 3.0, None)
    assert (first.reward, first.score, first.score_basis) == (0.75, 0.75, "reward")
    assert first.log == "counted 3\n"
    assert again.end is End.RIGHT  # the oracle that the verifier wrote over is back: each has its own container
    assert (short.end, short.correct, short.metric) == (End.WRONG, False, 1.0)


def test_reward_txt_is_the_second_choice(engine: Engine, cores: Cores, write: Write) -> None:
    task = read_task(write("echo '{broken' > /logs/verifier/reward.json; echo 0.5 > /logs/verifier/reward.txt"))
    with Foreign(engine, task, cores) as foreign:
        assert foreign.evaluate(GOOD).reward == 0.5


@pytest.mark.parametrize(
    ("script", "end"),
    [
        ("sleep 30", End.TIME),  # the verifier's limit of 1 s, not the agent's
        ("exit 3", End.NO_REWARD),
        ("ln -s /etc/passwd /logs/verifier/reward.json", End.NO_REWARD),
        ("mkfifo /logs/verifier/reward.json", End.NO_REWARD),
        ("echo NaN > /logs/verifier/reward.txt", End.NO_REWARD),
        ("head -c 500000 /dev/zero | tr '\\0' '[' > /logs/verifier/reward.json", End.NO_REWARD),
        ("dd if=/dev/zero of=/app/fill bs=1M count=400; sleep 30", End.DISK),
        ("exec perl -e '$x = \"a\" x 500_000_000'", End.MEMORY),
    ],
)
def test_a_verifier_that_leaves_no_number(engine: Engine, cores: Cores, write: Write, script: str, end: End) -> None:
    task = read_task(write(script, seconds=3))
    with Foreign(engine, task, cores) as foreign:
        score = foreign.evaluate(GOOD)
    assert score.end is end
    assert (score.correct, score.score) == (False, None)
    assert engine.client.containers.list(filters={"ancestor": foreign.images[0]}) == []


def test_by_its_path(engine: Engine, write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(COUNTS)
    solution = tmp_path / "mine"
    for name, data in GOOD.files.items():
        (solution / name).parent.mkdir(parents=True, exist_ok=True)
        (solution / name).write_bytes(data)
    words = ["task", "score", str(folder), str(solution), "--outputs", str(tmp_path / "outputs"), "--json"]
    assert main(words) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["trust"], said["score"], said["end"]) == ("foreign", 0.75, "right")
    (kept,) = (tmp_path / "outputs" / "measurements").iterdir()
    assert json.loads(kept.read_text()) == said


@pytest.mark.parametrize(
    ("said", "end", "reward"),
    [
        ({"reward": 1, "correctness": None, "metric": "n/a", "speedup": True}, End.RIGHT, 1.0),
        ({"reward": 0.9, "correctness": False}, End.WRONG, 0.9),
        ({"reward": 0.0}, End.WRONG, 0.0),
        ({"reward": "high"}, End.NO_REWARD, None),
        ({"reward": 1e999}, End.NO_REWARD, None),
        ({"reward": 10**400}, End.NO_REWARD, None),
        (0.25, End.RIGHT, 0.25),
        (None, End.NO_REWARD, None),
    ],
)
def test_only_numbers_count(said: object, end: End, reward: float | None) -> None:
    told = verdict(said, code=0)  # type: ignore[arg-type]
    assert (told["end"], told["reward"], told["score"]) == (end, reward, reward)
