"""A solution is a set of small regular files with names; nothing else of a workspace counts.

Modes, times, owners and empty folders are dropped. Nothing is left out by its name: a folder that holds .git or
__pycache__ holds them in the solution too, or is refused for their size, so keep such things elsewhere.

A folder is read file by file through descriptors, and what was opened is what is checked, so that whoever can write in
it cannot exchange a file for a link between check and reading. A tar is read without being unpacked (archive.py).

Not guarded: a file that is being written is read as far as it was written. The folder's own path may be a link: name
only one that you trust. What the files say is for others to judge.
"""

import errno
import hashlib
import io
import os
import stat
import tarfile
import unicodedata
from base64 import b64decode, b64encode
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Annotated, BinaryIO

from pydantic import BeforeValidator, PlainSerializer, field_validator

from actors.row import Row
from solvers.workspace.archive import Refused as Refused
from solvers.workspace.archive import members, shown

INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}


class Limits(Row):
    """How much a solution may be."""

    files: int = 200
    """And as many folders."""
    file_bytes: int = 4 << 20
    total_bytes: int = 16 << 20
    depth: int = 8
    """Parts of a name, the file's own among them."""


LIMITS = Limits()


def written(content: bytes) -> str | dict[str, str]:
    """Text as itself, so that records can be read; other bytes as base64."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}


def read_back(value: object) -> object:
    """The inverse of `written`."""
    if isinstance(value, str):
        return value.encode()
    match value:
        case {"base64": str(encoded), **rest} if not rest:
            return b64decode(encoded, validate=True)
    return value


Content = Annotated[bytes, BeforeValidator(read_back), PlainSerializer(written, when_used="json")]


class Solution(Row):
    """Files by relative POSIX path, in order. Refused for names that no solution has; sizes are the readers' matter."""

    files: dict[str, Content]

    @field_validator("files")
    @classmethod
    def _named_well(cls, files: dict[str, bytes]) -> dict[str, bytes]:
        for name in files:
            check_name(name)
            for parent in Path(name).parents:
                if str(parent) in files:
                    raise Refused(f"{shown(str(parent))}: the name of a file and of a folder")
        return dict(sorted(files.items()))

    @cached_property
    def hash(self) -> str:
        """SHA-256, in hex, over every name and content, each after its length."""
        digest = hashlib.sha256()
        for name, content in self.files.items():
            for piece in (name.encode(), content):
                digest.update(len(piece).to_bytes(8, "big") + piece)
        return digest.hexdigest()


class Gathered:
    """Files as they come, within limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.files: dict[str, bytes] = {}
        self._folders: set[str] = set()
        self._bytes = 0

    def folder(self, name: str) -> None:
        """One more folder."""
        self._check(name)
        self._folders.add(name)
        if len(self._folders) > self.limits.files:
            raise Refused(f"more than {self.limits.files} folders")

    def file(self, name: str, content: bytes) -> None:
        """One more file."""
        self._check(name)
        self.files[name] = content
        self._bytes += len(content)
        if len(self.files) > self.limits.files:
            raise Refused(f"more than {self.limits.files} files")
        if len(content) > self.limits.file_bytes:
            raise Refused(f"{shown(name)}: larger than {self.limits.file_bytes} bytes")
        if self._bytes > self.limits.total_bytes:
            raise Refused(f"larger than {self.limits.total_bytes} bytes in all")

    def _check(self, name: str) -> None:
        check_name(name)
        if name in self.files or name in self._folders:
            raise Refused(f"{shown(name)}: there twice")
        if name.count("/") >= self.limits.depth:
            raise Refused(f"{shown(name)}: more than {self.limits.depth} folders deep")


def check_name(name: str) -> None:
    """Refused unless ``name`` is a relative POSIX path of visible characters that stays where it starts."""
    if name.startswith("/"):
        raise Refused(f"{shown(name)}: an absolute path")
    if any(unicodedata.category(character) in INVISIBLE for character in name):
        raise Refused(f"{shown(name)}: a name that is not UTF-8, or holds control characters")
    parts = name.split("/")
    if ".." in parts:
        raise Refused(f"{shown(name)}: '..' in a path")
    if not all(part not in ("", ".") and len(part.encode()) <= 255 for part in parts) or len(name) > 4000:
        raise Refused(f"{shown(name)}: not a path of a file")


def read_folder(path: Path, limits: Limits = LIMITS) -> Solution:
    """The files under ``path``; Refused if one is not a small regular file, or it cannot be read."""
    gathered = Gathered(limits)
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    try:
        _walk(folder, "", gathered)
    finally:
        os.close(folder)
    return Solution(files=gathered.files)


def _walk(folder: int, inside: str, gathered: Gathered) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = inside + entry.name
            try:
                _entry(folder, entry.name, name, gathered)
            except OSError as error:
                reason = "a symbolic link" if error.errno == errno.ELOOP else error.strerror
                raise Refused(f"{shown(name)}: {reason}") from None


def _entry(folder: int, own: str, name: str, gathered: Gathered) -> None:
    _check_kind(os.stat(own, dir_fd=folder, follow_symlinks=False), name)  # opening a device may already do something
    file = os.open(own, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, dir_fd=folder)
    try:
        found = os.fstat(file)
        _check_kind(found, name)
        if stat.S_ISDIR(found.st_mode):
            gathered.folder(name)
            _walk(file, name + "/", gathered)
            return
        if found.st_size > gathered.limits.file_bytes:
            raise Refused(f"{shown(name)}: larger than {gathered.limits.file_bytes} bytes")
        with os.fdopen(file, "rb", closefd=False) as stream:
            gathered.file(name, stream.read(gathered.limits.file_bytes + 1))
    finally:
        os.close(file)


def _check_kind(found: os.stat_result, name: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        return
    if not stat.S_ISREG(found.st_mode):
        raise Refused(f"{shown(name)}: {KINDS.get(stat.S_IFMT(found.st_mode), 'something')}, not a regular file")
    if found.st_nlink > 1:
        raise Refused(f"{shown(name)}: a hard link, a file with {found.st_nlink} names")


def read_tar(source: bytes | BinaryIO | Iterable[bytes], limits: Limits = LIMITS, top: str = "") -> Solution:
    """The files of a tar, in one piece, as an open file or as chunks; names may begin with './'.

    All members stand in the folder ``top`` if one is named, as when a container gives out a folder; it is left out.
    """
    gathered = Gathered(limits)
    for member in members(source, limits.file_bytes):
        name = member.name.decode(errors="surrogateescape").removeprefix("./")
        name = name.rstrip("/") if member.content is None else name
        if top and name != top and not name.startswith(top + "/"):
            raise Refused(f"{shown(name)}: outside {top}/")
        name = name[len(top) :].removeprefix("/") if top else name
        if member.content is not None:
            gathered.file(name, member.content)
        elif name not in ("", "."):
            gathered.folder(name)
    return Solution(files=gathered.files)


def to_tar(solution: Solution) -> bytes:
    """The same bytes for the same files, whenever and wherever: only files, mode 0644, owner 0, time 0."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in solution.files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()
