"""The desk beside the driver, where every request is announced and every reply is handed in.

It keeps the journal, the budget and the endpoints' limits, for all actors of a run. A request is announced before it
is sent: when the announcement is on disk and the budget allows it, it may go. Guarded: caps, under any concurrency;
what was announced or handed in survives any crash. Not guarded: an endpoint that bills more than it was allowed to, and
the tokens of a try that an answerer sends again for a game whose own actor has just died; it counts as a request.
"""

import asyncio
import fcntl
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from actors.budget import Account, Budget, Caps, Cost, Earlier, Verdict
from actors.journal import Journal, line, line_of, read, unit_of
from actors.limit import Limits, Report, Share

ACCOUNT, LIMITS = "account.json", "limits.jsonl"
GONE = "its driver is gone"
SHARED = frozenset({"anchors"})  # kinds of facts that one part of a unit may learn from another
ACCOUNT_EVERY = 1.0  # seconds between two looks that others may take at the account


class Ask(NamedTuple):
    """A request that wants to be sent. again: it was sent before; billed: and may have cost the most.

    most: None where it is no request, but something else that may not begin once the run is at its end. life: how many
    times the unit had lost an actor before: what an earlier life left running may begin nothing more. An answerer,
    which sends again, knows nothing of lives.
    """

    unit: str
    event: dict[str, Any]
    most: Cost | None
    again: bool = False
    billed: bool = False
    life: int = 0


class Ruling(NamedTuple):
    """What an `Ask` is told, and why."""

    verdict: Verdict
    why: str = ""


class HandedIn(NamedTuple):
    """A reply or a fact handed in: its unit, its journal event, and in which life of the unit it came."""

    unit: str
    event: dict[str, Any]
    life: int = 0


class Desk:
    """One for each driver, on its machine."""

    def __init__(self, folder: Path, command: tuple[str, ...], caps: Caps, earlier: Earlier, began: float) -> None:
        self._folder = folder
        self._command = command
        self._account = Account()
        self._lives: dict[str, int] = {}
        self._learnt: dict[tuple[str, str, str], list[dict[str, Any]]] = {}  # by unit, kind, about
        path = folder / "journal.jsonl"
        if path.exists():  # this desk died under its driver, and was started again
            self._account.read(read(path))
            for row, event in read(path):
                if "life" in event:
                    self._lives[row] = event["life"]
                self._learn(row, event)
        self._journal = Journal(path)
        self._limits = Limits(folder / LIMITS)
        self._budget = Budget(caps, earlier, self._account, began, time.time)
        self._stopped = ""
        self._said = 0.0
        self._write_account(closed=False)

    async def take(self, replies: list[HandedIn], asks: list[Ask]) -> list[Ruling]:
        """Keep replies, then decide on the requests that wait; returns when all of it is on disk."""
        events = [(reply.unit, self._kept(reply)) for reply in replies]
        lines = [line(unit, kept) for unit, kept in events]
        for unit, event, _ in replies:
            if "call" in event:
                self._account.settle(unit, event["call"]["reply"])
        if asks and not self._driver_lives():
            self._stopped = self._stopped or GONE
        answers = [self._decide(ask) for ask in asks]
        for ask, answer in zip(asks, answers, strict=True):
            if answer.verdict is Verdict.GO:
                most = {} if ask.most is None else {"most": list(ask.most)}
                lines.append(line(ask.unit, ask.event | most))
            elif answer.verdict is Verdict.STOP and ask.again:
                self._account.over(ask.unit, ask.billed)
                lines.append(line(ask.unit, {"over": ask.billed}))
        if lines:
            await self._journal.append(b"".join(lines))
        for unit, kept in events:
            self._learn(unit, kept)
        if time.monotonic() - self._said > ACCOUNT_EVERY:
            self._write_account(closed=False)
        return answers

    def _kept(self, reply: HandedIn) -> dict[str, Any]:
        """The event as it is journaled. A fact of an earlier life has been given up as lost: it stays lost."""
        if "fact" in reply.event and reply.life < self._lives.get(unit_of(reply.unit)[0], 0):
            return {"late": reply.event["fact"]}
        return reply.event

    def _learn(self, row: str, event: dict[str, Any]) -> None:
        """Keep what other parts of the unit may ask for: a journal is long, and too much to read for each of them."""
        fact = event.get("fact")
        if fact is not None and fact["kind"] in SHARED:
            self._learnt.setdefault((unit_of(row)[0], fact["kind"], fact["about"]), []).append(fact["value"])

    def _driver_lives(self) -> bool:
        """Whether its folder is locked still: an actor may outlive a killed driver for seconds, beside the next one."""
        try:
            with (self._folder / "lock").open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except (BlockingIOError, FileNotFoundError):  # the latter in a folder that is not a driver's
            return True
        return False

    def _decide(self, ask: Ask) -> Ruling:
        if self._stopped:
            return Ruling(Verdict.STOP, self._stopped)
        if not ask.again and ask.life < self._lives.get(unit_of(ask.unit)[0], 0):
            return Ruling(Verdict.STOP, "its unit has lost an actor, and was begun again")
        if ask.most is None:
            return Ruling(Verdict.GO)
        verdict, lacking = self._budget.ask(ask.unit, ask.most, ask.again, ask.billed)
        if verdict is Verdict.STOP:
            self._stopped = lacking
        return Ruling(verdict, lacking)

    async def stop(self, why: str) -> None:
        """From now on no request goes out."""
        self._stopped = self._stopped or why

    async def drop(self, unit: str, life: int) -> None:
        """A unit has lost its actor: what it had under way is not coming back, and begins nothing more in this life."""
        for held in [name for name in self._account.held if unit_of(name)[0] == unit]:
            self._account.drop(held)
        self._lives[unit] = life
        await self._journal.append(line(unit, {"life": life}))

    async def recall(self, unit: str, part: str) -> list[dict[str, Any]]:
        """What the journal has of one part of a unit, in order: for a part that has lost its actor."""
        wanted = {line_of(unit, part)}
        return await asyncio.to_thread(lambda: [event for _, event in read(self._journal.path, wanted)])

    async def learnt(self, unit: str, kind: str, about: str) -> list[dict[str, Any]]:
        """The values of a unit's facts of a shared kind about one thing, whichever part learnt them in this journal."""
        assert kind in SHARED
        return self._learnt.get((unit, kind, about), [])

    async def report(self, holder: str, endpoint: str, most: int, said: Report) -> Share:
        """An actor's share of an endpoint's limit, for what it says of its last requests."""
        return await self._limits.report(holder, endpoint, most, said)

    async def close(self) -> None:
        """Close the journal when all is on disk; the account is then final."""
        await self._journal.close()
        for unit in list(self._account.held):
            self._account.drop(unit)
        self._write_account(closed=True)

    def _write_account(self, closed: bool) -> None:
        """Let others see what was spent; until the end it is only a view of the journal."""
        self._said = time.monotonic()
        row = {"command": self._command, "closed": closed, "seconds": self._budget.seconds, **self._account.row()}
        path = self._folder / ACCOUNT
        aside = path.with_name(f".{ACCOUNT}")
        with suppress(OSError):  # a full disk: whoever needs it reads the journal instead
            with aside.open("w") as file:
                json.dump(row, file)
                file.flush()
                if closed:
                    os.fsync(file.fileno())
            aside.replace(path)
