"""How many requests an endpoint is sent at once, found by trying, and shared by all actors of a run.

`AdaptiveLimit` finds the number, `Limits` deals it out to the actors that speak to the endpoint. Guarded: requests in
flight. Not guarded: requests a minute, other runs, and the milliseconds that an answer takes to reach its actor.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from actors.row import Row

FIRST = 20
"""Requests at once before anything is known of an endpoint."""

COOL_DOWN = 15.0
"""Seconds after a cut, or after trouble at the other end, in which the limit stays as it is."""

LONGEST_PAUSE = 60.0
"""Seconds that a Retry-After is believed."""

FORGOTTEN = 5.0
"""Seconds without a word after which an actor is taken for dead."""

TENURE = 4
"""Reports for which an actor keeps its slot where there are fewer slots than actors."""


class Why(StrEnum):
    """What changed at an endpoint."""

    START = "start"  # first heard of
    GROW = "grow"  # a round of requests went well, with the limit used up
    RATE = "rate"  # a 429 began an episode
    PAUSE = "pause"  # the endpoint asked to be left alone
    SERVER = "server"  # 5xx, time-out or lost connection: no growth for a while
    BOUND = "bound"  # a spec allows fewer


class Change(Row):
    """One line of the history; at: seconds since the epoch."""

    at: float
    endpoint: str
    limit: int
    why: Why


class AdaptiveLimit:
    """One endpoint's limit. ``now``: seconds of any one clock."""

    def __init__(self, endpoint: str, most: int, now: float) -> None:
        self.endpoint = endpoint
        self.most = most
        self.value = min(FIRST, most)
        self.changes: list[Change] = []
        self._doubles = True
        self._earned = 0
        self._cool_until = self._calm_until = self._closed_until = now
        self._note(now, Why.START)

    def bound(self, now: float, most: int) -> None:
        """Of several specs the one that allows least holds."""
        self.most = min(self.most, most)
        if self.value > self.most:
            self.value = self.most
            self._note(now, Why.BOUND)

    def succeeded(self, now: float, count: int, demand: int) -> None:
        """Grow after ``value`` successes for which the limit was used up: twofold at first, by 5% after an episode."""
        if demand < self.value or now < max(self._cool_until, self._calm_until):
            return
        self._earned += count
        if self._earned < self.value or self.value == self.most:
            return
        self._earned = 0  # what is left over was earned under the old limit
        step = self.value if self._doubles else max(1, self.value // 20)
        self.value = min(self.most, self.value + step)
        self._note(now, Why.GROW)

    def refused(self, now: float, retry_after: float | None) -> None:
        """A 429: cut to 80%, unless requests from before the last cut may have caused it; pause if so asked."""
        if now >= self._cool_until:
            self.value = max(1, min(self.value * 4 // 5, self.value - 1))
            self._doubles = False
            self._earned = 0
            self._cool_until = now + COOL_DOWN
            self._note(now, Why.RATE)
        until = now + min(retry_after or 0.0, LONGEST_PAUSE)
        if until > max(now, self._closed_until):
            if now >= self._closed_until or until > self._closed_until + 1:  # not a line for each of a hundred 429s
                self._note(now, Why.PAUSE)
            self._closed_until = until

    def failed(self, now: float) -> None:
        """Trouble at the other end that is not about rates."""
        if now >= self._calm_until:
            self._note(now, Why.SERVER)
        self._calm_until = now + COOL_DOWN

    def pause(self, now: float) -> float:
        """Seconds for which nothing may be sent."""
        return max(0.0, self._closed_until - now)

    def _note(self, now: float, why: Why) -> None:
        self.changes.append(Change(at=now, endpoint=self.endpoint, limit=self.value, why=why))


class Report(Row):
    """What an actor says of one endpoint: requests at this moment, and outcomes since its last report.

    retry_after: seconds, the longest of them. server_errors: with time-outs and lost connections.
    """

    busy: int
    waiting: int
    successes: int = 0
    rate_limited: int = 0
    retry_after: float | None = None
    server_errors: int = 0


class Share(Row):
    """What an actor may do: ``slots`` requests at once, and none for ``pause`` seconds."""

    slots: int
    pause: float


@dataclass(eq=False)
class Holder:
    """What is known of one actor."""

    since: int  # turn in which it was first heard of, or last given its first slot, or last lost them all
    busy: int = 0
    demand: int = 0
    slots: int = 0
    heard: float = 0.0
    under: int = 0  # the limit when it was last given slots
    kept: int = 0  # reports since then

    @property
    def held(self) -> int:
        """Slots that it may be using: requests from before a smaller share are still at the endpoint."""
        return max(self.slots, self.busy)


class Endpoint:
    """One endpoint's limit and who wants how much of it."""

    def __init__(self, name: str, most: int, now: float) -> None:
        self.limit = AdaptiveLimit(name, most, now)
        self._holders: dict[str, Holder] = {}
        self._turn = 0

    def report(self, name: str, said: Report, now: float) -> Share:
        """Learn from the report, and deal."""
        self._turn += 1
        self._holders = {other: it for other, it in self._holders.items() if now - it.heard < FORGOTTEN}
        holder = self._holders.setdefault(name, Holder(since=self._turn))
        holder.busy, holder.demand, holder.heard = said.busy, said.busy + said.waiting, now
        if said.rate_limited:
            self.limit.refused(now, said.retry_after)
        if said.server_errors:
            self.limit.failed(now)
        if said.successes and holder.under == self.limit.value:  # those under another limit say nothing of this one
            demand = sum(it.demand for it in self._holders.values())
            self.limit.succeeded(now, said.successes, demand)
        self._deal(holder)
        if not holder.demand:
            del self._holders[name]
        return Share(slots=holder.slots, pause=self.limit.pause(now))

    def _deal(self, holder: Holder) -> None:
        """Give ``holder`` its fair part, as far as others do not hold it still."""
        everyone = self._holders.values()
        level = water_level([it.demand for it in everyone], self.limit.value)
        first = self._line(level)
        part = min(holder.demand, level) + (holder in first)
        taken = sum(it.held for it in everyone if it is not holder)
        if holder in first and not holder.held:  # whoever is before it in line may report after it
            taken += sum(not it.held for it in first[: first.index(holder)])
        slots = max(0, min(part, self.limit.value - taken))
        if bool(slots) != bool(holder.slots):
            holder.since, holder.kept = self._turn, 0
        holder.slots, holder.under = slots, self.limit.value
        holder.kept += 1

    def _line(self, level: int) -> list[Holder]:
        """Those who get one slot above ``level``: who has one, who waits, who has had one for long."""
        wanting = [it for it in self._holders.values() if it.demand > level]
        left = self.limit.value - sum(min(it.demand, level) for it in self._holders.values())

        def place(it: Holder) -> tuple[int, int]:
            if it.slots <= level:
                return 1, it.since
            return (0, 0) if level or it.kept < TENURE else (2, -it.since)

        return sorted(wanting, key=place)[:left]


class Limits:
    """The limits of every endpoint, beside the driver; started again, it begins anew. The history is best effort."""

    def __init__(self, path: Path | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._endpoints: dict[str, Endpoint] = {}

    async def report(self, holder: str, endpoint: str, most: int, said: Report) -> Share:
        """Hear an actor out, and tell it what it may do at the endpoint."""
        now = self._clock()
        if endpoint not in self._endpoints:
            self._endpoints[endpoint] = Endpoint(endpoint, most, now)
        at = self._endpoints[endpoint]
        at.limit.bound(now, most)
        share = at.report(holder, said, now)
        changes, at.limit.changes = at.limit.changes, []
        if changes and self._path:
            self._write(self._path, changes)
        return share

    def _write(self, path: Path, changes: Sequence[Change]) -> None:
        at = time.time()
        lines = "".join(change.model_copy(update={"at": at}).model_dump_json() + "\n" for change in changes)
        with suppress(OSError):  # a full disk costs a line of history, not the run
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as file:
                file.write(lines)


def water_level(demands: Sequence[int], slots: int) -> int:
    """The most that each may have so that together they have no more than ``slots``."""
    left = slots
    for served, demand in enumerate(sorted(demands)):
        if demand * (len(demands) - served) > left:
            return left // (len(demands) - served)
        left -= demand
    return max(demands, default=0)
