"""The engine or the driver is killed, or the disk is full: a row that says so, soon; nothing left; the next one works.

All on an engine of these tests' own, with a small disk. Its one image has the real harness and a compiler that hands
out objects, which the real one made before.
"""

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import docker.errors
import pytest
from killing import running

from actors.errors import BadInput
from solvers.containers.container import Cell, Container
from solvers.containers.engine import Engine, EngineFault
from solvers.measuring.builder import Builder
from solvers.measuring.cores import Cores
from solvers.measuring.evaluator import Evaluator
from solvers.measuring.image import environment_name, measuring_name
from solvers.measuring.score import End, Score
from solvers.tasks.task import Task, read_task
from solvers.workspace.solution import Solution

TOY = Path(__file__).parent.parent / "toys" / "twice"
LOOP = b'#include "twice.h"\nvoid twice(uint64_t *n, size_t c) { for (;;) __asm__ volatile("" ::: "memory"); }\n'
TOOLS = "sh tar find sort head stat sed cat rm mkdir cp sleep"
GCC = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
case "$(cat *.c)" in
    *SLOW*) sleep 60 ;;
    *'for (;;)'*) cp /objects/loop "$2" ;;
    *) cp /objects/right "$2" ;;
esac
"""
PACK = f"""
cd /tmp && mkdir -p root/objects root/usr/bin root/work root/proc root/sys root/dev root/etc root/tmp && cd root
ln -s usr/bin bin
for tool in {TOOLS}; do cp -L $(command -v $tool) usr/bin/; done
cp -r /harness .
for file in $(ldd usr/bin/* /harness/caged | grep -o '/[^ :]*[.]so[^ :]*' | sort -u); do
    mkdir -p .$(dirname $file); cp -L $file .$file
done
for name in loop right gcc; do
    read -r size; head -c $size >/tmp/$name
done
cp /tmp/loop /tmp/right objects; cp /tmp/gcc usr/bin/gcc; chmod 755 usr/bin/gcc
tar -cf /tmp/root.tar . && stat -c %s /tmp/root.tar && cat /tmp/root.tar
"""
DRIVER = """
import sys
from pathlib import Path
from solvers.measuring.cores import Cores
from solvers.containers.engine import Engine
from solvers.measuring.evaluator import Evaluator
from solvers.tasks.task import read_task
from solvers.workspace.solution import Solution

task = read_task(Path(sys.argv[1]))
evaluator = Evaluator(Engine.connect(), task, "small", Cores(), labels={"heuresis.unit": sys.argv[2]})
print(evaluator.evaluate(Solution(files={"twice.c": sys.argv[3].encode()})).end, flush=True)
"""
APART = ("unshare", "--net", "--")  # an engine without a bridge removes docker0, so it must not see that of others
WATCHED = ("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "ctypes.dlopen")
ran_here: list[str] = []
sys.addaudithook(lambda event, _: ran_here.append(event) if event in WATCHED else None)


class OwnEngine:
    """A second engine: its own socket and folders, no bridge, a disk in memory."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="own-engine-", dir="/tmp"))  # a socket's path has to be short
        (self.folder / "data").mkdir()
        self.host = f"unix://{self.folder}/socket"
        self.process: subprocess.Popen[bytes] | None = None
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "none", self.folder / "data"], check=True)

    def start(self) -> None:
        given = {"data-root": "data", "exec-root": "exec", "pidfile": "pid"}
        folders = [f"--{option}={self.folder / name}" for option, name in given.items()]
        names = [f"--containerd{which}-namespace=own-engine{which}" for which in ("", "-plugins")]
        for stale in ("pid", "exec/containerd/containerd.pid"):  # of one killed, which nobody may have reaped
            (self.folder / stale).unlink(missing_ok=True)
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*APART, "dockerd", "--host", self.host, "--bridge=none", "--iptables=false", *folders, *names],
                stdout=log,
                stderr=log,
            )
        ends = time.monotonic() + 20
        while True:
            try:
                return self.connect().close()
            except BadInput:
                assert time.monotonic() < ends, (self.folder / "log").read_text()[-2000:]
                assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
                time.sleep(0.05)

    def connect(self) -> Engine:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DOCKER_HOST", self.host)
            return Engine.connect()

    def kill(self) -> None:
        """With -9, and its containerd with it."""
        assert self.process
        for pid in [*children(self.process.pid), self.process.pid]:
            os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
        ids = [path.name for path in (self.folder / "data" / "containers").glob("*")]
        for pid in [*mentioning("cmdline", str(self.folder)), *(one for id in ids for one in mentioning("cgroup", id))]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for mounted in reversed([line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]):
            if mounted.startswith(str(self.folder)):
                subprocess.run(["umount", "-l", mounted], check=False)
        shutil.rmtree(self.folder)


def children(parent: int) -> list[int]:
    """Of all its threads."""
    return [
        int(pid) for path in (Path("/proc") / str(parent)).glob("task/*/children") for pid in path.read_text().split()
    ]


