"""The attack suite: solutions that want a better time, or a verdict, without the work; or to do harm.

Each file of attacks/ says in its first comment what it tries and how it must end (End in solvers/measuring/score.py).
After each one the node has to be well: no container but the warm ones, no process and no file left, memory given back,
and the next honest solution right.
"""

import itertools
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from solvers.containers.container import Container
from solvers.containers.engine import Engine
from solvers.measuring.cores import Cores
from solvers.measuring.evaluator import FIRST_UID, Evaluator
from solvers.measuring.score import End, Score, scaled
from solvers.tasks.task import Profile, Task, find_task, read_task
from solvers.workspace.archive import Refused
from solvers.workspace.solution import Solution, read_folder

HERE = Path(__file__).parent / "attacks"
BRANCHES = itertools.count(7_000 + os.getpid() % 1000 * 10)  # a uid for each room that no other test has
TOY = Path(__file__).parent.parent / "toys" / "twice"
MEMORY_MB = 128
PROFILES = {
    "tiny": Profile(parameters={"n": 20_000}, cases=4),
    "fair": Profile(parameters={"n": 100_000}, cases=16),
    "wide": Profile(parameters={"n": 7_000_000}, cases=1),  # three edge cases, so 168 MB of which 56 are used
}
ROOMS = {"": "tiny", "not faster": "fair", "in a wide room": "wide"}
FASTER = 0.6  # of an honest time, on a node with other load
RESTING_BYTES = 64 << 20  # memory of a warm container between executions


class Attack(NamedTuple):
    """A solution and how it must end. In a fair room it may be right, but not faster than an honest one."""

    name: str
    ends: frozenset[End]
    room: str
    files: dict[str, bytes]


def attacks(folder: Path, source: str) -> list[Attack]:
    """The attacks of a folder, by the first comment of each."""
    found = []
    honest = (folder / "honest.h").read_bytes()
    for path in sorted(folder.glob("*.c")):
        said = re.search(r"\* Must end: (.+)", path.read_text(errors="replace"))
        assert said, f"{path} does not say how it must end"
        ends, _, more = said[1].partition(", ")
        files = {source: path.read_bytes(), "honest.h": honest}
        found.append(Attack(path.stem, frozenset(End(end) for end in ends.split(" or ")), ROOMS[more], files))
    return found


ATTACKS = attacks(HERE, "twice.c")
ON_TASKS = [
    pytest.param(task, attack, id=f"{task}-{attack.name}")
    for task, source in (("radix_sort", "radix_sort.c"), ("flash_attention", "attention.c"))
    for attack in attacks(HERE / task, source)
]
HONEST = b'#include "twice.h"\nvoid twice(uint64_t *n, size_t c) { for (size_t i = 0; i < c; i++) n[i] *= 2; }\n'
IDLE = b'#include "twice.h"\nvoid twice(uint64_t *n, size_t c) { (void)n, (void)c; }\n'
OPTION = HONEST + b'#ifdef UNFAIR\n#error "a name became an option"\n#endif\n'
X32 = 0x40000000
PROBES = {
    335,
    336,
}  # uretprobe and uprobe, which newer kernels let through whatever a filter says; they do nothing here
CALL = HERE / "system_call" / "system_call.c"


