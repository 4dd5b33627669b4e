"""The limit finds an endpoint's capacity, is dealt out fairly, and loses no slot. Clocks are simulated throughout."""

import asyncio
import json
import socket
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.errors import ErrorKind
from actors.gate import Gate, Gates, Say, endpoint_of
from actors.limit import COOL_DOWN, TENURE, AdaptiveLimit, Limits, Report, Share, Why, water_level
from actors.model import Kind, Spec
from actors.pool import Lost

slow_is_fine = settings(deadline=None)


class Jumping(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next timer; waiting for what can never come is an error."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        selector: Any = vars(self)["_selector"]
        poll = selector.select

        def jump(timeout: float | None) -> Any:
            assert timeout is not None, "deadlock"
            self._now += timeout
            return poll(0)

        selector.select = jump

    def time(self) -> float:
        return self._now


def simulated(main: Coroutine[Any, Any, None]) -> None:
    """Run on a jumping clock; nothing may be left running."""

    async def whole() -> None:
        await main
        await asyncio.sleep(2)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with asyncio.Runner(loop_factory=Jumping) as runner:
        runner.run(whole())


def now() -> float:
    return asyncio.get_running_loop().time()


def here() -> Say:
    return Limits(None, now).report


def spec(name: str = "m", **more: Any) -> Spec:
    return Spec(name=name, family="f", **({"model": "openai/x"} | more))


# The state machine.


def whys(limit: AdaptiveLimit) -> list[tuple[float, int, str]]:
    return [(change.at, change.limit, change.why) for change in limit.changes]


def test_it_doubles_until_the_first_429_then_adds() -> None:
    limit = AdaptiveLimit("e", 100, 0.0)
    limit.succeeded(1, 19, 50)
    assert limit.value == 20  # no full round yet
    limit.succeeded(2, 1, 50)
    limit.succeeded(3, 40, 79)
    limit.succeeded(4, 1000, 79)  # the demand no longer fills it
    limit.refused(5, None)
    limit.refused(6, None)  # the same episode
    limit.succeeded(19.9, 1000, 100)  # still cooling down
    limit.succeeded(20, 64, 100)
    limit.succeeded(21, 1000, 100)  # one step, however many rounds: the new limit has not been tried
    limit.refused(22, None)
    start, grow, rate = "start", "grow", "rate"
    steps = [
        (0, 20, start),
        (2, 40, grow),
        (3, 80, grow),
        (5, 64, rate),
        (20, 67, grow),
        (21, 70, grow),
        (22, 56, rate),
    ]
    assert whys(limit) == steps
    assert limit.pause(22) == 0  # without Retry-After nobody waits


def test_it_starts_at_what_the_spec_allows_and_stays_under_it() -> None:
    limit = AdaptiveLimit("e", 8, 0.0)
    limit.succeeded(1, 100, 100)
    assert limit.value == 8
    limit.bound(2, 3)
    limit.bound(3, 9)
    assert whys(limit) == [(0, 8, "start"), (2, 3, "bound")]


def test_retry_after_pauses_and_is_believed_for_a_minute() -> None:
    limit = AdaptiveLimit("e", 64, 0.0)
    limit.refused(10, 5.0)
    limit.refused(10.5, 5.0)  # same episode, the later time holds
    assert limit.pause(11) == pytest.approx(4.5)
    limit.refused(12, 3600.0)
    assert limit.pause(12) == 60
    assert limit.pause(100) == 0
    assert whys(limit) == [(0, 20, "start"), (10, 16, "rate"), (10, 16, "pause"), (12, 16, "pause")]


def test_trouble_at_the_other_end_stops_growth_and_cuts_nothing() -> None:
    limit = AdaptiveLimit("e", 64, 0.0)
    limit.failed(1)
    limit.failed(2)
    limit.succeeded(16.9, 20, 20)
    assert limit.value == 20
    limit.succeeded(17, 20, 20)
    assert whys(limit) == [(0, 20, "start"), (1, 20, "server"), (17, 40, "grow")]


def test_small_limits_lose_one_at_least_and_never_the_last() -> None:
    limit = AdaptiveLimit("e", 3, 0.0)
    for episode in range(4):
        limit.refused(COOL_DOWN * episode, None)
    assert [change.limit for change in limit.changes] == [3, 2, 1, 1, 1]


@given(
    most=st.integers(1, 300),
    told=st.lists(st.tuples(st.floats(0, 10), st.sampled_from("srfb"), st.integers(1, 500), st.integers(0, 500))),
)
@slow_is_fine
def test_whatever_it_is_told_it_stays_in_bounds(most: int, told: list[tuple[float, str, int, int]]) -> None:
    limit, at = AdaptiveLimit("e", most, 0.0), 0.0
    for seconds, what, count, demand in told:
        at += seconds
        before = limit.value
        match what:
            case "s":
                limit.succeeded(at, count, demand)
                assert limit.value == before or demand >= before
            case "r":
                limit.refused(at, demand / 10)
            case "f":
                limit.failed(at)
            case "b":
                limit.bound(at, count)
        assert 1 <= limit.value <= limit.most <= most
    cuts = [change.at for change in limit.changes if change.why is Why.RATE]
    assert all(later - cut >= COOL_DOWN for cut, later in pairwise(cuts))
    grown = [change.at for change in limit.changes if change.why is Why.GROW]
    assert not any(cut < at < cut + COOL_DOWN for cut in cuts for at in grown)


# Shares.


@given(st.lists(st.integers(0, 40), max_size=8), st.integers(1, 60))
@slow_is_fine
def test_the_water_level_uses_every_slot_that_can_be_used(demands: list[int], slots: int) -> None:
    level = water_level(demands, slots)
    assert sum(min(demand, level) for demand in demands) <= slots
    if level < max(demands, default=0):
        assert sum(min(demand, level + 1) for demand in demands) > slots


class Desk:
    """Limits under a clock that the test turns."""

    def __init__(self, path: Path | None = None) -> None:
        self.now = 0.0
        self.limits = Limits(path, lambda: self.now)

    def tell(self, holder: str, busy: int, waiting: int, most: int = 64, **more: Any) -> Share:
        report = self.limits.report(holder, "e", most, Report(busy=busy, waiting=waiting, **more))
        with pytest.raises(StopIteration) as ended:  # it awaits nothing: reports cannot mix
            report.send(None)
        share: Share = ended.value.value
        return share

    def slots(self, holder: str, busy: int, waiting: int, most: int = 64) -> int:
        return self.tell(holder, busy, waiting, most).slots


def test_nobody_gets_more_than_it_can_use_and_the_rest_is_shared() -> None:
    desk = Desk()
    assert [desk.slots(name, 0, wish) for name, wish in (("a", 3), ("b", 50), ("c", 50))] == [3, 17, 0]
    assert [desk.slots("b", 17, 33), desk.slots("c", 0, 50)] == [9, 0]  # b still holds 17
    assert [desk.slots("b", 9, 41), desk.slots("c", 0, 50)] == [9, 8]
    assert [desk.slots("a", 0, 0), desk.slots("b", 9, 41), desk.slots("c", 8, 42)] == [0, 10, 10]


def test_who_is_not_heard_of_for_five_seconds_holds_nothing() -> None:
    desk = Desk()
    assert [desk.slots("a", 0, 20), desk.slots("b", 0, 20)] == [20, 0]
    desk.now = 4.9
    assert desk.slots("b", 0, 20) == 0
    desk.now = 5.0
    assert desk.slots("b", 0, 20) == 20


def test_successes_under_another_limit_do_not_count() -> None:
    desk = Desk()
    desk.tell("a", 0, 99, 256)
    assert desk.slots("b", 0, 99, 256) == 0
    assert desk.tell("a", 10, 89, 256, successes=20).slots == 20  # grown to 40, of which b may have half
    assert desk.tell("b", 0, 99, 256, successes=99).slots == 20  # b had not been told of 40
    assert desk.tell("b", 20, 79, 256, successes=40).slots == 40


def test_one_holders_429_pauses_all() -> None:
    desk = Desk()
    desk.tell("a", 0, 9)
    assert desk.tell("b", 5, 0, rate_limited=3, retry_after=7.0) == Share(slots=5, pause=7)
    desk.now = 2.0
    assert desk.tell("a", 0, 9).pause == 5


@given(
    st.integers(1, 30),
    st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 20), st.integers(0, 20), st.booleans()), max_size=60),
)
@slow_is_fine
def test_shares_are_within_the_limit(most: int, reports: list[tuple[str, int, int, bool]]) -> None:
    """Whatever is granted fits beside what others were granted or still have at the endpoint."""
    desk, limit = Desk(), AdaptiveLimit("e", most, 0.0)
    shares, used = Counter[str](), Counter[str]()
    for name, busy, waiting, refused in reports:
        desk.now += 0.05
        used[name] = min(busy, max(shares[name], used[name]))
        if refused:
            limit.refused(desk.now, None)
        shares[name] = desk.tell(name, used[name], waiting, most, rate_limited=int(refused)).slots
        assert shares[name] <= used[name] + waiting
        if shares[name]:
            assert shares[name] + sum(max(shares[it], used[it]) for it in "abcde" if it != name) <= limit.value


