"""An actor's way to the desk: announcements and replies of all its units, collected and sent together."""

import asyncio
import os
import socket
import time
from collections.abc import Mapping
from typing import Any

from actors.amount import Amount
from actors.budget import Verdict, cost_of
from actors.desk import Ask, Desk, HandedIn, Ruling
from actors.errors import Fault
from actors.gate import Gate, Gates
from actors.limit import Report, Share
from actors.model import Spec
from actors.pool import Pool, watched

WAIT = 0.1  # seconds before a request that has to wait asks again


class Stopped(Fault):
    """The run sends no more requests: its one argument says why."""


class Channel:
    """Collects what happens within ``delay`` seconds and sends it in one message."""

    def __init__(self, desk: Pool[Desk], delay: float) -> None:
        self.desk = desk
        self._delay = delay
        self._replies: list[tuple[HandedIn, asyncio.Future[None]]] = []
        self._asks: list[tuple[Ask, asyncio.Future[None]]] = []
        self._sender: asyncio.Task[None] | None = None
        self._gates = Gates(self._report, f"{socket.gethostname()}-{os.getpid()}-{id(self):x}")

    def gate(self, spec: Spec) -> Gate:
        """What a model's requests pass on their way out: its endpoint's limit, as far as this actor's share goes."""
        return self._gates.gate(spec)

    async def _report(self, holder: str, endpoint: str, most: int, said: Report) -> Share:
        return await self.desk.call(Desk.report, None, holder, endpoint, most, said)

    async def start(self, unit: str, event: Mapping[str, Any], most: Amount, life: int = 0) -> None:
        """Announce a request; returns when it may be sent. Stopped if the run is at its end, OSError, Lost.

        life: how many actors the unit had lost before whoever announces this was begun.
        """
        await self._ask(Ask(unit, dict(event), cost_of(most), life=life))

    async def begin(self, unit: str, event: Mapping[str, Any], life: int = 0) -> None:
        """Announce something that is no request, and costs the budget nothing. The same errors."""
        await self._ask(Ask(unit, {**event, "at": time.time()}, None, life=life))

    async def again(self, unit: str, most: Amount, billed: bool) -> None:
        """The same for another try; ``billed``: the last one may have been paid for."""
        await self._ask(Ask(unit, {"again": billed}, cost_of(most), True, billed))

    async def _ask(self, ask: Ask) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asks.append((ask, future))
        self._wake()
        await future

    def hand_in(self, unit: str, event: Mapping[str, Any], life: int = 0) -> asyncio.Future[None]:
        """Queue a reply; the future is done when it is on disk. It is the sender's own: to cancel it harms no other."""
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._replies.append((HandedIn(unit, dict(event), life), kept))
        self._wake()
        return kept

    def _wake(self) -> None:
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send())

    async def _send(self) -> None:
        while self._replies or self._asks:
            await asyncio.sleep(self._delay)
            replies, self._replies = self._replies, []
            asks, self._asks = [one for one in self._asks if not one[1].done()], []
            handed_in, asked = [reply for reply, _ in replies], [ask for ask, _ in asks]
            taking = watched(self.desk.call(Desk.take, None, handed_in, asked))
            await asyncio.wait([taking])
            if (error := taking.exception()) is not None:  # a bug among them: nobody may wait for ever
                for _, future in [*replies, *asks]:
                    if not future.done():
                        future.set_exception(error)
                        future.exception()  # seen: not every sender looks, and who waits for it gets it as well
                continue
            answers = taking.result()
            for _, future in replies:
                if not future.done():
                    future.set_result(None)
            for (ask, future), answer in zip(asks, answers, strict=True):
                self._tell(ask, future, answer)

    def _tell(self, ask: Ask, future: asyncio.Future[None], answer: Ruling) -> None:
        if future.done():  # it was cancelled meanwhile
            return
        if answer.verdict is Verdict.GO:
            future.set_result(None)
        elif answer.verdict is Verdict.STOP:
            future.set_exception(Stopped(answer.why))
        else:
            asyncio.get_running_loop().call_later(WAIT, self._ask_again, ask, future)

    def _ask_again(self, ask: Ask, future: asyncio.Future[None]) -> None:
        self._asks.append((ask, future))
        self._wake()
