"""Exclusive cores for timed sections: who times on a physical core holds a lock that all runs on this node respect.

One file per physical core, under a lock (flock) for as long as the lease lasts; the kernel frees it with the process
that holds it, however that ends. Who waits stands in a queue: a lock on one more file, whose holder alone looks for a
free core. The kernel wakes waiters in the order they came, near enough. All sibling threads of a core go with it, and
the lowest of those that this process may use is the one to time on. The first physical core, or the first eighth of
them, is never leased where there are more: driver, raylet and builds live there (`Cores.keep_off`).

The files stand in HEURESIS_CORES, or heuresis-cores in the temporary folder, open to every user of the node.

Not guarded:
* The engine's own processes, which run where they like, and programs that do not ask: another user's job, an interrupt,
  the host of a virtual machine. Look at the load and at the spread of the repeats.
* Runs that see other files (another TMPDIR, a container with a /tmp of its own) or another set of CPUs: what is
  housekeeping to one may be timed on by another. Set HEURESIS_CORES to one folder for all.
* A user who holds a lock for ever, or deletes the files of others that he owns; `patience` bounds the wait.
* A child that is forked and does not exec shares the lock: it keeps it if the parent is killed, until it ends itself.
  Programs that are started the usual way do not get it.
"""

import fcntl
import os
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent import futures
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from actors.errors import BadInput
from solvers.measuring.topology import SYS, Physical, cpu_list, split, topology

KEPT_OFF = "HEURESIS_ALLOWED_CPUS"
WHILE_SECONDS = 2.0  # of waiting, before somebody is told
POLL_SECONDS = 0.004
LOOK_SECONDS = 0.1  # between two looks at whether a place in a queue is still wanted
Still = Callable[[], object]  # raises where what somebody waits for is not wanted any more
ADVICE = "set HEURESIS_CORES to a folder with mode 1777, or to a path where one can be made"


class Lease(NamedTuple):
    """A physical core that nobody else times on now."""

    core: int
    """The logical CPU to time on."""
    siblings: tuple[int, ...]
    """All logical CPUs of the physical core, `core` among them."""
    waited: float
    """Seconds from asking to having."""
    shared: bool
    """Whether housekeeping runs on the same core, because there is only one."""


@cache
def allowed_cpus() -> frozenset[int]:
    """The CPUs of this process as they were at the first call, or before `Cores.keep_off` in it or in an ancestor."""
    now = os.sched_getaffinity(os.getpid())
    with suppress(ValueError, BadInput):
        before = frozenset(cpu_list(os.environ.get(KEPT_OFF, "")))
        if set(split(topology(SYS, before))[0]) == now:
            return before
    return frozenset(now)


class Cores:
    """The cores of this node, as this process may use them. BadInput if the folder of lock files is unfit."""

    def __init__(self, folder: Path | None = None, root: Path = SYS, allowed: Collection[int] | None = None) -> None:
        given = os.environ.get("HEURESIS_CORES")
        self.folder = folder or Path(given or Path(tempfile.gettempdir()) / "heuresis-cores")
        self._allowed = allowed_cpus() if allowed is None else frozenset(allowed)
        cores = topology(root, self._allowed)
        self.housekeeping, self._timed = split(cores)
        self.timed = tuple(core.allowed[0] for core in self._timed)
        self.shared = len(cores) == 1
        make_folder(self.folder)

    @contextmanager
    def lease(
        self,
        patience: float | None = None,
        waiting: Callable[[str], None] = lambda _: None,
        still: Still = lambda: None,
    ) -> Iterator[Lease]:
        """A core of one's own for as long as the block lasts. TimeoutError if none is free in ``patience`` seconds.

        ``waiting`` is told if it takes a while. ``still`` is asked now and then: what it raises ends the wait.
        """
        asked = time.monotonic()
        ends = None if patience is None else asked + patience
        told = threading.Timer(WHILE_SECONDS, waiting, ["waiting for a core: others measure on this node"])
        told.daemon = True
        told.start()
        try:
            with self._turn(ends, still):
                core, held = self._free(ends, still)
        finally:
            told.cancel()
        try:
            yield Lease(core.allowed[0], core.siblings, time.monotonic() - asked, self.shared)
        finally:
            release(held)

    def keep_off(self) -> None:
        """Moves this process, and what it starts from now on, to the housekeeping CPUs; not where there is one core.

        Children find the CPUs that were allowed before in their environment, and so the same cores to time on.
        """
        if self.shared:
            return
        os.environ[KEPT_OFF] = ",".join(map(str, sorted(self._allowed)))
        there = set(self.housekeeping)
        moved = True
        while moved:  # a thread that was not moved yet may have started another
            moved = False
            for thread in [int(path.name) for path in Path("/proc/self/task").iterdir()]:
                with suppress(ProcessLookupError):
                    if os.sched_getaffinity(thread) != there:
                        os.sched_setaffinity(thread, there)
                        moved = True

    @contextmanager
    def _turn(self, ends: float | None, still: Still) -> Iterator[None]:
        queue = open_lock(self.folder / "queue")
        if not (taken(queue) or wait(queue, ends, still)):
            raise TimeoutError("no turn in the queue for a core: others wait longer")
        try:
            yield
        finally:
            release(queue)

    def _free(self, ends: float | None, still: Still) -> tuple[Physical, int]:
        """A core and the file that holds it."""
        files = [(core, open_lock(self.folder / f"core-{core.siblings[0]}")) for core in self._timed]
        held = -1
        try:
            while True:
                still()
                for core, file in files:
                    if taken(file):
                        held = file
                        return core, held
                if ends is not None and time.monotonic() >= ends:
                    raise TimeoutError(f"all {len(files)} cores for timed sections are in use")
                time.sleep(POLL_SECONDS)
        finally:
            for _, file in files:
                if file != held:
                    os.close(file)


