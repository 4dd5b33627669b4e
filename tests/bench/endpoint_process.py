"""A chat endpoint that costs little: one process, no framework, replies that are written already.

    python tests/bench/endpoint_process.py --lag 0.05 [--hold N]     prints its address, and serves until killed

A reply is a pure function of the request and has the shape that it asks for; a question holds a checksum of the
body, so that no game asks one twice. GET /seen: the moments (time.monotonic) at which requests came. From the Nth
request on none is answered, so that games stand still at one turn.
Not guarded: anything; it takes whole HTTP/1.1 requests with a Content-Length.
"""

import argparse
import asyncio
import json
import re
import subprocess
import sys
import time
import urllib.request
import zlib
from array import array
from types import TracebackType
from typing import Any, Self

SHAPE = re.compile(rb'"name": ?"(Question|Answer|Card|Rating)Reply"')
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
IDEA = {"contribution": "A table.", "approach": "A tree.", "components": ["leaves"], "novelty": "None."}
SAID = {
    b"Question": {"question": "Does the method use part NUMBER?"},
    b"Answer": {"answer": "UNKNOWN"},
    b"Card": {**IDEA, "confidence": 9},
    b"Rating": {"rationale": "It names the table.", "score": 5},
}


def completion(text: str) -> bytes:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
    about = {"id": "c", "object": "chat.completion", "created": 1_700_000_000, "model": "bench"}
    return json.dumps({**about, "choices": [choice], "usage": usage}).encode()


WRITTEN = {shape: completion(json.dumps(said)) for shape, said in SAID.items()}


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, lag: float, hold: float, seen: "array[float]") -> None:
        self.lag = lag
        self.hold = hold
        self.seen = seen
        self.parts: list[bytes] = []
        self.missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.parts.append(data)
        if self.missing:
            self.missing -= len(data)
        elif (end := data.find(b"\r\n\r\n")) >= 0:
            length = LENGTH.search(data, 0, end)
            self.missing = end + 4 + (int(length[1]) if length else 0) - len(data)
        if not self.missing:
            whole, self.parts = b"".join(self.parts), []
            self.answer(whole)

    def answer(self, whole: bytes) -> None:
        if whole.startswith(b"GET"):
            body = json.dumps({"at": list(self.seen)}).encode()
            self.transport.write(HEAD % (len(body), body))
            return
        self.seen.append(time.monotonic())
        if len(self.seen) >= self.hold:
            return
        shape = SHAPE.search(whole)
        body = WRITTEN[shape[1] if shape else b"Question"].replace(
            b"NUMBER", b"%d" % zlib.crc32(whole.partition(b"\r\n\r\n")[2])
        )
        asyncio.get_running_loop().call_later(self.lag, self.transport.write, HEAD % (len(body), body))


async def serve(lag: float, hold: float) -> None:
    loop, seen = asyncio.get_running_loop(), array("d")
    server = await loop.create_server(lambda: Client(lag, hold, seen), "127.0.0.1", 0, backlog=4096)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1\n")
    sys.stdout.flush()
    await server.serve_forever()


class EndpointProcess:
    """The endpoint, in a process of its own."""

    def __init__(self, lag: float, hold: float = float("inf")) -> None:
        self.lag = lag
        self.hold = hold

    def __enter__(self) -> Self:
        command = [sys.executable, __file__, "--lag", str(self.lag), "--hold", str(self.hold)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def seen(self) -> list[float]:
        """When each request came, by time.monotonic, which all processes of a machine share."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url.removesuffix("/v1") + "/seen", timeout=30) as response:
            told: dict[str, Any] = json.load(response)
        return list(told["at"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lag", type=float, default=0.05, help="seconds before each reply")
    parser.add_argument("--hold", type=float, default=float("inf"), help="the request from which on it is silent")
    chosen = parser.parse_args()
    asyncio.run(serve(chosen.lag, chosen.hold))
