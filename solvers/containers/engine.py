"""A container engine over the Docker SDK: images, and what is left over from drivers that are gone.

What the engine refuses becomes an EngineFault, in one place. Nothing here ever runs code outside a container.
"""

import http.client
import io
import json
import os
import re
import socket
import tarfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docker
import docker.errors
import docker.utils
import requests.exceptions
import urllib3.exceptions

from actors.errors import BadInput, ErrorKind, UnitFault
from solvers.containers.driver import LABEL as LABEL
from solvers.containers.driver import left_over

GET_ONE = (
    "install Docker Engine (Debian: apt-get install docker.io), start it, and let this user reach it "
    "(group docker, or DOCKER_HOST); generated code runs nowhere else"
)
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
SECONDS = 60.0  # for one request to the engine
PROBE_SECONDS = 2.0  # whether it is there at all
SAID = 600  # characters of what the engine says, in one fault


class EngineFault(UnitFault):
    """The engine went away, or could not do what it was asked for."""

    def __init__(self, message: str = "", kind: ErrorKind = ErrorKind.ENGINE) -> None:
        super().__init__(message, kind)


@contextmanager
def engine_faults(doing: str) -> Iterator[None]:
    """Whatever the SDK raises while ``doing`` something, as an EngineFault in one line."""
    try:
        yield
    except docker.errors.APIError as error:
        raise EngineFault(f"{doing}: {one_line(str(error.explanation or error))[-SAID:]}") from None
    except docker.errors.DockerException as error:
        raise EngineFault(f"{doing}: {one_line(str(error))[-SAID:]}") from None
    except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, http.client.HTTPException) as error:
        raise EngineFault(f"{doing}: {lost(error)}") from None
    except OSError as error:
        raise EngineFault(f"{doing}: {lost(error)}") from None


def lost(error: Exception) -> str:
    """What a broken connection means."""
    said = one_line(str(error))[:SAID]
    what = "did not answer in time" if "timed out" in said else "went away"
    return f"the container engine {what} ({said or type(error).__name__})"


def one_line(text: str) -> str:
    """A text without its line breaks, and without what a terminal would obey."""
    return " ".join("".join(letter for letter in COLOUR.sub("", word) if letter.isprintable()) for word in text.split())


