"""What the relay in an agent's container may send, and what happens where it, or an agent in its place, sends else."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from agents_at_work import START, agent
from aiohttp import web
from executions import execution_row

from actors.errors import BadInput, ErrorKind, UnitFault
from actors.row import parse
from solvers.agents.channels import CHANNELS, HELD
from solvers.agents.command_settings import CommandSettings, filled
from solvers.agents.session import FLOOD, KEPT, LARGEST, Said, Session, solution_of
from solvers.agents.sse import LONGEST, Events
from solvers.agents.verdict import verdict_of
from solvers.agents.wire import FRAME, PIECE, Wire
from solvers.attempt import execution
from solvers.containers.container import Container, Gone
from solvers.measuring.score import End
from solvers.workspace.solution import Refused, Solution, to_tar


def frame(kind: str, data: bytes = b"", channel: int = 0) -> bytes:
    return FRAME.pack(kind.encode(), channel, len(data)) + data


def engine_frame(data: bytes, stream: int = 1) -> bytes:
    return struct.pack(">BxxxL", stream, len(data)) + data


class Relay:
    """The other end of a wire, in the place of a container."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self.socket = theirs
        self.socket.setblocking(False)
        self.container = SimpleNamespace(
            connection=ours, errors=bytearray(), gone=lambda: Gone("a container ended early")
        )
        self.wire = Wire(cast("Container", self.container))
        self.session = Session(cast("Any", SimpleNamespace(left=3)), agent(""), self.wire, {})

    async def say(self, *frames: bytes) -> None:
        for one in frames:
            await asyncio.get_running_loop().sock_sendall(self.socket, engine_frame(one))

    async def close(self) -> None:
        await self.session.close()
        self.container.connection.close()
        self.socket.close()


@pytest.fixture
async def relay() -> AsyncIterator[Relay]:
    made = Relay()
    yield made
    await made.close()


async def test_frames_may_be_split_at_any_byte_and_mixed_with_errors(relay: Relay) -> None:
    said = engine_frame(frame("H")[:3]) + engine_frame(b"mutter", 2) + engine_frame(frame("H")[3:] + frame("S", b"two"))
    reading = asyncio.gather(relay.wire.receive(), asyncio.sleep(0))
    for at in range(len(said)):
        await asyncio.get_running_loop().sock_sendall(relay.socket, said[at : at + 1])
        await asyncio.sleep(0)
    first, _ = await reading
    assert first == ("H", 0, b"")
    assert await relay.wire.receive() == ("S", 0, b"two")
    assert bytes(relay.container.errors) == b"mutter"
    relay.socket.close()
    with pytest.raises(Gone):
        await relay.wire.receive()


@pytest.mark.parametrize("wrong", [b"HTTP/1.1 200 OK\r\n", frame("q"), FRAME.pack(b"S", 0, PIECE + 1)])
async def test_what_is_no_frame_ends_the_branch(relay: Relay, wrong: bytes) -> None:
    await relay.say(wrong)
    with pytest.raises(UnitFault, match="frames that cannot be read") as fault:
        await relay.session.ready()
    assert fault.value.kind is ErrorKind.INVALID


@pytest.mark.parametrize("kind", ["Z", "T", "p", "X", "O", "D", "C"])
async def test_a_frame_out_of_turn_ends_the_branch(relay: Relay, kind: str) -> None:
    await relay.say(frame(kind))
    with pytest.raises(UnitFault, match="out of turn"):
        await relay.session.ready()


async def test_nobody_evaluates_twice_at_once(relay: Relay) -> None:
    await relay.say(frame("E", b"one"), frame("E", b"two"))
    with pytest.raises(UnitFault, match=r"out of turn \(E\)"):
        await relay.session.run(["x"], {}, 5)


async def never(request: web.BaseRequest) -> web.StreamResponse:
    """Reads no body, and does not answer."""
    await asyncio.Event().wait()
    raise AssertionError


