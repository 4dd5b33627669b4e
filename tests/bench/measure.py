"""Run a command as a child of its own: how long it takes, and its peak memory."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table


class Cost(NamedTuple):
    """What a child took; ``megabytes`` is its peak resident set."""

    seconds: float
    megabytes: float


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def heuresis(*arguments: str) -> list[str]:
    return python("-m", "pipelines.cli", *arguments)


def measure(command: Sequence[str], until: Callable[[], bool] | None = None, may_fail: bool = False) -> Cost:
    """To the child's end; or until something is so: then it is killed, and the time is that until then."""
    begun = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    seconds = None
    while (
        until is not None
        and seconds is None
        and os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    ):
        if until():
            seconds = time.perf_counter() - begun
            child.kill()
        time.sleep(0.01)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if until is not None and seconds is None:
        raise SystemExit(f"ended before it could be measured: {' '.join(command)}")
    if until is None and child.returncode and not may_fail:
        raise SystemExit(f"exit code {child.returncode}: {' '.join(command)}")
    return Cost(seconds or time.perf_counter() - begun, usage.ru_maxrss / 1024)


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(title=title, title_justify="left")
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    Console().print(table)