class Room:
    """Where attacks are tried: a task at one profile, its warm containers, and its honest solution."""

    def __init__(self, engine: Engine, cores: Cores, task: Task, profile: str, honest: dict[str, bytes]) -> None:
        self.engine, self.honest = engine, honest
        self.label = f"attacks={uuid.uuid4().hex}"
        self.uid = FIRST_UID + next(BRANCHES)
        name, _, value = self.label.partition("=")
        self.evaluator = Evaluator(engine, task, profile, cores, branch=self.uid - FIRST_UID, labels={name: value})
        self.times: list[float] = []  # of honest sections

    def score(self, files: dict[str, bytes]) -> Score:
        """An execution, on some scale."""
        return scaled(self.evaluator.evaluate(Solution(files=files)), (1.0, 0.5), (1.0, 0.5))

    def assert_ends(self, attack: Attack) -> None:
        """As it must, and with no score above what the work is worth."""
        score = self.score(attack.files)
        assert score.end in attack.ends, (score.end, score.why, score.log)
        assert score.correct == (score.end is End.RIGHT)
        assert score.why is None or score.why.isprintable(), score.why
        if not score.correct:
            assert (score.metric, score.score, score.score_declared) == (None, 0, 0)
        elif attack.room == "fair":
            assert self.is_fair(score), (score.samples, min(self.times))

    @property
    def header(self) -> bytes:
        """The toy's own header, which an evaluator would add."""
        return (TOY / "environment" / "twice.h").read_bytes()

    @contextmanager
    def timekeeper(self) -> Iterator[Callable[[bytes], dict[str, Any]]]:
        """A timekeeper that nobody replaces after a death: an object is loaded, and what is said of it is returned."""
        with Container(self.engine, self.evaluator.keeper.warm.cell) as container:

            def load(object: bytes) -> dict[str, Any]:
                deadline = time.monotonic() + 10
                order = f"load bytes={len(object)} core=0 uid={self.uid} seconds=1 cases=4 n=1\n"
                container.send(order.encode() + object, deadline)
                said: dict[str, Any] = json.loads(container.line(deadline))
                return said

            yield load

    def is_fair(self, score: Score) -> bool:
        """Whether no section was faster than honest ones are. Fastest ones, since other load makes only slower."""
        for _ in range(4):
            if self.times and min(score.samples) >= FASTER * min(self.times):
                return True
            self.times += self.score(self.honest).samples
        return False

    def assert_well(self) -> None:
        """Nothing of an attack is left, and an honest solution is right."""
        honest = self.score(self.honest)
        assert honest.end is End.RIGHT, honest.why
        warm = {container.id: self.pids(container) for container in self.warm()}
        running = self.engine.client.containers.list(all=True, filters={"label": self.label})
        assert {container.id for container in running} == warm.keys()
        for pids in warm.values():
            assert len(pids) == 2, [Path(f"/proc/{pid}/comm").read_text() for pid in pids]  # init, and our program
            assert memory(pids[0]) < RESTING_BYTES
        assert self.strays() == {pid for pids in warm.values() for pid in pids if owner(pid) == self.uid}

    def warm(self) -> list[Container]:
        """The containers that may be there."""
        rooms = self.evaluator.builder, self.evaluator.keeper
        return [room.warm.container() for room in rooms]

    def strays(self) -> set[int]:
        """All processes of the node under our user."""
        return {int(path.name) for path in Path("/proc").glob("[0-9]*") if owner(int(path.name)) == self.uid}

    def pids(self, container: Container) -> list[int]:
        """The host's numbers for its processes."""
        top = self.engine.client.api.top(container.id, "-o pid")
        return [int(row[0]) for row in top["Processes"]]


def owner(pid: int) -> int | None:
    """Whose a process is; None where there is none."""
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except FileNotFoundError:
        return None


def memory(pid: int) -> int:
    """Bytes that the container of a process has; 0 where the kernel does not tell us."""
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for file in (
            Path(f"/sys/fs/cgroup/memory{path}/memory.usage_in_bytes") if controllers == "memory" else None,
            Path(f"/sys/fs/cgroup{path}/memory.current") if not controllers else None,
        ):
            if file and file.exists():
                return int(file.read_text())
    return 0


@pytest.fixture(scope="module")
def room_of(engine: Engine, cores: Cores) -> Iterator[Callable[[str], Room]]:
    """Rooms by name: the toy's profiles, with short limits, and the shipped tasks' small ones."""
    made: dict[str, Room] = {}

    def of(name: str) -> Room:
        if name not in made and name in PROFILES:
            task = shortened(read_task(TOY))
            made[name] = Room(engine, cores, task, name, read_folder(task.reference).files)
        elif name not in made:
            task = find_task(name)
            made[name] = Room(engine, cores, task, "small", read_folder(task.reference).files)
        return made[name]

    yield of
    for room in made.values():
        room.evaluator.close()


def shortened(task: Task) -> Task:
    """The toy, with less patience and less memory."""
    measure = task.measure.model_copy(update={"call_sec": 0.5, "build_sec": 3.0, "profile": PROFILES})
    environment = task.description.environment.model_copy(update={"memory_mb": MEMORY_MB})
    return Task(task.folder, task.description.model_copy(update={"measure": measure, "environment": environment}))


