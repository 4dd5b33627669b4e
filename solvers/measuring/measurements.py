"""Every execution on disk, a line each, before anybody uses it; and the anchors of this node, which are executions too.

One file per host, since outputs/ may be shared; a line is written with one call under a lock and synced.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from solvers.measuring.node import Node, node
from solvers.measuring.score import Role, Score


class Measurements:
    """A folder of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, score: Score) -> None:
        """Write it down."""
        self._folder.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path(score.node.host), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
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

    def all(self, host: str) -> Iterator[Score]:
        """What was measured on a host, oldest first. Lines cut short or of another version are passed over."""
        try:
            lines = self._path(host).read_bytes().splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            with suppress(ValidationError):
                yield Score.model_validate_json(line)

    def anchors(self, task_digest: str, profile: str, here: Node | None = None) -> tuple[float, float] | None:
        """Baseline and reference of a task as it is now, measured last on this node; None until both were."""
        this = here or node()
        found: dict[Role, float] = {}
        for score in self.all(this.host):
            same = (score.task_digest, score.profile, score.node.cpu_model) == (task_digest, profile, this.cpu_model)
            if same and score.correct and score.metric is not None:
                found[score.role] = score.metric
        if Role.BASELINE in found and Role.REFERENCE in found:
            return found[Role.BASELINE], found[Role.REFERENCE]
        return None

    def _path(self, host: str) -> Path:
        return self._folder / f"{host}.jsonl"
