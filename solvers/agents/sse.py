"""Server-sent events, as far as they carry JSON: read from bytes as they come."""

from collections.abc import Iterator
from typing import Any

from actors.chat import parsed

LONGEST = 8 * 2**20  # bytes of a line; a longer one is not read, but passed on like any


class Events:
    """The events of one stream."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._long = False

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The JSON objects that these bytes complete."""
        *ends, rest = data.split(b"\n")
        for piece in ends:
            self._add(piece)
            line, skipped = bytes(self._line), self._long
            self._line.clear()
            self._long = False
            if not skipped and line.startswith(b"data:"):
                said = parsed(line.removeprefix(b"data:").strip())
                if isinstance(said, dict):
                    yield said
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        self._long = self._long or len(self._line) + len(piece) > LONGEST
        if not self._long:
            self._line += piece
