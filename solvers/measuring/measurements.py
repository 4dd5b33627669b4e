"""Every execution on disk, a line each, before anybody uses it; and the anchors of this node, which are executions too.

One file per host, since outputs/ may be shared; a line is written with one call under a lock and synced.
"""

import errno
import fcntl
import math
import os
import statistics
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from actors.errors import BadInput
from solvers.measuring.node import node
from solvers.measuring.score import Role, Score

AWAY = "move it away, or name another folder with --outputs (of a run: outputs=DIR)"
ANEW = "remove that line, and it is measured again"
UNSTEADY = 0.05  # the spread above which an anchor is measured again


class Alike(NamedTuple):
    """What two measurements must have in common to be on one scale. ``images`` None is any."""

    task_digest: str
    method: str
    profile: str | None
    host: str
    cpu_model: str
    images: tuple[str, ...] | None

    def matches(self, other: "Alike") -> bool:
        """Whether they may be compared."""
        return self == other or (self[:-1] == other[:-1] and None in (self.images, other.images))


def alike(score: Score) -> Alike:
    """How an execution was measured."""
    here = score.node
    return Alike(score.task_digest, score.method, score.profile, here.host, here.cpu_model, score.images)


class Measurements:
    """A folder of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def prepare(self) -> None:
        """BadInput where nothing can be written: better before something is measured than after."""
        try:
            os.close(self._open(node().host))
        except OSError as error:
            raise BadInput(f"{self._folder}: {error.strerror}; name a folder to write to with --outputs") from None

    def _open(self, host: str) -> int:
        self._folder.mkdir(parents=True, exist_ok=True)
        return os.open(self._path(host), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)

    def add(self, score: Score) -> None:
        """Write it down."""
        file = self._open(score.node.host)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = os.fstat(file).st_size
            torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"  # somebody died while writing
            line = b"\n" * torn + score.model_dump_json().encode() + b"\n"
            if os.write(file, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path(score.node.host)))
            os.fsync(file)
        finally:
            os.close(file)

    def all(self, host: str, roles: Sequence[Role] = tuple(Role)) -> Iterator[Score]:
        """What was measured on a host, oldest first. Lines cut short or of another version are passed over.

        BadInput where the file cannot be read.
        """
        return (score for _, score in self._numbered(host, roles))

    def _numbered(self, host: str, roles: Sequence[Role]) -> Iterator[tuple[int, Score]]:
        """With the numbers of their lines, from 1."""
        wanted = tuple(f'"role":"{role}"'.encode() for role in roles)
        try:
            lines = self._path(host).read_bytes().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            raise BadInput(f"{self._path(host)}: {error.strerror}, so no measurements can be kept; {AWAY}") from None
        for number, line in enumerate(lines, 1):
            if not any(role in line for role in wanted):  # most lines are long, and nobody's anchors
                continue
            with suppress(ValidationError):
                yield number, Score.model_validate_json(line)

    def anchors(self, here: "Alike") -> tuple[float, float] | None:
        """Baseline and reference measured alike; None until there are both.

        The median of those whose samples agreed; where none did, the calmest. BadInput where one is no time.
        """
        found: dict[Role, list[tuple[float, float]]] = {Role.BASELINE: [], Role.REFERENCE: []}
        for number, score in self._numbered(here.host, (Role.BASELINE, Role.REFERENCE)):
            if score.correct and score.metric is not None and here.matches(alike(score)):
                if not (score.metric > 0 and math.isfinite(score.metric)):
                    where = f"{self._path(here.host)}, line {number}"
                    raise BadInput(f"{where}: a {score.role} of {score.task} cannot take {score.metric:g} s; {ANEW}")
                found[score.role].append((score.spread or 0.0, score.metric))
        if not all(found.values()):
            return None
        return settled(found[Role.BASELINE]), settled(found[Role.REFERENCE])

    def _path(self, host: str) -> Path:
        return self._folder / f"{host}.jsonl"


def settled(measured: list[tuple[float, float]]) -> float:
    """One time out of several, each with the spread of its samples."""
    calm = [metric for spread, metric in measured if spread <= UNSTEADY]
    return statistics.median(calm) if calm else min(measured)[1]
