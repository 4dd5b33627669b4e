"""A container is what it promises: no network, no rights, nothing kept on disk; its limits hold and are told."""

import pickle
import re
import socket
import struct
import threading
import time
import tracemalloc
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from solvers.containers.container import KEPT, LONGEST, MOST, Cell, Container, Flood, Gone, Late, hang_up
from solvers.containers.driver import this_process
from solvers.containers.engine import Engine, EngineFault
from solvers.measuring.image import BASE

MIB = 2**20


def cell(command: str, **more: Any) -> Cell:
    return Cell(image=BASE, command=("sh", "-c", command), **{"memory_mb": 64, **more})


def soon(seconds: float = 20) -> float:
    return time.monotonic() + seconds


def frame(data: bytes, stream: int = 1) -> bytes:
    return struct.pack(">BxxxL", stream, len(data)) + data


class Absent:
    """An engine that cannot be asked how a container ended."""

    def answers(self) -> bool:
        return False


@contextmanager
def spoken(*parts: bytes) -> Iterator[Container]:
    """A container of nothing but a connection that says these parts, one write each, then hangs up."""
    ours, theirs = socket.socketpair()
    container = Container.__new__(Container)
    container.engine, container.cell = cast("Engine", Absent()), cell("")
    container.errors, container._heard = bytearray(), bytearray()
    container._socket, container._raw = ours, None

    def say() -> None:
        with theirs:
            try:
                for part in parts:
                    theirs.sendall(part)
            except (BrokenPipeError, ConnectionResetError):
                pass

    thread = threading.Thread(target=say)
    thread.start()
    try:
        yield container
    finally:
        hang_up(ours, None)
        thread.join()


def ending(engine: Engine, asked: Cell) -> Gone:
    """How a container that says nothing more ends."""
    with Container(engine, asked) as container:
        try:
            while True:
                container.line(soon())
        except Gone as gone:
            return gone


def test_frames_may_be_split_at_any_byte() -> None:
    said = frame(b"one\ntw") + frame(b"mutter", 2) + frame(b"o\nthree") + frame(b"") + frame(b"four\n")
    with spoken(*(said[at : at + 1] for at in range(len(said)))) as container:
        assert container.line(soon()) == b"one"
        assert container.line(soon()) == b"two"
        assert container.read(5, soon()) == b"three"
        assert container.line(soon()) == b"four"
        assert bytes(container.errors) == b"mutter"
        with pytest.raises(Gone, match="engine went away"):
            container.line(soon())


def test_a_hang_up_within_a_frame_is_the_end() -> None:
    with spoken(frame(b"whole\n") + frame(b"half of it")[:-3]) as container:
        assert container.line(soon()) == b"whole"
        with pytest.raises(Gone):
            container.read(10, soon())


def test_what_is_no_frame_is_a_fault() -> None:
    for wrong in (b"HTTP/1.1 200 OK\r\n\r\n", struct.pack(">BxxxL", 1, MOST + 1)):
        with spoken(wrong) as container, pytest.raises(EngineFault, match="frames that cannot be read"):
            container.line(soon())


def test_a_line_and_an_answer_have_a_largest_size() -> None:
    with spoken(*[frame(b"x" * 32768)] * 64) as container:
        with pytest.raises(Flood, match=f"a line of more than {LONGEST} bytes"):
            container.line(soon())
        with pytest.raises(Flood, match=f"{MOST} are allowed"):
            container.read(MOST + 1, soon())


def test_stderr_is_kept_up_to_a_size() -> None:
    with spoken(*[frame(b"e" * 10000, 2)] * 20, frame(b"done\n")) as container:
        assert container.line(soon()) == b"done"
        assert len(container.errors) == KEPT


def test_a_closed_container_says_so() -> None:
    with spoken() as container:
        container._socket = None
        for call in (lambda: container.line(soon()), lambda: container.send(b"x", soon()), container.end_input):
            with pytest.raises(Gone, match="was closed"):
                call()


def test_it_has_no_network_no_rights_and_nothing_to_write_to(engine: Engine) -> None:
    look = (
        "grep -E '^(Cap(Prm|Eff|Bnd|Inh|Amb)|NoNewPrivs|Seccomp):' /proc/self/status; echo net $(ls /sys/class/net); "
        "touch /etc/x 2>&1; (echo > /dev/tcp) 2>&1; df -k /work /dev/shm | awk 'NR > 1 {print $6, $2}'; "
        "head -c 9000000 /dev/zero >/work/big 2>/dev/null; stat -c 'big %s' /work/big; "
        "cp /bin/true /work && /work/true && echo runs; id -u; exec cat"
    )
    unit = uuid.uuid4().hex
    asked = cell(look, user="20001:20001", tmpfs={"/work": 4}, labels={"heuresis.unit": unit}, processes=16)
    with Container(engine, asked) as container:
        said = []
        while "20001" not in said:
            said.append(container.line(soon()).decode())
        inspected = engine.client.api.inspect_container(container.id)
    text = "\n".join(said)
    assert len(re.findall(r"^Cap(?:Prm|Eff|Bnd|Inh|Amb):\t0{16}$", text, re.M)) == 5
    assert "NoNewPrivs:\t1" in said
    assert "Seccomp:\t2" in said
    assert "net lo" in said
    assert "Read-only file system" in text
    assert "/work 4096" in said
    assert "/dev/shm 1024" in said
    assert f"big {4 * MIB}" in said
    assert "Read-only" not in text.replace("touch: cannot touch '/etc/x': Read-only file system", "")
    host = inspected["HostConfig"]
    assert host["LogConfig"]["Type"] == "none"
    assert inspected["LogPath"] == ""
    assert (host["AutoRemove"], host["Init"], host["NetworkMode"], host["PidsLimit"]) == (True, True, "none", 16)
    assert host["Memory"] == host["MemorySwap"] == 64 * MIB
    assert inspected["Config"]["Labels"] | {"heuresis": "container", "heuresis.unit": unit} == {
        **inspected["Config"]["Labels"],
        "heuresis.host": socket.gethostname(),
        "heuresis.process": this_process(),
    }


