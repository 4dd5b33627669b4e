"""A line to an actor, without Ray: what comes together goes together, and what breaks fails whoever waits."""

import asyncio
from typing import Any

import pytest

from actors.errors import BadInput, ErrorKind, UnitFault
from actors.host import Host, Unbuilt, code
from actors.pool import Lost
from actors.ray_line import Line


class Sleeper:
    """A plain class."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    async def sleep(self, name: str, seconds: float = 0.0) -> str:
        await asyncio.sleep(seconds)
        self.ended.append(name)
        return name

    async def fail(self) -> None:
        raise UnitFault("no luck", ErrorKind.FILTERED)

    async def bug(self) -> None:
        raise ZeroDivisionError("a bug")


class Actor:
    """What Ray would make of a Host: ``start.remote(...)`` gives something to wait for; it may die."""

    def __init__(self) -> None:
        self.host = Host()
        self.messages: list[str] = []
        self.dead: Exception | None = None

    def __getattr__(self, name: str) -> Any:
        return Remote(self, name)


class Remote:
    def __init__(self, actor: Actor, name: str) -> None:
        self.actor, self.name = actor, name

    def remote(self, *args: Any) -> "asyncio.Task[Any]":
        self.actor.messages.append(self.name)
        task = asyncio.create_task(self.run(*args))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def run(self, *args: Any) -> Any:
        if self.actor.dead:
            raise self.actor.dead
        host = self.actor.host
        said = asyncio.create_task(getattr(host, self.name)(*args))
        while not said.done():
            if self.actor.dead:
                raise self.actor.dead
            await asyncio.wait([said], timeout=0.005)
        return said.result()


@pytest.fixture
async def actor() -> Actor:
    made = Actor()
    await made.host.build(code(), Sleeper)
    return made


async def test_calls_that_come_together_go_together(actor: Actor) -> None:
    line = Line(actor)
    names = [str(n) for n in range(100)]
    assert await asyncio.gather(*(line.call("sleep", (name,), {"seconds": 0.01}) for name in names)) == names
    assert len(actor.messages) < 10


async def test_faults_come_as_they_are_and_bugs_with_where_they_were(actor: Actor) -> None:
    line = Line(actor)
    with pytest.raises(UnitFault, match="no luck") as fault:
        await line.call("fail", (), {})
    assert fault.value.kind is ErrorKind.FILTERED
    with pytest.raises(ZeroDivisionError, match="a bug") as bug:
        await line.call("bug", (), {})
    assert "in bug" in "".join(bug.value.__notes__)
    assert await line.call("sleep", ("well",), {}) == "well"


async def test_a_death_reaches_all_who_wait_and_the_next_call_finds_the_new_actor(actor: Actor) -> None:
    line = Line(actor)
    calls = [asyncio.create_task(line.call("sleep", ("x", 60), {})) for _ in range(3)]
    await asyncio.sleep(0.05)
    actor.dead = ConnectionResetError("died")
    for call in calls:
        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(call, 5)
    actor.dead, actor.host = None, Host()
    with pytest.raises(Unbuilt):
        await line.call("sleep", ("y",), {})
    await actor.host.build(code(), Sleeper)
    assert await line.call("sleep", ("y",), {}) == "y"


async def test_calls_that_a_new_actor_does_not_know_are_lost_not_made_again(actor: Actor) -> None:
    """The old one had begun them: whoever called must look at what they left behind first."""
    line = Line(actor)
    old = asyncio.create_task(line.call("sleep", ("old", 60), {}))
    await asyncio.sleep(0.05)
    actor.host = Host()  # started again, and nobody noticed
    new = asyncio.create_task(line.call("sleep", ("new",), {}))
    with pytest.raises(Unbuilt):
        await asyncio.wait_for(new, 5)
    with pytest.raises(Lost):
        await asyncio.wait_for(old, 5)


async def test_what_was_given_up_does_not_go_on_in_an_actor_that_lives(actor: Actor) -> None:
    line = Line(actor)
    call = asyncio.create_task(line.call("sleep", ("given up", 60), {}))
    await asyncio.sleep(0.05)
    actor.dead = ConnectionResetError("out of reach")
    with pytest.raises(ConnectionResetError):
        await asyncio.wait_for(call, 5)
    actor.dead = None
    (caller,) = actor.host._callers
    (task,) = actor.host._callers[caller].running
    await actor.host.forget(caller)
    await asyncio.wait([task], timeout=5)
    assert task.cancelled()
    assert actor.host._instance.ended == []


async def test_what_cannot_be_sent_fails_its_caller(actor: Actor) -> None:
    class Unsendable(Actor):
        def __getattr__(self, name: str) -> Any:
            if name == "start":
                raise TypeError("cannot pickle")
            return super().__getattr__(name)

    line = Line(Unsendable())
    with pytest.raises(TypeError, match="cannot pickle"):
        await asyncio.wait_for(line.call("sleep", ("x",), {}), 5)


async def test_a_machine_with_other_code_is_named() -> None:
    with pytest.raises(BadInput, match="another version of heuresis than the driver"):
        await Host().build("0123456789ab", Sleeper)
