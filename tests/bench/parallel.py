"""Parallel efficiency of a search's branches: as many at once as an iteration has, each measuring for a fixed time.

    python tests/bench/parallel.py [--sleep 60] [--branches 1 --branches 2 ...]

The task is a foreign one whose verifier sleeps and then gives a reward; it takes no core lease. A model on loopback
writes a new whole file for each branch, the manager is scripted, the branches are Ray actors (cluster=local). The first
of two iterations builds the image and warms the actors. T: from the end of its last execution to the end of the second
one's last execution; so it holds audits, lessons, expansion, planning, dispatch, the model's request, the container's
start, and what a verdict waits for until somebody looks (solvers/measuring/foreign.py: every two seconds).
efficiency: T of one branch over T of so many, in this run. beyond: T without the sleep. load: of the machine,
over that time; a busy one makes the larger numbers look worse than they are.
Needs a container engine, and about 200 MB of memory a branch.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from statistics import mean

import pandas as pd
from measure import heuresis, show

from pipelines.config import settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from talkers import Talker

GOAL = 0.95
IDEAS = 24  # sentences for the scripted ideator; two iterations of eight branches take sixteen
FILES = {
    "environment/Dockerfile": "FROM debian:bookworm-slim\nWORKDIR /app\nCOPY . /app\n",
    "environment/answer.txt": "0\n",
    "tests/test.sh": "sleep {sleep:g}\necho 0.5 >/logs/verifier/reward.txt\n",
    "task.toml": """version = "1.0"
[verifier]
timeout_sec = {limit:g}
[environment]
cpus = 0.1
memory_mb = 64
storage_mb = 64
""",
}
EDIT = "CHANGE: another number\nFILE: answer.txt\n<<<<<<< WHOLE\n{}\n>>>>>>> END\n"


def written(folder: Path, sleep: float) -> Path:
    """The task."""
    ideas = [f"The answer may well be {number} times the last one." for number in range(2, 2 + IDEAS)]
    for name, text in {**FILES, "instruction.md": "\n\n".join(ideas)}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(sleep=sleep, limit=sleep + 300))
    return folder


def overrides(task: Path, url: str, branches: int, outputs: Path) -> list[str]:
    who = ("cast=scripted", "coder=endpoint", "models.endpoint.model=openai/bench", f"models.endpoint.api_base={url}")
    budget = (f"branches={branches}", "iterations=2", f"budget.executions={2 * branches}", f"policy.ideas={IDEAS}")
    what = ("experiment=idea_search", f"task={task}", "solver=llm", "policy.plan=false")
    return ["cluster=local", f"outputs={outputs}", *what, *who, *budget]


def ends(tables: Path) -> list[float]:
    """When the last execution of each iteration ended, in seconds since the epoch."""
    ran, given = (pd.read_parquet(tables / f"{name}.parquet") for name in ("executions", "assignments"))
    ran = ran[ran.seeding == "search"].merge(given[["branch", "iteration"]], on="branch")
    if set(ran.verdict) != {"right"}:
        raise SystemExit(f"executions that say nothing: {ran.verdict.value_counts().to_dict()}")
    ended = ran.started_at + pd.to_timedelta(ran.seconds, unit="s")
    ended = (ended - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)
    return ended.groupby(ran.iteration).max().tolist()


def watched(command: list[str]) -> list[tuple[float, float]]:
    """The command to its end, and the machine's load meanwhile, by time.time."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    loads = []
    while child.poll() is None:
        loads.append((time.time(), float(Path("/proc/loadavg").read_text().split()[0])))
        time.sleep(1.0)
    if child.returncode:
        raise SystemExit(f"exit code {child.returncode}: {' '.join(command)}")
    return loads


def second_iteration(task: Path, branches: int) -> tuple[float, float]:
    """Seconds from the first iteration's last verdict to the second one's, and the mean load in between."""
    numbers = count(1)
    with (
        tempfile.TemporaryDirectory(prefix="heuresis-bench-") as outputs,
        Talker(lambda _: EDIT.format(next(numbers))) as server,
    ):
        given = overrides(task, server.url, branches, Path(outputs))
        loads = watched(heuresis("run", *given))
        first, second = ends(settings(given).folder / "tables")
    return second - first, mean(load for at, load in loads if first <= at <= second)


def main(sleep: float, numbers: list[int]) -> None:
    rows, alone = [], None
    with tempfile.TemporaryDirectory(prefix="heuresis-bench-") as place:
        task = written(Path(place) / "sleeps", sleep)
        for branches in numbers:
            seconds, load = second_iteration(task, branches)
            alone = alone or seconds
            figures = (f"{seconds:.2f}", f"{seconds - sleep:.2f}", f"{alone / seconds:.3f}", f"{load:.1f}")
            rows.append([str(branches), *figures])
    title = f"branches that measure for {sleep:g} s; goal: {GOAL}"
    show(title, ("branches", "T, s", "beyond, s", "efficiency", "load"), rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sleep", type=float, default=60.0, help="seconds that an execution takes")
    parser.add_argument("--branches", type=int, action="append", help="default: 1, 2, 4 and 8")
    chosen = parser.parse_args()
    main(chosen.sleep, chosen.branches or [1, 2, 4, 8])