def test_a_tmpfs_over_a_folder_of_the_image_can_be_written_to(engine: Engine) -> None:
    asked = cell("echo x >/srv/x && cat /srv/x; exec cat", user="20001:20001", tmpfs={"/srv": 1})
    with Container(engine, asked) as container:
        assert container.line(soon()) == b"x"


def test_named_capabilities_are_all_it_has(engine: Engine) -> None:
    asked = cell("grep CapEff /proc/self/status; exec cat", capabilities=("SETUID", "SETGID", "KILL"))
    with Container(engine, asked) as container:
        assert int(container.line(soon()).split()[1], 16) == 1 << 7 | 1 << 6 | 1 << 5


def test_the_end_of_stdin_ends_it_and_it_may_still_speak(engine: Engine) -> None:
    with Container(engine, cell("while read x; do echo got $x; done; echo mutter >&2; echo bye")) as container:
        container.send(b"one\n", soon())
        assert container.line(soon()) == b"got one"
        container.end_input()
        assert container.line(soon()) == b"bye"
        with pytest.raises(Gone, match="exit code 0: mutter"):
            container.line(soon())


def test_one_that_was_lost_while_nobody_spoke_to_it_is_noticed(engine: Engine) -> None:
    with Container(engine, cell("echo hello; read x")) as container:
        assert not container.lost()
        assert container.line(soon()) == b"hello"
        assert not container.lost()
        engine.client.api.kill(container.id)
        while not container.lost():
            time.sleep(0.01)
        with pytest.raises(Gone, match="exit code 137"):
            container.line(soon())
    assert container.lost()


def test_it_is_gone_at_once_when_it_is_closed(engine: Engine) -> None:
    container = Container(engine, cell("trap '' TERM HUP INT; while :; do sleep 1; done"))
    began = time.monotonic()
    container.close()
    container.close()
    assert time.monotonic() - began < 2
    assert engine.client.api.containers(all=True, filters={"id": container.id}) == []


def test_an_exit_and_a_kill_for_memory_are_told_apart(engine: Engine) -> None:
    left = ending(engine, cell("echo sorry >&2; exit 3"))
    assert "ended with exit code 3: sorry" in str(left)
    assert not left.memory
    missing = ending(engine, cell("").model_copy(update={"command": ("/no/such/program",)}))
    assert re.search("exit code 127: .*/no/such/program", str(missing))
    greedy = ending(engine, cell("exec tail /dev/zero"))
    assert "ran out of memory" in str(greedy)
    assert greedy.memory
    filled = ending(engine, cell("exec head -c 99000000 /dev/zero >/work/x", tmpfs={"/work": 128}))
    assert filled.memory, "what is in a tmpfs is memory too"


def test_a_fork_bomb_stops_at_the_limit(engine: Engine) -> None:
    bomb = "i=0; while [ $i -lt 50 ]; do sleep 5 & i=$((i + 1)); done; echo never"
    gone = ending(engine, cell(bomb, processes=8))
    assert "fork" in str(gone).lower(), gone


def test_a_flood_ends_in_a_fault_and_takes_no_memory(engine: Engine) -> None:
    with Container(engine, cell("exec cat /dev/zero")) as container:
        time.sleep(0.3)
        tracemalloc.start()
        try:
            with pytest.raises(Flood):
                container.line(soon())
            assert tracemalloc.get_traced_memory()[1] < 4 * MIB
        finally:
            tracemalloc.stop()


def test_a_flood_of_stderr_ends_with_the_deadline(engine: Engine) -> None:
    with Container(engine, cell("exec cat /dev/zero >&2")) as container:
        with pytest.raises(Late):
            container.line(soon(0.5))
        assert len(container.errors) == KEPT


def test_silence_and_deafness_end_with_the_deadline(engine: Engine) -> None:
    with Container(engine, cell("exec sleep 30")) as container:
        began = time.monotonic()
        with pytest.raises(Late, match="answer"):
            container.line(soon(0.3))
        with pytest.raises(Late, match="read"):
            container.send(bytes(16 * MIB), soon(0.3))
        assert time.monotonic() - began < 2


def test_one_that_cannot_be_started_is_one_line_and_leaves_nothing(engine: Engine) -> None:
    unit = uuid.uuid4().hex
    for wrong in ({"user": "nobody-we-know"}, {"cores": (4095,)}, {"image": "heuresis/no-such:image"}):
        with pytest.raises(EngineFault, match="starting a container of") as fault:
            Container(engine, cell("true", labels={"heuresis.unit": unit}).model_copy(update=wrong))
        assert "\n" not in str(fault.value)
    assert engine.client.api.containers(all=True, filters={"label": f"heuresis.unit={unit}"}) == []


@pytest.mark.parametrize(
    "fault", [EngineFault("a"), Gone("b", memory=True), Late("c"), Flood("d")], ids=lambda fault: type(fault).__name__
)
def test_faults_cross_processes_as_what_they_are(fault: EngineFault) -> None:
    again = pickle.loads(pickle.dumps(fault))
    assert (type(again), str(again), again.__dict__) == (type(fault), str(fault), fault.__dict__)