async def test_channels_hold_a_bounded_amount(relay: Relay) -> None:
    relay.session.serve(cast("Any", SimpleNamespace(server=web.Server(never))))
    head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {2 * HELD}\r\n\r\n".encode()
    bodies = [frame("D", bytes(PIECE), 1) for _ in range(HELD // PIECE + 99)]
    sending = asyncio.ensure_future(relay.say(frame("O", b"", 1), frame("D", head, 1), *bodies))
    with pytest.raises(UnitFault, match=f"more than {HELD} bytes ahead"):
        await relay.session.run(["x"], {}, 30)
    sending.cancel()


@pytest.mark.parametrize("numbers", [(1, 1), range(1, CHANNELS + 2)])
async def test_no_channel_is_opened_twice_and_none_above_the_most(relay: Relay, numbers: Iterable[int]) -> None:
    relay.session.serve(cast("Any", SimpleNamespace(server=web.Server(never))))
    await relay.say(*[frame("O", b"", number) for number in numbers])
    with pytest.raises(UnitFault, match="opens a channel that it may not open"):
        await relay.session.run(["x"], {}, 30)


async def test_a_relay_that_does_not_answer_is_an_error_of_its_own(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solvers.agents.session.SLACK", 0.01)
    for deed in (relay.session.ready(), relay.session.put("/app", b"x" * 10), relay.session.workspace()):
        with pytest.raises(UnitFault, match=r"the relay .* did not .* in time"):
            await deed


def test_what_an_agent_says_is_kept_as_its_beginning_and_its_end() -> None:
    said = Said()
    for number in range(100_000):
        said.add(f"line {number}\n".encode())
    text = said.text()
    assert text.startswith("line 0\nline 1\n")
    assert text.endswith("line 99998\nline 99999\n")
    assert 2 * KEPT < len(text) < 2 * KEPT + 100
    assert f"[... {said.size - 2 * KEPT} bytes ...]" in text
    short = Said()
    short.add(b"a few ")
    short.add(b"words")
    assert short.text() == "a few words"
    with pytest.raises(UnitFault, match="more than 64 MiB"):
        short.add(bytes(FLOOD))


def test_a_workspace_is_read_whole_or_refused() -> None:
    assert solution_of(to_tar(START), b"\0", {"twice.h": b"another"}) == START
    without = Solution(files={"twice.c": START.files["twice.c"]})
    assert solution_of(to_tar(START), b"\0", {"twice.h": START.files["twice.h"]}) == without
    for tar, code, why in [
        (to_tar(START)[:700], b"\0", "cut short"),
        (to_tar(START), b"\x02", "could not be packed"),
        (bytes(LARGEST + 1), b"\0", "larger than"),
    ]:
        with pytest.raises(Refused, match=why):
            solution_of(tar, code, {})


def test_a_verdict_says_what_the_agent_needs_and_its_code_whether_it_is_right() -> None:
    right = execution(execution_row(metric=0.25, score=0.5, baseline_local=1.0, reference_local=0.25), 1, 1, "x")
    verdict = verdict_of(right, 2, 90.0)
    assert (verdict.code, verdict.last) == (0, False)
    assert verdict.text == (
        "verdict: right\ncorrect: yes\nscore: 50.00 of 100\n"
        "time: 0.25 s a case (baseline 1 s, reference 0.25 s)\nexecutions left: 2; minutes left: 1.5\n"
    )
    wrong = execution(execution_row(End.REJECTED, why="no such name", log="x" * 9000, score=0.0), 1, 2, "x")
    verdict = verdict_of(wrong, 0, 0.0)
    assert (verdict.code, verdict.last) == (1, True)
    assert "why: no such name\nlog:\nxxx" in verdict.text
    assert len(verdict.text) < 7000


def test_events_are_read_however_they_are_split() -> None:
    stream = b': hello\n\nevent: a\ndata: {"n": 1}\r\n\r\ndata:{"n": 2}\n\ndata: [DONE]\n\ndata: {"n": 3}\n'
    for size in range(1, len(stream)):
        events = Events()
        got = [e["n"] for at in range(0, len(stream), size) for e in events.feed(stream[at : at + size])]
        assert got == [1, 2, 3]
    events = Events()
    assert list(events.feed(b'data: {"n": "' + b"x" * LONGEST)) == []
    assert [e["n"] for e in events.feed(b'"}\ndata: {"n": 4}\n')] == [4]


def test_placeholders_are_filled_and_other_braces_stay() -> None:
    values = {"prompt": "say {token}", "token": "t", "base_url": "u"}
    assert filled('{"a": "{token}", b: {} {base_url} {other}', values) == '{"a": "t", b: {} u {other}'
    assert filled("{prompt}", values) == "say {token}"  # once: a prompt cannot have anything filled in


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"command": []}, "command: Tuple should have at least 1 item"),
        ({"command": ["a\0"]}, "a word with a NUL"),
        ({"command": ["a"], "workspace": "app"}, "workspace: String should match"),
        ({"command": ["a"], "environment": {"A=B": "x"}}, "environment.A=B"),
        ({"command": ["a"], "api": "other"}, "api: Input should be 'openai' or 'anthropic'"),
    ],
)
def test_settings_that_cannot_be_are_said_in_a_line(
    settings: dict[str, Any], why: str, refused: Callable[..., str]
) -> None:
    assert why in refused(lambda: parse(CommandSettings, settings, "solver"))


@pytest.fixture
def refused() -> Callable[..., str]:
    def of(deed: Callable[[], object]) -> str:
        with pytest.raises(BadInput) as error:
            deed()
        assert "\n" not in str(error.value)
        return str(error.value)

    return of
