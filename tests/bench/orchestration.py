"""What a search takes beside solving and the models: wall-clock a branch, and CPU an operator.

    python tests/bench/orchestration.py [--profile small] [--branches 5] [--iterations 3] [--executions 60] [--runs 3]

radix_sort, scripted manager, the catalogue's solver, on Ray (cluster=local). A first, short search in the same folder
builds the images and measures the anchors, and is left out, as is the start of Ray and of the actors.

seconds a branch: the search's wall-clock from its first branch's start to its end, the held-out verification with it,
without every moment in which an execution had been asked for and had no verdict, or a call was with its model; over
branches. So what goes on beside another branch's execution does not count: with one core for timing that is most of it.
begins: the part of it before the first execution, in which each new actor opens its containers. in a branch: what one
branch takes beside its own executions, whether or not others were measuring meanwhile; it waits its turn there to look
at images, behind the other branches and other runs on this machine. share: of that
wall-clock, in this run; of the full profile it is what --profile full shows, or --full-seconds computes: the same
orchestration, beside executions that each take so long, one at a time.

CPU an operator: CPU seconds of the process that runs the searches (ray::Searches) from its first call to its end, over
consultations of the manager (calls by part and seat; one that rules made needless has none). In it are, beside the
operators, the scripted model's own thinking, the audits' mechanical checks, orders to branches and what they bring
back, journal events, the record's rows, and Ray's threads. idle: what that process uses while nothing but executions
goes on, in ms a second; it grows with the time that executions take, so the last figure leaves that much of it out.
Read from /proc every 0.1 s, in ticks of 10 ms. load: of the machine, at the run's end.
"""

import argparse
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from measure import heuresis, measure, show
from processes import PERIOD, descendants, stats

from actors.record import Record
from pipelines.config import settings
from pipelines.store import Store

STILL = 0.5  # seconds without a call, an execution's begin or end, after which the searches' process is idle
Span = tuple[float, float]


class Found(NamedTuple):
    """What one run shows, times in seconds."""

    branches: int
    wall: float
    calls: float  # from the first call to the end
    beside: float
    begins: float
    own: float  # of a branch beside its executions, with what went on beside another's
    operators: int
    cpu: float
    idle: float  # of CPU, a second
    executions: int
    load: str


