"""A container engine over the Docker SDK: images, and what is left over from drivers that are gone.

What the engine refuses becomes an EngineFault, in one place. Nothing here ever runs code outside a container.
"""

import io
import os
import socket
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import docker
import docker.errors
import requests.exceptions
import urllib3.exceptions

from actors.errors import BadInput, ErrorKind, UnitFault

GET_ONE = (
    "install Docker Engine (Debian: apt-get install docker.io), start it, and let this user reach it "
    "(group docker, or DOCKER_HOST); generated code runs nowhere else"
)
LABEL = "heuresis"
SECONDS = 60.0  # for one request to the engine


class EngineFault(UnitFault):
    """The engine went away, or could not do what it was asked for."""

    def __init__(self, message: str = "", kind: ErrorKind = ErrorKind.ENGINE) -> None:
        super().__init__(message, kind)


@contextmanager
def engine_faults(doing: str) -> Iterator[None]:
    """Whatever the SDK raises while ``doing`` something, as an EngineFault in one line."""
    try:
        yield
    except docker.errors.BuildError as error:
        said = " | ".join(str(step.get("stream") or step.get("error") or "").strip() for step in error.build_log)
        raise EngineFault(f"{doing}: {error.msg} {one_line(said)[-600:]}") from None
    except (docker.errors.DockerException, requests.exceptions.RequestException) as error:
        raise EngineFault(f"{doing}: {one_line(str(error))}") from None
    except (OSError, urllib3.exceptions.HTTPError) as error:
        raise EngineFault(f"{doing}: the container engine went away ({one_line(str(error))})") from None


def one_line(text: str) -> str:
    """A text without its line breaks."""
    return " ".join(text.split())


class Engine:
    """The engine that this process's environment names."""

    def __init__(self, client: docker.DockerClient) -> None:
        self.client = client

    @classmethod
    def connect(cls) -> "Engine":
        """BadInput, with how to get one, where none answers."""
        try:
            client = docker.from_env(timeout=int(SECONDS))
            client.ping()
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as error:
            raise BadInput(f"no container engine answers ({reason(error)}); {GET_ONE}") from None
        return cls(client)

    def image(self, name: str) -> str | None:
        """The id of an image that is here."""
        try:
            with engine_faults(f"looking for the image {name}"):
                return str(self.client.images.get(name).id)
        except EngineFault as fault:
            if "No such image" in str(fault):
                return None
            raise

    def build(self, name: str, files: Mapping[str, bytes], arguments: Mapping[str, str], seconds: float) -> str:
        """Build an image from files, one of them Dockerfile; its id. The build may use the network, unlike what runs."""
        with engine_faults(f"building the image {name}"):
            built, _ = self.client.images.build(
                fileobj=context(files),
                custom_context=True,
                tag=name,
                buildargs=dict(arguments),
                network_mode="host",
                rm=True,
                forcerm=True,
                timeout=int(seconds),
                labels={LABEL: "image"},
            )
            return str(built.id)

    def pull(self, name: str) -> bool:
        """Whether a registry gave the image."""
        try:
            self.client.images.pull(name)
        except (docker.errors.DockerException, requests.exceptions.RequestException):
            return False
        return True

    def take_root(self, name: str, root: Path) -> str:
        """Import a tar of a root file system as an image; its id."""
        repository, _, tag = name.partition(":")
        with engine_faults(f"importing the image {name}"):
            self.client.api.import_image_from_file(str(root), repository=repository, tag=tag)
        return self.image(name) or ""

    def sweep(self) -> int:
        """Remove the containers of drivers of this host that are gone; how many. Nobody else's are touched."""
        removed = 0
        with engine_faults("looking for containers that were left over"):
            for found in self.client.containers.list(all=True, filters={"label": f"{LABEL}.host={socket.gethostname()}"}):
                if not alive(found.labels.get(f"{LABEL}.process", "")):
                    try:
                        found.remove(force=True)
                        removed += 1
                    except docker.errors.APIError:
                        pass  # it is being removed already: the engine's own --rm was as quick
        return removed


def reason(error: Exception) -> str:
    """Why no engine answers, in few words."""
    said = one_line(str(error))
    for known in ("No such file or directory", "Connection refused", "Permission denied"):
        if known in said:
            return known.lower()
    return said[:200]


def context(files: Mapping[str, bytes]) -> io.BytesIO:
    """A build context in memory; the same files give the same bytes, so that the engine's cache holds."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755 if name.endswith(".sh") else 0o644
            tar.addfile(entry, io.BytesIO(content))
    made.seek(0)
    return made


def this_process() -> str:
    """Who started a container: pid and start time, since pids come again."""
    return f"{os.getpid()}:{started(os.getpid())}"


def started(pid: int) -> str:
    """When a process was started, in the kernel's ticks; empty if there is none."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def alive(process: str) -> bool:
    """Whether the process that a label names still runs."""
    pid, _, start = process.partition(":")
    return pid.isdigit() and start != "" and started(int(pid)) == start
