"""No engine, a wrong one, one that refuses: a clear line each. What killed drivers leave is swept, and only that."""

import http.client
import json
import os
import socket
import subprocess
import sys
import tarfile
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import docker.errors
import pytest
import requests.exceptions
import urllib3.exceptions

from actors.errors import BadInput, ErrorKind
from solvers.containers.container import Cell, Container
from solvers.containers.driver import alive, left_over, this_process
from solvers.containers.engine import Engine, EngineFault, engine_faults
from solvers.measuring.image import BASE

DIES_BEFORE_START = """
import os, signal, sys
from solvers.containers.container import Cell, Container
from solvers.containers.engine import Engine

engine = Engine.connect()
engine.client.api.start = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Container(engine, Cell(image=sys.argv[1], command=("cat",), memory_mb=32, labels={"heuresis.unit": sys.argv[2]}))
"""


@pytest.fixture
def unit(engine: Engine) -> Iterator[str]:
    """A label of this test's own; whatever still carries it in the end is removed."""
    name = uuid.uuid4().hex
    yield name
    for found in containers(engine, name):
        engine.client.api.remove_container(found, force=True)


def containers(engine: Engine, unit: str) -> list[str]:
    return [one["Id"] for one in engine.client.api.containers(all=True, filters={"label": f"heuresis.unit={unit}"})]


def created(engine: Engine, labels: dict[str, str]) -> str:
    """A container that is never started."""
    return str(engine.client.api.create_container(BASE, ["cat"], labels=labels)["Id"])


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("unix:///no/where", "no such file or directory"),
        ("tcp://127.0.0.1:1", "connection refused"),
        ("gopher://here", "Invalid bind address"),
        ("tcp://:abc", "Port could not be cast"),
        ("nonsense", "port is required"),
    ],
)
def test_a_wrong_host_is_one_line_with_how_to_get_an_engine(
    monkeypatch: pytest.MonkeyPatch, host: str, said: str
) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    with pytest.raises(BadInput, match=said) as refused:
        Engine.connect()
    line = str(refused.value)
    assert line.startswith(f"no container engine answers at DOCKER_HOST={host} (")
    assert "apt-get install docker.io" in line
    assert "\n" not in line


def test_a_socket_that_we_may_not_open_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("solvers.containers.engine.knock", refuse)
    with pytest.raises(BadInput, match=r"\(permission denied\).*group docker"):
        Engine.connect()


def test_a_socket_where_something_else_listens_is_bad_input_in_bounded_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(tmp_path / "s"))
        mute.listen()
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/s")
        began = time.monotonic()
        with pytest.raises(BadInput, match="timed out"):
            Engine.connect(seconds=1)
        assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            docker.errors.APIError("500", explanation="driver failed:\n  no space\n  left"),
            "driver failed: no space left",
        ),
        (docker.errors.ImageNotFound("No such image: x"), "No such image: x"),
        (docker.errors.DockerException("odd\nthing"), "odd thing"),
        (
            requests.exceptions.ConnectionError("Connection aborted."),
            "the container engine went away (Connection aborted.)",
        ),
        (requests.exceptions.ReadTimeout("Read timed out."), "the container engine did not answer in time"),
        (urllib3.exceptions.ProtocolError("Connection broken"), "the container engine went away (Connection broken)"),
        (http.client.IncompleteRead(b""), "the container engine went away"),
        (BrokenPipeError(32, "Broken pipe"), "the container engine went away ([Errno 32] Broken pipe)"),
        (ConnectionResetError(), "the container engine went away (ConnectionResetError)"),
    ],
)
def test_whatever_the_sdk_raises_is_a_fault_in_one_line(error: Exception, said: str) -> None:
    with pytest.raises(EngineFault) as fault, engine_faults("trying"):
        raise error
    assert str(fault.value).startswith("trying: ")
    assert said in str(fault.value)
    assert "\n" not in str(fault.value)
    assert fault.value.kind is ErrorKind.ENGINE
    assert fault.value.__suppress_context__


def test_bugs_are_not_faults() -> None:
    with pytest.raises(KeyError), engine_faults("trying"):
        raise KeyError("ours")


def test_a_pid_that_came_again_is_not_alive() -> None:
    pid, start, where = this_process().split(":", 2)
    assert alive(this_process())
    assert not alive(f"{pid}:{int(start) - 1}:{where}")
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert not alive(f"{gone.pid}:{start}:{where}")


def test_what_cannot_be_known_counts_as_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    pid, start, where = this_process().split(":", 2)
    boot, _, space = where.partition("/")
    assert boot
    assert space.startswith("pid:[")
    assert alive(f"{pid}:{int(start) - 1}:{boot}/pid:[1]"), "pids of another namespace, such as another worker's"
    assert alive(f"{pid}:{int(start) - 1}:{boot[::-1]}/{space}"), "pids of another machine of the same name"
    assert alive("")
    monkeypatch.setattr("solvers.containers.driver.started", lambda _: "")
    assert alive(f"{pid}:{start}:{where}"), "hidden by /proc, but there"

    def not_ours(_: int, __: int) -> None:
        raise PermissionError

    monkeypatch.setattr("solvers.containers.driver.os.kill", not_ours)
    assert alive(f"{pid}:{start}:{where}"), "another user's"


def test_where_the_kernel_does_not_say_whose_pids_they_are_nobody_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solvers.containers.driver.BOOT", Path("/no/where"))
    assert this_process().endswith(":")
    assert alive("4194305:1:")


