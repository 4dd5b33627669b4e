"""Calls a second through the whole path, beside a bare loop of litellm.acompletion; both on the cores of this machine.

    python tests/bench/calls.py [--games 256] [--questions 12] [--lag 0.05] [--repeats 2]

Every row has the same requests, the same number of processes that send them, and the same number of requests in
flight; the endpoint (a process of its own, see endpoint_process.py) waits ``lag`` seconds before each reply. heuresis
is `heuresis run` on Ray: games alone, every call in the journal before it is used. What else shares the cores: the
endpoint in all rows; for heuresis driver, desk and Ray too.

calls/s and CPU ms are those between the first 30% of the requests and the last 10%: without start, warm-up and end. CPU
ms: of a call, in all processes of ours, the endpoint left out. to bare: the ratio of calls/s; by CPU: that of CPU ms,
which says the same where the cores are full, and holds on a machine that others use too. Rows are interleaved; each
figure is the median over the repeats, a ratio that of the ratios within one round.
"""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from endpoint_process import EndpointProcess
from measure import heuresis, python, show
from processes import Watched

BARE = "bare litellm"
CLIENTS = 2  # processes that send requests
FIRST, LAST = 0.3, 0.9  # of all requests, between which is measured
PLACES = {"colocated": (CLIENTS, 1), "pools": (CLIENTS // 2, CLIENTS // 2)}  # inquisitors, answerers
GOALS = {"litellm, colocated": 0.8, "litellm, pools": 0.6, "http, colocated": 3.0, "http, pools": 3.0}


class Seen(NamedTuple):
    """What one row was in one round."""

    rate: float
    cpu: float
    endpoint: float


def bare(url: str, games: int, questions: int) -> list[list[str]]:
    each = games * (2 * questions + 2) // CLIENTS
    options = ("--at-once", str(games // CLIENTS), "--calls", str(each), "--questions", str(questions))
    return [python("tests/bench/bare.py", "--url", url, *options)] * CLIENTS


def ours(url: str, games: int, questions: int, outputs: str, client: str, placement: str) -> list[str]:
    inquisitors, answerers = PLACES[placement]
    model = ("model=openai/bench", f"api_base={url}", f"client={client}", f"in_flight={games}")
    actors = f"cluster.actors={{inquisitor: {inquisitors}, answerer: {answerers}, judge: 1}}"
    where = ("cluster=local", f"cluster.placement={placement}", f"cluster.in_flight={games}", actors)
    what = ("judging=false", "papers=4", f"replicates={games // 4}", f"questions={questions}", "card_every=1000")
    own = [f"models.endpoint.{one}" for one in model]
    return heuresis("run", f"outputs={outputs}", "cast=endpoint", *own, *where, *what)


def measured(row: str, games: int, questions: int, lag: float) -> Seen:
    """One row, once."""
    with EndpointProcess(lag) as endpoint, tempfile.TemporaryDirectory(prefix="heuresis-bench-") as outputs:
        if row == BARE:
            commands = bare(endpoint.url, games, questions)
        else:
            client, placement = row.split(", ")
            commands = [ours(endpoint.url, games, questions, outputs, client, placement)]
        children = [subprocess.Popen(command, stdout=subprocess.DEVNULL, text=True) for command in commands]
        watched, server = Watched(children), Watched([endpoint.process])
        watched.wait()
        server.stop()
        at = endpoint.seen()
    first, last = int(len(at) * FIRST), int(len(at) * LAST)
    begin, end = at[first], at[last]
    calls = last - first
    return Seen(calls / (end - begin), 1000 * watched.cpu(begin, end) / calls, 1000 * server.cpu(begin, end) / calls)


def told(rounds: Sequence[dict[str, Seen]]) -> list[list[str]]:
    rows = []
    for row in rounds[0]:
        seen = [one[row] for one in rounds]
        ratio = median(one[row].rate / one[BARE].rate for one in rounds)
        by_cpu = median(one[BARE].cpu / one[row].cpu for one in rounds)
        goal = f"{GOALS[row]:.1f}" if row in GOALS else ""
        figures = (median(one.cpu for one in seen), median(one.endpoint for one in seen))
        rate = f"{median(one.rate for one in seen):,.0f}"
        rows.append([row, rate, f"{ratio:.2f}", f"{by_cpu:.2f}", goal, *(f"{figure:.2f}" for figure in figures)])
    return rows


def main(games: int, questions: int, lag: float, repeats: int, wanted: Sequence[str]) -> None:
    rounds = [{row: measured(row, games, questions, lag) for row in (BARE, *wanted)} for _ in range(repeats)]
    title = (
        f"{games} games at once, {questions} questions each; {CLIENTS} sending processes, {games} requests in flight,"
        f" {1000 * lag:.0f} ms lag; {os.cpu_count()} cores for them, the endpoint, driver and Ray together"
    )
    show(title, ["", "calls/s", "to bare", "by CPU", "goal", "CPU ms", "endpoint's ms"], told(rounds))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--lag", type=float, default=0.05)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--row", action="append", choices=list(GOALS), help="default: all")
    chosen = parser.parse_args()
    main(chosen.games, chosen.questions, chosen.lag, chosen.repeats, chosen.row or list(GOALS))