class Engine:
    """The engine that this process's environment names.

    One serves several threads: each request takes a connection of its own from the SDK's pool, and nothing that
    requests share is changed but the set of what is still to be removed. Not for a forked child, which makes its own.
    """

    def __init__(self, client: docker.DockerClient, host: str = "") -> None:
        self.client, self._host = client, host
        self._kept: set[str] = set()  # containers that could not be removed

    @classmethod
    def connect(cls, seconds: float = SECONDS) -> "Engine":
        """BadInput, with how to get one, where none answers; later requests wait for ``seconds`` as well."""
        try:
            host = str(docker.utils.parse_host(os.environ.get("DOCKER_HOST") or None))
            knock(host)
            client = docker.from_env(timeout=int(seconds))
            client.ping()
        except (docker.errors.DockerException, requests.exceptions.RequestException, OSError, ValueError) as error:
            named = os.environ.get("DOCKER_HOST")
            where = f" at DOCKER_HOST={named}" if named else ""
            raise BadInput(f"no container engine answers{where} ({reason(error)}); {GET_ONE}") from None
        return cls(client, host)

    def answers(self) -> bool:
        """Whether it is still there, found out quickly."""
        api = self.client.api
        try:
            knock(self._host)
            return bool(api.get(f"{api.base_url}/_ping", timeout=PROBE_SECONDS).ok)
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, OSError):
            return False

    def info(self) -> dict[str, Any]:
        """What it tells about itself, in its own words."""
        with engine_faults("asking the container engine about itself"):
            told: dict[str, Any] = self.client.info()
        return told

    def image(self, name: str) -> str | None:
        """The id of an image that is here."""
        with engine_faults(f"looking for the image {name}"):
            try:
                return str(self.client.images.get(name).id)
            except docker.errors.ImageNotFound:
                return None

    def build(self, name: str, files: Mapping[str, bytes], arguments: Mapping[str, str], seconds: float) -> str:
        """Build an image from files, one of them Dockerfile; its id. A build may use the network."""
        ends, said = time.monotonic() + seconds, [""]
        with engine_faults(f"building the image {name}"):
            for step in self.client.api.build(
                fileobj=tar_of(files),
                custom_context=True,
                tag=name,
                buildargs=dict(arguments),
                network_mode="host",
                rm=True,
                forcerm=True,
                timeout=int(seconds) or 1,
                labels={LABEL: "image"},
                decode=True,
            ):
                said = [*said[-40:], str(step.get("stream") or "")]
                if "error" in step:
                    raise EngineFault(f"building the image {name}: {step['error']} {one_line(''.join(said))[-SAID:]}")
                if time.monotonic() > ends:
                    raise EngineFault(f"building the image {name}: not done after {seconds:g} s")
        made = self.image(name)
        if made is None:
            raise EngineFault(f"building the image {name}: the engine went away before it was done")
        return made

    def pull(self, name: str) -> bool:
        """Whether a registry gave the image."""
        try:
            self.client.images.pull(name)
        except (docker.errors.DockerException, requests.exceptions.RequestException):
            return False
        return True

    def take_root(self, name: str, root: Path, changes: Sequence[str] = ()) -> str:
        """Import a tar of a root file system as an image, with lines of a Dockerfile applied; its id."""
        repository, _, tag = name.partition(":")
        with engine_faults(f"importing the image {name}"):
            said = self.client.api.import_image_from_file(
                str(root), repository=repository, tag=tag or "latest", changes=list(changes)
            )
        last: dict[str, Any] = json.loads(str(said).strip().splitlines()[-1])
        if "error" in last:
            raise EngineFault(f"importing the image {name}: {one_line(str(last['error']))}")
        return str(last["status"])

    def sweep(self) -> int:
        """Remove what was left over by drivers that are gone; how many. Nobody else's are touched."""
        removed, here, now = 0, socket.gethostname(), time.time()
        with engine_faults("removing containers that were left over"):
            for found in self.client.api.containers(all=True, filters={"label": f"{LABEL}=container"}):
                if left_over(found, here, now):
                    removed += self._remove(found["Id"])
        return removed

    def remove(self, container: str) -> None:
        """End a container and remove it; where the engine cannot now, `remove_kept` tries again."""
        try:
            with engine_faults("removing a container"):
                self._remove(container)
            self._kept.discard(container)
        except EngineFault:
            self._kept.add(container)

    def remove_kept(self) -> None:
        """Remove what could not be removed before: an engine that was killed may come back with it."""
        for container in list(self._kept):
            self.remove(container)

    def _remove(self, container: str) -> bool:
        """Whether it was there; not if it has gone by itself, or the engine is about to remove it."""
        try:
            self.client.api.remove_container(container, force=True, v=True)
        except docker.errors.APIError as error:
            if error.status_code not in (404, 409):
                raise
            return False
        return True

    def ran_out_of_memory(self, container: str, began: float) -> bool:
        """Whether the kernel has killed anything in a container for its memory since then."""
        wanted = {"container": container, "event": "oom"}
        with engine_faults("asking for a container's memory"):
            events = self.client.api.events(int(began) - 1, int(time.time()) + 1, wanted, decode=True)
            return any(True for _ in events)

    def ending(self, container: str, began: float) -> tuple[bool, str]:
        """Whether its memory ended a container, and its exit code, from events: it is removed by now, or soon."""
        memory, code = False, ""
        wanted = {"container": container, "event": ["oom", "die"]}
        until = int(time.time() + PROBE_SECONDS)
        with engine_faults("asking how a container ended"):
            for event in self.client.api.events(int(began) - 1, until, wanted, decode=True):
                memory = memory or event["Action"] == "oom"
                code = event["Actor"]["Attributes"].get("exitCode", code)
                if event["Action"] == "die":
                    break
        return memory and code not in ("", "0"), code

    def close(self) -> None:
        """End the connections."""
        self.client.close()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def knock(host: str) -> None:
    """OSError where nobody listens on a local socket: the SDK would leave its own end of it open."""
    if host.startswith("http+unix://"):
        with socket.socket(socket.AF_UNIX) as door:
            door.settimeout(PROBE_SECONDS)
            door.connect(host.removeprefix("http+unix://"))


def reason(error: Exception) -> str:
    """Why no engine answers, in few words."""
    said = one_line(str(error))
    for known in ("No such file or directory", "Connection refused", "Permission denied", "timed out"):
        if known in said:
            return known.lower()
    return said[:200] or type(error).__name__


def tar_of(files: Mapping[str, bytes]) -> io.BytesIO:
    """Files as a tar in memory; the same files give the same bytes, so that the engine's cache holds."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755  # whatever is run by its name can be
            tar.addfile(entry, io.BytesIO(content))
    made.seek(0)
    return made