def mentioning(file: str, text: str) -> list[int]:
    """Processes with a text in a file of theirs in /proc, but for this one."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            with suppress(OSError):  # it has ended
                if text in (folder / file).read_text(errors="replace"):
                    found.append(int(folder.name))
    return found


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """The toy, smaller, with a minute for a call."""
    folder = tmp_path_factory.mktemp("task") / "twice"
    shutil.copytree(TOY, folder)
    description = folder / "task.toml"
    written = description.read_text()
    for plain, wanted in (("call_sec = 2.0", "call_sec = 60.0"), ("n = 500000", "n = 20000")):
        assert plain in written
        written = written.replace(plain, wanted)
    description.write_text(written)
    return read_task(folder)


@pytest.fixture(scope="module")
def small_root(engine: Engine, cores: Cores, patient: Task, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few megabytes of root file system, taken from the images that the usual engine has or builds."""
    with Evaluator(engine, patient, "small", cores) as evaluator:
        environment, measuring = evaluator.images
    assert patient.measure
    builder = Builder(engine, environment, patient.measure, Cell(image="", command=(), memory_mb=256))
    objects = []
    for source in (LOOP, (TOY / "solution" / "twice.c").read_bytes()):
        header = (TOY / "environment" / "twice.h").read_bytes()
        objects.append(builder.build(Solution(files={"twice.c": source, "twice.h": header})).object)
    builder.close()
    packed = tmp_path_factory.mktemp("root") / "root.tar"
    cell = Cell(image=measuring, command=("sh", "-c", PACK), memory_mb=256, tmpfs={"/tmp": 128})
    soon = time.monotonic() + 60
    with Container(engine, cell) as container:
        for part in (*objects, GCC.encode()):
            assert part
            container.send(f"{len(part)}\n".encode() + part, soon)
        packed.write_bytes(container.read(int(container.line(soon)), soon))
    return packed


@pytest.fixture(scope="module")
def own(engine: Engine, small_root: Path, patient: Task) -> Iterator[OwnEngine]:
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        why = "an engine of one's own to kill needs root and dockerd"
        (pytest.fail if os.environ.get("HEURESIS_REQUIRE_ENGINE") else pytest.skip)(why)
    started = OwnEngine()
    try:
        started.start()
        with started.connect() as connected:
            for name in (environment_name(patient), measuring_name(patient)):
                connected.take_root(name, small_root)
        yield started
    finally:
        started.end()


@pytest.fixture
def running_engine(own: OwnEngine) -> Iterator[Engine]:
    """It runs, whatever the test before did to it, and is empty."""
    if own.process is None or own.process.poll() is not None:
        own.start()
    with own.connect() as connected:
        yield connected


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cores that no other test waits for."""
    monkeypatch.setenv("HEURESIS_CORES", str(tmp_path / "cores"))
    return tmp_path / "cores"


@pytest.fixture
def evaluator(running_engine: Engine, patient: Task, locks: Path) -> Iterator[Evaluator]:
    with Evaluator(running_engine, patient, "small", Cores(), labels={"heuresis.unit": uuid.uuid4().hex}) as made:
        yield made


def solution(source: bytes | None = None) -> Solution:
    return Solution(files={"twice.c": source or (TOY / "solution" / "twice.c").read_bytes()})


def works(evaluator: Evaluator) -> None:
    row = evaluator.evaluate(solution())
    assert row.end is End.RIGHT, row.why


def leased(locks: Path) -> bool:
    """Whether some core is."""
    for path in locks.glob("core-*"):
        with path.open("r+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


def until(true: Callable[[], object], seconds: float = 20) -> float:
    """Wait; the seconds that it took."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < seconds, "it never came to that"
        time.sleep(0.01)
    return time.monotonic() - began


def listed(engine: Engine, **labels: str) -> list[str]:
    wanted = {"label": [f"heuresis.{key}={value}" for key, value in labels.items()] or ["heuresis=container"]}
    return [one["Id"] for one in engine.client.api.containers(all=True, filters=wanted)]


def in_a_measured_call(engine: Engine) -> bool:
    return runs(engine, "/harness/caged")