class Searching:
    """The CPU that the process of the searches has used, by time.time, read as a driver goes on."""

    def __init__(self, driver: int) -> None:
        self.used: list[tuple[float, float]] = []
        self._driver, self._pid = driver, 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._done.wait(PERIOD):
            now, known = time.time(), stats()
            if not self._pid:
                self._pid = next((pid for pid in descendants(self._driver) if self._searches(pid)), 0)
            if self._pid in known:
                self.used.append((now, known[self._pid][1]))

    def _searches(self, pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::Searches")
        except OSError:  # it has just ended
            return False

    def stop(self) -> None:
        self._done.set()
        self._thread.join()

    def between(self, span: Span) -> float:
        """CPU seconds from the last reading before it to the first one after it."""
        begin = max((used for at, used in self.used if at <= span[0]), default=self.used[0][1])
        return min((used for at, used in self.used if at >= span[1]), default=self.used[-1][1]) - begin


def union(spans: Iterable[Span]) -> list[Span]:
    """The spans without their overlaps, in order."""
    found: list[Span] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((begin, end))
    return found


def total(spans: Iterable[Span]) -> float:
    return sum(end - begin for begin, end in spans)


def executions(record: Record) -> list[Span]:
    rows = [fact.value["execution"] for fact in record.facts if fact.value and "execution" in fact.value]
    return [(row["started_at"], row["started_at"] + row["seconds"]) for row in rows]


def starts(record: Record) -> list[float]:
    """When each branch began: it says at its end how long it took."""
    ends = [(fact.at, fact.value["attempt"]) for fact in record.facts if fact.kind == "end" and fact.value]
    return [at - attempt["seconds"] for at, attempt in ends]


def own(record: Record) -> float:
    """Seconds of all branches that are not their executions'."""
    kept = [fact.value for fact in record.facts if fact.value]
    branches = sum(value["attempt"]["seconds"] for value in kept if "attempt" in value)
    return float(branches - sum(value["execution"]["seconds"] for value in kept if "choice" in value))


def stills(record: Record, span: Span) -> list[Span]:
    """When nothing happened but executions, for a while."""
    moments = [call.started_at for call in record.calls] + [fact.at for fact in record.facts]
    moments += [moment for one in executions(record) for moment in one]
    known = sorted(moment for moment in moments if span[0] <= moment <= span[1])
    return [(begin + STILL, end) for begin, end in pairwise(known) if end - begin > 2 * STILL]


def found(record: Record, process: Searching) -> Found:
    begun, measuring = starts(record), executions(record)
    whole = min(begun), record.finished_at
    asking = [(call.started_at, call.started_at + call.reply.latency) for call in record.calls]
    others = [(max(begin, whole[0]), end) for begin, end in union([*measuring, *asking]) if end > whole[0]]
    calls = (min(call.started_at for call in record.calls), record.finished_at)
    rest = stills(record, calls)
    return Found(
        branches=len(begun),
        wall=total([whole]),
        calls=total([calls]),
        beside=total([whole]) - total(others),
        begins=min(measuring)[0] - whole[0],
        own=own(record) / len(begun),
        operators=len({(call.part, call.seat) for call in record.calls}),
        cpu=process.between(calls),
        idle=sum(map(process.between, rest)) / total(rest) if rest else 0.0,
        executions=len(measuring),
        load=Path("/proc/loadavg").read_text().split()[0],
    )


def overrides(outputs: Path, profile: str, branches: int, iterations: int, count: int) -> list[str]:
    who = ("experiment=idea_search", "task=radix_sort", "cast=scripted", "solver=catalog", f"task.profile={profile}")
    budget = (f"branches={branches}", f"iterations={iterations}", f"budget.executions={count}")
    return ["cluster=local", f"outputs={outputs}", *who, *budget]


def played(outputs: Path, seed: int, profile: str, sizes: Sequence[int]) -> Found:
    given = [*overrides(outputs, profile, *sizes), f"seed={seed}"]
    before = set(Store(outputs / "store").units())
    child = subprocess.Popen(heuresis("run", *given), stdout=subprocess.DEVNULL)
    process = Searching(child.pid)
    code = child.wait()
    process.stop()
    if code:
        raise SystemExit(f"exit code {code}: {given}")
    store = Store(settings(given).store)
    (unit,) = set(store.units()) - before
    return found(store.record(unit), process)


def lines(every: Sequence[Found]) -> Iterable[tuple[str, ...]]:
    """The table, a column a run and one of goals."""
    figures: list[tuple[str, str, Callable[[Found], float], str]] = [
        ("branches", ".0f", lambda one: one.branches, ""),
        ("executions", ".0f", lambda one: one.executions, ""),
        ("operators", ".0f", lambda one: one.operators, ""),
        ("wall-clock, s", ".1f", lambda one: one.wall, ""),
        ("begins, s", ".2f", lambda one: one.begins, ""),
        ("seconds a branch", ".2f", lambda one: one.beside / one.branches, "0.6"),
        ("in a branch, s", ".2f", lambda one: one.own, ""),
        ("share", ".2%", lambda one: one.beside / one.wall, "2% of full"),
        ("CPU an operator, ms", ".1f", lambda one: 1e3 * one.cpu / one.operators, "20"),
        ("idle, ms/s", ".1f", lambda one: 1e3 * one.idle, ""),
        (
            "CPU an operator, idle apart, ms",
            ".1f",
            lambda one: 1e3 * (one.cpu - one.idle * one.calls) / one.operators,
            "",
        ),
    ]
    for name, how, figure, goal in figures:
        yield name, *(format(figure(one), how) for one in every), goal
    yield "load", *(one.load for one in every), ""


def main(profile: str, sizes: Sequence[int], runs: int, full: float | None) -> None:
    with tempfile.TemporaryDirectory(prefix="heuresis-bench-") as place:
        measure(heuresis("run", *overrides(Path(place), profile, 1, 1, 1)))
        every = [played(Path(place), seed, profile, sizes) for seed in range(1, runs + 1)]
    show(f"radix_sort, {profile}", ("", *(f"run {n}" for n in range(1, runs + 1)), "goal"), [*lines(every)])
    if full is not None:
        beside, count = median(one.beside for one in every), every[0].executions
        share = beside / (beside + count * full)
        show("computed", ("full profile, s an execution", "share"), [[f"{full:g}", f"{share:.2%}"]])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="small")
    parser.add_argument("--branches", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--executions", type=int, default=60)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--full-seconds", type=float, help="what an execution of the full profile takes")
    chosen = parser.parse_args()
    main(
        chosen.profile,
        (chosen.branches, chosen.iterations, chosen.executions),
        chosen.runs,
        chosen.full_seconds,
    )