@pytest.fixture
def room(room_of: Callable[[str], Room]) -> Iterator[Room]:
    """Quick, and looked after."""
    yield room_of("tiny")
    room_of("tiny").assert_well()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_it_ends_as_it_must(room_of: Callable[[str], Room], attack: Attack) -> None:
    room = room_of(attack.room)
    room.assert_ends(attack)
    room.assert_well()


@pytest.mark.parametrize(("task", "attack"), ON_TASKS)
def test_content_is_compared(room_of: Callable[[str], Room], task: str, attack: Attack) -> None:
    room_of(task).assert_ends(attack)


@pytest.mark.parametrize("task", ["radix_sort", "flash_attention"])
def test_a_task_is_well_after_its_attacks(room_of: Callable[[str], Room], task: str) -> None:
    room_of(task).assert_well()


def test_every_system_call_and_signal_but_the_harmless_is_the_end(room: Room) -> None:
    source = CALL.read_text()
    names = " ".join(re.findall(r"\* But: (.+)", source)).split()
    source = source.replace("{ALLOWED}", "{" + " ".join(f"CALL({name})" for name in names) + "}")
    files = {"twice.c": source.encode(), "honest.h": (HERE / "honest.h").read_bytes(), "twice.h": room.header}
    object = room.evaluator.builder.build(Solution(files=files)).object
    ask = struct.pack("<Q", 0x7E57AB1E7E57AB1E)
    at = object.rindex(ask)
    with room.timekeeper() as load:
        allowed = {int(number) for number in load(object)["text"].split()}
        ends = {}
        signals = [1 << 32 | number for number in range(1, 65)]
        for number in (*range(520), *(X32 + number for number in (0, 1, 39, 57, 59, 520, 545)), *signals):
            said = load(object[:at] + struct.pack("<Q", number) + object[at + 8 :])
            ends[number] = said.get("how", said["said"])
    assert len(allowed) == len(names)
    harmless = allowed | {1 << 32 | signal.SIGSTOP, 1 << 32 | signal.SIGABRT}
    assert {number for number, end in ends.items() if end != "forbidden"} - PROBES == harmless


NAMES = [
    "-o.c",
    "--help",
    "a b.c",
    "a -DUNFAIR .c",
    "a -include x.h .c",
    "-DUNFAIR .c",
    "@options .c",
    "@options",
    "$(touch x).c",
    "`reboot`.c",
    ";reboot;.c",
    "'\".c",
    "*.c",
    "[a-z]?.c",
    ".hidden.c",
    "-/-fplugin=x.so .c",
    "a\u00a0b\u2003c.c",
    "\u00e9\u4e2d\U0001f600.c",
    "\\n.c",
    "x" * 250 + ".c",
]


def test_a_file_name_is_never_an_option_nor_a_command(room: Room) -> None:
    more = {name: b"int more_%d = 1;\n" % i for i, name in enumerate(NAMES)}
    helping = {"options": b"-DUNFAIR", "x.h": b"#define UNFAIR\n"}
    score = room.score({"twice.c": OPTION} | more | helping)
    assert score.end is End.RIGHT, (score.why, score.log)
    assert room.score({"a -DUNFAIR .c": OPTION} | helping).end is End.RIGHT
    assert room.score({"a.c": OPTION + b"#error this one"} | more).end is End.REJECTED
    assert room.score({"nothing.h": b""}).end is End.LOAD  # an object of nothing


@pytest.mark.parametrize("name", ["object", "object/x.h", "solution"])
def test_an_object_that_is_brought_along_is_not_taken(room: Room, name: str) -> None:
    """It could come from any compiler with any options, and need have nothing to do with the source."""
    object = room.evaluator.builder.build(Solution(files=room.honest | {"twice.h": room.header})).object
    assert object.startswith(b"\x7fELF")
    assert room.score({"twice.c": b"#error no", name: object}).end is End.REJECTED
    assert room.score({"twice.c": IDLE, name: object}).end is End.WRONG
    assert room.score({"twice.c": HONEST, name: object}).end is End.RIGHT


def precompiled(room: Room, header: bytes) -> bytes:
    """A header as the task's own compiler keeps it."""
    command = 'echo "$HEADER" >/tmp/twice.h; cd /tmp; gcc -O3 -std=gnu17 -fPIC -Wall twice.h -o gch; cat gch'
    made = room.engine.client.containers.run(
        room.evaluator.images[0],
        ["sh", "-c", command],
        environment={"HEADER": header.decode()},
        network_mode="none",
        remove=True,
    )
    return bytes(made)