def in_a_build(engine: Engine) -> bool:
    return runs(engine, "sleep 60")


def runs(engine: Engine, program: str) -> bool:
    """Whether it runs in a container of ours."""
    with suppress(docker.errors.APIError):  # one that has just ended
        told = [engine.client.api.top(one)["Processes"] for one in listed(engine)]
        return any(line[-1] == program for lines in told for line in lines)
    return False


def evaluated_while(evaluator: Evaluator, source: bytes, moment: Callable[[], object], do: Callable[[], None]) -> Score:
    """A row of an execution in whose course something is done; it must come within seconds after."""
    rows: list[Score] = []
    thread = threading.Thread(target=lambda: rows.append(evaluator.evaluate(solution(source))))
    thread.start()
    until(lambda: moment() or not thread.is_alive())
    assert thread.is_alive(), rows
    time.sleep(0.1)
    do()
    done = time.monotonic()
    thread.join(30)
    sys.stdout.write(f"a row after {time.monotonic() - done:.3f} s: {rows and rows[0].why}\n")
    assert time.monotonic() - done < 3
    return rows[0]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the SDK's end of a dead connection
@pytest.mark.parametrize(("source", "moment"), [(LOOP, in_a_measured_call), (b"/* SLOW */", in_a_build)])
def test_an_engine_killed_in_mid_run_is_a_row_and_the_next_one_works(
    own: OwnEngine,
    running_engine: Engine,
    evaluator: Evaluator,
    locks: Path,
    source: bytes,
    moment: Callable[[Engine], bool],
) -> None:
    works(evaluator)
    row = evaluated_while(evaluator, source, lambda: moment(running_engine), own.kill)
    assert row.end is End.ENGINE
    assert row.why
    assert "engine went away" in row.why
    assert "\n" not in row.why
    assert row.metric is row.score is None
    assert not leased(locks)
    ran_here.clear()
    absent = evaluator.evaluate(solution())
    assert (absent.end, absent.seconds < 1) == (End.ENGINE, True)
    assert ran_here == [], "nothing runs on the host instead"
    own.start()
    works(evaluator)
    until(lambda: len(listed(running_engine)) == 2)  # what was lost is gone, or is removed
    gc.collect()  # what the SDK forgot to close is warned of in this test, not in another


@pytest.mark.parametrize(("source", "moment"), [(LOOP, in_a_measured_call), (b"/* SLOW */", in_a_build)])
def test_a_driver_killed_in_mid_run_leaves_nothing(
    own: OwnEngine,
    running_engine: Engine,
    patient: Task,
    locks: Path,
    source: bytes,
    moment: Callable[[Engine], bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DOCKER_HOST", own.host)
    unit = uuid.uuid4().hex
    until(lambda: not listed(running_engine))
    with running([sys.executable, "-c", DRIVER, str(patient.folder), unit, source.decode()]) as driver:
        until(lambda: moment(running_engine) or driver.poll() is not None)
        assert driver.poll() is None, driver.communicate()
        ids = listed(running_engine, unit=unit)
        assert ids
        assert leased(locks) == (moment is in_a_measured_call)
        driver.kill()
        driver.communicate()
        free = until(lambda: not leased(locks), 1)
        gone = until(lambda: not listed(running_engine, unit=unit), 5)
    sys.stdout.write(f"core free after {free:.3f} s, containers gone after {gone:.3f} s\n")
    assert gone < 1
    assert [mentioning("cgroup", id) for id in ids] == [[]] * len(ids)
    assert running_engine.sweep() == 0


def test_a_full_disk_is_a_row_and_a_line(
    own: OwnEngine, running_engine: Engine, evaluator: Evaluator, patient: Task, small_root: Path
) -> None:
    ballast = own.folder / "data" / "ballast"
    free = os.statvfs(ballast.parent)
    ballast.write_bytes(bytes(free.f_bavail * free.f_bsize))
    try:
        row = evaluator.evaluate(solution())
        assert row.end is End.ENGINE
        assert row.why
        assert "no space left on device" in row.why
        assert "\n" not in row.why
        with pytest.raises(EngineFault, match="no space left on device"):
            running_engine.take_root("heuresis/test-full:root", small_root)
        with pytest.raises(EngineFault, match="no space left on device"):
            running_engine.build("heuresis/test-full:build", {"Dockerfile": b"FROM scratch\nCOPY . /\n"}, {}, 10)
    finally:
        ballast.unlink()
    assert listed(running_engine) == []
    works(evaluator)