@pytest.mark.parametrize(
    ("state", "age", "host", "process", "gone"),
    [
        ("created", 5000, "elsewhere", "7:1:boot/pid:[1]", True),
        ("created", 5000, "here", "", True),
        ("created", 60, "elsewhere", "7:1:boot/pid:[1]", False),
        ("running", 5000, "elsewhere", "7:1:boot/pid:[1]", False),
        ("running", 5000, "here", "7:1:boot/pid:[1]", False),
        ("running", 5000, "elsewhere", "dead", False),
        ("running", 60, "here", "dead", True),
        ("created", 60, "here", "dead", True),
    ],
)
def test_what_is_left_over_by_drivers_whose_pids_are_not_ours(
    state: str, age: int, host: str, process: str, gone: bool
) -> None:
    dead = this_process().replace(f"{os.getpid()}:", "4194305:", 1)
    labels = {"heuresis.host": host, "heuresis.process": dead if process == "dead" else process}
    found = {"State": state, "Created": 10_000 - age, "Labels": labels}
    assert left_over(found, "here", 10_000.0) is gone


def test_a_container_that_a_killed_driver_never_started_is_swept(engine: Engine, unit: str) -> None:
    died = subprocess.run([sys.executable, "-c", DIES_BEFORE_START, BASE, unit], capture_output=True, check=False)
    assert died.returncode == -9, died.stderr
    assert len(containers(engine, unit)) == 1, "the engine does not remove what never ran"
    assert engine.sweep() >= 1
    assert containers(engine, unit) == []


def test_the_sweep_spares_the_living_other_hosts_and_strangers(engine: Engine, unit: str) -> None:
    here, dead = socket.gethostname(), this_process().replace(f"{os.getpid()}:", "4194305:", 1)
    ours = {"heuresis": "container", "heuresis.unit": unit}
    spared = [
        created(engine, {**ours, "heuresis.host": here, "heuresis.process": this_process()}),
        created(engine, {**ours, "heuresis.host": "elsewhere", "heuresis.process": dead}),
        created(engine, {"heuresis.unit": unit}),
        created(engine, {**ours, "heuresis.host": here}),
    ]
    lost = created(engine, {**ours, "heuresis.host": here, "heuresis.process": dead})
    assert engine.sweep() >= 1
    assert sorted(containers(engine, unit)) == sorted(spared)
    assert lost not in spared


def test_a_sweep_costs_nothing_to_speak_of(engine: Engine) -> None:
    took = []
    for _ in range(5):
        began = time.perf_counter()
        engine.sweep()
        took.append(time.perf_counter() - began)
    assert min(took) < 0.05


def test_an_image_that_is_not_here_is_none_and_no_registry_is_no(engine: Engine) -> None:
    assert engine.image("heuresis/no-such:image") is None
    assert engine.image(BASE)
    assert engine.pull("127.0.0.1:1/heuresis/no-such:image") is False
    assert engine.answers()


@pytest.mark.parametrize(
    ("dockerfile", "said"),
    [
        (f"FROM {BASE}\nRUN echo once && false\n", r"returned a non-zero code: 1 .* once "),
        ("FRM nothing\n", "unknown instruction: FRM"),
        (None, "Cannot locate specified Dockerfile"),
        (f"FROM {BASE}\nRUN sleep 20\n", "did not answer in time|not done after"),
    ],
)
def test_a_build_that_fails_says_why(engine: Engine, dockerfile: str | None, said: str) -> None:
    files = {"Dockerfile": dockerfile.encode()} if dockerfile else {}
    began = time.monotonic()
    with pytest.raises(EngineFault, match=said) as fault:
        engine.build("heuresis/test-fails:build", files, {}, seconds=2)
    assert "\n" not in str(fault.value)
    assert time.monotonic() - began < 5
    assert engine.image("heuresis/test-fails:build") is None


def test_a_root_is_taken_with_its_changes_and_a_broken_one_is_not(engine: Engine, tmp_path: Path) -> None:
    name, root = f"heuresis/test-root:{uuid.uuid4().hex}", tmp_path / "root.tar"
    root.write_bytes(b"no tar " * 100)
    with pytest.raises(EngineFault, match="importing the image heuresis/test-root"):
        engine.take_root(name, root)
    with tarfile.open(root, "w") as tar:
        tar.add(__file__, "hello")
    try:
        made = engine.take_root(name, root, ['LABEL heuresis.said="a \\"quote\\", $5"'.replace("$", "\\$")])
        assert made == engine.image(name)
        said = engine.client.api.inspect_image(name)["Config"]["Labels"]
        assert said["heuresis.said"] == 'a "quote", $5', json.dumps(said)
    finally:
        engine.client.api.remove_image(name)


def test_one_engine_serves_several_threads(engine: Engine, unit: str) -> None:
    said: list[bytes] = []
    cell = Cell(image=BASE, command=("cat",), memory_mb=32, labels={"heuresis.unit": unit})

    def work(number: int) -> None:
        for turn in range(3):
            with Container(engine, cell) as container:
                container.send(f"{number} {turn}\n".encode(), time.monotonic() + 30)
                said.append(container.line(time.monotonic() + 30))
                engine.sweep()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(said) == sorted(f"{number} {turn}".encode() for number in range(4) for turn in range(3))
