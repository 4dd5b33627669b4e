"""Memory that a game in flight takes in the actor that plays it, beyond what was said in it.

    python tests/bench/in_flight.py [--few 50] [--many 550] [--turn 10 --turn 50]

Games are played on Ray (colocated, one actor, client=http) against an endpoint that falls silent when they are about at
a turn; then the actor's resident memory is read. kB a game: what each of the games takes that ``many`` has beyond
``few``, the request that it has open with it. transcript: the part of the journal that holds its calls. beyond: the
one without the other.
"""

import argparse
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import kill
from pathlib import Path

from endpoint_process import EndpointProcess
from measure import heuresis, show
from processes import descendants, resident

PAPERS = 5
GOAL = 100
SILENT = 2.0  # seconds without a request after which the games stand


def command(url: str, games: int, outputs: str) -> list[str]:
    model = ("model=openai/bench", f"api_base={url}", "client=http", f"in_flight={games}")
    where = ("cluster=local", "cluster.placement=colocated", f"cluster.in_flight={games}")
    what = ("judging=false", f"papers={PAPERS}", f"replicates={games // PAPERS}", "questions=100", "card_every=1000")
    own = [f"models.endpoint.{one}" for one in model]
    return heuresis("run", f"outputs={outputs}", "cast=endpoint", *own, *where, *what)


@contextmanager
def running(arguments: list[str]) -> Iterator[int]:
    """A command, ended with all that it started."""
    child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    try:
        yield child.pid
    finally:
        for pid in descendants(child.pid):
            with suppress(ProcessLookupError):
                kill(pid, signal.SIGKILL)
        child.wait()


def standing(endpoint: EndpointProcess, requests: int) -> None:
    """Wait until so many requests have come, and no more come."""
    while not (seen := endpoint.seen()) or len(seen) < requests or time.monotonic() - seen[-1] < SILENT:
        time.sleep(0.5)


def actor(driver: int) -> int:
    """The process of the actor that plays."""
    named = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in descendants(driver)}
    return next(pid for pid, name in named.items() if name.startswith(b"ray::Games"))


def measured(games: int, turn: int) -> tuple[int, float]:
    """The actor's bytes, and those of a game's transcript."""
    requests = games * 2 * turn
    with EndpointProcess(0.05, requests) as endpoint, tempfile.TemporaryDirectory(prefix="heuresis-bench-") as outputs:
        with running(command(endpoint.url, games, outputs)) as driver:
            standing(endpoint, requests)
            memory = resident(actor(driver))
        lines = b"".join(path.read_bytes() for path in Path(outputs).glob("store/*/journal.jsonl")).splitlines()
        said = sum(len(line) for line in lines if b'\t{"call"' in line)
    return memory, said / games


def main(few: int, many: int, turns: list[int]) -> None:
    rows = []
    for turn in turns:
        (less, _), (more, said) = measured(few, turn), measured(many, turn)
        each = (more - less) / (many - few) / 1000
        figures = (each, said / 1000, each - said / 1000)
        rows.append([str(turn), f"{less / 1e6:.0f}", f"{more / 1e6:.0f}", *(f"{figure:.0f}" for figure in figures)])
    columns = ("turn", f"MB with {few}", f"MB with {many}", "kB a game", "transcript", "beyond")
    show(f"memory of a game in flight; the goal is {GOAL} kB beyond its transcript", columns, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--few", type=int, default=50)
    parser.add_argument("--many", type=int, default=550)
    parser.add_argument("--turn", type=int, action="append", help="default: 10 and 50")
    chosen = parser.parse_args()
    main(chosen.few, chosen.many, chosen.turn or [10, 50])
