"""What a command may still spend: requests, tokens, dollars, time.

The most that a request can cost is held back before it is sent, and settled by what it did cost. So no cap is passed,
however many requests are under way; only an endpoint that bills more than it was allowed to could pass one. What a
request cost that never came back is not known: it counts as the most, and apart, as ``assumed``.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from math import ceil
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from actors.amount import Amount
from actors.errors import ErrorKind
from actors.row import Row

PICO = 10**12  # dollars are counted in whole 1e-12, so that sums are exact

Positive = Annotated[float, Field(gt=0, strict=True)]
Whole = Annotated[int, Field(ge=1, strict=True)]


class Caps(Row):
    """The most that all drivers of one command together may spend; None is no cap. ``calls`` are HTTP requests."""

    dollars: Positive | None = None
    tokens: Whole | None = None
    calls: Whole | None = None
    hours: Positive | None = None

    @property
    def capped(self) -> bool:
        """Whether there is any cap."""
        return any(cap is not None for cap in (self.dollars, self.tokens, self.calls, self.hours))


class Verdict(StrEnum):
    """What a request that wants to be sent is told."""

    GO = "go"
    WAIT = "wait"  # what is under way may turn out cheaper: ask again
    STOP = "stop"  # no more requests in this run


class Cost(NamedTuple):
    """Tokens, and dollars in whole 1e-12; an unknown price counts as none, since no dollar cap goes with it."""

    tokens: int
    pico: int

    def plus(self, other: "Cost") -> "Cost":
        """Both together."""
        return Cost(self.tokens + other.tokens, self.pico + other.pico)

    def minus(self, other: "Cost") -> "Cost":
        """This without the other."""
        return Cost(self.tokens - other.tokens, self.pico - other.pico)


NOTHING = Cost(0, 0)


def cost_of(amount: Amount) -> Cost:
    """An amount in whole numbers, rounded up."""
    return Cost(amount.tokens, ceil((amount.dollars or 0) * PICO))


FREE = {ErrorKind.RATE, ErrorKind.SERVER, ErrorKind.AUTH, ErrorKind.BAD_REQUEST, ErrorKind.CONTEXT}


def paid(reply: Mapping[str, Any], most: Cost) -> tuple[Cost, bool]:
    """What a reply cost, and whether that is only assumed: the most, where the endpoint does not say what it was."""
    prompt, completion = reply.get("prompt_tokens"), reply.get("completion_tokens")
    if prompt is not None and completion is not None:
        known = reply.get("cost")
        return Cost(prompt + completion, most.pico if known is None else ceil(known * PICO)), False
    if reply.get("text") is None and reply.get("error_kind") in FREE:
        return NOTHING, False
    return most, most != NOTHING


class Account:
    """What was spent, from the events of a journal as they come: each unit has at most one request under way."""

    def __init__(self) -> None:
        self.requests = 0
        self.spent = NOTHING
        self.assumed = NOTHING
        self.held: dict[str, Cost] = {}
        self.holding = NOTHING

    def start(self, unit: str, most: Cost) -> None:
        """A request is sent. One of the same unit that never came back is assumed to have cost the most."""
        self.drop(unit)
        self.requests += 1
        self.held[unit] = most
        self.holding = self.holding.plus(most)

    def again(self, unit: str, most: Cost, billed: bool) -> None:
        """The same request is sent once more; ``billed``: the last try may have cost the most without our knowing."""
        if unit not in self.held:
            self.start(unit, most)
            return
        self.requests += 1
        if billed:
            self.assumed = self.assumed.plus(most)

    def settle(self, unit: str, reply: Mapping[str, Any]) -> None:
        """A request has come back."""
        most = self.held.pop(unit, NOTHING)
        self.holding = self.holding.minus(most)
        self.requests -= reply.get("tries") == 0  # it was never sent
        cost, assumed = paid(reply, most)
        if assumed:
            self.assumed = self.assumed.plus(cost)
        else:
            self.spent = self.spent.plus(cost)

    def over(self, unit: str, billed: bool) -> None:
        """A request that failed is not sent again."""
        if not billed:
            self.holding = self.holding.minus(self.held.pop(unit, NOTHING))
        self.drop(unit)

    def drop(self, unit: str) -> None:
        """Nobody waits any longer for what this unit has under way."""
        most = self.held.pop(unit, NOTHING)
        self.holding = self.holding.minus(most)
        self.assumed = self.assumed.plus(most)

    def read(self, events: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Take in the events of a journal."""
        for unit, event in events:
            if "call" in event:
                self.settle(unit, event["call"]["reply"])
            elif "start" in event:
                self.start(unit, Cost(*event.get("most", NOTHING)))
            elif "again" in event:
                self.again(unit, Cost(*event["most"]), event["again"])
            elif "over" in event:
                self.over(unit, event["over"])

    def row(self) -> dict[str, Any]:
        """For ``account.json``: counts of requests and tokens, dollars."""
        rows = {"spent": self.spent, "assumed": self.assumed, "held": self.holding}
        sums = {name: {"tokens": cost.tokens, "dollars": cost.pico / PICO} for name, cost in rows.items()}
        return {"requests": self.requests, **sums}


class Earlier(Row):
    """What earlier drivers of the same command have spent, with what is only assumed."""

    requests: int = 0
    tokens: int = 0
    pico: int = 0
    seconds: float = 0.0


class Budget:
    """Caps, and how much of them is left."""

    def __init__(
        self, caps: Caps, earlier: Earlier, account: Account, began: float, clock: Callable[[], float]
    ) -> None:
        self._caps = caps
        self._earlier = earlier
        self._account = account
        self._clock = clock
        self._began = began
        self._waiting: set[str] = set()  # units that hold something, but have nothing under way

    @property
    def seconds(self) -> float:
        """Wall-clock of this driver, of all desks that it had."""
        return self._clock() - self._began

    def ask(self, unit: str, most: Cost, again: bool = False, billed: bool = False) -> tuple[Verdict, str]:
        """Whether a request may be sent, and which cap is in the way. GO holds the most that it can cost."""
        if not again:
            self._account.drop(unit)
        if full := self._full():
            return Verdict.STOP, full
        lacking = self._lacking(NOTHING if again and not billed and unit in self._account.held else most)
        if lacking:
            if again:
                self._waiting.add(unit)
            under_way = self._account.held.keys() - self._waiting - {unit}
            return (Verdict.WAIT if under_way else Verdict.STOP), lacking
        self._waiting.discard(unit)
        if again:
            self._account.again(unit, most, billed)
        else:
            self._account.start(unit, most)
        return Verdict.GO, ""

    def _full(self) -> str:
        """The cap that nothing under way can free again."""
        caps, earlier = self._caps, self._earlier
        if caps.hours is not None and earlier.seconds + self.seconds >= caps.hours * 3600:
            return f"budget.hours={caps.hours:g}"
        if caps.calls is not None and earlier.requests + self._account.requests >= caps.calls:
            return f"budget.calls={caps.calls}"
        return ""

    def _lacking(self, more: Cost) -> str:
        """The cap that would be passed if ``more`` were spent on top of all that is held."""
        account, caps = self._account, self._caps
        if caps.tokens is None and caps.dollars is None:
            return ""
        total = account.spent.plus(account.assumed).plus(account.holding).plus(more)
        if caps.tokens is not None and self._earlier.tokens + total.tokens > caps.tokens:
            return f"budget.tokens={caps.tokens}"
        if caps.dollars is not None and self._earlier.pico + total.pico > caps.dollars * PICO:
            return f"budget.dollars={caps.dollars:g}"
        return ""