def test_a_precompiled_header_is_not_loaded(room: Room) -> None:
    """The compiler would take it for the header beside it, whatever it holds: it is the compiler's own memory."""
    header = b"#include <stddef.h>\n#include <stdint.h>\n#define UNFAIR\nvoid twice(uint64_t *, size_t);\n"
    made = precompiled(room, header)
    assert b"gpch" in made[:16]
    assert room.score({"twice.c": OPTION, "twice.h.gch": made}).end is End.RIGHT
    assert room.score({"twice.c": OPTION, "twice.h.gch/c": made}).end is End.RIGHT


def test_files_of_the_task_stay_as_they_are(room: Room) -> None:
    changed = room.score({"twice.c": HONEST, "twice.h": b"#define UNFAIR\n"})
    assert (changed.end, changed.score) == (End.PROTECTED, 0)
    folder = room.score({"twice.c": HONEST, "twice.h/x.h": b""})
    assert (folder.end, folder.score) == (End.REFUSED, 0)
    assert room.score({"twice.c": HONEST, "sub/twice.h": b"#error no"}).end is End.RIGHT


def holes(folder: Path) -> None:
    """A file that is a terabyte long and has nothing in it."""
    with (folder / "holes.c").open("wb") as file:
        file.truncate(2**40)


def listening(folder: Path) -> None:
    """A socket with a name."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "s.c"))


def device(folder: Path) -> None:
    """/dev/zero by another name."""
    if os.geteuid():
        pytest.skip("only root makes devices")
    os.mknod(folder / "zero.c", 0o020666, os.makedev(1, 5))


def many(folder: Path) -> None:
    """More files than a solution may have."""
    for number in range(1000):
        (folder / f"{number}.h").touch()


SPOILT: dict[str, Callable[[Path], object]] = {
    "link": lambda folder: (folder / "passwd.h").symlink_to("/etc/passwd"),
    "link to a folder": lambda folder: (folder / "sub").symlink_to("/"),
    "hard link": lambda folder: os.link(folder / "twice.c", folder / "again.c"),
    "pipe": lambda folder: os.mkfifo(folder / "pipe.c"),
    "device": device,
    "socket": listening,
    "holes": holes,
    "many": many,
    "deep": lambda folder: (folder / "/".join("abcdefghijkl")).mkdir(parents=True),
    "line break": lambda folder: (folder / "a\n-DUNFAIR\n.c").touch(),
    "no text": lambda folder: Path(os.fsdecode(bytes(folder) + b"/\xff\xfe.c")).touch(),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_what_is_no_file_is_no_solution(tmp_path: Path, kind: str, room_of: Callable[[str], Room]) -> None:
    (tmp_path / "twice.c").write_bytes(HONEST)
    SPOILT[kind](tmp_path)
    with pytest.raises(Refused) as refused:
        read_folder(tmp_path)
    score = scaled(room_of("tiny").evaluator.evaluate(refused.value), (1.0, 0.5), (1.0, 0.5))
    assert (score.end, score.correct, score.score) == (End.REFUSED, False, 0)
    assert score.why
    assert score.why.isprintable()


def test_what_is_told_is_of_no_use_the_next_time(room: Room) -> None:
    files = next(attack.files for attack in ATTACKS if attack.name == "tells_its_input")
    first, second = room.score(files), room.score(files)
    assert first.why
    assert re.search(r"([0-9a-f]{16} ){8}", first.why)
    assert first.why != second.why
    assert first.seed != second.seed


def test_a_slow_warm_up_does_not_make_sections_short(room_of: Callable[[str], Room]) -> None:
    """A single case finds its input in the cache; a tenth faster, for a sort of a million keys."""
    room = room_of("fair")
    files = next(attack.files for attack in ATTACKS if attack.name == "slow_warm_up")
    assert room.score(files).sections[-1].cases == room.score(room.honest).sections[-1].cases


@pytest.mark.soak
@pytest.mark.parametrize("turn", range(10))
def test_ten_times(engine: Engine, turn: int) -> None:
    """All of the above, each time in a new process."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not soak", __file__]
    found = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert found.returncode == 0, found.stdout[-4000:]
