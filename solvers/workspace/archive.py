"""Reads a tar that somebody hostile may have made: folders and small regular files, member by member, nothing else.

Strict where Python's tarfile is lenient: that one ends quietly at a damaged header, so that a tar cut short reads as a
smaller one, and trusts the sizes it is told. Known here are ustar, GNU long names and pax paths and sizes. What is
refused: links, devices, FIFOs, sparse members, unknown kinds, bad checksums, a missing end. Memory is bounded by one
member and one extended header; the number of members is for the caller to bound, who sees each as it comes.

Not guarded: a stream that never ends or stalls (set a time limit on it), and whatever follows the end marker.
"""

import io
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from actors.errors import Fault

BLOCK = 512
EXTENDED_BYTES = 1 << 18
GLOBALS = 8
REFUSED_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a character device",
    b"4": "a block device",
    b"6": "a FIFO",
    b"K": "a link with a long target",
    b"S": "a sparse file",
}


class Refused(Fault):
    """A set of files cannot be a solution: which file, and why, in one line.

    Callers convert it: to BadInput where a person named the folder, to a rejected execution where a container sent it.
    """


class Member(NamedTuple):
    """A regular file, or a folder, whose content is None."""

    name: bytes
    content: bytes | None


class Header(NamedTuple):
    """What 512 bytes say."""

    name: bytes
    size: int
    kind: bytes


class Source:
    """Bytes in order, from one piece, an open file or chunks."""

    def __init__(self, source: bytes | BinaryIO | Iterable[bytes]) -> None:
        if isinstance(source, bytes):
            source = io.BytesIO(source)
        self._pieces = iter(source) if not hasattr(source, "read") else None
        self._file = source if hasattr(source, "read") else io.BytesIO()

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes; Refused if there are fewer."""
        got: list[bytes] = []
        while count:
            piece = self._file.read(count)
            if not piece:
                chunk = next(self._pieces, None) if self._pieces else None
                if chunk is None:
                    raise Refused("the tar is cut short")
                self._file = io.BytesIO(chunk)
            got.append(piece)
            count -= len(piece)
        return b"".join(got)

    def block(self, size: int) -> bytes:
        """``size`` bytes; what pads them to a whole block is left out."""
        return self.take(size + -size % BLOCK)[:size]


def members(source: bytes | BinaryIO | Iterable[bytes], file_bytes: int) -> Iterator[Member]:
    """The members of a tar, in its order; Refused at the first that is not a folder or a file of ``file_bytes``."""
    tar = Source(source)
    own: dict[bytes, bytes] | None = None
    global_headers = 0
    while any(block := tar.take(BLOCK)):
        header = parsed(block)
        if header.kind == b"g":
            global_headers += 1
            if extended(header, tar) or global_headers > GLOBALS:
                raise Refused("the tar has global headers that a set of files does not need")
        elif header.kind in (b"x", b"L"):
            if own is not None:
                raise Refused("the tar is damaged: two extended headers for one member")
            own = extended(header, tar)
        else:
            said = own or {}
            name, size = said.get(b"path", header.name), number(said.get(b"size"), header.size)
            yield Member(name, content(header, name, size, tar, file_bytes))
            own = None
    if own is not None:
        raise Refused("the tar is cut short")


def content(header: Header, name: bytes, size: int, tar: Source, file_bytes: int) -> bytes | None:
    """The bytes of a member, or None for a folder."""
    if header.kind in REFUSED_KINDS:
        raise Refused(f"{shown(name)}: {REFUSED_KINDS[header.kind]}, not a regular file")
    if header.kind == b"5" or (header.kind == b"\0" and name.endswith(b"/")):
        if size:
            raise Refused(f"{shown(name)}: a folder with content")
        return None
    if header.kind not in (b"0", b"\0"):
        raise Refused(f"{shown(name)}: a tar member of unknown kind {shown(header.kind)}, not a regular file")
    if size > file_bytes:
        raise Refused(f"{shown(name)}: larger than {file_bytes} bytes")
    return tar.block(size)


def parsed(block: bytes) -> Header:
    """A header whose checksum is right."""
    if octal(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * 32:
        raise Refused("the tar is damaged: a header's checksum is wrong")
    name = block[:100].split(b"\0")[0]
    if block[257:263] == b"ustar\0" and block[345]:
        name = block[345:500].split(b"\0")[0] + b"/" + name
    return Header(name, octal(block[124:136]), block[156:157])


def octal(field: bytes) -> int:
    """A number in a header, in octal digits or in base 256."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.split(b"\0")[0].strip() or b"0"
    if not all(digit in b"01234567" for digit in digits):
        raise Refused("the tar is damaged: a number in a header is none")
    return int(digits, 8)


def number(said: bytes | None, otherwise: int) -> int:
    """A pax size."""
    if said is None:
        return otherwise
    if not said.isdigit() or len(said) > 20:
        raise Refused("the tar is damaged: a size in an extended header is no number")
    return int(said)


def extended(header: Header, tar: Source) -> dict[bytes, bytes]:
    """The path and size that an extended header sets; nothing else of it matters here."""
    if header.size > EXTENDED_BYTES:
        raise Refused(f"the tar has an extended header of {header.size} bytes")
    data = tar.block(header.size)
    if header.kind == b"L":
        return {b"path": data.split(b"\0")[0]}
    said: dict[bytes, bytes] = {}
    at = 0
    while at < len(data):
        digits = data[at : at + 8].split(b" ")[0]
        ends = at + number(digits, 0)
        key, equals, value = data[at + len(digits) + 1 : ends - 1].partition(b"=")
        if not equals or ends > len(data) or data[ends - 1 : ends] != b"\n":
            raise Refused("the tar is damaged: an extended header is not one")
        if key.startswith(b"GNU.sparse"):
            raise Refused("the tar holds a sparse file")
        if key in (b"path", b"size"):
            said[key] = value
        at = ends
    return said


def shown(name: str | bytes) -> str:
    """A name for a message: visible characters, never more than a line."""
    decoded = name if isinstance(name, str) else name.decode(errors="surrogateescape")
    return repr(decoded[:200])[1:-1] or "(no name)"
