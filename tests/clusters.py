"""A Ray cluster of containers on this machine: a head and workers from the project's image, driven over the SDK.

As docs/cluster.md has it: a network of its own, the engine's socket in every container, one volume of locks for all.
For engine tests; whoever makes a cluster closes it. The image is built from the working tree, with wheels that this
environment's pip fetches.
"""

import functools
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import uuid
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import docker

ROOT = Path(__file__).resolve().parent.parent
WHEELS = ROOT / ".venv" / "wheels"
SOCKET = Path("/var/run/docker.sock")
IMAGE = "heuresis/test-cluster:latest"
READY_SECONDS = 120.0
STORE = "--object-store-memory=100000000"
ALIVE = """
import logging, ray
ray.init(address="auto", logging_level=logging.ERROR, log_to_driver=False)
print("alive:", sum(node["Alive"] for node in ray.nodes()))
"""


class Said(NamedTuple):
    """What a command in a container left."""

    code: int
    out: str
    err: str


def fetch_wheels() -> None:
    """`make wheels`: what requirements.lock names, with this machine's own pip; at once where the lock is the same."""
    lock, kept = ROOT / "requirements.lock", WHEELS / "made-from.lock"
    if kept.exists() and kept.read_bytes() == lock.read_bytes():
        return
    shutil.rmtree(WHEELS, ignore_errors=True)
    options = ["--quiet", "--require-hashes", "--no-deps", "-r", str(lock), "-d", str(WHEELS)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options], check=True, capture_output=True, cwd=ROOT)
    shutil.copy(lock, kept)


@functools.cache
def project_image() -> str:
    """The image of the working tree, once a test process; the engine's cache makes the second build quick."""
    fetch_wheels()
    with closing(docker.from_env(timeout=600)) as client:
        client.images.build(path=str(ROOT), tag=IMAGE, network_mode="host", rm=True, forcerm=True)
    return IMAGE


class Cluster:
    """A head and two workers, or more. ``host`` is what they all call themselves, this machine's name by default.

    resources: what each worker tells Ray that it has, beside a processor.
    """

    def __init__(
        self,
        workers: int = 2,
        image: str = "",
        host: str = "",
        outputs: Path | None = None,
        resources: dict[str, float] | None = None,
    ) -> None:
        self._image = image or project_image()
        self._client = docker.from_env(timeout=120)
        self.name = f"heuresis-test-{uuid.uuid4().hex[:8]}"
        self._host = host or socket.gethostname()
        self._outputs = outputs
        self._resources = json.dumps(resources or {})
        self._token = secrets.token_hex(32)
        self._network: Any = self._client.networks.create(self.name)
        self._locks: Any = self._client.volumes.create(f"{self.name}-cores")
        self.head: Any = None
        self.workers: list[Any] = []
        try:
            self.head = self._start("head", ["start", "--head", "--port=6379", "--num-cpus=1"])
            for _ in range(workers):
                self.add_worker()
            self.wait(1 + workers)
        except BaseException:
            self.close()
            raise

    def _start(self, role: str, command: list[str]) -> Any:
        mounts = {str(SOCKET): {"bind": str(SOCKET), "mode": "rw"}, self._locks.name: {"bind": "/cores", "mode": "rw"}}
        if self._outputs is not None and role == "head":
            self._outputs.mkdir(exist_ok=True)
            self._outputs.chmod(0o777)
            mounts[str(self._outputs)] = {"bind": "/work/outputs", "mode": "rw"}
        return self._client.containers.run(
            self._image,
            [*command, "--block", "--disable-usage-stats", STORE],
            entrypoint=["ray"],
            name=f"{self.name}-{role}",
            hostname=self._host,
            network=self.name,
            user=f"{os.getuid()}:{os.getgid()}" if os.getuid() else "",  # for root the image's own, which is not root
            group_add=[str(SOCKET.stat().st_gid)],
            volumes=mounts,
            environment={"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": self._token},
            shm_size="256m",
            init=True,
            detach=True,
        )

    def add_worker(self) -> Any:
        """One more, with one processor to Ray; it joins in some seconds (`wait`)."""
        role = f"worker-{len(self.workers)}"
        joins = ["start", f"--address={self.name}-head:6379", "--num-cpus=1", f"--resources={self._resources}"]
        self.workers.append(self._start(role, joins))
        return self.workers[-1]

    def run(self, container: Any, *command: str) -> Said:
        """A command in one of the containers, to its end."""
        code, (out, err) = container.exec_run(list(command), demux=True)
        return Said(code, (out or b"").decode(), (err or b"").decode())

    def begin(self, container: Any, *command: str, seconds: float = READY_SECONDS) -> str:
        """A command that goes on in one of the containers: the first line that it says."""
        said, ends = f"/tmp/{uuid.uuid4().hex}", time.monotonic() + seconds
        container.exec_run(["sh", "-c", f'exec "$@" >{said} 2>&1', "sh", *command], detach=True)
        while "\n" not in (so_far := self.run(container, "cat", said).out):
            assert time.monotonic() < ends, f"{command} says nothing"
            time.sleep(0.2)
        return so_far.splitlines()[0]

    def alive(self) -> int:
        """How many nodes Ray counts, as the head sees them; 0 while there is no head yet."""
        said = self.run(self.head, "python", "-c", ALIVE)
        counted = re.findall(r"^alive: (\d+)$", said.out, re.M)  # Ray says things of its own between
        return int(counted[0]) if counted else 0

    def wait(self, nodes: int, seconds: float = READY_SECONDS) -> None:
        """Until Ray counts so many nodes."""
        ends = time.monotonic() + seconds
        while (found := self.alive()) != nodes:
            if time.monotonic() > ends:
                said = [one.logs(tail=20).decode() for one in (self.head, *self.workers)]
                raise AssertionError(f"{found} nodes, not {nodes}, after {seconds:g} s\n" + "\n".join(said))
            time.sleep(0.5)

    def kill(self, worker: Any) -> None:
        """End a worker as a machine that loses its power does."""
        worker.kill()

    def close(self) -> None:
        """Remove containers, network and volume."""
        for container in (*self.workers, self.head):
            if container is not None:
                container.remove(force=True, v=True)
        self._network.remove()
        self._locks.remove()
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
