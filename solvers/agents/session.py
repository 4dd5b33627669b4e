"""An agent at work in its container: the workspace in, evaluations and models served, the workspace out.

The relay in the container is not trusted. Guards: what the agent says is kept as its beginning and its end; more than
FLOOD of it, a workspace that is too large, or a frame out of turn, and the branch ends, or that one evaluation does.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from actors.errors import ErrorKind, UnitFault
from solvers.agents.channels import Channels
from solvers.agents.command_settings import CommandSettings
from solvers.agents.gateway import Gateway
from solvers.agents.solver import Over, Workbench, seconds_left
from solvers.agents.verdict import NOT_YET, Verdict, verdict_of
from solvers.agents.wire import Frame, Wire, broken
from solvers.workspace.solution import LIMITS, Refused, Solution, read_tar

KEPT = 32768  # bytes of the beginning of what an agent says, and of its end
FLOOD = 64 * 2**20  # bytes that it may say in all
LARGEST = LIMITS.total_bytes + (LIMITS.files + 1) * 4096  # bytes of a workspace's tar
SLACK = 10.0  # seconds for the relay to do what it was told
HEAR = "--wait"  # asks for a verdict that was not there yet
TEXT = 16384  # bytes of a verdict


class Said:
    """What an agent said: its beginning and its end."""

    def __init__(self) -> None:
        self.size = 0
        self._first = bytearray()
        self._last: deque[bytes] = deque()
        self._lasting = 0

    def add(self, data: bytes) -> None:
        """More of it; UnitFault where it is a flood."""
        self.size += len(data)
        if self.size > FLOOD:
            raise UnitFault(f"the agent said more than {FLOOD >> 20} MiB", ErrorKind.INVALID)
        room = max(0, KEPT - len(self._first))
        self._first += data[:room]
        self._last.append(data[room:])
        self._lasting += len(data[room:])
        while self._lasting - len(self._last[0]) >= KEPT:
            self._lasting -= len(self._last.popleft())

    def text(self) -> str:
        """As text, with a word on what is left out."""
        last = b"".join(self._last)[-KEPT:]
        left_out = self.size - len(self._first) - len(last)
        middle = f"\n[... {left_out} bytes ...]\n" if left_out else ""
        return self._first.decode(errors="replace") + middle + last.decode(errors="replace")


class Session:
    """One life of an agent. ``fail`` ends it from anywhere; `run` then raises that error. given: see `Begin`."""

    def __init__(self, bench: Workbench, settings: CommandSettings, wire: Wire, given: Mapping[str, bytes]) -> None:
        self._bench, self._settings, self._wire, self._given = bench, settings, wire, given
        self.said = Said()
        self.asked = 0  # evaluations that were counted
        self._tar: bytearray | None = None  # of the workspace, while it comes
        self._words, self._asking = "", False
        self._evaluating: asyncio.Task[Verdict] | None = None
        self._latest: Verdict | None = None
        self._telling: asyncio.Task[None] | None = None
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._receiving: asyncio.Task[Frame] | None = None
        self._channels: Channels | None = None

    def fail(self, error: BaseException) -> None:
        """What ends the branch."""
        if not self._failed.done():
            self._failed.set_exception(error)
            self._failed.exception()  # seen, also where nobody waits any more

    def serve(self, gateway: Gateway) -> None:
        """From now on the agent reaches models."""
        self._channels = Channels(self._wire, gateway.server, self.fail)

    async def put(self, folder: str, tar: bytes) -> None:
        """Unpack a tar there, before the agent runs."""
        async with in_time("unpack a tar"):
            await self._wire.send("P", data=folder.encode())
            await self._wire.send_all("p", tar)
            if (await self._until("p")).data != b"0":
                raise UnitFault(f"a tar could not be unpacked in {folder} of the agent's container", ErrorKind.ENGINE)

    async def ready(self) -> None:
        """Return when the relay listens."""
        async with in_time("start"):
            await self._until("H")

    async def run(self, words: list[str], environment: dict[str, str], seconds: float) -> str:
        """Run the agent; how it ended: an exit code, a signal as a negative number, or late."""
        pairs = [f"{name}={value}" for name, value in environment.items()]
        order = [f"{seconds:.3f}", self._settings.workspace, str(len(words)), *words, *pairs]
        async with asyncio.timeout(seconds + SLACK):
            await self._wire.send("R", data="".join(f"{one}\0" for one in order).encode())
            ending = (await self._until("X")).data.decode("latin-1")
            while self._tar is not None:  # an evaluation that the agent's end cut short
                self._take(await self._next())
        return ending

    async def workspace(self) -> Solution:
        """What the agent left; Refused where that is no solution."""
        self._tar = bytearray()
        async with in_time("pack the workspace"):
            await self._wire.send("W", data=self._settings.workspace.encode())
            while (frame := await self._next()).kind != "Z":
                self._take(frame)
        tar, self._tar = bytes(self._tar), None
        return solution_of(tar, frame.data, self._given)

    async def ran_out_of_memory(self) -> bool:
        """Whether something of the agent's was killed for its memory."""
        return await self._wire.ran_out_of_memory()

    async def finish(self) -> None:
        """Wait for what is being measured."""
        if self._evaluating is not None:
            await self._or_failed(self._evaluating)

    async def close(self) -> None:
        """End whatever is under way."""
        tasks = [task for task in (self._receiving, self._telling, self._evaluating) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._channels is not None:
            await self._channels.close()

    async def _or_failed(self, one: "asyncio.Future[Any]") -> None:
        """Wait for it, or for the error that ended the branch."""
        await asyncio.wait([one, self._failed], return_when=asyncio.FIRST_COMPLETED)
        self._raise()

    def _raise(self) -> None:
        if self._failed.done():
            self._failed.result()

    async def _next(self) -> Frame:
        """The next frame, or the error that ended the branch meanwhile."""
        self._raise()
        if self._receiving is None:
            self._receiving = asyncio.create_task(self._wire.receive())
        await self._or_failed(self._receiving)
        frame, self._receiving = self._receiving.result(), None
        return frame

    async def _until(self, kind: str) -> Frame:
        while (frame := await self._next()).kind != kind:
            self._take(frame)
        return frame

    def _take(self, frame: Frame) -> None:
        """Whatever may come at any time."""
        match frame.kind:
            case "S":
                self.said.add(frame.data)
            case "O" | "D" | "C" if self._channels is not None:
                self._channels.take(frame)
            case "E" if self._tar is None and not self._asking:
                self._words, self._tar, self._asking = frame.data.decode(errors="replace"), bytearray(), True
            case "T" if self._tar is not None:
                if len(self._tar) <= LARGEST:
                    self._tar += frame.data
            case "Z" if self._tar is not None:
                tar, self._tar = bytes(self._tar), None
                self._telling = asyncio.create_task(self._tell(tar, frame.data))
                self._telling.add_done_callback(self._ended)
            case _:
                raise broken(f"sends a frame out of turn ({frame.kind})")

    def _ended(self, task: "asyncio.Task[None] | asyncio.Task[Verdict]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self.fail(error)

    async def _tell(self, tar: bytes, code: bytes) -> None:
        """One call of evaluate, answered."""
        verdict = await self._verdict(tar, code)
        self._asking = False  # the next one may come as soon as this one is told
        await self._wire.send("V", data=bytes([verdict.code]) + verdict.text.encode()[:TEXT])
        if verdict.last:
            await self._wire.send("K")  # nothing that it does can count any more

    async def _verdict(self, tar: bytes, code: bytes) -> Verdict:
        if self._evaluating is None:
            if self._words.strip() == HEAR:  # whoever asked may not have lived to hear it
                return self._latest or Verdict(2, "nothing is being measured\n")
            try:
                solution = solution_of(tar, code, self._given)
            except Refused as refused:
                return Verdict(2, f"refused, and not counted: {refused}\n")
            self._evaluating = asyncio.create_task(self._measured(solution, self._words))
            self._evaluating.add_done_callback(self._ended)
        elif self._words.strip() != HEAR:
            return Verdict(NOT_YET, "the last execution is still being measured: run `evaluate --wait` to hear of it\n")
        done, _ = await asyncio.wait({self._evaluating}, timeout=self._settings.evaluate_seconds)
        if not done:
            return Verdict(NOT_YET, "counted, and still being measured: run `evaluate --wait` to hear of it\n")
        measured, self._evaluating = self._evaluating, None
        self._latest = measured.result()
        return self._latest

    async def _measured(self, solution: Solution, words: str) -> Verdict:
        try:
            execution = await self._bench.evaluate(solution, about=words.strip()[:200])
        except Over as over:
            return Verdict(1, f"not measured: {over}\n", last=True)
        self.asked += 1
        return verdict_of(execution, self._bench.left, seconds_left(self._bench))


@asynccontextmanager
async def in_time(what: str) -> AsyncIterator[None]:
    """For what the relay does at once, if it does it at all."""
    try:
        async with asyncio.timeout(3 * SLACK):
            yield
    except TimeoutError:
        raise UnitFault(f"the relay in the agent's container did not {what} in time", ErrorKind.ENGINE) from None


def solution_of(tar: bytes, code: bytes, given: Mapping[str, bytes]) -> Solution:
    """The workspace without what was given and is as it was; Refused where it is none."""
    if len(tar) > LARGEST:
        raise Refused(f"the workspace is larger than {LIMITS.total_bytes} bytes")
    if code != b"\0":
        raise Refused("the workspace could not be packed (files that changed or vanished meanwhile?)")
    files = read_tar(tar).files
    return Solution(files={name: content for name, content in files.items() if given.get(name) != content})