@given(st.integers(1, 6), st.integers(1, 6))
@settings(max_examples=20, deadline=None)
def test_nobody_starves(limit: int, extra: int) -> None:
    """With more holders than slots everybody has a slot once in a known number of rounds of reports."""
    desk, names = Desk(), [str(n) for n in range(limit + extra)]
    held, last = Counter[str](), dict.fromkeys(names, 0)
    longest = (TENURE + 2) * -(-len(names) // limit)
    for turn in range(5 * longest):
        desk.now += 0.1
        for name in names:
            held[name] = desk.slots(name, held[name], 5, limit)
            if held[name]:
                last[name] = turn
        assert turn - min(last.values()) <= longest


def test_the_history_is_a_line_a_change(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "run" / "limits.jsonl")
    desk.tell("a", 0, 30)
    desk.tell("a", 20, 10, successes=20)
    desk.tell("a", 20, 10, rate_limited=1, retry_after=2.0)
    lines = [json.loads(line) for line in (tmp_path / "run" / "limits.jsonl").read_text().splitlines()]
    found = [(line["endpoint"], line["limit"], line["why"]) for line in lines]
    assert found == [("e", 20, "start"), ("e", 40, "grow"), ("e", 32, "rate"), ("e", 32, "pause")]
    assert all(line["at"] > 1.7e9 for line in lines)


def test_a_history_that_cannot_be_written_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert Desk(tmp_path / "file" / "limits.jsonl").slots("a", 0, 3) == 3
    assert Desk(tmp_path).slots("a", 0, 3) == 3


# The gate.


class Endpoint:
    """Takes ``seconds`` for a request, and refuses those above its capacity within a tenth of that."""

    def __init__(self, capacity: int, seconds: float = 0.5) -> None:
        self.capacity, self.seconds = capacity, seconds
        self.busy = self.served = self.refused = 0
        self.peaks: list[tuple[float, int]] = []

    async def request(self, gate: Gate) -> bool:
        await gate.enter()
        full = self.busy >= self.capacity
        self.busy += 1
        self.peaks.append((now(), self.busy))
        await asyncio.sleep(self.seconds / 10 if full else self.seconds)
        self.busy -= 1
        self.served += not full
        self.refused += full
        gate.leave(ErrorKind.RATE if full else None)
        return not full

    async def load(self, gate: Gate, until: float) -> int:
        """One game: request after request, backing off by a second when refused; how many went well."""
        well = 0
        while now() < until:
            served = await self.request(gate)
            well += served
            await asyncio.sleep(0 if served else 1)
        return well

    def peak(self, since: float) -> int:
        return max(busy for at, busy in self.peaks if at >= since)


def gates(say: Say, count: int, most: int) -> list[Gate]:
    return [Gates(say, f"actor{n}").gate(spec(in_flight=most)) for n in range(count)]


def test_three_actors_never_have_more_than_the_limit_at_the_endpoint() -> None:
    async def main() -> None:
        endpoint = Endpoint(100)
        loads = [endpoint.load(gate, 20) for gate in gates(here(), 3, 7) for _ in range(9)]
        done = await asyncio.gather(*loads)
        assert endpoint.peak(0) == 7
        assert endpoint.served > 0.8 * 7 * 20 / 0.5  # and few slots lie idle
        parts = [sum(done[n : n + 9]) / endpoint.served for n in (0, 9, 18)]
        assert min(parts) > 0.25

    simulated(main())


def test_an_idle_actor_frees_its_share() -> None:
    async def main() -> None:
        endpoint = Endpoint(100)
        one, other = gates(here(), 2, 8)
        alone = [asyncio.create_task(endpoint.load(one, 60)) for _ in range(16)]
        both = [asyncio.create_task(endpoint.load(other, 30)) for _ in range(16)]
        await asyncio.sleep(29)
        before = sum(task.done() for task in both), endpoint.served
        shared = endpoint.served / 29
        await asyncio.gather(*both)
        assert before[0] == 0
        assert shared > 14  # of 16 a second
        at = endpoint.served
        await asyncio.sleep(20)
        assert (endpoint.served - at) / 20 > 14  # by the first alone
        await asyncio.gather(*alone)

    simulated(main())


def test_four_actors_progress_on_one_slot() -> None:
    async def main() -> None:
        endpoint = Endpoint(1, 0.2)
        done = await asyncio.gather(*(endpoint.load(gate, 120) for gate in gates(here(), 4, 1)))
        assert endpoint.peak(0) == 1
        assert endpoint.refused == 0
        assert min(done) > 40  # of 150: a free slot waits for the next report of the next in line

    simulated(main())


def test_the_limit_settles_near_the_endpoints_capacity(tmp_path: Path) -> None:
    """Of 37: after the first cut between 29 and 39, four fifths of it used, one request in 400 refused."""
    path = tmp_path / "limits.jsonl"

    async def main() -> None:
        endpoint = Endpoint(37)
        limits = Limits(path, now).report
        await asyncio.gather(*(endpoint.load(gate, 300) for gate in gates(limits, 3, 256) for _ in range(50)))
        assert endpoint.peak(5) <= 39
        assert endpoint.served > 0.8 * 37 * 300 / 0.5
        assert endpoint.refused < endpoint.served / 400

    simulated(main())
    changes = [json.loads(line) for line in path.read_text().splitlines()]
    found = [change["limit"] for change in changes]
    assert found[:3] == [20, 40, 32]
    assert all(29 <= limit <= 39 for limit in found[2:])
    assert [change["why"] for change in changes].count("rate") in range(10, 21)


def test_the_first_request_goes_at_once_and_one_more_as_soon_as_it_comes() -> None:
    async def main() -> None:
        gate = gates(here(), 1, 8)[0]
        for _ in range(8):
            await gate.enter()
        assert now() == 0
        for _ in range(8):
            gate.leave(None)

    simulated(main())


def test_retry_after_holds_every_actor_back() -> None:
    async def main() -> None:
        one, other = gates(here(), 2, 8)
        await asyncio.gather(one.enter(), other.enter())
        one.leave(ErrorKind.RATE, 7.0)
        other.leave(None)
        await asyncio.sleep(0.1)
        await asyncio.gather(one.enter(), other.enter())
        assert now() == pytest.approx(7.0)
        one.leave(None)
        other.leave(None)

    simulated(main())


def test_cancelled_waiters_lose_no_slot() -> None:
    async def main() -> None:
        gate = gates(here(), 1, 2)[0]
        await gate.enter()
        await gate.enter()
        waiting = [asyncio.create_task(gate.enter()) for _ in range(4)]
        await asyncio.sleep(1)
        waiting[0].cancel()  # in the queue
        await asyncio.sleep(0)
        gate.leave(None)
        waiting[1].cancel()  # just let in
        with suppress(asyncio.CancelledError):
            await waiting[1]
        await waiting[2]
        assert not waiting[3].done()
        gate.leave(ErrorKind.LOST)
        await waiting[3]
        gate.leave(None)
        gate.leave(None)
        await asyncio.sleep(1)
        await asyncio.gather(gate.enter(), gate.enter())
        gate.leave(None)
        gate.leave(None)

    simulated(main())


class Dying:
    """Limits whose actor is dead between two times, and comes back without memory."""

    def __init__(self, since: float, until: float) -> None:
        self.since, self.until = since, until
        self.limits = Limits(None, now)
        self.heard: list[Report] = []

    async def report(self, holder: str, endpoint: str, most: int, said: Report) -> Share:
        if self.since <= now() < self.until:
            self.limits = Limits(None, now)
            raise Lost("died")
        self.heard.append(said)
        return await self.limits.report(holder, endpoint, most, said)


@pytest.mark.parametrize("since", [0, 5])
def test_a_dead_limits_actor_stops_nobody_for_long(since: float) -> None:
    async def main() -> None:
        endpoint, pool = Endpoint(100), Dying(since, since + 10)
        loads = [endpoint.load(gate, 30) for gate in gates(pool.report, 2, 8) for _ in range(8)]
        await asyncio.gather(*loads)
        assert endpoint.peak(0) < 16  # until all have reported, the new one cannot know what they hold
        assert endpoint.peak(since + 12) == 8
        assert endpoint.served > (30 if since else 30 - 11) * 16 * 0.85

    simulated(main())


def test_outcomes_are_told_by_kind() -> None:
    async def main() -> None:
        pool = Dying(-1, -1)
        gate = gates(pool.report, 1, 64)[0]
        outcomes: list[tuple[ErrorKind | None, float | None]] = [(None, None)]
        outcomes += [(kind, None) for kind in (ErrorKind.SERVER, ErrorKind.TIMEOUT, ErrorKind.CONNECTION)]
        outcomes += [(ErrorKind.RATE, 2.0), (ErrorKind.RATE, 1.0), (ErrorKind.FILTERED, None), (ErrorKind.LOST, None)]
        for _ in outcomes:
            await gate.enter()
        pool.heard.clear()
        for kind, retry_after in outcomes:
            gate.leave(kind, retry_after)
        await asyncio.sleep(1)
        told = Report(busy=0, waiting=0, successes=1, rate_limited=2, retry_after=2.0, server_errors=3)
        assert pool.heard == [told]

    simulated(main())


def test_a_bug_in_the_limits_is_raised_in_those_who_wait() -> None:
    class Broken(Limits):
        async def report(self, holder: str, endpoint: str, most: int, said: Report) -> Share:
            raise ZeroDivisionError

    async def main() -> None:
        gate = gates(Broken().report, 1, 8)[0]
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                await gate.enter()

    simulated(main())


async def test_it_works_on_a_real_clock() -> None:
    limits = Limits()
    found = [Gates(limits.report, name, period=0.002).gate(spec(in_flight=2)) for name in "abc"]
    endpoint = Endpoint(2, 0.001)
    assert all(await asyncio.gather(*(endpoint.request(gate) for gate in found for _ in range(20))))
    assert endpoint.peak(0) <= 2


# Which requests share a limit.


def test_models_on_one_endpoint_share_a_gate() -> None:
    found = Gates(Limits().report, "a")
    judge = found.gate(spec("judge", in_flight=8))
    assert found.gate(spec("seat", in_flight=64)) is judge
    assert judge.most == 8
    assert found.gate(spec(model="openai/y")) is not judge


@pytest.mark.parametrize(
    ("more", "endpoint"),
    [
        ({"model": "openai/x"}, "openai x"),
        ({"model": "x"}, "x"),
        ({"model": "hosted_vllm/meta/x", "api_base": "http://gpu1:8000/v1/"}, "http://gpu1:8000/v1 meta/x"),
        ({"model": "openai/meta/x", "api_base": "http://gpu1:8000/v1"}, "http://gpu1:8000/v1 meta/x"),
        ({"model": "openai/x", "api_base": "http://127.0.0.1:1/v1"}, f"http://127.0.0.1:1/v1 x {socket.gethostname()}"),
        ({"model": "", "kind": Kind.EMBEDDED}, f"embedded {socket.gethostname()}"),
    ],
)
def test_an_endpoint_is_an_address_and_a_model(more: dict[str, Any], endpoint: str) -> None:
    assert endpoint_of(spec(**more)) == endpoint
