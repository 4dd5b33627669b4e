"""What a process and all its descendants use, by /proc."""

import os
import subprocess
import threading
import time
from bisect import bisect_left
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PERIOD = 0.1


def stats() -> dict[int, tuple[int, float]]:
    """Of every process its parent and its CPU seconds."""
    found = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                fields = (path / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            found[int(path.name)] = int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS
    return found


def descendants(root: int) -> list[int]:
    """The process itself, and all that it and its children started."""
    parents = {pid: parent for pid, (parent, _) in stats().items()}
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def resident(pid: int) -> int:
    """Bytes of memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Watched:
    """Processes beside each other, and what CPU they used with all they started, as time went by."""

    def __init__(self, children: list[subprocess.Popen[str]]) -> None:
        self.at: list[float] = []
        self.used: list[float] = []
        self.peak = 0  # bytes that the largest of them had at its largest, those that they started left out
        self._last: dict[int, float] = {}
        self._children = children
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()

    def _watch(self) -> None:
        while not self._done.wait(PERIOD):
            now, known = time.monotonic(), stats()
            for child in self._children:
                for pid in descendants(child.pid):
                    self._last[pid] = known.get(pid, (0, self._last.get(pid, 0.0)))[1]
            self.at.append(now)
            self.used.append(sum(self._last.values()))  # with those that have ended

    def stop(self) -> None:
        self._done.set()
        self._watcher.join()

    def wait(self) -> None:
        """To the end of all."""
        for child in self._children:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            self.peak = max(self.peak, usage.ru_maxrss * 1024)
        self.stop()
        if codes := [child.returncode for child in self._children if child.returncode]:
            raise SystemExit(f"exit codes {codes}: {self._children[0].args!r}")

    def cpu(self, begin: float, end: float) -> float:
        """CPU seconds between two moments of time.monotonic."""
        return self._until(end) - self._until(begin)

    def _until(self, moment: float) -> float:
        after = min(max(bisect_left(self.at, moment), 1), len(self.at) - 1)
        (t0, t1), (u0, u1) = self.at[after - 1 : after + 1], self.used[after - 1 : after + 1]
        return u0 + (u1 - u0) * (moment - t0) / (t1 - t0)