@contextmanager
def alone(folder: Path, what: str, still: Still = lambda: None) -> Iterator[None]:
    """One process of this node at a time does ``what``; the others wait. folder: `Cores.folder`; still: as `lease`."""
    file = open_lock(folder / what)
    if not taken(file):
        wait(file, None, still)
    try:
        still()
        yield
    finally:
        release(file)


def make_folder(folder: Path) -> None:
    """The folder of lock files, with mode 1777 from the moment it can be seen."""
    try:
        if not os.path.lexists(folder):
            new = Path(tempfile.mkdtemp(prefix=".heuresis-cores-", dir=folder.parent))
            new.chmod(0o1777)
            try:
                new.rename(folder)
            except OSError:  # somebody else was first
                new.rmdir()
        found = folder.lstat()
    except OSError as error:
        raise BadInput(f"{folder}: no place for lock files ({error.strerror}); {ADVICE}") from None
    if not stat.S_ISDIR(found.st_mode):
        what = "a link" if stat.S_ISLNK(found.st_mode) else "not a folder"
        raise BadInput(f"{folder}: {what}, so no place for lock files; {ADVICE}")
    if stat.S_IMODE(found.st_mode) != 0o1777:
        raise BadInput(f"{folder}: mode {stat.S_IMODE(found.st_mode):o} does not let all users lock cores; {ADVICE}")


def open_lock(path: Path) -> int:
    """A file to lock, made if it is missing.

    Opened without O_CREAT, which the kernel may forbid for another user's file in such a folder.
    """
    try:
        while True:
            try:
                file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
                break
            except FileNotFoundError:
                with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-") as new, suppress(FileExistsError):
                    os.fchmod(new.fileno(), 0o666)
                    os.link(new.name, path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be locked ({error.strerror}); {ADVICE}") from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise BadInput(f"{path}: not a regular file, so no lock; remove it, or {ADVICE}")
    return file


def taken(file: int) -> bool:
    """Whether ``file`` is ours now, without waiting. Marked as used, so that cleaners of old files leave it alone."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    os.utime(file)
    return True


def wait(file: int, ends: float | None, still: Still) -> bool:
    """Whether ``file`` became ours in time. If not, it leaves the queue, and is closed, when its turn comes.

    The thread is there because a lock that blocks cannot be given up.
    """
    turn: Future[None] = Future()

    def block() -> None:
        fcntl.flock(file, fcntl.LOCK_EX)
        if turn.set_running_or_notify_cancel():
            turn.set_result(None)
        else:
            os.close(file)

    threading.Thread(target=block, name="queue for a core", daemon=True).start()
    try:
        while not turn.done() and (ends is None or time.monotonic() < ends):
            still()
            futures.wait([turn], LOOK_SECONDS if ends is None else min(LOOK_SECONDS, ends - time.monotonic()))
    except BaseException:  # interrupted, or not wanted any more: not to be left in the queue
        if not turn.cancel():
            release(file)
        raise
    return not turn.cancel()


def release(file: int) -> None:
    """Unlocks for forked children too, then closes."""
    fcntl.flock(file, fcntl.LOCK_UN)
    os.close(file)
